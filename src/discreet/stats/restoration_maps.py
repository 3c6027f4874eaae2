"""The algebra of restoration: which columns are free, and the matrix that carries one covariance to another.

Everything here is m x m. Every map is T = L^-T Q U, where R' = L L' is the covariance of the treated records, R = U' U
the one wanted and Q any orthogonal matrix, for then T' R' T = U' Q' Q U = R. The kinds differ in Q alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.linalg import cholesky, solve_triangular, svd

from discreet.arrays import Bools, Floats
from discreet.errors import ParameterError
from discreet.stats.moments import Moments

Kind: TypeAlias = Literal["transport", "triangular", "nearest"]
"""How records move: least from the treated ones, column by column, or nearest to the original ones."""

KINDS: tuple[Kind, ...] = ("transport", "triangular", "nearest")

FLAT_TOLERANCE = 1e-10
"""A treated column is flat if its deviation is this share of its mean and the original's deviation: rounding only."""

SNAP_TOLERANCE = 1e-7
"""Coefficients of identities this near to a multiple of 1/2 may be that multiple..."""

SNAP_ERROR = 1e-13
"""... if covariances then differ by no more than this, in products of deviations."""


LARGE_COEFFICIENT = 10.0
"""Coefficients of an identity above this, in deviations, would multiply rounding."""


@dataclass(frozen=True)
class ColumnKinds:
    """What restoration does with each column, by its position.

    `core` columns are mapped; `near` ones have almost nothing of their own, in the original or treated records, and
    get their small own part from a residual or from noise; `dependent` ones follow from the others by an identity;
    `constant` ones are written.
    """

    core: tuple[int, ...]
    near: tuple[int, ...]
    dependent: tuple[int, ...]
    constant: tuple[int, ...]

    @property
    def free(self) -> tuple[int, ...]:
        """Core and near columns: the rank of the original table."""
        return self.core + self.near


class GrowingFactor:
    """The Cholesky factor of a correlation matrix over columns that are admitted one by one.

    >>> factor = GrowingFactor(np.array([[1.0, 0.6], [0.6, 1.0]]))
    >>> factor.admit(0)
    >>> round(factor.rest(1), 12)
    0.64
    """

    def __init__(self, correlation: Floats) -> None:
        self._correlation = correlation
        self._rows: Floats = np.zeros((len(correlation), 0))
        """Row v: coefficients of column v on the orthonormal columns made from those admitted."""

    def rest(self, column: int) -> float:
        """1 - R^2 of the column on those admitted: the share of its variance which is its own."""
        row = self._rows[column]
        return float(self._correlation[column, column] - row @ row)

    def admit(self, column: int) -> None:
        """Makes the column one of those that explain the others."""
        rest = max(self.rest(column), np.finfo(np.float64).tiny)
        loadings = (self._correlation[:, column] - self._rows @ self._rows[column]) / np.sqrt(rest)
        self._rows = np.column_stack([self._rows, loadings])


def classify_columns(original: Moments, treated: Moments, tol_dep: float, tol_near: float) -> ColumnKinds:
    """Sorts the columns, in their given order: totals that stand after their parts follow from the parts."""
    known, core_factor = GrowingFactor(correlation(original)), GrowingFactor(correlation(treated))
    constant, flat = original.constant, flat_columns(original, treated)
    core: list[int] = []
    near: list[int] = []
    dependent: list[int] = []
    for column in np.flatnonzero(~constant).tolist():
        rest = known.rest(column)
        # n records have rank n - 1 at most: what seems left of further columns is rounding.
        exhausted = len(core) + len(near) >= original.n_records - 1
        if rest <= (tol_near if exhausted else tol_dep):
            dependent.append(column)
            continue
        known.admit(column)
        if rest <= tol_near or flat[column] or core_factor.rest(column) <= tol_near:
            near.append(column)
        else:
            core_factor.admit(column)
            core.append(column)
    near, follow = _split_near(correlation(original), core, near, tol_dep)
    constants = tuple(np.flatnonzero(constant).tolist())
    return ColumnKinds(tuple(core), tuple(near), tuple(sorted(dependent + follow)), constants)


