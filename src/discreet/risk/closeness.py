"""t-closeness attained: how far the sensitive values of a group are from those of the whole file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Figure, Part
from discreet.risk.rates import undefined
from discreet.risk.selection import Names, sensitive_codes
from discreet.risk.sensitive import groups_and_secrets
from discreet.stats.diversity import equal_closeness, hierarchical_closeness, ordered_closeness
from discreet.stats.keys import Groups
from discreet.table.column import Column
from discreet.table.table import Table


def column_closeness(groups: Groups, column: Column) -> Floats:
    """Earth mover's distance of each group to the file, by the kind of the column.

    Numbers and ordered categories: on a line of the values that occur (or are declared), neighbours
    equally far. Taxonomic: in the tree. Nominal: all equally far. A missing value is one more category
    (the last of the line).
    """
    codes, n_codes = sensitive_codes(column)
    if column.kind in ("numeric", "ordinal"):
        return ordered_closeness(groups, codes, n_codes)
    if column.tree is None:
        return equal_closeness(groups, codes, n_codes)
    parent = column.tree.parent
    return hierarchical_closeness(groups, codes, np.append(parent, 0) if n_codes > len(parent) else parent)


@dataclass(frozen=True, kw_only=True)
class Closeness:
    """t attained by the groups of protected records with equal known columns.

    Figures (parts by secret column): `closeness.worst`, the largest distance over groups, and
    `closeness.mean`, over records. Records count once each; parameters: `known`, `secret`.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    secret: Names | None = None

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        groups, secrets = groups_and_secrets(original, protected, self.known, self.secret)
        if not secrets or not groups.n_groups:
            note = "No secret column beside the known ones, or no records."
            return (undefined("closeness.worst", "index", (0.0, 1.0), note),)
        found = {name: column_closeness(groups, protected[name]) for name in secrets}
        worst = tuple(Part((name,), float(far.max())) for name, far in found.items())
        records = {name: far[groups.labels] for name, far in found.items()}
        mean = tuple(Part((name,), float(far.mean())) for name, far in records.items())
        farthest = np.max(list(records.values()), axis=0)
        bounds = (0.0, 1.0)
        return (
            Figure("closeness.worst", float(farthest.max()), "index", "lower", bounds, None, worst, farthest),
            Figure("closeness.mean", float(farthest.mean()), "index", "lower", bounds, None, mean),
        )
