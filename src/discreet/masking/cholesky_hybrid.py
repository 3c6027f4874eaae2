"""Cholesky hybrid microdata: any masking, then exactly the original's means and covariances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from discreet.base import Fitted, Partitioner
from discreet.composition import Composition, Whole, Within
from discreet.errors import ParameterError
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.moment_restoration import Block, Kind, MomentRestoration
from discreet.partition.subdomains import Subdomains
from discreet.release import Method
from discreet.selection import chosen, name_list, names_of
from discreet.stats.restoration import TOL_DEPENDENT, TOL_NEAR
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
        by: columns whose combinations of values are subdomains, numeric ones in fifths: masked and restored apart
            (bottom-up). Or a partition: `Subdomains`, `Cells`, or what `suggest_subdomains` suggests.
        small: what to do with subdomains below `min_part`: `refuse`, or `merge` with those most alike.
        kind: `transport` (moves records least), `triangular` (column by column), `nearest` (to the original records: most
            utility, most risk), or `printed` (the published Algorithm 2, for comparison only).
        exact: False keeps each column's decimals and says how far off the moments then are; True releases all digits.
        bounded: keep the bounds that the schema declares, by clipping and restoring in turn.
        min_part: records below which a subdomain is refused; None: max(100, 5 (columns + 1)).
        blocks: `Block(by, columns)`: subdomains of records and columns, restored before the whole.
        families: overlapping families of subdomains, restored in turn; exact in the last, nearly in the others.
        blend: 1; less mixes each masked record with a random other one first.
        tol_dep, tol_near: shares of own variance below which a column counts as following from the others.

    Example:
        >>> import discreet as dc
        >>> release = CholeskyHybrid(columns=("days", "charge"), exact=True).protect(
        ...     dc.simulate_patients(300, seed=4).drop_nulls(), seed=1)
        >>> [type(proven.claim).__name__ for proven in release.claims]
        ['KAnonymity', 'ExactMoments']
    """

    mask: Method | None = None
    columns: tuple[str, ...] | None = None
    by: tuple[str, ...] | Partitioner = ()
    small: Literal["refuse", "merge"] = "refuse"
    kind: Kind = "transport"
    exact: bool = False
    bounded: bool = True
    min_part: int | None = None
    blocks: tuple[Block, ...] = ()
    families: tuple[tuple[str, ...], ...] = ()
    blend: float = 1.0
    tol_dep: float = TOL_DEPENDENT
    tol_near: float = TOL_NEAR

    def __post_init__(self) -> None:
        if isinstance(self.by, (str, Sequence)):
            object.__setattr__(self, "by", name_list(self.by, "by"))
        object.__setattr__(self, "columns", name_list(self.columns))
        if not (self.mask is None or isinstance(self.mask, Method)):
            raise ParameterError("`mask` must be a method with its parameters, such as Noise(0.2), or None.")
        if self.by and (self.blocks or self.families):
            raise ParameterError(
                "`blocks` and `families` restore the whole table around them: leave out `by`."
            )
        restoration = self._restoration(self.columns)
        object.__setattr__(self, "blocks", restoration.blocks)
        object.__setattr__(self, "families", restoration.families)
        self._parts(self.columns)

    def composition(self, columns: tuple[str, ...]) -> Composition:
        """The same as partition, treatment and restoration of these columns."""
        mask = Microaggregation(k=3, columns=columns) if self.mask is None else self.mask
        return Composition(self._parts(columns), Within(mask), self._restoration(columns))

    def _parts(self, columns: tuple[str, ...] | None) -> Partitioner:
        if not isinstance(self.by, tuple):
            return self.by
        return Subdomains(self.by, columns, self.min_part, self.small) if self.by else Whole()

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
            tol_dep=self.tol_dep,
            tol_near=self.tol_near,
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
