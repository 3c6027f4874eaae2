"""Probabilistic record linkage: agreement patterns, weights by EM, and the share of records linked by them.

Two records agree on a column when its categories are equal or its numbers differ by at most a tolerance.
Given that the pair is a match column j agrees with probability m_j, else u_j, independently (Fellegi and
Sunter 1969). EM finds m and u from the counts of the 2^columns patterns alone. One pair in n is a match,
since every record is in the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.kernels.frequencies import best_agreements, count_agreements
from discreet.risk.linkage import seekers
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import Names, check_correspondence, known_columns
from discreet.table.table import Table

MOST_COLUMNS = 16  # 65 536 patterns
_LEAST = 1e-9  # probabilities stay this far from 0 and 1


@dataclass(frozen=True, eq=False)
class Evidence:
    """m_j and u_j of each column, and the weight in bits of each pattern of agreement."""

    m: Floats
    u: Floats

    @property
    def bits(self) -> Floats:
        """log2(m / u): what agreement on each column says."""
        return np.asarray(np.log2(self.m / self.u), dtype=np.float64)

    def weights(self, agrees: Bools) -> Floats:
        """Weight of each pattern: sum of log2(m/u) where it agrees and log2((1-m)/(1-u)) where not."""
        against = np.log2((1 - self.m) / (1 - self.u))
        # Rounded so that patterns of equal weight tie whatever the order of summation.
        totals = np.where(agrees, self.bits, against).sum(axis=1)
        return np.asarray(np.round(totals, 9), dtype=np.float64)


def pattern_bits(n_columns: int) -> Bools:
    """(2^n, n): which columns each pattern agrees on."""
    return (np.arange(1 << n_columns)[:, None] >> np.arange(n_columns) & 1).astype(np.bool_)


def estimate_evidence(counts: Ints, share: float, *, rounds: int = 200, tolerance: float = 1e-8) -> Evidence:
    """m and u by EM from the counts of patterns, the share of matches among the pairs being known.

    >>> agreeing = np.array([90, 0, 0, 10])  # ten pairs agree on both columns, the others on none
    >>> evidence = estimate_evidence(agreeing, 0.1)
    >>> evidence.m.round(3).tolist(), evidence.u.round(3).tolist()
    ([1.0, 1.0], [0.0, 0.0])
    """
    agrees = pattern_bits(len(counts).bit_length() - 1)
    total = counts.sum()
    u = _inside((counts @ agrees) / total)
    m = _inside(np.full(agrees.shape[1], 0.9))
    for _ in range(rounds):
        matched = share * np.where(agrees, m, 1 - m).prod(axis=1)
        unmatched = (1 - share) * np.where(agrees, u, 1 - u).prod(axis=1)
        posterior = matched / np.maximum(matched + unmatched, np.finfo(np.float64).tiny)
        as_match, as_other = counts * posterior, counts * (1 - posterior)
        before, m = m, _inside(as_match @ agrees / max(as_match.sum(), _LEAST))
        u = _inside(as_other @ agrees / max(as_other.sum(), _LEAST))
        if np.abs(m - before).max(initial=0.0) < tolerance:
            break
    return Evidence(m, u)


def _inside(probabilities: Floats) -> Floats:
    return np.clip(probabilities, _LEAST, 1 - _LEAST)


@dataclass(frozen=True, kw_only=True)
class ProbabilisticLinkage:
    """Records linked to their own by the greatest Fellegi-Sunter weight, per cent; ties share the credit.

    Parameters
    ----------
    known : columns the intruder knows (default as in `DistanceLinkage`; at most 16, the first are taken).
    tolerance : numbers agree within this many standard deviations of the original.
    most_pairs : pairs compared at most; with more, original records are drawn at random and the figure is
        an estimate.
    seed : of that draw.

    A missing value agrees with nothing.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    known: Names | None = None
    tolerance: float = 0.1
    most_pairs: int = 50_000_000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.tolerance < 0 or self.most_pairs < 1:
            raise ParameterError("tolerance must not be negative and most_pairs at least 1.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_correspondence(original, protected)
        names = known_columns(original, self.known)[:MOST_COLUMNS]
        n_records = original.n_records
        if not names or not n_records:
            return (undefined("fellegi_sunter.linked", "%", PERCENT, "No columns or no records to link by."),)
        own = seekers(original, protected, max(self.most_pairs // n_records, 1), self.seed)
        mine, theirs = _comparable(original, names)[own], _comparable(protected, names)
        slack = np.array([self._slack(original, name) for name in names])
        evidence = estimate_evidence(count_agreements(mine, theirs, slack), 1.0 / n_records)
        found = best_agreements(mine, theirs, slack, evidence.weights(pattern_bits(len(names))), own)
        credit = np.where(found[:, 2] >= found[:, 0], 1.0 / found[:, 1], 0.0)
        sampled = len(own) < n_records
        note = f"{len(own)} records compared with all {n_records}; numbers agree within {self.tolerance} sd."
        parts = [Part((name,), float(bits)) for name, bits in zip(names, evidence.bits, strict=True)]
        return (
            percent_figure("fellegi_sunter.linked", credit, estimate=sampled, note=note),
            Figure(
                "fellegi_sunter.evidence",
                float(evidence.bits.sum()),
                "bits",
                "lower",
                (-np.inf, np.inf),
                parts=tuple(parts),
                note=(said := "log2(m/u): what agreement on each column, and on all, says for a match."),
                public_note=said,
            ),
        )

    def _slack(self, original: Table, name: str) -> float:
        column = original[name]
        shown = column.values[~column.missing]
        if not column.is_numeric or not len(shown):
            return 0.0
        return self.tolerance * float(shown.std()) * (1 + 1e-12)


def _comparable(table: Table, names: Names) -> Floats:
    """Columns as numbers, missing as NaN: for the kernel, where NaN agrees with nothing."""
    columns = [table[name] for name in names]
    return np.stack([np.where(c.missing, np.nan, c.values.astype(np.float64)) for c in columns], axis=1)
