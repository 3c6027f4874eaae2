"""MDAV by scanning packed arrays that shrink as records leave: the plain algorithm, for any mix of columns.

Everything that decides which records form a group is defined here once and shared with the tree of `mdav_tree`:
the squared distance (terms added in column order, each difference scaled after squaring), the centroid of the
records left (sums kept to twice the precision of a double) and the rule for ties (the lower row).
Records stand in columns, so that one column of many records is contiguous and its loop runs in vector registers.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit

from discreet.arrays import Codes, Floats, Ints
from discreet.kernels.turns import turns
from discreet.progress import share

__all__ = ["Forest", "partition_packed"]

# Columns (p, n), nodes (q, n) and rows (n,) of the records; those left are the first ones.
Records: TypeAlias = tuple[Floats, Codes, Ints]
# Of the records left: high and low parts of the column sums (p,), and how many are at or below each node.
Totals: TypeAlias = tuple[Floats, Floats, Ints]
# The q trees one after the other: where each starts (q + 1,), parents counted within their own tree, weights of the
# edges above the nodes; then the scales of the numeric columns (p,) and of the trees (q,).
Forest: TypeAlias = tuple[Ints, Codes, Floats, Floats, Floats]
# Reference values (p,), a table over the nodes, distances (n,).
Scratch: TypeAlias = tuple[Floats, Floats, Floats]

# Records per block of a distance scan: the partial sums of a block stay in the first-level cache.
_BLOCK = 1024


@njit(cache=True, nogil=True)
def _subtract_exactly(high: Floats, low: Floats, column: int, value: float) -> None:
    """(high + low)[column] -= value, the rounding error of each step carried in `low` (Knuth's two-sum)."""
    total = high[column] - value
    rounded = total - high[column]
    error = (high[column] - (total - rounded)) + (-value - rounded)
    tail = low[column] + error
    high[column] = total + tail
    low[column] = tail - (high[column] - total)


@njit(cache=True, nogil=True)
def _sum_columns(columns: Floats, high: Floats, low: Floats) -> None:
    """Fill `high` and `low` (p,) with the sums of the p rows of `columns` (p, n), in row order of the records."""
    for column in range(columns.shape[0]):
        high[column] = 0.0
        low[column] = 0.0
        for record in range(columns.shape[1]):
            _subtract_exactly(high, low, column, -columns[column, record])


@njit(cache=True, nogil=True)
def _numeric_distances(
    columns: Floats, scales: Floats, reference: Floats, n_left: int, distances: Floats
) -> None:
    """distances[i] = sum over j of scales[j] (columns[j, i] - reference[j])^2, for the first `n_left` records."""
    for start in range(0, n_left, _BLOCK):
        stop = min(start + _BLOCK, n_left)
        sums = distances[start:stop]  # slices of known start let the compiler drop the index checks
        sums[:] = 0.0
        for column in range(columns.shape[0]):
            values = columns[column, start:stop]
            center = reference[column]
            scale = scales[column]
            for i in range(values.size):
                difference = values[i] - center
                sums[i] += scale * (difference * difference)


@njit(cache=True, nogil=True)
def _add_lookups(nodes: Codes, starts: Ints, table: Floats, n_left: int, distances: Floats) -> None:
    """distances[i] += table[node of record i], for each of the q trees in turn; `nodes` is (q, n)."""
    for tree in range(nodes.shape[0]):
        start = starts[tree]
        for i in range(n_left):
            distances[i] += table[start + nodes[tree, i]]


@njit(cache=True, nogil=True)
def _farthest(distances: Floats, rows: Ints, n_left: int) -> int:
    """Position of the greatest distance; of several the lowest row."""
    best = 0
    greatest = distances[0]
    for i in range(1, n_left):
        if distances[i] >= greatest and (distances[i] > greatest or rows[i] < rows[best]):
            best = i
            greatest = distances[i]
    return best


@njit(cache=True, nogil=True)
def _nearest(distances: Floats, rows: Ints, n_left: int, own: int, group: Ints) -> None:
    """Fill `group` (k,) with `own` and the positions of its k - 1 nearest, by (distance, row). Scans once."""
    distances[own] = -1.0  # the reference record enters its group whatever the ties
    size = group.size
    filled = 0
    for i in range(n_left):
        distance = distances[i]
        if filled == size:
            last = group[size - 1]
            if distance > distances[last] or (distance == distances[last] and rows[i] > rows[last]):
                continue
        else:
            filled += 1
        place = filled - 1
        while place > 0:
            before = group[place - 1]
            if distances[before] < distance or (distances[before] == distance and rows[before] < rows[i]):
                break
            group[place] = before
            place -= 1
        group[place] = i


@njit(cache=True, nogil=True)
def _tables_from_record(nodes: Codes, record: int, forest: Forest, table: Floats) -> None:
    """table[v] = scale d(u, v) for every node v of every tree, u the node of `record`; parents stand before children.

    d(u, root) is the sum of weights above u; one edge further down is one weight less on the way to u, one more off it.
    """
    starts, parents, weights, _, scales = forest
    for tree in range(nodes.shape[0]):
        start = starts[tree]
        for v in range(start, starts[tree + 1]):
            table[v] = 1.0
        depth = 0.0
        v = start + nodes[tree, record]
        while v != start:
            depth += weights[v]
            table[v] = -1.0
            v = start + parents[v]
        table[start] = depth
        for v in range(start + 1, starts[tree + 1]):
            table[v] = table[start + parents[v]] + table[v] * weights[v]
        for v in range(start, starts[tree + 1]):
            table[v] *= scales[tree]


@njit(cache=True, nogil=True)
def _tables_from_centroid(below: Ints, n_left: int, forest: Forest, table: Floats) -> None:
    """table[v] = scale m(v) / n_left, m(v) = m(parent) + w_v (n_left - 2 below_v) the marginality among those left."""
    starts, parents, weights, _, scales = forest
    for tree in range(scales.size):
        start = starts[tree]
        total = 0.0
        for v in range(start + 1, starts[tree + 1]):
            total += weights[v] * below[v]
        table[start] = total
        for v in range(start + 1, starts[tree + 1]):
            table[v] = table[start + parents[v]] + weights[v] * (n_left - 2 * below[v])
        for v in range(start, starts[tree + 1]):
            table[v] = scales[tree] * table[v] / n_left


@njit(cache=True, nogil=True)
def _count_below(nodes: Codes, record: int, forest: Forest, change: int, below: Ints) -> None:
    """below[v] += change for the node of `record` and all above it, in each tree."""
    starts, parents, _, _, _ = forest
    for tree in range(nodes.shape[0]):
        start = starts[tree]
        v = start + nodes[tree, record]
        below[v] += change
        while v != start:
            v = start + parents[v]
            below[v] += change


@njit(cache=True, nogil=True)
def _sort_descending(positions: Ints) -> None:
    """Sort a short array in place, greatest first."""
    for i in range(1, positions.size):
        value = positions[i]
        place = i
        while place > 0 and positions[place - 1] < value:
            positions[place] = positions[place - 1]
            place -= 1
        positions[place] = value


@njit(cache=True, nogil=True)
def _remove(records: Records, distances: Floats, group: Ints, n_left: int) -> None:
    """Take the positions of `group` (reordered) out of the first `n_left`: the last records fill the holes."""
    columns, nodes, rows = records
    _sort_descending(group)
    last = n_left - 1
    for hole in group:
        rows[hole] = rows[last]
        distances[hole] = distances[last]
        for column in range(columns.shape[0]):
            columns[column, hole] = columns[column, last]
        for tree in range(nodes.shape[0]):
            nodes[tree, hole] = nodes[tree, last]
        last -= 1


@njit(cache=True, nogil=True)
def _measure_from_centroid(
    records: Records, totals: Totals, forest: Forest, scratch: Scratch, n_left: int
) -> None:
    """Fill the distances of `scratch` with those of the records left from their centroid."""
    columns, nodes, _ = records
    high, _, below = totals
    starts, _, _, scales, _ = forest
    reference, table, distances = scratch
    for column in range(reference.size):
        reference[column] = high[column] / n_left
    _numeric_distances(columns, scales, reference, n_left, distances)
    _tables_from_centroid(below, n_left, forest, table)
    _add_lookups(nodes, starts, table, n_left, distances)


@njit(cache=True, nogil=True)
def _measure_from_record(records: Records, forest: Forest, scratch: Scratch, own: int, n_left: int) -> None:
    """Fill the distances of `scratch` with those of the records left from the one at position `own`."""
    columns, nodes, _ = records
    starts, _, _, scales, _ = forest
    reference, table, distances = scratch
    for column in range(reference.size):
        reference[column] = columns[column, own]
    _numeric_distances(columns, scales, reference, n_left, distances)
    _tables_from_record(nodes, own, forest, table)
    _add_lookups(nodes, starts, table, n_left, distances)


@njit(cache=True, nogil=True)
def _subtract_group(records: Records, totals: Totals, forest: Forest, group: Ints) -> None:
    """Take the records at the positions of `group` out of the sums and counts of those left."""
    columns, nodes, _ = records
    high, low, below = totals
    for position in group:
        for column in range(columns.shape[0]):
            _subtract_exactly(high, low, column, columns[column, position])
        _count_below(nodes, position, forest, -1, below)


@njit(cache=True, nogil=True)
def _add_up(records: Records, totals: Totals, forest: Forest) -> None:
    """Fill the sums and counts of all records."""
    columns, nodes, rows = records
    high, low, below = totals
    _sum_columns(columns, high, low)
    for record in range(rows.size):
        _count_below(nodes, record, forest, 1, below)


@njit(cache=True, nogil=True)
def _peel_packed(
    records: Records,
    totals: Totals,
    forest: Forest,
    scratch: Scratch,
    progress: Ints,
    size: tuple[int, int],
    labels: Ints,
) -> None:
    """Make groups until less than 2k records are left; overwrites all but `forest`.

    `size` = (k, the most steps to do), `progress` (2,) = records left and groups made: updated.
    """
    k, n_steps = size
    rows, distances = records[2], scratch[2]
    group = np.empty(k, dtype=np.int64)
    for _ in range(n_steps):
        if progress[0] < 2 * k:
            break
        n_groups = 2 if progress[0] >= 3 * k else 1
        _measure_from_centroid(records, totals, forest, scratch, progress[0])
        for _ in range(n_groups):
            n_left = progress[0]
            # farthest from the centroid first, then farthest from that record among those left
            own = _farthest(distances, rows, n_left)
            _measure_from_record(records, forest, scratch, own, n_left)
            _nearest(distances, rows, n_left, own, group)
            _subtract_group(records, totals, forest, group)
            for position in group:
                labels[rows[position]] = progress[1]
            _remove(records, distances, group, n_left)
            progress[0] -= k
            progress[1] += 1


def partition_packed(columns: Floats, nodes: Codes, forest: Forest, k: int) -> Ints:
    """Groups of an MDAV over p numeric columns (p, n) and q tree columns (q, n), both overwritten."""
    p, n = columns.shape
    n_nodes = forest[1].size
    labels = np.empty(n, dtype=np.int64)
    records = (columns, nodes, np.arange(n))
    totals = (np.empty(p), np.empty(p), np.zeros(n_nodes, dtype=np.int64))
    scratch = (np.empty(p), np.empty(n_nodes), np.empty(n))
    progress = np.array([n, 0])
    _add_up(records, totals, forest)
    steps = turns()
    while progress[0] >= 2 * k:
        _peel_packed(records, totals, forest, scratch, progress, (k, next(steps)), labels)
        share(1 - progress[0] / n)
    labels[records[2][: progress[0]]] = progress[1]
    return labels
