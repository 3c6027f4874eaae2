"""MDAV: groups of k records, the farthest first, each with its nearest (Domingo-Ferrer and Torra 2005)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from discreet.arrays import Ints
from discreet.base import Partition
from discreet.errors import ParameterError, UnsuitableError
from discreet.kernels.mdav import vmdav
from discreet.partition.patterns import missing_patterns
from discreet.partition.spread import Spread, spread_of
from discreet.progress import portion
from discreet.selection import chosen, name_list, number, refuse_missing, whole_number
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.table import Table


@dataclass(frozen=True)
class MDAV:
    """Groups of at least k similar records.

    Args:
        k: smallest group.
        columns: the columns by which records are alike; None: the quasi-identifiers.
        gamma: None makes groups of exactly k (the last takes the rest); a number lets a group grow up to 2k - 1 while
            the next record is nearer to the group than gamma times its distance to other free records (V-MDAV).
        missing: `patterns` groups records by what they lack first; `refuse` wants complete columns.
    """

    k: int
    columns: tuple[str, ...] | None = None
    gamma: float | None = None
    missing: Literal["patterns", "refuse"] = "patterns"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", whole_number("k", self.k, least=1))
        object.__setattr__(self, "columns", name_list(self.columns))
        if self.gamma is not None:
            object.__setattr__(self, "gamma", number("gamma", self.gamma, least=0))
        if self.missing not in ("patterns", "refuse"):
            raise ParameterError("`missing` must be 'patterns' or 'refuse'.")

    def partition(self, table: Table, streams: Streams) -> Partition:
        columns = chosen(table, self.columns, what="MDAV")
        if self.missing == "refuse":
            refuse_missing(columns, "MDAV with missing='refuse'")
        if table.n_records < self.k:
            raise UnsuitableError(
                f"`k` must not exceed the number of records. Got k={self.k} and {table.n_records} records. Lower k."
            )
        labels = grouped_by_pattern(columns, self.k, self._groups)
        return Partition(labels, f"at least {self.k} records")

    def _groups(self, spread: Spread) -> Ints:
        if self.gamma is None:
            return spread.groups(self.k)
        if spread.parents:
            raise UnsuitableError(
                "Groups of variable size (gamma) need numeric or ordinal columns only. Set gamma=None, or leave the "
                "nominal and taxonomic columns out."
            )
        return vmdav(spread.numeric, self.k, self.gamma, spread.scales)


def grouped_by_pattern(columns: Sequence[Column], k: int, groups: Callable[[Spread], Ints]) -> Ints:
    """Group inside each pattern of missing cells, with the scales of the whole table."""
    spread = spread_of(columns)
    n = columns[0].n_records
    labels = np.empty(n, dtype=np.int64)
    n_groups = n_done = 0
    for rows in missing_patterns(columns, k):
        part = replace(spread, numeric=spread.numeric[rows], nodes=spread.nodes[rows])
        with portion(n_done / n, (n_done + len(rows)) / n):
            own = groups(part)
        labels[rows] = own + n_groups
        n_groups += int(own.max(initial=-1)) + 1
        n_done += len(rows)
    return labels
