"""Subdomains: cells of categorical columns, small ones merged with those they resemble most.

Merging is agglomeration on Gram matrices: the cost of a merge is the rise of sum n log det(cov + 0.01 I), covariances in
the whole table's standard deviations, so two cells with alike means and covariances cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Partition
from discreet.errors import ParameterError, UnsuitableError
from discreet.selection import chosen, name_list, numbers
from discreet.stats.moments import Moments, measure_moments
from discreet.stats.restoration_parts import smallest_part
from discreet.stats.streams import Streams
from discreet.strata import parts_by
from discreet.table.table import Table

RIDGE = 0.01  # a share of the overall variance below which directions do not count


@dataclass(frozen=True)
class Subdomains:
    """One group per combination of values of `by`, with at least `min_part` records.

    Args:
        by: columns whose combinations are the subdomains.
        columns: numeric columns by which cells resemble each other; None: those with the role quasi or confidential.
        min_part: smallest subdomain; None: max(100, 5 (columns + 1)).
        small: `refuse`, or `merge` small cells with those most alike.
    """

    by: tuple[str, ...]
    columns: tuple[str, ...] | None = None
    min_part: int | None = None
    small: Literal["refuse", "merge"] = "refuse"

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", name_list(self.by, "by"))
        object.__setattr__(self, "columns", name_list(self.columns))
        if not self.by:
            raise ParameterError("`by` is empty; name the columns whose combinations are subdomains.")
        if self.small not in ("refuse", "merge"):
            raise ParameterError("`small` must be 'refuse' or 'merge'.")

    def partition(self, table: Table, streams: Streams) -> Partition:
        rows = parts_by(table, self.by)
        columns = chosen(
            table, self.columns, kinds=("numeric",), roles=("quasi", "confidential"), what="Subdomains"
        )
        needed = smallest_part(len(columns)) if self.min_part is None else self.min_part
        labels = np.empty(table.n_records, dtype=np.int64)
        for group, members in enumerate(rows):
            labels[members] = group
        sizes = np.array([len(members) for members in rows])
        if (sizes >= needed).all():
            return Partition(labels, f"equal {', '.join(self.by)}")
        if self.small == "refuse":
            raise UnsuitableError(
                f"{int((sizes < needed).sum())} of {len(sizes)} subdomains by {', '.join(self.by)} have fewer than "
                f"{needed} records (smallest: {int(sizes.min())}). Merge them (small='merge'), use fewer columns, or "
                "lower min_part."
            )
        home = merge_cells(numbers(columns, "Merging subdomains"), labels, needed, table.weights)
        merged = np.unique(home[labels], return_inverse=True)[1].astype(np.int64)
        return Partition(merged, f"merged cells of {', '.join(self.by)}")


def merge_cells(
    values: Floats, labels: Ints, least: int, weights: Floats | None = None, *, while_bic_gains: bool = False
) -> Ints:
    """For each cell the group it ends in: cheapest merges first, until every group has `least` records.

    With `while_bic_gains` merging goes on as long as the saved parameters (m + m(m + 1)/2 per group, times log n) are
    worth more than the fit that is lost.
    """
    overall = measure_moments(np.ascontiguousarray(values, dtype=np.float64), weights)
    units = np.where(overall.constant, 1.0, overall.deviations)
    standard = np.ascontiguousarray((values - overall.mean) / units)
    groups: dict[int, Moments] = {}
    for cell in range(int(labels.max()) + 1):
        rows = labels == cell
        groups[cell] = measure_moments(
            np.ascontiguousarray(standard[rows]), None if weights is None else weights[rows]
        )
    home = np.arange(len(groups))
    m = values.shape[1]
    saving = (m + m * (m + 1) / 2) * np.log(max(len(values), 2))
    while len(groups) > 1:
        names = list(groups)
        small = [name for name in names if groups[name].n_records < least]
        if not small and not while_bic_gains:
            break
        first = min(small, key=lambda name: (groups[name].n_records, name)) if small else None
        pairs = (
            [(first, other) for other in names if other != first]
            if first is not None
            else [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        )
        costs = [_merge_cost(groups[a], groups[b]) for a, b in pairs]
        best = int(np.argmin(costs))
        if first is None and costs[best] >= saving:
            break
        kept, gone = sorted(pairs[best])
        groups[kept] = groups[kept].merge(groups.pop(gone))
        home[home == gone] = kept
    return home.astype(np.int64)


def _merge_cost(one: Moments, other: Moments) -> float:
    return _spread(one.merge(other)) - _spread(one) - _spread(other)


def _spread(moments: Moments) -> float:
    """n log det(cov + ridge)."""
    covariance = moments.covariance + RIDGE * np.eye(len(moments.mean))
    return moments.n_records * float(np.linalg.slogdet(covariance)[1])
