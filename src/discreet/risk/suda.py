"""Special uniques (SUDA): records that few columns are enough to single out.

A minimal sample unique (MSU) of a record is a set of columns on which it is alone, while it is not on any
part of the set. The smaller the set, the more special the record: of m columns and sets up to size M, one
of size s counts prod_{i=s}^{M'-1} (m - i), M' = min(M, m - 1), which is (m - s)! when all sizes are
searched (Elliot, Manning and Ford 2002).

The sets are searched level by level. Being alone is inherited by larger sets, so a set is minimal for a
record when the record is alone on it and on none of its parts with one column less.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb, prod
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.kernels.frequencies import label_keys
from discreet.kernels.suda import mark_alone
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import Names, joint_keys, known_columns
from discreet.table.table import Table

Scoring = Literal["elliot", "ihsn"]
Subset = tuple[int, ...]

MOST_SUBSETS = 5_000  # what a search covers when no largest size is asked for


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """`scores` of each record, and what each column contributes: `contributions` (share of all scores, 0
    to 1).
    """

    scores: Floats
    contributions: Floats
    n_sets: int


def minimal_uniques(codes: list[Ints], max_size: int) -> Iterator[tuple[Subset, Ints]]:
    """All (columns, records for which these columns are a minimal sample unique), smallest sets first.

    >>> keys = [np.array([0, 0, 1]), np.array([0, 1, 1])]
    >>> [(columns, records.tolist()) for columns, records in minimal_uniques(keys, 2)]
    [((0,), [2]), ((1,), [0]), ((0, 1), [1])]
    """
    n_records = len(codes[0]) if codes else 0
    below: dict[Subset, NDArray[np.uint8]] = {}
    for size in range(1, min(max_size, len(codes)) + 1):
        here = {}
        for subset, alone in _alone_by_subset(codes, size, n_records):
            here[subset] = np.packbits(alone)
            parts = [below[subset[:j] + subset[j + 1 :]] for j in range(size)] if size > 1 else []
            inherited = np.bitwise_or.reduce(parts) if parts else np.zeros_like(here[subset])
            minimal = np.unpackbits(here[subset] & ~inherited, count=n_records)
            if minimal.any():
                yield subset, np.flatnonzero(minimal).astype(np.int64)
        below = here


def _alone_by_subset(codes: list[Ints], size: int, n_records: int) -> Iterator[tuple[Subset, Bools]]:
    """For each set of `size` columns, which records are alone on it."""
    prefix: Subset = ()
    labels = np.zeros(n_records, dtype=np.int64)
    for subset in combinations(range(len(codes)), size):
        if subset[:-1] != prefix:
            prefix, labels = subset[:-1], _labels([codes[j] for j in subset[:-1]], n_records)
        last = codes[subset[-1]]
        yield subset, mark_alone(labels * (int(last.max(initial=0)) + 1) + last)


def _labels(columns: list[Ints], n_records: int) -> Ints:
    labels = np.zeros(n_records, dtype=np.int64)
    for column in columns:
        labels, _ = label_keys(labels * (int(column.max(initial=0)) + 1) + column)
    return labels


def set_score(size: int, n_columns: int, max_size: int, scoring: Scoring = "elliot") -> float:
    """What one minimal unique of this size adds to a record's score.

    "ihsn": (2^(m - s) - 1) / C(m, s), the share of all column sets of a size that contain it, summed;
    sets of all the columns count nothing there.

    >>> [set_score(s, 4, 4) for s in (1, 2, 3, 4)], [set_score(s, 4, 4, "ihsn") for s in (1, 2, 3, 4)]
    ([6.0, 2.0, 1.0, 1.0], [1.75, 0.5, 0.25, 0.0])
    """
    if scoring == "ihsn":
        return float((2 ** (n_columns - size) - 1) / comb(n_columns, size))
    return float(prod(n_columns - i for i in range(size, min(max_size, n_columns - 1))))


def special_uniques(codes: list[Ints], max_size: int, scoring: Scoring = "elliot") -> SpecialUniques:
    """Scores of records over all their minimal sample uniques of at most `max_size` columns."""
    n_records = len(codes[0]) if codes else 0
    scores, shares, n_sets = np.zeros(n_records), np.zeros(len(codes)), 0
    for subset, records in minimal_uniques(codes, max_size):
        score = set_score(len(subset), len(codes), max_size, scoring)
        scores[records] += score
        shares[list(subset)] += score * len(records)
        n_sets += len(records)
    total = scores.sum()
    return SpecialUniques(scores, shares / total if total > 0 else shares, n_sets)


def disclosure_scores(scores: Floats, n_paired: int, n_columns: int, fraction: float) -> Floats:
    """DIS-SUDA: scores turned into chances of a correct match, given a sampling fraction f.

    The odds of record i are s_i^q (mean of s^-q over the uniques) U f / (P (1 - f)) with q = 1.4 - m /
    20, U records with a score, P records in pairs: special uniques get more than Skinner and Elliot's
    common chance U f / (U f + P (1 - f)), others less, and 1 / chance averages to that one's. 1 for all
    where there are no pairs.

    >>> disclosure_scores(np.array([8.0, 6.0, 4.0, 8.0, 0.0]), 4, 4, 0.01).round(6).tolist()
    [0.014213, 0.010106, 0.006237, 0.014213, 0.0]
    """
    special = scores > 0
    power = max(1.4 - n_columns / 20.0, 0.0)
    inverse = np.where(special, np.where(special, scores, 1.0) ** -power, 0.0)
    evens = n_paired * (1.0 - fraction) * inverse
    odds_part = fraction * inverse.sum()
    chance = np.divide(odds_part, odds_part + evens, out=np.zeros(len(scores)), where=special)
    return np.asarray(chance, dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class SpecialUniqueness:
    """SUDA scores of the protected records.

    Figures: `suda.records` (% of records with a score; per record its score), `suda.worst` (greatest DIS
    score, %; per record the DIS score), `suda.columns` (share of all scores that each column takes part
    in, as parts; the value is the largest).

    Parameters: `known`; `max_size` of the sets searched (default: the largest with at most 5 000 sets in
    all); `fraction` sampling fraction of the DIS scores; `scoring` "elliot" or "ihsn". A missing value is
    a category.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    max_size: int | None = None
    fraction: float = 0.01
    scoring: Scoring = "elliot"

    def __post_init__(self) -> None:
        if self.max_size is not None and self.max_size < 1:
            raise ParameterError(f"max_size must be at least 1. Got {self.max_size}.")
        if not 0 < self.fraction < 1:
            raise ParameterError(f"fraction must lie between 0 and 1. Got {self.fraction}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = known_columns(original, self.known)
        if not names or not protected.n_records:
            return (undefined("suda.records", "%", (0.0, 100.0), "No key columns or no records."),)
        codes = [key.with_gaps for key in joint_keys([protected], names)]
        max_size = self.max_size or affordable_size(len(names))
        found = special_uniques(codes, max_size, self.scoring)
        sizes = np.bincount(full := _labels(codes, protected.n_records))[full]
        chance = disclosure_scores(found.scores, int(np.sum(sizes == 2)), len(names), self.fraction)
        some = found.scores > 0
        shares = [Part((n,), 100.0 * float(s)) for n, s in zip(names, found.contributions, strict=True)]
        said = f"Sets of at most {max_size} of {len(names)} columns."
        about: dict[str, Any] = {
            "note": f"{found.n_sets} minimal sample uniques. {said}",
            "public_note": said,
        }
        records = percent_figure("suda.records", some.astype(np.float64))
        worst, largest = 100.0 * float(chance.max()), max(part.value for part in shares)
        # The worst score is that of one record; shares of the scores are shares of those records that have one.
        return (
            replace(records, records=found.scores, **about),
            Figure("suda.worst", worst, "%", "lower", PERCENT, records=chance, people=1, **about),
            Figure(
                "suda.columns",
                largest,
                "%",
                "neither",
                PERCENT,
                parts=tuple(shares),
                people=int(some.sum()),
                **about,
            ),
        )


def affordable_size(n_columns: int) -> int:
    """Largest size up to which at most MOST_SUBSETS sets of columns exist (at least 1).

    >>> affordable_size(7), affordable_size(20)
    (7, 3)
    """
    counts = np.cumsum([comb(n_columns, size) for size in range(1, n_columns + 1)])
    return max(int(np.sum(counts <= MOST_SUBSETS)), 1)
