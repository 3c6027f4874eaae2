"""Distances between contingency tables: conditional shares of pairs, and k-way tables up to k = 3.

Numbers are cut at quantiles of the original (missing is a bin of its own), categories are taken as they are. A
table's distance is its total variation; its *floor* is what a second sample of the original, as large as the
protected table, would show on average, so that a reader can tell protection from sampling. Tables are counted one
after the other in O(n) each; when there are more than `max_tables` of a size, a seeded sample of them is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.stats import weighted
from discreet.table.table import Table
from discreet.utility.columns import (
    Categories,
    Numbers,
    analysed,
    categories_of,
    numbers_of,
    packed,
    stacked,
)
from discreet.utility.distributions import by_column, total_variation
from discreet.utility.pair import compared

LARGEST_DENSE = 1 << 22  # cells of a table that is counted as an array; larger ones are counted by sorting


# -- cutting numbers -------------------------------------------------------------------------------------------


def cut_points(original: Numbers, column: int, bins: int) -> Floats:
    """Inner cut points at the original's quantiles; equal ones are merged, so there can be fewer bins."""
    values, weights = original.present(column)
    inner = np.arange(1, bins) / bins
    return np.unique(weighted.quantile(values[:, 0], inner, weights)) if len(values) else np.empty(0)


def cut(numbers: Numbers, column: int, points: Floats) -> Codes:
    """Bin of every record: 0 below the first cut point, the last one for missing."""
    bins = np.searchsorted(points, numbers.values[:, column], side="left")
    return np.where(numbers.missing[:, column], len(points) + 1, bins).astype(np.int32)


def binned(
    original: Table, protected: Table, names: Sequence[str], bins: int
) -> tuple[Categories, Categories]:
    """Both tables as categories, numbers cut at quantiles of the original.

    A bin that neither table fills, the one for missing among them, is no category: it would only dilute averages.
    """
    sides: tuple[list[Codes], list[Codes]] = ([], [])
    sizes: list[int] = []
    for name in names:
        if original[name].is_numeric:
            numbers = numbers_of(original, [name]), numbers_of(protected, [name])
            points = cut_points(numbers[0], 0, bins)
            codes, size = packed([cut(side, 0, points) for side in numbers])
        else:
            pair = categories_of(original, protected, [name])
            codes, size = [side.codes[:, 0] for side in pair], pair[0].sizes[0]
        sizes.append(size)
        for side, column in zip(sides, codes, strict=True):
            side.append(column)
    return stacked(sides[0], sizes, original), stacked(sides[1], sizes, protected)


# -- one table -------------------------------------------------------------------------------------------------


def _cells(categories: Categories, columns: Sequence[int]) -> Ints:
    cells = np.zeros(categories.n_records, dtype=np.int64)
    for column in columns:
        cells = cells * categories.sizes[column] + categories.codes[:, column]
    return cells


@dataclass(frozen=True, eq=False)
class Cells:
    """Shares of the cells of one table on both sides; `numbers` says which cells, all of them or those that occur."""

    numbers: Ints
    before: Floats
    after: Floats


def crossed(original: Categories, protected: Categories, columns: Sequence[int]) -> Cells:
    """Count one table on both sides: as an array, or by sorting where it has too many cells for one."""
    both = _cells(original, columns), _cells(protected, columns)
    n_cells = int(np.prod([float(original.sizes[column]) for column in columns]))
    numbers = np.arange(min(n_cells, LARGEST_DENSE), dtype=np.int64)
    if n_cells > LARGEST_DENSE:
        numbers, packed = np.unique(np.concatenate(both), return_inverse=True)
        packed = packed.reshape(-1)
        both, n_cells = (packed[: len(both[0])], packed[len(both[0]) :]), len(numbers)
    return Cells(
        numbers,
        _cell_shares(both[0], n_cells, original.weights),
        _cell_shares(both[1], n_cells, protected.weights),
    )


def _cell_shares(cells: NDArray[np.integer], n_cells: int, weights: Floats | None) -> Floats:
    counts = weighted.counts(cells, n_cells, weights)
    total = counts.sum()
    return counts / total if total > 0 else counts


