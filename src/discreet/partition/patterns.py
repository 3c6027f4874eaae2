"""Records by which of their cells are missing and why, in patterns of at least k.

A group of equal records must also be equal in what it lacks, and in the declared code that stands there instead. Records
whose pattern is shared by fewer than k are moved to the pattern that costs the fewest further empty cells, and of those
to the one that costs the fewest reasons.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Ints
from discreet.base import Partition
from discreet.stats.keys import first_rows, group_codes
from discreet.table.column import EMPTY, PRESENT, Column


def missing_patterns(columns: Sequence[Column], k: int) -> list[Ints]:
    """Records of each pattern, every one with at least k (unless the table has fewer)."""
    n = columns[0].n_records
    absent = np.column_stack([column.absent for column in columns])
    if not absent.any():
        return [np.arange(n, dtype=np.int64)]
    groups = group_codes([reasons.astype(np.int64) for reasons in absent.T], n)
    home = merge_small(absent[first_rows(groups)], groups.sizes, k)
    return Partition(np.unique(home[groups.labels], return_inverse=True)[1].astype(np.int64)).members()


def merge_small(patterns: NDArray[np.uint8], sizes: Ints, k: int) -> Ints:
    """For each pattern (a row of reasons why cells are missing, 0 = there) the pattern it ends in.

    Two that end in one lack what either lacks, for the reason that both have, else for none (1).

    >>> merge_small(np.array([[0, 0], [1, 0], [1, 1]], dtype=np.uint8), np.array([9, 1, 4]), k=3).tolist()
    [0, 2, 2]
    >>> merge_small(np.array([[0], [5], [6]], dtype=np.uint8), np.array([9, 1, 4]), k=3).tolist()
    [0, 2, 2]
    """
    home = np.arange(len(sizes))
    shape, count = patterns.copy(), sizes.astype(np.int64).copy()
    while True:
        alive = np.flatnonzero(count > 0)
        small = alive[count[alive] < k]
        if not len(small) or len(alive) == 1:
            return home
        source = small[np.argmin(count[small])]
        others = alive[alive != source]
        joined = np.where(shape[others] == shape[source], shape[source], EMPTY).astype(np.uint8)
        mine, theirs = _given_up(shape[source], joined), _given_up(shape[others], joined)
        emptied, lost = count[source] * mine + count[others] * theirs
        best = np.lexsort((lost, emptied))[0]
        target = others[best]
        shape[target] = joined[best]
        count[target] += count[source]
        count[source] = 0
        home[home == source] = target


def _given_up(before: NDArray[np.uint8], after: NDArray[np.uint8]) -> Ints:
    """Cells that each row of patterns gives up to become that of `after`: those emptied, then those that lose a reason."""
    changed = before != after
    emptied, lost = changed & (before == PRESENT), changed & (before > EMPTY)
    return np.array([emptied.sum(axis=1), lost.sum(axis=1)], dtype=np.int64)
