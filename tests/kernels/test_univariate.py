"""Optimal univariate microaggregation against all partitions."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.kernels.univariate import optimal_univariate

naive = SimpleNamespace(**runpy.run_path(str(Path(__file__).resolve().parents[1] / "reference_mdav.py")))


def loss(values, labels, weights=None):
    """Weighted squares within the groups of `labels`."""
    return naive.within_squares(values, [np.flatnonzero(labels == g) for g in np.unique(labels)], weights)


def test_by_hand():
    """Two tight runs of 3 and 4, whatever the order of the records."""
    values = np.array([11.0, 1.0, 2.0, 10.0, 3.0, 12.0, 13.0])
    assert optimal_univariate(values, 3).tolist() == [1, 0, 0, 1, 0, 1, 1]


def test_beats_fixed_size():
    """Runs of k from either end would cut the cluster of 4; the optimum does not."""
    values = np.array([0.0, 0.1, 0.2, 0.3, 9.0, 9.1])
    assert optimal_univariate(values, 2).tolist() in ([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1])
    assert loss(values, optimal_univariate(values, 2)) == pytest.approx(0.015)


@settings(max_examples=40, deadline=None)
@given(values=st.lists(st.integers(0, 30), min_size=1, max_size=9), k=st.integers(2, 4))
def test_best_of_all_partitions(values, k):
    """No partition into groups of at least k, contiguous or not, loses less; sizes stay below 2k."""
    column = np.array(values, dtype=float)
    labels = optimal_univariate(column, k)
    rivals = [
        naive.within_squares(column, groups) for groups in naive.set_partitions(list(range(len(values))), k)
    ]
    assert loss(column, labels) == pytest.approx(min(rivals, default=loss(column, 0 * labels)), abs=1e-9)
    if len(values) >= 2 * k:
        assert np.bincount(labels).min() >= k
        assert np.bincount(labels).max() < 2 * k


@settings(max_examples=80, deadline=None)
@given(
    records=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)), min_size=1, max_size=10),
    k=st.integers(1, 4),
)
def test_best_of_all_weighted_runs(records, k):
    """With weights (zeros too) no cutting of the sorted values loses less."""
    values, weights = (np.array(part, dtype=float) for part in zip(*records, strict=True))
    order = np.argsort(values, kind="stable").tolist()
    safe = weights + 1e-12  # a group of weight zero has no mean, and no loss
    rivals = [naive.within_squares(values, groups, safe) for groups in naive.contiguous_partitions(order, k)]
    labels = optimal_univariate(values, k, weights)
    assert loss(values, labels, safe) == pytest.approx(
        min(rivals, default=loss(values, 0 * labels, safe)), abs=1e-6
    )


def test_large_mean():
    """An offset of 1e9 changes no cut: losses are not differences of large sums."""
    values = np.random.default_rng(1).integers(0, 1000, size=500).astype(float)
    np.testing.assert_array_equal(optimal_univariate(values, 4), optimal_univariate(values + 1e9, 4))


def test_weights_move_the_cut():
    """A heavy record in the middle goes to the side that its weight makes cheaper."""
    values = np.array([0.0, 1.0, 2.1, 3.0, 4.0])
    assert optimal_univariate(values, 2).tolist() == [0, 0, 1, 1, 1]
    assert optimal_univariate(values, 2, np.array([9.0, 1.0, 1.0, 1.0, 9.0])).tolist() != [0, 0, 0, 0, 1]
    heavy = optimal_univariate(values, 2, np.array([1.0, 50.0, 50.0, 1.0, 50.0]))
    assert heavy.tolist() == [0, 0, 0, 1, 1]


def test_fewer_than_2k_and_k_one():
    """One group below 2k records; with k = 1 every distinct value is without loss."""
    assert optimal_univariate(np.arange(5.0), 3).tolist() == [0] * 5
    assert loss(np.arange(5.0), optimal_univariate(np.arange(5.0), 1)) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (np.array([1.0, np.nan]), 2),
        (np.empty(0), 2),
        (np.zeros((2, 2)), 2),
        (np.zeros(4), 0),
        (np.zeros(4), 2, np.ones(3)),
        (np.zeros(4), 2, np.array([1.0, 1.0, -1.0, 1.0])),
    ],
)
def test_refuses(arguments):
    """Missing values, no records, tables, k below 1, weights of wrong length or sign."""
    with pytest.raises(ParameterError):
        optimal_univariate(*arguments)
