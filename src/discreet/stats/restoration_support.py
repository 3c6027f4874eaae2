"""What goes around restoration: values kept in bounds, rounded for output, and records blended before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import Moments, measure_moments
from discreet.stats.restoration import restore
from discreet.stats.restoration_affine import Restoration
from discreet.stats.restoration_parts import Restorer


@dataclass(frozen=True)
class BoundedRestoration:
    """Restorations with clipping to the bounds between them: a map of records, like each of its sweeps.

    `violation` is the furthest a value of the fitted table stands outside its bounds, in deviations of its column.
    """

    sweeps: tuple[Restoration, ...]
    lower: Floats
    upper: Floats
    violation: float

    def apply(self, treated: Floats, start: int = 0) -> Floats:
        """The restored records; `start` is the number of the first of them in the whole table."""
        values = treated
        for number, sweep in enumerate(self.sweeps):
            values = sweep.apply(np.clip(values, self.lower, self.upper) if number else values, start)
        return values


def restore_within(
    original: Floats,
    treated: Floats,
    lower: Floats,
    upper: Floats,
    *,
    weights: Floats | None = None,
    restorer: Restorer = restore,
    tolerance: float = 1e-9,
    max_sweeps: int = 300,
) -> tuple[Floats, BoundedRestoration]:
    """Restored records inside bounds (one per column, infinite where there is none), by clipping and restoring in turn.

    Means and covariances are always exact; the bounds hold to `tolerance` deviations where the sweeps come to an end,
    and `violation` says how well they hold where they do not.
    """
    moments = measure_moments(np.ascontiguousarray(original, dtype=np.float64), weights)
    _check_bounds(moments, lower, upper)
    units = np.where(moments.constant, 1.0, moments.deviations)
    sweeps: list[Restoration] = []
    values, violation = treated, np.inf
    while violation > tolerance and len(sweeps) < max_sweeps:
        values, plan = restorer(
            original, np.clip(values, lower, upper) if sweeps else values, weights=weights
        )
        sweeps.append(plan)
        outside = np.maximum(lower - values, values - upper) / units
        violation = max(0.0, float(outside.max()))
    return values, BoundedRestoration(tuple(sweeps), lower, upper, violation)


def round_restored(values: Floats, decimals: Sequence[int | None], plan: Restoration | None = None) -> Floats:
    """Values rounded to each column's decimals (None: as they are); dependent columns are computed anew after that.

    Totals thus agree with the rounded parts beside them. Rounding costs exactness: measure it with `moment_errors`.

    >>> round_restored(np.array([[1.26, 12.4]]), [1, 0]).tolist()
    [[1.3, 12.0]]
    """
    if len(decimals) != values.shape[1]:
        raise ParameterError(
            f"One number of decimals per column is needed: got {len(decimals)} for {values.shape[1]}."
        )
    rounded = _rounded(values, decimals)
    if plan is None or plan.identities is None:
        return rounded
    plan.identities.write(rounded, rounded)
    return _rounded(rounded, decimals)


def blend_records(
    treated: Floats, blend: float, rng: np.random.Generator, weights: Floats | None = None
) -> Floats:
    """Mixes each treated record with another one, drawn by a permutation: mean and covariances stay about the same.

    `blend` = 1 leaves records as they are; 0 makes them the other record's, so that nothing links them to their own.

    >>> table = np.arange(6.0).reshape(3, 2)
    >>> blend_records(table, 1.0, np.random.default_rng(0)).tolist() == table.tolist()
    True
    """
    if not 0.0 <= blend <= 1.0:
        raise ParameterError(f"blend must be between 0 and 1: got {blend}.")
    other = rng.permutation(len(treated))
    if blend == 1.0:
        return treated.copy()
    centre = np.average(treated, axis=0, weights=weights)
    apart = treated - centre
    blended: Floats = centre + blend * apart + np.sqrt(1.0 - blend**2) * apart[other]
    return blended


def _rounded(values: Floats, decimals: Sequence[int | None]) -> Floats:
    rounded = values.copy()
    for column, places in enumerate(decimals):
        if places is not None:
            # Adding 0 makes -0.0 a plain 0.
            rounded[:, column] = np.round(values[:, column], places) + 0.0
    return rounded


def _check_bounds(moments: Moments, lower: Floats, upper: Floats) -> None:
    """Refuses bounds that no table with these means and variances can keep (Bhatia and Davis 2000)."""
    if lower.shape != moments.mean.shape or upper.shape != moments.mean.shape:
        raise ParameterError(
            f"One lower and one upper bound per column is needed, for {len(moments.mean)} columns."
        )
    with np.errstate(invalid="ignore"):
        room = (upper - moments.mean) * (moments.mean - lower)
    inside = (lower <= moments.mean) & (moments.mean <= upper)
    bounded = np.isfinite(lower) & np.isfinite(upper)
    narrow = bounded & ~(room >= np.diag(moments.covariance) * (1.0 - 1e-9))
    bad = np.flatnonzero((~inside | narrow) & ~moments.constant)
    if len(bad):
        raise UnsuitableError(
            f"No table inside the bounds has the means and variances of the columns at positions {bad.tolist()}. "
            "Widen their bounds."
        )
