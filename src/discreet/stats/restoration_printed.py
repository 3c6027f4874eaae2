"""Algorithms 1 and 2 of Domingo-Ferrer, Mateo-Sanz and Sebe as printed, to compare the default restoration with.

Algorithm 2 makes the columns uncorrelated by solving for the last records alone. They become outliers which carry most
of the variance, other records shrink towards the first column, and the result depends on the order of the records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from discreet.arrays import Floats
from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.restoration import TOL_DEPENDENT
from discreet.stats.restoration_maps import guarded_cholesky, scaled

MAX_CONDITION = 1e14
"""Beyond it the solved values are noise."""

MAX_SOLVED = 1e12
"""A solved value this large leaves no digits for the other records of its column."""


@dataclass(frozen=True)
class PrintedHybrid:
    """What the printed algorithms give, the worst condition of their systems and their largest solved value."""

    values: Floats
    condition: float
    largest_solved: float


def restore_printed(original: Floats, treated: Floats) -> PrintedHybrid:
    """Algorithm 1: the treated records made to have the means and covariances of the original ones.

    >>> original = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 5.0], [7.0, 3.0]])
    >>> hybrid = restore_printed(original, original + np.array([[0.5, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.5]]))
    >>> bool(np.allclose(np.cov(hybrid.values.T), np.cov(original.T)))
    True
    """
    _check(original, treated)
    mean = original.mean(axis=0)
    centred = original - mean
    covariance = centred.T @ centred / len(original)
    units = np.sqrt(np.diag(covariance))
    if not (units > 0.0).all() or guarded_cholesky(scaled(covariance, units), TOL_DEPENDENT)[1].any():
        raise _unsuitable("the original covariance matrix is not positive definite")
    upper = cholesky(covariance)
    # A = X' U^-1, by columns in memory since Algorithm 2 works column by column.
    white = np.asfortranarray(solve_triangular(upper, treated.T, trans="T").T)
    condition, largest = _uncorrelate(white)
    return PrintedHybrid(white @ upper + mean, condition, largest)


def _uncorrelate(white: Floats) -> tuple[float, float]:
    """Algorithm 2, on A in place: covariance the identity, by new values for the last v - 1 records of column v."""
    n_records, n_columns = white.shape
    worst, largest = 1.0, 0.0
    # Column v minus its mean beforehand changes nothing in Algorithm 2 but rounding: earlier columns have mean 0, and the
    # solved values move by that mean.
    level = white.mean(axis=0)
    white -= level
    for v in range(1, n_columns):
        head = n_records - v
        system = white[head:, :v].T
        condition = float(np.linalg.cond(system)) if system.any() else np.inf
        if not condition <= MAX_CONDITION:
            raise _unsuitable(f"the system of column {v + 1} has no stable solution in this order of records")
        white[head:, v] = np.linalg.solve(system, -(white[:head, :v].T @ white[:head, v]))
        worst, largest = max(worst, condition), max(largest, float(np.abs(white[head:, v] + level[v]).max()))
        if not largest <= MAX_SOLVED:
            raise _unsuitable(f"the system of column {v + 1} has no stable solution in this order of records")
        white[:, v] -= white[:, v].mean()
    deviations = white.std(axis=0)
    if not (deviations > 0.0).all():
        raise _unsuitable("a treated column is constant")
    white /= deviations
    return worst, largest


def _check(original: Floats, treated: Floats) -> None:
    if original.ndim != 2 or original.shape != treated.shape:
        raise ParameterError(
            "Original and treated tables must have the same records and columns: got shapes "
            f"{original.shape} and {treated.shape}."
        )
    if not (np.isfinite(original).all() and np.isfinite(treated).all()):
        raise ParameterError("The printed algorithm needs finite values: mend infinite and missing ones.")
    if len(original) < original.shape[1] + 1:
        raise UnsuitableError(
            f"{len(original)} records are too few for {original.shape[1]} columns: the printed algorithm needs one "
            "record more than columns."
        )


def _unsuitable(reason: str) -> UnsuitableError:
    return UnsuitableError(
        f"The printed algorithm fails: {reason}. Use kind='transport', which has no such limit."
    )
