"""Means and covariances as sums over blocks of records, and how far two tables differ in them.

A block of records is reduced to its weight, its mean and its centred Gram matrix; two such summaries merge exactly
(Chan, Golub, LeVeque 1983). Blocks have 65,536 records and merge in a tree fixed by their position in the file, so
a table in memory, a file read in pieces of any size and several workers all arrive at the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.errors import ParameterError, UnsuitableError
from discreet.kernels.affine import centre_records

BLOCK_ROWS = 65_536
"""Records of one block: the unit of every reduction."""

STRIP_ROWS = 8_192
"""Records centred and multiplied at a time: a strip stays in the cache. Divides a block."""

CONSTANT_TOLERANCE = 1e-10
"""A column is constant if its deviation is at most this share of its mean: what is left is rounding."""

_SHORT_RUN, _LONG_RUN = 256, 65_536

Blocks: TypeAlias = Callable[[], Iterable[tuple[Floats, ...]]]
"""A source that can be read again: each call gives the same records in order, in pieces of parallel arrays."""


@dataclass(frozen=True)
class Moments:
    """Weight, mean and centred Gram matrix of some records.

    `n_records` counts the records of positive weight, `weight` is their sum of weights (their number if there are
    none), `scatter` is the sum of w (x - mean)(x - mean)'.
    """

    n_records: int
    weight: float
    mean: Floats
    scatter: Floats

    @property
    def covariance(self) -> Floats:
        """Scatter divided by the sum of weights; nothing where nothing has weight."""
        return self.scatter / (self.weight or 1.0)

    @property
    def deviations(self) -> Floats:
        """Standard deviation of each column."""
        deviations: Floats = np.sqrt(np.diag(self.covariance))
        return deviations

    @property
    def constant(self) -> Bools:
        """Which columns do not vary beyond rounding."""
        steady: Bools = self.deviations <= CONSTANT_TOLERANCE * np.abs(self.mean)
        return steady

    def select(self, columns: Sequence[int] | Ints | slice) -> Moments:
        """The moments of some of the columns, in the order asked for."""
        scatter = self.scatter[columns][:, columns]
        return Moments(self.n_records, self.weight, self.mean[columns], scatter)

    def merge(self, other: Moments) -> Moments:
        """The moments of both sets of records together.

        >>> left, right = measure_moments(np.array([[1.0], [3.0]])), measure_moments(np.array([[8.0]]))
        >>> both = left.merge(right)
        >>> float(both.mean[0]), float(both.scatter[0, 0])
        (4.0, 26.0)
        """
        if self.weight == 0.0 or other.weight == 0.0:
            return self if other.weight == 0.0 else other
        weight = self.weight + other.weight
        apart = other.mean - self.mean
        mean = self.mean + apart * (other.weight / weight)
        between = np.outer(apart, apart) * (self.weight * other.weight / weight)
        return Moments(self.n_records + other.n_records, weight, mean, self.scatter + other.scatter + between)


@dataclass(frozen=True)
class MomentErrors:
    """The largest differences between the moments of two tables, in standard deviations of the first."""

    mean: float
    covariance: float

    @property
    def largest(self) -> float:
        """The larger of the two; not a number where either is none."""
        return float(np.maximum(self.mean, self.covariance))


def measure_moments(values: Floats, weights: Floats | None = None) -> Moments:
    """Moments of a whole array, block by block.

    >>> table = measure_moments(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> table.mean.tolist(), table.covariance.tolist()
    ([2.0, 4.0], [[1.0, 2.0], [2.0, 4.0]])
    """
    block = (values,) if weights is None else (values, weights)
    return merge_in_order(block_moments(*piece) for piece in in_blocks([block]))


def block_moments(values: Floats, weights: Floats | None = None) -> Moments:
    """Moments of at most one block of records. Values that are infinite or overflow leave a mean that is not finite."""
    with np.errstate(invalid="ignore", over="ignore"):
        return _plain_moments(values) if weights is None else _weighted_moments(values, weights)


class MergeTree:
    """Merges summaries of consecutive blocks pairwise, in a tree that depends on their number only.

    Like a binary counter: two neighbours of equal size merge as soon as both are there, the rest at the end. So a file
    of n blocks needs log n summaries in memory, and loses log n roundings.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, Moments]] = []

    def add(self, part: Moments) -> None:
        """Takes the summary of the next block."""
        level = 0
        while self._waiting and self._waiting[-1][0] == level:
            part = self._waiting.pop()[1].merge(part)
            level += 1
        self._waiting.append((level, part))

    def total(self) -> Moments:
        """The summary of all blocks so far."""
        if not self._waiting:
            raise UnsuitableError("There are no records to measure.")
        *earlier, (_, total) = self._waiting
        for _, part in reversed(earlier):
            total = part.merge(total)
        return total


