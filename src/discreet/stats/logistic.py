"""Binary logistic regression by maximum likelihood, for designs that are badly conditioned or separated.

Iteratively reweighted least squares in which every step is solved by an orthogonal decomposition (QR, then the
singular values of R cut at 1e-12 of the largest), never by normal equations, and halved until the deviance
falls: the plain iteration diverges on nearly separated data. Called by the propensity score and by fitted models.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import linalg
from scipy.special import expit
from threadpoolctl import ThreadpoolController

from discreet.arrays import Floats
from discreet.errors import ParameterError
from discreet.stats.weighted import checked_weights

RCOND = 1e-12
TOLERANCE = 1e-10  # relative change of the deviance
MAX_ITERATIONS = 80
MAX_HALVINGS = 40
CERTAIN = 1e-8  # a fitted probability this near to 0 or 1 is a sign of separation
LEAST_WEIGHT = 1e-12  # of a record in a least-squares step; keeps rows of separated records finite


@dataclass(frozen=True)
class LogisticFit:
    """A fitted logistic regression.

    `separated` counts records whose fitted probability is 0 or 1 up to 1e-8: the likelihood then has no finite
    maximum, and coefficients (not probabilities) depend on where the iteration stopped.
    """

    coefficients: Floats
    probabilities: Floats
    deviance: float
    iterations: int
    converged: bool
    rank: int
    separated: int


def _deviance(scores: Floats, response: Floats, weights: Floats) -> float:
    # log(1 + e^eta) - y eta, without overflow
    return 2.0 * float(weights @ (np.logaddexp(0.0, scores) - response * scores))


def _least_squares(design: Floats, target: Floats) -> tuple[Floats, int]:
    """Minimum-norm least squares through QR and the singular values of R; also the numerical rank."""
    stacked = np.column_stack((design, target))
    triangle = linalg.qr(stacked, mode="r", overwrite_a=True, check_finite=False)[0]
    n_terms = design.shape[1]
    left, singular, right = linalg.svd(triangle[:n_terms, :n_terms], full_matrices=False)
    kept = singular > RCOND * singular[0]
    projected = left.T[kept] @ triangle[: len(left), n_terms]
    return np.asarray(right[kept].T @ (projected / singular[kept]), dtype=np.float64), int(kept.sum())


def _step(design: Floats, response: Floats, weights: Floats, scores: Floats) -> tuple[Floats, int]:
    probabilities = expit(scores)
    slopes = np.sqrt(np.maximum(weights * probabilities * (1.0 - probabilities), LEAST_WEIGHT))
    return _least_squares(slopes[:, None] * design, weights * (response - probabilities) / slopes)


def fit_logistic(
    design: Floats,
    response: Floats,
    weights: Floats | None = None,
    *,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
) -> LogisticFit:
    """Fit P(response = 1) = 1 / (1 + exp(-design @ coefficients)).

    Args:
        design: n x k; include a column of ones for an intercept. Collinear columns are allowed: the
            coefficients are then those of least norm, and the probabilities are unaffected.
        response: n values 0 or 1.
        weights: n, or None for ones. Only their proportions count.

    Example:
        >>> fit = fit_logistic(np.ones((4, 1)), np.array([0.0, 1.0, 1.0, 1.0]))
        >>> float(fit.probabilities[0].round(12)), fit.converged
        (0.75, True)
    """
    n_records, _ = design.shape
    if len(response) != n_records:
        raise ParameterError(f"The response has {len(response)} values for {n_records} rows of the design.")
    weights = checked_weights(weights, n_records)
    # one thread: the answer then does not depend on their number, and small steps are not slower
    with _threads().limit(limits=1, user_api="blas"):
        return _iterate(design, response, weights, tolerance, max_iterations)


@cache
def _threads() -> Any:
    """The pools of the linear algebra that is loaded; looked up once, which takes longer than a small fit."""
    return ThreadpoolController()


def _iterate(
    design: Floats, response: Floats, weights: Floats, tolerance: float, max_iterations: int
) -> LogisticFit:
    coefficients, scores = np.zeros(design.shape[1]), np.zeros(len(design))
    deviance, rank = _deviance(scores, response, weights), 0
    iterations, converged = 0, False
    while not converged and iterations < max_iterations:
        iterations += 1
        step, rank = _step(design, response, weights, scores)
        change, share, gain = design @ step, 1.0, 0.0
        for _ in range(MAX_HALVINGS):
            gain = deviance - _deviance(scores + share * change, response, weights)
            if gain > 0:
                break
            share /= 2.0
        if gain > 0:
            coefficients, scores = coefficients + share * step, scores + share * change
            deviance -= gain
        # a step that cannot lower the deviance any more also ends it: the optimum up to rounding
        converged = gain <= tolerance * (deviance + tolerance)
    probabilities = expit(scores)
    certain = np.minimum(probabilities, 1.0 - probabilities) < CERTAIN
    return LogisticFit(
        coefficients, probabilities, deviance, iterations, converged, rank, int(np.count_nonzero(certain))
    )


def information(design: Floats, fit: LogisticFit, weights: Floats | None = None) -> Floats:
    """Square root of the Fisher information: a matrix A with A'A = X' W X, for standard errors."""
    scaled = checked_weights(weights, len(design))
    spread = np.sqrt(scaled * fit.probabilities * (1.0 - fit.probabilities))
    return np.asarray(spread[:, None] * design, dtype=np.float64)


def orthonormal(matrix: Floats) -> Floats:
    """An orthonormal basis of the columns, one row per record: as many columns as the numerical rank."""
    with _threads().limit(limits=1, user_api="blas"):
        triangle = linalg.qr(matrix, mode="r", check_finite=False)[0][: matrix.shape[1]]
        _, singular, right = linalg.svd(triangle, full_matrices=False)
        kept = singular > RCOND * singular.max(initial=0.0)
        return np.asarray(matrix @ (right[kept].T / singular[kept]), dtype=np.float64)


def projected(design: Floats, fit: LogisticFit, values: Floats, weights: Floats | None = None) -> Floats:
    """Values by record, projected on the design under the weights of the fitted model's information.

    With the derivative of a function of the fitted probabilities as values, the answer times (response - probability)
    is what each record does to the mean of that function through the coefficients.
    """
    spread = checked_weights(weights, len(design)) * fit.probabilities * (1.0 - fit.probabilities)
    slopes = np.sqrt(np.maximum(spread, LEAST_WEIGHT))
    with _threads().limit(limits=1, user_api="blas"):
        coefficients, _ = _least_squares(slopes[:, None] * design, slopes * values)
        return np.asarray(design @ coefficients, dtype=np.float64)
