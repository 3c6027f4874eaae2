"""Weighted statistics: equal to repeating records, to the unweighted ones, and to hand-made values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import rankdata

from discreet.errors import ParameterError
from discreet.stats import weighted

values = arrays(np.float64, st.integers(1, 12), elements=st.integers(-4, 4).map(float))


@given(values, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_whole_weights_repeat_records(column: np.ndarray, random: object) -> None:
    """A weight of three is the record three times: mean, variance, covariance, distribution function."""
    repeats = np.array([random.randint(0, 3) for _ in column])  # type: ignore[attr-defined]
    repeats[0] = 2
    long = np.repeat(column, repeats)
    pair, long_pair = np.column_stack((column, column**2)), np.column_stack((long, long**2))
    heavy = repeats.astype(np.float64)
    assert weighted.mean(column, heavy) == pytest.approx(long.mean())
    assert weighted.variance(column, heavy) == pytest.approx(long.var())
    np.testing.assert_allclose(weighted.covariance(pair, heavy), np.cov(long_pair.T, ddof=0), atol=1e-9)
    points = np.arange(-5.0, 6.0)
    np.testing.assert_allclose(weighted.ecdf(column, points, heavy), weighted.ecdf(long, points), atol=1e-12)


@given(values)
@settings(max_examples=60, deadline=None)
def test_equal_weights_are_none(column: np.ndarray) -> None:
    """Any equal weights give the unweighted quantiles and ranks."""
    shares = np.array([0.0, 0.1, 0.5, 0.77, 1.0])
    heavy = np.full(len(column), 3.5)
    np.testing.assert_allclose(
        weighted.quantile(column, shares, heavy), np.quantile(column, shares), atol=1e-12
    )
    np.testing.assert_allclose(weighted.ranks(column, heavy), rankdata(column), atol=1e-12)


@given(values, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_order_of_records_does_not_matter_to_quantiles(column: np.ndarray, random: object) -> None:
    """Records with tied values and different weights may come in any order."""
    heavy = np.array([random.choice([0.5, 1.0, 4.0]) for _ in column])  # type: ignore[attr-defined]
    order = np.random.default_rng(len(column)).permutation(len(column))
    shares = np.linspace(0, 1, 7)
    one = weighted.quantile(column, shares, heavy)
    np.testing.assert_allclose(one, weighted.quantile(column[order], shares, heavy[order]), atol=1e-12)


def test_weighted_quantile_by_hand() -> None:
    """Weights 1, 2, 1: middles .5, 2, 3.5, so places 0, .5, 1."""
    found = weighted.quantile(
        np.array([10.0, 20.0, 40.0]), np.array([0.25, 0.5, 0.75]), np.array([1.0, 2.0, 1.0])
    )
    assert found.tolist() == [15.0, 20.0, 30.0]


def test_records_without_weight_do_not_count() -> None:
    """A weight of zero takes a record out of quantiles and means."""
    heavy = np.array([1.0, 0.0, 1.0])
    column = np.array([1.0, 1000.0, 3.0])
    assert weighted.quantile(column, np.array([1.0]), heavy).tolist() == [3.0]
    assert weighted.mean(column, heavy) == 2.0


def test_correlation_of_a_constant_is_undefined() -> None:
    """nan beside a column without variance, 1 on the diagonal of the others."""
    found = weighted.correlation(np.array([[4.0, 0.0, 2.0], [0.0, 0.0, 0.0], [2.0, 0.0, 4.0]]))
    assert np.isnan(found[1]).all()
    assert found[0, 0] == 1.0
    assert found[0, 2] == 0.5


def test_no_records() -> None:
    """Nothing to average gives nan of the right shape."""
    assert np.isnan(weighted.mean(np.empty((0, 2)))).tolist() == [True, True]
    assert weighted.covariance(np.empty((0, 2))).shape == (2, 2)
    assert np.isnan(weighted.quantile(np.empty(0), np.array([0.5]))).all()
    assert np.isnan(weighted.ecdf(np.empty(0), np.array([0.5]))).all()


@pytest.mark.parametrize("bad", [[1.0, -1.0], [0.0, 0.0], [np.nan, 1.0], [1.0]])
def test_bad_weights_are_refused(bad: list[float]) -> None:
    """Negative, all zero, not finite, or too few."""
    with pytest.raises(ParameterError):
        weighted.checked_weights(np.array(bad), 2)
