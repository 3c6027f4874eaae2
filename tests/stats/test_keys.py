"""Groups of equal keys and frequencies, with gaps as categories and as wildcards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.stats.keys import Key, count_frequencies, first_rows, group_codes, group_records

CELLS = st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * 3), min_size=1, max_size=12)


def keys_from(rows):
    """Key columns of rows of cells, None for missing."""
    return [
        Key.of(
            np.array([0 if cell is None else cell for cell in column]), np.array([c is None for c in column])
        )
        for column in zip(*rows, strict=True)
    ]


@given(CELLS)
def test_groups_are_the_classes_of_equal_rows(rows):
    """Two records share a group exactly when their rows are equal, gaps included."""
    groups = group_records(keys_from(rows), len(rows))
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            assert (groups.labels[i] == groups.labels[j]) == (one == other)
    assert groups.record_sizes.tolist() == [rows.count(row) for row in rows]
    assert first_rows(groups).tolist() == sorted({rows.index(row) for row in rows})


@settings(deadline=None)
@given(CELLS, st.sampled_from([0.0, 0.3, 1.0]))
def test_wildcards_equal_all_pairs(rows, alpha):
    """f_k and F_k by patterns equal the comparison of all pairs of records."""
    weights = np.arange(1.0, len(rows) + 1)
    found = count_frequencies(keys_from(rows), len(rows), weights, missing="wildcard", alpha=alpha)
    for i, mine in enumerate(rows):
        sample = population = 0.0
        for j, other in enumerate(rows):
            pairs = list(zip(mine, other, strict=True))
            if any(x is not None and y is not None and x != y for x, y in pairs):
                continue
            share = alpha if any(x is not None and y is None for x, y in pairs) else 1.0
            sample += share
            population += share * weights[j]
        assert found.sample[i] == pytest.approx(sample)
        assert found.population[i] == pytest.approx(population)


def test_value_under_a_gap_counts_for_nothing():
    """What stands in the array where a value is missing does not split a group."""
    key = Key.of(np.array([5.0, 7.0, 1.0]), np.array([True, True, False]))
    assert group_records([key], 3).sizes.tolist() == [2, 1]


def test_permuting_records_permutes_their_frequencies():
    """The order of records is carried along and changes nothing else."""
    rng = np.random.default_rng(0)
    columns, gaps = rng.integers(0, 3, (3, 50)), rng.random((3, 50)) < 0.1
    order = rng.permutation(50)
    for missing in ("category", "wildcard"):
        keys = [Key.of(column, gap) for column, gap in zip(columns, gaps, strict=True)]
        before = count_frequencies(keys, 50, missing=missing).sample
        after = count_frequencies([key.take(order) for key in keys], 50, missing=missing).sample
        assert (after == before[order]).all()


def test_minus_zero_is_zero_and_no_columns_is_one_group():
    """-0.0 equals 0.0; a key of no columns puts everybody in one group; no records make no group."""
    assert Key.of(np.array([0.0, -0.0])).codes.tolist() == [0, 0]
    assert group_codes([], 4).sizes.tolist() == [4]
    assert group_codes([], 0).n_groups == 0


def test_bad_parameters_are_refused():
    """An unknown rule for gaps, or alpha outside 0 .. 1."""
    with pytest.raises(ParameterError, match="missing must be"):
        count_frequencies([], 1, missing="ignore")
    with pytest.raises(ParameterError, match="alpha"):
        count_frequencies([], 1, missing="wildcard", alpha=2.0)
