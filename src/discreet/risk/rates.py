"""Rates and the figures made of them: shares in per cent, Wilson intervals, excess over a control."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from discreet.arrays import Floats
from discreet.base import Figure, Part

PERCENT = (0.0, 100.0)


def wilson_interval(hits: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share of `n` independent trials; (0, 1) without trials.

    >>> [round(end, 4) for end in wilson_interval(0, 10)]
    [0.0, 0.2775]
    """
    if n <= 0:
        return 0.0, 1.0
    z = float(ndtri(0.5 + level / 2))
    share = hits / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(max(share * (1 - share), 0.0) / n + z * z / (4 * n * n))
    low = 0.0 if hits <= 0 else max(centre - half, 0.0)
    high = 1.0 if hits >= n else min(centre + half, 1.0)
    return low, high


def excess_interval(
    attack: tuple[float, float], control: tuple[float, float], level: float = 0.95
) -> tuple[float, float, float]:
    """(difference, low, high) of two shares given as (hits, n): Newcombe's interval from the two
    Wilson intervals.

    >>> [round(number, 3) for number in excess_interval((50, 100), (50, 100))]
    [0.0, -0.136, 0.136]
    """
    shares = [hits / n if n > 0 else math.nan for hits, n in (attack, control)]
    (low_a, high_a), (low_c, high_c) = (wilson_interval(*pair, level) for pair in (attack, control))
    difference = shares[0] - shares[1]
    low = difference - math.hypot(shares[0] - low_a, high_c - shares[1])
    high = difference + math.hypot(high_a - shares[0], shares[1] - low_c)
    return difference, max(low, -1.0), min(high, 1.0)


def percent_figure(
    name: str,
    records: Floats,
    *,
    estimate: bool = False,
    parts: Sequence[Part] = (),
    note: str = "",
    counted: str = "",
    better: bool = True,
) -> Figure:
    """Mean of per-record values between 0 and 1 as per cent; with a Wilson interval where it is an
    estimate.

    `note` may be published; `counted` is what counts records or groups, and stays inside.
    """
    n = len(records)
    if not n:
        return undefined(name, "%", PERCENT, note or "There are no records to measure.")
    hits = float(np.sum(records))
    low, high = wilson_interval(hits, n)
    return Figure(
        name,
        100.0 * hits / n,
        "%",
        "lower" if better else "neither",
        PERCENT,
        interval=(100.0 * low, 100.0 * high) if estimate else None,
        parts=tuple(parts),
        records=None if estimate else records,
        note=f"{counted} {note}".strip(),
        people=n,
        public_note=note,
    )


def undefined(name: str, unit: str, bounds: tuple[float, float], note: str) -> Figure:
    """A figure that these tables do not define, and why."""
    return Figure(name, math.nan, unit, "lower", bounds, note=note, public_note=note)
