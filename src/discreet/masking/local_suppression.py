"""Local suppression: single cells emptied until every record agrees with k others in what it still shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Draft, Note
from discreet.claims.k_anonymity import k_anonymous
from discreet.errors import ParameterError, UnsuitableError
from discreet.kernels.suppression import suppress
from discreet.keys import keys_of
from discreet.release import Method
from discreet.selection import by_column, chosen, is_number, name_list, names_of, plain, whole_number
from discreet.stats.keys import Key, count_frequencies, group_records
from discreet.stats.streams import Streams
from discreet.table.column import EMPTY, Column
from discreet.table.table import Table

MOST_COLUMNS = 14
MOST_COMPARISONS = 200_000_000_000  # of cells: some minutes


@dataclass(frozen=True)
class LocalSuppression(Method):
    """Empties as few cells as it can until the file is k-anonymous, an empty cell matching anything.

    Protects records with rare combinations of the key; does **not** protect someone of whom it is known that the empty
    cell hides a rare value. The claim uses the reading under which this method is judged everywhere (`missing =
    "wildcard"`): a reader who takes an empty cell as a value of its own sees smaller groups.

    Args:
        k: smallest number of records that agree.
        columns: the key; None: the quasi-identifiers. At most 14: recode or leave out some of more.
        importance: column -> price of an emptied cell, 1 where not given; `inf`: never empty this column.

    Records are taken in random order; each gets the cheapest set of cells that makes it match k others, and cells whose
    suppression later ones made needless are given back.
    """

    k: int = 3
    columns: tuple[str, ...] | None = None
    importance: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        whole_number("k", self.k, least=1)
        object.__setattr__(self, "importance", by_column("importance", self.importance, _price))

    def fit(self, table: Table, streams: Streams) -> FittedSuppression:
        columns = chosen(table, self.columns, what="Local suppression")
        for name in self.importance:
            if name not in names_of(columns):
                raise ParameterError(f"`importance` names '{name}', which is not among the key columns.")
        if len(columns) > MOST_COLUMNS:
            raise UnsuitableError(
                f"Local suppression takes at most {MOST_COLUMNS} key columns. Got {len(columns)}. Name the ones an "
                "intruder would know."
            )
        if table.n_records < self.k:
            raise UnsuitableError(
                f"`k` must not exceed the number of records. Got k={self.k} and {table.n_records} records. Lower k."
            )
        return FittedSuppression(self, table, names_of(columns))


def _price(name: str, value: object) -> float:
    if not is_number(value) or not value > 0:
        raise ParameterError(f"`{name}` must be above 0 (inf: never empty this column).")
    return float(plain(value))


@dataclass(frozen=True, eq=False)
class FittedSuppression:
    """Which cells are emptied depends on the order of records, which is drawn."""

    method: LocalSuppression
    table: Table
    names: tuple[str, ...]

    def draw(self, streams: Streams) -> Draft:
        columns = [self.table[name] for name in self.names]
        prices = np.array([self.method.importance.get(name, 1.0) for name in self.names])
        keys = keys_of(self.table, self.names)
        emptied = cells_to_empty(keys, self.method.k, prices, streams)
        self._refuse_unreached(keys, emptied)
        new = [_emptied(column, emptied[:, j]) for j, column in enumerate(columns)]
        counts = [
            piece
            for j, name in enumerate(self.names)
            for piece in (f"{', ' * (j > 0)}{name}: ", int(emptied[:, j].sum()))
        ]
        return Draft(
            self.table.with_columns(*new),
            claims=k_anonymous(self.method.k, self.names, missing="wildcard"),
            notes=(Note("Cells emptied: ", *counts, "."), *_alone(keys, emptied)),
        )

    def _refuse_unreached(self, keys: list[Key], emptied: Bools) -> None:
        shown = [Key(key.codes, key.missing | emptied[:, j]) for j, key in enumerate(keys)]
        left = count_frequencies(shown, self.table.n_records, missing="wildcard").sample < self.method.k
        if left.any():
            raise UnsuitableError(
                f"{int(left.sum())} of {self.table.n_records} records match fewer than k={self.method.k} even with every "
                "cell empty that may be. Give the columns of infinite importance a price, or recode them first."
            )


def _alone(keys: list[Key], emptied: Bools) -> tuple[str, ...]:
    """What a reader sees who takes no empty cell for a match: whole keys that only one record shows."""
    gaps = emptied | np.column_stack([key.missing for key in keys])
    whole = np.flatnonzero(~gaps.any(axis=1))
    if not len(whole):
        return ()
    unique = int((group_records([key.take(whole) for key in keys], len(whole)).sizes == 1).sum())
    if not unique:
        return ()
    more = " are alone with it among these: they match others only through empty cells."
    return (Note("Of ", len(whole), " records that show their whole key, ", unique, more),)


def cells_to_empty(keys: list[Key], k: int, prices: Floats, streams: Streams) -> Bools:
    """Which cells (records, columns) to empty so that every record matches at least k, itself among them."""
    n = len(keys[0].codes)
    found = count_frequencies(keys, n, missing="wildcard").sample
    unsafe = np.flatnonzero(found < k)
    emptied = np.zeros((n, len(keys)), dtype=np.bool_)
    if not len(unsafe):
        return emptied
    order = unsafe[streams.permutation("order", n=len(unsafe))]
    rows = _rows(keys, order, np.setdiff1d(np.arange(n), unsafe), found.astype(np.int64))
    _refuse_endless(len(order), rows.keys.size)
    bits = suppress(
        rows.keys, rows.counts, rows.matches, k, _set_prices(prices), np.arange(len(order), dtype=np.int64)
    )
    for j in range(len(keys)):
        emptied[order, j] = ((bits[: len(order)] >> j) & 1).astype(np.bool_) & ~keys[j].missing[order]
    return emptied


def _refuse_endless(n_unsafe: int, n_cells: int) -> None:
    """Every unsafe record is compared with all rows; a key in which nearly all are unsafe is for recoding."""
    if n_unsafe * n_cells > MOST_COMPARISONS:
        raise UnsuitableError(
            f"{n_unsafe} records match fewer than k: too many to suppress cell by cell. Recode the key first, or name "
            "fewer columns."
        )


class _Rows(NamedTuple):
    """Unsafe records one a row, then safe ones with equal keys together: their keys, how many, what they match."""

    keys: Ints
    counts: Ints
    matches: Ints


def _rows(keys: list[Key], unsafe: Ints, safe: Ints, matches: Ints) -> _Rows:
    codes = np.column_stack([np.where(key.missing, -1, key.codes) for key in keys]).astype(np.int64)
    if not len(safe):
        return _Rows(codes[unsafe], np.ones(len(unsafe), dtype=np.int64), matches[unsafe])
    groups = group_records([key.take(safe) for key in keys], len(safe))
    rows = np.concatenate([unsafe, safe[np.unique(groups.labels, return_index=True)[1]]])
    counts = np.concatenate([np.ones(len(unsafe), dtype=np.int64), groups.sizes])
    return _Rows(codes[rows], counts, matches[rows])


def _set_prices(prices: Floats) -> Floats:
    """The price of emptying each set of columns, sets as bits."""
    total = np.zeros(1)
    for price in prices:
        total = np.concatenate([total, total + price])
    return total


def _emptied(column: Column, cells: Bools) -> Column:
    return column.with_values(column.values, np.where(cells, EMPTY, column.absent).astype(np.uint8))