def sampling_floor(before: Floats, n_records: float) -> float:
    """Expected total variation between the shares and those of a sample of n records from them.

    Each cell's share errs by E|p' - p|, at most sqrt(p (1 - p) 2 / (pi n)) (the normal value) and 2 p (1 - p).
    """
    if n_records <= 0:
        return float("nan")
    spread = before * (1.0 - before)
    expected = np.minimum(np.sqrt(2.0 * spread / (np.pi * n_records)), 2.0 * spread)
    return float(expected.sum()) / 2.0


def conditional_differences(cells: Cells, n_columns: int) -> tuple[float, float]:
    """Conditional MAE and MSE of a two-way table, cell number = row * n_columns + column, given the row.

    Averages over the categories of the column, then over rows that occur on either side. A row that occurs on one
    side only has no conditional distribution on the other: its shares there count as zero.

    >>> joint = np.array([0.25, 0.25, 0.5, 0.0]), np.array([0.5, 0.0, 0.5, 0.0])
    >>> conditional_differences(Cells(np.arange(4), *joint), 2)
    (0.25, 0.125)
    """
    _, rows = np.unique(cells.numbers // n_columns, return_inverse=True)
    rows = rows.reshape(-1)
    totals: tuple[Floats, Floats] = (
        row_shares(rows, cells.before),
        row_shares(rows, cells.after),
    )
    occurring = int(np.count_nonzero((totals[0] > 0) | (totals[1] > 0)))
    if occurring == 0:
        return float("nan"), float("nan")
    before, after = _conditional(cells.before, totals[0][rows]), _conditional(cells.after, totals[1][rows])
    shift = np.abs(after - before)
    size = occurring * n_columns
    return float(shift.sum()) / size, float(shift @ shift) / size


def row_shares(rows: NDArray[np.integer], cell_shares: Floats) -> Floats:
    """Share of each row of a table."""
    return np.bincount(rows, weights=cell_shares).astype(np.float64)


def _conditional(shares: Floats, totals: Floats) -> Floats:
    conditional: Floats = np.zeros_like(shares)
    np.divide(shares, totals, out=conditional, where=totals > 0)
    return conditional


# -- the measures ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ConditionalDistance:
    """Mean absolute and squared difference of conditional shares, Pr(column | given), averaged over columns.

    Args:
        given: columns that are conditioned on, one at a time; None: every column.
        columns: names of columns to use; None: all that are analysed.
        bins: quantile bins a numeric column is cut into.
    """

    given: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    bins: int = 10
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check_bins(self.bins)

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = [column.name for column in analysed(original, self.columns)]
        names += [name for name in self.given or () if name not in names]
        pair = binned(original, protected, names, self.bins)
        given = [names.index(name) for name in (self.given or names)]
        return _conditional_figures(*pair, names, given)


def _conditional_figures(
    original: Categories, protected: Categories, names: Sequence[str], given: Sequence[int]
) -> tuple[Figure, ...]:
    absolute, squared = [], []
    for row in given:
        found = []
        for column in range(len(names)):
            if column != row:
                cells = crossed(original, protected, (row, column))
                found.append(conditional_differences(cells, original.sizes[column]))
        means = np.array(found).mean(axis=0) if found else np.full(2, np.nan)
        absolute.append(float(means[0]))
        squared.append(float(means[1]))
    labels = [names[row] for row in given]
    return (
        by_column("crosstables.conditional_mae", absolute, labels, "share", (0.0, 1.0)),
        by_column("crosstables.conditional_mse", squared, labels, "share^2", (0.0, 1.0)),
    )


@dataclass(frozen=True)
class TableDistance:
    """Total variation of all one-way, two-way (and three-way) tables: mean, worst and sampling floor.

    Parts name the worst tables by their columns.

    Args:
        ways: the largest number of columns in a table, 1 to 3.
        columns: names of columns to use; None: all that are analysed.
        bins: quantile bins a numeric column is cut into.
        max_tables: tables measured per number of columns; more are sampled with `seed`, and the mean then has a
            95 % interval.
        shown: how many of the worst tables are named.
        seed: of that sample.
    """

    ways: int = 3
    columns: tuple[str, ...] | None = None
    bins: int = 10
    max_tables: int = 1000
    shown: int = 10
    seed: int = 0
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _check_bins(self.bins)
        if self.ways not in (1, 2, 3):
            raise ParameterError(f"ways must be 1, 2 or 3. Got {self.ways}.")
        if self.max_tables < 2 or self.shown < 0:
            raise ParameterError("max_tables must be at least 2 and shown at least 0.")

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = [column.name for column in analysed(original, self.columns)]
        pair = binned(original, protected, names, self.bins)
        figures: list[Figure] = []
        for ways in range(1, self.ways + 1):
            figures += self._figures(*pair, names, ways)
        return tuple(figures)

    def _figures(
        self, original: Categories, protected: Categories, names: Sequence[str], ways: int
    ) -> list[Figure]:
        chosen = chosen_tables(len(names), ways, self.max_tables, self.seed)
        distances, floors = table_distances(original, protected, chosen)
        n_tables = comb(len(names), ways)
        sampled = len(chosen) < n_tables
        note = f"{len(chosen)} of {n_tables} tables" + (f", drawn with seed {self.seed}." if sampled else ".")
        name = f"crosstables.tvd{ways}"
        order = np.argsort(-distances, kind="stable")[: self.shown]
        worst = tuple(Part(tuple(names[j] for j in chosen[t]), float(distances[t])) for t in order)
        average = float(distances.mean()) if len(distances) else float("nan")
        return [
            Figure(
                name,
                average,
                "share",
                "lower",
                (0.0, 1.0),
                _interval(distances) if sampled else None,
                worst,
                note=note,
            ),
            Figure(
                f"{name}_worst",
                float(distances.max()) if len(distances) else float("nan"),
                "share",
                "lower",
                (0.0, 1.0),
                note=f"Worst of {note}",
            ),
            Figure(
                f"{name}_floor",
                float(floors.mean()) if len(floors) else float("nan"),
                "share",
                "neither",
                (0.0, 1.0),
                note="What another sample of the original, of the protected table's size, would show.",
            ),
        ]


def table_distances(
    original: Categories, protected: Categories, tables: Sequence[tuple[int, ...]]
) -> tuple[Floats, Floats]:
    """Total variation and sampling floor of each table (a tuple of columns)."""
    size = float(protected.n_records)
    if protected.weights is not None:
        size = weighted.effective_size(protected.weights)
    found = []
    for columns in tables:
        cells = crossed(original, protected, columns)
        found.append((total_variation(cells.before, cells.after), sampling_floor(cells.before, size)))
    result = np.array(found, dtype=np.float64).reshape(-1, 2)
    return result[:, 0], result[:, 1]


def chosen_tables(n_columns: int, ways: int, max_tables: int, seed: int) -> list[tuple[int, ...]]:
    """All tables of so many columns, or a seeded sample of them without repetition.

    >>> chosen_tables(3, 2, 10, 0)
    [(0, 1), (0, 2), (1, 2)]
    """
    if comb(n_columns, ways) <= max_tables:
        return list(combinations(range(n_columns), ways))
    generator = np.random.default_rng([seed, ways])
    chosen: dict[tuple[int, ...], None] = {}
    while len(chosen) < max_tables:
        drawn = generator.choice(n_columns, size=ways, replace=False)
        chosen[tuple(sorted(int(column) for column in drawn))] = None
    return sorted(chosen)


def _interval(values: Floats) -> tuple[float, float]:
    error = 1.96 * float(values.std(ddof=1)) / float(np.sqrt(len(values)))
    centre = float(values.mean())
    return max(centre - error, 0.0), min(centre + error, 1.0)


def _check_bins(bins: int) -> None:
    if bins < 2:
        raise ParameterError(f"bins must be at least 2. Got {bins}.")
