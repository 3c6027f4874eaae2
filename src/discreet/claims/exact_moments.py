"""Exact means and covariances: the release reproduces them to a stated tolerance, in the whole file and in parts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Claim, Partition, Verdict
from discreet.keys import equal_records
from discreet.stats.keys import group_codes
from discreet.stats.moments import moment_errors
from discreet.table.column import Column
from discreet.table.table import Table

EXACT = 1e-9  # an error up to this, in standard deviations, is rounding of the arithmetic


def attainable(parts: Iterable[Floats]) -> float:
    """The power of ten, at least 1e-9, that covariances of these numbers can be exact to in the digits they have.

    >>> far = np.array([1e8 - 1, 1e8, 1e8 + 1])
    >>> attainable([far - 1e8]), attainable([far])
    (1e-09, 1e-06)
    """
    least = 0.0
    for values in parts:
        mean, deviation = (abs(float(values.mean())), float(values.std())) if len(values) else (0.0, 0.0)
        if deviation > 1e-10 * mean:
            least = max(least, 4 * np.finfo(np.float64).eps * mean / deviation)
    return power_of_ten(least)


def power_of_ten(error: float) -> float:
    """The least power of ten that is not below the error, and not below what counts as exact.

    >>> power_of_ten(2e-6), power_of_ten(0.0)
    (1e-05, 1e-09)
    """
    return max(EXACT, 10.0 ** math.ceil(math.log10(error))) if error > EXACT else EXACT


@dataclass(frozen=True)
class ExactMoments(Claim):
    """Weighted means and covariances of `columns` are the original's, up to `tolerance` in standard deviations.

    With `by`, also inside every group of equal values of these columns; or, where `parts` is given, inside every part of
    it, which must be made of whole such groups. Groups of fewer than `min_part` records are not looked at alone, but
    count in the whole. `where` limits the claim to records with these categories; records whose pattern of missing cells
    fewer than `min_pattern` of their group share are outside it; a record of weight 0 does not count. Missing cells:
    over the records in which both columns of a pair are present.

    Whoever repeats the statistics needs the columns of `by`, of `where` and of the weight as they were: the claim does
    not hold where the release has changed one of them.
    """

    of_pair: ClassVar[bool] = True

    columns: tuple[str, ...]
    by: tuple[str, ...] = ()
    tolerance: float = EXACT
    min_part: int = 0
    min_pattern: int = 0
    where: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    parts: Partition | None = field(default=None, repr=False)

    def meet(self, other: Claim) -> Claim | None:
        if not isinstance(other, ExactMoments) or replace(other, tolerance=self.tolerance) != self:
            return None
        if self.min_pattern or self.min_part:  # what is rare in a part need not be rare in both
            return None
        return self if self.tolerance >= other.tolerance else other

    @property
    def statement(self) -> str:
        what = "exact means and covariances" if self.tolerance <= EXACT else "means and covariances"
        inside = f", also inside every {self._parts_in_words}" if self.by else ""
        inside += f" with at least {self.min_part} records" if self.by and self.min_part else ""
        among = f", among records of certain {', '.join(self.where)}" if self.where else ""
        rare = (
            f", among records whose pattern of missing cells at least {self.min_pattern} share"
            if self.min_pattern
            else ""
        )
        return (
            f"{what} of {', '.join(self.columns)}{among}{inside}{rare}, to {self.tolerance:g} standard "
            "deviations. Exact statistics of small groups disclose: someone who knows all members but one learns it."
        )

    @property
    def _parts_in_words(self) -> str:
        equal = f"group of equal {', '.join(self.by)}"
        return equal if self.parts is None else f"one of {self.parts.n_groups} parts made of such a {equal}"

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        if obstacle := self.obstacle(original, released):
            return Verdict(False, obstacle)
        worst = self.error(original, released)
        return Verdict(worst <= self.tolerance, f"largest error: {worst:.1e} standard deviations")

    def obstacle(self, original: Table, released: Table) -> str:
        """Why no reader of the release can repeat these statistics, however exact they are; empty where one can."""
        if original.n_records != released.n_records:
            return "the release has another number of records"
        if not np.array_equal(_present(original, self.columns), _present(released, self.columns)):
            return "the release lacks other cells than the original"
        if changed := self._changed(original, released):
            return f"the release has changed what the statistics are by: {', '.join(changed)}"
        if self.parts is not None and not self._made_of_cells(original):
            return f"the parts are not made of groups of equal {', '.join(self.by)}"
        return "" if self._covered(original) else "no record is covered"

    def error(self, original: Table, released: Table) -> float:
        """The largest error, in standard deviations, wherever the claim speaks; infinite where it is no number."""
        return self._worst(original, released, self._covered(original))

    def _changed(self, original: Table, released: Table) -> list[str]:
        """Columns that say which records are compared and how they count, and are not released as they were."""
        weights = (column.name for column in original.of_role("weight"))
        names = dict.fromkeys((*self.by, *self.where, *weights))
        return [
            name for name in names if name in released and not _same_cells(original[name], released[name])
        ]

    def _made_of_cells(self, original: Table) -> bool:
        cells = Partition(equal_records(original, self.by).labels)
        return (
            self.parts is not None
            and len(self.parts.labels) == original.n_records
            and cells.within(self.parts)
        )

    def _covered(self, original: Table) -> list[Ints]:
        """Records of each part that the claim speaks of; of all parts together last, where they are several."""
        counts = original.counted
        rows = np.flatnonzero(original.rows_where(self.where))
        found = [rows]
        if self.by:
            whole = self.parts or Partition(equal_records(original, self.by).labels)
            labels = np.unique(whole.labels[rows], return_inverse=True)[1].astype(np.int64)
            found = [rows[members] for members in Partition(labels).members()]
        common = [self._common(original, part, counts) for part in found]
        parts = [
            kept for kept, part in zip(common, found, strict=True) if counts[part].sum() >= self.min_part
        ]
        together = [np.sort(np.concatenate(common))] if len(found) > 1 else []
        return [rows for rows in (*parts, *together) if counts[rows].any()]

    def _common(self, original: Table, rows: Ints, counts: Bools) -> Ints:
        """The records whose pattern of missing cells enough others share."""
        if not self.min_pattern:
            return rows
        present = _present(original, self.columns)[rows].astype(np.int64)
        groups = group_codes(list(present.T), len(rows))
        enough = groups.sums(counts[rows].astype(np.float64))[groups.labels] >= self.min_pattern
        common: Ints = rows[enough]
        return common

    def _worst(self, original: Table, released: Table, covered: list[Ints]) -> float:
        before, after = _matrix(original, self.columns), _matrix(released, self.columns)
        shown = _present(original, self.columns)
        errors = [0.0]
        for rows in covered:
            weights = None if original.weights is None else original.weights[rows]
            errors.append(_worst_error(before[rows], after[rows], shown[rows], weights))
        return max(errors)


def _same_cells(before: Column, after: Column) -> bool:
    """Whether every cell reads as it did, also where categories stand in another order."""
    if before.is_numeric != after.is_numeric or not np.array_equal(before.absent, after.absent):
        return False
    return np.array_equal(_shown(before), _shown(after))


def _shown(column: Column) -> NDArray[Any]:
    there = column.values[~column.missing]
    return there if column.is_numeric else np.array(column.levels, dtype=object)[there]


def _matrix(table: Table, names: tuple[str, ...]) -> Floats:
    return np.column_stack([np.asarray(table[name].values, dtype=np.float64) for name in names])


def _present(table: Table, names: tuple[str, ...]) -> Bools:
    return np.column_stack([~table[name].missing for name in names])


def _worst_error(before: Floats, after: Floats, present: Bools, weights: Floats | None) -> float:
    if present.all():
        return _largest(before, after, weights)
    errors = [0.0]
    for i in range(before.shape[1]):
        for j in range(i, before.shape[1]):
            rows = present[:, i] & present[:, j]
            pair = slice(i, j + 1, max(j - i, 1))
            part = None if weights is None else weights[rows]
            if rows.sum() >= 2 and (part is None or part.any()):
                errors.append(_largest(before[rows, pair], after[rows, pair], part))
    return max(errors)


def _largest(before: Floats, after: Floats, weights: Floats | None) -> float:
    with np.errstate(all="ignore"):
        errors = moment_errors(before, after, weights)
    largest = float(np.maximum(errors.mean, errors.covariance))
    # Every comparison with what is no number is false, so that a plain `max` would take it for no error at all.
    return largest if np.isfinite(largest) else np.inf
