"""Microaggregation: records in groups of at least k, each replaced by the centre of its group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from discreet.base import Fitted
from discreet.composition import Composition
from discreet.masking.group_centre import GroupCentre
from discreet.partition.mdav import MDAV
from discreet.release import Method
from discreet.selection import name_list
from discreet.stats.streams import Streams
from discreet.table.table import Table


@dataclass(frozen=True)
class Microaggregation(Method):
    """MDAV groups of at least k records, each cell replaced by the centre of its group.

    Gives k-anonymity over the treated columns. Does **not** protect columns it does not treat, nor against someone who
    learns a confidential value that all of a group share. Missing cells stay missing, and are emptied for the rest of
    their group.

    Args:
        k: smallest group, 2 or more for any protection; larger hides more and loses more. Default 5.
        columns: columns to treat; None: the quasi-identifiers.
        gamma: None for groups of exactly k, a number (0.2 for scattered, 1.1 for clustered data) for sizes k to 2k - 1.
        numeric: `mean` or `median`.
        nominal: `mode` or `draw` (see `GroupCentre`).
        taxonomic: `mode`, `ancestor` or `draw`.
        missing: `patterns` or `refuse` (see `MDAV`).

    Example:
        >>> import polars as pl
        >>> from discreet.table.schema import Schema, Variable
        >>> ages = pl.DataFrame({"age": [30, 31, 35, 60, 62, 64]})
        >>> schema = Schema((Variable(name="age", kind="numeric", role="quasi", decimals=0),))
        >>> release = Microaggregation(k=3).protect(ages, schema)
        >>> release.data["age"].to_list()
        [32, 32, 32, 62, 62, 62]
        >>> release.claims[0].verdict.attained
        'smallest group of equal records: 3'
    """

    k: int = 5
    columns: tuple[str, ...] | None = None
    gamma: float | None = None
    numeric: Literal["mean", "median"] = "mean"
    nominal: Literal["mode", "draw"] = "mode"
    taxonomic: Literal["mode", "ancestor", "draw"] = "mode"
    missing: Literal["patterns", "refuse"] = "patterns"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        self.composition()

    def composition(self) -> Composition:
        """The same as partition and treatment, to combine either with something else."""
        return Composition(
            MDAV(self.k, self.columns, self.gamma, self.missing),
            GroupCentre(self.columns, self.numeric, self.nominal, self.taxonomic),
        )

    def fit(self, table: Table, streams: Streams) -> Fitted:
        return self.composition().fit(table, streams)
