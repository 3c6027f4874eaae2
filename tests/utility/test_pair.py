"""What cannot be compared: cells that are infinite or too large, and columns that the release emptied."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isinf
from typing import Any

import numpy as np
import pytest

from discreet.base import Figure, Measure
from discreet.table.table import Table
from discreet.utility.averages import averaged
from discreet.utility.bias import AbsoluteBias
from discreet.utility.crosstables import TableDistance
from discreet.utility.distributions import MarginalDistance
from discreet.utility.eigenvalues import EigenvalueLoss
from discreet.utility.marginality import SubsampleVariation, Variation
from discreet.utility.moments import MomentChange
from discreet.utility.pil import ProbabilisticLoss
from discreet.utility.regression import RegressionChange


def by_name(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


@pytest.mark.parametrize("size", [inf, -inf, 1e200])
def test_cells_that_cannot_be_computed_with_count_as_missing(
    measure: Measure, mixed: Callable[..., Table], size: float
) -> None:
    """A cell that is infinite or beyond 1e75 gives the figures of an empty one, and every note names its column."""
    original, protected = mixed(40, 1), mixed(40, 2)
    cost = protected["cost"]
    absent = np.zeros(40, dtype=np.uint8)
    absent[7] = 1
    emptied = protected.with_columns(cost.with_values(cost.values, absent))
    oversized = protected.with_columns(
        cost.with_values(np.where(np.arange(40) == 7, size, cost.values), cost.absent)
    )
    expected, found = measure(original, emptied), measure(original, oversized)
    assert [figure.value for figure in found] == pytest.approx([f.value for f in expected], nan_ok=True)
    said = "Infinite or beyond 1e+75 in the protected table, counted as missing: cost."
    assert all(said in figure.note for figure in found)
    assert not any("Infinite" in figure.note for figure in expected)


def test_only_measured_columns_are_named(mixed: Callable[..., Table]) -> None:
    """A measure of other columns says nothing of the infinite one."""
    table = mixed(10)
    cost = table["cost"]
    infinite = table.with_columns(cost.with_values(np.full(10, inf), cost.absent))
    assert "Infinite" not in MarginalDistance(columns=("age",))(infinite, table)[-1].note
    assert "in the original, counted as missing: cost" in MarginalDistance()(infinite, table)[0].note


LOST = {
    **dict.fromkeys(("moments.mean", "moments.variance", "moments.covariance", "moments.third_raw"), inf),
    "moments.correlation_worst": 2.0,
    "moments.rank_correlation_worst": 2.0,
    "moments.fourth_central": inf,
    **dict.fromkeys(("bias.abim", "bias.abisd", "bias.abico"), inf),
    "distributions.wasserstein": inf,
    "distributions.kolmogorov": 0.5,
    "distributions.missing": 0.5,
    "eigenvalues.mean": inf,
    "eigenvalues.sum": inf,
    "crosstables.tvd1_worst": 1.0,
    "marginality.mean": inf,
    "marginality.variance": inf,
    "marginality.hcorr": 1.0,
    "marginality.mean_subsamples": inf,
    "marginality.hcorr_subsamples": 1.0,
    "pil.q": 50.0,
    "pil.m1": 50.0,
    "pil.m11": 100.0,
    "pil.r": 100.0,
    "regression.coefficient": inf,
    "regression.shift": inf,
    "regression.overlap": 0.0,
    "regression.lost": 1.0,
}


def test_a_column_lost_whole_counts_as_the_worst(numeric: Callable[..., Table]) -> None:
    """Of two columns one is emptied and the other kept: half lost, or lost without bound, and named everywhere."""
    generator = np.random.default_rng(1)
    values = generator.normal(5.0, 1.0, (60, 2)).tolist()
    original = numeric({"kept": [row[0] for row in values], "gone": [sum(row) for row in values]})
    protected = numeric({"kept": [row[0] for row in values], "gone": [None] * 60})
    measures: tuple[Any, ...] = (
        MomentChange(),
        AbsoluteBias(),
        MarginalDistance(),
        EigenvalueLoss(),
        Variation(),
    )
    measures += (
        SubsampleVariation(samples=3),
        ProbabilisticLoss(),
        RegressionChange(),
        TableDistance(ways=1),
    )
    found = {
        name: figure for measure in measures for name, figure in by_name(measure(original, protected)).items()
    }
    assert {name: found[name].value for name in LOST} == pytest.approx(LOST)
    assert all("Without a value in the protected table: gone." in figure.note for figure in found.values())
    assert "cannot be computed on the protected table: counted as the worst" in found["moments.mean"].note


def test_no_measure_takes_a_lost_column_for_no_loss(measure: Measure, mixed: Callable[..., Table]) -> None:
    """Emptying a column raises some figure of every measure beyond that of equal tables."""
    table = mixed(60)
    lost = table.with_columns(
        *(table[n].with_values(table[n].values, np.ones(60, dtype=np.uint8)) for n in ("age", "sex"))
    )
    same, less = measure(table, table), measure(table, lost)
    assert any(
        isinf(after.value) or abs(after.value - before.value) > 1e-6
        for before, after in zip(same, less, strict=True)
    )


def test_subsamples_without_a_value_are_not_lost(numeric: Callable[..., Table]) -> None:
    """A column with few values is absent from some samples by chance: they are passed over, not counted as lost."""
    sparse = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] + [None] * 54
    table = numeric({"sparse": sparse, "full": [float(v) for v in range(60)]})
    figures = by_name(SubsampleVariation(samples=20, share=0.1)(table, table))
    assert figures["marginality.mean_subsamples"].value == 0.0
    assert 0 < figures["marginality.mean_floor"].value < 10


def test_entries_of_an_average() -> None:
    """Undefined entries are left out, lost ones count as the bound, and both are counted."""
    values = np.array([0.5, np.nan, inf])
    bounded = averaged("a", values, [("x",), ("y",), ("z",)], "index", (0.0, 2.0))
    assert bounded.value == pytest.approx(1.25)
    assert [part.value for part in bounded.parts] == pytest.approx([0.5, np.nan, 2.0], nan_ok=True)
    assert "1 of 3 are not defined" in bounded.note
    assert "1 of 3 cannot be computed" in bounded.note
    assert averaged("a", values, None, "index", (-1.0, 1.0), better="higher").value == pytest.approx(-0.25)
    assert isinf(averaged("a", values, None, "sd", (0.0, inf)).value)
