"""Records in an order that depends on what they hold, not on where they stand in the file.

What is drawn by position in this order is the same however the file was sorted: two equal records are interchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Ints


def value_order(columns: Sequence[NDArray[Any]], n_records: int) -> Ints:
    """Records sorted by all these columns, the first one first.

    >>> value_order([np.array([2.0, 1.0, 2.0]), np.array([1, 0, 0])], 3).tolist()
    [1, 2, 0]
    """
    if not columns:
        return np.arange(n_records, dtype=np.int64)
    return np.lexsort(list(columns)[::-1]).astype(np.int64)


def draw_rows(order: Ints, most: int, generator: np.random.Generator) -> Ints:
    """At most this many of the records, each equally likely; all of them where there are not more."""
    if len(order) <= most:
        return order
    return order[np.sort(generator.choice(len(order), most, replace=False))]
