"""Records as points of a space in which numbers and categories weigh alike, and who is next to whom.

Every column becomes an *axis* fitted on the original file. A number is centred and divided by its scale.
A category is a node of a tree (without a hierarchy: a tree of depth one) and the distance of two
categories is the weight on the path between them; as a squared distance that is Euclidean, each edge
being one coordinate. A few edges that matter most become coordinates, which lets searches skip whole
boxes; the rest is looked up on the path.

Scales ("which column counts how much"):
- "sd": (x - y)^2 / variance, d(x, y) / V_H. Each column contributes 2 on average over random pairs. This is
  four times the S-distance delta^2, so neighbours are those of the S-distance.
- "range": (x - y)^2 / range^2, d(x, y) / longest path of the tree. Each column contributes at most 1.
- "none": raw units. For comparison only.

A missing number stands at the mean, with one more coordinate which adds 1 (range, none: 1/2) where just
one of two is missing. A missing category is a category under the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Codes, Floats, Ints
from discreet.errors import ParameterError
from discreet.kernels.nearest import (
    TIE,
    Boxes,
    Trees,
    build_boxes,
    count_rings,
    list_rings,
    nearest_entries,
    pair_distances,
)
from discreet.stats.diversity import subtree_stops
from discreet.stats.keys import Groups, Key, group_codes
from discreet.stats.tree import from_root, subtree_counts

__all__ = [
    "SCALES",
    "TIE",
    "Axis",
    "Columns",
    "Links",
    "Nearest",
    "NumericAxis",
    "Points",
    "Scale",
    "Space",
    "TreeAxis",
    "find_links",
    "find_nearest",
    "find_tied",
]

Scale = Literal["sd", "range", "none"]
SCALES: tuple[Scale, ...] = ("sd", "range", "none")
Columns: TypeAlias = Sequence[tuple[NDArray[Any], Bools]]
"""A file's columns as (numbers, positions or nodes; what is missing)."""

_COORDINATE_EDGES = (
    8  # edges of a tree that become coordinates, those with the greatest share of its variance
)


@dataclass(frozen=True, eq=False)
class NumericAxis:
    """A column of numbers, or of positions of an order, as one coordinate (two where values are
    missing).
    """

    centre: float
    unit: float
    gap: float

    @classmethod
    def fit(
        cls, values: Floats, missing: Bools, weights: Floats | None = None, scale: Scale = "sd"
    ) -> NumericAxis:
        """The axis of a column of the original file; a constant column gets the unit infinity: it
        tells nobody apart.
        """
        _check_scale(scale)
        present = ~missing
        seen = np.asarray(values, dtype=np.float64)[present]
        if not len(seen):
            return cls(0.0, np.inf, np.sqrt(0.5))
        mass = np.ones(len(seen)) if weights is None or not weights[present].sum() > 0 else weights[present]
        centre = float(np.average(seen, weights=mass))
        spread = {
            "sd": float(np.sqrt(np.average((seen - centre) ** 2, weights=mass))),
            "range": float(np.ptp(seen)),
            "none": 1.0,
        }[scale]
        constant = np.ptp(seen) == 0 or spread <= 1e-13 * abs(centre)
        return cls(centre, np.inf if constant else spread, 1.0 if scale == "sd" else float(np.sqrt(0.5)))

    def coordinates(self, values: NDArray[Any], missing: Bools) -> Floats:
        """(n, 2): place on the axis, and whether missing."""
        place = (np.asarray(values, dtype=np.float64) - self.centre) / self.unit
        return np.stack([np.where(missing, 0.0, place), self.gap * missing], axis=1)


