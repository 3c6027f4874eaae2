"""Cholesky hybrid microdata: any masking, then exactly the original's means and covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from discreet.base import Fitted, Partitioner
from discreet.composition import Composition, Whole, Within
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.moment_restoration import Block, Kind, MomentRestoration
from discreet.partition.subdomains import Subdomains
from discreet.release import Method
from discreet.selection import chosen, name_list, names_of
from discreet.stats.streams import Streams
from discreet.table.table import Table


@dataclass(frozen=True)
class CholeskyHybrid(Method):
    """Masks, then restores means and covariances exactly, in the whole table and in every subdomain.

    Linear regressions, variances and correlations of the restored columns are those of the original. Does **not** protect
    by itself: risk is the mask's, and restoration inside small subdomains adds to it; exact statistics let someone who
    knows all members of a subdomain but one compute the last. Mask inside the parts an intruder knows (`by`).

    Args:
        mask: any method; None: `Microaggregation(k=3)` of the columns below.
        columns: numeric columns to restore; None: numeric ones with the role quasi or confidential.
        by: categorical columns whose combinations are subdomains: masked and restored apart (bottom-up).
        small: what to do with subdomains below `min_part`: `refuse` or `merge`.
        kind, exact, bounded, min_part, blocks, families, blend: see `MomentRestoration`.

    Example:
        >>> import discreet as dc
        >>> release = CholeskyHybrid(columns=("days", "charge"), exact=True).protect(
        ...     dc.simulate_patients(300, seed=4).drop_nulls(), seed=1)
        >>> [type(proven.claim).__name__ for proven in release.claims]
        ['KAnonymity', 'ExactMoments']
    """

    mask: Method | None = None
    columns: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()
    small: Literal["refuse", "merge"] = "refuse"
    kind: Kind = "transport"
    exact: bool = False
    bounded: bool = True
    min_part: int | None = None
    blocks: tuple[Block, ...] = ()
    families: tuple[tuple[str, ...], ...] = ()
    blend: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", name_list(self.by, "by"))
        object.__setattr__(self, "columns", name_list(self.columns))
        self._restoration(self.columns)

    def composition(self, columns: tuple[str, ...]) -> Composition:
        """The same as partition, treatment and restoration of these columns."""
        parts: Partitioner = Subdomains(self.by, columns, self.min_part, self.small) if self.by else Whole()
        mask = Microaggregation(k=3, columns=columns) if self.mask is None else self.mask
        return Composition(parts, Within(mask), self._restoration(columns))

    def _restoration(self, columns: tuple[str, ...] | None) -> MomentRestoration:
        return MomentRestoration(
            columns=columns,
            kind=self.kind,
            exact=self.exact,
            bounded=self.bounded,
            min_part=self.min_part,
            blocks=self.blocks,
            families=self.families,
            blend=self.blend,
        )

    def fit(self, table: Table, streams: Streams) -> Fitted:
        columns = chosen(
            table,
            self.columns,
            kinds=("numeric",),
            roles=("quasi", "confidential"),
            what="The Cholesky hybrid",
        )
        return self.composition(names_of(columns)).fit(table, streams)
