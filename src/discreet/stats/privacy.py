"""The accountant of differential privacy: a ledger of entries, and nothing else computes totals.

Pure epsilons add up; so do the rho of zero-concentrated differential privacy (zCDP; Bun and Steinke 2016), and a rho
becomes an epsilon at a chosen delta by the tight conversion of Canonne, Kamath and Steinke (2020).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal, TypeAlias, get_args

from discreet.errors import ParameterError
from discreet.lazily import Lazily

minimize_scalar = Lazily("scipy.optimize", "minimize_scalar")

Neighbours: TypeAlias = Literal["add-remove", "replace"]


@dataclass(frozen=True)
class LedgerEntry:
    """`count` uses of one mechanism on the private data, each at the same cost.

    Args:
        mechanism: its name.
        count: a whole number, 1 or more.
        pure: its epsilon; None: it has none.
        rho: its cost in zCDP; None: unknown, and pure^2 / 2 is counted.
        note: what it was used for.
        neighbours: the change of one record that the costs are worked out for; `any`: they hold for every such change.

    A cost is above 0 and finite: what costs nothing does not touch private data, and has no entry. Where both are
    known, rho is at most pure^2 / 2, which every pure mechanism has.

    >>> LedgerEntry("discrete Laplace", 3, pure=0.5, rho=0.125).rho
    0.125
    """

    mechanism: str
    count: int
    pure: float | None
    rho: float | None
    note: str = ""
    neighbours: Neighbours | Literal["any"] = "add-remove"

    def __post_init__(self) -> None:
        if fault := self._fault():
            raise ParameterError(f"Ledger entry '{self.mechanism}': {fault}")

    def _fault(self) -> str | None:
        if not _is_whole(self.count) or self.count < 1:
            return "`count` must be a whole number, 1 or more."
        if self.pure is None and self.rho is None:
            return "at least one of `pure` and `rho` must be known."
        if not all(cost is None or _is_cost(cost) for cost in (self.pure, self.rho)):
            return "`pure` and `rho` must be finite numbers above 0, or None."
        if self.pure is not None and self.rho is not None and self.rho > self.pure**2 / 2 * (1 + 1e-9):
            return "`rho` is above pure^2 / 2, so it is not the cost of a mechanism with this epsilon."
        if self.neighbours not in (*get_args(Neighbours), "any"):
            return f"`neighbours` must be one of {', '.join(get_args(Neighbours))}, any."
        return None


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_cost(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < math.inf


def total_pure(ledger: Sequence[LedgerEntry]) -> float | None:
    """Sum of the pure epsilons; None where an entry has none, and for an empty ledger, which proves nothing."""
    if not ledger or any(entry.pure is None for entry in ledger):
        return None
    return math.fsum(entry.count * entry.pure for entry in ledger if entry.pure is not None)


def total_rho(ledger: Sequence[LedgerEntry]) -> float | None:
    """Sum of the rho; an entry with a pure epsilon only counts epsilon^2 / 2. None for an empty ledger."""
    if not ledger:
        return None
    return math.fsum(
        entry.count * (entry.rho if entry.rho is not None else (entry.pure or 0.0) ** 2 / 2)
        for entry in ledger
    )


def epsilon_of(rho: float, delta: float) -> float:
    """The smallest epsilon that rho-zCDP implies at delta.

    epsilon = min over a > 1 of a rho + (log(1/delta) - log(a - 1) + a log(1 - 1/a)) / (a - 1).

    >>> round(epsilon_of(0.1, 1e-9), 6)
    2.715482
    """
    if not 0 < delta < 1 or not rho >= 0:
        raise ParameterError("delta must lie between 0 and 1, and rho must be 0 or more.")
    if rho == 0:
        return 0.0

    def bound(log_gap: float) -> float:  # a - 1 on a logarithmic scale: it runs over many magnitudes
        gap = math.exp(log_gap)
        order = 1 + gap
        return order * rho + (-math.log(delta) - math.log(gap) - order * math.log1p(1 / gap)) / gap

    best = minimize_scalar(bound, bounds=(-14.0, 24.0), method="bounded", options={"xatol": 1e-12})
    return max(float(best.fun), 0.0)


def rho_of(epsilon: float, delta: float) -> float:
    """The largest rho whose zCDP still implies (epsilon, delta): the inverse of `epsilon_of`, by bisection."""
    if not epsilon > 0:
        raise ParameterError("epsilon must be positive.")
    low, high = 0.0, epsilon + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low


def total_epsilon(ledger: Sequence[LedgerEntry], delta: float = 0.0) -> float | None:
    """The smaller of the pure total and, where delta > 0, the epsilon that the total rho implies."""
    if not 0 <= delta < 1:
        raise ParameterError("delta must be at least 0 and below 1.")
    pure = total_pure(ledger)
    if delta == 0:
        return pure
    rho = total_rho(ledger)
    found = [total for total in (pure, None if rho is None else epsilon_of(rho, delta)) if total is not None]
    return min(found, default=None)
