"""Times of exact linkage and nearest-record search: one run is discarded (compilation), then the best of three
(one, from 50 000 records on).

    python benchmarks/linkage.py            all cases, as a table
    python benchmarks/linkage.py 20000      other numbers of records

"peer" is scipy's cKDTree for the nearest record of a numeric file: it finds the nearest alone, without counting ties.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from discreet.arrays import Floats
from discreet.stats.neighbours import NumericAxis, Points, Space, TreeAxis, find_links, find_nearest

N_COLUMNS = 10


def best_of(run: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def numeric_space(values: Floats, released: Floats) -> tuple[Space, Points, Points]:
    """Two numeric files as points."""
    shown = np.zeros(len(values), dtype=np.bool_)
    space = Space(tuple(NumericAxis.fit(column, shown) for column in values.T))
    mine, theirs = space.place([(c, shown) for c in values.T], [(c, shown) for c in released.T])
    return space, mine, theirs


def mixed_space(n: int, generator: np.random.Generator) -> tuple[Space, Points, Points]:
    """Three numbers, two nominal columns and a tree of 1 + 20 + 400 nodes; a tenth of the cells redrawn."""
    shown = np.zeros(n, dtype=np.bool_)
    parent = np.array([-1, *[p for b in range(20) for p in (0, *[1 + 21 * b] * 20)]])
    flat = np.where(np.arange(9) == 0, -1, 0)
    draws = [lambda: generator.normal(size=n)] * 3
    draws += [lambda: generator.integers(1, 9, n)] * 2 + [lambda: generator.integers(1, len(parent), n)]
    axes, original, released = [], [], []
    for j, draw in enumerate(draws):
        values = draw()
        axes.append(
            NumericAxis.fit(values, shown)
            if j < 3
            else TreeAxis.fit(values, shown, flat if j < 5 else parent)
        )
        original.append((values, shown))
        released.append((np.where(generator.random(n) < 0.1, draw(), values), shown))
    space = Space(tuple(axes))
    mine, theirs = space.place(original, released)
    return space, mine, theirs


def cases(n: int) -> dict[str, Callable[[], object]]:
    """What is timed; boxes are built inside, for each run."""
    generator = np.random.default_rng(0)
    values = generator.normal(size=(n, N_COLUMNS))
    own = np.arange(n)
    out: dict[str, Callable[[], object]] = {}
    for noise in (0.0, 0.1, 0.5, 2.0):
        released = values + noise * generator.normal(size=values.shape)

        def link(released: Floats = released) -> object:
            return find_links(*numeric_space(values, released), own)

        out[f"links, {N_COLUMNS} numbers, noise {noise} sd"] = link
    space, mine, theirs = mixed_space(n, generator)
    out["links, 3 numbers, 2 nominal, 1 tree"] = lambda: find_links(
        space, mine, Points(theirs.coordinates, theirs.nodes), own
    )
    out[f"nearest other, {N_COLUMNS} numbers"] = lambda: find_nearest(*_itself(values), own)
    out[f"nearest other, {N_COLUMNS} numbers, peer"] = lambda: cKDTree(values).query(values, k=2, workers=-1)
    return out


def _itself(values: Floats) -> tuple[Space, Points, Points]:
    space, points, _ = numeric_space(values, values)
    return space, points, points


def main(sizes: list[int]) -> None:
    """Print a table of seconds."""
    for run in cases(500).values():
        run()
    print(f"{'case':48s}" + "".join(f"{n:>12,}" for n in sizes))
    timed = {n: {name: best_of(run, 3 if n < 50_000 else 1) for name, run in cases(n).items()} for n in sizes}
    for name in timed[sizes[0]]:
        print(f"{name:48s}" + "".join(f"{timed[n][name]:>12.3f}" for n in sizes))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10_000, 100_000])
