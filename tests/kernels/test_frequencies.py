"""Numbering of keys and counting of agreements against plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.kernels.frequencies import best_agreements, count_agreements, label_keys


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**62)), max_size=60))
def test_labels_number_keys_by_first_appearance(keys):
    """Labels equal those of a dictionary filled in order, also for huge keys."""
    seen: dict[int, int] = {}
    expected = [seen.setdefault(key, len(seen)) for key in keys]
    labels, n_labels = label_keys(np.array(keys, dtype=np.int64))
    assert labels.tolist() == expected
    assert n_labels == len(seen)


def test_labels_of_many_keys_that_hash_alike():
    """Keys in arithmetic progression with a large step stay apart."""
    keys = np.arange(20_000, dtype=np.int64) << 32
    labels, n_labels = label_keys(np.concatenate([keys, keys]))
    assert n_labels == 20_000
    assert (labels == np.tile(np.arange(20_000), 2)).all()


def naive_pattern(mine, theirs, tolerance):
    """Bits of the columns on which two records agree."""
    pairs = enumerate(zip(mine, theirs, tolerance, strict=True))
    return sum(1 << j for j, (x, y, slack) in pairs if abs(x - y) <= slack)


def test_agreements_equal_the_naive_count():
    """Pattern counts, best weights, ties and own weights of random records with gaps."""
    rng = np.random.default_rng(5)
    mine = rng.integers(0, 3, (12, 3)).astype(float)
    theirs = rng.integers(0, 3, (9, 3)).astype(float)
    mine[2, 1] = theirs[4, 1] = np.nan
    tolerance = np.array([0.0, 0.0, 1.0])
    patterns = [[naive_pattern(x, y, tolerance) for y in theirs] for x in mine]
    counts = np.bincount(np.ravel(patterns), minlength=8)
    assert count_agreements(mine, theirs, tolerance).tolist() == counts.tolist()
    weight = rng.normal(size=8)
    own = rng.integers(0, 9, 12)
    found = best_agreements(mine, theirs, tolerance, weight, own)
    for i, row in enumerate(patterns):
        weights = weight[row]
        assert found[i, 0] == weights.max()
        assert found[i, 1] == np.sum(weights == weights.max())
        assert found[i, 2] == weights[own[i]]


def test_missing_agrees_with_nothing():
    """NaN agrees with no number, nor with NaN, at any tolerance."""
    gap = np.array([[np.nan]])
    assert count_agreements(gap, np.array([[1.0], [np.nan]]), np.array([1e9])).tolist() == [2, 0]


@pytest.mark.parametrize("n", [0, 1])
def test_labels_of_nothing_and_of_one(n):
    """No keys give no labels, one key one."""
    labels, n_labels = label_keys(np.zeros(n, dtype=np.int64))
    assert (len(labels), n_labels) == (n, n)
