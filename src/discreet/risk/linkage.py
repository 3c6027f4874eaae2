"""Distance-based record linkage: how many records can be matched to their own by taking the nearest.

Each record of one file looks for the nearest record of the other, over the columns an intruder knows. It
is linked when that is its own. Records at equal distance share the credit: among t of them the own one is
found with chance 1/t, so the order of the file cannot raise or lower the rate (an intruder does not know
it either).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import (
    Names,
    check_correspondence,
    drawn_rows,
    known_columns,
    places_of,
    space_of,
)
from discreet.stats.neighbours import Links, Points, Scale, Space, find_links
from discreet.table.table import Table

Ties = Literal["shared", "first"]
Seeker = Literal["original", "protected"]


def link_credit(links: Links, own: Ints, reach: int = 1, ties: Ties = "shared") -> Floats:
    """Chance that each query finds its own record among the `reach` nearest.

    "shared": with c closer and t equally near (own included), min(1, (reach - c) / t), or 0 if c >= reach.
    "first": among equally near ones the lowest row is taken (reach 1 only); depends on the order of the
    file.
    """
    if ties == "first":
        return np.asarray((links.closer == 0) & (links.first == own), dtype=np.float64)
    places = np.maximum(reach - links.closer, 0)
    return np.asarray(np.minimum(places / np.maximum(links.tied, 1), 1.0), dtype=np.float64)


def linked_share(space: Space, seekers: Points, targets: Points, *, reach: int = 1) -> float:
    """Expected share of records linked to the record of the same row."""
    own = np.arange(len(seekers), dtype=np.int64)
    return float(link_credit(find_links(space, seekers, targets, own, reach), own, reach).mean())


def seekers(original: Table, protected: Table, most: int | None, seed: int) -> Ints:
    """Records that look for theirs: all, or at most this many drawn at random."""
    wanted = original.n_records if most is None else most
    return drawn_rows([original, protected], wanted, np.random.default_rng(seed))


@dataclass(frozen=True, kw_only=True)
class DistanceLinkage:
    """Records linked by smallest distance, in per cent of the file.

    Parameters
    ----------
    known : columns the intruder knows; default: those declared quasi, or all where none is.
    scale : "sd" (S-distance, default), "range" or "none"; the original's. Rates depend on it: read it with them.
    reach : 1 nearest, 2 nearest or second nearest ("linked or second closely linked").
    ties : "shared" (default) or "first", for comparison with software that takes the lowest row.
    seeker : "original": each original record looks for its protected one (default); "protected": the reverse.
    sample : at most this many seekers, drawn at random; the figure is then an estimate with its interval.
    seed : of that draw.

    Example
    -------
    >>> from discreet.table.schema import Variable
    >>> age = {"age": Variable(name="age", kind="numeric", role="quasi")}
    >>> first, *_ = DistanceLinkage()(Table.build({"age": [20, 30, 40]}, age), Table.build({"age": [21, 33, 24]}, age))
    >>> first.name, round(first.value, 1)
    ('linkage.distance', 66.7)
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    known: Names | None = None
    scale: Scale = "sd"
    reach: int = 1
    ties: Ties = "shared"
    seeker: Seeker = "original"
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.reach < 1 or (self.sample is not None and self.sample < 1):
            raise ParameterError(f"reach and sample must be at least 1. Got {self.reach} and {self.sample}.")
        if self.ties not in ("shared", "first") or self.seeker not in ("original", "protected"):
            raise ParameterError("ties is 'shared' or 'first', seeker is 'original' or 'protected'.")
        if self.ties == "first" and self.reach > 1:
            raise ParameterError("ties='first' is defined for reach=1 only. Use ties='shared'.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_correspondence(original, protected)
        names = known_columns(original, self.known)
        if not names or not original.n_records:
            return (undefined("linkage.distance", "%", PERCENT, "No columns or no records to link by."),)
        own = seekers(original, protected, self.sample, self.seed)
        links = self._links(original, protected, names, own)
        note = self._note(len(names), original.n_records, len(own))
        sampled = len(own) < original.n_records
        inside = links.closer < self.reach
        shown = {
            "linkage.distance": link_credit(links, own, self.reach, self.ties),
            "linkage.unique": (inside & (links.tied == 1)).astype(np.float64),
            "linkage.among": inside.astype(np.float64),
        }
        return tuple(
            percent_figure(name, share, estimate=sampled, note=note) for name, share in shown.items()
        )

    def _links(self, original: Table, protected: Table, names: Names, own: Ints) -> Links:
        space = space_of(original, names, self.scale)
        first, second = space.place(places_of(original, names), places_of(protected, names))
        seekers, targets = (first, second) if self.seeker == "original" else (second, first)
        return find_links(space, seekers.take(own), targets, own, self.reach)

    def _note(self, n_columns: int, n_records: int, n_seekers: int) -> str:
        drawn = f" {n_seekers} records drawn at random looked for theirs." if n_seekers < n_records else ""
        return (
            f"{n_columns} columns, scale {self.scale}, {self.seeker} records look for theirs, "
            f"reach {self.reach}, ties {self.ties}; by chance {100 * min(self.reach / n_records, 1):.3g} %."
            f"{drawn}"
        )
