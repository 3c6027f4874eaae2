"""Passes over a tree whose nodes stand in depth-first preorder (parent[v] < v, parent[0] = -1), O(nodes) each.

Called by `discreet.stats.tree`, which checks and allocates. Nothing here runs in parallel: a pass depends on
the order of the nodes.
"""

from __future__ import annotations

from numba import njit

from discreet.arrays import Floats, Ints


@njit(cache=True, nogil=True)
def _sum_up(parent: Ints, values: Floats) -> None:
    """Last node to first: values[v] becomes the sum over the subtree of v. Shapes (nodes,); values overwritten."""
    for node in range(len(parent) - 1, 0, -1):
        values[parent[node]] += values[node]


@njit(cache=True, nogil=True)
def _sum_down(parent: Ints, values: Floats) -> None:
    """First node to last: values[v] becomes the sum from the root to v. Shapes (nodes,); values overwritten."""
    for node in range(1, len(parent)):
        values[node] += values[parent[node]]


@njit(cache=True, nogil=True)
def _merge_rare(parent: Ints, least: float, counts: Floats, target: Ints) -> None:
    """Last node to first: a node with 0 < counts < least gives its records to its parent.

    counts (nodes,) is overwritten with the counts after; target (nodes,), written, is the node where the
    records of each node end.
    """
    for node in range(len(parent) - 1, 0, -1):
        target[node] = node
        if 0.0 < counts[node] < least:
            counts[parent[node]] += counts[node]
            counts[node] = 0.0
            target[node] = parent[node]
    target[0] = 0
    for node in range(1, len(parent)):  # parents are settled before their children
        if target[node] != node:
            target[node] = target[target[node]]
