"""Equal margins: each column of the release holds exactly the values it held, in another order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.base import Claim, Partition, Verdict
from discreet.table.table import Table


@dataclass(frozen=True)
class EqualMargins(Claim):
    """Every one of `columns` has the same multiset of values before and after (rank swapping, shuffling)."""

    of_pair: ClassVar[bool] = True

    columns: tuple[str, ...]

    @property
    def statement(self) -> str:
        return (
            f"equal margins of {', '.join(self.columns)}: every value occurs as often as before, so all statistics of "
            "one column are exact. No protection follows from this: extreme and rare values stay visible."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        changed = [name for name in self.columns if not _same_multiset(original, released, name)]
        if changed:
            return Verdict(False, f"changed margins: {', '.join(changed)}")
        return Verdict(True, "all margins equal")


def _same_multiset(original: Table, released: Table, name: str) -> bool:
    before, after = original[name], released[name]
    if before.levels != after.levels or not np.array_equal(np.sort(before.absent), np.sort(after.absent)):
        return False
    return np.array_equal(np.sort(before.values[~before.missing]), np.sort(after.values[~after.missing]))
