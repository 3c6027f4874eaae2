"""Columns as keys: which records a reader of the file can tell apart.

A cell without a value may say why: a code that the schema declares for missing (-8, 'unknown') stands in the file and is
read like any value, and so records that hold different ones differ. Only cells that are really empty show nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Bools
from discreet.stats.keys import Groups, Key, group_records
from discreet.table.column import FIRST_CODE, Column
from discreet.table.table import Table


def key_of(*columns: Column) -> Key:
    """A column as part of a key; of several tables, put one after the other.

    >>> from discreet.table.variable import Variable
    >>> pay = Column.build(Variable(name="pay", kind="numeric", unknown=(-8, -9)), [5, -8, -9, None])
    >>> key_of(pay).codes.tolist(), key_of(pay).missing.tolist()
    ([0, 2, 3, 0], [False, False, False, True])
    """
    return Key.of(
        np.concatenate([column.values for column in columns]),
        np.concatenate([column.absent for column in columns]),
        np.concatenate([empty_cells(column) for column in columns]),
    )


def empty_cells(column: Column) -> Bools:
    """Cells that show nothing: neither a value nor a declared code for missing."""
    return column.missing & ~coded_cells(column)


def coded_cells(column: Column) -> Bools:
    """Cells that hold a declared code for missing."""
    beyond = FIRST_CODE + len(column.variable.missing_codes)
    coded: Bools = (column.absent >= FIRST_CODE) & (column.absent < beyond)
    return coded


def keys_of(table: Table, names: Sequence[str]) -> list[Key]:
    """The named columns as parts of a key."""
    return [key_of(table[name]) for name in names]


def equal_records(table: Table, names: Sequence[str]) -> Groups:
    """Groups of records that a reader of the file cannot tell apart by the named columns."""
    return group_records(keys_of(table, names), table.n_records)
