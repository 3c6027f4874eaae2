"""Local suppression: the cheapest cells to empty, record by record, so that every record matches k others.

A row stands for one record that may need suppression, or for several safe records with equal keys. For one row, all
others are counted by the set of columns in which they differ; sums over subsets then say, for every set of columns that
could be emptied, how many records the row would match. An empty cell matches anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from discreet.arrays import Floats, Ints
from discreet.kernels.turns import turns
from discreet.progress import share


def suppress(keys: Ints, counts: Ints, matches: Ints, k: int, costs: Floats, visits: Ints) -> Ints:
    """Columns to empty in each row, as bits; `keys` (rows, columns) >= 0, or -1 where a cell is empty already.

    `counts` records stand in each row, and `matches` records agree with it now; `costs` (2^columns,) is the price of
    emptying each set of columns (inf: never); `visits` are the rows that may be changed, in the order in which they
    are. Rows that still match fewer than k are left as they are: the caller checks.
    """
    emptied = np.zeros(len(keys), dtype=np.int64)
    state = np.ascontiguousarray(keys, dtype=np.int64).copy()
    agreeing = np.array(matches, dtype=np.int64)
    order = np.argsort(costs, kind="stable").astype(np.int64)
    for rows in _in_turns(visits, 0.0):
        _empty_cells(state, counts, k, (costs, order), rows, agreeing, emptied)
    for rows in _in_turns(visits[::-1].copy(), 0.5):
        _refill_cells(state, keys, counts, k, rows, agreeing, emptied)
    return emptied


def _in_turns(visits: Ints, done: float) -> Iterator[Ints]:
    """The visits a few at a time: half of the work, of which the share `done` was done before."""
    steps, n_visited = turns(), 0
    while n_visited < len(visits):
        n_next = n_visited + next(steps)
        yield visits[n_visited:n_next]
        n_visited = min(n_next, len(visits))
        share(done + 0.5 * n_visited / len(visits))


@njit(cache=True, nogil=True)
def _differences(state: Ints, row: int, masks: Ints) -> None:
    """masks[j] = the columns, as bits, in which row j differs from `row`; an empty cell differs from nothing."""
    n, m = state.shape
    for j in range(n):
        mask = 0
        for c in range(m):
            if state[j, c] != state[row, c] and state[j, c] >= 0 and state[row, c] >= 0:
                mask |= 1 << c
        masks[j] = mask


@njit(cache=True, nogil=True)
def _empty_cells(
    state: Ints, counts: Ints, k: int, prices: Any, visits: Ints, matches: Ints, emptied: Ints
) -> None:
    """Empty the cheapest set of columns in each visited row that still matches fewer than k."""
    costs, order = prices
    n, m = state.shape
    masks = np.empty(n, dtype=np.int64)
    tally = np.empty(1 << m, dtype=np.int64)
    for visit in range(len(visits)):
        row = visits[visit]
        if matches[row] >= k:
            continue
        _differences(state, row, masks)
        tally[:] = 0
        for j in range(n):
            tally[masks[j]] += counts[j]
        _sum_over_subsets(tally, m)
        best = -1
        for candidate in order:
            if costs[candidate] == np.inf:
                break
            if tally[candidate] >= k:
                best = candidate
                break
        if best < 0:
            continue
        for j in range(n):
            if masks[j] != 0 and (masks[j] & ~best) == 0:
                matches[j] += counts[row]
                matches[row] += counts[j]
        for c in range(m):
            if best >> c & 1:
                state[row, c] = -1
        emptied[row] |= best


@njit(cache=True, nogil=True)
def _sum_over_subsets(tally: Ints, m: int) -> None:
    for c in range(m):
        bit = 1 << c
        for mask in range(len(tally)):
            if mask & bit:
                tally[mask] += tally[mask ^ bit]


@njit(cache=True, nogil=True)
def _refill_cells(
    state: Ints, keys: Ints, counts: Ints, k: int, visits: Ints, matches: Ints, emptied: Ints
) -> None:
    """Give back cells whose suppression later ones made needless."""
    n, m = state.shape
    before = np.empty(n, dtype=np.int64)
    after = np.empty(n, dtype=np.int64)
    for row in visits:
        for c in range(m):
            if not emptied[row] >> c & 1 or keys[row, c] < 0:
                continue
            _differences(state, row, before)
            state[row, c] = keys[row, c]
            _differences(state, row, after)
            lost = 0
            allowed = True
            for j in range(n):
                if before[j] == 0 and after[j] != 0:
                    lost += counts[j]
                    if matches[j] - counts[row] < k:
                        allowed = False
            if not allowed or matches[row] - lost < k:
                state[row, c] = -1
                continue
            for j in range(n):
                if before[j] == 0 and after[j] != 0:
                    matches[j] -= counts[row]
            matches[row] -= lost
            emptied[row] &= ~(1 << c)
