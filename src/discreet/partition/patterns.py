"""Records by which of their cells are missing, in patterns of at least k.

A group of equal records must also be equal in what it lacks. Records whose pattern of missing cells is shared by
fewer than k are moved to the pattern that asks for the fewest further empty cells.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Bools, Ints
from discreet.base import Partition
from discreet.stats.keys import group_codes
from discreet.table.column import Column


def missing_patterns(columns: Sequence[Column], k: int) -> list[Ints]:
    """Records of each pattern, every one with at least k (unless the table has fewer)."""
    n = columns[0].n_records
    gaps = np.column_stack([column.missing for column in columns])
    if not gaps.any():
        return [np.arange(n, dtype=np.int64)]
    groups = group_codes([gap.astype(np.int64) for gap in gaps.T], n)
    first = np.unique(groups.labels, return_index=True)[1]
    home = merge_small(gaps[first], groups.sizes, k)
    return Partition(np.unique(home[groups.labels], return_inverse=True)[1].astype(np.int64)).members()


def merge_small(patterns: Bools, sizes: Ints, k: int) -> Ints:
    """For each pattern (a row, True = missing) the pattern it ends in; two that end in one empty their union.

    >>> merge_small(np.array([[False, False], [True, False], [True, True]]), np.array([9, 1, 4]), k=3).tolist()
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
        union = shape[others] | shape[source]
        emptied = count[source] * (union.sum(axis=1) - shape[source].sum()) + count[others] * (
            union.sum(axis=1) - shape[others].sum(axis=1)
        )
        target = others[np.argmin(emptied)]
        shape[target] |= shape[source]
        count[target] += count[source]
        count[source] = 0
        home[home == source] = target
