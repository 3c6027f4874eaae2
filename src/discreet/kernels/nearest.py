"""Exact nearest neighbours by a tree of boxes, for numbers and categories of taxonomies together.

The squared distance of two records is the sum of squared differences of their coordinates plus, for each
taxonomic column, the weights on the path between their nodes. The targets are laid out so that every box
of the tree is a slice of rows; a box whose nearest corner is already too far is skipped. Nothing is
approximate and memory is linear.

Searches run over blocks of queries in threads; every query is answered alone, so threads cannot change an
answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Codes, Floats, Ints

TIE = 1e-9  # distances nearer than this are equal
_LEAF_ROWS = 12  # rows of a smallest box, at least half of that
_BLOCK = 256  # queries a thread takes at a time
_MAX_DEPTH = 64  # of the stack: a level of the box tree leaves at most one box waiting


class Boxes(NamedTuple):
    """Targets as a binary tree of boxes: box b has the children 2 b + 1 and 2 b + 2, all leaves on one
    level.

    Equal targets are one entry: coordinates (n, d) and nodes (n, q) are in box order, `entry` (n) numbers
    them as they came, `counts` (n) says how many rows of the file each stands for, `rows` (n, 2) the two
    lowest of these (-1: no second). Box b holds the entries first[b]:stop[b] and spans low[b] .. high[b]
    (d).
    """

    coordinates: Floats
    nodes: Codes
    entry: Ints
    counts: Ints
    rows: Ints
    first: Ints
    stop: Ints
    low: Floats
    high: Floats


class Trees(NamedTuple):
    """Trees one after the other: node v of tree j is starts[j] + v, its parent (-1: root) counted
    likewise.
    """

    parent: Ints
    weight: Floats
    starts: Ints


class Stack(NamedTuple):
    """Boxes still to be seen and their squared distances; room for one per level of the tree is enough."""

    boxes: Ints
    bounds: Floats


# ---------------------------------------------------------------------------------------------- distances


@numba.njit(cache=True, nogil=True)
def _fill_paths(trees: Trees, nodes: Codes, on_path: NDArray[np.bool_], paths: Floats) -> None:
    """Write to `paths` the weight on the way from the record's node (`nodes`, q) to every node of each
    tree.

    `on_path` (all nodes, False) is used as scratch and left False.
    """
    for tree in range(nodes.shape[0]):
        start, stop = trees.starts[tree], trees.starts[tree + 1]
        to_root = 0.0
        node = start + nodes[tree]
        while node > start:
            on_path[node] = True
            to_root += trees.weight[node]
            node = trees.parent[node]
        paths[start] = to_root
        for other in range(start + 1, stop):
            step = -trees.weight[other] if on_path[other] else trees.weight[other]
            paths[other] = paths[trees.parent[other]] + step
        node = start + nodes[tree]
        while node > start:
            on_path[node] = False
            node = trees.parent[node]


@numba.njit(cache=True, nogil=True)
def _squared_distance(
    point: Floats, paths: Floats, starts: Ints, coordinates: Floats, nodes: Codes, limit: float
) -> float:
    """Squared distance to one target; any number above `limit` once it is known to exceed that."""
    total = 0.0
    for j in range(nodes.shape[0]):
        total += max(paths[starts[j] + nodes[j]], 0.0)
    for j in range(point.shape[0]):
        gap = point[j] - coordinates[j]
        total += gap * gap
        if total > limit:
            break
    return total


@numba.njit(cache=True, nogil=True)
def _box_distance(point: Floats, low: Floats, high: Floats, limit: float) -> float:
    """Least squared distance from the point to the box; any number above `limit` once it exceeds that."""
    total = 0.0
    for j in range(point.shape[0]):
        gap = max(low[j] - point[j], point[j] - high[j], 0.0)
        total += gap * gap
        if total > limit:
            break
    return total


@numba.njit(cache=True, nogil=True)
def _measure_pairs(
    trees: Trees, mine: Floats, my_nodes: Codes, other: Floats, other_nodes: Codes, out: Floats
) -> None:
    """Write to `out` (n) the squared distance of each row of `mine` to the same row of `other`, as the
    search adds it.
    """
    paths = np.zeros(trees.parent.shape[0])
    on_path = np.zeros(trees.parent.shape[0], dtype=np.bool_)
    for i in range(mine.shape[0]):
        _fill_paths(trees, my_nodes[i], on_path, paths)
        out[i] = _squared_distance(mine[i], paths, trees.starts, other[i], other_nodes[i], np.inf)


# ---------------------------------------------------------------------------------------------- searches


@numba.njit(cache=True, nogil=True)
def _smallest(
    boxes: Boxes, point: Floats, paths: Floats, starts: Ints, skip: Ints, stack: Stack, out: Floats
) -> None:
    """Write to `out` (4) what is nearest to the point: squared distance of the nearest entry (inf: none)
    and of the next, or any number too large to tie; rows of the nearest entry, and the lowest of them.

    Row skip[0] of entry skip[1] is left out. `stack` is overwritten.
    """
    best, second, limit, place = np.inf, np.inf, np.inf, -1
    n_boxes = boxes.first.shape[0]
    stack.boxes[0], stack.bounds[0] = 0, 0.0
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        box = stack.boxes[n_waiting]
        if stack.bounds[n_waiting] > limit:
            continue
        # Down to a leaf by the nearer child each time, leaving the farther ones on the stack.
        while 2 * box + 1 < n_boxes:
            left = 2 * box + 1
            to_left = _box_distance(point, boxes.low[left], boxes.high[left], limit)
            to_right = _box_distance(point, boxes.low[left + 1], boxes.high[left + 1], limit)
            box = left if to_left <= to_right else left + 1
            if max(to_left, to_right) <= limit:
                stack.boxes[n_waiting] = 2 * left + 1 - box
                stack.bounds[n_waiting] = max(to_left, to_right)
                n_waiting += 1
        for i in range(boxes.first[box], boxes.stop[box]):
            if boxes.entry[i] == skip[1] and boxes.counts[i] == 1:
                continue
            found = _squared_distance(point, paths, starts, boxes.coordinates[i], boxes.nodes[i], limit)
            if found < best:
                best, second, place = found, best, i
                limit = (np.sqrt(best) + TIE) ** 2  # what may tie with the nearest is never passed over
            else:
                second = min(second, found)
    out[0], out[1], out[2], out[3] = best, second, 0, -1
    if place >= 0:
        left_out = boxes.entry[place] == skip[1]
        out[2] = boxes.counts[place] - 1 if left_out else boxes.counts[place]
        out[3] = (
            boxes.rows[place, 1] if left_out and boxes.rows[place, 0] == skip[0] else boxes.rows[place, 0]
        )


@numba.njit(cache=True, nogil=True)
def _count(
    boxes: Boxes, point: Floats, paths: Floats, starts: Ints, ring: Floats, waiting: Ints, out: Ints
) -> None:
    """Count the targets inside a ring and within its inner edge.

    `ring` = (inner squared, outer squared, most inner targets of interest, row left out, its entry).
    `out` (4) is overwritten: targets closer than inner (counting stops at the most), targets from inner
    to outer, the lowest row of the latter, the number of different entries of the latter.
    """
    closer, tied, lowest, n_entries = 0, 0, -1, 0
    n_boxes = boxes.first.shape[0]
    waiting[0] = 0
    n_waiting = 1
    while n_waiting > 0 and closer < ring[2]:
        n_waiting -= 1
        box = waiting[n_waiting]
        if _box_distance(point, boxes.low[box], boxes.high[box], ring[1]) > ring[1]:
            continue
        left = 2 * box + 1
        if left < n_boxes:
            waiting[n_waiting] = left + 1
            waiting[n_waiting + 1] = left
            n_waiting += 2
            continue
        for i in range(boxes.first[box], boxes.stop[box]):
            found = _squared_distance(point, paths, starts, boxes.coordinates[i], boxes.nodes[i], ring[1])
            left_out = boxes.entry[i] == ring[4]
            count = boxes.counts[i] - 1 if left_out else boxes.counts[i]
            if found > ring[1] or count == 0:
                continue
            if found < ring[0]:
                closer += count
                continue
            tied += count
            n_entries += 1
            row = boxes.rows[i, 1] if left_out and boxes.rows[i, 0] == ring[3] else boxes.rows[i, 0]
            if lowest < 0 or row < lowest:
                lowest = row
    out[0], out[1], out[2], out[3] = closer, tied, lowest, n_entries


@numba.njit(cache=True, nogil=True)
def _search_smallest(
    boxes: Boxes, trees: Trees, points: Floats, nodes: Codes, skip: Ints, out: Floats
) -> None:
    """Write to `out` (n, 4) what is nearest to each point, row skip[i, 0] of entry skip[i, 1] left out."""
    paths = np.zeros(trees.parent.shape[0])
    on_path = np.zeros(trees.parent.shape[0], dtype=np.bool_)
    stack = Stack(np.empty(_MAX_DEPTH, dtype=np.int64), np.empty(_MAX_DEPTH))
    for i in range(points.shape[0]):
        _fill_paths(trees, nodes[i], on_path, paths)
        _smallest(boxes, points[i], paths, trees.starts, skip[i], stack, out[i])


@numba.njit(cache=True, nogil=True)
def _search_counts(
    boxes: Boxes, trees: Trees, points: Floats, nodes: Codes, rings: Floats, out: Ints
) -> None:
    """Write to `out` (n, 4) the counts of each point's ring (`rings`: n, 5; see `_count`)."""
    paths = np.zeros(trees.parent.shape[0])
    on_path = np.zeros(trees.parent.shape[0], dtype=np.bool_)
    waiting = np.empty(_MAX_DEPTH, dtype=np.int64)
    for i in range(points.shape[0]):
        _fill_paths(trees, nodes[i], on_path, paths)
        _count(boxes, points[i], paths, trees.starts, rings[i], waiting, out[i])


