"""The laws that every utility measure obeys, on ordinary and on hostile tables."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan
from typing import Any

import numpy as np
import pytest

from discreet.base import Figure, Measure
from discreet.errors import DiscreetError
from discreet.table.table import Table

# figures whose value for equal tables is not zero
BEST = {
    "distributions.kendall": 1.0,
    "distributions.spearman": 1.0,
    "regression.overlap": 1.0,
    "distributions.kendall_paper": None,  # tau-a counts ties as loss
    "learning.original": None,
    "learning.protected": None,
    "crosstables.tvd1_floor": None,
    "crosstables.tvd2_floor": None,
    "crosstables.tvd3_floor": None,
    "bias.abico_dropped": None,
}


def expected_of_equals(figure: Figure) -> float | None:
    # a floor is of the original alone; the score of equal tables is below its expectation for resampled ones
    if figure.name.endswith(("_floor", ".standardised")):
        return None
    return BEST.get(figure.name, 0.0)


def values(figures: tuple[Figure, ...]) -> dict[str, float]:
    return {figure.name: figure.value for figure in figures}


def check_bounds(figures: tuple[Figure, ...]) -> None:
    for figure in figures:
        low, high = figure.bounds
        if isnan(figure.value):
            assert figure.note, f"{figure.name} is not defined and does not say why"
            continue
        assert low - 1e-9 <= figure.value <= high * (1 + 1e-9) + 1e-9, figure.name
        if figure.interval is not None:
            assert figure.interval[0] <= figure.value <= figure.interval[1], figure.name


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_equal_tables_lose_nothing(measure: Measure, mixed: Callable[..., Table], gaps: float) -> None:
    """A table against itself has the known value of every figure."""
    table = mixed(gaps=gaps)
    for figure in measure(table, table):
        expected = expected_of_equals(figure)
        if expected is not None and not isnan(figure.value):
            assert figure.value == pytest.approx(expected, abs=1e-9), figure.name


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_order_of_records_does_not_matter(measure: Measure, mixed: Callable[..., Table], gaps: float) -> None:
    """Both tables in another order (the same one where records correspond) give the same figures."""
    original, protected = mixed(60, 3, gaps), mixed(60, 4, gaps)
    generator = np.random.default_rng(5)
    one = generator.permutation(60)
    other = one if measure.corresponds else generator.permutation(60)
    before = values(measure(original, protected))
    after = values(measure(original.take(one), protected.take(other)))
    assert before == pytest.approx(after, rel=1e-7, abs=1e-9, nan_ok=True)


def test_order_does_not_matter_to_samples(mixed: Callable[..., Table]) -> None:
    """Measures that draw a sample of the records draw it by value, not by place."""
    from discreet.utility.learning import LearningLoss
    from discreet.utility.propensity import Propensity
    from discreet.utility.propensity_trees import TreePropensity

    original, protected = mixed(3000, 3), mixed(2500, 4)
    moved = np.random.default_rng(5).permutation(3000)
    for measure in (
        LearningLoss(learner="tree", max_records=300),
        TreePropensity(permutations=2, max_records=300),
        Propensity(order=1, max_cells=1),
    ):
        before = measure(original, protected)
        assert "drawn with seed" in before[0].note or "300 records" in before[0].note
        after = measure(original.take(moved), protected)
        assert values(before) == pytest.approx(values(after), rel=1e-7, abs=1e-9, nan_ok=True)


def test_figures_stay_in_their_bounds(measure: Measure, hostile: tuple[Table, Table]) -> None:
    """No figure leaves its declared bounds, whatever the tables hold."""
    check_bounds(measure(*hostile))
    check_bounds(measure(hostile[0], hostile[0]))


def test_hostile_tables_against_themselves(measure: Measure, hostile: tuple[Table, Table]) -> None:
    """The known value for equal tables holds (or is undefined) on hostile tables too."""
    for table in hostile:
        for figure in measure(table, table):
            expected = expected_of_equals(figure)
            if expected is not None and not isnan(figure.value):
                assert figure.value == pytest.approx(expected, abs=1e-6), figure.name


def test_no_records_at_all(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Empty tables give undefined figures or a clear refusal, never a fault."""
    empty = mixed(0)
    for pair in ((empty, empty), (mixed(20), empty), (empty, mixed(20))):
        try:
            check_bounds(measure(*pair))
        except DiscreetError:
            assert measure.corresponds or pair[0].n_records == 0


def test_no_columns_to_measure(measure: Measure, mixed: Callable[..., Table]) -> None:
    """A table that holds nothing to analyse gives undefined figures or a clear refusal."""
    bare = mixed(5).select(["person"])
    try:
        figures = measure(bare, bare)
    except DiscreetError:
        return
    assert all(isnan(figure.value) or figure.value == 0 for figure in figures)


