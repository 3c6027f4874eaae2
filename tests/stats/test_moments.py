"""Moments by blocks and by two passes: right, exact for constants, and the same bits however the file is cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import (
    BLOCK_ROWS,
    block_moments,
    check_weights,
    in_blocks,
    measure_moments,
    merge_in_order,
    moment_errors,
)


def _same(left, right):
    return (
        left.n_records == right.n_records
        and left.weight == right.weight
        and (left.mean == right.mean).all()
        and (left.scatter == right.scatter).all()
    )


def test_four_records_by_hand():
    """Mean 3, 2; variances 5, 2; covariance 1."""
    moments = measure_moments(np.array([[0.0, 2.0], [2.0, 0.0], [4.0, 4.0], [6.0, 2.0]]))
    assert moments.mean.tolist() == [3.0, 2.0]
    assert moments.covariance.tolist() == [[5.0, 1.0], [1.0, 2.0]]
    assert moments.deviations.tolist() == [np.sqrt(5.0), np.sqrt(2.0)]


def test_whole_weights_repeat_records():
    """Weight 3 is the record three times, weight 0 the record left out."""
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=(30, 4)), rng.integers(0, 4, 30).astype(float)
    weighted = measure_moments(values, weights)
    repeated = measure_moments(np.repeat(values, weights.astype(int), axis=0))
    np.testing.assert_allclose(weighted.mean, repeated.mean, rtol=1e-13)
    np.testing.assert_allclose(weighted.covariance, repeated.covariance, rtol=1e-12, atol=1e-14)
    assert weighted.n_records == np.count_nonzero(weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_column_is_exact_across_blocks(weighted):
    """A value with no short binary form comes back to the bit, with scatter 0, from two blocks."""
    rng = np.random.default_rng(1)
    values = np.column_stack([np.full(BLOCK_ROWS + 999, 0.1), rng.normal(size=BLOCK_ROWS + 999)])
    weights = rng.uniform(size=len(values)) if weighted else None
    moments = measure_moments(values, weights)
    assert moments.mean[0] == 0.1
    assert (moments.scatter[0] == 0.0).all()
    assert moments.constant.tolist() == [True, False]


def test_a_mean_far_away_costs_no_accuracy():
    """Mean 1e7 deviations: sums of raw squares would lose all digits of the variance."""
    rng = np.random.default_rng(2)
    centred = rng.integers(-1000, 1000, (20_000, 2)).astype(float)
    near, far = measure_moments(centred), measure_moments(centred + 1e10)
    np.testing.assert_allclose(far.scatter, near.scatter, rtol=1e-12)


def test_sorted_records_cost_no_accuracy():
    """Strips of a sorted column are far from its mean; the origin of the first one is still good enough."""
    column = np.sort(np.random.default_rng(3).lognormal(sigma=3.0, size=BLOCK_ROWS))[:, None]
    exact = np.var(column.astype(np.longdouble))
    assert measure_moments(column).covariance[0, 0] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("piece", [1_000, 65_536, 70_001, 200_000])
def test_same_bits_however_the_stream_is_cut(piece):
    """Pieces of any size are cut anew into blocks by record number."""
    values = np.random.default_rng(4).normal(size=(200_000, 2)) + 3.0
    stream = ((values[start : start + piece],) for start in range(0, len(values), piece))
    streamed = merge_in_order(block_moments(*block) for block in in_blocks(stream))
    assert _same(streamed, measure_moments(values))


def test_same_bits_with_one_thread_or_two():
    """The matrix library's threads do not show in the result."""
    threads = pytest.importorskip("threadpoolctl")
    values = np.random.default_rng(5).normal(size=(100_000, 12))
    with threads.threadpool_limits(1):
        alone = measure_moments(values)
    with threads.threadpool_limits(2):
        assert _same(alone, measure_moments(values))


@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_merging_is_measuring_together(sizes, seed):
    """Any number of summaries merge to the summary of all their records."""
    values = np.random.default_rng(seed).normal(size=(sum(sizes), 3))
    pieces = np.split(values, np.cumsum(sizes)[:-1])
    merged, whole = merge_in_order(block_moments(piece) for piece in pieces), measure_moments(values)
    np.testing.assert_allclose(merged.mean, whole.mean, atol=1e-14)
    np.testing.assert_allclose(merged.scatter, whole.scatter, atol=1e-12)


