"""Laws that every risk measure obeys, on ordinary and on hostile tables."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from discreet.base import Measure
from discreet.errors import ParameterError
from discreet.risk.attribute import AttributeDisclosure
from discreet.risk.attribution import CorrectAttribution
from discreet.risk.class_mix import ClassMix
from discreet.risk.closeness import Closeness
from discreet.risk.closest import ClosestRecord
from discreet.risk.copies import Copies
from discreet.risk.diversity import Diversity
from discreet.risk.fellegi_sunter import ProbabilisticLinkage
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.household import HouseholdRisk
from discreet.risk.individual import IndividualRisk
from discreet.risk.inference import Inference
from discreet.risk.interval_share import IntervalShare
from discreet.risk.linkability import Linkability
from discreet.risk.linkage import DistanceLinkage
from discreet.risk.membership import Membership
from discreet.risk.prefix_linkage import PrefixLinkage, SubsetLinkage
from discreet.risk.rank_interval import RankInterval
from discreet.risk.sd_interval import SdInterval
from discreet.risk.singling_out import SinglingOut
from discreet.risk.suda import SpecialUniqueness
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy

TREE = Taxonomy("places", ("*", "n", "n1", "n2", "s", "s1"), ("",) * 6, np.array([-1, 0, 1, 1, 0, 4]))
VARIABLES = {
    "id": Variable(name="id", kind="nominal", role="identifier"),
    "house": Variable(name="house", kind="nominal", role="cluster", levels=tuple(range(40))),
    "weight": Variable(name="weight", kind="numeric", role="weight"),
    "age": Variable(name="age", kind="numeric", role="quasi"),
    "sex": Variable(name="sex", kind="nominal", role="quasi", levels=("f", "m", "x")),
    "grade": Variable(name="grade", kind="ordinal", role="quasi", levels=("low", "mid", "high")),
    "place": Variable(name="place", kind="taxonomic", role="quasi", taxonomy="places"),
    "income": Variable(name="income", kind="numeric", role="confidential"),
    "illness": Variable(name="illness", kind="nominal", role="confidential", levels=("a", "b", "c")),
}


def build(cells):
    """A table with all kinds and roles; the identifier is left out, as in any released file."""
    n = len(cells["age"])
    filled = {"house": [i // 3 for i in range(n)], "weight": [1.0 + i % 4 for i in range(n)]} | cells
    return Table.build(filled, VARIABLES, trees={"place": TREE})


def random_table(seed, n=36, gaps=0.1):
    """Records with ties and gaps."""
    rng = np.random.default_rng(seed)

    def some(values):
        return [None if rng.random() < gaps else values[i] for i in rng.integers(0, len(values), n)]

    return build(
        {
            "age": some([20.0, 30.0, 30.5, 41.0, 55.0, 80.0]),
            "sex": some(["f", "m"]),
            "grade": some(["low", "mid", "high"]),
            "place": some(["n", "n1", "n2", "s1"]),
            "income": some([100.0, 120.0, 250.0, 900.0]),
            "illness": some(["a", "b", "c"]),
        }
    )


def uniform_table(n, **changes):
    """All records equal."""
    cells = {"age": 40.0, "sex": "f", "grade": "mid", "place": "n1", "income": 5.0, "illness": "a"} | changes
    return build({name: [value] * n for name, value in cells.items()})


def empty_cells(n):
    """Records of which nothing is known."""
    return uniform_table(n, age=None, sex=None, grade=None, place=None, income=None, illness=None)


ORDINARY = (random_table(1), random_table(2))
CONTROL = random_table(3)

MEASURES = {
    "linkage": DistanceLinkage(),
    "linkage, two, range": DistanceLinkage(reach=2, scale="range", seeker="protected"),
    "linkage, sampled": DistanceLinkage(sample=10),
    "prefix": PrefixLinkage(),
    "subsets": SubsetLinkage(subsets=4),
    "fellegi-sunter": ProbabilisticLinkage(),
    "rank interval": RankInterval(),
    "sd interval": SdInterval(),
    "interval share": IntervalShare(),
    "groups": GroupSizes(),
    "groups, wildcard": GroupSizes(missing="wildcard"),
    "diversity": Diversity(),
    "closeness": Closeness(),
    "class mix": ClassMix(),
    "individual": IndividualRisk(sampling_fraction=0.1),
    "individual, approximate": IndividualRisk(formula="approximate", missing="wildcard"),
    "household": HouseholdRisk(),
    "suda": SpecialUniqueness(),
    "closest": ClosestRecord(control=CONTROL),
    "copies": Copies(control=CONTROL),
    "attribute": AttributeDisclosure(),
    "attribution": CorrectAttribution(),
    "linkability": Linkability(control=CONTROL),
    "inference": Inference(control=CONTROL),
    "singling out": SinglingOut(control=CONTROL, attacks=30),
    "membership": Membership(control=CONTROL),
    "membership, no control": Membership(),
    "prefix, sampled": PrefixLinkage(sample=10),
    "subsets, sampled": SubsetLinkage(subsets=4, sample=10),
    "fellegi-sunter, sampled": ProbabilisticLinkage(most_pairs=360),
    "closest, sampled": ClosestRecord(control=CONTROL, sample=10),
    "linkability, sampled": Linkability(control=CONTROL, attacks=10),
    "inference, sampled": Inference(control=CONTROL, attacks=10),
    "membership, sampled": Membership(control=CONTROL, sample=10),
}

HOSTILE = {
    "ordinary": ORDINARY,
    "identical": (ORDINARY[0], ORDINARY[0]),
    "constant": (uniform_table(12), uniform_table(12)),
    "constant, moved": (uniform_table(12), uniform_table(12, age=41.0, illness="b")),
    "made constant": (ORDINARY[0], uniform_table(36)),
    "one record": (uniform_table(1), uniform_table(1)),
    "one record, gone": (uniform_table(1), empty_cells(1)),
    "nothing known": (empty_cells(9), empty_cells(9)),
    "all withheld": (ORDINARY[0], empty_cells(36)),
    "two by two": (random_table(4, n=2, gaps=0.0), random_table(5, n=2, gaps=0.0)),
    "no records": (uniform_table(0), uniform_table(0)),
}

each_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES.keys())


def same(one, other, tolerance=1e-9):
    """Equal figures: value (or both undefined), interval, and parts as a set."""
    assert one.name == other.name
    assert one.value == pytest.approx(other.value, abs=tolerance, nan_ok=True)
    if one.interval is not None:
        assert one.interval == pytest.approx(other.interval, abs=tolerance)
    assert {p.of: p.value for p in one.parts} == pytest.approx(
        {p.of: p.value for p in other.parts}, abs=tolerance, nan_ok=True
    )


@each_measure
@pytest.mark.parametrize("tables", HOSTILE.values(), ids=HOSTILE.keys())
def test_figures_stay_within_their_bounds(measure, tables):
    """On any tables: known unit and direction, value and interval in bounds, undefined only with a reason."""
    assert isinstance(measure, Measure)
    figures = measure(*tables)
    assert figures
    for figure in figures:
        low, high = figure.bounds
        assert figure.unit in {"%", "share", "sd", "records", "bits", "index", "categories"}
        assert figure.better in {"lower", "higher", "neither"}
        if np.isnan(figure.value):
            assert figure.note
            continue
        assert low - 1e-9 <= figure.value <= high + 1e-9, figure
        if figure.interval is not None:
            assert low <= figure.interval[0] <= figure.interval[1] <= high
            assert figure.interval[0] - 1e-9 <= figure.value <= figure.interval[1] + 1e-9
        for part in figure.parts:
            assert low - 1e-9 <= part.value <= high + 1e-9 or figure.name == "fellegi_sunter.evidence"
        if figure.records is not None:
            assert len(figure.records) in (tables[0].n_records, tables[1].n_records)
            assert np.isfinite(figure.records).all()


@each_measure
def test_asking_changes_nothing_and_asking_again_answers_the_same(measure):
    """Tables are as they were, and a second call gives equal figures."""
    before = [copy.deepcopy([column.values for column in table.columns]) for table in ORDINARY]
    first, second = measure(*ORDINARY), measure(*ORDINARY)
    for table, columns in zip(ORDINARY, before, strict=True):
        assert all((c.values == was).all() for c, was in zip(table.columns, columns, strict=True))
    for one, other in zip(first, second, strict=True):
        same(one, other, 0.0)


@each_measure
def test_order_of_records_does_not_matter(measure):
    """Records in another order (the same in both files where they correspond) give equal figures, also of a sample."""
    rng = np.random.default_rng(8)
    order = rng.permutation(36)
    other_order = order if type(measure).corresponds else rng.permutation(36)
    moved = ORDINARY[0].take(order), ORDINARY[1].take(other_order)
    for one, other in zip(measure(*ORDINARY), measure(*moved), strict=True):
        same(one, other)


@each_measure
def test_public_notes_tell_nothing_of_the_records(measure):
    """Two files of the same shape have the same public notes: whatever depends on the records stays inside."""
    other = random_table(11), random_table(12)
    for one, another in zip(measure(*ORDINARY), measure(*other), strict=True):
        assert one.public_note == another.public_note, one.name


@each_measure
def test_shares_of_records_say_of_how_many(measure):
    """Every percentage knows how many records 100 % are, so that small counts can be found."""
    for figure in measure(*ORDINARY):
        if figure.unit == "%" and not np.isnan(figure.value):
            assert figure.people, figure.name


@each_measure
def test_order_of_columns_does_not_matter(measure):
    """Columns in another order, in both files, give equal figures."""
    if isinstance(measure, (PrefixLinkage, SubsetLinkage, Linkability, ProbabilisticLinkage)):
        pytest.skip("the order of columns says what the intruder knows")
    names = ORDINARY[0].names[::-1]
    turned = tuple(table.select(names) for table in ORDINARY)
    if getattr(measure, "control", None) is not None:
        measure = copy.copy(measure)
        object.__setattr__(measure, "control", CONTROL.select(names))
    for one, other in zip(MEASURES_CALL(measure, ORDINARY), measure(*turned), strict=True):
        same(one, other)


def MEASURES_CALL(measure, tables):
    """The measure on tables in their own column order."""
    if getattr(measure, "control", None) is not None:
        measure = copy.copy(measure)
        object.__setattr__(measure, "control", CONTROL)
    return measure(*tables)


@each_measure
def test_unequal_lengths(measure):
    """Measures that need correspondence refuse unequal lengths; the others take any number of records."""
    shorter = random_table(6, n=20)
    if type(measure).corresponds:
        with pytest.raises(ParameterError, match="36 original and 20 protected"):
            measure(ORDINARY[0], shorter)
    else:
        assert measure(ORDINARY[0], shorter)


@pytest.mark.parametrize("measure", [m for m in MEASURES.values() if getattr(m, "control", None) is not None])
def test_control_must_be_like_the_original(measure):
    """A control with other columns is refused, naming what to do."""
    other = copy.copy(measure)
    object.__setattr__(other, "control", CONTROL.drop(["sex"]))
    with pytest.raises(ParameterError, match="columns of the original"):
        other(*ORDINARY)


def test_unknown_columns_are_refused_with_those_that_exist():
    """The message lists the table's columns and no value."""
    with pytest.raises(ParameterError, match=r"salary.*age") as caught:
        DistanceLinkage(known=("salary",))(*ORDINARY)
    assert "900" not in str(caught.value)


def test_every_measure_is_under_the_laws():
    """No file of a measure is left out of these tests."""
    home = Path(__file__).parents[2] / "src" / "discreet" / "risk"
    helpers = {"__init__", "attack", "correspondence", "interval_figure", "rates", "selection", "sensitive"}
    files = {path.stem for path in home.glob("*.py")} - helpers
    assert files == {type(measure).__module__.rsplit(".", 1)[1] for measure in MEASURES.values()}
