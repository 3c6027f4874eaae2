"""The numbers and the categories of a table as arrays: what the hearts of the measures are given.

`Numbers` and `Categories` hold one table each, missing cells as masks (numbers) or as one more category. The
functions at the end take both tables apart in the same way, leaving out identifiers, weights and clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Codes, Floats, Ints
from discreet.errors import ParameterError
from discreet.stats.order import draw_rows, value_order
from discreet.stats.weighted import checked_weights
from discreet.table.column import Column
from discreet.table.table import Table

NOT_ANALYSED = ("identifier", "weight", "cluster")
LARGEST = 1e75  # sums of fourth powers of larger numbers overflow


def uncountable(numbers: Floats) -> Bools:
    """Which numbers nothing can be computed with: nan, infinite, or larger than 1e75 in size."""
    countable: Bools = np.abs(numbers) <= LARGEST
    return ~countable


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numeric columns of one table: values and masks (records x columns) and weights with a mean of one.

    `weights` is None where none are declared, so that unweighted statistics can take shorter ways.
    """

    values: Floats
    missing: Bools
    weights: Floats | None = None

    @classmethod
    def of(
        cls, values: NDArray[np.floating], missing: Bools | None = None, weights: Floats | None = None
    ) -> Numbers:
        """Check shapes; cells that are infinite, or too large to compute with, count as missing."""
        numbers: Floats = np.array(values, dtype=np.float64, ndmin=2)
        lost: Bools = uncountable(numbers)
        if missing is not None:
            lost |= missing
        numbers[lost] = 0.0
        scaled = None if weights is None else checked_weights(weights, len(numbers))
        return cls(numbers, lost, scaled)

    @property
    def n_records(self) -> int:
        return len(self.values)

    @property
    def n_columns(self) -> int:
        return int(self.values.shape[1])

    @property
    def complete(self) -> bool:
        return not self.missing.any()

    def take(self, rows: NDArray[np.integer] | Bools) -> Numbers:
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None and not weights.sum() > 0:
            weights = None
        return Numbers.of(self.values[rows], self.missing[rows], weights)

    def present(self, *columns: int) -> tuple[Floats, Floats | None]:
        """Values (records x columns) and weights of the records in which all these columns are present."""
        if not self.missing[:, columns].any():
            return self.values[:, columns], self.weights
        rows = ~self.missing[:, columns].any(axis=1)
        weights = None if self.weights is None else self.weights[rows]
        if weights is not None and not weights.sum() > 0:
            rows, weights = rows & False, None
        return self.values[rows][:, columns], weights


@dataclass(frozen=True, eq=False)
class Categories:
    """Categorical columns of one table: positions (records x columns), missing as the last position.

    `sizes` counts the positions of each column, the one for missing included where it occurs in either table.
    """

    codes: Codes
    sizes: tuple[int, ...]
    weights: Floats | None = None

    @property
    def n_records(self) -> int:
        return len(self.codes)

    @property
    def n_columns(self) -> int:
        return len(self.sizes)

    def take(self, rows: NDArray[np.integer] | Bools) -> Categories:
        return replace(
            self, codes=self.codes[rows], weights=None if self.weights is None else self.weights[rows]
        )


def analysed(table: Table, names: Sequence[str] | None = None) -> tuple[Column, ...]:
    """Columns that are analysed: those named, or all but identifiers, weights and clusters."""
    if names is not None:
        if lacking := [name for name in names if name not in table]:
            raise ParameterError(
                f"Not columns of the table: {', '.join(lacking)}. It has: {', '.join(table.names)}."
            )
        return tuple(table[name] for name in names)
    return tuple(column for column in table.columns if column.role not in NOT_ANALYSED)


def numeric_names(table: Table, names: Sequence[str] | None = None) -> tuple[str, ...]:
    return tuple(column.name for column in analysed(table, names) if column.is_numeric)


def category_names(table: Table, names: Sequence[str] | None = None) -> tuple[str, ...]:
    return tuple(column.name for column in analysed(table, names) if not column.is_numeric)


def numbers_of(table: Table, names: Sequence[str]) -> Numbers:
    """The named numeric columns of a table."""
    shape = (table.n_records, len(names))
    values, missing = np.empty(shape), np.empty(shape, dtype=np.bool_)
    for place, name in enumerate(names):
        values[:, place], missing[:, place] = table[name].values, table[name].missing
    return Numbers.of(values, missing, table.weights)


def categories_of(original: Table, protected: Table, names: Sequence[str]) -> tuple[Categories, Categories]:
    """The named categorical columns of both tables, on common positions.

    Nodes of a taxonomy that occur in neither table get no position: a tree is not a domain.
    """
    sizes: list[int] = []
    sides: tuple[list[Codes], list[Codes]] = ([], [])
    for name in names:
        pair = [_positions(table[name]) for table in (original, protected)]
        size = max([len(original[name].levels), *(int(codes.max(initial=-1)) + 1 for codes in pair)])
        if original[name].kind == "taxonomic":
            pair, size = packed(pair)
        sizes.append(size)
        for side, codes in zip(sides, pair, strict=True):
            side.append(codes)
    return stacked(sides[0], sizes, original), stacked(sides[1], sizes, protected)


def _positions(column: Column) -> Codes:
    return np.where(column.missing, len(column.levels), column.values).astype(np.int32)


def packed(pair: list[Codes]) -> tuple[list[Codes], int]:
    """Positions of both tables renumbered without those that occur in neither, and how many are left."""
    occurring, packed = np.unique(np.concatenate(pair), return_inverse=True)
    codes = packed.reshape(-1).astype(np.int32)
    return [codes[: len(pair[0])], codes[len(pair[0]) :]], len(occurring)


def stacked(columns: Sequence[Codes], sizes: Sequence[int], table: Table) -> Categories:
    """Columns of positions with the weights of the table they come from."""
    codes = np.column_stack(columns) if columns else np.empty((table.n_records, 0), dtype=np.int32)
    weights = None if table.weights is None else checked_weights(table.weights, table.n_records)
    return Categories(codes, tuple(sizes), weights)


def canonical_order(table: Table, names: Sequence[str]) -> Ints:
    """Records sorted by all their values: what is drawn by position here does not depend on their order."""
    keys: list[NDArray[np.generic]] = [np.zeros(table.n_records)]
    for name in names:
        keys += [table[name].values, table[name].missing]
    if table.weights is not None:
        keys.insert(0, table.weights)
    return value_order(keys[::-1], table.n_records)


def drawn_rows(table: Table, names: Sequence[str], size: int, seed: int) -> Ints:
    """At most `size` records, sorted by value, drawn without regard to the order they stand in."""
    return draw_rows(canonical_order(table, names), size, np.random.default_rng(seed))
