"""Subdomains: cells of categorical columns and of numeric ones in bins, merged where they are small or alike.

Merging is agglomeration on Gram matrices: the cost of a merge is the rise of sum n log det(cov + 0.01 I), covariances in
the whole table's standard deviations, so two cells with alike means and covariances cost next to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Partition
from discreet.errors import ParameterError, UnsuitableError
from discreet.progress import share
from discreet.selection import chosen, name_list, names_of, whole_number
from discreet.stats.keys import Key, group_records
from discreet.stats.moments import Moments, measure_moments
from discreet.stats.restoration_parts import smallest_part
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.table import Table

RIDGE = 0.01  # a share of the overall variance below which directions do not count


@dataclass(frozen=True)
class Subdomains:
    """One group per combination of values of `by`, with at least `min_part` records.

    Args:
        by: columns whose combinations are the subdomains; numeric ones are cut into `bins`.
        columns: numeric columns by which cells resemble each other; None: those with the role quasi or confidential.
        min_part: smallest subdomain; None: max(100, 5 (columns + 1)).
        small: `refuse`, or `merge` small cells with those most alike.
        alike: merge cells on, however large, while the Bayesian information criterion gains by it.
        bins: parts of a numeric column with equally many records; equal values stay together.
    """

    by: tuple[str, ...]
    columns: tuple[str, ...] | None = None
    min_part: int | None = None
    small: Literal["refuse", "merge"] = "refuse"
    alike: bool = False
    bins: int = 5

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", name_list(self.by, "by"))
        object.__setattr__(self, "columns", name_list(self.columns))
        if not self.by:
            raise ParameterError("`by` is empty; name the columns whose combinations are subdomains.")
        if self.small not in ("refuse", "merge"):
            raise ParameterError("`small` must be 'refuse' or 'merge'.")
        whole_number("bins", self.bins, least=2)

    def partition(self, table: Table, streams: Streams) -> Partition:
        cells = binned_cells(table, self.by, self.bins)
        columns = chosen(
            table, self.columns, kinds=("numeric",), roles=("quasi", "confidential"), what="Subdomains"
        )
        needed = smallest_part(len(columns)) if self.min_part is None else self.min_part
        sizes = _counted_sizes(cells, table.weights)
        if self.small == "refuse" and (sizes < needed).any():
            raise UnsuitableError(
                f"{int((sizes < needed).sum())} of {len(sizes)} subdomains by {', '.join(self.by)} have fewer than "
                f"{needed} records (smallest: {int(sizes.min())}). Merge them (small='merge'), use fewer columns, or "
                "lower min_part."
            )
        if (sizes >= needed).all() and not self.alike:
            return cells
        home = merge_cells(Cellwise.of(columns, cells, table.weights), needed, while_bic_gains=self.alike)
        return merged_cells(cells, home)


def merged_cells(cells: Partition, home: Ints) -> Partition:
    """The groups that cells end in, `home` being the group of each."""
    labels = np.unique(home[cells.labels], return_inverse=True)[1].reshape(-1).astype(np.int64)
    return Partition(labels, f"merged cells of {', '.join(cells.by)}", cells.by)


def binned_cells(table: Table, by: tuple[str, ...], bins: int) -> Partition:
    """Groups of equal values of the named columns, numbers by the bin they fall into; missing is a value."""
    keys = [Key.of(_binned(table[name], bins), table[name].absent) for name in by]
    return Partition(group_records(keys, table.n_records).labels, f"equal {', '.join(by)}", by)


def _binned(column: Column, bins: int) -> Ints:
    if not column.is_numeric:
        return column.codes.astype(np.int64)
    shown = column.numbers[~column.missing]
    cuts = np.quantile(shown, np.arange(1, bins) / bins) if len(shown) else np.empty(0)
    return np.searchsorted(cuts, column.numbers, side="left").astype(np.int64)


def _counted_sizes(cells: Partition, weights: Floats | None) -> Ints:
    """Records of each cell; those of weight 0 carry no statistic and do not count."""
    if weights is None:
        return cells.sizes
    return np.bincount(cells.labels, weights=weights > 0, minlength=cells.n_groups).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Cellwise:
    """Weight, mean and scatter of every cell, in the whole table's standard deviations; complete records only."""

    n_records: Ints
    weight: Floats
    mean: Floats
    scatter: Floats

    @classmethod
    def of(cls, columns: tuple[Column, ...], cells: Partition, weights: Floats | None) -> Cellwise:
        if all(column.missing.all() for column in columns):
            raise UnsuitableError(f"No value is there to compare cells by: {', '.join(names_of(columns))}.")
        complete = ~np.logical_or.reduce([column.missing for column in columns])
        values = np.column_stack([column.numbers for column in columns])
        if weights is not None:
            weights = weights / weights[weights > 0].mean()  # costs are in records, as the saving is
        overall = measure_moments(values[complete], None if weights is None else weights[complete])
        units = np.where(overall.constant, 1.0, overall.deviations)
        standard = np.ascontiguousarray((values - overall.mean) / units)
        found = [_moments(standard, rows[complete[rows]], weights) for rows in cells.members()]
        return cls(
            _counted_sizes(cells, weights),
            np.array([one.weight for one in found]),
            np.array([one.mean for one in found]),
            np.array([one.scatter for one in found]),
        )


