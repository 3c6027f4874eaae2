"""Linear regressions against least squares by the book."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.stats.regression import fit_each_on_others, fit_linear


def by_the_book(
    design: np.ndarray, response: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Normal equations, spelled out."""
    scaled = weights / weights.mean()
    inverse = np.linalg.inv(design.T @ (scaled[:, None] * design))
    estimates = inverse @ design.T @ (scaled * response)
    rest = response - design @ estimates
    variance = (scaled * rest**2).sum() / (len(design) - design.shape[1])
    return estimates, np.sqrt(variance * np.diag(inverse))


@pytest.mark.parametrize("weighted", [False, True])
def test_each_column_on_the_others(weighted: bool) -> None:
    """One decomposition gives all d regressions, estimates and standard errors, intercepts included."""
    generator = np.random.default_rng(1)
    columns = generator.normal(5, 2, (80, 4)) @ generator.normal(size=(4, 4))
    weights = generator.random(80) + 0.1 if weighted else None
    heavy = np.ones(80) if weights is None else weights
    for response, fit in enumerate(fit_each_on_others(columns, weights)):
        others = [j for j in range(4) if j != response]
        design = np.column_stack((np.ones(80), columns[:, others]))
        estimates, errors = by_the_book(design, columns[:, response], heavy)
        np.testing.assert_allclose(fit.estimates, estimates, rtol=1e-8)
        np.testing.assert_allclose(fit.standard_errors, errors, rtol=1e-8)
        single = fit_linear(design, columns[:, response], weights)
        np.testing.assert_allclose(single.estimates, estimates, rtol=1e-8)
        np.testing.assert_allclose(single.ratios, estimates / errors, rtol=1e-8)


def test_mean_far_from_zero() -> None:
    """Means of 10^7 sds cost no slope its digits."""
    generator = np.random.default_rng(2)
    x = generator.normal(size=200)
    near = np.column_stack((x, 3 * x + generator.normal(size=200)))
    far = near + 1e7
    one, other = fit_each_on_others(near)[1], fit_each_on_others(far)[1]
    assert other.estimates[1] == pytest.approx(one.estimates[1], rel=1e-7)
    assert other.standard_errors[1] == pytest.approx(one.standard_errors[1], rel=1e-7)


def test_copies_have_no_estimate() -> None:
    """A term that repeats earlier ones is nan, the others are as if it were not there."""
    x = np.array([0.0, 1.0, 2.0, 4.0, 7.0])
    y = np.array([1.0, 0.0, 3.0, 5.0, 6.0])
    plain = fit_linear(np.column_stack((np.ones(5), x)), y)
    doubled = fit_linear(np.column_stack((np.ones(5), x, 2 * x + 1)), y)
    assert np.isnan(doubled.estimates[2])
    assert doubled.estimates[:2] == pytest.approx(plain.estimates)
    assert doubled.standard_errors[:2] == pytest.approx(plain.standard_errors)
    assert doubled.freedom == plain.freedom == 3


def test_identity_leaves_nothing() -> None:
    """A total of two parts: coefficients 1, 1, and exactly 0 for the rest; standard errors 0."""
    generator = np.random.default_rng(3)
    parts = generator.normal(100, 10, (50, 3))
    fit = fit_each_on_others(np.column_stack((parts[:, 0] + parts[:, 1], parts)))[0]
    assert fit.estimates == pytest.approx([0, 1, 1, 0], abs=1e-12)
    assert fit.estimates[0] == fit.estimates[3] == 0
    assert fit.standard_errors.tolist() == [0, 0, 0, 0]


def test_more_terms_than_records() -> None:
    """No freedom left: an exact fit where it can be, no standard errors."""
    fit = fit_linear(np.array([[1.0, 2.0, 3.0], [1.0, 5.0, 4.0]]), np.array([1.0, 2.0]))
    assert np.isnan(fit.standard_errors).all()
    assert fit.freedom == 0