@numba.njit(cache=True, nogil=True)
def _list(
    boxes: Boxes, point: Floats, paths: Floats, starts: Ints, outer: float, waiting: Ints, out: Ints
) -> None:
    """Fill `out` with the rows of targets within squared distance `outer`, of which there are as many as
    it is long.
    """
    n_found = 0
    n_boxes = boxes.first.shape[0]
    waiting[0] = 0
    n_waiting = 1
    while n_waiting > 0 and n_found < out.shape[0]:
        n_waiting -= 1
        box = waiting[n_waiting]
        if _box_distance(point, boxes.low[box], boxes.high[box], outer) > outer:
            continue
        left = 2 * box + 1
        if left < n_boxes:
            waiting[n_waiting] = left + 1
            waiting[n_waiting + 1] = left
            n_waiting += 2
            continue
        for i in range(boxes.first[box], boxes.stop[box]):
            if _squared_distance(point, paths, starts, boxes.coordinates[i], boxes.nodes[i], outer) <= outer:
                out[n_found] = boxes.entry[i]
                n_found += 1


@numba.njit(cache=True, nogil=True)
def _search_lists(
    boxes: Boxes, trees: Trees, points: Floats, nodes: Codes, rings: Floats, ends: Ints, out: Ints
) -> None:
    """Write to `out` the entries within the ring of each point, those of point i up to ends[i]."""
    paths = np.zeros(trees.parent.shape[0])
    on_path = np.zeros(trees.parent.shape[0], dtype=np.bool_)
    waiting = np.empty(_MAX_DEPTH, dtype=np.int64)
    start = 0
    for i in range(points.shape[0]):
        _fill_paths(trees, nodes[i], on_path, paths)
        _list(boxes, points[i], paths, trees.starts, rings[i, 1], waiting, out[start : ends[i]])
        start = ends[i]


