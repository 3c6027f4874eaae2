"""Optimal microaggregation of one column: the partition into groups of at least k with the least loss.

Groups of an optimal partition are runs of the sorted values, k to 2k - 1 long: cutting the sorted values is a
shortest path over n + 1 nodes with k edges into each, found in O(n k).

Hansen, Mukherjee (2003), A polynomial algorithm for optimal univariate microaggregation, IEEE TKDE 15 (4).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError

__all__ = ["optimal_univariate"]


@njit(cache=True, nogil=True)
def _shortest_path(values: Floats, weights: Floats, k: int, losses: Floats, before: Ints) -> None:
    """losses[j] = least loss of cutting the first j values, before[j] = where their last run starts.

    `values` (n,) ascending; `losses` and `before` (n + 1,) are overwritten. A run is extended to the left one value
    at a time, its mean and loss updated (Welford): no difference of large sums, so that a large mean does no harm.
    Of equal losses the shorter last run stays.
    """
    losses[:] = np.inf
    losses[0] = 0.0
    for j in range(k, values.size + 1):
        mean, loss, weight = 0.0, 0.0, 0.0
        for i in range(j - 1, max(j - 2 * k, -1), -1):
            weight += weights[i]
            step = values[i] - mean
            if weight > 0.0:
                mean += step * weights[i] / weight
            loss += weights[i] * step * (values[i] - mean)
            if j - i >= k and losses[i] + loss < losses[j]:
                losses[j] = losses[i] + loss
                before[j] = i


@njit(cache=True, nogil=True)
def _label_runs(order: Ints, before: Ints, labels: Ints) -> None:
    """Fill `labels` (n,) from the cuts of the shortest path: 0 for the run of the least values."""
    n_groups = 0
    stop = order.size
    while stop > 0:
        n_groups += 1
        stop = before[stop]
    stop = order.size
    while stop > 0:
        n_groups -= 1
        for i in range(before[stop], stop):
            labels[order[i]] = n_groups
        stop = before[stop]


def optimal_univariate(values: Floats, k: int, weights: Floats | None = None) -> Ints:
    """Group of each record, 0 that of the least values: the least sum of squared deviations from the group mean.

    Every group has at least k records. `weights` (n,) multiply the squared deviations and make the means weighted;
    the groups are then the best among runs of the sorted values. Fewer than 2k records are one group.

    >>> optimal_univariate(np.array([11.0, 1.0, 2.0, 10.0, 3.0, 12.0, 13.0]), k=3)
    array([1, 0, 0, 1, 0, 1, 1])
    """
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1 or not column.size:
        raise ParameterError(f"values must be one column with at least one record. Got shape {column.shape}.")
    wrong = int(np.count_nonzero(~np.isfinite(column)))
    if wrong:
        raise ParameterError(
            f"values must be finite; {wrong} of {column.size} are not. Set missing values apart."
        )
    if k < 1:
        raise ParameterError(f"k must be at least 1. Got {k}.")
    n = column.size
    order = np.argsort(column, kind="stable")
    importance = _checked_weights(weights, n)[order]
    labels = np.zeros(n, dtype=np.int64)
    if n >= 2 * k:
        losses, before = np.empty(n + 1), np.zeros(n + 1, dtype=np.int64)
        _shortest_path(column[order], importance, k, losses, before)
        _label_runs(order, before, labels)
    return labels


def _checked_weights(weights: Floats | None, n: int) -> Floats:
    if weights is None:
        return np.ones(n)
    importance = np.asarray(weights, dtype=np.float64)
    if importance.shape != (n,) or not (np.isfinite(importance).all() and (importance >= 0).all()):
        raise ParameterError(
            f"weights must be {n} finite numbers, none negative. Got shape {importance.shape}."
        )
    return importance
