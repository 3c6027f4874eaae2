"""Top and bottom coding: what lies beyond a bound is published as the bound, or as the mean beyond it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Draft
from discreet.errors import ParameterError
from discreet.release import Method
from discreet.selection import by_column, chosen, name_list, number
from discreet.stats.streams import Streams
from discreet.stats.weighted import quantile
from discreet.table.column import EMPTY, Column
from discreet.table.table import Table

FEWEST = 3  # records whose mean may be published


@dataclass(frozen=True)
class TopBottomCoding(Method):
    """Hides extreme numbers.

    Protects the tails, where people are few and known; does **not** touch the middle. Missing cells stay missing.

    Args:
        top, bottom: column -> bound. A bound chosen by law or convention says nothing about records.
        top_share, bottom_share: instead of bounds, for all of `columns`: the share of (weighted) records beyond.
            The bound is then a value of the file.
        columns: for the shares; None: numeric columns with the role quasi or confidential.
        value: what is published beyond: `bound`; `mean` of what lies beyond, which keeps totals (the bound where fewer
            than 3 records with weight lie beyond, since each of two knows the other's value); `missing`.
    """

    strata_apart: ClassVar[bool] = False

    top: Mapping[str, float] = field(default_factory=dict)
    bottom: Mapping[str, float] = field(default_factory=dict)
    top_share: float = 0.0
    bottom_share: float = 0.0
    columns: tuple[str, ...] | None = None
    value: Literal["bound", "mean", "missing"] = "bound"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        for side in ("top", "bottom"):
            object.__setattr__(self, side, by_column(side, getattr(self, side), number))
            object.__setattr__(
                self, f"{side}_share", number(f"{side}_share", getattr(self, f"{side}_share"), least=0)
            )
        if self.top_share >= 0.5 or self.bottom_share >= 0.5:
            raise ParameterError("`top_share` and `bottom_share` must lie between 0 and 0.5.")
        if not (self.top or self.bottom or self.top_share or self.bottom_share):
            raise ParameterError("Give bounds (`top`, `bottom`) or shares (`top_share`, `bottom_share`).")
        if self.value not in ("bound", "mean", "missing"):
            raise ParameterError("`value` must be bound, mean or missing.")

    def fit(self, table: Table, streams: Streams) -> FittedCoding:
        named = tuple(dict.fromkeys([*self.top, *self.bottom]))
        columns = chosen(table, named, kinds=("numeric",), what="Top coding") if named else ()
        bounds = {c.name: (self.bottom.get(c.name, -np.inf), self.top.get(c.name, np.inf)) for c in columns}
        if self.top_share or self.bottom_share:
            wanted = chosen(
                table, self.columns, kinds=("numeric",), roles=("quasi", "confidential"), what="Top coding"
            )
            bounds = {c.name: self._by_share(c, table.weights) for c in wanted} | bounds
        crossed = [name for name, (low, high) in bounds.items() if low > high]
        if crossed:
            raise ParameterError(f"The bottom lies above the top: {', '.join(crossed)}.")
        return FittedCoding(self, table, bounds)

    def _by_share(self, column: Column, weights: Floats | None) -> tuple[float, float]:
        shown = ~column.missing
        if not shown.any():
            return -np.inf, np.inf
        mass = None if weights is None else weights[shown]
        shares = np.array([self.bottom_share, 1 - self.top_share])
        low, high = quantile(np.asarray(column.values[shown], dtype=np.float64), shares, mass).tolist()
        return (low if self.bottom_share else -np.inf), (high if self.top_share else np.inf)


@dataclass(frozen=True, eq=False)
class FittedCoding:
    """A lower and an upper bound per column."""

    method: TopBottomCoding
    table: Table
    bounds: Mapping[str, tuple[float, float]]

    def draw(self, streams: Streams) -> Draft:
        columns = [self._coded(self.table[name], *bounds) for name, bounds in self.bounds.items()]
        return Draft(self.table.with_columns(*columns), notes=self._notes())

    def _notes(self) -> tuple[str, ...]:
        """Columns in which a mean would be the value of one record, or tell one of two about the other."""
        if self.method.value != "mean":
            return ()
        few = [
            f"{name} ({side})"
            for name, bounds in self.bounds.items()
            for side, beyond in zip(("bottom", "top"), _beyond(self.table[name], *bounds), strict=True)
            if beyond.any() and not self._has_mean(beyond)
        ]
        if not few:
            return ()
        return (
            f"Coded to the bound, because fewer than {FEWEST} records with weight lie beyond: {', '.join(few)}.",
        )

    def _coded(self, column: Column, low: float, high: float) -> Column:
        values = np.array(column.values, dtype=np.float64)
        below, above = _beyond(column, low, high)
        if self.method.value == "missing":
            return column.with_values(values, np.where(below | above, EMPTY, column.absent).astype(np.uint8))
        for beyond, bound in ((below, low), (above, high)):
            values[beyond] = self._published(values, beyond, bound)
        return column.with_numbers(values)

    def _published(self, values: Floats, beyond: Bools, bound: float) -> float:
        if self.method.value == "bound" or not self._has_mean(beyond):
            return bound
        weights = None if self.table.weights is None else self.table.weights[beyond]
        return float(np.average(values[beyond], weights=weights))

    def _has_mean(self, beyond: Bools) -> bool:
        """Whether enough records with weight lie beyond for their mean to hide each."""
        heavy = beyond if self.table.weights is None else beyond & (self.table.weights > 0)
        return int(heavy.sum()) >= FEWEST


def _beyond(column: Column, low: float, high: float) -> tuple[Bools, Bools]:
    """Records below the bottom, and above the top."""
    values = column.numbers
    return ~column.missing & (values < low), ~column.missing & (values > high)
