"""Keys and codes of a table's columns, as the checkers of claims see them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Ints
from discreet.stats.keys import Groups, Key, group_records
from discreet.table.column import Column
from discreet.table.table import Table


def keys_of(table: Table, names: Sequence[str]) -> list[Key]:
    """The named columns as parts of a key; missing cells are marked."""
    return [Key.of(table[name].values, table[name].missing) for name in names]


def released_groups(table: Table, names: Sequence[str]) -> Groups:
    """Records that a reader of the file cannot tell apart by the named columns."""
    return group_records(keys_of(table, names), table.n_records)


def sensitive_codes(column: Column) -> tuple[Ints, int]:
    """A sensitive column as codes 0 .. n - 1 (missing: one more code), numbers by their rank."""
    if column.is_numeric:
        distinct, codes = np.unique(column.values, return_inverse=True)
        n_codes = len(distinct)
    else:
        codes, n_codes = column.codes.astype(np.int64), len(column.levels)
    with_missing = np.where(column.missing, n_codes, codes).astype(np.int64)
    return with_missing, n_codes + bool(column.missing.any())
