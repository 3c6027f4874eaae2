"""Rank-interval disclosure (RID): is the original value near the released one in rank?

For each released value the interval of values at most p % of the records away in the sorted released
column; the value is disclosed when the original lies in it. Mean over p = 1 .. 10 and the columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure
from discreet.risk.interval_figure import interval_figures
from discreet.table.table import Table

WIDTHS = tuple(range(1, 11))


def rank_interval_hits(original: Floats, released: Floats, percent: float) -> Bools:
    """Whether each original value lies within floor(percent n / 100) places of the released one, in
    released values.

    Closed intervals, ends clipped. A tied released value starts below the first and above the last of its
    ties, so the order of records does not matter.

    >>> rank_interval_hits(np.array([12.0, 29.0, 35.0]), np.array([10.0, 20.0, 30.0]), 34).tolist()
    [True, True, False]
    """
    ordered = np.sort(released)
    width = int(np.floor(percent * len(ordered) / 100 + 1e-9))
    below = np.searchsorted(ordered, released, side="left") - width
    above = np.searchsorted(ordered, released, side="right") - 1 + width
    low, high = ordered[np.maximum(below, 0)], ordered[np.minimum(above, len(ordered) - 1)]
    return np.asarray((low <= original) & (original <= high), dtype=np.bool_)


@dataclass(frozen=True, kw_only=True)
class RankInterval:
    """Rank-interval disclosure of the numeric columns, per cent of values.

    Parameters: `columns` (default: all numeric ones analysed) and `widths` in per cent of the records
    (half-widths). A value that was missing is left out; one that is withheld in the release is not
    disclosed.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    columns: tuple[str, ...] | None = None
    widths: Sequence[float] = WIDTHS

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        return interval_figures(
            "rank_interval.mean", rank_interval_hits, original, protected, self.columns, self.widths
        )