@dataclass(frozen=True, eq=False)
class TreeAxis:
    """A column of categories: nodes of a tree in preorder (parent[v] < v), the last node being "missing".

    `weight` is that of the edge above each node; `chosen` edges are coordinates, `rest` the weight of the
    others.
    """

    parent: Ints
    weight: Floats
    chosen: Ints

    @classmethod
    def fit(
        cls,
        nodes: Codes | Ints,
        missing: Bools,
        parent: Ints,
        weights: Floats | None = None,
        scale: Scale = "sd",
    ) -> TreeAxis:
        """The axis of a column of the original file: edges weigh 2^(depth of the file - depth), scaled."""
        _check_scale(scale)
        parent = np.append(np.asarray(parent, dtype=np.int64), 0)
        placed = np.where(missing, len(parent) - 1, nodes)
        mass = np.ones(len(placed)) if weights is None or not weights.sum() > 0 else weights
        below = subtree_counts(parent, np.bincount(placed, weights=mass, minlength=len(parent)))
        depth = from_root(parent, np.ones(len(parent))).astype(np.int64) - 1
        deepest = int(depth[np.unique(placed)].max(initial=0)) if len(placed) else 0
        weight = np.ldexp(1.0, deepest - depth)
        weight[0] = 0.0
        share = below / max(below[0], np.finfo(float).tiny)
        variances = weight * share * (1.0 - share)
        longest = 2.0 * (np.ldexp(1.0, deepest) - 1.0)
        spread = {"sd": float(variances.sum()), "range": longest, "none": 1.0}[scale]
        scaled = weight / spread if spread > 1e-13 and variances.sum() > 1e-13 else weight * 0.0
        chosen = np.sort(np.argsort(-variances, kind="stable")[:_COORDINATE_EDGES])
        return cls(parent, scaled, chosen[scaled[chosen] > 0].astype(np.int64))

    @cached_property
    def rest(self) -> Floats:
        """Weights of the edges that are not coordinates."""
        left = self.weight.copy()
        left[self.chosen] = 0.0
        return left

    def nodes(self, nodes: Codes | Ints, missing: Bools) -> Codes:
        """Nodes with the missing ones at the node that stands for missing."""
        return np.where(missing, len(self.parent) - 1, nodes).astype(np.int32)

    def coordinates(self, nodes: Codes | Ints, missing: Bools) -> Floats:
        """(n, chosen): sqrt(weight) where the record lies below the edge."""
        placed = self.nodes(nodes, missing)
        stop = subtree_stops(self.parent)
        inside = (placed[:, None] >= self.chosen) & (placed[:, None] < stop[self.chosen])
        return np.where(inside, np.sqrt(self.weight[self.chosen]), 0.0)


Axis: TypeAlias = NumericAxis | TreeAxis


@dataclass(frozen=True, eq=False)
class Points:
    """Records in a space: coordinates (n, d), and nodes (n, q) of the trees that coordinates do not
    exhaust.
    """

    coordinates: Floats
    nodes: Codes

    def __len__(self) -> int:
        return len(self.coordinates)

    def take(self, rows: Ints | Bools) -> Points:
        """Some of the records."""
        return Points(np.ascontiguousarray(self.coordinates[rows]), np.ascontiguousarray(self.nodes[rows]))

    @cached_property
    def entries(self) -> Groups:
        """Records that stand in the same place are one entry: a search meets it once."""
        columns = [*self.coordinates.T, *self.nodes.T]
        return group_codes([Key.of(column).codes for column in columns], len(self))

    @cached_property
    def boxes(self) -> Boxes:
        """The search tree over these records."""
        return build_boxes(self.coordinates, self.nodes, self.entries.labels, self.entries.n_groups)

    def entries_of(self, rows: Ints) -> Ints:
        """The entry of each of these rows, -1 for row -1."""
        return np.where(rows >= 0, self.entries.labels[np.maximum(rows, 0)], -1)


