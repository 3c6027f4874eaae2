"""Partition x treatment x restoration: every combination is one line.

Composition(MDAV(k=5), GroupCentre())                                microaggregation
Composition(Cells(["region"]), Within(Noise(0.2)), Restore())        noise in regions, moments restored
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from discreet.base import Draft, Fitted, Partition, Partitioner, Restoration, Treatment, whole
from discreet.errors import UnsuitableError
from discreet.progress import stage
from discreet.release import Method
from discreet.selection import name_list
from discreet.stats.streams import Streams
from discreet.strata import cells_by, join_drafts
from discreet.table.table import Table


@dataclass(frozen=True)
class Whole:
    """The partition into one group: treat the whole table at once."""

    def partition(self, table: Table, streams: Streams) -> Partition:
        return whole(table.n_records)


@dataclass(frozen=True)
class Cells:
    """One group per combination of values of the named columns."""

    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))

    def partition(self, table: Table, streams: Streams) -> Partition:
        return cells_by(table, self.columns)


@dataclass(frozen=True)
class Within:
    """Any method as a treatment: fitted and drawn inside each group apart."""

    method: Method

    def treat(self, table: Table, partition: Partition, streams: Streams) -> Draft:
        rows, drafts = tuple(partition.members()), []
        for i, members in enumerate(rows):
            part = table if len(rows) == 1 else table.take(members)
            try:
                fitted = self.method.fit(part, streams.at("fit", str(i)))
            except UnsuitableError as fault:
                if len(rows) == 1:
                    raise
                raise UnsuitableError(
                    f"Part {i + 1} of {len(rows)} ({partition.holds}; {len(members)} records): {fault}"
                ) from None
            drafts.append(fitted.draw(streams.at("draw", str(i))))
            if drafts[-1].table.n_records != len(members):
                raise UnsuitableError(
                    f"{type(self.method).__name__} adds or leaves out records; as a treatment it must keep every one."
                )
        return drafts[0] if len(rows) == 1 else join_drafts(table, rows, drafts)


@dataclass(frozen=True, eq=False)
class Composed:
    """A composition fitted to one table: its groups are decided, each draw treats them anew."""

    composition: Composition
    table: Table
    groups: Partition

    def draw(self, streams: Streams) -> Draft:
        with stage("treating groups"):
            draft = self.composition.treatment.treat(self.table, self.groups, streams.at("treatment"))
        if self.composition.restoration is None:
            return draft if draft.partition is not None else replace(draft, partition=self.groups)
        with stage("restoring moments"):
            return self.composition.restoration.restore(
                self.table, draft, self.groups, streams.at("restoration")
            )


@dataclass(frozen=True)
class Composition(Method):
    """A partition, what is done inside its groups, and a correction afterwards."""

    partition: Partitioner
    treatment: Treatment
    restoration: Restoration | None = None

    def fit(self, table: Table, streams: Streams) -> Fitted:
        with stage("grouping records"):
            groups = self.partition.partition(table, streams.at("partition"))
        if self.restoration is not None:
            self.restoration.refuse(table, groups)
        return Composed(self, table, groups)