def _moments(standard: Floats, rows: Ints, weights: Floats | None) -> Moments:
    m = standard.shape[1]
    if not len(rows):
        return Moments(0, 0.0, np.zeros(m), np.zeros((m, m)))
    return measure_moments(standard[rows], None if weights is None else weights[rows])


def merge_cells(cells: Cellwise, least: int, *, while_bic_gains: bool = False) -> Ints:
    """For each cell the group it ends in: the smallest with its cheapest partner, until all have `least` records.

    With `while_bic_gains` merging goes on, the cheapest pair of all first, as long as the saved parameters
    (m + m(m + 1)/2 per group, times log n) are worth more than the fit that is lost.
    """
    work = _Merging(cells)
    n_small = max(int((cells.n_records < least).sum()), 1)
    while work.n_left > 1 and work.smallest_size < least:
        one = work.smallest()
        work.merge(one, int(np.argmin(work.costs(one))))
        share(min(1.0, 1 - int((work.sizes[work.alive] < least).sum()) / n_small))
    if while_bic_gains:
        m = cells.mean.shape[1]
        saving = (m + m * (m + 1) / 2) * np.log(max(int(cells.n_records.sum()), 2))
        work.merge_while_below(saving)
    return work.home


class _Merging:
    """Groups as they merge: sums of all cells in arrays, those that are gone marked."""

    def __init__(self, cells: Cellwise) -> None:
        self.sizes, self.weight = cells.n_records.copy(), cells.weight.copy()
        self.mean, self.scatter = cells.mean.copy(), cells.scatter.copy()
        self.alive: Bools = np.ones(len(self.sizes), dtype=np.bool_)
        self.home: Ints = np.arange(len(self.sizes), dtype=np.int64)
        self.spread = _spreads(self.weight, self.scatter)

    @property
    def n_left(self) -> int:
        return int(self.alive.sum())

    @property
    def smallest_size(self) -> int:
        return int(self.sizes[self.alive].min())

    def smallest(self) -> int:
        return int(np.argmin(np.where(self.alive, self.sizes, np.iinfo(np.int64).max)))

    def costs(self, one: int) -> Floats:
        """What merging a group with each other one adds to sum n log det; infinite for itself and those gone."""
        others = np.flatnonzero(self.alive)
        costs = np.full(len(self.home), np.inf)
        costs[others] = _spreads(*self._together(one, others)) - self.spread[others] - self.spread[one]
        costs[one] = np.inf
        return costs

    def _together(self, one: int, others: Ints) -> tuple[Floats, Floats]:
        """Weight and scatter of a group together with each of some others."""
        weight = self.weight[others] + self.weight[one]
        apart = self.mean[others] - self.mean[one]
        product = self.weight[others] * self.weight[one]
        lever = np.divide(product, weight, out=np.zeros_like(weight), where=weight > 0)
        between = lever[:, None, None] * apart[:, :, None] * apart[:, None, :]
        return weight, self.scatter[others] + self.scatter[one] + between

    def merge(self, one: int, other: int) -> int:
        """Puts two groups together under the lower number, which it answers."""
        kept, gone = min(one, other), max(one, other)
        (weight,), (scatter,) = self._together(gone, np.array([kept]))
        if weight > 0:
            self.mean[kept] += (self.mean[gone] - self.mean[kept]) * self.weight[gone] / weight
        self.weight[kept], self.scatter[kept] = weight, scatter
        self.sizes[kept] += self.sizes[gone]
        self.spread[kept] = _spreads(self.weight[[kept]], self.scatter[[kept]])[0]
        self.alive[gone] = False
        self.home[self.home == gone] = kept
        return kept

    def merge_while_below(self, saving: float) -> None:
        """Cheapest pairs first; the costs of all pairs are kept, and only those of the merged group change."""
        costs = np.array(
            [
                self.costs(one) if alive else np.full(len(self.home), np.inf)
                for one, alive in enumerate(self.alive)
            ]
        )
        while self.n_left > 1:
            one, other = divmod(int(np.argmin(costs)), len(costs))
            if costs[one, other] >= saving:
                return
            kept = self.merge(one, other)
            gone = max(one, other)
            costs[gone], costs[:, gone] = np.inf, np.inf
            costs[kept] = self.costs(kept)
            costs[:, kept] = costs[kept]


def _spreads(weight: Floats, scatter: Floats) -> Floats:
    """n log det(cov + ridge) of each group; 0 for one without weight."""
    safe = np.where(weight > 0, weight, 1.0)
    covariance = scatter / safe[:, None, None] + RIDGE * np.eye(scatter.shape[-1])
    spreads: Floats = weight * np.linalg.slogdet(covariance)[1]
    return spreads
