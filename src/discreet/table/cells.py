"""Cells of dataframes as plain values: what every dataframe library is asked for, and conversions they share.

`polars_cells`, `arrow_cells` and `pandas_cells` each implement `Library` as a module; `frames` uses them and
knows none of their types. Dates are counted in days since 1970-01-01, moments (UTC) in days with a fraction.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Codes, Floats
from discreet.errors import SchemaError
from discreet.table.variable import Level

Sort: TypeAlias = Literal[
    "whole", "number", "decimal", "truth", "text", "date", "moment", "category", "empty", "mixed", "unsuited"
]
PLAIN: tuple[Sort, ...] = (
    "whole",
    "number",
    "decimal",
    "date",
    "moment",
)  # sorts that are numbers as they stand

SHORT_FLOATS = (
    "float32",
    "float16",
    "float",
    "halffloat",
    "float[pyarrow]",
    "halffloat[pyarrow]",
)  # as libraries call them
EXACT = 2**53  # whole numbers beyond this are not numbers of the machine
_DAY = 86_400_000_000  # microseconds
_EPOCH = datetime(1970, 1, 1)
# First and last day that a calendar of four-digit years has: treated dates stay in it.
_DAYS = (float((datetime.min - _EPOCH).days), float((datetime.max - _EPOCH).days))


@dataclass(frozen=True, eq=False)
class Distinct:
    """Cells that differ, and where each record's cell stands among them (-1: missing).

    `declared`: the levels are those of the column's type, in its order and used or not; else in any order.
    """

    levels: list[Level]
    positions: Codes
    declared: bool = False


@dataclass(frozen=True, eq=False)
class Form:
    """How the cells of a column are written back, as far as its type does not say.

    Args:
        dtype: the column's type in its library.
        sort: what its cells are.
        blanks: what stands for missing, the commonest first (an object column may hold None and NaN).
        codes: reason in `Column.absent` -> the missing code as the column spells it.
        decimals: digits after the point of numbers written as text, if all have as many.
        spellings: number -> its cell, where no rule gives it.
        categories: categories of an Arrow dictionary, whose type does not have them.
        zone: time zone of moments in an object column.
    """

    dtype: Any
    sort: Sort
    blanks: tuple[Any, ...] = (None,)
    codes: Mapping[int, Level] = field(default_factory=dict)
    decimals: int | None = None
    spellings: Mapping[float, Level] = field(default_factory=dict)
    categories: tuple[Level, ...] = ()
    zone: tzinfo | None = None


class Library(Protocol):
    """What is asked of a dataframe library; `series` are its own columns."""

    def column(self, frame: Any, name: str) -> Any: ...

    def of_texts(self, name: str, texts: Sequence[str | None]) -> Any: ...

    def form_of(self, series: Any) -> Form: ...

    def types(self, series: Any) -> dict[str, int]: ...

    def blanks(self, series: Any) -> list[tuple[Any, Bools]]: ...

    def numbers(self, series: Any, form: Form) -> Floats: ...

    def distinct(self, series: Any) -> Distinct: ...

    def loose(self, form: Form) -> Form: ...

    def from_numbers(
        self, name: str, numbers: Floats, blanks: list[tuple[Any, Bools]], form: Form
    ) -> Any: ...

    def from_levels(
        self, name: str, levels: list[Level], blanks: list[Any], index: Codes, form: Form, known: list[Level]
    ) -> Any: ...

    def frame(self, series: Mapping[str, Any], layout: Any, n_records: int) -> Any: ...


# -- one cell --------------------------------------------------------------------------------------------------


def code_text(level: Level) -> str:
    """A category as the text of a code: 8.0, read from a float column, is 8.

    >>> [code_text(level) for level in (8.0, 153.1, "038", True)]
    ['8', '153.1', '038', 'True']
    """
    if isinstance(level, float) and level.is_integer():
        return str(int(level))
    return str(level)


def number_of(cell: Level) -> float:
    """A cell as a number; ValueError where it is none, or would lose digits.

    >>> [number_of(cell) for cell in (7, "1.50", date(1970, 1, 2))]
    [7.0, 1.5, 1.0]
    """
    if isinstance(cell, (bool, np.bool_)):
        raise ValueError("a truth value")
    if isinstance(cell, str):
        number = math.nan if "_" in cell else float(cell)
        if math.isnan(number):
            raise ValueError("not a number")
        return number
    if isinstance(cell, date):
        return _days(cell)
    number = float(cell)
    exact = Decimal(repr(number)) == cell if isinstance(cell, Decimal) else abs(number) <= EXACT
    if not exact and not isinstance(cell, (float, np.floating)):
        raise ValueError("digits would be lost")
    return number


def _days(day: date) -> float:
    if not isinstance(day, datetime):
        return float((day - _EPOCH.date()).days)
    utc = day if day.tzinfo is None else day.astimezone(UTC).replace(tzinfo=None)
    return (utc - _EPOCH) / timedelta(days=1)


def type_name(kind: type) -> str:
    """The type of a cell in words; whole and other numbers are one type."""
    if issubclass(kind, (int, float, np.integer, np.floating)) and not issubclass(kind, bool):
        return "number"
    return kind.__name__


def sort_of_cells(kinds: Iterable[type]) -> Sort:
    """The sort of cells of these Python types."""
    sorts = {_sort_of_type(kind) for kind in kinds}
    if sorts == {"whole", "number"}:
        return "number"
    return sorts.pop() if len(sorts) == 1 else "mixed" if sorts else "empty"


_SORTS: tuple[tuple[Any, Sort], ...] = (
    ((bool, np.bool_), "truth"),
    ((int, np.integer), "whole"),
    ((float, np.floating), "number"),
    (Decimal, "decimal"),
    (str, "text"),
    (datetime, "moment"),
    (date, "date"),
)


def _sort_of_type(kind: type) -> Sort:
    return next((sort for types, sort in _SORTS if issubclass(kind, types)), "unsuited")


def types_in(cells: Iterable[Any]) -> dict[str, int]:
    """Number of cells per type."""
    found: Counter[str] = Counter()
    for kind, count in Counter(map(type, cells)).items():
        found[type_name(kind)] += count
    return dict(found)


# -- categories as cells of a type -----------------------------------------------------------------------------


def converted(levels: Sequence[Level], sort: Sort) -> list[Level] | None:
    """Categories as cells of a sort; None where one of them cannot be one."""
    convert = _CONVERSIONS.get(sort)
    if convert is None:
        return list(levels)
    try:
        return [convert(level) for level in levels]
    except (ValueError, TypeError, InvalidOperation):
        return None


def sort_of_levels(levels: Sequence[Level]) -> Sort:
    """The sort of column that holds these categories; text where they are of several."""
    sort = sort_of_cells(map(type, levels))
    return "text" if sort in ("mixed", "unsuited") else sort


def _as_whole(level: Level) -> int:
    whole = int(level)
    if isinstance(level, bool) or whole != (Decimal(level) if isinstance(level, str) else level):
        raise ValueError("not a whole number")
    return whole


def _as_number(level: Level) -> float:
    if isinstance(level, (bool, date)):
        raise ValueError("not a number")
    return float(level)


def _as_decimal(level: Level) -> Decimal:
    return level if isinstance(level, Decimal) else Decimal(code_text(level))


def _as_truth(level: Level) -> bool:
    truth = {"True": True, "False": False}.get(level, level) if isinstance(level, str) else level
    if isinstance(truth, str) or truth not in (True, False):
        raise ValueError("not a truth value")
    return bool(truth)


def _as_date(level: Level) -> date:
    day = date.fromisoformat(level) if isinstance(level, str) else level
    if isinstance(day, datetime) or not isinstance(day, date):
        raise ValueError("not a date")
    return day


def _as_moment(level: Level) -> datetime:
    moment = datetime.fromisoformat(level) if isinstance(level, str) else level
    if not isinstance(moment, datetime):
        raise ValueError("not a moment")
    return moment


_CONVERSIONS: dict[Sort, Callable[[Level], Level]] = {
    "whole": _as_whole,
    "number": _as_number,
    "decimal": _as_decimal,
    "truth": _as_truth,
    "text": code_text,
    "date": _as_date,
    "moment": _as_moment,
}


# -- numbers ---------------------------------------------------------------------------------------------------


def lossy(name: str) -> SchemaError:
    """The error for numbers that floating point cannot hold."""
    return SchemaError(
        f"Column '{name}' holds numbers with more digits than calculations keep (whole numbers beyond 2^53, "
        "decimals of more than 15 digits, or times finer than a microsecond). Set kind = 'nominal' if they are "
        "codes, or change their unit."
    )


def whole_numbers(numbers: Floats, low: int, high: int) -> NDArray[np.int64]:
    """Numbers rounded into a range of whole numbers, at most those that are exact."""
    low, high = max(low, -EXACT), min(high, EXACT)
    return np.clip(np.rint(numbers), low, high).astype(np.int64)


def days_of(ticks: NDArray[np.int64], per_day: int, name: str) -> Floats:
    """Days since 1970 from ticks of a clock; an error where a tick would be lost."""
    whole = ticks // per_day
    days = whole + (ticks - whole * per_day) / per_day
    if not np.array_equal(ticks_of(days, per_day), ticks):
        raise lossy(name)
    return days


def ticks_of(days: Floats, per_day: int) -> NDArray[np.int64]:
    """The inverse of `days_of`, to the microsecond, within the calendar."""
    days = np.clip(days, *_DAYS)
    whole = np.floor(days)  # the fraction apart, so that the product does not round
    microseconds = whole.astype(np.int64) * _DAY + np.rint((days - whole) * _DAY).astype(np.int64)
    if per_day > _DAY:
        reach = np.iinfo(np.int64).max // (per_day // _DAY)
        return np.clip(microseconds, -reach, reach) * (per_day // _DAY)
    return np.rint(microseconds / (_DAY // per_day)).astype(np.int64)


PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": _DAY, "ns": _DAY * 1000}