def test_asking_changes_nothing(measure: Measure, mixed: Callable[..., Table]) -> None:
    """The tables are what they were, to the last byte."""
    tables = mixed(40, 1, 0.1), mixed(40, 2, 0.1)
    before = [(column.values.copy(), column.absent.copy()) for table in tables for column in table.columns]
    measure(*tables)
    after = [(column.values, column.absent) for table in tables for column in table.columns]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


def test_same_question_same_answer(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Asking twice gives the same figures, to the last bit."""
    tables = mixed(40, 1, 0.1), mixed(40, 2, 0.1)
    once, twice = values(measure(*tables)), values(measure(*tables))
    assert once == pytest.approx(twice, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize("weight", [1.0, 250.0])
def test_equal_weights_are_no_weights(
    measure: Measure, mixed: Callable[..., Table], with_weights: Callable[..., Table], weight: float
) -> None:
    """Weights of one, or of 250, for everybody give the figures without weights."""
    tables = mixed(50, 1, 0.1), mixed(50, 2, 0.1)
    plain = values(measure(*tables))
    heavy = values(measure(*(with_weights(table, weight) for table in tables)))
    assert plain == pytest.approx(heavy, rel=1e-7, abs=1e-9, nan_ok=True)


def test_weights_count(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Unequal weights change some figure: they are not merely carried along."""
    generator = np.random.default_rng(0)
    weights = generator.choice([0.2, 1.0, 5.0], 50).tolist()
    plain = measure(mixed(50, 1), mixed(50, 2))
    heavy = measure(mixed(50, 1, weights=weights), mixed(50, 2, weights=weights[::-1]))
    check_bounds(heavy)
    assert values(plain) != pytest.approx(values(heavy), rel=1e-6, nan_ok=True)


def test_number_of_records(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Tables of different length are compared, or refused where records must correspond."""
    original, protected = mixed(50, 1), mixed(31, 2)
    if measure.corresponds:
        with pytest.raises(DiscreetError, match="equal length"):
            measure(original, protected)
    else:
        check_bounds(measure(original, protected))


def test_figures_are_readable(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Names carry the file's stem, parts name columns of the table or a part, and units are given."""
    original, protected = mixed(50, 1), mixed(50, 2)
    figures = measure(original, protected)
    stem = type(measure).__module__.rsplit(".", 1)[1]
    assert measure.aspect == "utility"
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        assert figure.name.startswith(stem), figure.name
        assert figure.unit
        assert figure.better in ("lower", "higher", "neither")
        known = set(original.names) | {"expected", "sd"}
        labels = {label for part in figure.parts for label in part.of}
        assert all(label in known or label.startswith(("part ", "eigenvalue ")) for label in labels)


def test_no_cell_value_in_notes(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Categories of the data never appear in a note."""
    original, protected = mixed(50, 1, 0.1), mixed(50, 2, 0.1)
    words = {
        word.strip(".,;:()'\"") for figure in measure(original, protected) for word in figure.note.split()
    }
    assert not words & {"f", "m", "low", "mid", "high", "a1", "a2", "b1", "p", "q"}


def test_other_columns_are_refused(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Tables with different columns cannot be compared."""
    table = mixed(10)
    with pytest.raises(DiscreetError, match="same columns"):
        measure(table, table.drop(["age"]))


def test_more_noise_more_loss(numeric: Any) -> None:
    """Every figure of a Gaussian column and its pairs grows from little noise to much."""
    from discreet.utility.bias import AbsoluteBias
    from discreet.utility.cellwise import CellLoss
    from discreet.utility.moments import MomentChange
    from discreet.utility.pil import ProbabilisticLoss

    generator = np.random.default_rng(1)
    x = generator.normal(10, 2, 500)
    y = 2 * x + generator.normal(0, 1, 500)
    noise = generator.normal(size=(2, 500))
    tables = [
        numeric({"x": (x + size * noise[0]).tolist(), "y": (y + 2 * size * noise[1]).tolist()})
        for size in (0.0, 0.2, 3.0)
    ]
    names = (
        "cellwise.il1s",
        "cellwise.sse",
        "moments.variance",
        "bias.abisd",
        "bias.abico",
        "pil.q",
        "pil.m2",
        "pil.r",
    )
    for measure in (AbsoluteBias(), CellLoss(), MomentChange(), ProbabilisticLoss()):
        little, much = (values(measure(tables[0], table)) for table in tables[1:])
        for name in set(names) & set(little):
            assert 0 < little[name] < much[name], name
