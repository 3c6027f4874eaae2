"""How far apart two records are, all kinds of columns on one scale: the squared S-distance.

Each column contributes (variance of the pair) / (variance of the file), 1/2 on average over random pairs of records
that have it: numbers and positions of an order by (x - y)^2 / 4 over their variance, categories by half the Gini
measure, nodes of a tree by their path. A constant column contributes nothing. (Domingo-Ferrer, Muralidhar,
Rufian-Torrell, Definition 3, with the file's measure in population form.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Codes, Floats, Ints
from discreet.kernels.mdav import mdav, mdav_mixed
from discreet.stats.tree import edge_weights, node_counts, variance_h
from discreet.table.column import Column


@dataclass(frozen=True, eq=False)
class Spread:
    """Columns as numbers and tree nodes with the scale of each: squared distance = sum of scaled differences."""

    numeric: Floats
    nodes: Codes
    parents: tuple[Ints, ...]
    weights: tuple[Floats, ...]
    scales: Floats

    def groups(self, k: int) -> Ints:
        """MDAV groups of at least k."""
        if not self.parents:
            return mdav(self.numeric, k, self.scales)
        parents = [np.asarray(parent, dtype=np.int32) for parent in self.parents]
        return mdav_mixed(self.numeric, self.nodes, parents, self.weights, self.scales, k)


def spread_of(columns: Sequence[Column]) -> Spread:
    """Scale columns by the variances of their present cells.

    A missing cell stands at the mean of its column (root of its tree), and does not make the column look narrow.
    """
    lines = [column for column in columns if column.kind in ("numeric", "ordinal")]
    trees = [column for column in columns if column.kind in ("nominal", "taxonomic")]
    n = columns[0].n_records
    numeric = np.column_stack([_line(column) for column in lines]) if lines else np.empty((n, 0))
    nodes = [_nodes(column) for column in trees]
    parents = [_parent(column) for column in trees]
    counts = [_present_counts(column, own) for column, own in zip(trees, nodes, strict=True)]
    weights = [_weights(column, own) for column, own in zip(trees, counts, strict=True)]
    scales = [_line_scale(column.numbers[~column.missing]) for column in lines] + [
        _tree_scale(parent, weight, own) for parent, weight, own in zip(parents, weights, counts, strict=True)
    ]
    return Spread(
        numeric=np.ascontiguousarray(numeric),
        nodes=np.column_stack(nodes).astype(np.int32) if nodes else np.empty((n, 0), dtype=np.int32),
        parents=tuple(parents),
        weights=tuple(weights),
        scales=np.array(scales),
    )


def _line(column: Column) -> Floats:
    present = column.numbers[~column.missing]
    if len(present) == column.n_records:
        return present
    return np.where(column.missing, present.mean() if len(present) else 0.0, column.numbers)


def _line_scale(values: Floats) -> float:
    """1 / (4 variance); 0 for a constant column, also where rounding leaves it a variance, and for an empty one."""
    if not len(values):
        return 0.0
    variance = float(np.var(values))
    negligible = variance <= 1e-24 * max(float(np.mean(values**2)), 1e-300)
    return 0.0 if negligible else 1.0 / (4.0 * variance)


def _nodes(column: Column) -> Codes:
    """Preorder nodes; a nominal column is a tree of depth one with its categories under node 0."""
    shift = 0 if column.tree is not None else 1
    return np.where(column.missing, 0, column.values + shift).astype(np.int32)


def _parent(column: Column) -> Ints:
    if column.tree is not None:
        return column.tree.parent
    return np.concatenate([[-1], np.zeros(len(column.levels), dtype=np.int64)])


def _present_counts(column: Column, nodes: Codes) -> Floats:
    """Records at each node, those that lack the cell left out."""
    return node_counts(nodes[~column.missing], len(_parent(column)))


def _weights(column: Column, counts: Floats) -> Floats:
    parent = _parent(column)
    depth = np.minimum(np.arange(len(parent)), 1) if column.tree is None else column.tree.depth
    return edge_weights(parent, depth, counts)


def _tree_scale(parent: Ints, weights: Floats, counts: Floats) -> float:
    if not counts.any():
        return 0.0
    gini = variance_h(parent, weights, counts)
    return 0.0 if gini <= 0 else 1.0 / (4.0 * gini)
