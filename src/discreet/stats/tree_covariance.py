"""Association of a taxonomic column with another column, taxonomic or numeric.

`covar_m` is the paper's (Definition 4); it is not centred and hardly sees how values are paired. `hcov` is the
Frobenius norm of the cross-covariance of the images phi (see `discreet.stats.tree`) and works for any two kinds.
All covariances are in population form; `record_weights` makes them the weighted ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError
from discreet.stats.tree import Nodes, node_counts, subtree_counts

__all__ = ["OnTree", "covar_m", "hcorr", "hcov"]


@dataclass(frozen=True)
class OnTree:
    """The values of a taxonomic column: the node of each record, in a tree with edge weights."""

    parent: Ints
    weight: Floats
    nodes: Nodes


Values: TypeAlias = OnTree | Floats


def covar_m(m_x: Floats, m_y: Floats, record_weights: Floats | None = None, centred: bool = False) -> float:
    """Definition 4: the mean of sqrt(m(x) m(y)) over the records, given both marginalities of each record.

    `centred` subtracts mean sqrt(m(x)) times mean sqrt(m(y)), which makes it a covariance.
    """
    roots_x, roots_y = np.sqrt(m_x), np.sqrt(m_y)
    mean = float(np.average(roots_x * roots_y, weights=record_weights))
    if not centred:
        return mean
    return mean - float(
        np.average(roots_x, weights=record_weights) * np.average(roots_y, weights=record_weights)
    )


def hcov(x: Values, y: Values, record_weights: Floats | None = None) -> float:
    """Norm of the cross-covariance of two columns; |covariance| for two numeric ones.

    sqrt(sum over edges e, f of w_e w_f (p_ef - p_e p_f)^2), p_ef the share of records below both.

    >>> flat, w = np.array([-1, 0, 0]), np.array([0.0, 1.0, 1.0])
    >>> round(hcov(OnTree(flat, w, np.array([1, 1, 2, 2])), np.array([0.0, 1.0, 2.0, 3.0])), 3)
    0.707
    """
    share = _shares(_length(x), record_weights)
    if _length(y) != len(share):
        raise ParameterError(f"both columns must have as many records: {len(share)} and {_length(y)}")
    if isinstance(x, OnTree) and isinstance(y, OnTree):
        return _hcov_trees(x, y, share)
    if isinstance(x, OnTree):
        return _hcov_numeric(x, np.asarray(y, dtype=np.float64), share)
    if isinstance(y, OnTree):
        return _hcov_numeric(y, np.asarray(x, dtype=np.float64), share)
    return abs(float(np.sum(share * _centred(x, share) * _centred(y, share))))


def hcorr(x: Values, y: Values, record_weights: Floats | None = None) -> float:
    """hcov(x, y) / sqrt(hcov(x, x) hcov(y, y)), in [0, 1]; |Pearson| for two numeric columns.

    NaN where a column is constant.
    """
    spread = hcov(x, x, record_weights) * hcov(y, y, record_weights)
    return hcov(x, y, record_weights) / float(np.sqrt(spread)) if spread > 0 else float("nan")


def _length(values: Values) -> int:
    return len(values.nodes if isinstance(values, OnTree) else values)


def _shares(n_records: int, record_weights: Floats | None) -> Floats:
    if n_records == 0:
        raise ParameterError("a covariance needs records. Got none")
    if record_weights is None:
        return np.full(n_records, 1.0 / n_records)
    shares: Floats = np.asarray(record_weights, dtype=np.float64) / record_weights.sum()
    return shares


def _centred(values: Floats, share: Floats) -> Floats:
    return values - np.sum(share * values)


def _hcov_numeric(x: OnTree, values: Floats, share: Floats) -> float:
    """One covariance per edge: that of "lies below it" with the number."""
    below = subtree_counts(x.parent, node_counts(x.nodes, len(x.parent), share * _centred(values, share)))
    return float(np.sqrt(np.sum(x.weight * below**2)))


def _hcov_trees(x: OnTree, y: OnTree, share: Floats) -> float:
    """The contingency table minus the product of its margins, summed up both trees."""
    pruned_x, pruned_y = _pruned(x), _pruned(y)
    n_x, n_y = len(pruned_x.parent), len(pruned_y.parent)
    joint = node_counts(pruned_x.nodes.astype(np.int64) * n_y + pruned_y.nodes, n_x * n_y, share)
    table = joint.reshape(n_x, n_y)
    table = table - np.outer(table.sum(axis=1), table.sum(axis=0))
    _sum_rows_up(pruned_x.parent, table)
    _sum_rows_up(pruned_y.parent, table.T)
    return float(np.sqrt(pruned_x.weight @ table**2 @ pruned_y.weight))


def _pruned(values: OnTree) -> OnTree:
    """The same values on the tree without the subtrees that hold no record: they add nothing but size."""
    n_nodes = len(values.parent)
    kept = np.flatnonzero(subtree_counts(values.parent, node_counts(values.nodes, n_nodes)) > 0)
    renumbered = np.full(n_nodes, -1, dtype=np.int64)
    renumbered[kept] = np.arange(len(kept))
    parent = np.where(kept > 0, renumbered[np.maximum(values.parent[kept], 0)], -1)
    return OnTree(parent, values.weight[kept], renumbered[values.nodes])


def _sum_rows_up(parent: Ints, table: Floats) -> None:
    """Each row becomes the sum over the rows of its subtree, in place."""
    for node in range(len(parent) - 1, 0, -1):
        table[parent[node]] += table[node]
