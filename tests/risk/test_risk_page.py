"""The page on risk says what the measures answer: every figure is documented, every worked number is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

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

PAGE = (Path(__file__).parents[2] / "docs" / "risk.md").read_text(encoding="utf-8")
VARIABLES = {
    "home": Variable(name="home", kind="nominal", role="cluster", levels=("1", "2", "3")),
    "town": Variable(name="town", kind="nominal", role="quasi", levels=("A", "B", "C")),
    "age": Variable(name="age", kind="numeric", role="quasi"),
    "illness": Variable(name="illness", kind="nominal", role="confidential", levels=("flu", "gout", "hiv")),
    "charge": Variable(name="charge", kind="numeric", role="confidential"),
    "weight": Variable(name="weight", kind="numeric", role="weight"),
}


def rows_after(header):
    """Cells of the table of the page whose header starts so."""
    lines = PAGE[PAGE.index(f"| {header} |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def worked(name):
    """One of the page's worked tables."""
    columns = zip(*[row[1:] for row in rows_after(name)], strict=True)
    cells = {}
    for variable, column in zip(VARIABLES.values(), columns, strict=True):
        cells[variable.name] = (
            [float(cell) for cell in column] if variable.kind == "numeric" else list(column)
        )
    return Table.build(cells, VARIABLES)


def documented():
    """Rows of all tables of figures: name -> (unit, better, range, worked value)."""
    lines = [line for line in PAGE.splitlines() if line.startswith("| `") and line.count("|") == 7]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): tuple(row[2:]) for row in rows}


@pytest.fixture(scope="module")
def measured():
    """Every figure of the worked tables."""
    original, protected, control = worked("original"), worked("protected"), worked("control")
    measures = [
        *(DistanceLinkage(), PrefixLinkage(), SubsetLinkage(), ProbabilisticLinkage()),
        *(RankInterval(), SdInterval(), IntervalShare(), GroupSizes(), Diversity(), Closeness(), ClassMix()),
        *(IndividualRisk(sampling_fraction=0.1), HouseholdRisk(), SpecialUniqueness()),
        *(
            Copies(control=control),
            ClosestRecord(control=control),
            AttributeDisclosure(),
            CorrectAttribution(),
        ),
        *(Linkability(control=control), Inference(control=control)),
        *(SinglingOut(control=control, attacks=20), Membership(control=control)),
    ]
    return {figure.name: figure for measure in measures for figure in measure(original, protected)}


def test_every_figure_is_on_the_page_and_no_other(measured):
    """A figure without a line, or a line without a figure, is a fault of the page."""
    assert set(documented()) == set(measured)


@pytest.mark.parametrize("name", sorted(documented()))
def test_line_of_the_page(measured, name):
    """Unit, direction, range and worked number are what the figure says."""
    unit, better, reach, value = documented()[name]
    figure = measured[name]
    assert (figure.unit, figure.better) == (unit, better)
    words = {"n": "6", "∞": "inf", "−∞": "-inf", "−100": "-100"}
    ends = [words.get(end.strip(), end) for end in reach.split(",")]
    assert figure.bounds == tuple(float(end) for end in ends)
    if value:
        assert figure.value == pytest.approx(float(value), abs=6e-5)
