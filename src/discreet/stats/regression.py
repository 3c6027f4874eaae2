"""Linear regressions of one response, or of every column on all the others, with standard errors.

Everything goes through one QR decomposition of the data (O(n d^2)); the d regressions of a column on the others
are then solved on its d x d triangle, which is exact and never forms normal equations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from discreet.arrays import Floats
from discreet.stats.weighted import checked_weights

ALIAS_TOLERANCE = 1e-9  # a term whose rest on the terms before it is this small is a copy of them

EXACT = 1e-10  # a rest this small, relative to the response, is rounding


@dataclass(frozen=True)
class Coefficients:
    """Estimates and standard errors of one regression; nan where a term is a combination of earlier ones."""

    estimates: Floats
    standard_errors: Floats
    freedom: float  # residual degrees of freedom

    @property
    def ratios(self) -> Floats:
        """Estimate over standard error; nan where the standard error is 0 or unknown."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = self.estimates / self.standard_errors
        return np.where(np.isfinite(ratios), ratios, np.nan)


def independent_terms(triangle: Floats) -> list[int]:
    """Columns of an R factor which are not combinations of those before them, first come first kept."""
    kept: list[int] = []
    basis = np.zeros((triangle.shape[0], 0))
    for term in range(triangle.shape[1]):
        column = triangle[:, term]
        size = float(np.linalg.norm(column))
        rest = column - basis @ (basis.T @ column)
        rest = rest - basis @ (basis.T @ rest)  # twice is enough
        if size > 0 and float(np.linalg.norm(rest)) > ALIAS_TOLERANCE * size:
            basis = np.column_stack((basis, rest / np.linalg.norm(rest)))
            kept.append(term)
    return kept


def _solve(
    triangle: Floats, target: Floats, n_records: int, back: Floats | None = None, offset: float = 0.0
) -> Coefficients:
    """Regression of `target` on the columns of `triangle`, both already rotated into few rows.

    `back` maps the estimates to the units that are reported (identity when None); `offset` is then added to the
    first one, the intercept.
    """
    n_terms = triangle.shape[1]
    estimates, errors = np.full(n_terms, np.nan), np.full(n_terms, np.nan)
    kept = independent_terms(triangle)
    freedom = float(n_records - len(kept))
    if not kept:
        return Coefficients(estimates, errors, freedom)
    frame, square = linalg.qr(triangle[:, kept], mode="economic")
    inverse = linalg.solve_triangular(square, np.eye(len(kept)))
    if back is not None:
        inverse = back[np.ix_(kept, kept)] @ inverse
    projected = frame.T @ target
    estimates[kept] = inverse @ projected
    estimates[0] += offset
    rest = target - frame @ projected
    size = float(np.linalg.norm(target))
    if np.linalg.norm(rest) <= EXACT * size:
        # the response is an identity in the terms: what is left, and what is small, is rounding
        rest = np.zeros(1)
        units = 1.0 if back is None else np.abs(np.diag(back))[kept]
        small = EXACT * size * units / np.linalg.norm(triangle[:, kept], axis=0)
        small[0] += EXACT * abs(offset)
        estimates[kept] = np.where(np.abs(estimates[kept]) <= small, 0.0, estimates[kept])
    if freedom > 0:
        errors[kept] = np.sqrt(float(rest @ rest) / freedom) * np.linalg.norm(inverse, axis=1)
    return Coefficients(estimates, errors, freedom)


def _rotated(matrix: Floats, weights: Floats) -> Floats:
    return np.asarray(
        linalg.qr(np.sqrt(weights)[:, None] * matrix, mode="r", check_finite=False)[0][: matrix.shape[1]],
        dtype=np.float64,
    )


def fit_linear(design: Floats, response: Floats, weights: Floats | None = None) -> Coefficients:
    """Least squares of a response on the columns of a design (include ones for an intercept).

    Weights are scaled to a mean of one; the standard errors are then the classical ones.

    >>> fit = fit_linear(np.column_stack((np.ones(3), [0.0, 1.0, 2.0])), np.array([1.0, 3.0, 5.5]))
    >>> fit.estimates.round(6).tolist(), fit.standard_errors.round(6).tolist()
    ([0.916667, 2.25], [0.186339, 0.144338])
    """
    triangle = _rotated(np.column_stack((design, response)), checked_weights(weights, len(design)))
    return _solve(triangle[:, :-1], triangle[:, -1], len(design))


def fit_each_on_others(columns: Floats, weights: Floats | None = None) -> tuple[Coefficients, ...]:
    """Each column on an intercept and all other columns; terms in the order intercept, then the others.

    >>> fits = fit_each_on_others(np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 5.5]]))
    >>> fits[1].estimates.round(6).tolist()
    [0.916667, 2.25]
    """
    n_records, n_columns = columns.shape
    # solved on standardised columns, which keeps the triangle well conditioned, and mapped back afterwards
    centres, spans = columns.mean(axis=0), columns.std(axis=0)
    spans = np.where(spans > 0, spans, 1.0)
    matrix: Floats = np.column_stack((np.ones(n_records), (columns - centres) / spans))
    triangle = _rotated(matrix, checked_weights(weights, n_records))
    fits = []
    for response in range(n_columns):
        others = [term for term in range(n_columns) if term != response]
        terms = [0] + [term + 1 for term in others]
        # y = c + s (b_0 + sum b_j (x_j - c_j) / s_j)
        back = np.diag(np.concatenate(([1.0], 1.0 / spans[others]))) * spans[response]
        back[0, 1:] = -spans[response] * centres[others] / spans[others]
        offset = float(centres[response])
        fits.append(_solve(triangle[:, terms], triangle[:, response + 1], n_records, back, offset))
    return tuple(fits)


def standard_errors(root: Floats) -> Floats:
    """sqrt diag (A'A)^-1 through the QR of A; nan for terms that are combinations of earlier ones."""
    triangle = _rotated(root, np.ones(len(root)))
    errors = np.full(root.shape[1], np.nan)
    kept = independent_terms(triangle)
    if kept:
        square = linalg.qr(triangle[:, kept], mode="r")[0][: len(kept)]
        errors[kept] = np.linalg.norm(linalg.solve_triangular(square, np.eye(len(kept))), axis=1)
    return errors
