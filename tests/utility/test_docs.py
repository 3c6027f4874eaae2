"""The utility page: its examples run, its hand-made values are ours, and it names every figure's stem."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from discreet.base import Measure
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.utility.bias import AbsoluteBias
from discreet.utility.cellwise import CellLoss
from discreet.utility.distributions import MarginalDistance
from discreet.utility.marginality import Variation
from discreet.utility.moments import MomentChange
from discreet.utility.pil import ProbabilisticLoss
from discreet.utility.propensity import Propensity

PAGE = Path(__file__).resolve().parents[2] / "docs" / "utility.md"


def test_examples_run() -> None:
    """Every console line of the page gives what it shows."""
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


def test_values_worked_by_hand() -> None:
    """The table of the page, each value from the measure it names."""
    columns = {
        "age": Variable(name="age", kind="numeric"),
        "sex": Variable(name="sex", kind="nominal", levels=("f", "m")),
    }
    original = Table.build({"age": [20, 30, 40, 50], "sex": list("ffmm")}, columns)
    protected = Table.build({"age": [25, 25, 45, 45], "sex": list("fffm")}, columns)
    age, sex = ("age",), ("sex",)
    measures = (
        *(AbsoluteBias(), CellLoss(), MarginalDistance(), MomentChange(), ProbabilisticLoss(columns=age)),
        *(Propensity(order=1, columns=sex), Variation(columns=sex)),
    )
    found = {f.name: f.value for measure in measures for f in measure(original, protected)}
    expected = {
        "moments.mean": 0,
        "bias.abim": 0,
        "moments.variance": 20,
        "bias.abisd": 10.56,
        "cellwise.il1s": 0.2739,
        "cellwise.sse": 20,
        "distributions.kolmogorov": 0.25,
        "distributions.wasserstein": 0.4472,
        "pil.m2": 38.29,
        "distributions.mae": 0.25,
        "distributions.total_variation": 0.25,
        "propensity.pmse": 0.01667,
        "propensity.ratio": 1.067,
        "marginality.mean": 0.5,
        "marginality.variance": 0.25,
    }
    page = PAGE.read_text(encoding="utf-8")
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-3, abs=1e-9), name
        assert f"`{name}`" in page or f"`.{name.split('.')[1]}`" in page, name


def test_page_names_every_measure(measure: Measure) -> None:
    """No measure is left out of the page."""
    assert f"**`{type(measure).__name__}`**" in PAGE.read_text(encoding="utf-8")