# ---------------------------------------------------------------------------------------------- wrappers


def build_boxes(coordinates: Floats, nodes: Codes, labels: Ints, n_entries: int) -> Boxes:
    """The tree of boxes over targets: each box is halved at the median of its widest coordinate.

    `labels` (n) say which targets are equal: entry 0 .. n_entries - 1, by first appearance.
    """
    counts, rows = np.bincount(labels, minlength=n_entries).astype(np.int64), _two_lowest(labels, n_entries)
    points = coordinates[rows[:, 0]]
    n_levels = max(int(np.ceil(np.log2(max(n_entries, 1) / _LEAF_ROWS))), 0) + 1
    n_boxes = 2**n_levels - 1
    order = np.arange(n_entries, dtype=np.int64)
    first, stop = np.zeros(n_boxes, dtype=np.int64), np.zeros(n_boxes, dtype=np.int64)
    low, high = np.empty((n_boxes, points.shape[1])), np.empty((n_boxes, points.shape[1]))
    stop[0] = n_entries
    for box in range(n_boxes):
        inside = slice(first[box], stop[box])
        corner = points[order[inside]]
        low[box] = corner.min(axis=0, initial=np.inf)
        high[box] = corner.max(axis=0, initial=-np.inf)
        if 2 * box + 1 < n_boxes:
            middle = (first[box] + stop[box]) // 2
            order[inside] = _halved(order[inside], corner, middle - first[box])
            first[2 * box + 1], stop[2 * box + 1] = first[box], middle
            first[2 * box + 2], stop[2 * box + 2] = middle, stop[box]
    placed = np.ascontiguousarray(points[order])
    return Boxes(
        placed,
        nodes[rows[order, 0]],
        order,
        counts[order],
        np.ascontiguousarray(rows[order]),
        first,
        stop,
        low,
        high,
    )


