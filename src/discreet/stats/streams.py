"""Streams of random numbers: one secret seed, one independent counter-based stream per name and block of records.

A stream's Philox key is a hash of (seed, names, block), so a draw depends on what it is for and on the rows it
is for, never on the order of work, the number of threads or the size of the pieces in which a file is read.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError

BLOCK_ROWS = 65_536  # rows that share one stream; every sum over blocks of rows is cut here too
SEED_BITS = 128


def new_seed() -> int:
    """A seed from the system's entropy, wide enough that nobody can try them all."""
    return secrets.randbits(SEED_BITS)


@dataclass(frozen=True)
class Streams:
    """The streams of one release. The seed is a secret: whoever has it can undo noise.

    Example:
        >>> streams = Streams(seed=7)
        >>> whole = streams.normals("noise", "age", n=100_000)
        >>> last = streams.normals("noise", "age", n=100_000 - BLOCK_ROWS, first=BLOCK_ROWS)
        >>> bool(np.all(whole[BLOCK_ROWS:] == last))
        True
    """

    seed: int = field(repr=False)
    path: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ParameterError(
                "`seed` must be a whole number, 0 or more, or None for the system's entropy."
            )

    def at(self, *names: str) -> Streams:
        """The streams of one step, part or column."""
        return Streams(self.seed, self.path + names)

    def generator(self, *names: str, block: int = 0) -> np.random.Generator:
        """The stream of this name and block; the same call gives the same stream from its beginning."""
        parts = (hex(self.seed), *self.path, *names, str(block))
        text = b"".join(len(part.encode()).to_bytes(4, "little") + part.encode() for part in parts)
        key = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), dtype=np.uint64)
        return np.random.Generator(np.random.Philox(key=key))

    def normals(self, *names: str, n: int, first: int = 0) -> Floats:
        """Standard normals for `n` records from record `first` (a multiple of BLOCK_ROWS) on."""
        return self._by_block(names, n, first, lambda rng, size: rng.standard_normal(size))

    def uniforms(self, *names: str, n: int, first: int = 0) -> Floats:
        """Uniforms in [0, 1) for `n` records from record `first` on."""
        return self._by_block(names, n, first, lambda rng, size: rng.random(size))

    def permutation(self, *names: str, n: int) -> Ints:
        """A random order of n records."""
        return self.generator(*names).permutation(n).astype(np.int64)

    def _by_block(
        self,
        names: tuple[str, ...],
        n: int,
        first: int,
        draw: Callable[[np.random.Generator, int], Floats],
    ) -> Floats:
        if first % BLOCK_ROWS:
            raise ParameterError(f"`first` must be a multiple of {BLOCK_ROWS}.")
        out = np.empty(n)
        for rows in block_slices(n):
            block = (first + rows.start) // BLOCK_ROWS
            out[rows] = draw(self.generator(*names, block=block), rows.stop - rows.start)
        return out


def block_slices(n: int) -> Iterator[slice]:
    """The rows 0..n in blocks of BLOCK_ROWS.

    >>> [(rows.start, rows.stop) for rows in block_slices(70_000)]
    [(0, 65536), (65536, 70000)]
    """
    return (slice(start, min(start + BLOCK_ROWS, n)) for start in range(0, n, BLOCK_ROWS))
