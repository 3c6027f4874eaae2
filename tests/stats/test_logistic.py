"""Logistic regression: closed forms, badly conditioned designs, separation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import expit

from discreet.errors import ParameterError
from discreet.stats.logistic import fit_logistic, information
from discreet.stats.regression import standard_errors


def test_two_by_two_table_has_log_odds() -> None:
    """One dummy: intercept and slope are log odds and log odds ratio, with the textbook standard errors."""
    dummy = np.repeat([0.0, 0.0, 1.0, 1.0], [6, 2, 3, 9])
    target = np.repeat([0.0, 1.0, 0.0, 1.0], [6, 2, 3, 9])
    design = np.column_stack((np.ones(20), dummy))
    fit = fit_logistic(design, target)
    assert fit.coefficients == pytest.approx([np.log(2 / 6), np.log(9 / 3) - np.log(2 / 6)])
    errors = standard_errors(information(design, fit))
    assert errors == pytest.approx([np.sqrt(1 / 6 + 1 / 2), np.sqrt(1 / 6 + 1 / 2 + 1 / 3 + 1 / 9)])
    assert fit.converged
    assert fit.separated == 0


def test_gradient_is_zero_at_the_fit() -> None:
    """Maximum likelihood: the design is orthogonal to what is left."""
    generator = np.random.default_rng(3)
    design = np.column_stack((np.ones(500), generator.normal(size=(500, 4))))
    target = (generator.random(500) < expit(design @ [0.3, 1, -1, 0.5, 0])).astype(np.float64)
    heavy = generator.random(500) + 0.1
    fit = fit_logistic(design, target, heavy)
    assert np.abs(design.T @ (heavy * (target - fit.probabilities))).max() < 1e-6


def test_weights_repeat_records() -> None:
    """Whole weights give the fit of repeated records."""
    generator = np.random.default_rng(4)
    design = np.column_stack((np.ones(60), generator.normal(size=60)))
    target = (generator.random(60) < 0.4).astype(np.float64)
    repeats = generator.integers(1, 4, 60)
    one = fit_logistic(design, target, repeats.astype(np.float64))
    other = fit_logistic(np.repeat(design, repeats, axis=0), np.repeat(target, repeats))
    np.testing.assert_allclose(one.coefficients, other.coefficients, rtol=1e-6)


def test_collinear_columns_leave_probabilities_alone() -> None:
    """A repeated column and the sum of two change the rank's room, not the fit."""
    generator = np.random.default_rng(5)
    x = generator.normal(size=(200, 2))
    target = (generator.random(200) < expit(x[:, 0])).astype(np.float64)
    plain = fit_logistic(np.column_stack((np.ones(200), x)), target)
    doubled = fit_logistic(np.column_stack((np.ones(200), x, x[:, 0], x.sum(axis=1))), target)
    assert plain.rank == doubled.rank == 3
    np.testing.assert_allclose(plain.probabilities, doubled.probabilities, atol=1e-8)


def test_units_do_not_matter() -> None:
    """Columns of very different size, as long as they are told from rounding."""
    generator = np.random.default_rng(6)
    x = generator.normal(size=(300, 3))
    target = (generator.random(300) < expit(x[:, 0] - x[:, 2])).astype(np.float64)
    plain = fit_logistic(np.column_stack((np.ones(300), x)), target)
    scaled = fit_logistic(np.column_stack((np.ones(300), x * [1e-4, 1.0, 1e4])), target)
    np.testing.assert_allclose(plain.probabilities, scaled.probabilities, atol=1e-7)


def test_separated_data_are_reported_and_stay_finite() -> None:
    """A perfect cut: every record is told for certain, the deviance goes to zero, nothing overflows."""
    x = np.linspace(-1, 1, 40)
    fit = fit_logistic(np.column_stack((np.ones(40), x)), (x > 0).astype(np.float64))
    assert fit.separated == 40
    assert fit.deviance < 1e-6
    assert np.isfinite(fit.coefficients).all()


def test_full_steps_overshoot_and_halved_ones_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cubic terms of a heavy tail: with full steps alone the deviance stops falling before the maximum."""
    generator = np.random.default_rng(38)
    x = generator.standard_cauchy(100)
    target = generator.integers(0, 2, 100).astype(np.float64)
    scores = (x - x.mean()) / x.std()
    design = np.column_stack((np.ones(100), scores, scores**2, scores**3))
    fit = fit_logistic(design, target)
    assert fit.converged
    assert np.abs(design.T @ (target - fit.probabilities)).max() < 1e-5
    deviances = [fit_logistic(design, target, max_iterations=number).deviance for number in range(1, 15)]
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(deviances))
    monkeypatch.setattr("discreet.stats.logistic.MAX_HALVINGS", 1)
    assert fit_logistic(design, target).deviance > fit.deviance + 0.1


def test_response_of_another_length_is_refused() -> None:
    """The message says how many of each there are."""
    with pytest.raises(ParameterError, match="3 values for 4 rows"):
        fit_logistic(np.ones((4, 1)), np.ones(3))