def flat_columns(original: Moments, treated: Moments) -> Bools:
    """Which treated columns have lost all their variation."""
    limit = FLAT_TOLERANCE * (original.deviations + np.abs(treated.mean))
    flat: Bools = treated.deviations <= limit
    return flat


def correlation(moments: Moments) -> Floats:
    """Correlations; rows of columns without variation are 0."""
    deviations = moments.deviations
    units = np.where(deviations > 0.0, deviations, np.inf)
    return scaled(moments.covariance, units)


def scaled(covariance: Floats, units: Floats) -> Floats:
    """The covariance of columns divided by their units."""
    return covariance / units[:, None] / units[None, :]


def among(matrix: Floats, columns: Sequence[int]) -> Floats:
    """The rows and columns of a square matrix that belong to some columns, in their order."""
    picked = list(columns)
    return matrix[np.ix_(picked, picked)]


def guarded_cholesky(matrix: Floats, tolerance: float) -> tuple[Floats, Bools]:
    """Lower factor of a correlation-like matrix, and which of its columns have a pivot at or below the tolerance.

    Those columns get the pivot 1 and explain nothing, so that the rest of the factor is still good.
    """
    size = len(matrix)
    lower = np.eye(size)
    weak = np.zeros(size, dtype=np.bool_)
    for column in range(size):
        head = lower[column, :column]
        pivot = matrix[column, column] - head @ head
        if not pivot > tolerance:
            weak[column] = True
            lower[column, :column] = 0.0
            continue
        lower[column, column] = np.sqrt(pivot)
        below = matrix[column + 1 :, column] - lower[column + 1 :, :column] @ head
        lower[column + 1 :, column] = below / lower[column, column]
    return lower, weak


