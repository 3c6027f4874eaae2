"""Groups of records that share a key, and how often each key occurs in the sample and in the population.

`group_records` numbers the groups of equal keys in linear time. `count_frequencies` counts, for every
record, the records that an intruder who knows its key cannot tell from it: f_k in the sample, F_k (sum of
weights) as the estimate for the population. A missing part of a key is a category of its own ("category":
what a user of the file sees) or matches anything ("wildcard": the convention of sdcMicro, which makes
records with gaps look safer). The keys of a table's columns are made by `discreet.keys`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Floats, Ints
from discreet.errors import ParameterError
from discreet.kernels.frequencies import label_keys

MissingRule = Literal["category", "wildcard"]


@dataclass(frozen=True, eq=False)
class Key:
    """One column of a key: cells that a reader takes for equal have equal `codes` (>= 0) and are alike in `missing`.

    `missing` cells show nothing, and match anything where that reading is asked for; their codes tell one sort of them
    from another (null from NaN). A declared code for missing is no such cell: a reader sees it.
    """

    codes: Ints
    missing: Bools

    @classmethod
    def of(
        cls,
        values: NDArray[Any],
        absent: NDArray[np.bool_] | NDArray[np.uint8] | None = None,
        missing: Bools | None = None,
    ) -> Key:
        """The key column of any values that can be sorted (numbers, codes), coded by rank; -0.0 equals 0.0.

        `absent` (0: the value is there) says which cells have no value, and tells reasons apart where there are
        several; those not in `missing` count as values, above all others. None: all absent cells are missing.

        >>> Key.of(np.array([2.5, 1.0, 2.5])).codes.tolist()
        [1, 0, 1]
        >>> Key.of(np.array([2.5, 0.0, 0.0]), np.array([0, 1, 2]), np.array([False, True, False])).codes.tolist()
        [0, 0, 2]
        """
        values = np.asarray(values)
        reasons = np.zeros(len(values)) if absent is None else np.asarray(absent)
        reasons = reasons.astype(np.int64)
        there = reasons == 0
        missing = ~there if missing is None else missing & ~there
        distinct, ranks = np.unique(values[there], return_inverse=True)
        codes = reasons - 1 + np.where(missing, 0, len(distinct))
        codes[there] = ranks.reshape(-1)
        return cls(codes, missing)

    @cached_property
    def with_gaps(self) -> Ints:
        """Codes in which missing cells, sort by sort, are values of their own."""
        return (2 * self.codes + self.missing).astype(np.int64)

    def take(self, rows: Ints) -> Key:
        """The key column of some of the records."""
        return Key(self.codes[rows], self.missing[rows])


@dataclass(frozen=True, eq=False)
class Groups:
    """A division of records: `labels` 0 .. n_groups - 1, numbered by first appearance."""

    labels: Ints
    n_groups: int

    @cached_property
    def sizes(self) -> Ints:
        """Records of each group."""
        return np.bincount(self.labels, minlength=self.n_groups).astype(np.int64)

    @cached_property
    def record_sizes(self) -> Ints:
        """Size of the group of each record: f_k."""
        return np.asarray(self.sizes[self.labels], dtype=np.int64)

    def sums(self, weights: Floats) -> Floats:
        """Sum of the weights in each group."""
        return np.bincount(self.labels, weights=weights, minlength=self.n_groups).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """For each record: `sample` f_k = records like it, `population` F_k = sum of their weights."""

    sample: Floats
    population: Floats


def group_codes(columns: Sequence[Ints], n_records: int) -> Groups:
    """Groups of records equal in every column of codes (>= 0); without columns all records are one group.

    >>> group_codes([np.array([1, 1, 2]), np.array([0, 0, 0])], 3).labels.tolist()
    [0, 0, 1]
    """
    labels, n_groups = np.zeros(n_records, dtype=np.int64), min(n_records, 1)
    for codes in columns:
        # Label and code make one number below n * (largest code + 1): exact in 64 bits for any real table.
        spread = int(codes.max(initial=0)) + 1
        labels, n_groups = label_keys(labels * spread + codes)
    return Groups(labels, n_groups)


def first_rows(groups: Groups) -> Ints:
    """The first record of each group.

    >>> first_rows(Groups(np.array([0, 1, 0, 2]), 3)).tolist()
    [0, 1, 3]
    """
    first = np.empty(groups.n_groups, dtype=np.int64)
    first[groups.labels[::-1]] = np.arange(len(groups.labels) - 1, -1, -1)
    return first


def group_records(keys: Sequence[Key], n_records: int) -> Groups:
    """Groups of records with equal keys, a missing part being a category of its own.

    >>> keys = [Key.of(np.array([1, 1, 0, 0]), np.array([False, False, True, True])), Key.of(np.array([5, 5, 5, 6]))]
    >>> group_records(keys, 4).sizes.tolist()
    [2, 1, 1]
    """
    return group_codes([key.with_gaps for key in keys], n_records)


def count_frequencies(
    keys: Sequence[Key],
    n_records: int,
    weights: Floats | None = None,
    *,
    missing: MissingRule = "category",
    alpha: float = 1.0,
) -> Frequencies:
    """f_k and F_k of each record (F_k = f_k without weights).

    With `missing="wildcard"` a gap matches anything. What record i lacks costs nothing; a record that
    agrees with i only thanks to gaps of its own counts `alpha` (between 0 and 1).

    >>> gap = np.array([False, False, True])
    >>> keys = [Key.of(np.array([1, 2, 0]), gap)]
    >>> count_frequencies(keys, 3).sample.tolist(), count_frequencies(keys, 3, missing="wildcard").sample.tolist()
    ([1.0, 1.0, 1.0], [2.0, 2.0, 3.0])
    """
    if missing not in ("category", "wildcard"):
        raise ParameterError(f"missing must be 'category' or 'wildcard'. Got {missing!r}.")
    if not 0 <= alpha <= 1:
        raise ParameterError(f"alpha must lie between 0 and 1. Got {alpha}.")
    mass = np.ones(n_records) if weights is None else np.asarray(weights, dtype=np.float64)
    if missing == "category" or not any(key.missing.any() for key in keys):
        groups = group_records(keys, n_records)
        return Frequencies(groups.record_sizes.astype(np.float64), groups.sums(mass)[groups.labels])
    return _wildcard_frequencies(keys, mass, alpha)


def _wildcard_frequencies(keys: Sequence[Key], mass: Floats, alpha: float) -> Frequencies:
    """Frequencies where gaps match anything: one pass per pair of patterns of missing values, never
    per pair of records.
    """
    patterns = group_codes([key.missing.astype(np.int64) for key in keys], len(mass))
    members = _members(patterns)
    sample, population = np.zeros(len(mass)), np.zeros(len(mass))
    for rows in members:
        for others in members:
            shared = [key for key in keys if not (key.missing[rows[0]] or key.missing[others[0]])]
            lacking = any(key.missing[others[0]] and not key.missing[rows[0]] for key in keys)
            share = alpha if lacking else 1.0
            matches, weight = _matches(shared, rows, others, mass)
            sample[rows] += share * matches
            population[rows] += share * weight
    return Frequencies(sample, population)


def _members(groups: Groups) -> list[Ints]:
    """Rows of each group, in row order."""
    order = np.argsort(groups.labels, kind="stable").astype(np.int64)
    return np.split(order, np.cumsum(groups.sizes)[:-1])


def _matches(shared: Sequence[Key], rows: Ints, others: Ints, mass: Floats) -> tuple[Floats, Floats]:
    """For each of `rows`: number and mass of the `others` equal to it in the shared key columns."""
    both = np.concatenate([rows, others])
    groups = group_codes([key.codes[both] for key in shared], len(both))
    labels = groups.labels[len(rows) :]
    counts = np.bincount(labels, minlength=groups.n_groups).astype(np.float64)
    sums = np.bincount(labels, weights=mass[others], minlength=groups.n_groups).astype(np.float64)
    mine = groups.labels[: len(rows)]
    return counts[mine], sums[mine]
