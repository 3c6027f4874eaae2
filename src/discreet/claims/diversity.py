"""l-diversity and t-closeness: what the members of a group of equal records reveal about a sensitive column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Claim, Partition, Verdict
from discreet.errors import ParameterError
from discreet.keys import equal_records
from discreet.stats.diversity import (
    distinct_diversity,
    entropy_diversity,
    equal_closeness,
    hierarchical_closeness,
    least_diverse_codes,
    ordered_closeness,
    recursive_diversity,
)
from discreet.stats.keys import Groups, Key
from discreet.table.column import Column
from discreet.table.table import Table

Diversity: TypeAlias = Literal["distinct", "entropy", "recursive"]
Distance: TypeAlias = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True)
class LDiversity(Claim):
    """Every group of equal records holds at least `l` well-represented values of `sensitive`.

    `kind`: `distinct` counts values; `entropy` asks exp(entropy) >= l; `recursive` asks r_1 < c (r_l + ... + r_m).
    (Machanavajjhala et al. 2007.) A missing value is no value, whatever the reason: it is taken for the most frequent
    one of its group, which is the least diverse that it can be.

    >>> from discreet.table.schema import Variable
    >>> variables = {name: Variable(name=name, kind="nominal") for name in ("town", "ill")}
    >>> table = Table.build({"town": ["A"] * 3, "ill": ["flu", "flu", None]}, variables)
    >>> LDiversity(2, "ill", ("town",)).check(table, table, None)
    Verdict(holds=False, attained='least diverse group: 1')
    """

    l: float  # noqa: E741  the paper's letter
    sensitive: str
    columns: tuple[str, ...]
    kind: Diversity = "distinct"
    c: float = 2.0

    def __post_init__(self) -> None:
        if self.kind not in get_args(Diversity):
            raise ParameterError(
                f"`kind` must be one of {', '.join(get_args(Diversity))}. Got {self.kind!r}."
            )
        if not self.c > 0:
            raise ParameterError("`c` must be positive.")

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
        groups, column = equal_records(released, self.columns), released[self.sensitive]
        codes = least_diverse_codes(groups, value_codes(column), column.missing)
        if self.kind == "distinct":
            attained = float(distinct_diversity(groups, codes).min())
        elif self.kind == "entropy":
            attained = float(entropy_diversity(groups, codes).min())
        else:
            attained = float(recursive_diversity(groups, codes, self.c).min())
        return Verdict(attained >= self.l - 1e-9, f"least diverse group: {attained:.4g}")


@dataclass(frozen=True)
class TCloseness(Claim):
    """In every group of equal records `sensitive` is distributed as in the whole release, up to distance `t`.

    The distance is the earth mover's (Li, Li, Venkatasubramanian 2007): `equal` takes all values as equally far (total
    variation), each reason for missing as one value more; `ordered` puts the values that occur on a line, next ones
    equally far (numeric and ordinal columns); `hierarchical` takes the column's tree. The last two have no place for a
    missing value, and no claim holds of a column with one.
    """

    t: float
    sensitive: str
    columns: tuple[str, ...]
    distance: Distance = "equal"

    def __post_init__(self) -> None:
        if self.distance not in get_args(Distance):
            raise ParameterError(
                f"`distance` must be one of {', '.join(get_args(Distance))}. Got {self.distance!r}."
            )

    def meet(self, other: Claim) -> Claim | None:
        return None  # near to its own table's distribution is not near to that of both

    @property
    def statement(self) -> str:
        return (
            f"t-closeness of {self.sensitive}, t = {self.t:g} ({self.distance} distance), in groups of equal "
            f"{', '.join(self.columns)}. Assumes that the distribution in the whole file is public."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        column = released[self.sensitive]
        if fault := self._unfit(column):
            return Verdict(False, fault)
        farthest = float(self._distances(equal_records(released, self.columns), column).max())
        return Verdict(farthest <= self.t + 1e-9, f"farthest group: {farthest:.4g}")

    def _unfit(self, column: Column) -> str:
        """Why the distance is not defined on this column; empty where it is."""
        if self.distance == "ordered" and column.kind not in ("numeric", "ordinal"):
            return f"{column.name} is {column.kind}: the ordered distance needs a numeric or ordinal column"
        if self.distance == "hierarchical" and column.tree is None:
            return f"{column.name} has no tree: the hierarchical distance needs a taxonomic column"
        if self.distance != "equal" and column.missing.any():
            return f"{column.name} has missing values: the {self.distance} distance has no place for them"
        return ""

    def _distances(self, groups: Groups, column: Column) -> Floats:
        if self.distance == "hierarchical" and column.tree is not None:
            parent = np.asarray(column.tree.parent, dtype=np.int64)
            return hierarchical_closeness(groups, column.codes.astype(np.int64), parent)
        codes = value_codes(column)
        n_codes = int(codes.max(initial=-1)) + 1
        return (ordered_closeness if self.distance == "ordered" else equal_closeness)(groups, codes, n_codes)


def value_codes(column: Column) -> Ints:
    """The values that occur, by rank, as codes 0 .. n - 1; missing ones after them, each reason another."""
    return Key.of(column.values, column.absent, np.zeros(column.n_records, dtype=np.bool_)).codes
