"""The m x m algebra: every kind of map carries one covariance to the other, and columns are sorted rightly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.stats.moments import measure_moments
from discreet.stats.restoration_maps import (
    KINDS,
    GrowingFactor,
    classify_columns,
    correlation,
    guarded_cholesky,
    identity_coefficients,
    restoration_map,
)


def _covariance(rng, size):
    root = rng.normal(size=(size, size))
    return root.T @ root + 0.1 * np.eye(size)


@given(size=st.integers(1, 7), seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(KINDS))
@settings(max_examples=60, deadline=None)
def test_every_kind_gives_the_covariance_wanted(size, seed, kind):
    """T' R' T = R for any two covariances and any cross covariance."""
    rng = np.random.default_rng(seed)
    wanted, treated = _covariance(rng, size), _covariance(rng, size)
    move = restoration_map(wanted, treated, kind, rng.normal(size=(size, size)))
    np.testing.assert_allclose(move.T @ treated @ move, wanted, atol=1e-9 * np.abs(wanted).max())


def test_transport_is_symmetric_positive_and_moves_least():
    """Among 200 random maps with the same effect none moves the treated records less in the mean square."""
    rng = np.random.default_rng(0)
    wanted, treated = _covariance(rng, 4), _covariance(rng, 4)
    best = restoration_map(wanted, treated, "transport")
    np.testing.assert_allclose(best, best.T, atol=1e-10)
    assert np.linalg.eigvalsh(best).min() > 0.0

    def moved(move):
        return np.trace((move - np.eye(4)).T @ treated @ (move - np.eye(4)))

    upper = np.linalg.cholesky(wanted).T
    for _ in range(200):
        turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        other = np.linalg.solve(np.linalg.cholesky(treated).T, turn @ upper)
        np.testing.assert_allclose(other.T @ treated @ other, wanted, atol=1e-8)
        assert moved(other) >= moved(best) - 1e-10


def test_nearest_comes_nearest_to_the_original_records():
    """tr cov(X'T, X) is the largest of all maps with the same effect, so the mean square distance to X is least."""
    rng = np.random.default_rng(1)
    original = rng.normal(size=(300, 3)) @ rng.normal(size=(3, 3))
    treated = original + rng.normal(size=(300, 3))
    original, treated = original - original.mean(axis=0), treated - treated.mean(axis=0)
    wanted, now, cross = (a.T @ b / 300 for a, b in ((original,) * 2, (treated,) * 2, (treated, original)))
    best = restoration_map(wanted, now, "nearest", cross)
    upper = np.linalg.cholesky(wanted).T
    for _ in range(200):
        turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        other = np.linalg.solve(np.linalg.cholesky(now).T, turn @ upper)
        assert np.trace(other.T @ cross) <= np.trace(best.T @ cross) + 1e-10


def test_triangular_only_looks_back():
    """Column v is made of the treated columns up to v; the first is only rescaled."""
    rng = np.random.default_rng(2)
    move = restoration_map(_covariance(rng, 5), _covariance(rng, 5), "triangular")
    assert (np.tril(move, -1) == 0.0).all()
    assert (np.diag(move) > 0.0).all()


def test_transport_ignores_the_order_of_columns():
    """Permuting the columns permutes the map."""
    rng = np.random.default_rng(3)
    wanted, treated, order = _covariance(rng, 5), _covariance(rng, 5), rng.permutation(5)
    straight = restoration_map(wanted, treated, "transport")
    turned = restoration_map(wanted[np.ix_(order, order)], treated[np.ix_(order, order)], "transport")
    np.testing.assert_allclose(turned, straight[np.ix_(order, order)], atol=1e-10)


def test_unknown_kind_and_missing_cross_are_refused():
    """Both name what is wrong."""
    with pytest.raises(ParameterError, match="transport, triangular, nearest"):
        restoration_map(np.eye(2), np.eye(2), "sideways")
    with pytest.raises(ParameterError, match="covariances between"):
        restoration_map(np.eye(2), np.eye(2), "nearest")


def test_rest_is_the_share_that_regression_leaves():
    """1 - R^2 of the third column on the first two, against least squares."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(100, 3)) @ rng.normal(size=(3, 3))
    factor = GrowingFactor(correlation(measure_moments(values)))
    factor.admit(0)
    factor.admit(1)
    design = np.column_stack([np.ones(100), values[:, :2]])
    left = values[:, 2] - design @ np.linalg.lstsq(design, values[:, 2], rcond=None)[0]
    assert factor.rest(2) == pytest.approx(left.var() / values[:, 2].var())


def test_guarded_factor_survives_a_column_that_adds_nothing():
    """The weak column is named and set aside; the others are factored as without it."""
    matrix = np.array([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]])
    lower, weak = guarded_cholesky(matrix, 1e-12)
    assert weak.tolist() == [False, True, False]
    np.testing.assert_allclose(lower[np.ix_([0, 2], [0, 2])], np.linalg.cholesky([[1.0, 0.5], [0.5, 1.0]]))


def _kinds(original, treated):
    return classify_columns(measure_moments(original), measure_moments(treated), 1e-13, 1e-6)


def test_columns_are_sorted_by_what_is_their_own():
    """Parts are core, their total dependent, a rounded total near, a flat treated column near, a constant constant."""
    rng = np.random.default_rng(5)
    parts = rng.normal(size=(2_000, 3)) * 1e4
    total = parts.sum(axis=1)
    rounded = total + rng.integers(-1, 2, 2_000)
    original = np.column_stack([parts, total, rounded, np.full(2_000, 3.0)])
    treated = original + rng.normal(size=original.shape) * 1e3
    treated[:, 1] = 7.0
    columns = _kinds(original, treated)
    assert (columns.core, columns.near) == ((0, 2), (1, 4))
    assert (columns.dependent, columns.constant) == ((3,), (5,))
    assert columns.free == (0, 2, 1, 4)


def test_near_column_explained_by_a_later_core_column_is_dependent():
    """A near column whose own part a later core column almost is has nothing left beside the core as a whole."""
    rng = np.random.default_rng(6)
    first, small, other = rng.normal(size=(3, 500))
    original = np.column_stack([first, first + 1e-5 * small, small + 3e-3 * other])
    columns = _kinds(original, original + rng.normal(size=original.shape))
    assert columns.core + columns.near + columns.dependent == (0, 2, 1)


def test_identities_get_exact_simple_coefficients():
    """Totals, halves and differences are found to the bit, other coefficients to rounding."""
    rng = np.random.default_rng(7)
    parts = rng.lognormal(size=(400, 3)) * [1.0, 1e3, 10.0]
    columns = np.column_stack(
        [parts, parts @ [1.0, 1.0, 0.0], parts @ [0.5, 0.0, -1.0], parts @ [0.3, 0.0, 0.0]]
    )
    moments = measure_moments(columns)
    found = [
        identity_coefficients(correlation(moments), moments.deviations, (0, 1, 2), v).tolist() for v in (3, 4)
    ]
    assert found == [[1.0, 1.0, 0.0], [0.5, 0.0, -1.0]]
    third = identity_coefficients(correlation(moments), moments.deviations, (0, 1, 2), 5)
    np.testing.assert_allclose(third, [0.3, 0.0, 0.0], atol=1e-14)


def test_small_coefficients_of_large_columns_are_not_snapped_to_zero():
    """A coefficient of 3e-8 on a column of billions matters, and stays."""
    rng = np.random.default_rng(8)
    large = rng.normal(size=(300, 2)) * [1e9, 1.0]
    moments = measure_moments(np.column_stack([large, large @ [3e-8, 1.0]]))
    found = identity_coefficients(correlation(moments), moments.deviations, (0, 1), 2)
    np.testing.assert_allclose(found, [3e-8, 1.0], rtol=1e-9)
