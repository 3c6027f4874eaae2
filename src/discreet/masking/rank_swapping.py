"""Rank swapping: values change places with others of nearly the same rank (Moore 1996)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.base import Draft, Fitted
from discreet.claims.equal_margins import EqualMargins
from discreet.errors import ParameterError
from discreet.kernels.rankswap import swap_ranks
from discreet.progress import share
from discreet.release import Method
from discreet.selection import chosen, is_number, name_list, names_of, plain
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.schema import Kind
from discreet.table.table import Table


@dataclass(frozen=True)
class RankSwapping(Method):
    """Swaps each column's values between records whose ranks differ by at most p percent of the records.

    Every margin stays exactly as it was (claimed and checked); links between columns weaken. Does **not** hide extreme
    or rare values, and bounds the change of every rank, which an intruder may use. Missing cells keep their places.

    Args:
        p: reach in percent of the records that have a value, from 0 to 100.
        columns: numeric or ordinal columns; None: numeric ones with the role quasi or confidential.

    Ranks are visited in random order; the partner is uniform among free ranks within reach; a rank that finds none
    stays. Equal values are put in random order first, so that file order says nothing.

    Example:
        >>> import polars as pl
        >>> from discreet.table.schema import Schema, Variable
        >>> schema = Schema((Variable(name="pay", kind="numeric", role="confidential"),))
        >>> release = RankSwapping(p=40).protect(pl.DataFrame({"pay": [1.0, 2.0, 3.0, 4.0, 5.0]}), schema, seed=3)
        >>> sorted(release.data["pay"].to_list())
        [1.0, 2.0, 3.0, 4.0, 5.0]
    """

    p: float = 7.0
    columns: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        if not is_number(self.p) or not 0 <= self.p <= 100:
            raise ParameterError("`p` must be a percentage, from 0 to 100.")
        object.__setattr__(self, "p", plain(self.p))

    def fit(self, table: Table, streams: Streams) -> Fitted:
        kinds: tuple[Kind, ...] = ("numeric",) if self.columns is None else ("numeric", "ordinal")
        columns = chosen(
            table, self.columns, kinds=kinds, roles=("quasi", "confidential"), what="Rank swapping"
        )
        return FittedSwap(self.p, table, names_of(columns))


@dataclass(frozen=True, eq=False)
class FittedSwap:
    """Nothing is estimated: the columns and the reach."""

    p: float
    table: Table
    names: tuple[str, ...]

    def draw(self, streams: Streams) -> Draft:
        swapped = []
        for done, name in enumerate(self.names):
            share(done / len(self.names))
            swapped.append(_swapped(self.table[name], self.p, streams.at("swap", name)))
        return Draft(self.table.with_columns(*swapped), (EqualMargins(self.names),))


def _swapped(column: Column, p: float, streams: Streams) -> Column:
    rows = np.flatnonzero(~column.missing)
    n = len(rows)
    shuffled = rows[streams.permutation("ties", n=n)]
    by_rank = shuffled[np.argsort(column.values[shuffled], kind="stable")]
    partner = swap_ranks(
        streams.permutation("visits", n=n), streams.uniforms("partners", n=n), int(np.floor(p * n / 100))
    )
    values = column.values.copy()
    values[by_rank] = column.values[by_rank[partner]]
    return column.with_values(values)