@dataclass(frozen=True, eq=False)
class Space:
    """The axes of a file, in column order."""

    axes: tuple[Axis, ...]

    @cached_property
    def trees(self) -> Trees:
        """What remains of the trees beside their coordinates."""
        left = [axis for axis in self.axes if _has_rest(axis)]
        starts = np.concatenate([[0], np.cumsum([len(axis.parent) for axis in left])]).astype(np.int64)
        parents = [
            np.where(axis.parent < 0, -1, axis.parent + start)
            for axis, start in zip(left, starts[:-1], strict=True)
        ]
        return Trees(
            np.concatenate([np.empty(0, dtype=np.int64), *parents]),
            np.concatenate([np.empty(0), *(axis.rest for axis in left)]),
            starts,
        )

    def place(self, *tables: Columns) -> tuple[Points, ...]:
        """Each table's records as points, its columns in the order of the axes.

        Coordinates on which all records of all the tables agree are left out: they cannot change a
        distance.
        """
        wide = [self._coordinates(columns) for columns in tables]
        low = np.min([table.min(axis=0, initial=np.inf) for table in wide], axis=0)
        high = np.max([table.max(axis=0, initial=-np.inf) for table in wide], axis=0)
        varies = high > low
        return tuple(
            Points(np.ascontiguousarray(table[:, varies]), self._nodes(columns))
            for table, columns in zip(wide, tables, strict=True)
        )

    def _coordinates(self, columns: Columns) -> Floats:
        pairs = zip(self.axes, columns, strict=True)
        blocks = [axis.coordinates(values, missing) for axis, (values, missing) in pairs]
        return np.concatenate([np.empty((_length(columns), 0)), *blocks], axis=1)

    def _nodes(self, columns: Columns) -> Codes:
        pairs = zip(self.axes, columns, strict=True)
        trees = [axis.nodes(values, missing) for axis, (values, missing) in pairs if _has_rest(axis)]
        return np.stack(trees, axis=1) if trees else np.empty((_length(columns), 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Links:
    """What a query sees around its own target.

    `closer`: targets strictly nearer than its own (counted up to `reach`); `tied`: targets as near as its
    own, itself included (complete where closer < reach); `first`: the lowest row among these; `distance`:
    to its own.
    """

    closer: Ints
    tied: Ints
    first: Ints
    distance: Floats


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest target of each query: its distance, how many targets are as near, and the lowest row
    of these.
    """

    distance: Floats
    tied: Ints
    row: Ints


def find_links(space: Space, queries: Points, targets: Points, own: Ints, reach: int = 1) -> Links:
    """For each query, how many targets are nearer than its own (row own[i] of the targets), and how
    many as near.

    >>> line = Space((NumericAxis(0.0, 1.0, 1.0),))
    >>> shown = np.zeros(3, dtype=np.bool_)
    >>> points, = line.place([(np.array([0.0, 1.0, 4.0]), shown)])
    >>> find_links(line, points, points, np.array([0, 2, 2])).closer.tolist()
    [0, 1, 0]
    """
    theirs = targets.take(own)
    squared = pair_distances(
        space.trees, queries.coordinates, queries.nodes, theirs.coordinates, theirs.nodes
    )
    distance = np.sqrt(squared)
    counts = count_rings(
        targets.boxes, space.trees, queries.coordinates, queries.nodes, _rings(distance, reach)
    )
    return Links(np.minimum(counts[:, 0], reach), counts[:, 1], counts[:, 2], distance)


def find_nearest(space: Space, queries: Points, targets: Points, skip: Ints | None = None) -> Nearest:
    """The nearest target of each query; target row skip[i] (where >= 0) is left out. Distance inf without
    targets.
    """
    left_out = np.full(len(queries), -1, dtype=np.int64) if skip is None else np.asarray(skip, dtype=np.int64)
    entry = targets.entries_of(left_out) if len(targets) else left_out
    places = (queries.coordinates, queries.nodes)
    found = nearest_entries(targets.boxes, space.trees, *places, np.stack([left_out, entry], axis=1))
    distance, tied, row = np.sqrt(found[:, 0]), found[:, 2].astype(np.int64), found[:, 3].astype(np.int64)
    # Where another entry is as near, the ties are counted by a second search.
    several = np.flatnonzero((found[:, 1] <= (distance + TIE) ** 2) & (tied > 0))
    rings = _rings(distance[several], 1, left_out[several], entry[several])
    some = queries.take(several)
    counts = count_rings(targets.boxes, space.trees, some.coordinates, some.nodes, rings)
    tied[several], row[several] = counts[:, 1], counts[:, 2]
    return Nearest(distance, tied, row)


def find_tied(space: Space, queries: Points, targets: Points, nearest: Nearest) -> tuple[Ints, Ints]:
    """All pairs (query, target row) of a query and each of its nearest targets, by query and row."""
    rings = _rings(nearest.distance, 1)
    places = (queries.coordinates, queries.nodes, rings)
    n_entries = count_rings(targets.boxes, space.trees, *places)[:, 3]
    entry = list_rings(targets.boxes, space.trees, *places, n_entries)
    query = np.repeat(np.arange(len(queries), dtype=np.int64), n_entries)
    by_entry = np.argsort(targets.entries.labels, kind="stable")
    starts = np.cumsum(targets.entries.sizes) - targets.entries.sizes
    times = targets.entries.sizes[entry]
    within = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    rows = by_entry[np.repeat(starts[entry], times) + within]
    query = np.repeat(query, times)
    order = np.lexsort((rows, query))
    return query[order], rows[order].astype(np.int64)


def _rings(distance: Floats, reach: int, skip: Ints | None = None, entry: Ints | None = None) -> Floats:
    """Everything within TIE of the distance is as near: inner and outer edge squared, reach, what is left
    out.
    """
    none = np.full(len(distance), -1)
    inner, outer = np.maximum(distance - TIE, 0.0), distance + TIE
    left_out = (none if skip is None else skip, none if entry is None else entry)
    return np.stack([inner**2, outer**2, np.full(len(distance), float(reach)), *left_out], axis=1)


def _length(columns: Columns) -> int:
    return len(columns[0][0]) if columns else 0


def _has_rest(axis: Axis) -> TypeGuard[TreeAxis]:
    return isinstance(axis, TreeAxis) and bool(axis.rest.any())


def _check_scale(scale: Scale) -> None:
    if scale not in SCALES:
        raise ParameterError(f"scale must be one of {', '.join(SCALES)}. Got {scale!r}.")
