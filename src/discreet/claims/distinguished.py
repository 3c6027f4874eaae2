"""Signs by which a released record is tied to one of the original, whatever the method: copies, and order.

What is looked for is stated with each function. There is no sign of a record that is nearly a copy and stands elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import betainc

from discreet.arrays import Floats, Ints
from discreet.base import Partition
from discreet.stats.exchangeability import chance_of_agreement, chance_of_order
from discreet.stats.keys import Key, group_records
from discreet.table.column import Column
from discreet.table.table import Table

LEVEL = 1e-6  # how often chance alone may look like a sign, at most


def copied(original: Table, released: Table, names: Sequence[str], k: int) -> int:
    """Released records that repeat an original one and are themselves fewer than k alike; 0 where chance explains them.

    Numbers without declared decimals that mostly differ do not repeat by chance: where some of the columns are such, one
    record that repeats them counts. Else records may be equal by chance. As many repeat one that is alone in the
    original as there are records in pairs of equal ones (Good and Turing), so more than that, or a release of exactly the
    original's records, is a sign.
    """
    continuous = [name for name in names if _is_continuous(original[name]) and released[name].is_numeric]
    keys = [joint_key(original[name], released[name]) for name in continuous or names]
    groups = group_records(keys, original.n_records + released.n_records)
    before, after = np.split(groups.labels, [original.n_records])
    n_before, n_after = (np.bincount(part, minlength=groups.n_groups) for part in (before, after))
    rare = (n_after > 0) & (n_after < k) & (n_before > 0) & (n_before < k)
    if continuous:
        shown = ~np.logical_and.reduce([released[name].missing for name in continuous])
        return int((rare[after] & shown).sum())
    if np.array_equal(n_before, n_after):
        return int(n_after[rare].sum())
    repeats = int(n_after[rare & (n_before == 1)].sum())
    ratio = 2 * released.n_records / original.n_records
    # P(X >= repeats) for X ~ Binomial(repeats + pairs, ratio / (ratio + 1))
    by_chance = betainc(repeats, int((n_before == 2).sum()) + 1, ratio / (ratio + 1)) if repeats else 1.0
    return repeats if by_chance < LEVEL else 0


def in_order(original: Table, released: Table, names: Sequence[str], groups: Partition) -> list[str]:
    """Columns whose released values stand with their own originals more than a random order in the groups explains.

    Numbers and ordered categories by their ranks, other categories by how often they agree. Only where both tables have
    as many records.
    """
    if original.n_records != released.n_records:
        return []
    return [
        name for name in names if _chance(original[name], released[name], groups.labels) < LEVEL / len(names)
    ]


def joint_key(before: Column, after: Column) -> Key:
    """Cells of both tables, one after the other: equal where a reader takes them for equal."""
    absent = np.concatenate([before.absent, after.absent])
    return Key.of(np.concatenate(_comparable(before, after)), absent, np.zeros(len(absent), dtype=np.bool_))


def _comparable(before: Column, after: Column) -> tuple[Floats, Floats]:
    """Values that are equal where the cells are: numbers, or positions among the categories of both."""
    if before.is_numeric != after.is_numeric:
        return np.zeros(before.n_records), np.ones(after.n_records)  # a number equals no category
    if before.is_numeric or before.levels == after.levels:
        return before.numbers, after.numbers
    place = {level: i for i, level in enumerate(dict.fromkeys((*before.levels, *after.levels)))}
    ours, theirs = (
        np.array([*(place[level] for level in column.levels), 0.0])[column.codes]
        for column in (before, after)
    )
    return ours, theirs


def _is_continuous(column: Column) -> bool:
    shown = column.values[~column.missing]
    return column.is_numeric and column.variable.decimals is None and 2 * len(np.unique(shown)) > len(shown)


def _chance(before: Column, after: Column, labels: Ints) -> float:
    if {before.kind, after.kind} <= {"nominal", "taxonomic"}:
        codes = joint_key(before, after).codes
        return chance_of_agreement(labels, *np.split(codes, 2))
    return chance_of_order(labels, _placed(before), _placed(after))


def _placed(column: Column) -> Floats:
    """Numbers or positions, a missing cell before all others."""
    return np.where(column.missing, -np.inf, column.numbers)
