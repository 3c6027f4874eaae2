"""Categories of a tree in one total order, and the way back from a perturbed number to a category.

Marginality is not one-to-one: sibling leaves with equal counts always collide. Ordering by (marginality,
preorder) is total, keeps tied siblings adjacent and has an exact inverse; methods work on positions in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError
from discreet.stats.tree import Nodes, distances, from_root, subtree_counts

__all__ = ["Collisions", "OrderKind", "adaptive_blocks", "category_order", "collisions", "nearest_category"]

OrderKind: TypeAlias = Literal["marginality", "tree", "sibling"]


def category_order(parent: Ints, m: Floats, counts: ArrayLike, by: OrderKind = "marginality") -> Ints:
    """The nodes that hold records, in order.

    "marginality": by (m, preorder). "tree": preorder. "sibling": depth first as in the tree, siblings by
    (m, preorder), so that every subtree stays together.
    """
    if by == "marginality":
        order = np.argsort(m, kind="stable")
    elif by == "tree":
        order = np.arange(len(parent))
    elif by == "sibling":
        order = np.argsort(_sibling_place(parent, m), kind="stable")
    else:
        raise ParameterError(f'by must be "marginality", "tree" or "sibling". Got {by!r}')
    return order[np.asarray(counts)[order] > 0]


def _sibling_place(parent: Ints, m: Floats) -> Floats:
    """Preorder number of every node after sorting all siblings by m: 1 + the sizes of the siblings before it."""
    size = subtree_counts(parent, np.ones(len(parent)))
    by_family = np.lexsort((m, parent))  # stable: preorder within equal m
    before = np.cumsum(size[by_family]) - size[by_family]
    family = parent[by_family]
    starts = np.flatnonzero(np.r_[True, family[1:] != family[:-1]])
    step = np.empty(len(parent))
    step[by_family] = 1.0 + before - np.repeat(before[starts], np.diff(np.r_[starts, len(parent)]))
    return from_root(parent, step)


@dataclass(frozen=True)
class Collisions:
    """How far categories with records share their marginality."""

    categories: int
    distinct_marginalities: int
    tied_categories: int
    tied_records: float
    largest_tie: int
    tied_pairs: int
    tied_pairs_siblings: int

    @property
    def one_to_one(self) -> bool:
        return self.tied_pairs == 0


def collisions(parent: Ints, m: Floats, counts: ArrayLike) -> Collisions:
    """Count the ties of marginality among the categories with records."""
    held = np.asarray(counts)
    sampled = np.flatnonzero(held > 0)
    _, place, size = np.unique(m[sampled], return_inverse=True, return_counts=True)
    tied = size[place] > 1
    families = np.unique(np.column_stack((place, parent[sampled])), axis=0, return_counts=True)[1]
    return Collisions(
        categories=len(sampled),
        distinct_marginalities=len(size),
        tied_categories=int(tied.sum()),
        tied_records=float(held[sampled[tied]].sum()),
        largest_tie=int(size.max(initial=0)),
        tied_pairs=int(np.sum(size * (size - 1) // 2)),
        tied_pairs_siblings=int(np.sum(families * (families - 1) // 2)),
    )


def adaptive_blocks(parent: Ints, counts: ArrayLike, least: int = 5) -> Ints:
    """For every node the smallest subtree around it with at least `least` sampled categories, as its top node.

    Where the whole tree has fewer, the root.
    """
    sampled = subtree_counts(parent, np.asarray(counts) > 0)
    block = np.arange(len(parent))
    while (small := (sampled[block] < least) & (block > 0)).any():
        block[small] = parent[block[small]]
    return block


def nearest_category(
    parent: Ints, weight: Floats, m: Floats, candidates: Nodes, original: int, perturbed: float
) -> int:
    """The candidate whose m is nearest to a perturbed m; ties go to the nearest to the original, then preorder."""
    nodes = np.sort(np.asarray(candidates))
    if len(nodes) == 0:
        raise ParameterError("candidates must not be empty")
    gap = np.abs(m[nodes] - perturbed)
    tied = nodes[gap == gap.min()]
    return int(tied[np.argmin(distances(parent, weight, tied, np.array(original)))])
