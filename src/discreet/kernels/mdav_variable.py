"""V-MDAV on the k-d tree: groups of k that grow to 2k - 1 where records lie close to them and apart from others."""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.arrays import Floats, Ints
from discreet.kernels.kdtree import Tree, plant
from discreet.kernels.mdav_packed import _numeric_distances, _sum_columns
from discreet.kernels.mdav_tree import (
    Copies,
    Group,
    Scratch,
    _collapse,
    _gather,
    _goes_on,
    _make_scratch,
    _seal,
    _zoom,
)
from discreet.kernels.turns import turns
from discreet.progress import share

__all__ = ["partition_variable"]


@njit(cache=True, nogil=True)
def _nearest_left(
    tree: Tree, copies: Copies, zoom: float, members: Ints, pair: Group, scratch: Scratch
) -> tuple[float, int]:
    """Squared distance and point of the record left that is nearest to any of `members`; inf, -1 if none is left."""
    _, start, stop, lowest = copies
    best, best_row, nearest = np.inf, -1, -1
    for member in members:
        if start[member] < stop[member]:
            distance, row, point = 0.0, lowest[member], member
        else:
            _gather(tree, copies, zoom, member, pair, scratch)
            distance, row, point = pair[0][1], pair[1][1], pair[2][1]
        if distance < np.inf and (distance < best or (distance == best and row < best_row)):
            best, best_row, nearest = distance, row, point
    return best, nearest


@njit(cache=True, nogil=True)
def _take(tree: Tree, copies: Copies, group: Group, label: int, labels: Ints, folded: Floats) -> int:
    """Label the rows of a group and take them out of the tree; answer how many points are gone."""
    no_sums = np.zeros((2, tree.scales.size))
    for row in group[1]:
        labels[row] = label
    return _seal(tree, copies, group, no_sums, folded)


@njit(cache=True, nogil=True)
def _grow(
    tree: Tree,
    copies: Copies,
    zoom: float,
    members: Ints,
    k: int,
    ratio: float,
    labels: Ints,
    scratch: Scratch,
) -> tuple[int, int]:
    """Let records join the k `members` (2k - 1,) while nearer to them than `ratio` times to others, all squared.

    Answers how many joined and how many points are gone from the tree.
    """
    pair = (np.empty(2), np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64))
    size, n_gone = k, 0
    label = labels[copies[0][copies[1][members[0]] - 1]]  # of the row taken last from the first member
    while size < members.size:
        inner, point = _nearest_left(tree, copies, zoom, members[:size], pair, scratch)
        if point < 0:
            break
        _gather(tree, copies, zoom, point, pair, scratch)
        if not inner < ratio * pair[0][1]:
            break
        alone = (pair[0][:1], pair[1][:1], pair[2][:1])
        n_gone += _take(tree, copies, alone, label, labels, scratch[2][0])
        members[size] = point
        size += 1
    return size - k, n_gone


@njit(cache=True, nogil=True)
def _peel_variable(
    tree: Tree,
    copies: Copies,
    zoom: float,
    seeds: tuple[Ints, Ints],
    progress: Ints,
    shape: tuple[int, float, int],
    labels: Ints,
) -> None:
    """Make groups until less than k records are left, or half of the points of a tree of several leaves are gone.

    `seeds` = (rows, the farthest from the centroid first; the point of each row), `shape` = (k, squared gamma, the
    most groups to make), `progress` (4,) = records left, groups made, points left in the tree, seeds used: updated.
    Rows have label -1 until they have a group.
    """
    k, ratio, n_steps = shape
    order, point_of = seeds
    group = (np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64))
    scratch = _make_scratch()
    members = np.empty(2 * k - 1, dtype=np.int64)
    for _ in range(n_steps):
        if not _goes_on(tree, progress, k):
            break
        while labels[order[progress[3]]] >= 0:
            progress[3] += 1
        _gather(tree, copies, zoom, point_of[order[progress[3]]], group, scratch)
        progress[2] -= _take(tree, copies, group, progress[1], labels, scratch[2][0])
        members[:k] = group[2]
        n_joined, n_gone = _grow(tree, copies, zoom, members, k, ratio, labels, scratch)
        progress[2] -= n_gone
        progress[0] -= k + n_joined
        progress[1] += 1


def partition_variable(points: Floats, scales: Floats, k: int, gamma: float) -> Ints:
    """Groups of a V-MDAV over `points` (n, d), contiguous, d at least 1; scales (d,) positive."""
    n = len(points)
    points = points + 0.0  # both zeros get the same bits
    order = _farthest_first(points, scales)
    original = points
    points, rows, start, stop = _collapse(points)
    labels = np.full(n, -1)
    progress = np.array([n, 0, 0, 0])
    steps = turns()
    while progress[0] >= k:
        zoom = _zoom(points, scales)
        tree, planted = plant(points, scales, zoom)
        start, stop = start[planted], stop[planted]
        point_of = np.zeros(n, dtype=np.int64)
        for point, (first, end) in enumerate(zip(start, stop, strict=True)):
            point_of[rows[first:end]] = point
        copies = (rows, start, stop, rows[start])
        progress[2] = len(points)
        while _goes_on(tree, progress, k):
            shape = (k, gamma * gamma, next(steps))
            _peel_variable(tree, copies, zoom, (order, point_of), progress, shape, labels)
            share(1 - progress[0] / n)
        left = start < stop
        points, start, stop = tree.points[left], start[left], stop[left]
    _join_nearest_groups(original, scales, labels)
    return labels


def _farthest_first(points: Floats, scales: Floats) -> Ints:
    """Rows by falling distance from the centroid of all, then ascending."""
    columns = np.ascontiguousarray(points.T)
    high, low = np.empty(len(columns)), np.empty(len(columns))
    _sum_columns(columns, high, low)
    distances = np.empty(len(points))
    _numeric_distances(columns, scales, high / len(points), len(points), distances)
    return np.argsort(-distances, kind="stable")


def _join_nearest_groups(points: Floats, scales: Floats, labels: Ints) -> None:
    """Give records without a group (label -1) that of the nearest group centroid; all are one if there is none."""
    rest = np.flatnonzero(labels < 0)
    grouped = labels >= 0
    if not grouped.any():
        labels[:] = 0
        return
    if not rest.size:
        return
    sizes = np.bincount(labels[grouped])
    totals = [np.bincount(labels[grouped], column) for column in points[grouped].T]
    centroids = np.column_stack(totals) / sizes[:, None]
    for row in rest:
        labels[row] = np.argmin((scales * (centroids - points[row]) ** 2).sum(axis=1))
