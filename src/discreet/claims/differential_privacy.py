"""epsilon-differential privacy: a promise about the procedure, so the checker reads its books, not its output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from discreet.base import Claim, Partition, Verdict
from discreet.stats.privacy import LedgerEntry, total_epsilon
from discreet.table.table import Table

ASSUMPTIONS = (
    "domain_declared",
    "parents_declared_or_noised",
    "seeds_public",
    "prior_declared",
    "rows_count_not_private",
    "weights_bounded",
    "exact_draws",
    "secret_randomness",
)


@dataclass(frozen=True)
class DifferentialPrivacy(Claim):
    """(epsilon, delta)-differential privacy of the whole release, with the ledger that adds up to it.

    `flags` states every assumption that the guarantee rests on; one false flag and there is no claim.
    """

    of_procedure: ClassVar[bool] = True

    epsilon: float
    ledger: tuple[LedgerEntry, ...]
    delta: float = 0.0
    neighbours: Literal["add-remove", "replace"] = "add-remove"
    unit: str = "record"
    flags: Mapping[str, bool] = field(default_factory=dict)

    @property
    def statement(self) -> str:
        kind = f"epsilon = {self.epsilon:g}" + (f", delta = {self.delta:g}" if self.delta else "")
        return (
            f"differential privacy of the whole release, {kind}, neighbours by {self.neighbours} of one {self.unit}. "
            "Rests on the accounting of the procedure: output alone can neither prove nor refute it."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        failed = [name for name in ASSUMPTIONS if not self.flags.get(name, False)]
        if failed:
            return Verdict(False, f"assumptions that do not hold: {', '.join(failed)}")
        total = total_epsilon(self.ledger, self.delta)
        if total is None or not math.isfinite(total):
            return Verdict(False, "the ledger has no finite total")
        holds = total <= self.epsilon * (1 + 1e-9)
        return Verdict(holds, f"the ledger's {len(self.ledger)} entries add up to epsilon = {total:.6g}")
