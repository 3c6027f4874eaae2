"""MDAV on a k-d tree: the groups of `mdav_packed`, bit for bit, without looking at most of the records.

Copies of a record are one point of the tree, their rows in ascending order. Three searches make a step:
- farthest from the centroid: each leaf remembers how far its points reached from the centroid when last
  measured. The centroid moves little, so that reach plus the distance moved since bounds it now; only leaves
  whose bound exceeds the best distance found are measured again;
- k nearest: boxes from the root down, nearer ones first, those beyond the worst of the k left out;
- farthest from a record: likewise, boxes left out that cannot hold a farther point.
When half of the points have gone the tree is planted anew over the rest.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit

from discreet.arrays import Floats, Ints
from discreet.kernels.kdtree import (
    LEAF,
    SLACK,
    Found,
    Place,
    Singles,
    Tree,
    _count_beyond,
    _count_within,
    _floor,
    _greatest,
    _least,
    _limit_beyond,
    _limit_within,
    _margin,
    _measure,
    _reach_of,
    _refit,
    _set_reach,
    _sieve,
    _take_out,
    plant,
)
from discreet.kernels.mdav_packed import _subtract_exactly, _sum_columns
from discreet.kernels.turns import turns
from discreet.progress import share

__all__ = ["partition_tree"]

# Rows of all copies; for each point of the tree where its rows left start and stop; the lowest row left.
Copies: TypeAlias = tuple[Ints, Ints, Ints, Ints]
# A group in the making: squared distances, rows and points (k,), by (distance, row); inf where none is yet.
Group: TypeAlias = tuple[Floats, Ints, Ints]
# Slots to visit and their bounds, the next one last.
Stack: TypeAlias = tuple[Ints, Floats]
# Squares of the sieve (LEAF,), slots to visit, bounds of a block and room to find them (LEAF,), points measured.
Scratch: TypeAlias = tuple[Singles, Stack, tuple[Floats, Floats], Found]

# The greatest squared distance found and its point; (-1, -1): none yet.
Best: TypeAlias = tuple[float, int]

# No bound of a slot that holds points is greater.
_LARGEST = np.finfo(np.float64).max
# A leaf is fitted to what is left of it each time this many points have gone.
_REFIT = 8


@njit(cache=True, nogil=True)
def _number_distinct(points: Floats, table: Ints, firsts: Ints, numbers: Ints) -> int:
    """Number the distinct rows of `points` (n, d) in order of appearance: fill `numbers`, answer how many.

    `table` (a power of two above n, filled with -1) is an open hash table; `firsts` gets the first row of each.
    """
    bits = points.view(np.uint64)
    n_distinct = 0
    for row in range(points.shape[0]):
        mixed = np.uint64(0)
        for column in range(points.shape[1]):
            mixed = (mixed ^ bits[row, column]) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        place = np.int64(mixed & np.uint64(table.size - 1))
        while table[place] >= 0 and not _same_row(points, firsts[table[place]], row):
            place = (place + 1) & (table.size - 1)
        if table[place] < 0:
            table[place] = n_distinct
            firsts[n_distinct] = row
            n_distinct += 1
        numbers[row] = table[place]
    return n_distinct


@njit(cache=True, nogil=True)
def _same_row(points: Floats, one: int, other: int) -> bool:
    """Whether two rows of `points` are equal."""
    for column in range(points.shape[1]):  # noqa: SIM110  compiled: a plain loop
        if points[one, column] != points[other, column]:
            return False
    return True


def _collapse(points: Floats) -> tuple[Floats, Ints, Ints, Ints]:
    """The distinct points; the rows of all copies; where those of each point start and stop."""
    n = len(points)
    numbers, firsts = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    table = np.full(2 << n.bit_length(), -1)
    n_distinct = _number_distinct(points, table, firsts, numbers)
    if n_distinct == n:
        return points, np.arange(n), np.arange(n), np.arange(1, n + 1)
    rows = np.argsort(numbers, kind="stable")
    stops = np.cumsum(np.bincount(numbers))
    return points[firsts[:n_distinct]], rows, np.concatenate([[0], stops[:-1]]), stops


@njit(cache=True, nogil=True)
def _push(slots: Ints, keys: Floats, depth: int, first_slot: int, bounds: Floats, limit: float) -> int:
    """Put the slots of a block whose bound is at most `limit` on the stack, the least on top; answer its depth."""
    top = depth
    for lane in range(LEAF):
        slots[top] = first_slot + lane
        keys[top] = bounds[lane]
        top += bounds[lane] <= limit
    best = depth
    for place in range(depth + 1, top):
        if keys[place] < keys[best]:
            best = place
    if top > depth:
        slots[best], slots[top - 1] = slots[top - 1], slots[best]
        keys[best], keys[top - 1] = keys[top - 1], keys[best]
    return top


@njit(cache=True, nogil=True)
def _kth_square(squares: Singles, count: int, least: Floats) -> float:
    """The k-th smallest of the first `count` squares, k the size of `least`, overwritten; inf if too few."""
    least[:] = np.inf
    for i in range(count):
        square = squares[i]
        place = least.size - 1
        if square < least[place]:
            while place > 0 and least[place - 1] > square:
                least[place] = least[place - 1]
                place -= 1
            least[place] = square
    return float(least[-1])


@njit(cache=True, nogil=True)
def _offer(distances: Floats, rows: Ints, points: Ints, rows_left: Ints, point: int, distance: float) -> None:
    """Let the rows of a point, ascending, into the group (k,) as far as they come before its last."""
    last = rows.size - 1
    for row in rows_left:
        if distance > distances[last] or (distance == distances[last] and row > rows[last]):
            break
        place = last
        while place > 0 and (
            distances[place - 1] > distance or (distances[place - 1] == distance and rows[place - 1] > row)
        ):
            distances[place] = distances[place - 1]
            rows[place] = rows[place - 1]
            points[place] = points[place - 1]
            place -= 1
        distances[place] = distance
        rows[place] = row
        points[place] = point


@njit(cache=True, nogil=True)
def _offer_found(found: Found, n_found: int, copies: Copies, own: int, group: Group) -> None:
    """Offer the points found but the reference, which the group has."""
    numbers, lengths = found
    all_rows, start, stop, _ = copies
    distances, rows, points = group
    for i in range(n_found):
        point = numbers[i]
        if lengths[i] <= distances[-1] and point != own:
            _offer(distances, rows, points, all_rows[start[point] : stop[point]], point, lengths[i])


@njit(cache=True, nogil=True)
def _gather(tree: Tree, copies: Copies, zoom: float, own: int, group: Group, scratch: Scratch) -> None:
    """Fill `group` with the first row left of point `own` and its nearest, by (distance, row)."""
    squares, (slots, keys), (bounds, _), found = scratch
    sieves, centers, factors, spans = tree.sieves, tree.centers, tree.factors, tree.spans
    members, counts, scales = tree.members, tree.counts, tree.scales
    all_rows, start, stop, lowest = copies
    distances, rows, points = group
    n_leaves, n_blocks = counts.size, tree.reach.shape[0]
    reference = tree.points[own]
    own_leaf = tree.leaf_of[own] + 0
    slots[0], keys[0] = n_leaves + n_blocks - 1, 0.0
    slots[1], keys[1] = own_leaf, 0.0
    depth = 2
    floor = _floor(reference.size, zoom)
    worst = np.inf
    while depth > 0:
        depth -= 1
        slot = slots[depth]
        if keys[depth] > worst:
            continue
        if slot >= n_leaves:
            block = slot - n_leaves
            _least(tree.lows[block], tree.highs[block], tree.reach[block], scales, reference, bounds)
            if own_leaf // LEAF == block:
                bounds[own_leaf % LEAF] = np.inf  # seen first of all
            depth = _push(slots, keys, depth, block * LEAF, bounds, min(worst, _LARGEST))
            continue
        norm = _sieve(sieves[slot], centers[slot], factors, reference, squares)
        margin = _margin(reference.size, norm, spans[slot], floor)
        radius = zoom * np.sqrt(worst)
        if slot == own_leaf:
            radius = np.sqrt(_kth_square(squares, counts[slot], distances)) + margin
            distances[:], rows[:] = np.inf, all_rows.size
            distances[0], rows[0], points[0] = -1.0, lowest[own], own  # enters whatever the ties
            _offer(distances, rows, points, all_rows[start[own] + 1 : stop[own]], own, 0.0)
        limit = _limit_within(radius, margin)
        if _count_within(squares, limit) == 0:
            continue
        left = members[slot, : counts[slot]]
        n_found = _measure(tree.points, scales, left, reference, squares, (np.float32(0.0), limit), found)
        _offer_found(found, n_found, copies, own, group)
        worst = distances[-1]


@njit(cache=True, nogil=True)
def _farther(found: Found, n_found: int, lowest: Ints, best: Best) -> Best:
    """The greatest of `best` and the points found; of equals that with the lowest row."""
    points, distances = found
    distance, farthest = best
    for i in range(n_found):
        if distances[i] > distance or (distances[i] == distance and lowest[points[i]] < lowest[farthest]):
            distance, farthest = distances[i], points[i]
    return distance, farthest


@njit(cache=True, nogil=True)
def _farthest_from_centroid(tree: Tree, lowest: Ints, zoom: float, where: Place, scratch: Scratch) -> int:
    """The point farthest from the centroid, of several that with the lowest row; renews the reach of leaves."""
    centroid, drift = where
    squares, (slots, keys), (bounds, _), found = scratch
    sieves, centers, factors, spans = tree.sieves, tree.centers, tree.factors, tree.spans
    members, counts, reach = tree.members, tree.counts, tree.reach
    n_leaves, n_blocks = counts.size, reach.shape[0]
    best = (-1.0, -1)
    floor = _floor(centroid.size, zoom)
    distance = 0.0  # zoomed, and certainly no more than that of `best`
    slots[0], keys[0] = n_leaves + n_blocks - 1, -np.inf
    depth = 1
    while depth > 0:
        depth -= 1
        slot = slots[depth]
        if keys[depth] > drift - distance:
            continue
        if slot >= n_leaves:
            block = slot - n_leaves
            for lane in range(LEAF):
                bounds[lane] = -reach[block, lane]
            depth = _push(slots, keys, depth, block * LEAF, bounds, min(drift - distance, _LARGEST))
            continue
        norm = _sieve(sieves[slot], centers[slot], factors, centroid, squares)
        margin = _margin(centroid.size, norm, spans[slot], floor)
        limits = (_limit_beyond(distance, margin), np.float32(np.inf))
        count = counts[slot]
        if _count_beyond(squares, limits[0]) > LEAF - count:
            left = members[slot, :count]
            n_found = _measure(tree.points, tree.scales, left, centroid, squares, limits, found)
            best = _farther(found, n_found, lowest, best)
            distance = max(zoom * np.sqrt(best[0]) / SLACK - floor, 0.0)
        _set_reach(reach, n_leaves, slot, _reach_of(squares, count, margin) - drift, bounds)
    return best[1]


@njit(cache=True, nogil=True)
def _farthest_from_point(
    tree: Tree, lowest: Ints, zoom: float, reference: Floats, where: Place, scratch: Scratch
) -> int:
    """The point farthest from `reference`, of several that with the lowest row."""
    squares, (slots, keys), (bounds, corners), found = scratch
    sieves, centers, factors, spans = tree.sieves, tree.centers, tree.factors, tree.spans
    members, counts = tree.members, tree.counts
    n_leaves, n_blocks = counts.size, tree.reach.shape[0]
    best = (-1.0, -1)
    floor = _floor(reference.size, zoom)
    distance = 0.0  # zoomed, and certainly no more than that of `best`
    slots[0], keys[0] = n_leaves + n_blocks - 1, -np.inf
    depth = 1
    while depth > 0:
        depth -= 1
        slot = slots[depth]
        if keys[depth] > -distance * distance:
            continue
        if slot >= n_leaves:
            block = slot - n_leaves
            boxes = (tree.lows[block], tree.highs[block], tree.reach[block])
            _greatest(boxes, factors, reference, where, bounds, corners)
            for lane in range(LEAF):
                bounds[lane] = -bounds[lane]
            depth = _push(slots, keys, depth, block * LEAF, bounds, -distance * distance)
            continue
        norm = _sieve(sieves[slot], centers[slot], factors, reference, squares)
        limits = (
            _limit_beyond(distance, _margin(reference.size, norm, spans[slot], floor)),
            np.float32(np.inf),
        )
        count = counts[slot]
        if _count_beyond(squares, limits[0]) > LEAF - count:
            left = members[slot, :count]
            n_found = _measure(tree.points, tree.scales, left, reference, squares, limits, found)
            best = _farther(found, n_found, lowest, best)
            distance = max(zoom * np.sqrt(best[0]) / SLACK - floor, 0.0)
    return best[1]


@njit(cache=True, nogil=True)
def _seal(tree: Tree, copies: Copies, group: Group, sums: Floats, folded: Floats) -> int:
    """Take the records of a group out of sums and tree; answer how many points are gone."""
    _, _, points = group
    all_rows, start, stop, lowest = copies
    leaf_of, members, counts, sieves = tree.leaf_of, tree.members, tree.counts, tree.sieves
    high, low = sums[0], sums[1]
    n_gone = 0
    for point in points:
        for column in range(high.size):
            _subtract_exactly(high, low, column, tree.points[point, column])
        start[point] += 1
        if start[point] < stop[point]:
            lowest[point] = all_rows[start[point]]
        else:
            n_gone += 1
            if _take_out(leaf_of, members, counts, sieves, point) % _REFIT == 0:
                _refit(tree, leaf_of[point] + 0, folded)
    return n_gone


@njit(cache=True, nogil=True)
def _move_centroid(tree: Tree, sums: Floats, n_left: int, centroid: Floats) -> float:
    """Set `centroid` to that of the records left; answer how far it moved, zoomed."""
    square = 0.0
    for column in range(centroid.size):
        former = centroid[column]
        centroid[column] = sums[0, column] / n_left
        step = tree.factors[column] * (centroid[column] - former)
        square += step * step
    return float(np.sqrt(square)) * SLACK


@njit(cache=True, nogil=True)
def _make_scratch() -> Scratch:
    """Room for the searches."""
    stack = (np.empty(8 * LEAF, dtype=np.int64), np.empty(8 * LEAF))
    found = (np.empty(LEAF, dtype=np.int64), np.empty(LEAF))
    return np.empty(LEAF, dtype=np.float32), stack, (np.empty(LEAF), np.empty(LEAF)), found


@njit(cache=True, nogil=True)
def _peel(
    tree: Tree,
    copies: Copies,
    zoom: float,
    place: tuple[Floats, Floats, Floats],
    progress: Ints,
    size: tuple[int, int],
    labels: Ints,
) -> None:
    """Make groups until less than 2k records are left, or half of the points of a tree of several leaves are gone.

    `size` = (k, the most steps to do). Updated: `progress` (3,) = records left, groups made, points left in the tree;
    `place` = high and low parts of the column sums (2, d), the centroid (d,), and how far it drifted in all (1,).
    """
    k, n_steps = size
    sums, centroid, drift = place
    group = (np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64))
    scratch = _make_scratch()
    lowest = copies[3]
    for _ in range(n_steps):
        if not _goes_on(tree, progress, 2 * k):
            break
        n_groups = 2 if progress[0] >= 3 * k else 1
        drift[0] += _move_centroid(tree, sums, progress[0], centroid)
        where = (centroid, drift[0])
        own = _farthest_from_centroid(tree, lowest, zoom, where, scratch)
        for turn in range(n_groups):
            if turn == 1:
                own = _farthest_from_point(tree, lowest, zoom, tree.points[own], where, scratch)
            _gather(tree, copies, zoom, own, group, scratch)
            for row in group[1]:
                labels[row] = progress[1]
            progress[2] -= _seal(tree, copies, group, sums, scratch[2][0])
            progress[0] -= k
            progress[1] += 1


@njit(cache=True, nogil=True)
def _goes_on(tree: Tree, progress: Ints, least: int) -> bool:
    """Whether groups are to be made from this tree: enough records left, and it is one leaf or half full."""
    n_points = tree.points.shape[0]
    return progress[0] >= least and (tree.counts.size == 1 or 2 * progress[2] > n_points)


def partition_tree(points: Floats, scales: Floats, k: int) -> Ints:
    """Groups of an MDAV over `points` (n, d), contiguous, d at least 1; scales (d,) positive."""
    n, d = points.shape
    points = points + 0.0  # both zeros get the same bits
    sums = np.empty((2, d))
    _sum_columns(np.ascontiguousarray(points.T), sums[0], sums[1])
    points, rows, start, stop = _collapse(points)
    labels = np.empty(n, dtype=np.int64)
    progress = np.array([n, 0, 0])
    steps = turns()
    while progress[0] >= 2 * k:
        zoom = _zoom(points, scales)
        tree, order = plant(points, scales, zoom)
        start, stop = start[order], stop[order]
        copies, place = (rows, start, stop, rows[start]), (sums, sums[0] / progress[0], np.zeros(1))
        progress[2] = len(points)
        while _goes_on(tree, progress, 2 * k):
            _peel(tree, copies, zoom, place, progress, (k, next(steps)), labels)
            share(1 - progress[0] / n)
        left = start < stop
        points, start, stop = tree.points[left], start[left], stop[left]
    for first, end in zip(start, stop, strict=True):
        labels[rows[first:end]] = progress[1]
    return labels


def _zoom(points: Floats, scales: Floats) -> float:
    """A power of two that brings the widest scaled column to about one, for float32."""
    widest = max(
        float(np.sqrt(scale) * np.ptp(column)) for scale, column in zip(scales, points.T, strict=True)
    )
    return float(2.0 ** min(-np.ceil(np.log2(widest)), 1000.0)) if widest > 0 else 1.0
