"""MDAV microaggregation: records into groups of k, the farthest first, each with its nearest.

While 2k or more records are left: r is the record farthest from the centroid of those left, and forms a group with
its k - 1 nearest; if 3k or more were left, s, the farthest from r of those left then, does the same. The rest (k to
2k - 1 records) is the last group; fewer than 2k records at the start are one group. Ties go to the lower row
everywhere. Squared distances are sums over columns of scale (x - y)^2, scaled after squaring, so that equal
differences of raw values stay equal. The packed loop and the tree give the same groups, bit for bit.

Domingo-Ferrer, Mateo-Sanz (2002), Practical data-oriented microaggregation for statistical disclosure control.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Codes, Floats, Ints
from discreet.errors import ParameterError
from discreet.kernels.mdav_packed import partition_packed
from discreet.kernels.mdav_tree import partition_tree
from discreet.kernels.mdav_variable import partition_variable

__all__ = ["mdav", "mdav_mixed", "mdav_packed", "mdav_tree", "vmdav"]


def mdav(points: Floats, k: int, scales: Floats | None = None) -> Ints:
    """Group of each record, numbered in the order made, by whichever algorithm is likely the faster.

    `points` is (n, d), finite, scaled by the caller or through `scales` (d,): factors of squared differences.

    >>> mdav(np.array([[0.0], [1.0], [9.0], [10.0], [11.0], [0.5]]), k=3)
    array([1, 1, 0, 0, 0, 1])
    """
    n, d = np.shape(points) if np.ndim(points) == 2 else (0, 0)
    # where the two took equal time on normal data of 1 to 20 columns; real columns depend on each other and
    # are better for the tree, which on large tables never loses much
    enough = min(1000.0 * 2.0 ** (d / 4) * max(k, 1) ** 0.6, 100_000.0)
    return mdav_tree(points, k, scales) if n >= enough else mdav_packed(points, k, scales)


def mdav_packed(points: Floats, k: int, scales: Floats | None = None) -> Ints:
    """The same groups as `mdav`, scanning all records left for each group: O(n^2 d / k) time, O(n d) memory."""
    values, factors = _checked(points, k, scales)
    if k == 1:
        return np.arange(len(values))
    nodes = np.empty((0, len(values)), dtype=np.int32)
    return partition_packed(_by_column(values), nodes, _forest([], [], factors), k)


def mdav_tree(points: Floats, k: int, scales: Floats | None = None) -> Ints:
    """The same groups as `mdav`, searching a k-d tree: O(n d) memory, and in few columns nearly O(n log n) time."""
    values, factors = _checked(points, k, scales)
    if k == 1:
        return np.arange(len(values))
    return partition_tree(*_varying(values, factors), k)


def mdav_mixed(
    numeric: Floats,
    nodes: Codes,
    parents: Sequence[Codes],
    weights: Sequence[Floats],
    scales: Floats,
    k: int,
) -> Ints:
    """MDAV of p numeric columns (n, p) together with q columns whose values are nodes of trees (n, q).

    Tree t has parents[t], in an order where a parent stands before its children (root first, its own parent -1), and
    weights[t], the weight of the edge above each node (that of the root is ignored). The distance between two of its
    nodes is the sum of the weights on the path; from the centroid it is the mean of such distances to the records
    left. A nominal column is a tree of depth one. `scales` (p + q,) multiply squared differences, then tree distances.

    >>> flat = np.array([-1, 0, 0], dtype=np.int32)
    >>> colours = np.array([[1], [2], [1], [2]], dtype=np.int32)
    >>> mdav_mixed(np.zeros((4, 0)), colours, [flat], [np.ones(3)], np.ones(1), k=2)
    array([0, 1, 0, 1])
    """
    values, factors = _checked(numeric, k, scales, n_trees=len(parents))
    records = _checked_nodes(nodes, parents, weights, len(values))
    if k == 1:
        return np.arange(len(values))
    pruned = [_prune(*tree) for tree in zip(records.T, parents, weights, strict=True)]
    columns = np.empty((len(pruned), len(values)), dtype=np.int32)
    for tree, (column, _, _) in enumerate(pruned):
        columns[tree] = column
    forest = _forest([tree[1] for tree in pruned], [tree[2] for tree in pruned], factors)
    return partition_packed(_by_column(values), columns, forest, k)


def vmdav(points: Floats, k: int, gamma: float, scales: Floats | None = None) -> Ints:
    """V-MDAV: groups of k or more, whose size follows the data; numbered in the order made.

    The record farthest from the centroid of all takes its k - 1 nearest. While the group has fewer than 2k - 1, the
    record left that is nearest to a member joins if that distance is less than `gamma` times its distance to the
    nearest other record left. Fewer than k records left over join the group with the nearest centroid, which may
    thereby exceed 2k - 1. With gamma 0 no group grows; 0.2 suits scattered and 1.1 clustered data.

    Solanas, Martínez-Ballesté (2006), V-MDAV: a multivariate microaggregation with variable group size, COMPSTAT.

    >>> vmdav(np.array([[0.0], [1.0], [1.5], [9.0], [10.0]]), k=2, gamma=1.0)
    array([1, 1, 1, 0, 0])
    """
    values, factors = _checked(points, k, scales)
    if not (np.isfinite(gamma) and gamma >= 0):
        raise ParameterError(
            "gamma must be finite and not negative. 0.2 suits scattered and 1.1 clustered data."
        )
    if k == 1:
        return np.arange(len(values))
    return partition_variable(*_varying(values, factors), k, gamma)


def _varying(values: Floats, factors: Floats) -> tuple[Floats, Floats]:
    """The columns that count in a distance; one column of zeros if none does."""
    counts = factors > 0
    if not counts.any():
        return np.zeros((len(values), 1)), np.ones(1)
    return np.ascontiguousarray(values[:, counts]), factors[counts]


def _by_column(values: Floats) -> Floats:
    """A copy (d, n) whose columns of `values` (n, d) are contiguous."""
    return np.array(values.T, dtype=np.float64, order="C")


def _forest(
    parents: Sequence[Codes], weights: Sequence[Floats], scales: Floats
) -> tuple[Ints, Codes, Floats, Floats, Floats]:
    """The trees one after the other, as the kernel reads them."""
    starts = np.cumsum([0, *(len(tree) for tree in parents)], dtype=np.int64)
    n_numeric = len(scales) - len(parents)
    return (
        starts,
        np.concatenate([np.empty(0, dtype=np.int32), *parents]).astype(np.int32),
        np.concatenate([np.empty(0), *weights]).astype(np.float64),
        np.ascontiguousarray(scales[:n_numeric]),
        np.ascontiguousarray(scales[n_numeric:]),
    )


def _prune(column: Codes, parents: Codes, weights: Floats) -> tuple[Codes, Codes, Floats]:
    """The column and its tree without the nodes that no record stands on or below; the root stays."""
    used = np.zeros(len(parents), dtype=np.bool_)
    used[column] = True
    for v in range(len(parents) - 1, 0, -1):
        if used[v]:
            used[parents[v]] = True
    used[0] = True
    position = np.cumsum(used) - 1
    above = position[np.maximum(parents[used], 0)]
    return position[column].astype(np.int32), above.astype(np.int32), weights[used]


def _checked(points: Floats, k: int, scales: Floats | None, n_trees: int = 0) -> tuple[Floats, Floats]:
    """Points and scales as arrays of float64, after all checks; scales of trees stand after those of columns."""
    if k < 1 or k != int(k):
        raise ParameterError(f"k must be a whole number of at least 1. Got {k}.")
    values = _checked_points(points)
    factors = _checked_scales(scales, values.shape[1] + n_trees)
    with np.errstate(over="ignore"):
        squares = [scale * np.ptp(column) ** 2 for scale, column in zip(factors, values.T, strict=False)]
        overflow = not np.isfinite(sum(squares))
    if overflow:
        raise ParameterError(
            "the columns spread too far: squared distances overflow. Standardise them first."
        )
    return values, factors


def _checked_points(points: Floats) -> Floats:
    values = np.asarray(points, dtype=np.float64)
    if values.ndim != 2 or len(values) == 0:
        raise ParameterError(f"points must be (n, d) with at least one record. Got shape {values.shape}.")
    wrong = int(np.count_nonzero(~np.isfinite(values).all(axis=1)))
    if wrong:
        raise ParameterError(
            f"points must be finite; {wrong} of {len(values)} records are not. "
            "Impute or set apart missing values first."
        )
    return values


def _checked_scales(scales: Floats | None, n_columns: int) -> Floats:
    if scales is None:
        return np.ones(n_columns)
    factors = np.asarray(scales, dtype=np.float64)
    if factors.shape != (n_columns,):
        raise ParameterError(f"scales must be one per column. Got {factors.shape} for {n_columns} columns.")
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise ParameterError("scales must be finite and not negative. Give a constant column scale 0.")
    return factors


def _checked_nodes(
    nodes: Codes, parents: Sequence[Codes], weights: Sequence[Floats], n_records: int
) -> Codes:
    columns = np.asarray(nodes)
    if columns.shape != (n_records, len(parents)) or len(weights) != len(parents):
        raise ParameterError(
            f"nodes must be (records, trees). Got shape {columns.shape} for {n_records} records, "
            f"{len(parents)} parent arrays and {len(weights)} weight arrays."
        )
    for tree, (above, edge) in enumerate(zip(parents, weights, strict=True)):
        if (
            len(above) == 0
            or len(edge) != len(above)
            or (np.asarray(above)[1:] >= np.arange(1, len(above))).any()
        ):
            raise ParameterError(
                f"tree {tree}: parents must stand before their children, with one weight per node."
            )
        if (np.asarray(above)[1:] < 0).any() or not (np.isfinite(edge[1:]).all() and (edge[1:] >= 0).all()):
            raise ParameterError(f"tree {tree}: one root only, and edge weights finite and not negative.")
        if n_records and (columns[:, tree].min() < 0 or columns[:, tree].max() >= len(above)):
            raise ParameterError(
                f"tree {tree}: some records hold a node the tree lacks. It has {len(above)} nodes."
            )
    return columns.astype(np.int32)
