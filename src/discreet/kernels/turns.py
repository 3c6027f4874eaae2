"""Long loops in turns: a kernel works a while, comes back to say how far it is, and goes on where it was.

Whoever runs a kernel is deaf meanwhile. Between two turns the interpreter hears Ctrl-C and the share that is done is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

LONGEST = 0.25  # seconds
SHORTEST = 0.05


def turns() -> Iterator[int]:
    """Numbers of steps to do at a time, without end: as many as take from 0.05 to 0.25 seconds, beginning with one.

    >>> steps = turns()
    >>> next(steps), next(steps), next(steps)
    (1, 2, 4)
    """
    steps = 1
    while True:
        began = perf_counter()
        yield steps
        seconds = perf_counter() - began
        if seconds < SHORTEST:
            steps *= 2
        elif seconds > LONGEST:
            steps = max(steps // 2, 1)
