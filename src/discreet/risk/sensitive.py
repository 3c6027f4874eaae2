"""Sensitive columns as codes for the measures on groups; numbers cut into classes where classes are what
counts.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.risk.selection import joint_keys, known_columns, secret_columns, sensitive_codes
from discreet.stats.keys import Groups, group_records
from discreet.table.column import Column
from discreet.table.table import Table

Names = tuple[str, ...]


def equal_frequency_cuts(values: Floats, n_classes: int) -> Floats:
    """Cut points of about equally many values each; equal values are never separated.

    >>> equal_frequency_cuts(np.array([1.0, 1, 1, 2, 3, 4]), 2).tolist()
    [1.0]
    """
    if not len(values):
        return np.empty(0)
    ordered = np.sort(values)
    places = (np.arange(1, n_classes) * len(ordered)) // n_classes - 1
    cuts = np.unique(ordered[np.maximum(places, 0)])
    return np.asarray(cuts[cuts < ordered[-1]], dtype=np.float64)


def class_codes(column: Column, reference: Column, n_classes: int) -> tuple[Ints, int]:
    """Classes of a column: categories as they are; numbers cut where the reference column's frequencies
    say.
    """
    if not column.is_numeric:
        return sensitive_codes(column)
    cuts = equal_frequency_cuts(reference.values[~reference.missing].astype(np.float64), n_classes)
    codes = np.searchsorted(cuts, column.values, side="left").astype(np.int64)
    n_codes = len(cuts) + 1
    if not column.missing.any():
        return codes, n_codes
    return np.where(column.missing, n_codes, codes).astype(np.int64), n_codes + 1


def groups_and_secrets(
    original: Table, protected: Table, known: Names | None, secret: Names | None
) -> tuple[Groups, Names]:
    """Groups of protected records by the known columns, and the secret columns that are not among these."""
    names = known_columns(original, known)
    secrets = tuple(n for n in secret_columns(original, secret, names) if n not in names)
    return group_records(joint_keys([protected], names), protected.n_records), secrets


def joint_classes(original: Table, tables: tuple[Table, ...], names: Names, n_classes: int) -> list[Ints]:
    """Codes of these columns over the records of several tables, numbers in classes of the original."""
    return [
        np.concatenate([class_codes(table[name], original[name], n_classes)[0] for table in tables])
        for name in names
    ]