def _two_lowest(labels: Ints, n_entries: int) -> Ints:
    """(n_entries, 2): the two lowest rows of each entry, -1 where there is one only."""
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(n_entries))
    stops = np.append(starts[1:], len(labels))
    second = np.minimum(starts + 1, max(len(labels) - 1, 0))
    rows = np.full((n_entries, 2), -1, dtype=np.int64)
    if n_entries:
        rows[:, 0] = order[starts]
        rows[:, 1] = np.where(stops - starts > 1, order[second], -1)
    return rows


def _halved(rows: Ints, corner: Floats, middle: int) -> Ints:
    """The rows with the lower half of the widest coordinate first."""
    if not corner.shape[1] or len(rows) < 2:
        return rows
    widest = int(np.argmax(np.ptp(corner, axis=0)))
    return np.asarray(rows[np.argpartition(corner[:, widest], middle)], dtype=np.int64)


def pair_distances(trees: Trees, mine: Floats, my_nodes: Codes, other: Floats, other_nodes: Codes) -> Floats:
    """Squared distance of each row to the same row of the other set."""
    out = np.empty(len(mine))
    _measure_pairs(trees, mine, my_nodes, other, other_nodes, out)
    return out


def nearest_entries(
    boxes: Boxes, trees: Trees, points: Floats, nodes: Codes, skip: Ints | None = None
) -> Floats:
    """Per query: squared distance of the nearest entry and of the next (exact where it is within TIE of
    the nearest), rows of the nearest, and its lowest row (-1: no target). Row skip[i, 0] of entry skip[i,
    1] is left out.
    """
    out = np.empty((len(points), 4))
    left_out = np.full((len(points), 2), -1, dtype=np.int64) if skip is None else skip

    def search(rows: slice) -> None:
        _search_smallest(boxes, trees, points[rows], nodes[rows], left_out[rows], out[rows])

    _in_threads(search, len(points))
    return out


def count_rings(boxes: Boxes, trees: Trees, points: Floats, nodes: Codes, rings: Floats) -> Ints:
    """Per query: targets closer than its ring and on it, the lowest row and the number of entries of the
    latter.

    A row of `rings`: inner squared, outer squared, most of interest inside, row left out (-1: none) and
    its entry.
    """
    out = np.empty((len(points), 4), dtype=np.int64)

    def search(rows: slice) -> None:
        _search_counts(boxes, trees, points[rows], nodes[rows], rings[rows], out[rows])

    _in_threads(search, len(points))
    return out


def list_rings(
    boxes: Boxes, trees: Trees, points: Floats, nodes: Codes, rings: Floats, n_inside: Ints
) -> Ints:
    """The n_inside[i] entries within the outer edge of each query's ring, ascending, one query after
    another.
    """
    ends = np.cumsum(n_inside)
    out = np.empty(int(n_inside.sum()), dtype=np.int64)
    _search_lists(boxes, trees, points, nodes, rings, ends, out)
    query = np.repeat(np.arange(len(points)), n_inside)
    return np.asarray(out[np.lexsort((out, query))], dtype=np.int64)


def _in_threads(search: Callable[[slice], Any], n_queries: int) -> None:
    blocks = [slice(start, start + _BLOCK) for start in range(0, n_queries, _BLOCK)]
    if len(blocks) == 1:
        search(blocks[0])
        return
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        list(pool.map(search, blocks))
