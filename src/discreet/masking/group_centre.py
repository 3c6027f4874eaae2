"""The centre of each group in place of its members: means, medians, modes. Equal records are what is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.arrays import Codes, Floats, Ints
from discreet.base import Claim, Draft, Note, Partition
from discreet.claims.k_anonymity import k_anonymous
from discreet.errors import ParameterError
from discreet.keys import coded_cells
from discreet.selection import chosen, name_list, names_of
from discreet.stats.streams import Streams
from discreet.stats.weighted import draw_within, running_sums
from discreet.table.column import EMPTY, PRESENT, Absent, Column
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy

_CHOICES = {
    "numeric": ("mean", "median"),
    "ordinal": ("median",),
    "nominal": ("mode", "draw"),
    "taxonomic": ("mode", "ancestor", "draw"),
}


@dataclass(frozen=True)
class GroupCentre:
    """Replaces every cell by the centre of its group.

    Args:
        columns: which columns; None: the quasi-identifiers.
        numeric: `mean` (weighted where a weight is declared) or `median`.
        nominal: `mode` (ties: the first category), or `draw`: each cell drawn from its group's distribution, which keeps
            margins in expectation and gives up k-anonymity.
        taxonomic: `mode`, `ancestor` (the lowest common ancestor: true, but coarser), or `draw`.

    A cell that one member of a group lacks is emptied for all of the group; the declared code for missing stays where all
    of the group hold it.
    """

    columns: tuple[str, ...] | None = None
    numeric: Literal["mean", "median"] = "mean"
    nominal: Literal["mode", "draw"] = "mode"
    taxonomic: Literal["mode", "ancestor", "draw"] = "mode"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        for kind in ("numeric", "nominal", "taxonomic"):
            if getattr(self, kind) not in _CHOICES[kind]:
                raise ParameterError(f"`{kind}` must be one of {', '.join(_CHOICES[kind])}.")

    def treat(self, table: Table, partition: Partition, streams: Streams) -> Draft:
        columns = chosen(table, self.columns, what="The group centre")
        groups = Members.of(partition, table.weights)
        centred = [self._centred(column, groups, streams.at(column.name)) for column in columns]
        return Draft(
            table=table.with_columns(*centred),
            claims=self._claims(columns, partition),
            partition=partition,
            notes=_what_groups_cost(columns, centred),
        )

    def _claims(self, columns: Sequence[Column], partition: Partition) -> tuple[Claim, ...]:
        drawn = {kind for kind in ("nominal", "taxonomic") if getattr(self, kind) == "draw"}
        if any(column.kind in drawn for column in columns):
            return ()
        return k_anonymous(int(partition.sizes.min()), names_of(columns))

    def _centred(self, column: Column, groups: Members, streams: Streams) -> Column:
        absent = groups.shared_reasons(column.absent)
        if column.kind == "numeric":
            own = column.numbers
            centre = groups.means(own) if self.numeric == "mean" else groups.medians(own)
            return column.with_numbers(centre[groups.labels], absent)
        if column.kind == "ordinal":
            middle = groups.medians(column.numbers, lower=True)
            return column.with_values(middle[groups.labels], absent)
        return column.with_values(self._category(column, groups, streams), absent)

    def _category(self, column: Column, groups: Members, streams: Streams) -> Codes:
        how = self.nominal if column.kind == "nominal" else self.taxonomic
        if how == "draw":
            return groups.drawn(column.codes, streams)
        if how == "ancestor" and column.tree is not None:
            return _common_ancestors(column.tree, groups, column.codes)
        modes: Codes = groups.modes(column.codes)[groups.labels]
        return modes


def _what_groups_cost(before: Sequence[Column], after: Sequence[Column]) -> tuple[str, ...]:
    """Notes on cells that have no value now, or no reason why, because their group has none."""
    pairs = list(zip(before, after, strict=True))
    emptied = sum(int((new.missing & ~old.missing).sum()) for old, new in pairs)
    unexplained = sum(int((coded_cells(old) & (new.absent != old.absent)).sum()) for old, new in pairs)
    notes: list[str] = []
    if emptied:
        notes.append(Note(emptied, " cells were emptied, because others of their group lack them."))
    if unexplained:
        why = " cells with a declared code for missing are empty now, because others of their group do not have that code."
        notes.append(Note(unexplained, why))
    return tuple(notes)


def _common_ancestors(tree: Taxonomy, groups: Members, nodes: Codes) -> Codes:
    """The lowest common ancestor of each group: in preorder, that of its least and its greatest node."""
    ordered = nodes[groups.order]
    lows = np.minimum.reduceat(ordered, groups.starts).tolist()
    highs = np.maximum.reduceat(ordered, groups.starts).tolist()
    shared = [tree.lowest_common_ancestor(pair) for pair in zip(lows, highs, strict=True)]
    found: Codes = np.array(shared, dtype=np.int32)[groups.labels]
    return found


@dataclass(frozen=True, eq=False)
class Members:
    """Groups in a form that makes statistics of all of them one pass: records sorted by group."""

    labels: Ints
    order: Ints
    starts: Ints
    weights: Floats

    @classmethod
    def of(cls, partition: Partition, weights: Floats | None) -> Members:
        labels = partition.labels
        starts = np.concatenate([[0], np.cumsum(partition.sizes)[:-1]]).astype(np.int64)
        mass = np.ones(len(labels)) if weights is None else weights
        # A group without any weight counts its members alike: a mean needs some.
        weightless = np.bincount(labels, weights=mass) <= 0
        mass = np.where(weightless[labels], 1.0, mass)
        return cls(labels, np.argsort(labels, kind="stable").astype(np.int64), starts, mass)

    def shared_reasons(self, absent: Absent) -> Absent:
        """Missing for all where one member lacks the cell; the declared reason stays where all share it."""
        ordered = absent[self.order]
        least, most = np.minimum.reduceat(ordered, self.starts), np.maximum.reduceat(ordered, self.starts)
        reason = np.where(most == PRESENT, PRESENT, np.where(least == most, most, EMPTY))
        shared: Absent = reason.astype(np.uint8)[self.labels]
        return shared

    def means(self, values: Floats) -> Floats:
        """Weighted means, about the group's first member, so that far-off columns lose no digits."""
        anchor = values[self.order[self.starts]]
        total = np.bincount(self.labels, weights=self.weights)
        shift = np.bincount(self.labels, weights=self.weights * (values - anchor[self.labels]))
        means: Floats = anchor + shift / total
        return means

    def medians(self, values: Floats, *, lower: bool = False) -> Floats:
        """Weighted medians; between two middle values their mean, or the lower one."""
        counted = np.flatnonzero(self.weights > 0)
        order = counted[np.lexsort((values[counted], self.labels[counted]))]
        group, ordered = self.labels[order], values[order]
        sizes = np.bincount(group)
        running = running_sums(self.weights[order], sizes)
        last = np.cumsum(sizes) - 1
        share = running / running[last][group]  # of the last member exactly 1, so every group reaches half
        rounding = (sizes * np.finfo(np.float64).eps)[group]
        reached = np.flatnonzero(share >= 0.5 - rounding)
        low = reached[np.unique(group[reached], return_index=True)[1]]
        between = np.zeros(len(low), dtype=np.bool_) if lower else share[low] <= 0.5 + rounding[low]
        medians: Floats = (ordered[low] + ordered[np.minimum(low + between, last)]) / 2
        return medians

    def modes(self, codes: Codes) -> Codes:
        """The category of most weight in each group; ties go to the first category."""
        spread = int(codes.max(initial=0)) + 1
        cells, cell = np.unique(self.labels * spread + codes, return_inverse=True)
        mass = np.bincount(cell, weights=self.weights)
        group, code = cells // spread, cells % spread
        best = np.lexsort((code, -mass, group))
        modes: Codes = code[best[np.unique(group[best], return_index=True)[1]]].astype(np.int32)
        return modes

    def drawn(self, codes: Codes, streams: Streams) -> Codes:
        """For each record the category of a member of its group, drawn by weight."""
        draws = streams.uniforms("member", n=len(codes))
        picked = draw_within(self.labels[self.order], self.weights[self.order], self.labels, draws)
        drawn: Codes = codes[self.order[picked]]
        return drawn
