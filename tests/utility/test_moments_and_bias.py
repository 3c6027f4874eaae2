"""Moments of order two to four against the naive loops; ABIM, ABISD, ABICO by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from discreet.utility.bias import AbsoluteBias
from discreet.utility.columns import Numbers
from discreet.utility.moments import (
    MomentChange,
    covariances,
    higher_moments,
    index_tuples,
    rank_correlations,
    shifts,
)


def numbers(seed: int, gaps: bool, heavy: bool, n_records: int = 25) -> Numbers:
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n_records, 3)) + 1.0
    missing = generator.random(values.shape) < 0.2 if gaps else None
    return Numbers.of(values, missing, generator.random(n_records) + 0.1 if heavy else None)


@pytest.mark.parametrize("order", [3, 4])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("heavy", [False, True])
def test_all_products_at_once(order: int, gaps: bool, heavy: bool) -> None:
    """Gram matrices of pair products give each moment that a loop over its columns gives."""
    table = numbers(1, gaps, heavy)
    centres, spans = np.array([0.5, 1.0, -1.0]), np.array([1.0, 2.0, 0.5])
    weights = np.ones(25) if table.weights is None else table.weights
    expected = []
    for index in index_tuples(3, order):
        rows = ~table.missing[:, list(index)].any(axis=1)
        product = np.prod([(table.values[rows, j] - centres[j]) / spans[j] for j in index], axis=0)
        expected.append(np.average(product, weights=weights[rows]))
    np.testing.assert_allclose(higher_moments(table, order, centres, spans), expected, rtol=1e-10)


def test_blocks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block size changes nothing but rounding."""
    table = numbers(2, True, True)
    whole = higher_moments(table, 4, np.zeros(3), np.ones(3))
    monkeypatch.setattr("discreet.utility.moments.BLOCK", 7)
    np.testing.assert_allclose(higher_moments(table, 4, np.zeros(3), np.ones(3)), whole, rtol=1e-12)


@pytest.mark.parametrize("gaps", [False, True])
def test_covariances_use_common_records(gaps: bool) -> None:
    """Pairs use the records that have both columns."""
    table = numbers(3, gaps, False)
    rows = ~table.missing[:, [0, 2]].any(axis=1)
    expected = np.cov(table.values[rows][:, [0, 2]].T, ddof=0)[0, 1]
    assert covariances(table).matrix[0, 2] == pytest.approx(expected)
    first = np.argsort(np.argsort(table.values[rows, 0]))
    second = np.argsort(np.argsort(table.values[rows, 2]))
    assert rank_correlations(table)[1] == pytest.approx(np.corrcoef(first, second)[0, 1])


def test_shifts_by_hand() -> None:
    """x doubled: mean one and a half sds on, variance four times, covariance doubled, correlations kept."""
    before = np.array([[1.0, 0.0], [3.0, 1.0], [2.0, 1.0], [2.0, 0.0]])
    after = before * [2.0, 1.0]
    moved = shifts(Numbers.of(before), Numbers.of(after))
    sd = np.sqrt(0.5)
    assert moved.means == pytest.approx([2.0 / sd, 0.0])
    assert moved.variances == pytest.approx([300.0, 0.0])
    assert moved.covariances == pytest.approx([0.25 / (sd * 0.5)])
    assert moved.correlations == pytest.approx([0.0])


def test_fourth_moments_of_many_columns_are_left_out(numeric: Any) -> None:
    """Beyond 40 columns the figure is undefined and says what to do."""
    cells = {f"c{j}": [float(j), 1.0, 2.0 + j] for j in range(41)}
    figures = {figure.name: figure for figure in MomentChange()(numeric(cells), numeric(cells))}
    assert np.isnan(figures["moments.fourth_raw"].value)
    assert "name some" in figures["moments.fourth_raw"].note
    assert figures["moments.third_raw"].value == 0.0


def test_absolute_biases_by_hand(numeric: Any) -> None:
    """Means 2 -> 3 (50 %), sds halved (50 %), a mean of zero left out of ABIM."""
    before = numeric({"x": [1.0, 3.0, 1.0, 3.0], "y": [-2.0, 2.0, 2.0, -2.0]})
    after = numeric({"x": [2.5, 3.5, 2.5, 3.5], "y": [-1.0, 1.0, 1.0, -1.0]})
    figures = {figure.name: figure for figure in AbsoluteBias()(before, after)}
    assert figures["bias.abim"].value == pytest.approx(50.0)
    assert "1 of 2 are not defined" in figures["bias.abim"].note
    assert figures["bias.abisd"].value == pytest.approx(50.0)
    # x and y do not correlate: r = 0 exactly, so the pair is left out of ABICO but not of the plain change
    assert np.isnan(figures["bias.abico"].value)
    assert figures["bias.correlation"].value == 0.0
    assert figures["bias.abico_dropped"].value == 1.0
