"""How many records share a key: the smallest group (k), and the records that are alone or nearly so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.base import Aspect, Figure, Part
from discreet.risk.rates import percent_figure, undefined
from discreet.risk.selection import Names, joint_keys, known_columns
from discreet.stats.keys import Frequencies, MissingRule, count_frequencies
from discreet.table.table import Table

THRESHOLDS = (2, 3, 5, 10)


def table_frequencies(table: Table, names: Names, missing: MissingRule = "category") -> Frequencies:
    """f_k and F_k of each record over the key columns."""
    return count_frequencies(joint_keys([table], names), table.n_records, table.weights, missing=missing)


@dataclass(frozen=True, kw_only=True)
class GroupSizes:
    """Groups of protected records with equal known columns.

    Figures: `group_sizes.smallest` (k, records), `group_sizes.uniques` (% of records alone with their
    key; parts: % in groups below 2, 3, 5, 10) and `group_sizes.mean` (mean size of a record's group).
    Parameters: `known`; `missing`: "category" (default: an empty cell is seen as such) or "wildcard" (it
    matches anything, as in sdcMicro: a record with gaps then looks safer than it is).
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    missing: MissingRule = "category"

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = known_columns(original, self.known)
        bounds = (1.0, float(max(protected.n_records, 1)))
        if not protected.n_records:
            return (undefined("group_sizes.smallest", "records", bounds, "There are no records."),)
        sizes = table_frequencies(protected, names, self.missing).sample
        note = f"{len(names)} key columns, missing as {self.missing}."
        parts = [Part((f"below {k}",), 100.0 * float(np.mean(sizes < k))) for k in THRESHOLDS]
        alone = (sizes < 2).astype(np.float64)
        return (
            Figure(
                "group_sizes.smallest",
                float(sizes.min()),
                "records",
                "higher",
                bounds,
                records=sizes,
                note=note,
                public_note=note,
            ),
            percent_figure("group_sizes.uniques", alone, parts=parts, note=note),
            Figure("group_sizes.mean", float(sizes.mean()), "records", "higher", bounds),
        )
