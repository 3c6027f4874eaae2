"""Which columns an intruder is taken to know, and columns as the arrays that the measures work on.

Identifiers, weights and clusters are never analysed. Known columns are those asked for; else those
declared quasi; else, where nobody declared any, all that are left, which is the cautious reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Floats, Ints
from discreet.errors import ParameterError
from discreet.keys import key_of
from discreet.stats.keys import Key
from discreet.stats.neighbours import Axis, NumericAxis, Scale, Space, TreeAxis
from discreet.stats.order import draw_rows, value_order
from discreet.table.column import Column
from discreet.table.table import Table

Names = tuple[str, ...]

_SET_ASIDE = ("identifier", "weight", "cluster")


def analysed(table: Table) -> Names:
    """Names of all columns that say something about the unit."""
    return tuple(column.name for column in table.columns if column.role not in _SET_ASIDE)


def known_columns(table: Table, asked: Names | None = None) -> Names:
    """Names of the columns the intruder knows."""
    if asked is not None:
        return _existing(table, asked, "known")
    quasi = tuple(column.name for column in table.of_role("quasi"))
    return quasi or analysed(table)


def secret_columns(table: Table, asked: Names | None = None, known: Names = ()) -> Names:
    """Names of the columns the intruder wants: those asked for, else confidential, else all that are not known and
    are no strata, which are part of the plan of the survey.
    """
    if asked is not None:
        return _existing(table, asked, "secret")
    confidential = tuple(column.name for column in table.of_role("confidential"))
    wanted = (name for name in analysed(table) if name not in known and table[name].role != "stratum")
    return confidential or tuple(wanted)


def _existing(table: Table, asked: Sequence[str], what: str) -> Names:
    unknown = [name for name in asked if name not in table]
    if unknown:
        raise ParameterError(
            f"The {what} columns name {', '.join(unknown)}, which the table lacks. "
            f"It has: {', '.join(table.names)}."
        )
    return tuple(asked)


def check_correspondence(original: Table, protected: Table) -> None:
    """Refuse tables whose records cannot correspond."""
    if original.n_records != protected.n_records:
        raise ParameterError(
            f"This measure compares each record with the one it stems from. "
            f"Got {original.n_records} original and {protected.n_records} protected records. "
            "Use a measure that needs no correspondence."
        )


# ---------------------------------------------------------------------------------------------- distances


def place_of(column: Column) -> tuple[NDArray[Any], Bools]:
    """Numbers, positions or nodes of a column, and what is missing, as an axis of a space wants them."""
    if column.kind == "nominal":
        return column.values + 1, column.missing  # node 0 is the root of the flat tree
    return column.values, column.missing


def axis_of(column: Column, weights: Floats | None, scale: Scale) -> Axis:
    """The axis of a column of the original file."""
    values, missing = place_of(column)
    if column.kind in ("numeric", "ordinal"):
        return NumericAxis.fit(values.astype(np.float64), missing, weights, scale)
    parent = (
        column.tree.parent if column.tree is not None else np.zeros(len(column.levels) + 1, dtype=np.int64)
    )
    rooted = parent.copy()
    rooted[0] = -1
    return TreeAxis.fit(values.astype(np.int64), missing, rooted, weights, scale)


def space_of(original: Table, names: Names, scale: Scale = "sd") -> Space:
    """The space in which records are compared by these columns, as the original file scales them."""
    return Space(tuple(axis_of(original[name], original.weights, scale) for name in names))


def places_of(table: Table, names: Names) -> list[tuple[NDArray[Any], Bools]]:
    """These columns of a table, ready for `Space.place`."""
    return [place_of(table[name]) for name in names]


# ---------------------------------------------------------------------------------------------- draws


def drawn_rows(tables: Sequence[Table], most: int, generator: np.random.Generator) -> Ints:
    """At most this many records of tables whose records correspond, drawn whatever order they stand in."""
    n_records = tables[0].n_records
    if n_records <= most:
        return np.arange(n_records, dtype=np.int64)
    return draw_rows(canonical_rows(tables), most, generator)


def canonical_rows(tables: Sequence[Table]) -> Ints:
    """Records in the order of what all these tables say of them, whatever the order of records and columns."""
    columns = [column for table in tables for column in sorted(table.columns, key=lambda column: column.name)]
    keys = [np.where(column.missing, -np.inf, column.values) for column in columns]
    return value_order(keys, tables[0].n_records)


# ---------------------------------------------------------------------------------------------- keys


def joint_keys(tables: Sequence[Table], names: Names) -> list[Key]:
    """Key columns over the records of several tables one after the other; declared codes for missing tell apart."""
    return [key_of(*(table[name] for table in tables)) for name in names]


def sensitive_codes(column: Column) -> tuple[Ints, int]:
    """Codes 0 .. n - 1 of a sensitive column and n; missing is a category of its own, the last one, if
    it occurs.

    Numbers are coded by rank, so that order is kept.
    """
    if column.is_numeric:
        codes = Key.of(column.values, column.missing).codes
        n_codes = int(codes.max(initial=-1)) + 1
    else:
        codes, n_codes = column.values.astype(np.int64), len(column.levels)
    if not column.missing.any():
        return codes, n_codes
    return np.where(column.missing, n_codes, codes).astype(np.int64), n_codes + 1
