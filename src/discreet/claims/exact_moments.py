"""Exact means and covariances: the release reproduces them to a stated tolerance, in the whole file and in parts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Partition, Verdict
from discreet.claims.keys import released_groups
from discreet.stats.moments import moment_errors
from discreet.table.table import Table


@dataclass(frozen=True)
class ExactMoments:
    """Weighted means and covariances of `columns` are the original's, up to `tolerance` in standard deviations.

    With `by`, also inside every group of equal values of these columns; groups of fewer than `min_part` records are
    outside the claim. Missing cells: over the records in which both columns of a pair are present.
    """

    columns: tuple[str, ...]
    by: tuple[str, ...] = ()
    tolerance: float = 1e-9
    min_part: int = 0

    @property
    def statement(self) -> str:
        parts = f", also inside every group of equal {', '.join(self.by)}" if self.by else ""
        small = f" with at least {self.min_part} records" if self.by and self.min_part else ""
        return (
            f"exact means and covariances of {', '.join(self.columns)}{parts}{small}, to {self.tolerance:g} standard "
            "deviations. Exact statistics of small groups disclose: someone who knows all members but one learns it."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        if original.n_records != released.n_records:
            return Verdict(False, "the release has another number of records")
        before, after = _matrix(original, self.columns), _matrix(released, self.columns)
        shown, still = _present(original, self.columns), _present(released, self.columns)
        if not np.array_equal(shown, still):
            return Verdict(False, "the release lacks other cells than the original")
        worst = 0.0
        for rows in self._parts(original):
            weights = None if original.weights is None else original.weights[rows]
            worst = max(worst, _worst_error(before[rows], after[rows], shown[rows], weights))
        return Verdict(worst <= self.tolerance, f"largest error: {worst:.1e} standard deviations")

    def _parts(self, original: Table) -> list[Ints]:
        everything = np.arange(original.n_records)
        if not self.by:
            return [everything]
        groups = released_groups(original, self.by)
        order = np.argsort(groups.labels, kind="stable")
        members = np.split(order, np.cumsum(groups.sizes)[:-1])
        kept = [rows.astype(np.int64) for rows in members if len(rows) >= max(self.min_part, 2)]
        whole_too = [everything] if len(kept) == len(members) else []
        return [*whole_too, *kept]


def _matrix(table: Table, names: tuple[str, ...]) -> Floats:
    return np.column_stack([np.asarray(table[name].values, dtype=np.float64) for name in names])


def _present(table: Table, names: tuple[str, ...]) -> Bools:
    return np.column_stack([~table[name].missing for name in names])


def _worst_error(before: Floats, after: Floats, present: Bools, weights: Floats | None) -> float:
    if present.all():
        return _largest(before, after, weights)
    worst = 0.0
    for i in range(before.shape[1]):
        for j in range(i, before.shape[1]):
            rows = present[:, i] & present[:, j]
            pair = slice(i, j + 1, max(j - i, 1))
            if rows.sum() >= 2:
                part = None if weights is None else weights[rows]
                worst = max(worst, _largest(before[rows, pair], after[rows, pair], part))
    return worst


def _largest(before: Floats, after: Floats, weights: Floats | None) -> float:
    errors = moment_errors(before, after, weights)
    return max(errors.mean, errors.covariance)
