"""Affine maps of records, and draws that depend on a record's content: the same bits wherever a record stands.

A matrix product from a library may round a row differently by its place in the block. Here each cell is one sum in a
fixed order of multiplications and additions, so equal records give equal results, in any block and on any thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.arrays import Floats, Ints

_STRIP = 64


def map_records(
    values: Floats, sources: Ints, centre: Floats, matrix: Floats, offset: Floats, targets: Ints, out: Floats
) -> None:
    """Writes out[:, targets] = offset + (values[:, sources] - centre) @ matrix; `out` may be `values` itself.

    >>> out = np.zeros((2, 2))
    >>> one, two = np.array([0]), np.array([0, 1])
    >>> table = np.array([[1.0, 5.0], [3.0, 7.0]])
    >>> map_records(table, two, np.zeros(2), np.array([[1.0], [10.0]]), np.array([0.5]), one, out)
    >>> out.tolist()
    [[51.5, 0.0], [73.5, 0.0]]
    """
    if len(targets) and len(values):
        _map_records(values, sources, centre, np.ascontiguousarray(matrix.T), offset, targets, out)


def centre_records(values: Floats, origin: Floats, out: Floats, sums: Floats) -> None:
    """Writes values - origin into the first rows of `out` and adds its column sums to `sums`.

    >>> out, sums = np.empty((2, 1)), np.array([10.0])
    >>> centre_records(np.array([[3.0], [5.0]]), np.array([1.0]), out, sums)
    >>> out.tolist(), sums.tolist()
    ([[2.0], [4.0]], [16.0])
    """
    _centre_records(values, origin, out, sums)


def record_draws(values: Floats, key: NDArray[np.uint64], n_draws: int, start: int) -> Floats:
    """Uniform draws in (0, 1), shape (records, n_draws): a keyed hash (SipHash-2-4) of record and draw.

    Equal records get equal draws. With `start` >= 0 the record's own number (start, start + 1, ...) is hashed too, so
    that equal records differ. Without the key of two words the draws cannot be told from chance.

    >>> key = np.array([1, 2], dtype=np.uint64)
    >>> draws = record_draws(np.array([[0.0], [-0.0], [1.0]]), key, 1, -1)
    >>> bool(draws[0, 0] == draws[1, 0]), bool(draws[0, 0] == draws[2, 0])
    (True, False)
    """
    # Adding 0 turns -0.0 into 0.0: equal numbers, other bits.
    words = (np.ascontiguousarray(values) + 0.0).view(np.uint64)
    hashes = np.empty((len(values), n_draws), dtype=np.uint64)
    _hash_records(words, key, start, hashes)
    draws: Floats = ((hashes >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53
    return draws


@njit(cache=True, nogil=True)
def _centre_records(values: Floats, origin: Floats, out: Floats, sums: Floats) -> None:
    """Reads values (n, m) and origin (m,); overwrites out[:n] and adds to sums (m,)."""
    for row in range(len(values)):
        for column in range(len(origin)):
            centred = values[row, column] - origin[column]
            out[row, column] = centred
            sums[column] += centred


@njit(cache=True, nogil=True)
def _map_records(
    values: Floats,
    sources: Ints,
    centre: Floats,
    coefficients: Floats,
    offset: Floats,
    targets: Ints,
    out: Floats,
) -> None:
    """Reads values (n, any), coefficients (targets, sources); overwrites the target columns of out (n, any).

    Strips of records are turned on their side, so that the inner loop runs along records and needs no reordering of
    any sum. Four terms at a time: ((((0 + a) + b) + c) + d), the order of one at a time.
    """
    n_sources, n_targets = len(sources), len(targets)
    fours = n_sources - n_sources % 4
    strip = np.zeros((n_sources, _STRIP))
    result = np.empty((n_targets, _STRIP))
    for start in range(0, len(values), _STRIP):
        n_rows = min(_STRIP, len(values) - start)
        for row in range(n_rows):
            for i in range(n_sources):
                strip[i, row] = values[start + row, sources[i]] - centre[i]
        for j in range(n_targets):
            total = result[j]
            for row in range(_STRIP):
                total[row] = 0.0
            for i in range(0, fours, 4):
                _add_four(strip, i, coefficients[j], total)
            for i in range(fours, n_sources):
                factor, column = coefficients[j, i], strip[i]
                for row in range(_STRIP):
                    total[row] = total[row] + factor * column[row]
        for row in range(n_rows):
            for j in range(n_targets):
                out[start + row, targets[j]] = result[j, row] + offset[j]


@njit(cache=True, nogil=True, inline="always")
def _add_four(strip: Floats, first: int, factors: Floats, total: Floats) -> None:
    """Adds four columns of the strip, each times its factor, to `total`, one after the other."""
    f0, f1, f2, f3 = factors[first], factors[first + 1], factors[first + 2], factors[first + 3]
    c0, c1, c2, c3 = strip[first], strip[first + 1], strip[first + 2], strip[first + 3]
    for row in range(_STRIP):
        total[row] = total[row] + f0 * c0[row] + f1 * c1[row] + f2 * c2[row] + f3 * c3[row]


@njit(cache=True, nogil=True)
def _hash_records(
    words: NDArray[np.uint64], key: NDArray[np.uint64], start: int, out: NDArray[np.uint64]
) -> None:
    """Reads words (n, m); overwrites out (n, draws). One SipHash state per record, finished once per draw."""
    fresh, state = np.empty(4, dtype=np.uint64), np.empty(4, dtype=np.uint64)
    fresh[0] = key[0] ^ np.uint64(0x736F6D6570736575)
    fresh[1] = key[1] ^ np.uint64(0x646F72616E646F6D)
    fresh[2] = key[0] ^ np.uint64(0x6C7967656E657261)
    fresh[3] = key[1] ^ np.uint64(0x7465646279746573)
    for row in range(len(words)):
        state[:] = fresh
        for word in words[row]:
            _compress(state, word)
        if start >= 0:
            _compress(state, np.uint64(start + row))
        for draw in range(out.shape[1]):
            out[row, draw] = _finish(state.copy(), np.uint64(draw))


@njit(cache=True, nogil=True)
def _compress(state: NDArray[np.uint64], word: Any) -> None:
    """Takes one word into the state (overwritten): two rounds."""
    state[3] ^= word
    _mix(state)
    _mix(state)
    state[0] ^= word


@njit(cache=True, nogil=True)
def _finish(state: NDArray[np.uint64], word: Any) -> Any:
    """The hash after one last word; the state is overwritten."""
    _compress(state, word)
    state[2] ^= np.uint64(0xFF)
    for _ in range(4):
        _mix(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


@njit(cache=True, nogil=True)
def _mix(state: NDArray[np.uint64]) -> None:
    """One round of SipHash (Aumasson, Bernstein 2012) on the four words of the state (overwritten)."""
    state[0] += state[1]
    state[1] = _turn(state[1], 13) ^ state[0]
    state[0] = _turn(state[0], 32)
    state[2] += state[3]
    state[3] = _turn(state[3], 16) ^ state[2]
    state[0] += state[3]
    state[3] = _turn(state[3], 21) ^ state[0]
    state[2] += state[1]
    state[1] = _turn(state[1], 17) ^ state[2]
    state[2] = _turn(state[2], 32)


@njit(cache=True, nogil=True)
def _turn(word: Any, bits: int) -> Any:
    """The word turned left by some bits."""
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))
