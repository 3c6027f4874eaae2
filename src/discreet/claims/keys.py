"""Codes of a sensitive column, as the checkers of claims see them."""

from __future__ import annotations

import numpy as np

from discreet.arrays import Ints
from discreet.table.column import Column


def sensitive_codes(column: Column) -> tuple[Ints, int]:
    """A sensitive column as codes 0 .. n - 1 (missing: one more code), numbers by their rank."""
    if column.is_numeric:
        distinct, codes = np.unique(column.values, return_inverse=True)
        n_codes = len(distinct)
    else:
        codes, n_codes = column.codes.astype(np.int64), len(column.levels)
    with_missing = np.where(column.missing, n_codes, codes).astype(np.int64)
    return with_missing, n_codes + bool(column.missing.any())