def merge_in_order(parts: Iterable[Moments]) -> Moments:
    """The summary of consecutive blocks, merged as a `MergeTree` does."""
    tree = MergeTree()
    for part in parts:
        tree.add(part)
    return tree.total()


def in_blocks(pieces: Iterable[tuple[Floats, ...]], rows: int = BLOCK_ROWS) -> Iterator[tuple[Floats, ...]]:
    """Cuts a stream of parallel arrays anew, into blocks of exactly `rows` records; the last may be smaller.

    >>> stream = [(np.zeros((3, 1)),), (np.ones((4, 1)),)]
    >>> [len(block) for (block,) in in_blocks(stream, rows=5)]
    [5, 2]
    """
    held: list[tuple[Floats, ...]] = []
    n_held = 0
    for piece in pieces:
        start = 0
        while len(piece[0]) - start >= rows - n_held:
            stop = start + rows - n_held
            yield _joined([*held, _cut(piece, start, stop)])
            held, n_held, start = [], 0, stop
        if start < len(piece[0]):
            held.append(_cut(piece, start, len(piece[0])))
            n_held += len(piece[0]) - start
    if held:
        yield _joined(held)


def check_weights(weights: Floats, n_records: int) -> None:
    """Refuses weights that do not fit their records, are negative or not finite."""
    if weights.shape != (n_records,):
        raise ParameterError(f"One weight per record is needed: got {weights.shape} for {n_records} records.")
    n_bad = int(np.count_nonzero(~(np.isfinite(weights) & (weights >= 0.0))))
    if n_bad:
        raise ParameterError(f"Weights must be finite and not negative: {n_bad} of {n_records} are not.")


def moment_errors(original: Floats, restored: Floats, weights: Floats | None = None) -> MomentErrors:
    """How far the means and covariances of `restored` are from those of `original`.

    Differences of means are in standard deviations, of covariances in products of two. A constant column has none:
    its unit is its absolute mean, or 1 if that is 0. Two passes over the data by plain sums, on purpose by another
    way than the summaries above, since this is what a claim of exactness is checked with.

    >>> before, after = np.array([[0.0], [2.0]]), np.array([[0.5], [2.5]])
    >>> moment_errors(before, after)
    MomentErrors(mean=0.5, covariance=0.0)
    """
    if original.shape != restored.shape:
        raise ParameterError(f"Both tables must have one shape: got {original.shape} and {restored.shape}.")
    share = _shares(weights, len(original))
    if weights is not None:
        present = weights > 0.0
        original, restored, share = original[present], restored[present], share[present]
    before_mean, before = _two_pass(original, share)
    after_mean, after = _two_pass(restored, share)
    deviations = np.sqrt(np.diag(before))
    flat = deviations <= CONSTANT_TOLERANCE * np.abs(before_mean)
    unit = np.where(flat, np.where(before_mean == 0.0, 1.0, np.abs(before_mean)), deviations)
    mean_error = np.abs(after_mean - before_mean) / unit
    covariance_error = np.abs(after - before) / np.outer(unit, unit)
    return MomentErrors(float(mean_error.max(initial=0.0)), float(covariance_error.max(initial=0.0)))


