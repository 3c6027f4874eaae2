"""Rounding to multiples of a base: to the nearest, or at random without bias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Draft
from discreet.errors import ParameterError
from discreet.release import Method
from discreet.selection import by_column, chosen, flag, name_list, names_of, number
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.table import Table

FINEST = 12  # digits after the point of a base that is a decimal number; one third is none


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
        object.__setattr__(self, "random", flag("random", self.random))
        is_each = isinstance(self.base, Mapping)
        object.__setattr__(
            self, "base", by_column("base", self.base, _base) if is_each else _base("base", self.base)
        )
        if is_each and not self.base:
            raise ParameterError("`base` is empty; map at least one column to its base.")
        if is_each and self.columns is not None:
            raise ParameterError("`base` names the columns already; leave out `columns`.")

    def fit(self, table: Table, streams: Streams) -> FittedRounding:
        named: Sequence[str] | None = tuple(self.base) if isinstance(self.base, Mapping) else self.columns
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
            return column.with_numbers(_times(below + (draws < multiples - below), base))
        return column.with_numbers(_times(np.rint(multiples), base))


def _base(name: str, value: Any) -> float:
    if number(name, value) <= 0:
        raise ParameterError(f"`{name}` must be above 0.")
    return number(name, value)


def _times(multiples: Floats, base: float) -> Floats:
    """Multiples of the base as they are written: three times 0.1 is 0.3, not 0.30000000000000004."""
    exponent = Decimal(str(base)).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    products = multiples * base
    return np.round(products, digits) if 0 < digits <= FINEST else products
