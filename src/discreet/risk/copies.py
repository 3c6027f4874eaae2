"""Protected records that equal an original record in every column, and uniques among them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Figure
from discreet.risk.attack import check_control, refuse_frame
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import Names, analysed, joint_keys
from discreet.stats.keys import group_records
from discreet.table.table import Table


def equal_records(seen: Table, others: Table, names: Names) -> tuple[Floats, Floats]:
    """Per record of `others`: how many of `seen`, and how many of `others`, equal it in these columns."""
    n_seen = seen.n_records
    groups = group_records(joint_keys([seen, others], names), n_seen + others.n_records)
    mine = groups.labels[n_seen:]
    in_seen = np.bincount(groups.labels[:n_seen], minlength=groups.n_groups)
    in_others = np.bincount(mine, minlength=groups.n_groups)
    return in_seen[mine].astype(np.float64), in_others[mine].astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Copies:
    """Identical records.

    Figures: `copies.identical`, % of protected records that equal an original one in all columns;
    `copies.uniques`, % of protected records alone with their values which equal an original record alone
    with them ("replicated uniques"); with a control `copies.control`, % of control records that equal an
    original one: what chance gives.

    Parameters: `columns` (default: all analysed), `control`. Missing equals missing.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    columns: Names | None = None
    control: Table | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        refuse_frame(self.control)

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_control(original, self.control)
        names = self.columns or analysed(original)
        if not names or not protected.n_records:
            return (undefined("copies.identical", "%", PERCENT, "No columns or no records."),)
        in_original, in_protected = equal_records(original, protected, names)
        unique = (in_original == 1) & (in_protected == 1)
        note = f"{len(names)} columns."
        figures = (
            percent_figure("copies.identical", (in_original > 0).astype(np.float64), note=note),
            percent_figure("copies.uniques", unique.astype(np.float64), note=note),
        )
        if self.control is None:
            return figures
        by_chance, _ = equal_records(original, self.control, names)
        found = (by_chance > 0).astype(np.float64)
        return (*figures, percent_figure("copies.control", found, estimate=True, better=False, note=note))