def _plain_moments(values: Floats) -> Moments:
    n_records, n_columns = values.shape
    # The mean of an eighth of the block is within sqrt(7) deviations of the block's, near enough to centre on; taken
    # from the first record, so that a constant column comes out exactly and with scatter 0.
    origin = values[0] + (values[:STRIP_ROWS] - values[0]).mean(axis=0)
    sums, gram = np.zeros(n_columns), np.zeros((n_columns, n_columns))
    buffer = np.empty((min(STRIP_ROWS, n_records), n_columns))
    for start in range(0, n_records, STRIP_ROWS):
        strip = values[start : start + STRIP_ROWS]
        centred = buffer[: len(strip)]
        centre_records(strip, origin, centred, sums)
        gram += centred.T @ centred
    return _about_mean(n_records, float(n_records), origin, sums, gram)


def _weighted_moments(values: Floats, weights: Floats) -> Moments:
    n_columns = values.shape[1]
    present = weights > 0.0
    weight = float(weights.sum())
    sums, gram = np.zeros(n_columns), np.zeros((n_columns, n_columns))
    if not present.any():
        return Moments(0, 0.0, values[0].copy(), gram)
    first = values[np.argmax(present)]
    origin = first + weights @ (values - first) / weight
    for start in range(0, len(values), STRIP_ROWS):
        root = np.sqrt(weights[start : start + STRIP_ROWS])
        centred = (values[start : start + STRIP_ROWS] - origin) * root[:, None]
        sums += root @ centred
        gram += centred.T @ centred
    return _about_mean(int(np.count_nonzero(present)), weight, origin, sums, gram)


def _about_mean(n_records: int, weight: float, origin: Floats, sums: Floats, gram: Floats) -> Moments:
    shift = sums / weight
    return Moments(n_records, weight, origin + shift, gram - np.outer(shift, shift) * weight)


def _cut(piece: tuple[Floats, ...], start: int, stop: int) -> tuple[Floats, ...]:
    return tuple(array[start:stop] for array in piece)


def _joined(pieces: list[tuple[Floats, ...]]) -> tuple[Floats, ...]:
    if len(pieces) == 1:
        return pieces[0]
    return tuple(np.concatenate(arrays) for arrays in zip(*pieces, strict=True))


def _shares(weights: Floats | None, n_records: int) -> Floats:
    if n_records == 0:
        raise UnsuitableError("There are no records to compare.")
    if weights is None:
        return np.full(n_records, 1.0 / n_records)
    check_weights(weights, n_records)
    total = float(weights.sum())
    if total == 0.0:
        raise ParameterError("All weights are 0: nothing can be compared. Give some record a weight.")
    shares: Floats = weights / total
    return shares


def _two_pass(values: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Mean and covariance: first the mean, then the sums about it, which also mend the mean's rounding."""
    origin = values[0]
    centre = origin + _over_rows(values, lambda piece, part: part @ (piece - origin), share)
    slip = _over_rows(values, lambda piece, part: part @ (piece - centre), share)
    square = _over_rows(values, lambda piece, part: ((piece - centre).T * part) @ (piece - centre), share)
    return centre + slip, square - np.outer(slip, slip)


def _over_rows(values: Floats, term: Callable[[Floats, Floats], Floats], share: Floats) -> Floats:
    """Sum of a term over short runs of records, and of those over long ones: rounding and memory stay small."""
    total: Floats = np.zeros(1)
    for start in range(0, len(values), _LONG_RUN):
        runs = range(start, min(start + _LONG_RUN, len(values)), _SHORT_RUN)
        terms = [term(values[run : run + _SHORT_RUN], share[run : run + _SHORT_RUN]) for run in runs]
        total = total + np.sum(terms, axis=0)
    return total
