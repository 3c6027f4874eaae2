"""Records that are alone with their key, found while a key grows by one column: the inner loop of SUDA."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Ints

_EMPTY = -1
_SPREAD = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio


@numba.njit(cache=True, nogil=True)
def _mark_alone(keys: Ints, slot_keys: Ints, slot_rows: Ints, out: NDArray[np.bool_]) -> None:
    """Write to `out` (n, bool) whether each of `keys` (n, int64, >= 0) occurs once.

    `slot_keys` (a power of two long, int64, filled with -1) and `slot_rows` (same length) are overwritten.
    """
    mask = np.uint64(slot_keys.shape[0] - 1)
    for i in range(keys.shape[0]):
        mixed = np.uint64(keys[i]) * np.uint64(_SPREAD)
        slot = (mixed ^ (mixed >> np.uint64(32))) & mask
        while slot_keys[slot] != _EMPTY and slot_keys[slot] != keys[i]:
            slot = (slot + np.uint64(1)) & mask
        out[i] = slot_keys[slot] == _EMPTY
        if out[i]:
            slot_keys[slot] = keys[i]
            slot_rows[slot] = i
        else:
            out[slot_rows[slot]] = False


def mark_alone(keys: Ints) -> Bools:
    """Whether each key occurs only once.

    >>> mark_alone(np.array([4, 9, 4, 4, 1])).tolist()
    [False, True, False, False, True]
    """
    keys = np.ascontiguousarray(keys, dtype=np.int64)
    n_slots = 1 << max(int(2 * len(keys) - 1).bit_length(), 1)
    slot_keys = np.full(n_slots, _EMPTY, dtype=np.int64)
    out = np.empty(len(keys), dtype=np.bool_)
    _mark_alone(keys, slot_keys, np.empty(n_slots, dtype=np.int64), out)
    return out
