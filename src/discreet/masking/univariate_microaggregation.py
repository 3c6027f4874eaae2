"""Individual ranking: each column microaggregated alone, with the best groups there are (Hansen and Mukherjee 2003)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.base import Draft, Note
from discreet.claims.k_anonymity import k_anonymous
from discreet.errors import UnsuitableError
from discreet.kernels.univariate import optimal_univariate
from discreet.keys import coded_cells
from discreet.progress import share
from discreet.release import Method
from discreet.selection import chosen, name_list, names_of, whole_number
from discreet.stats.streams import Streams
from discreet.table.column import EMPTY, Column
from discreet.table.table import Table


@dataclass(frozen=True)
class UnivariateMicroaggregation(Method):
    """Every value replaced by the mean of at least k values next to it in its own column.

    The groups are those with the least sum of squares (shortest path over sizes k to 2k - 1), weighted where a weight is
    declared. Loses very little, because it protects very little: each column alone is k-anonymous, combinations of
    columns are **not**. Missing cells stay missing; a declared code for missing that fewer than k records hold is emptied.

    Args:
        k: smallest number of equal values.
        columns: numeric columns; None: those with the role quasi or confidential.
    """

    k: int = 3
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        whole_number("k", self.k, least=1)

    def fit(self, table: Table, streams: Streams) -> FittedRanking:
        columns = chosen(
            table,
            self.columns,
            kinds=("numeric",),
            roles=("quasi", "confidential"),
            what="Individual ranking",
        )
        short = [c.name for c in columns if 0 < int((~c.missing).sum()) < self.k]
        if short:
            raise UnsuitableError(
                f"Fewer than k={self.k} values in: {', '.join(short)}. Lower k or leave them out."
            )
        return FittedRanking(self.k, table, names_of(columns))


@dataclass(frozen=True, eq=False)
class FittedRanking:
    """The groups follow from the values alone."""

    k: int
    table: Table
    names: tuple[str, ...]

    def draw(self, streams: Streams) -> Draft:
        columns = []
        for done, name in enumerate(self.names):
            share(done / len(self.names))
            column = _without_rare_codes(self.table[name], self.k)
            columns.append(_ranked(column, self.k, self.table.weights))
        claims = tuple(
            claim for column in columns for claim in k_anonymous(self.k, (column.name,), missing="wildcard")
        )
        emptied = sum(int((new.absent != self.table[new.name].absent).sum()) for new in columns)
        why = f" cells with a declared code for missing that fewer than {self.k} share were emptied."
        notes = (Note(emptied, why),) if emptied else ()
        return Draft(self.table.with_columns(*columns), claims, notes=notes)


def _without_rare_codes(column: Column, k: int) -> Column:
    """Declared codes for missing are values to a reader: those of fewer than k records are emptied."""
    rare = coded_cells(column) & (np.bincount(column.absent)[column.absent] < k)
    return column.with_values(column.values, np.where(rare, EMPTY, column.absent).astype(np.uint8))


def _ranked(column: Column, k: int, weights: Floats | None) -> Column:
    rows = np.flatnonzero(~column.missing)
    if not len(rows):
        return column
    own = np.asarray(column.values[rows], dtype=np.float64)
    mass = np.ones(len(rows)) if weights is None else weights[rows]
    labels = optimal_univariate(own, k, None if weights is None else mass)
    total = np.bincount(labels, weights=mass)
    mass = np.where(total[labels] > 0, mass, 1.0)
    anchor = own[np.unique(labels, return_index=True)[1]]
    means = anchor + np.bincount(labels, weights=mass * (own - anchor[labels])) / np.bincount(
        labels, weights=mass
    )
    values = np.array(column.values, dtype=np.float64)
    values[rows] = means[labels]
    return column.with_numbers(values)
