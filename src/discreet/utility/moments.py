"""Means, variances, covariances, correlations and the moments of third and fourth order, before and after.

Third and fourth moments are found for all products of columns at once from Gram matrices of pair products, block
by block over the records (O(n d^4 / 4), memory O(d^4)), so they can be had for any number of records. A moment is
*distinct* when it multiplies different columns: the raw distinct moments are the reading of the local-synthesis
paper's Table 3; all raw and all central ones stand beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure, Part
from discreet.stats import weighted
from discreet.table.table import Table
from discreet.utility.averages import LOST, averaged, gone, shift, with_worst
from discreet.utility.columns import LARGEST, Numbers, numbers_of, numeric_names
from discreet.utility.pair import compared

Reading: TypeAlias = Literal["distinct_raw", "raw", "central"]

BLOCK = 8192
ZERO = (
    1e-12  # of the product of the columns' scales: a moment this small is zero, its relative change undefined
)
MAX_COLUMNS = 40  # for moments of order four: 123,410 of them
SHOWN = 10  # moments of an order that are named: those that changed most


@dataclass(frozen=True, eq=False)
class Covariances:
    """Means and covariances from the cells that are present (pairwise); nan where there are none."""

    means: Floats
    matrix: Floats

    @property
    def sds(self) -> Floats:
        return np.sqrt(np.diag(self.matrix))

    @property
    def correlations(self) -> Floats:
        return weighted.correlation(self.matrix)


def covariances(numbers: Numbers) -> Covariances:
    """Means of each column, covariances (dividing by n, or the sum of weights) of each pair."""
    if numbers.complete:
        return Covariances(
            weighted.mean(numbers.values, numbers.weights),
            _settled(weighted.covariance(numbers.values, numbers.weights), numbers),
        )
    means, matrix = np.empty(numbers.n_columns), np.empty((numbers.n_columns, numbers.n_columns))
    for i in range(numbers.n_columns):
        means[i] = weighted.mean(*numbers.present(i))[0]
    for i, j in combinations_with_replacement(range(numbers.n_columns), 2):
        values, weights = numbers.present(i, j)
        matrix[i, j] = matrix[j, i] = weighted.covariance(values, weights)[0, 1]
    return Covariances(means, _settled(matrix, numbers))


def _settled(matrix: Floats, numbers: Numbers) -> Floats:
    """Variances that are rounding of a constant column become 0, and so do their covariances."""
    sizes = np.abs(numbers.values).max(axis=0, initial=0.0)
    constant = np.diag(matrix) <= (1e-14 * sizes) ** 2
    matrix = matrix.copy()
    matrix[constant] = np.where(np.isnan(matrix[constant]), np.nan, 0.0)
    matrix[:, constant] = np.where(np.isnan(matrix[:, constant]), np.nan, 0.0)
    return matrix


def relative_changes(before: Floats, after: Floats, scale: Floats) -> Floats:
    """100 |after - before| / |before|: 0 where both are equal up to rounding, nan where `before` is zero.

    Infinite where there is no `after` any more.

    >>> relative_changes(np.array([2.0, 0.0, 0.0]), np.array([3.0, 0.0, 1.0]), np.ones(3)).tolist()
    [50.0, 0.0, nan]
    """
    moved = np.abs(after - before)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        changes = 100.0 * moved / np.abs(before)
    changes = np.where(np.abs(before) <= ZERO * scale, np.nan, changes)
    changes = np.where(moved <= ZERO * scale, 0.0, changes)
    return np.asarray(np.where(gone(before, after), LOST, changes), dtype=np.float64)


# -- moments of third and fourth order -------------------------------------------------------------------------


def higher_moments(numbers: Numbers, order: int, centres: Floats, spans: Floats) -> Floats:
    """All moments of order 3 or 4 of (values - centres) / spans, in the order of `index_tuples`.

    A moment is the mean over the records in which all its columns are present; nan where there are none.
    """
    pairs = np.array(list(combinations_with_replacement(range(numbers.n_columns), 2))).reshape(-1, 2)
    shape = (numbers.n_columns if order == 3 else len(pairs), len(pairs))
    sums, counts = np.zeros(shape), np.zeros(shape)
    for start in range(0, numbers.n_records, BLOCK):
        rows = slice(start, start + BLOCK)
        weights = np.ones(len(numbers.values[rows])) if numbers.weights is None else numbers.weights[rows]
        # further out than that, fourth powers would overflow
        scaled = np.clip((numbers.values[rows] - centres) / spans, -LARGEST, LARGEST)
        scaled[numbers.missing[rows]] = 0.0
        sums += _products(scaled, weights, pairs, order)
        if numbers.complete:
            counts += weights.sum()
        else:
            counts += _products((~numbers.missing[rows]).astype(np.float64), weights, pairs, order)
    with np.errstate(divide="ignore", invalid="ignore"):
        moments = np.where(counts > 0, sums / counts, np.nan)
    place = {tuple(pair): number for number, pair in enumerate(pairs.tolist())}
    indices = index_tuples(numbers.n_columns, order)
    if order == 3:
        return np.array([moments[i, place[j, k]] for i, j, k in indices])
    return np.array([moments[place[i, j], place[k, m]] for i, j, k, m in indices])


def _products(
    values: Floats, weights: Floats, pairs: np.ndarray[tuple[int, ...], np.dtype[np.int64]], order: int
) -> Floats:
    products = values[:, pairs[:, 0]] * values[:, pairs[:, 1]]
    left = values if order == 3 else products
    return np.asarray((left * weights[:, None]).T @ products, dtype=np.float64)


def index_tuples(n_columns: int, order: int) -> list[tuple[int, ...]]:
    """Which columns each moment multiplies, repetitions allowed: (0,0,0), (0,0,1), ..."""
    return list(combinations_with_replacement(range(n_columns), order))


def _distinct(n_columns: int, order: int) -> Bools:
    return np.array([len(set(index)) == order for index in index_tuples(n_columns, order)], dtype=np.bool_)


def moment_changes(original: Numbers, protected: Numbers, order: int, reading: Reading) -> Floats:
    """Percentage change of every moment of an order (nan where the original's is zero).

    Raw moments are about zero and central ones about each table's own means, both scaled by the original's root
    mean squares or sds: the percentage does not depend on the scale, the rounding does.
    """
    before, after = covariances(original), covariances(protected)
    zeros = np.zeros(original.n_columns)
    if reading == "central":
        spans, centres, new_centres = before.sds, before.means, after.means
    else:
        spans, centres, new_centres = np.sqrt(before.sds**2 + before.means**2), zeros, zeros
    spans = np.where(spans > 0, spans, 1.0)
    new_centres = np.where(np.isnan(new_centres), 0.0, new_centres)
    centres = np.where(np.isnan(centres), 0.0, centres)
    changes = relative_changes(
        higher_moments(original, order, centres, spans),
        higher_moments(protected, order, new_centres, spans),
        np.ones(1),
    )
    return changes[_distinct(original.n_columns, order)] if reading == "distinct_raw" else changes


# -- the measure -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Shifts:
    """How the first two moments moved: per column, and per pair i < j row by row.

    nan: not defined on the original; inf: the protected table has none any more.
    """

    means: Floats  # in the original's sd
    variances: Floats  # percent
    covariances: Floats  # in products of the original's sds
    correlations: Floats
    rank_correlations: Floats


def shifts(original: Numbers, protected: Numbers) -> Shifts:
    """Shift of every mean, variance, covariance, Pearson and Spearman correlation."""
    before, after = covariances(original), covariances(protected)
    upper = np.triu_indices(original.n_columns, 1)
    sds = before.sds
    units = np.outer(sds, sds)[upper]
    return Shifts(
        _in_units(shift(before.means, after.means), sds, before.means),
        relative_changes(np.diag(before.matrix), np.diag(after.matrix), sds**2),
        _in_units(shift(before.matrix, after.matrix)[upper], units, units),
        shift(before.correlations, after.correlations)[upper],
        shift(rank_correlations(original), rank_correlations(protected)),
    )


def _in_units(moved: Floats, unit: Floats, size: Floats) -> Floats:
    """A shift in units of the original; without a unit 0 if nothing moved, else undefined unless it is lost."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shown = np.where((unit > 0) | (moved == LOST), moved / unit, np.nan)
    return np.where((unit == 0) & (moved <= ZERO * np.abs(size)), 0.0, shown)


def rank_correlations(numbers: Numbers) -> Floats:
    """Spearman's correlation (mid-ranks) of every pair i < j, over the records that have both."""
    if numbers.complete:
        ranked = np.column_stack(
            [weighted.ranks(numbers.values[:, j], numbers.weights) for j in range(numbers.n_columns)]
            or [np.empty((numbers.n_records, 0))]
        )
        matrix = weighted.correlation(weighted.covariance(ranked, numbers.weights))
        return np.asarray(matrix[np.triu_indices(numbers.n_columns, 1)], dtype=np.float64)
    found = []
    for i, j in combinations(range(numbers.n_columns), 2):
        values, weights = numbers.present(i, j)
        ranked = np.column_stack([weighted.ranks(values[:, side], weights) for side in (0, 1)])
        found.append(weighted.correlation(weighted.covariance(ranked, weights))[0, 1])
    return np.array(found)


@dataclass(frozen=True)
class MomentChange:
    """Change of the moments of the numeric columns, up to order four.

    Figures: `mean` (in sds of the original), `variance` (%), `covariance` (in products of sds), `correlation`,
    `rank_correlation`, each with its parts and a `_worst`; and the mean and the median percentage change of the
    moments of order 3 and 4 in three readings: raw moments of products of distinct columns (the paper's), all raw
    ones, all central ones, with the moments that changed most. A mean over relative changes is ruled by the moments
    nearest to zero: read the median.

    Args:
        columns: names of numeric columns to use; None: all that are analysed.
        orders: which higher orders are measured, of 3 and 4.
    """

    columns: tuple[str, ...] | None = None
    orders: tuple[Literal[3, 4], ...] = (3, 4)
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = numeric_names(original, self.columns)
        pair = numbers_of(original, names), numbers_of(protected, names)
        figures = _shift_figures(shifts(*pair), names)
        for order in self.orders:
            for reading in ("distinct_raw", "raw", "central"):
                figures += _order_figures(*pair, names, order, reading)
        return tuple(figures)


def _shift_figures(moved: Shifts, names: Sequence[str]) -> list[Figure]:
    single: list[tuple[str, ...]] = [(name,) for name in names]
    pairs: list[tuple[str, ...]] = list(combinations(names, 2))

    def both(
        name: str, values: Floats, labels: list[tuple[str, ...]], unit: str, upper: float
    ) -> list[Figure]:
        return with_worst(averaged(f"moments.{name}", values, labels, unit, (0.0, upper)), values)

    return (
        both("mean", moved.means, single, "sd", np.inf)
        + both("variance", moved.variances, single, "%", np.inf)
        + both("covariance", moved.covariances, pairs, "sd x sd", np.inf)
        + both("correlation", moved.correlations, pairs, "index", 2.0)
        + both("rank_correlation", moved.rank_correlations, pairs, "index", 2.0)
    )


ORDINALS = {3: "third", 4: "fourth"}


def _order_figures(
    original: Numbers, protected: Numbers, names: Sequence[str], order: int, reading: Reading
) -> list[Figure]:
    name, bounds = f"moments.{ORDINALS[order]}_{reading}", (0.0, float("inf"))
    if not original.n_columns:
        return [Figure(name, float("nan"), "%", "lower", bounds, note="There is no numeric column.")]
    if original.n_columns > MAX_COLUMNS and order > 3:
        note = f"More than {MAX_COLUMNS} numeric columns: name some of them to have moments of order {order}."
        return [Figure(name, float("nan"), "%", "lower", bounds, note=note)]
    changes = moment_changes(original, protected, order, reading)
    mean = averaged(name, changes, None, "%", bounds)
    median = averaged(f"{name}_median", changes, None, "%", bounds, median=True)
    return [replace(mean, parts=_largest(changes, names, order, reading)), median]


def _largest(changes: Floats, names: Sequence[str], order: int, reading: Reading) -> tuple[Part, ...]:
    """The moments that changed most, each named by the columns it multiplies."""
    indices = index_tuples(len(names), order)
    if reading == "distinct_raw":
        indices = [index for index in indices if len(set(index)) == order]
    worst_first = np.argsort(-changes, kind="stable")  # nan comes last
    return tuple(
        Part(tuple(names[j] for j in indices[place]), float(changes[place]))
        for place in worst_first[:SHOWN]
        if not np.isnan(changes[place])
    )
