"""Numbering of equal keys by hashing: the one loop under every count of groups.

A key made of several columns is numbered column by column: the number so far and the next code make one
whole number, exact by construction, and each distinct one gets the next free label in order of first
appearance. Linear in the records, no sorting, no table of all combinations.
"""

from __future__ import annotations

import numba
import numpy as np

from discreet.arrays import Floats, Ints

_EMPTY = -1  # keys are never negative
_SPREAD = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio (Knuth's multiplicative hashing)


@numba.njit(cache=True, nogil=True)
def _label_keys(keys: Ints, slot_keys: Ints, slot_labels: Ints, out: Ints) -> int:
    """Write to `out` (n, int64) the label of each of `keys` (n, int64, >= 0); return how many labels
    there are.

    `slot_keys` (a power of two long, int64, filled with -1) and `slot_labels` (same length) are
    overwritten.
    """
    mask = np.uint64(slot_keys.shape[0] - 1)
    n_labels = 0
    for i in range(keys.shape[0]):
        mixed = np.uint64(keys[i]) * np.uint64(_SPREAD)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while slot_keys[slot] != _EMPTY and slot_keys[slot] != keys[i]:
            slot = (slot + np.uint64(1)) & mask
        if slot_keys[slot] == _EMPTY:
            slot_keys[slot] = keys[i]
            slot_labels[slot] = n_labels
            n_labels += 1
        out[i] = slot_labels[slot]
    return n_labels


def label_keys(keys: Ints) -> tuple[Ints, int]:
    """Labels 0, 1, ... of whole-number keys in order of first appearance, and their number.

    >>> labels, n_labels = label_keys(np.array([7, 3, 7, 900]))
    >>> labels.tolist(), n_labels
    ([0, 1, 0, 2], 3)
    """
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    n_slots = 1 << max(int(2 * len(keys) - 1).bit_length(), 1)
    slot_keys = np.full(n_slots, _EMPTY, dtype=np.int64)
    slot_labels = np.empty(n_slots, dtype=np.int64)
    out = np.empty(len(keys), dtype=np.int64)
    return out, int(_label_keys(keys, slot_keys, slot_labels, out))


@numba.njit(cache=True, nogil=True)
def _agreement(mine: Floats, theirs: Floats, tolerance: Floats) -> int:
    """The columns on which two records agree, as the bits of a number; NaN agrees with nothing."""
    pattern = 0
    for j in range(mine.shape[0]):
        if abs(mine[j] - theirs[j]) <= tolerance[j]:
            pattern |= 1 << j
    return pattern


@numba.njit(cache=True, nogil=True)
def _count_agreements(mine: Floats, theirs: Floats, tolerance: Floats, out: Ints) -> None:
    """Add to `out` (2^m, int64) the number of pairs of a row of `mine` and one of `theirs` with each
    pattern.
    """
    for i in range(mine.shape[0]):
        for k in range(theirs.shape[0]):
            out[_agreement(mine[i], theirs[k], tolerance)] += 1


@numba.njit(cache=True, nogil=True)
def _best_agreements(
    mine: Floats, theirs: Floats, tolerance: Floats, weight: Floats, own: Ints, out: Floats
) -> None:
    """Write to `out` (n, 3) per row of `mine`: greatest weight, how many of `theirs` have it, weight of
    row own[i].
    """
    for i in range(mine.shape[0]):
        best, tied = -np.inf, 0
        for k in range(theirs.shape[0]):
            found = weight[_agreement(mine[i], theirs[k], tolerance)]
            if found > best:
                best, tied = found, 1
            elif found == best:
                tied += 1
        out[i, 0], out[i, 1] = best, tied
        out[i, 2] = weight[_agreement(mine[i], theirs[own[i]], tolerance)]


def count_agreements(mine: Floats, theirs: Floats, tolerance: Floats) -> Ints:
    """Pairs of records by the columns they agree on: entry b counts the pairs agreeing exactly on the
    bits of b.

    >>> count_agreements(np.array([[1.0, 5.0]]), np.array([[1.0, 6.0], [1.0, 5.0]]), np.zeros(2)).tolist()
    [0, 1, 0, 1]
    """
    out = np.zeros(1 << len(tolerance), dtype=np.int64)
    _count_agreements(np.ascontiguousarray(mine), np.ascontiguousarray(theirs), tolerance, out)
    return out


def best_agreements(mine: Floats, theirs: Floats, tolerance: Floats, weight: Floats, own: Ints) -> Floats:
    """Per record: greatest weight of agreement with any of `theirs`, how many reach it, weight with
    theirs[own[i]].
    """
    out = np.empty((len(mine), 3))
    _best_agreements(
        np.ascontiguousarray(mine), np.ascontiguousarray(theirs), tolerance, weight, own.astype(np.int64), out
    )
    return out
