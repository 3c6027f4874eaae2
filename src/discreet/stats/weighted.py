"""Means, covariances, quantiles, ranks and distribution functions of weighted records.

Everything is invariant to the scale of the weights, and weights of one give the usual unweighted statistic
(covariances divide by n, quantiles interpolate at (n - 1) q, ranks are mid-ranks). `weights=None` means ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError


def checked_weights(weights: Floats | None, n_records: int) -> Floats:
    """Weights scaled to a mean of one, so that they count records; ones where none are given."""
    if weights is None:
        return np.ones(n_records)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (n_records,):
        raise ParameterError(f"Weights must be one per record. Got {weights.size} for {n_records} records.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError("Weights must be finite and not negative. Check the weight column.")
    total = weights.sum()
    if n_records and total <= 0:
        raise ParameterError("All weights are zero. Give at least one record a positive weight.")
    return weights * (n_records / total) if n_records else weights


def effective_size(weights: Floats) -> float:
    """Kish's effective number of records, (sum w)^2 / sum w^2: n for equal weights.

    >>> effective_size(np.array([1.0, 1.0, 1.0, 1.0])), effective_size(np.array([3.0, 1.0]))
    (4.0, 1.6)
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def mean(values: Floats, weights: Floats | None = None) -> Floats:
    """Weighted mean of each column (of a vector: of the vector); nan without records."""
    weights = checked_weights(weights, len(values))
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    return np.asarray(weights @ values / weights.sum(), dtype=np.float64)


def covariance(values: Floats, weights: Floats | None = None) -> Floats:
    """Covariance matrix of the columns, divided by the sum of the weights.

    >>> covariance(np.array([[0.0, 0.0], [2.0, 4.0]])).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    weights = checked_weights(weights, len(values))
    if not len(values):
        return np.full((values.shape[1], values.shape[1]), np.nan)
    centred = values - mean(values, weights)
    return np.asarray((centred * weights[:, None]).T @ centred / weights.sum(), dtype=np.float64)


def variance(values: Floats, weights: Floats | None = None) -> Floats:
    """Weighted variance of each column, divided by the sum of the weights."""
    weights = checked_weights(weights, len(values))
    if not len(values):
        return np.full(values.shape[1:], np.nan)
    return np.asarray(weights @ (values - mean(values, weights)) ** 2 / weights.sum(), dtype=np.float64)


def correlation(covariances: Floats) -> Floats:
    """Correlations from covariances: nan beside a column without variance, exactly 1 on the diagonal."""
    sds = np.sqrt(np.diag(covariances))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = covariances / np.outer(sds, sds)
    correlations = np.clip(ratios, -1.0, 1.0)
    np.fill_diagonal(correlations, np.where(sds > 0, 1.0, np.nan))
    return np.asarray(correlations, dtype=np.float64)


def quantile(values: Floats, shares: Floats, weights: Floats | None = None) -> Floats:
    """Quantiles by linear interpolation between records; nan without records.

    Record i of the sorted values stands at (S_i - w_i/2 - w_1/2) / (W - w_1/2 - w_n/2), S the running sum of
    weights: for equal weights that is (i - 1) / (n - 1). Ties are taken in the order of their weights, so that
    the order of records does not matter.

    >>> quantile(np.array([4.0, 1.0, 2.0]), np.array([0.5, 0.75])).tolist()
    [2.0, 3.0]
    """
    if not len(values):
        return np.full(len(shares), np.nan)
    if weights is None:
        return np.asarray(np.quantile(values, shares), dtype=np.float64)
    kept = weights > 0
    values, weights = values[kept], checked_weights(weights, len(values))[kept]
    order = np.lexsort((weights, values))
    values, weights = values[order], weights[order]
    middles = np.cumsum(weights) - weights / 2
    span = middles[-1] - middles[0]
    places = (middles - middles[0]) / span if span > 0 else middles * 0.0
    return np.asarray(np.interp(shares, places, values), dtype=np.float64)


def ranks(values: Floats | NDArray[np.generic], weights: Floats | None = None) -> Floats:
    """Mid-ranks from 1 to n; with weights, the weight below a record plus half of its ties' and half a share.

    >>> ranks(np.array([10.0, 30.0, 10.0, 20.0])).tolist()
    [1.5, 4.0, 1.5, 3.0]
    """
    weights = checked_weights(weights, len(values))
    _, block = np.unique(values, return_inverse=True)
    tied = np.bincount(block, weights=weights)
    below = np.cumsum(tied) - tied
    own = tied / np.maximum(np.bincount(block), 1)
    return np.asarray((below + (tied + own) / 2)[block], dtype=np.float64)


def ecdf(values: Floats, points: Floats, weights: Floats | None = None) -> Floats:
    """Share of the weight at or below each point.

    >>> ecdf(np.array([1.0, 2.0, 2.0, 5.0]), np.array([0.0, 2.0, 9.0])).tolist()
    [0.0, 0.75, 1.0]
    """
    if not len(values):
        return np.full(len(points), np.nan)
    order = np.argsort(values, kind="stable")
    running = np.concatenate(([0.0], np.cumsum(checked_weights(weights, len(values))[order])))
    places = np.searchsorted(values[order], points, side="right")
    return np.asarray(running[places] / running[-1], dtype=np.float64)


def counts(codes: NDArray[np.integer], n_levels: int, weights: Floats | None = None) -> Floats:
    """Weight of the records on each code 0 .. n_levels - 1 (weights scaled to a mean of one)."""
    if weights is None:
        return np.bincount(codes, minlength=n_levels).astype(np.float64)
    scaled = checked_weights(weights, len(codes))
    return np.asarray(np.bincount(codes, weights=scaled, minlength=n_levels), dtype=np.float64)


def running_sums(mass: Floats, sizes: Ints) -> Floats:
    """Sums of `mass`, sorted by group, that begin anew in each: one sum over all would swallow light groups' digits.

    >>> running_sums(np.array([1e20, 1.0, 2.0]), np.array([1, 2])).tolist()
    [1e+20, 1.0, 3.0]
    """
    starts = np.cumsum(sizes) - sizes
    running = np.empty_like(mass)
    for size in np.unique(sizes):  # groups of one size at a time are a matrix
        rows = starts[sizes == size][:, None] + np.arange(size)
        running[rows] = np.cumsum(mass[rows], axis=1)
    return running


def draw_within(group: NDArray[Any], mass: Floats, of: NDArray[Any], draws: Floats) -> Ints:
    """For each draw in [0, 1) an entry of the group that it is `of`, in proportion to mass, never one without any.

    `group` is ascending; every group that is drawn from has an entry of positive mass.

    >>> draw_within(np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 0.0, 1.0]), np.array([0, 0, 1]), np.array([0.2, 0.3, 0.0]))
    array([0, 1, 3])
    """
    heavy = np.flatnonzero(mass > 0)
    sizes = np.bincount(group[heavy], minlength=int(of.max(initial=0)) + 1)
    running, last = running_sums(mass[heavy], sizes), np.cumsum(sizes) - 1
    points = draws * running[last[of]]
    is_point = np.repeat([False, True], [len(heavy), len(of)])
    order = np.lexsort((is_point, np.concatenate([running, points]), np.concatenate([group[heavy], of])))
    before = np.empty(len(order), dtype=np.int64)
    before[order] = np.cumsum(
        ~is_point[order]
    )  # entries of earlier groups, and of its own the sums up to the point
    picked: Ints = heavy[np.minimum(before[len(heavy) :], last[of])]
    return picked
