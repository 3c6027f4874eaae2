"""l-diversity and t-closeness: what the members of a group of equal records reveal about a sensitive column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from discreet.base import Claim, Partition, Verdict
from discreet.claims.keys import sensitive_codes
from discreet.errors import ParameterError
from discreet.keys import equal_records
from discreet.stats.diversity import (
    distinct_diversity,
    entropy_diversity,
    equal_closeness,
    hierarchical_closeness,
    ordered_closeness,
    recursive_diversity,
)
from discreet.table.table import Table


@dataclass(frozen=True)
class LDiversity(Claim):
    """Every group of equal records holds at least `l` well-represented values of `sensitive`.

    `kind`: `distinct` counts values; `entropy` asks exp(entropy) >= l; `recursive` asks r_1 < c (r_l + ... + r_m).
    (Machanavajjhala et al. 2007.)
    """

    l: float  # noqa: E741  the paper's letter
    sensitive: str
    columns: tuple[str, ...]
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: float = 2.0

    def meet(self, other: Claim) -> Claim | None:
        if not isinstance(other, LDiversity) or replace(other, l=self.l) != self:
            return None
        return self if self.l <= other.l else other

    @property
    def statement(self) -> str:
        extra = f", c = {self.c:g}" if self.kind == "recursive" else ""
        return (
            f"{self.kind} l-diversity of {self.sensitive}, l = {self.l:g}{extra}, in groups of equal "
            f"{', '.join(self.columns)}. Assumes no background knowledge about members beyond these columns."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        groups = equal_records(released, self.columns)
        codes, _ = sensitive_codes(released[self.sensitive])
        if self.kind == "distinct":
            attained = float(distinct_diversity(groups, codes).min())
        elif self.kind == "entropy":
            attained = float(entropy_diversity(groups, codes).min())
        elif self.kind == "recursive":
            attained = float(recursive_diversity(groups, codes, self.c).min())
        else:
            raise ParameterError(f"kind must be distinct, entropy or recursive. Got {self.kind!r}.")
        return Verdict(attained >= self.l - 1e-9, f"least diverse group: {attained:.4g}")


@dataclass(frozen=True)
class TCloseness(Claim):
    """In every group of equal records `sensitive` is distributed as in the whole release, up to distance `t`.

    The distance is the earth mover's: `equal` takes all values as equally far (total variation), `ordered` puts
    them on a line, `hierarchical` in the column's tree (Li, Li, Venkatasubramanian 2007).
    """

    t: float
    sensitive: str
    columns: tuple[str, ...]
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"

    def meet(self, other: Claim) -> Claim | None:
        return None  # near to its own table's distribution is not near to that of both

    @property
    def statement(self) -> str:
        return (
            f"t-closeness of {self.sensitive}, t = {self.t:g} ({self.distance} distance), in groups of equal "
            f"{', '.join(self.columns)}. Assumes that the distribution in the whole file is public."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        groups = equal_records(released, self.columns)
        column = released[self.sensitive]
        codes, n_codes = sensitive_codes(column)
        if self.distance == "hierarchical":
            if column.tree is None or column.missing.any():
                return Verdict(
                    False, "the hierarchical distance needs a taxonomic column without missing values"
                )
            distances = hierarchical_closeness(groups, codes, np.asarray(column.tree.parent, dtype=np.int64))
        elif self.distance == "ordered":
            distances = ordered_closeness(groups, codes, n_codes)
        else:
            distances = equal_closeness(groups, codes, n_codes)
        farthest = float(distances.max())
        return Verdict(farthest <= self.t + 1e-9, f"farthest group: {farthest:.4g}")
