"""Rounding to multiples of a base: to the nearest, or at random without bias."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.base import Draft
from discreet.errors import ParameterError
from discreet.release import Method
from discreet.selection import chosen, name_list, names_of
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.table import Table


@dataclass(frozen=True)
class Rounding(Method):
    """Publishes numbers as multiples of a base.

    Hides exact amounts by which a record could be found elsewhere; does **not** hide large ones. Missing cells stay
    missing. Declared bounds clip afterwards.

    Args:
        base: the base for all columns, or column -> base.
        columns: with one base: which columns; None: numeric ones with the role quasi or confidential.
        random: round up with a chance equal to the part beyond the lower multiple: unbiased, means stay in expectation.

    Example:
        >>> import polars as pl
        >>> from discreet.table.schema import Schema, Variable
        >>> schema = Schema((Variable(name="pay", kind="numeric", role="confidential", decimals=0),))
        >>> Rounding(100).protect(pl.DataFrame({"pay": [149, 151, -260]}), schema).data["pay"].to_list()
        [100, 200, -300]
    """

    strata_apart: ClassVar[bool] = False

    base: float | Mapping[str, float]
    columns: tuple[str, ...] | None = None
    random: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        bases = self.base.values() if isinstance(self.base, Mapping) else [self.base]
        if not bases or any(isinstance(b, bool) or not 0 < b < np.inf for b in bases):
            raise ParameterError("`base` must be above 0, or map columns to numbers above 0.")

    def fit(self, table: Table, streams: Streams) -> FittedRounding:
        named = tuple(self.base) if isinstance(self.base, Mapping) else self.columns
        columns = chosen(table, named, kinds=("numeric",), roles=("quasi", "confidential"), what="Rounding")
        return FittedRounding(self, table, names_of(columns))


@dataclass(frozen=True, eq=False)
class FittedRounding:
    """Rounding decides nothing from the data."""

    method: Rounding
    table: Table
    names: tuple[str, ...]

    def draw(self, streams: Streams) -> Draft:
        rounded = [self._rounded(self.table[name], streams) for name in self.names]
        return Draft(self.table.with_columns(*rounded))

    def _rounded(self, column: Column, streams: Streams) -> Column:
        base = self.method.base[column.name] if isinstance(self.method.base, Mapping) else self.method.base
        multiples = np.asarray(column.values, dtype=np.float64) / base
        if self.method.random:
            draws = streams.uniforms("rounding", column.name, n=len(multiples))
            below = np.floor(multiples)
            return column.with_numbers((below + (draws < multiples - below)) * base)
        return column.with_numbers(np.rint(multiples) * base)
