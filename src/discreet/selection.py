"""Which columns a method treats: those named, or those whose role and kind it is for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Floats
from discreet.errors import ParameterError, UnsuitableError
from discreet.table.column import Column
from discreet.table.schema import KINDS, Kind, Role
from discreet.table.table import Table


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
    if isinstance(names, str):
        raise ParameterError(f"`{parameter}` must be a list of names, not one text.")
    return None if names is None else tuple(names)


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
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not above < value <= most:
        raise ParameterError(f"`{name}` must be above {above:g} and at most {most:g}.")
    return float(value)
