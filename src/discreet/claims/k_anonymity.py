"""k-anonymity: every record shares its quasi-identifiers with at least k - 1 others of the released file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from discreet.base import Claim, Partition, Verdict
from discreet.claims.distinguished import copied, in_order
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


def k_anonymous(k: int, columns: tuple[str, ...], missing: MissingRule = "category") -> tuple[Claim, ...]:
    """The claim of k-anonymity; none for k = 1, which every table holds and which protects nobody."""
    return (KAnonymity(k, columns, missing),) if k > 1 else ()


@dataclass(frozen=True)
class ProbabilisticKAnonymity(Claim):
    """A link to a record of the release is a guess among at least `k`.

    Every group of the partition has at least k records, and the released records of a group depend on its members
    only through what all of them share; nothing in the file ties a released record to one member.

    That is a promise about the procedure, and no look at two tables can prove it. What they can show is that it was
    broken, and the claim does not hold where

    - a column is released that the claim does not name: its order ties rows to records;
    - released records repeat original ones, fewer than k of them alike, by more than chance explains;
    - a column stands in the original order: its values follow those of the original, record by record, more closely than
      a random order inside the groups would once in a million times. (By a bound that holds for any file; it takes
      some hundred records to show it.)

    Not seen: records that are nearly copies, out of order; few copies of records of categories or of rounded numbers,
    which chance may repeat; and all that a release says of a group without pointing at a member.
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
        if smallest < self.k:
            return Verdict(False, f"smallest group: {smallest}")
        if sign := self._sign(original, released, partition):
            return Verdict(False, sign)
        return Verdict(True, f"smallest group: {smallest}; no copies, no columns in the original order")

    def _sign(self, original: Table, released: Table, partition: Partition) -> str:
        """What ties released records to single members of their groups; empty where nothing does."""
        if n_copied := copied(original, released, released.names, self.k):
            return f"{n_copied} released records repeat original ones, fewer than {self.k} of them alike"
        if aligned := in_order(original, released, released.names, partition):
            return f"released values stand in the order of the original: {', '.join(aligned)}"
        return ""
