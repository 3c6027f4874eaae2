"""k-anonymity: every record shares its quasi-identifiers with at least k - 1 others of the released file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from discreet.base import Claim, Partition, Verdict
from discreet.keys import equal_records, keys_of
from discreet.stats.keys import MissingRule, count_frequencies
from discreet.table.table import Table


@dataclass(frozen=True)
class KAnonymity(Claim):
    """Every combination of `columns` that occurs in the release occurs at least `k` times.

    With `missing="wildcard"` an emptied cell counts as equal to anything, the reading under which local suppression is
    judged; the default takes it as a value of its own, which is what a reader of the file sees. Under both readings the
    declared codes for missing (-8, 'refused') are values, each another: they stand in the file.
    """

    k: int
    columns: tuple[str, ...]
    missing: MissingRule = "category"

    def meet(self, other: Claim) -> Claim | None:
        if not isinstance(other, KAnonymity) or replace(other, k=self.k) != self:
            return None
        return self if self.k <= other.k else other

    @property
    def statement(self) -> str:
        reading = (
            "an empty cell matches any value" if self.missing == "wildcard" else "an empty cell is a value"
        )
        return (
            f"k-anonymity, k = {self.k}, over {', '.join(self.columns)} ({reading}). Assumes that an intruder knows "
            "these columns only; says nothing about the other columns."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        if self.missing == "wildcard":
            keys = keys_of(released, self.columns)
            frequencies = count_frequencies(keys, released.n_records, missing="wildcard").sample
            smallest = int(frequencies.min())
        else:
            smallest = int(equal_records(released, self.columns).sizes.min())
        return Verdict(smallest >= self.k, f"smallest group of equal records: {smallest}")


@dataclass(frozen=True)
class ProbabilisticKAnonymity(Claim):
    """A link to a record of the release is a guess among at least `k`.

    Every group of the partition has at least k records, and the released records of a group depend on its members
    only through what all of them share; nothing in the file ties a released record to one member.
    """

    of_procedure: ClassVar[bool] = True

    k: int
    columns: tuple[str, ...]

    def meet(self, other: Claim) -> Claim | None:
        if not isinstance(other, ProbabilisticKAnonymity) or other.columns != self.columns:
            return None
        return self if self.k <= other.k else other

    @property
    def statement(self) -> str:
        return (
            f"probabilistic k-anonymity, k = {self.k}, over {', '.join(self.columns)}: a correct link has probability "
            f"at most 1/{self.k}. Assumes that the groups are not published; says nothing about attributes."
        )

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict:
        if partition is None:
            return Verdict(False, "no groups to check")
        if len(partition.labels) != original.n_records:
            return Verdict(False, "the groups do not cover the records")
        alongside = [name for name in released.names if name not in self.columns]
        if alongside:
            return Verdict(False, f"columns outside the claim are released beside it: {', '.join(alongside)}")
        smallest = int(partition.sizes.min())
        return Verdict(smallest >= self.k, f"smallest group: {smallest}")
