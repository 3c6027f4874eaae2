"""Share of records that lie within k standard deviations of their released record in every numeric column
at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import Names, analysed, check_correspondence
from discreet.table.table import Table


def inside_interval(original: Floats, released: Floats, k: float) -> Bools:
    """Whether |original - released| <= k sd(released), sd divided by n - 1 (of the RELEASED column: known
    to anyone).

    >>> inside_interval(np.array([0.0, 3.0]), np.array([0.0, 2.0]), 0.5).tolist()
    [True, False]
    """
    spread = float(released.std(ddof=1)) if len(released) > 1 else 0.0
    return np.asarray(np.abs(original - released) <= k * spread, dtype=np.bool_)


@dataclass(frozen=True, kw_only=True)
class IntervalShare:
    """Records inside the interval in all numeric columns, per cent.

    Parameters: `k` half-width in deviations of the released column (default 0.05), `columns` (default:
    all numeric ones analysed). A value missing in the original constrains nothing; one withheld in the
    release is outside.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    k: float = 0.05
    columns: Names | None = None

    def __post_init__(self) -> None:
        if self.k <= 0:
            raise ParameterError(f"k must be positive. Got {self.k}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_correspondence(original, protected)
        names = self.columns or tuple(n for n in analysed(original) if original[n].is_numeric)
        if not names or not original.n_records:
            return (undefined("interval_share.inside", "%", PERCENT, "No numeric columns or no records."),)
        inside = np.ones(original.n_records, dtype=np.bool_)
        for name in names:
            held, shown = ~original[name].missing, ~protected[name].missing
            both = held & shown
            inside &= ~held | shown
            values, released = original[name].values[both], protected[name].values[both]
            inside[both] &= inside_interval(values.astype(np.float64), released.astype(np.float64), self.k)
        note = f"k = {self.k} standard deviations of the released column, {len(names)} columns at once."
        return (percent_figure("interval_share.inside", inside.astype(np.float64), note=note),)
