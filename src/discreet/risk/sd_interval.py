"""Standard-deviation-interval disclosure (SDID): is the original value within p % of a deviation of the release?

Mean over p = 1 .. 10 and the columns. Unlike the rank interval it sees nothing of how crowded the values
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure
from discreet.risk.interval_figure import interval_figures
from discreet.risk.rank_interval import WIDTHS
from discreet.table.table import Table

_SLACK = 1e-12  # deviations; closed intervals must not open by rounding


def sd_interval_hits(original: Floats, released: Floats, percent: float) -> Bools:
    """Whether |original - released| <= percent / 100 of the original's standard deviation (divided by n).

    >>> sd_interval_hits(np.array([0.0, 10.0]), np.array([0.4, 10.6]), 10).tolist()
    [True, False]
    """
    reach = (percent / 100 + _SLACK) * original.std()
    return np.asarray(np.abs(original - released) <= reach, dtype=np.bool_)


@dataclass(frozen=True, kw_only=True)
class SdInterval:
    """Standard-deviation-interval disclosure of the numeric columns, per cent of values.

    Parameters: `columns` (default: all numeric ones analysed) and `widths` in per cent of a deviation
    (half-widths). A value that was missing is left out; one that is withheld in the release is not
    disclosed.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    columns: tuple[str, ...] | None = None
    widths: Sequence[float] = WIDTHS

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        return interval_figures(
            "sd_interval.mean", sd_interval_hits, original, protected, self.columns, self.widths
        )
