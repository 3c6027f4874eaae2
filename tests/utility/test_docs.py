"""The utility page: its examples run, its hand-made values are ours, and it names every figure's stem."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

from discreet.base import Measure
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.utility.bias import AbsoluteBias
from discreet.utility.cellwise import CellLoss
from discreet.utility.crosstables import ConditionalDistance, TableDistance
from discreet.utility.distributions import MarginalDistance
from discreet.utility.eigenvalues import EigenvalueLoss
from discreet.utility.marginality import SubsampleVariation, Variation
from discreet.utility.moments import MomentChange
from discreet.utility.pil import ProbabilisticLoss
from discreet.utility.propensity import Propensity
from discreet.utility.propensity_trees import TreePropensity
from discreet.utility.regression import RegressionChange

PAGE = Path(__file__).resolve().parents[2] / "docs" / "utility.md"


def test_examples_run() -> None:
    """Every console line of the page gives what it shows."""
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


SEX, WARD = ("sex",), ("sex", "ward")
WHOLE = SubsampleVariation(samples=2, share=1.0, columns=WARD)
SECTIONS: dict[str, tuple[Measure, ...]] = {
    "One number, one category": (
        *(AbsoluteBias(), CellLoss(), MarginalDistance(), MomentChange(orders=()), ProbabilisticLoss()),
        *(Propensity(order=1, columns=SEX), TreePropensity(least_leaf=1, permutations=0, columns=SEX)),
    ),
    "Two numbers": (
        *(MomentChange(orders=()), AbsoluteBias(), ProbabilisticLoss(), EigenvalueLoss(), RegressionChange()),
    ),
    "Moments of order three and four, one number": (MomentChange(),),
    "Moments of different columns": (MomentChange(),),
    "Order of categories": (MarginalDistance(),),
    "Tables of two and three columns": (
        *(ConditionalDistance(columns=WARD), TableDistance(), Variation(columns=WARD), WHOLE),
    ),
}
DATA = re.compile(r"^    (original|protected) {2,}(.+)$", re.MULTILINE)
ROW = re.compile(r"^\| (`.+?) \| (?:.+) \| (\S+)(?: \S+)? \|$", re.MULTILINE)


def section(heading: str) -> str:
    """The text under a heading of the third level."""
    text = PAGE.read_text(encoding="utf-8")
    return text.split(f"### {heading}\n")[1].split("\n##")[0]


def tables(text: str) -> list[Table]:
    """The two tables that a section shows: columns two blanks apart, a name and then values."""
    found = []
    for _, line in DATA.findall(text):
        cells: dict[str, list[Any]] = {}
        for name, *shown in (column.split() for column in re.split(r" {2,}", line)):
            cells[name] = [float(v) for v in shown] if shown[0].isdigit() else shown
        variables = {
            name: Variable(
                name=name,
                kind="numeric" if isinstance(column[0], float) else "nominal",
                levels=None if isinstance(column[0], float) else tuple(sorted(set(column))),
            )
            for name, column in cells.items()
        }
        found.append(Table.build(cells, variables))
    return found


@pytest.mark.parametrize("heading", SECTIONS)
def test_values_worked_by_hand(heading: str) -> None:
    """Every row of a worked table is what its measures find, to the last digit shown, on the data shown."""
    text = section(heading)
    original, protected = tables(text)
    found = {f.name: f.value for measure in SECTIONS[heading] for f in measure(original, protected)}
    rows = ROW.findall(text)
    assert len(rows) == sum(line.startswith("| `") for line in text.splitlines())
    for names, shown in rows:
        digits = len(shown.partition(".")[2])
        for name in re.findall(r"`([^`]+)`", names):
            assert found[name] == pytest.approx(float(shown), abs=0.5001 * 10**-digits, rel=0), name


def test_every_measure_is_worked(measure: Measure) -> None:
    """Each measure has a figure in a worked table; learning has its lines of Python."""
    stem = type(measure).__module__.rsplit(".", 1)[1]
    worked = PAGE.read_text(encoding="utf-8").split("## Worked by hand")[1].split("## Every measure")[0]
    assert f"`{stem}." in worked or f"\n    {stem}." in worked


def test_page_names_every_measure(measure: Measure) -> None:
    """No measure is left out of the page."""
    assert f"**`{type(measure).__name__}`**" in PAGE.read_text(encoding="utf-8")
