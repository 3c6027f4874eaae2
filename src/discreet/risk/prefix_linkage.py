"""DLD: record linkage averaged over what an intruder might know, since nobody can tell which columns it
will be.

`PrefixLinkage` averages over the first 1, 2, .. 10 columns (Domingo-Ferrer, Mateo-Sanz and Torra);
`SubsetLinkage` over subsets drawn at random, which does not depend on the order of columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.risk.linkage import Ties, link_credit, seekers
from discreet.risk.rates import PERCENT, undefined
from discreet.risk.selection import Names, check_correspondence, known_columns, places_of, space_of
from discreet.stats.neighbours import Scale, find_links
from discreet.table.table import Table

MOST_COLUMNS = 10


def linked_records(
    original: Table, protected: Table, names: Names, own: Ints, scale: Scale, ties: Ties
) -> Floats:
    """Per record of `own`, its chance to be linked to its protected record over these columns."""
    space = space_of(original, names, scale)
    mine, theirs = space.place(places_of(original, names), places_of(protected, names))
    return link_credit(find_links(space, mine.take(own), theirs, own), own, ties=ties)


def _mean_linkage(
    name: str,
    records: Floats,
    n_records: int,
    parts: list[Part],
    note: str,
    over_choices: float | None = None,
) -> Figure:
    """Mean over records and choices of columns, with a 95 % interval where either was drawn.

    `over_choices` is half its width as far as it stems from the choices.
    """
    value, drawn = 100.0 * float(records.mean()), len(records) < n_records
    half = float(np.hypot(over_choices or 0.0, _half_width(records) if drawn else 0.0))
    interval = (max(value - half, 0.0), min(value + half, 100.0))
    said = f"{note} {len(records)} records drawn at random looked for theirs." if drawn else note
    return Figure(
        name,
        value,
        "%",
        "lower",
        PERCENT,
        interval=None if over_choices is None and not drawn else interval,
        parts=tuple(parts),
        records=None if drawn else records,
        note=said,
        people=len(records),
        public_note=said,
    )


def _half_width(records: Floats) -> float:
    """Half of the 95 % interval of a mean over drawn records, in per cent."""
    # One more hit and one more miss keep the width above 0 where all were alike (Agresti and Coull).
    share = (records.sum() + 1.0) / (len(records) + 2.0)
    return float(196.0 * np.sqrt(share * (1.0 - share) / (len(records) + 2.0)))


@dataclass(frozen=True, kw_only=True)
class PrefixLinkage:
    """Mean over i of the records linked by the first i columns (i = 1 .. `most`), per cent.

    Parameters: `known` columns in order (default as in `DistanceLinkage`), `scale`, `ties`, `most`; `sample`:
    at most this many seekers, drawn with `seed`; the figure is then an estimate with its interval.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    known: Names | None = None
    scale: Scale = "sd"
    ties: Ties = "shared"
    most: int = MOST_COLUMNS
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.most < 1 or (self.sample is not None and self.sample < 1):
            raise ParameterError(f"most and sample must be at least 1. Got {self.most} and {self.sample}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_correspondence(original, protected)
        names = known_columns(original, self.known)[: self.most]
        if not names or not original.n_records:
            return (undefined("prefix_linkage.mean", "%", PERCENT, "No columns or no records to link by."),)
        own = seekers(original, protected, self.sample, self.seed)
        credits = [
            linked_records(original, protected, names[: i + 1], own, self.scale, self.ties)
            for i in range(len(names))
        ]
        parts = [Part((f"first {i + 1}",), 100.0 * float(credit.mean())) for i, credit in enumerate(credits)]
        records = np.asarray(np.mean(credits, axis=0), dtype=np.float64)
        note = f"Columns in file order, at most {self.most}; scale {self.scale}, ties {self.ties}."
        return (_mean_linkage("prefix_linkage.mean", records, original.n_records, parts, note),)


@dataclass(frozen=True, kw_only=True)
class SubsetLinkage:
    """Mean over random subsets of the columns of the records linked by them, per cent, with its interval.

    A subset has 1 to `most` columns, each size equally likely, then each subset of the size.
    Parameters: `known`, `scale`, `ties`, `most`, `subsets` drawn, `seed` of the draw (public: it protects
    nothing); `sample`: at most this many seekers, the same for all subsets.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = True

    known: Names | None = None
    scale: Scale = "sd"
    ties: Ties = "shared"
    most: int = MOST_COLUMNS
    subsets: int = 20
    sample: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.subsets < 2 or self.most < 1:
            raise ParameterError(f"subsets must be at least 2 and most 1. Got {self.subsets}, {self.most}.")
        if self.sample is not None and self.sample < 1:
            raise ParameterError(f"sample must be at least 1. Got {self.sample}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_correspondence(original, protected)
        names = known_columns(original, self.known)
        if not names or not original.n_records:
            return (undefined("subset_linkage.mean", "%", PERCENT, "No columns or no records to link by."),)
        drawn = draw_subsets(names, self.subsets, self.most, np.random.default_rng(self.seed))
        own = seekers(original, protected, self.sample, self.seed)
        measured = {
            subset: linked_records(original, protected, subset, own, self.scale, self.ties)
            for subset in set(drawn)
        }
        shares = np.array([100.0 * measured[subset].mean() for subset in drawn])
        parts = [Part(subset, float(share)) for subset, share in zip(drawn, shares, strict=True)]
        records = np.asarray(np.mean([measured[subset] for subset in drawn], axis=0), dtype=np.float64)
        over_subsets = 1.96 * float(shares.std(ddof=1)) / len(shares) ** 0.5
        note = f"{self.subsets} random subsets; the interval is for the mean over all subsets."
        n_records = original.n_records
        return (_mean_linkage("subset_linkage.mean", records, n_records, parts, note, over_subsets),)


def draw_subsets(names: Names, n_subsets: int, most: int, generator: np.random.Generator) -> list[Names]:
    """Random subsets, columns in file order."""
    sizes = generator.integers(1, min(most, len(names)) + 1, size=n_subsets)
    chosen = [np.sort(generator.choice(len(names), size=size, replace=False)) for size in sizes]
    return [tuple(names[j] for j in columns) for columns in chosen]
