"""Naive microaggregation to hold the kernels against: every step recomputed from the definition, nothing kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import numpy as np

Distances = Callable[[int | None, list[int]], list[float]]


def textbook_mdav(n: int, k: int, distances: Distances) -> np.ndarray:
    """MDAV over `distances(reference, left)`: from record `reference`, or (None) from the centroid of `left`."""
    left = list(range(n))
    groups: list[list[int]] = []
    while len(left) >= 2 * k:
        n_groups = 2 if len(left) >= 3 * k else 1
        reference = None
        for _ in range(n_groups):
            reference = farthest(reference, left, distances)
            group = nearest(reference, left, k, distances)
            groups.append(group)
            left = [record for record in left if record not in set(group)]
    if left:
        groups.append(left)
    return as_labels(n, groups)


def farthest(reference: int | None, left: list[int], distances: Distances) -> int:
    """The record of `left` farthest from the reference; of several the lowest row."""
    return min(zip((-d for d in distances(reference, left)), left, strict=True))[1]


def nearest(reference: int, left: list[int], k: int, distances: Distances) -> list[int]:
    """`reference` and the k - 1 records of `left` nearest to it; of several the lowest rows."""
    others = [record for record in left if record != reference]
    ranked = sorted(zip(distances(reference, others), others, strict=True))
    return [reference] + [record for _, record in ranked[: k - 1]]


def as_labels(n: int, groups: Iterable[list[int]]) -> np.ndarray:
    """Group number of each record."""
    labels = np.full(n, -1)
    for number, group in enumerate(groups):
        labels[group] = number
    return labels


def numeric_distances(points: np.ndarray, scales: np.ndarray | None = None) -> Distances:
    """Squared distances of the records of `points` (n, d), columns added in order, scaled after squaring."""
    factors = np.ones(points.shape[1]) if scales is None else scales

    def measure(reference: int | None, left: list[int]) -> list[float]:
        place = mean_of(points[left]) if reference is None else points[reference]
        total = np.zeros(len(left))
        for column, factor in enumerate(factors):
            difference = points[left, column] - place[column]
            total = total + factor * (difference * difference)
        return total.tolist()

    return measure


def mean_of(points: np.ndarray) -> np.ndarray:
    """Column means with correctly rounded sums."""
    return np.array([math.fsum(column) / len(points) for column in points.T])


def path_lengths(parents: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Sum of the edge weights between every two nodes of a tree, walked up from both ends."""
    above = [set(ancestors(parents, v)) for v in range(len(parents))]
    table = np.zeros((len(parents), len(parents)))
    for u in range(len(parents)):
        for v in range(len(parents)):
            table[u, v] = sum(weights[e] for e in above[u] ^ above[v])
    return table


def ancestors(parents: np.ndarray, v: int) -> Iterator[int]:
    """v and the nodes above it."""
    while v != -1:
        yield v
        v = int(parents[v])


def mixed_distances(
    numeric: np.ndarray, nodes: np.ndarray, tables: list[np.ndarray], scales: np.ndarray
) -> Distances:
    """`numeric_distances` plus, for each tree, scale times the path length; from the centroid its mean."""
    p = numeric.shape[1]
    numbers = numeric_distances(numeric, scales[:p])

    def measure(reference: int | None, left: list[int]) -> list[float]:
        total = np.array(numbers(reference, left))
        for tree, table in enumerate(tables):
            ends = nodes[left, tree]
            starts = ends if reference is None else nodes[[reference], tree]
            sums = table[np.ix_(starts, ends)].sum(axis=0)
            total = total + scales[p + tree] * sums / len(starts)
        return total.tolist()

    return measure


def variable_mdav(points: np.ndarray, k: int, gamma: float) -> np.ndarray:
    """V-MDAV: groups of k which grow to 2k - 1 while the nearest record is nearer to them than gamma its others."""
    distances = numeric_distances(points)
    n = len(points)
    left = list(range(n))
    place = mean_of(points)
    square = np.zeros(n)
    for column in range(points.shape[1]):
        difference = points[:, column] - place[column]
        square = square + difference * difference
    groups: list[list[int]] = []
    while len(left) >= k:
        seed = min((-square[record], record) for record in left)[1]
        group = nearest(seed, left, k, distances)
        left = [record for record in left if record not in group]
        while left and len(group) < 2 * k - 1:
            inner, closest = min(
                (min(distances(member, [record])[0] for member in group), record) for record in left
            )
            others = [record for record in left if record != closest]
            outer = min(distances(closest, others), default=math.inf)
            if not inner < gamma**2 * outer:
                break
            group.append(closest)
            left.remove(closest)
        groups.append(group)
    if groups:
        means = [mean_of(points[group]) for group in groups]
        for record in left:
            to_means = [float(((points[record] - mean) ** 2).sum()) for mean in means]
            groups[int(np.argmin(to_means))].append(record)
    else:
        groups = [left]
    return as_labels(n, groups)


def within_squares(
    values: np.ndarray, groups: Iterable[Iterable[int]], weights: np.ndarray | None = None
) -> float:
    """Weighted sum of squared deviations of `values` from the mean of their group."""
    importance = np.ones(len(values)) if weights is None else weights
    total = 0.0
    for group in groups:
        members = list(group)
        mean = np.average(values[members], weights=importance[members])
        total += float((importance[members] * (values[members] - mean) ** 2).sum())
    return total


def set_partitions(records: list[int], k: int) -> Iterator[list[list[int]]]:
    """All partitions of `records` into groups of at least k."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for size in range(k - 1, len(rest) + 1):
        for others in combinations(rest, size):
            remaining = [record for record in rest if record not in others]
            for groups in set_partitions(remaining, k):
                yield [[first, *others], *groups]


def contiguous_partitions(order: list[int], k: int) -> Iterator[list[list[int]]]:
    """All ways to cut `order` into runs of at least k."""
    if not order:
        yield []
    for size in range(k, len(order) + 1):
        for groups in contiguous_partitions(order[size:], k):
            yield [order[:size], *groups]