def restoration_map(wanted: Floats, treated: Floats, kind: Kind, cross: Floats | None = None) -> Floats:
    """T with T' treated T = wanted. `cross` = cov(treated, original), for the kind `nearest`.

    - `triangular`: column v is made of the treated columns up to v.
    - `transport`: symmetric; moves treated records least in the mean square, whatever the order of the columns.
    - `nearest`: brings them nearest to the original records.

    >>> restoration_map(np.diag([4.0, 9.0]), np.eye(2), "transport").tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    lower: Floats = cholesky(treated, lower=True)
    turned = rotation(wanted, lower, kind, cross) @ cholesky(wanted)
    matrix: Floats = solve_triangular(lower, turned, lower=True, trans="T")
    return matrix


def rotation(wanted: Floats, lower: Floats, kind: Kind, cross: Floats | None = None) -> Floats:
    """Q: what is done to the treated records between making them uncorrelated (L^-T) and making them like R (U)."""
    if kind == "triangular":
        return np.eye(len(wanted))
    upper: Floats = cholesky(wanted)
    if kind == "transport":
        # T is symmetric and positive just if Q is the orthogonal factor of (U L)': then T = L^-T (L' R L)^1/2 L^-1.
        return _orthogonal_factor(upper @ lower)
    if kind != "nearest":
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}: got {kind!r}.")
    if cross is None:
        raise ParameterError("kind 'nearest' needs the covariances between treated and original columns.")
    return _orthogonal_factor(upper @ solve_triangular(lower, cross, lower=True).T)


def assembly(wanted: Floats, free: Sequence[int], followers: Sequence[int]) -> Floats:
    """Columns of covariance I to the free columns and to some that follow from them, in units of their deviations.

    The upper factor of their correlations: a near column is its regression on the columns before it, and its own part.
    """
    upper = guarded_cholesky(among(wanted, free), 0.0)[0].T
    loadings = solve_triangular(upper, wanted[np.ix_(list(free), list(followers))], trans="T")
    _mend_weakest(loadings, upper, np.diag(wanted)[list(followers)])
    return np.hstack([upper, loadings])


@dataclass(frozen=True)
class Identities:
    """Dependent columns as offset + free columns @ matrix, raw; and the others, whose coefficients are too large.

    Columns that nearly cancel, with large coefficients, would bring the rounding of the free columns into the followers.
    """

    dependent: tuple[int, ...]
    matrix: Floats
    offset: Floats
    followers: tuple[int, ...]


def find_identities(original: Moments, columns: ColumnKinds, tol_dep: float) -> Identities:
    """How each dependent column follows from the free ones: from the core alone where that suffices."""
    wanted, units, free = correlation(original), original.deviations, list(columns.free)
    found: dict[int, Floats] = {}
    for column in columns.dependent:
        n_sources = len(columns.core) if _explained(wanted, columns.core, column, tol_dep) else len(free)
        coefficients = np.zeros(len(free))
        coefficients[:n_sources] = identity_coefficients(wanted, units, free[:n_sources], column)
        if np.abs(coefficients * units[free]).max(initial=0.0) <= LARGE_COEFFICIENT * units[column]:
            found[column] = coefficients
    matrix = np.column_stack([np.zeros((len(free), 0)), *found.values()])
    offset = _simple_offsets(original, free, list(found), matrix)
    followers = tuple(column for column in columns.dependent if column not in found)
    return Identities(tuple(found), matrix, offset, followers)


def identity_coefficients(wanted: Floats, units: Floats, sources: Sequence[int], column: int) -> Floats:
    """Coefficients of a dependent column on its sources, in raw units; simple ones made exact.

    Multiples of 1/2 are what totals, differences and means of two have, and an exact one makes the identity hold to
    one rounding. They are kept only if they give the covariances just as well.
    """
    picked = list(sources)
    inner, goal = among(wanted, picked), wanted[picked, column]
    lower, _ = guarded_cholesky(inner, np.finfo(np.float64).eps)
    solution = solve_triangular(lower, solve_triangular(lower, goal, lower=True), lower=True, trans="T")
    ratio = units[column] / units[picked]
    raw: Floats = solution * ratio
    halves = np.round(2.0 * raw) / 2.0
    slip = np.abs(halves - raw)
    snapped: Floats = np.where((slip <= SNAP_TOLERANCE) & (slip <= SNAP_TOLERANCE * ratio), halves, raw)
    wrong = np.abs(inner @ (snapped / ratio) - goal).max(initial=0.0)
    return snapped if wrong <= SNAP_ERROR else raw


def _mend_weakest(loadings: Floats, upper: Floats, variances: Floats) -> None:
    """Sets the loading on the weakest pivot, the one that rounding hits hardest, by the variance left for it."""
    if not loadings.size:
        return
    pivots = np.diag(upper)
    weakest = int(np.argmin(pivots))
    row = loadings[weakest]
    left = variances - np.square(np.delete(loadings, weakest, axis=0)).sum(axis=0)
    firm = left > pivots[weakest] ** 2
    row[firm] = np.copysign(np.sqrt(left[firm]), row[firm])


def _orthogonal_factor(matrix: Floats) -> Floats:
    """V P' of the singular value decomposition P D V'."""
    left, _, right = svd(matrix)
    factor: Floats = right.T @ left.T
    return factor


def _split_near(
    original: Floats, core: list[int], near: list[int], tol_dep: float
) -> tuple[list[int], list[int]]:
    """Near columns with something of their own beside all core columns, later ones too; and those without."""
    factor = GrowingFactor(original)
    for column in core:
        factor.admit(column)
    own: list[int] = []
    for column in near:
        if factor.rest(column) > tol_dep:
            factor.admit(column)
            own.append(column)
    return own, [column for column in near if column not in own]


def _explained(wanted: Floats, sources: tuple[int, ...], column: int, tol_dep: float) -> bool:
    lower, _ = guarded_cholesky(among(wanted, sources), np.finfo(np.float64).eps)
    loadings = solve_triangular(lower, wanted[list(sources), column], lower=True)
    return bool(wanted[column, column] - loadings @ loadings <= tol_dep)


def _simple_offsets(original: Moments, free: list[int], dependent: list[int], matrix: Floats) -> Floats:
    """Means left over by the identities; a multiple of 1/2 (0, as a rule) where rounding alone stands between."""
    offset: Floats = original.mean[dependent] - original.mean[free] @ matrix
    size = (
        original.deviations[dependent]
        + np.abs(original.mean[dependent])
        + np.abs(original.mean[free]) @ np.abs(matrix)
    )
    halves = np.round(2.0 * offset) / 2.0
    simple: Floats = np.where(np.abs(halves - offset) <= 1e-14 * size, halves, offset)
    return simple
