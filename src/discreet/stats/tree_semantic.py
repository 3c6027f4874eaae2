"""Semantic distances between categories of a tree, as K x K matrices on given nodes.

They are for assessment: the mean distance from original to masked categories over its value under independence.
Only the path distances (uniform weights) and Jiang-Conrath (information weights) are additive along paths; the
others are no squared Euclidean distances, so masking and variances use `discreet.stats.tree`.

References: Wu and Palmer 1994; Leacock and Chodorow 1998 (scaled to [0, 1]); Lin 1998; Jiang and Conrath 1997;
Sanchez, Batet, Isern and Valls 2012.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError
from discreet.stats.tree import Nodes, common_ancestors, edge_weights, from_root

__all__ = ["SemanticKind", "semantic_distances"]

SemanticKind: TypeAlias = Literal["path", "wu_palmer", "leacock_chodorow", "lin", "sanchez", "jiang_conrath"]


def semantic_distances(
    kind: SemanticKind, parent: Ints, depth: Ints, nodes: Nodes, counts: ArrayLike | None = None
) -> Floats:
    """Distance between each two of `nodes`, 0 for the same node. With a, b, c: depth of two nodes and of the
    lowest common ancestor; H: height of the tree; I: information ln((n + 1) / (below + 1)) of the counts:

    - path: a + b - 2c, edges between them
    - wu_palmer: 1 - 2c / (a + b)
    - leacock_chodorow: ln(1 + path) / ln(1 + 2H)
    - sanchez: log2(1 + (union - common) / union) of the two sets of ancestors, the nodes themselves included
    - lin: 1 - 2 I(common) / (I + I); needs `counts`
    - jiang_conrath: I + I - 2 I(common); needs `counts`

    >>> parent, depth = np.array([-1, 0, 1, 1, 0]), np.array([0, 1, 2, 2, 1])
    >>> semantic_distances("wu_palmer", parent, depth, np.array([2, 3, 4]))
    array([[0. , 0.5, 1. ],
           [0.5, 0. , 1. ],
           [1. , 1. , 0. ]])
    """
    if kind not in get_args(SemanticKind):
        raise ParameterError(f"kind must be one of {', '.join(get_args(SemanticKind))}. Got {kind!r}")
    members: Ints = np.asarray(nodes, dtype=np.int64)
    row, column = members[:, None], members[None, :]
    common = common_ancestors(parent, row, column)
    if kind in ("lin", "jiang_conrath"):
        if counts is None:
            raise ParameterError(f"kind={kind!r} needs counts, the records on each node")
        height = from_root(parent, edge_weights(parent, depth, counts, kind="ic"))
    else:
        height = depth.astype(np.float64)
    return _of_heights(kind, height[row] + height[column], height[common], float(height.max()))


def _of_heights(kind: SemanticKind, both: Floats, common: Floats, highest: float) -> Floats:
    """The formulas, in terms of the heights (depth or information) of two nodes, summed, and of their meeting."""
    path = both - 2.0 * common
    if kind in ("wu_palmer", "lin"):  # 1 - 2 common / both, 0 where both are the root
        return np.divide(path, both, out=np.zeros_like(path), where=both > 0)
    if kind == "leacock_chodorow":
        return np.log1p(path) / np.log1p(2.0 * highest) if highest > 0 else path
    if kind == "sanchez":
        union = both - common + 1.0  # ancestors and selves: depth + 1 of each node
        return np.log2(1.0 + path / union)
    return path
