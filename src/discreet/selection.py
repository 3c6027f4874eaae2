"""Which columns a method treats: those named, or those whose role and kind it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, TypeGuard, TypeVar

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ParameterError, UnsuitableError
from discreet.table.column import Column
from discreet.table.schema import KINDS, Kind, Role
from discreet.table.table import Table

Entry = TypeVar("Entry")


def chosen(
    table: Table,
    columns: Sequence[str] | None,
    *,
    kinds: Sequence[Kind] = KINDS,
    roles: Sequence[Role] = ("quasi",),
    what: str = "This method",
) -> tuple[Column, ...]:
    """The named columns, or all of these roles and kinds; an error where nothing is left or a kind does not fit."""
    if columns is None:
        found = tuple(c for c in table.columns if c.role in roles and c.kind in kinds)
        if not found:
            raise UnsuitableError(
                f"{what} found no {' or '.join(kinds)} column with the role {' or '.join(roles)}. Give columns that "
                "role in the schema, or name them with columns=[...]."
            )
        return found
    if not columns:
        raise ParameterError("`columns` is empty; name at least one column.")
    found = tuple(table[name] for name in dict.fromkeys(columns))
    unfit = [f"{c.name} ({c.kind})" for c in found if c.kind not in kinds]
    if unfit:
        raise ParameterError(f"{what} treats {', '.join(kinds)} columns only. Got: {', '.join(unfit)}.")
    return found


def name_list(names: Sequence[str] | None, parameter: str = "columns") -> tuple[str, ...] | None:
    """Names of columns as a tuple; one text, which Python would take as a list of letters, is refused.

    >>> name_list(["age", "sex"])
    ('age', 'sex')
    """
    if names is None:
        return None
    found = () if isinstance(names, str) else listed(parameter, names)
    if isinstance(names, str) or not all(isinstance(name, str) for name in found):
        raise ParameterError(f"`{parameter}` must be a list of names, not one text.")
    return found


def names_of(columns: Sequence[Column]) -> tuple[str, ...]:
    return tuple(column.name for column in columns)


def numbers(columns: Sequence[Column], what: str) -> Floats:
    """Numeric columns side by side; refuses missing values."""
    refuse_missing(columns, what)
    return np.column_stack([column.numbers for column in columns])


def refuse_missing(columns: Sequence[Column], what: str) -> None:
    gaps = [f"{column.name} ({int(column.missing.sum())})" for column in columns if column.missing.any()]
    if gaps:
        raise UnsuitableError(
            f"{what} needs complete columns. Missing cells: {', '.join(gaps)}. Leave out or fill these records, or "
            "leave out these columns."
        )


def whole_number(name: str, value: object, *, least: int) -> int:
    """A parameter that must be a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ParameterError(f"`{name}` must be a whole number of at least {least}.")
    return int(value)


def share(name: str, value: object, *, above: float = 0.0, most: float = 1.0) -> float:
    """A parameter that must be a number above `above` and at most `most`."""
    if not is_number(value) or not above < value <= most:
        raise ParameterError(f"`{name}` must be above {above:g} and at most {most:g}.")
    return float(value)


def is_number(value: object) -> TypeGuard[float]:
    """Whether a parameter is a number that can be compared: no truth value, no text, not NaN."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and value == value


def number(name: str, value: object, *, least: float = -np.inf, most: float = np.inf) -> float:
    """A parameter that must be a finite number from `least` to `most`, as a plain one.

    >>> number("p", np.float64(7.5), least=0, most=100)
    7.5
    """
    if not is_number(value) or not np.isfinite(value) or not least <= value <= most:
        bounds = [f"at least {least:g}"] * (least > -np.inf) + [f"at most {most:g}"] * (most < np.inf)
        raise ParameterError(f"`{name}` must be a finite number{', ' * bool(bounds)}{' and '.join(bounds)}.")
    found: float = plain(value)
    return found


def flag(name: str, value: object) -> bool:
    """A parameter that must be True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"`{name}` must be True or False.")
    return bool(value)


def plain(value: Any) -> Any:
    """A NumPy scalar as Python's own, so that a recipe can hold it."""
    return value.item() if isinstance(value, np.generic) else value


def by_column(name: str, entries: object, check: Callable[[str, Any], Entry]) -> dict[str, Entry]:
    """A parameter that maps columns to something, each entry checked under its own name.

    >>> by_column("top", {"pay": 10}, number)
    {'pay': 10}
    """
    if not isinstance(entries, Mapping) or not all(isinstance(column, str) for column in entries):
        raise ParameterError(f"`{name}` must map names of columns to values: {name}={{'column': ...}}.")
    return {column: check(f"{name}[{column!r}]", entry) for column, entry in entries.items()}


def listed(name: str, values: object) -> tuple[Any, ...]:
    """A parameter that must be a list: of Python, NumPy or any sequence, as a tuple of plain values."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ParameterError(f"`{name}` must be a list.")
    return tuple(plain(value) for value in values)
