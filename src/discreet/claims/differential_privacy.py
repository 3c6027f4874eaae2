"""epsilon-differential privacy: a promise about the procedure, so the checker reads its books, not its output."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, get_args

from discreet.base import Claim, Partition, Verdict
from discreet.errors import ParameterError
from discreet.stats.privacy import LedgerEntry, Neighbours, total_epsilon
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

    `flags` states every assumption that the guarantee rests on; one that is not True and there is no claim. Every entry
    of the ledger must be worked out for the same `neighbours`, and an empty ledger proves nothing: a procedure that
    touches private data has expenses.

    >>> spent = (LedgerEntry("discrete Laplace", 2, pure=0.5, rho=0.125),)
    >>> claim = DifferentialPrivacy(1.0, spent, flags=dict.fromkeys(ASSUMPTIONS, True))
    >>> empty = Table((), 0)
    >>> claim.check(empty, empty, None).attained
    "the ledger's 1 entries add up to epsilon = 1"
    """

    of_procedure: ClassVar[bool] = True

    epsilon: float
    ledger: tuple[LedgerEntry, ...]
    delta: float = 0.0
    neighbours: Neighbours = "add-remove"
    unit: str = "record"
    flags: Mapping[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ledger", tuple(self.ledger))
        if fault := self._fault():
            raise ParameterError(f"Differential privacy: {fault}")

    def _fault(self) -> str | None:
        if not 0 < self.epsilon < math.inf:
            return "`epsilon` must be a finite number above 0."
        if not 0 <= self.delta < 1:
            return "`delta` must be at least 0 and below 1."
        if self.neighbours not in get_args(Neighbours):
            return f"`neighbours` must be one of {', '.join(get_args(Neighbours))}."
        if not all(isinstance(entry, LedgerEntry) for entry in self.ledger):
            return "`ledger` must be made of ledger entries."
        if unknown := [name for name in self.flags if name not in ASSUMPTIONS]:
            return f"`flags` names {', '.join(unknown)}. It takes: {', '.join(ASSUMPTIONS)}."
        if unclear := [name for name, flag in self.flags.items() if not isinstance(flag, bool)]:
            return f"`flags` must be True or False; {', '.join(unclear)} is neither."
        return None

    def meet(self, other: Claim) -> Claim | None:
        # Tables put together cost no more than each, if a change of one record is a change of one table.
        return self if self == other and (self.neighbours, self.unit) == ("add-remove", "record") else None

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
        if not self.ledger:
            return Verdict(False, "the ledger is empty: it proves nothing")
        if other := [e.mechanism for e in self.ledger if e.neighbours not in (self.neighbours, "any")]:
            return Verdict(
                False, f"entries worked out for other neighbours than {self.neighbours}: {', '.join(other)}"
            )
        total = total_epsilon(self.ledger, self.delta)
        if total is None or not math.isfinite(total):
            return Verdict(False, "the ledger has no finite total")
        holds = total <= self.epsilon * (1 + 1e-9)
        return Verdict(holds, f"the ledger's {len(self.ledger)} entries add up to epsilon = {total:.6g}")
