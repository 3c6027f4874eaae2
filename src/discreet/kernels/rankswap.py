"""Rank swapping: every rank, visited in random order, changes places with a free rank nearby."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from discreet.arrays import Floats, Ints


def swap_ranks(order: Ints, draws: Floats, reach: int) -> Ints:
    """Partner of every rank: `order` is the random order of visits, `draws` a uniform per visit.

    A partner is uniform among the free ranks at most `reach` away; a rank without a free one keeps its place.
    O(n log n): free ranks are counted in a Fenwick tree.

    >>> swap_ranks(np.array([1, 0, 2]), np.array([0.0, 0.0, 0.0]), reach=1).tolist()
    [1, 0, 2]
    """
    partner = np.arange(len(order), dtype=np.int64)
    if reach > 0 and len(order) > 1:
        _swap(
            np.ascontiguousarray(order), np.ascontiguousarray(draws), reach, _full_tree(len(order)), partner
        )
    return partner


def _full_tree(n: int) -> Ints:
    """A Fenwick tree of n ones: entry i counts the last (i & -i) places."""
    places = np.arange(n + 1, dtype=np.int64)
    return places & -places


@njit(cache=True, nogil=True)
def _swap(order: Ints, draws: Floats, reach: int, tree: Ints, partner: Ints) -> None:
    """Fills `partner` (n,); `tree` (n + 1,) is used up."""
    n = len(order)
    taken = np.zeros(n, dtype=np.bool_)
    for visit in range(n):
        rank = order[visit]
        if taken[rank]:
            continue
        taken[rank] = True
        _add(tree, rank, -1)
        low, high = max(rank - reach, 0), min(rank + reach, n - 1)
        before = _count(tree, low)
        free = _count(tree, high + 1) - before
        if free == 0:
            continue
        chosen = _find(tree, before + min(int(draws[visit] * free), free - 1))
        taken[chosen] = True
        _add(tree, chosen, -1)
        partner[rank], partner[chosen] = chosen, rank


@njit(cache=True, nogil=True)
def _add(tree: Ints, place: int, change: int) -> None:
    i = place + 1
    while i < len(tree):
        tree[i] += change
        i += i & -i


@njit(cache=True, nogil=True)
def _count(tree: Ints, stop: int) -> Any:
    """Free places below `stop`."""
    total = 0
    i = stop
    while i > 0:
        total += tree[i]
        i -= i & -i
    return total


@njit(cache=True, nogil=True)
def _find(tree: Ints, number: int) -> Any:
    """The free place with `number` free places below it."""
    step = 1
    while 2 * step < len(tree):
        step *= 2
    place, left = 0, number
    while step > 0:
        if place + step < len(tree) and tree[place + step] <= left:
            place += step
            left -= tree[place]
        step //= 2
    return place