def test_blocks_without_weight_change_nothing():
    """Merging with a block whose weights are all 0 gives the other block, to the bit."""
    block = block_moments(np.array([[0.1], [0.2]]), np.ones(2))
    empty = block_moments(np.array([[9.0], [7.0]]), np.zeros(2))
    assert _same(block.merge(empty), block)
    assert _same(empty.merge(block), block)


def test_selection_keeps_the_order_asked_for():
    """Columns 2 and 0 of the moments are the moments of columns 2 and 0."""
    values = np.random.default_rng(6).normal(size=(20, 3))
    picked, direct = measure_moments(values).select([2, 0]), measure_moments(values[:, [2, 0]].copy())
    np.testing.assert_allclose(picked.scatter, direct.scatter, rtol=1e-13)


def test_errors_are_found_and_measured_in_deviations():
    """A shift of half a deviation and a variance 21 % larger are reported as 0.5 and 0.21."""
    rng = np.random.default_rng(7)
    before = rng.normal(size=(500, 2)) * [1.0, 1e6]
    after = before.copy()
    after[:, 1] += 0.5 * before[:, 1].std()
    errors = moment_errors(before, after)
    assert errors.mean == pytest.approx(0.5)
    assert errors.covariance < 1e-12
    stretched = before.mean(axis=0) + (before - before.mean(axis=0)) * [1.1, 1.0]
    errors = moment_errors(before, stretched)
    assert errors.mean < 1e-12
    assert errors.covariance == pytest.approx(0.21)
    assert errors.largest == errors.covariance


def test_errors_agree_with_long_double():
    """The two-pass check is itself good to some eps on skewed data."""
    rng = np.random.default_rng(8)
    before = rng.lognormal(sigma=2.0, size=(30_000, 3))
    after = before[rng.permutation(len(before))] * (1.0 + 1e-13)
    wide, other = before.astype(np.longdouble), after.astype(np.longdouble)
    units = wide.std(axis=0)
    exact = (np.abs(wide.mean(axis=0) - other.mean(axis=0)) / units).max()
    assert moment_errors(before, after).mean == pytest.approx(float(exact), abs=3e-15)


def test_errors_of_constant_columns_have_their_own_unit():
    """A constant is measured in its absolute value, or in 1 if it is 0."""
    before, after = np.tile([5.0, 0.0], (4, 1)), np.tile([5.5, 0.0], (4, 1))
    assert moment_errors(before, after).mean == pytest.approx(0.1)
    assert moment_errors(before, before).largest == 0.0


def test_weighted_errors_ignore_records_without_weight():
    """A change in a record of weight 0 is no error; in another one it is."""
    before = np.array([[1.0], [2.0], [4.0]])
    after = np.array([[1.0], [2.0], [9.0]])
    assert moment_errors(before, after, np.array([1.0, 1.0, 0.0])).largest == 0.0
    assert moment_errors(before, after, np.array([1.0, 1.0, 1.0])).mean > 1.0


def test_a_column_constant_among_weighted_records_is_constant():
    """What a record of weight 0 holds does not make its column vary, nor leave rounding that looks like variation."""
    values = np.array([[1.0, 5.0], [0.0, 2.0], [0.0, 3.0], [0.0, 7.0]])
    weights = np.array([0.0, 2.0, 3.0, 2.0])
    assert moment_errors(values, values, weights).largest == 0.0
    assert moment_errors(values, values + [1e-3, 0.0], weights).mean == pytest.approx(1e-3)


@pytest.mark.parametrize("weights", [[1.0, -1.0], [1.0, np.nan], [1.0, np.inf], [1.0]])
def test_bad_weights_are_refused(weights):
    """Negative, missing, infinite or too few."""
    with pytest.raises(ParameterError):
        check_weights(np.array(weights), 2)


def test_nothing_to_measure_is_refused():
    """No records, no weight, or tables of different shapes."""
    with pytest.raises(UnsuitableError):
        measure_moments(np.empty((0, 2)))
    with pytest.raises(UnsuitableError):
        moment_errors(np.empty((0, 2)), np.empty((0, 2)))
    with pytest.raises(ParameterError):
        moment_errors(np.ones((2, 2)), np.ones((2, 1)))
    with pytest.raises(ParameterError):
        moment_errors(np.ones((2, 1)), np.ones((2, 1)), np.zeros(2))
