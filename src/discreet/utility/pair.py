"""What every measure does with its two tables before it computes, and what its figures then say about them.

Cells that cannot be computed with (infinite, or so large that their fourth powers overflow) count as missing, and
columns that the protected table emptied are named: `compared` puts both into the note of every figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Protocol, TypeVar, cast

import numpy as np

from discreet.arrays import Bools
from discreet.base import Figure
from discreet.errors import ParameterError
from discreet.table.column import EMPTY, Column
from discreet.table.table import Table
from discreet.utility.columns import LARGEST, analysed, uncountable


class _Comparing(Protocol):
    @property
    def columns(self) -> tuple[str, ...] | None: ...
    @property
    def corresponds(self) -> bool: ...


Call = TypeVar("Call", bound=Callable[..., tuple[Figure, ...]])


def compared(call: Call) -> Call:
    """A measure's call on tables that can be set side by side; figures say what could not be compared."""

    @wraps(call)
    def measured(measure: _Comparing, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_pair(original, protected, corresponds=measure.corresponds)
        pair = computable(original), computable(protected)
        figures = call(measure, *pair)
        names = [column.name for column in analysed(original, measure.columns)]
        said = _reservations((original, protected), pair, names)
        return tuple(replace(f, note=f"{f.note} {said}".strip()) for f in figures) if said else figures

    return cast(Call, measured)


def check_pair(original: Table, protected: Table, *, corresponds: bool = False) -> None:
    """Refuse tables that a measure cannot set side by side."""
    if original.names != protected.names:
        raise ParameterError(
            "The two tables must hold the same columns in the same order. "
            f"Got {len(original.names)} and {len(protected.names)} columns."
        )
    if corresponds and original.n_records != protected.n_records:
        raise ParameterError(
            "This measure compares record by record and needs tables of equal length. "
            f"Got {original.n_records} and {protected.n_records} records."
        )


def computable(table: Table) -> Table:
    """The table with infinite and oversized numbers as missing; itself where it has none."""
    oversized = {column.name: _oversized(column) for column in table.columns if _is_measured(column)}
    changed = [_without(table[name], cells) for name, cells in oversized.items() if cells.any()]
    return table.with_columns(*changed) if changed else table


def _is_measured(column: Column) -> bool:
    return column.is_numeric and column.role != "weight"


def _oversized(column: Column) -> Bools:
    return uncountable(column.numbers) & ~column.missing


def _without(column: Column, cells: Bools) -> Column:
    return column.with_values(column.values, np.where(cells, EMPTY, column.absent).astype(np.uint8))


def _reservations(given: tuple[Table, Table], used: tuple[Table, Table], names: Sequence[str]) -> str:
    said = []
    for side, before, after in zip(("original", "protected table"), given, used, strict=True):
        if oversized := [name for name in names if before[name] is not after[name]]:
            said.append(
                f"Infinite or beyond {LARGEST:g} in the {side}, counted as missing: {', '.join(oversized)}."
            )
    if emptied := [name for name in names if _is_emptied(used[0][name], used[1][name])]:
        said.append(f"Without a value in the protected table: {', '.join(emptied)}.")
    return " ".join(said)


def _is_emptied(before: Column, after: Column) -> bool:
    return bool(after.missing.all() and not before.missing.all())
