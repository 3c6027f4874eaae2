"""Probabilistic information loss by the definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

from discreet.errors import ParameterError
from discreet.table.table import Table
from discreet.utility.columns import Numbers
from discreet.utility.pil import ProbabilisticLoss, loss, probabilistic_losses, subdomain_losses


def textbook_correlation_variance(x: np.ndarray, y: np.ndarray) -> float:
    """The six-moment formula of the delta method."""
    u, v = x - x.mean(), y - y.mean()

    def mu(a: int, b: int) -> float:
        return float((u**a * v**b).mean())

    r2 = mu(1, 1) ** 2 / (mu(2, 0) * mu(0, 2))
    inner = (
        mu(2, 2) / mu(1, 1) ** 2
        + (mu(4, 0) / mu(2, 0) ** 2 + mu(0, 4) / mu(0, 2) ** 2 + 2 * mu(2, 2) / (mu(2, 0) * mu(0, 2))) / 4
        - (mu(3, 1) / (mu(1, 1) * mu(2, 0)) + mu(1, 3) / (mu(1, 1) * mu(0, 2)))
    )
    return r2 / len(x) * inner


def test_every_statistic_by_its_formula() -> None:
    """Mean, variance, covariance, correlation and median of a small table, each written out."""
    generator = np.random.default_rng(1)
    before = generator.gamma(2.0, size=(40, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
    after = before + generator.normal(0, 0.3, before.shape)
    found = probabilistic_losses(Numbers.of(before), Numbers.of(after))
    x, y = before.T
    u, v = x - x.mean(), y - y.mean()
    spread = np.array([(u**2).mean() / 40, ((u**4).mean() - (u**2).mean() ** 2) / 40])
    shift = np.array([after[:, 0].mean() - x.mean(), after[:, 0].var() - x.var()])
    assert [found.m1[0], found.m2[0]] == pytest.approx(erf(np.abs(shift) / np.sqrt(2 * spread)))
    covariance = ((u**2 * v**2).mean() - (u * v).mean() ** 2) / 40
    moved = np.cov(after.T, ddof=0)[0, 1] - (u * v).mean()
    assert found.m11[0] == pytest.approx(erf(abs(moved) / np.sqrt(2 * covariance)))
    moved = np.corrcoef(after.T)[0, 1] - np.corrcoef(before.T)[0, 1]
    assert found.r[0] == pytest.approx(erf(abs(moved) / np.sqrt(2 * textbook_correlation_variance(x, y))))
    moved = np.median(after[:, 1]) - np.median(y)
    spread_of_median = 0.25 / 40 * (y.max() - y.min()) ** 2
    assert found.quantiles[1, 9] == pytest.approx(erf(abs(moved) / np.sqrt(2 * spread_of_median)))


def test_undefined_statistics() -> None:
    """nan where the original has none; certain loss where only the protected table has none."""
    assert np.isnan(loss(1.0, np.nan, 1.0))
    assert loss(np.nan, 1.0, 1.0) == 1.0
    varying, constant = (
        np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 4.0]]),
        np.array([[3.0, 2.0], [3.0, 1.0], [3.0, 4.0]]),
    )
    assert np.isnan(probabilistic_losses(Numbers.of(constant), Numbers.of(varying)).r[0])
    assert probabilistic_losses(Numbers.of(varying), Numbers.of(constant)).r[0] == 1.0


def test_missing_cells_use_what_is_there() -> None:
    """Columns use their present cells, pairs the records that have both."""
    values = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 7.0], [np.nan, 9.0]])
    full = Numbers.of(values)
    same = probabilistic_losses(full, full)
    assert np.nansum(same.m1) + np.nansum(same.m11) + np.nansum(same.quantiles) == 0.0
    pairs = Numbers.of(values[[0, 2]])
    other = Numbers.of(values[[0, 2]] * [1.0, 1.1])
    gap = Numbers.of(np.where(np.isnan(values), np.nan, values * [1.0, 1.1]))
    assert probabilistic_losses(full, gap).m11 == pytest.approx(probabilistic_losses(pairs, other).m11)


def test_parts_are_measured_apart() -> None:
    """Each part equals the measure on its records alone; a part that vanished is lost whole."""
    generator = np.random.default_rng(2)
    before, after = generator.normal(size=(30, 2)), generator.normal(size=(20, 2))
    labels, new_labels = np.repeat([0, 1, 2], 10), np.repeat([0, 2], 10)
    found = list(subdomain_losses(Numbers.of(before), Numbers.of(after), labels, new_labels))
    assert [(label, size) for label, size, _ in found] == [(0, 10), (1, 10), (2, 10)]
    alone = probabilistic_losses(Numbers.of(before[:10]), Numbers.of(after[:10]))
    np.testing.assert_array_equal(found[0][2].m2, alone.m2)
    assert set(found[1][2].percentages().values()) == {100.0}


def test_measure_by_a_column(mixed: Callable[..., Table]) -> None:
    """The average over parts and the worst part are figures; parts carry numbers, not categories."""
    original, protected = mixed(60, 1), mixed(60, 2)
    figures = {figure.name: figure for figure in ProbabilisticLoss(by=("sex",))(original, protected)}
    parts = [part.value for part in figures["pil.m1"].parts]
    assert len(parts) == 2
    assert figures["pil.m1"].value == pytest.approx(np.mean(parts))
    assert figures["pil.m1_worst"].value == max(parts)
    assert "doubtful" in figures["pil.m1"].note
    assert {part.of for part in figures["pil.m1"].parts} == {("part 1",), ("part 2",)}


@pytest.mark.parametrize("bad", [{"density": "flat"}])
def test_bad_parameters(bad: dict[str, Any]) -> None:
    """An unknown density is refused before any data."""
    with pytest.raises(ParameterError, match="density"):
        ProbabilisticLoss(**bad)


def test_parts_need_categories(mixed: Callable[..., Table]) -> None:
    """A numeric column makes no parts."""
    with pytest.raises(ParameterError, match="not categorical: age"):
        ProbabilisticLoss(by=("age",))(mixed(10), mixed(10))
