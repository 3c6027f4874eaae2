"""Which subdomains to protect apart: candidates, how much each would matter, and what it would cost in risk.

An analyst will look at subdomains; means and covariances survive there only if restoration was made inside them. For each
candidate a draft hybrid of the whole table is measured inside its cells (top-down: what would be lost), and a draft made
inside them (bottom-up) shows the risk that exactness there would add. The person chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from discreet.base import Partition, Restoration, Treatment, whole
from discreet.composition import Composed, Composition, Whole, Within
from discreet.errors import UnsuitableError
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.moment_restoration import MomentRestoration
from discreet.partition.subdomains import Cellwise, Subdomains, binned_cells, merge_cells, merged_cells
from discreet.progress import share, stage
from discreet.release import Method, refuse_faulty
from discreet.risk.prefix_linkage import PrefixLinkage
from discreet.risk.rank_interval import RankInterval
from discreet.selection import chosen, names_of
from discreet.stats.restoration_parts import smallest_part
from discreet.stats.streams import Streams, new_seed
from discreet.stats.threads import one_blas_thread
from discreet.table.column import Column
from discreet.table.frames import Frame, encode
from discreet.table.load import Opened, open_data
from discreet.table.schema import Schema
from discreet.table.table import Table
from discreet.utility.pil import ProbabilisticLoss

MOST_LEVELS = 60  # a column with more categories is no candidate
MOST_WEIGHED = 24  # candidates whose risk is measured: those with the highest loss
SAMPLE = 20_000  # records above which a random sample is weighed

Measured = Callable[[Table, Table], float]


@dataclass(frozen=True)
class Suggestion:
    """One candidate set of subdomains.

    Attributes:
        subdomains: the partition that it stands for: give it to `CholeskyHybrid(by=...)`.
        cells: its cells, those with too few records merged.
        loss: mean of PIL(m1), PIL(m2), PIL(m11) inside these cells when they are not restored apart, weighted by size, in
            percent: what a user of the subdomains would lose.
        groups, smallest: subdomains that are left after merging those that are alike, and records of the smallest.
        linkage, linkage_apart: records linked (mean over the first 1 to 10 columns) inside the subdomains, in percent,
            restored as a whole (top-down) and apart (bottom-up).
        interval, interval_apart: the same for rank-interval disclosure.
    """

    subdomains: Subdomains
    cells: int
    loss: float
    groups: int
    smallest: int
    linkage: float
    linkage_apart: float
    interval: float
    interval_apart: float

    @property
    def by(self) -> tuple[str, ...]:
        return self.subdomains.by

    def __str__(self) -> str:
        return (
            f"{' x '.join(self.by):28} loss {self.loss:5.1f} % in {self.cells:3} cells; {self.groups:3} subdomains, "
            f"smallest {self.smallest:6}: linked {self.linkage:.1f} -> {self.linkage_apart:.1f} %, "
            f"intervals {self.interval:.1f} -> {self.interval_apart:.1f} %"
        )


def suggest_subdomains(
    data: Frame | str | Path,
    schema: Schema | None = None,
    *,
    mask: Method | None = None,
    columns: Sequence[str] | None = None,
    seed: int | None = None,
    **reading: Any,
) -> tuple[Suggestion, ...]:
    """Candidate subdomains for a Cholesky hybrid, the most useful first.

    Candidates are the categorical columns, their pairs, and the numeric columns in fifths; cells too small for exact
    statistics are merged with those most alike. Of large files a random sample is weighed.

    Args:
        data, schema, reading: as for `protect`.
        mask: the masking; None: microaggregation with k = 3 of the columns.
        columns: numeric columns to restore; None: those with the role quasi or confidential.
    """
    opened = open_data(data, **reading)
    plan = schema or opened.guessed_schema()
    return suggest_opened(opened, plan, mask=mask, columns=columns, seed=seed)


def suggest_opened(
    opened: Opened,
    schema: Schema,
    *,
    mask: Method | None = None,
    columns: Sequence[str] | None = None,
    seed: int | None = None,
) -> tuple[Suggestion, ...]:
    """`suggest_subdomains` of data that were opened already."""
    table, _ = encode(opened.frame, schema, opened.text_of)
    refuse_faulty(table)
    streams = Streams(new_seed() if seed is None else seed)
    wanted = chosen(table, columns, kinds=("numeric",), roles=("quasi", "confidential"), what="Suggesting")
    if table.n_records > SAMPLE:
        table = table.take(np.sort(streams.permutation("sample", n=table.n_records)[:SAMPLE]))
    names = names_of(wanted)
    scale = Scale(table, names, mask or Microaggregation(k=3, columns=names), streams)
    with one_blas_thread(), stage("weighing subdomains"):
        rated = sorted(scale.rated(), key=lambda one: -one.loss)[:MOST_WEIGHED]
        weighed: list[Suggestion] = []
        refused = None
        for done, candidate in enumerate(rated):
            try:
                weighed.append(scale.weighed(candidate))
            except UnsuitableError as fault:
                refused = fault
            share((done + 1) / len(rated))
    if refused is not None and not weighed:
        raise UnsuitableError(f"No subdomains can be masked apart by this mask. {refused}")
    return tuple(weighed)


@dataclass(frozen=True, eq=False)
class Rated:
    """A candidate and its top-down loss: cells large enough, and what is left of them once alike ones are merged."""

    subdomains: Subdomains
    cells: Partition
    groups: Partition
    loss: float


class Scale:
    """One table, and the draft hybrid of the whole of it, against which every candidate is weighed."""

    def __init__(self, table: Table, names: tuple[str, ...], mask: Method, streams: Streams) -> None:
        self.table, self.names, self.streams = table, names, streams
        self.treatment: Treatment = Within(mask)
        self.restoration: Restoration = MomentRestoration(columns=names, exact=True)
        self.draft = self._drawn(whole(table.n_records))

    def rated(self) -> Iterator[Rated]:
        """Every candidate that is more than one subdomain."""
        columns = tuple(self.table[name] for name in self.names)
        needed = smallest_part(len(self.names))
        for by in _candidates(self.table, columns):
            subdomains = Subdomains(by, self.names, small="merge", alike=True)
            cells = binned_cells(self.table, by, subdomains.bins)
            if cells.n_groups < 2:
                continue
            sums = Cellwise.of(columns, cells, self.table.weights)
            large, groups = (
                merged_cells(cells, merge_cells(sums, needed, while_bic_gains=alike))
                for alike in (False, True)
            )
            if groups.n_groups > 1:
                yield Rated(subdomains, large, groups, self._inside(large, self.draft, self._loss))

    def weighed(self, rated: Rated) -> Suggestion:
        """The candidate with its risk top-down and bottom-up."""
        apart = self._drawn(rated.groups)
        return Suggestion(
            subdomains=rated.subdomains,
            cells=rated.cells.n_groups,
            loss=rated.loss,
            groups=rated.groups.n_groups,
            smallest=int(rated.groups.sizes.min()),
            linkage=self._inside(rated.groups, self.draft, self._linked),
            linkage_apart=self._inside(rated.groups, apart, self._linked),
            interval=self._inside(rated.groups, self.draft, self._interval),
            interval_apart=self._inside(rated.groups, apart, self._interval),
        )

    def _drawn(self, groups: Partition) -> Table:
        plan = Composition(Whole(), self.treatment, self.restoration)
        self.restoration.refuse(self.table, groups)
        return Composed(plan, self.table, groups).draw(self.streams.at("draft")).table

    def _inside(self, groups: Partition, draft: Table, measured: Measured) -> float:
        """Mean over the records of what is measured inside their group."""
        found = [measured(self.table.take(rows), draft.take(rows)) for rows in groups.members()]
        return float(np.average(found, weights=groups.sizes))

    def _loss(self, original: Table, draft: Table) -> float:
        figures = ProbabilisticLoss(columns=self.names)(original, draft)
        wanted = [figure.value for figure in figures if figure.name in ("pil.m1", "pil.m2", "pil.m11")]
        return float(np.nanmean(wanted))

    def _linked(self, original: Table, draft: Table) -> float:
        return PrefixLinkage(known=self.names)(original, draft)[0].value

    def _interval(self, original: Table, draft: Table) -> float:
        return RankInterval(columns=self.names)(original, draft)[0].value


def _candidates(table: Table, numbers: tuple[Column, ...]) -> list[tuple[str, ...]]:
    categorical = [
        column.name
        for column in table.columns
        if not column.is_numeric
        and column.tree is None
        and 2 <= int((column.counts > 0).sum()) <= MOST_LEVELS
    ]
    single = [(name,) for name in (*categorical, *names_of(numbers))]
    return [*single, *combinations(categorical, 2)]
