"""Which subdomains to protect apart: candidates, how much each would matter, and what it would cost in risk.

An analyst will look at subdomains; means and covariances survive there only if restoration was made inside them. For each
candidate a draft hybrid of the whole table is measured inside its cells (top-down loss: what would be lost), and a draft
made inside them (bottom-up) shows the risk that exactness there would add. The person chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Draft, Partition
from discreet.composition import Composition, Whole, Within
from discreet.errors import UnsuitableError
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.moment_restoration import MomentRestoration
from discreet.partition.subdomains import Cellwise, Subdomains, merge_cells
from discreet.progress import share, stage
from discreet.release import Method, refuse_faulty
from discreet.risk.linkage import DistanceLinkage
from discreet.risk.rank_interval import RankInterval
from discreet.selection import chosen, names_of, numbers
from discreet.stats.restoration_parts import smallest_part
from discreet.stats.streams import Streams, new_seed
from discreet.stats.threads import one_blas_thread
from discreet.strata import cells_by
from discreet.table.column import Column
from discreet.table.frames import Frame, encode
from discreet.table.load import open_data
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table
from discreet.utility.pil import ProbabilisticLoss

MOST_LEVELS = 60  # a column with more categories is no candidate
BINS = 5  # numeric columns become this many equal groups


@dataclass(frozen=True)
class Suggestion:
    """One candidate set of subdomains.

    Attributes:
        by: its columns; `bins` of a numeric column are named "column (fifths)".
        groups, smallest: number of subdomains after merging small ones, and records of the smallest.
        loss: mean of PIL(m1), PIL(m2), PIL(m11) inside the subdomains when they are not treated apart, weighted by size,
            in percent: what a user of the subdomains would lose.
        linkage, linkage_apart, interval, interval_apart: linked records and rank-interval disclosure in percent, top-down
            and bottom-up.
    """

    by: tuple[str, ...]
    groups: int
    smallest: int
    loss: float
    linkage: float
    linkage_apart: float
    interval: float
    interval_apart: float

    def __str__(self) -> str:
        return (
            f"{' x '.join(self.by):32} {self.groups:4} subdomains, smallest {self.smallest:6}; loss {self.loss:5.1f} %; "
            f"linked {self.linkage:.1f} -> {self.linkage_apart:.1f} %, intervals {self.interval:.1f} -> "
            f"{self.interval_apart:.1f} %"
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

    Candidates are the categorical columns, their pairs, and fifths of the numeric columns; cells too small for exact
    statistics are merged with those most alike.

    Args:
        data, schema, reading: as for `protect`.
        mask: the masking; None: microaggregation with k = 3 of the columns.
        columns: numeric columns to restore; None: those with the role quasi or confidential.
    """
    opened = open_data(data, **reading)
    plan = schema or Schema.infer(opened.frame, text_of=opened.text_of, labels=opened.labels)
    table, _ = encode(opened.frame, plan, opened.text_of)
    refuse_faulty(table)
    wanted = chosen(table, columns, kinds=("numeric",), roles=("quasi", "confidential"), what="Suggesting")
    names = names_of(wanted)
    streams = Streams(new_seed() if seed is None else seed)
    treatment = Within(mask or Microaggregation(k=3, columns=names))
    restoration = MomentRestoration(columns=names, exact=True, min_part=len(names) + 2)
    draft = _drawn(Composition(Whole(), treatment, restoration), table, streams)
    values = numbers(wanted, "Suggesting subdomains")
    found = []
    with one_blas_thread(), stage("weighing subdomains"):
        candidates = list(_candidates(table, wanted))
        for done, (by, labels) in enumerate(candidates):
            suggestion = _weigh(by, labels, table, names, values, draft, (treatment, restoration), streams)
            if suggestion is not None:
                found.append(suggestion)
            share((done + 1) / len(candidates))
    return tuple(sorted(found, key=lambda one: -one.loss))


def _candidates(table: Table, wanted: tuple[Column, ...]) -> list[tuple[tuple[str, ...], Ints]]:
    categorical = [
        column.name
        for column in table.columns
        if not column.is_numeric
        and column.tree is None
        and 2 <= int((column.counts > 0).sum()) <= MOST_LEVELS
    ]
    single = [((name,), cells_by(table, (name,)).labels) for name in categorical]
    pairs = [(pair, cells_by(table, pair).labels) for pair in combinations(categorical, 2)]
    binned = [((f"{column.name} (fifths)",), _fifths(column.numbers)) for column in wanted]
    return [entry for entry in (*single, *pairs, *binned) if entry[1].max() > 0]


def _fifths(values: Floats) -> Ints:
    """Equal parts by rank, equal values together."""
    cuts = np.quantile(values, np.arange(1, BINS) / BINS)
    return np.unique(np.searchsorted(cuts, values, side="left"), return_inverse=True)[1].astype(np.int64)


def _drawn(composition: Composition, table: Table, streams: Streams) -> Draft:
    return composition.fit(table, streams.at("fit")).draw(streams.at("draw"))


def _weigh(
    by: tuple[str, ...],
    labels: Ints,
    table: Table,
    names: tuple[str, ...],
    values: Floats,
    draft: Draft,
    steps: tuple[Within, MomentRestoration],
    streams: Streams,
) -> Suggestion | None:
    columns = tuple(table[name] for name in names)
    cellwise = Cellwise.of(columns, Partition(labels), table.weights)
    home = merge_cells(cellwise, smallest_part(len(names)), while_bic_gains=True)
    merged = np.unique(home[labels], return_inverse=True)[1].astype(np.int64)
    if merged.max() == 0:
        return None
    marked = _with_part(table, merged)
    try:
        apart = _drawn(Composition(Subdomains(("_part",), names, 2), *steps), marked, streams)
    except UnsuitableError:
        return None
    sizes = np.bincount(merged)
    losses = [_loss(table, draft.table, names, merged == part) for part in range(len(sizes))]
    return Suggestion(
        by=by,
        groups=len(sizes),
        smallest=int(sizes.min()),
        loss=float(np.average(losses, weights=sizes)),
        linkage=_linked(table, draft.table, names),
        linkage_apart=_linked(table, apart.table.drop(["_part"]), names),
        interval=_interval(table, draft.table, names),
        interval_apart=_interval(table, apart.table.drop(["_part"]), names),
    )


def _with_part(table: Table, labels: Ints) -> Table:
    variable = Variable(name="_part", kind="nominal", role="other")
    column = Column(
        variable,
        labels.astype(np.int32),
        np.zeros(len(labels), dtype=np.uint8),
        tuple(range(int(labels.max()) + 1)),
    )
    return replace(table, columns=(*table.columns, column))


def _loss(original: Table, draft: Table, names: tuple[str, ...], rows: Any) -> float:
    figures = ProbabilisticLoss(columns=names)(original.take(rows), draft.take(rows))
    wanted = [figure.value for figure in figures if figure.name in ("pil.m1", "pil.m2", "pil.m11")]
    return float(np.nanmean(wanted))


def _linked(original: Table, draft: Table, names: tuple[str, ...]) -> float:
    return DistanceLinkage(known=names, sample=2_000)(original, draft)[0].value


def _interval(original: Table, draft: Table, names: tuple[str, ...]) -> float:
    return RankInterval(columns=names)(original, draft)[0].value
