"""Cutting a stream of frames into frames of one size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import polars as pl


def exact_chunks(batches: Iterable[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The same rows in frames of exactly `rows` rows; the last may be shorter.

    >>> [len(part) for part in exact_chunks([pl.DataFrame({"x": range(n)}) for n in (3, 4, 1)], 3)]
    [3, 3, 2]
    """
    waiting: list[pl.DataFrame] = []
    n_waiting = 0
    for batch in batches:
        waiting.append(batch)
        n_waiting += batch.height
        if n_waiting >= rows:
            whole = pl.concat(waiting)
            n_waiting = whole.height % rows
            yield from (whole.slice(start, rows) for start in range(0, whole.height - n_waiting, rows))
            waiting = [whole.tail(n_waiting)]
    if n_waiting:
        yield pl.concat(waiting)
