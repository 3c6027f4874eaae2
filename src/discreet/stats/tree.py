"""Statistics of values placed on a tree: marginality, variance, mean, distances, in O(nodes).

A tree comes as the array `parent` of a depth-first preorder (parent[v] < v, root first with -1) and `depth`; see
`discreet.table.taxonomy.Taxonomy`, which is not needed here. Values come as `counts` per node (records, or sums
of survey weights) or as node numbers. Everything rests on one fact: put a weight on every edge, and let
phi_e(x) = sqrt(weight e) if x lies below edge e, else 0; then the path weight d(x, y) = ||phi(x) - phi(y)||^2
is a squared Euclidean distance. So the marginality of x, the sum of d(x, record) over the records, is its
squared distance to the centroid (times n, plus a constant), and no pairs of records are ever formed.

Array `weight` holds the weight of the edge above each node (0 for the root). It belongs to the file it was
fitted on: measure subsamples and masked files with the weights of the original.

Reference: Domingo-Ferrer, Muralidhar and Rufian-Torrell, Anonymization Methods for Taxonomic Microdata, 2012:
Algorithm 1 (marginality), Definitions 1 (Var_M), 2 (Mean_M), 4 (Covar_M).
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.arrays import Codes, Floats, Ints
from discreet.errors import ParameterError, UnsuitableError
from discreet.kernels.tree import _merge_rare, _sum_down, _sum_up

__all__ = [
    "Mean",
    "Nodes",
    "WeightKind",
    "common_ancestors",
    "distances",
    "distances_from",
    "edge_weights",
    "from_root",
    "greatest_depth",
    "marginality",
    "marginality_under",
    "mean_m",
    "node_counts",
    "roll_up",
    "subtree_counts",
    "var_m",
    "variance_h",
]

Nodes: TypeAlias = Ints | Codes
WeightKind: TypeAlias = Literal["pow2", "uniform", "ic"]


# ---------------------------------------------------------------------- counts on the tree


def node_counts(nodes: Nodes, n_nodes: int, record_weights: Floats | None = None) -> Floats:
    """Records on each node, or the sum of their weights."""
    return np.bincount(nodes, weights=record_weights, minlength=n_nodes).astype(np.float64)


def subtree_counts(parent: Ints, counts: ArrayLike) -> Floats:
    """Sum of `counts` over the subtree of every node. Whole numbers are exact up to 2^53.

    >>> subtree_counts(np.array([-1, 0, 1, 1, 0]), [0, 1, 2, 3, 4])
    array([10.,  6.,  2.,  3.,  4.])
    """
    return _swept(_sum_up, parent, counts)


def from_root(parent: Ints, values: ArrayLike) -> Floats:
    """Sum of `values` along the path from the root to every node, both ends included.

    >>> from_root(np.array([-1, 0, 1, 1, 0]), [0, 4, 2, 2, 4])
    array([0., 4., 6., 6., 4.])
    """
    return _swept(_sum_down, parent, values)


def _swept(sweep: Any, parent: Ints, values: ArrayLike) -> Floats:
    """A copy of `values` after one pass of a kernel over the tree."""
    tree = _checked(parent)
    result = np.array(values, dtype=np.float64)
    if result.shape != tree.shape:
        raise ParameterError(
            f"one value per node is needed: {len(tree)} nodes, values of shape {result.shape}"
        )
    sweep(tree, result)
    return result


def _checked(parent: Ints) -> Ints:
    """`parent` as the kernels need it; they would read outside the array if it were not a preorder."""
    tree = np.ascontiguousarray(parent, dtype=np.int64)
    below_root = tree[1:]
    if (
        len(tree) == 0
        or tree[0] != -1
        or (below_root < 0).any()
        or (below_root >= np.arange(1, len(tree))).any()
    ):
        raise ParameterError("parent must be -1 for the first node and a smaller node number for every other")
    return tree


def _total(counts: Floats) -> float:
    total = float(counts.sum())
    if total <= 0:
        raise UnsuitableError("the tree holds no records: nothing can be measured on it")
    return total


# ---------------------------------------------------------------------- edge weights


def greatest_depth(depth: Ints, counts: ArrayLike) -> int:
    """L of Algorithm 1: the depth of the pruned tree, that is of the deepest node with records; 0 without any."""
    return int(np.max(depth[np.asarray(counts) > 0], initial=0))


def edge_weights(
    parent: Ints,
    depth: Ints,
    counts: ArrayLike,
    *,
    kind: WeightKind = "pow2",
    deepest: int | None = None,
    level_leaves: bool = False,
) -> Floats:
    """Weight of the edge above every node; 0 for the root.

    Parameters
    ----------
    kind : "pow2" is Algorithm 1, 2^(L - depth): 1 at the deepest sampled level L, deeper 1/2, 1/4 ...;
        "uniform" counts edges; "ic" is the information lost by the step, ln((below parent + 1) / (below + 1)).
    deepest : L, where it comes from another file than these counts. Only for "pow2".
    level_leaves : leaves, and sampled categories without sampled ones below them, count as if they lay at depth
        L (their weight w becomes 2 w - 1). An undivided code is then not central for being shallow alone.

    Examples
    --------
    >>> edge_weights(np.array([-1, 0, 1, 0]), np.array([0, 1, 2, 1]), [0, 0, 3, 1])
    array([0., 2., 1., 2.])
    >>> edge_weights(np.array([-1, 0, 1, 0]), np.array([0, 1, 2, 1]), [0, 0, 3, 1], level_leaves=True)
    array([0., 2., 1., 3.])
    """
    held = np.asarray(counts, dtype=np.float64)
    if kind == "uniform":
        weight = np.ones(len(parent))
    elif kind == "ic":
        below = subtree_counts(parent, held) + 1.0
        weight = np.log(below[np.maximum(parent, 0)] / below)
    elif kind == "pow2":
        level = greatest_depth(depth, held) if deepest is None else deepest
        weight = np.ldexp(1.0, level - depth)
        if level_leaves:
            ends = _ends(parent, held) & (depth < level)
            weight[ends] = 2.0 * weight[ends] - 1.0  # 2^(L-d) + ... + 1: a chain down to depth L
    else:
        raise ParameterError(f'kind must be "pow2", "uniform" or "ic". Got {kind!r}')
    weight[0] = 0.0
    return weight


def _ends(parent: Ints, counts: Floats) -> NDArray[np.bool_]:
    """Leaves of the tree, and nodes with records that have none below them."""
    leaf = np.bincount(parent[1:], minlength=len(parent)) == 0
    ends: NDArray[np.bool_] = leaf | ((counts > 0) & (subtree_counts(parent, counts) == counts))
    return ends


# ---------------------------------------------------------------------- statistics


def marginality(
    parent: Ints, depth: Ints, counts: ArrayLike, deepest: int | None = None, level_leaves: bool = False
) -> Floats:
    """Algorithm 1: m of every node, also of those without records, under weights 2^(L - depth).

    Exact while n 2^(L + 1) < 2^53 and no node is deeper than L by more than the same room allows.

    >>> marginality(np.array([-1, 0, 1, 0]), np.array([0, 1, 2, 1]), [0, 0, 3, 1])
    array([11.,  7.,  5., 15.])
    """
    weight = edge_weights(parent, depth, counts, deepest=deepest, level_leaves=level_leaves)
    return marginality_under(parent, weight, counts)


def marginality_under(parent: Ints, weight: Floats, counts: ArrayLike) -> Floats:
    """m(v) = sum over the records of the path weight from v, for every node, under any edge weights.

    m(root) = sum_v w_v below_v; then m(v) = m(parent v) + w_v (n - 2 below_v): the step down to v brings below_v
    records nearer by w_v and takes all others farther away.
    """
    below = subtree_counts(parent, counts)
    steps = weight * (below[0] - 2.0 * below)
    steps[0] = np.sum(weight * below)
    return from_root(parent, steps)


def var_m(m: Floats, counts: ArrayLike) -> float:
    """Definition 1: the mean marginality of the records. It grows with n; `variance_h` does not."""
    held = np.asarray(counts, dtype=np.float64)
    return float(np.sum(held * m) / _total(held))


def variance_h(parent: Ints, weight: Floats, counts: ArrayLike) -> float:
    """V_H = Var_M / 2n = sum of w p (1 - p), p the share of records below an edge: an ordinary variance.

    On a flat tree it is the Gini index 1 - sum p^2.

    >>> round(variance_h(np.array([-1, 0, 0]), np.array([0.0, 1.0, 1.0]), [0, 1, 3]), 3)
    0.375
    """
    below = subtree_counts(parent, counts)
    share = below / _total(below[:1])
    return float(np.sum(weight * share * (1.0 - share)))


class Mean(NamedTuple):
    """Definition 2: the categories of least marginality (Mean_M, the first of `nodes`), and that least value."""

    nodes: Ints
    value: float


def mean_m(m: Floats, counts: ArrayLike, over: Literal["sampled", "tree"] = "sampled") -> Mean:
    """The most central categories, all that tie in preorder: of those with records, or of the whole tree.

    Over the whole tree it is the weighted median of the tree, often an ancestor that no record holds.
    """
    if over not in ("sampled", "tree"):
        raise ParameterError(f'over must be "sampled" or "tree". Got {over!r}')
    held = np.asarray(counts, dtype=np.float64)
    _total(held)
    eligible = m if over == "tree" else np.where(held > 0, m, np.inf)
    least = eligible.min()
    return Mean(np.flatnonzero(eligible == least), float(least))


# ---------------------------------------------------------------------- distances


def common_ancestors(parent: Ints, x: Nodes, y: Nodes) -> Ints:
    """The lowest common ancestor of each pair (x, y broadcast against each other).

    In preorder the later of two different nodes is never above the other, so it moves up until they meet.
    """
    left, right = (side.astype(np.int64) for side in np.broadcast_arrays(x, y))
    while (left != right).any():
        later = left > right
        left, right = np.where(later, parent[left], left), np.where(left < right, parent[right], right)
    return left


def distances(parent: Ints, weight: Floats, x: Nodes, y: Nodes) -> Floats:
    """d(x, y), the weight of the path between each pair of nodes (x, y broadcast against each other).

    >>> distances(np.array([-1, 0, 1, 0]), np.array([0.0, 2.0, 1.0, 2.0]), np.array([2, 2]), np.array([3, 1]))
    array([5., 1.])
    """
    height = from_root(parent, weight)
    return height[x] + height[y] - 2.0 * height[common_ancestors(parent, x, y)]


def distances_from(parent: Ints, weight: Floats, node: int) -> Floats:
    """d(node, v) for every node v, in O(nodes): going down an edge is nearer if it leads to `node`, else farther.

    >>> distances_from(np.array([-1, 0, 1, 0]), np.array([0.0, 2.0, 1.0, 2.0]), 2)
    array([3., 1., 0., 5.])
    """
    steps = np.array(weight, dtype=np.float64)
    above, path_weight = int(node), 0.0
    while above > 0:
        path_weight += weight[above]
        steps[above] = -weight[above]
        above = int(parent[above])
    steps[0] = path_weight
    return from_root(parent, steps)


# ---------------------------------------------------------------------- rare categories


def roll_up(parent: Ints, counts: ArrayLike, min_count: float) -> Ints:
    """The node each node's records move to so that every category has none or at least `min_count` of them.

    From the last node to the first, a category with 0 < count < min_count moves to its parent, taking along what
    it got from below. Refuses when the root would be left with too few.

    >>> roll_up(np.array([-1, 0, 1, 1, 0]), [0, 1, 1, 9, 5], 2)
    array([0, 1, 1, 3, 4])
    """
    tree = _checked(parent)
    held = np.array(counts, dtype=np.float64)
    target = np.empty(len(tree), dtype=np.int64)
    _merge_rare(tree, float(min_count), held, target)
    if 0 < held[0] < min_count:
        raise UnsuitableError(
            f"rolling up to min_count={min_count:g} leaves the root with fewer records than that. Lower min_count"
        )
    return target
