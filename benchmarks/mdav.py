"""How much faster than scanning loops the tree is, and how its time grows. Prints; asserts equal groups.

    python benchmarks/mdav.py            about a minute
    python benchmarks/mdav.py --full     adds 200,000 and 1,000,000 records: some minutes, most of them the loops'

Two loops stand beside the tree: the library's own packed loop (`mdav_packed`: records in columns, so that a scan runs in
vector registers) and a plain one (`plain`, here: records in rows, as one writes it first), which is what other programs'
times are commonly compared with.

Times are seconds of processor time of this one process, the first call of each function discarded (it compiles or
loads the compiled code), short runs repeated and the best taken: compare ratios of one run, not seconds of different
ones.
"""

from __future__ import annotations

import argparse
import math
import os
import time
import tracemalloc
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from numba import njit

from discreet.arrays import Floats, Ints
from discreet.kernels.mdav import mdav_packed, mdav_tree
from discreet.kernels.mdav_packed import (
    _farthest,
    _nearest,
    _sort_descending,
    _subtract_exactly,
    _sum_columns,
)

Method = Callable[[Floats, int], Ints]
Source = Callable[[int, int], Floats]

ENOUGH = 0.5  # seconds of repeated short runs


def normal(n: int, d: int) -> Floats:
    """n independent standard normal records."""
    return np.random.default_rng(1).normal(size=(n, d))


def resampled(n: int, d: int) -> Floats:
    """n records drawn with replacement from the first d of the ten numeric columns of EIA: copies and ties."""
    home = Path(os.environ.get("DISCREET_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    columns = pl.read_csv(home / "eia.csv", infer_schema_length=None).to_numpy()[:, 5 : 5 + d].astype(float)
    z_scores = (columns - columns.mean(axis=0)) / columns.std(axis=0, ddof=1)
    return z_scores[np.random.default_rng(2).integers(0, len(z_scores), size=n)]


def jittered(n: int, d: int) -> Floats:
    """`resampled`, each value moved by up to a hundredth and rounded to thousandths: few copies, many ties."""
    noise = np.random.default_rng(3).uniform(-0.01, 0.01, size=(n, d))
    return (resampled(n, d) + noise).round(3)


# -- the plain packed loop -------------------------------------------------------------------------------------


@njit(cache=True)
def _distances(points: Floats, reference: Floats, n_left: int, distances: Floats) -> None:
    """Squared distances of the first `n_left` records (rows of `points`) from `reference`."""
    for i in range(n_left):
        total = 0.0
        for column in range(reference.size):
            difference = points[i, column] - reference[column]
            total += difference * difference
        distances[i] = total


@njit(cache=True)
def _plain(points: Floats, k: int, sums: Floats, labels: Ints) -> None:
    """MDAV over `points` (n, d), overwritten: records that are grouped make room for the last ones."""
    n_left, label = points.shape[0], 0
    rows, distances = np.arange(n_left), np.empty(n_left)
    group, reference = np.empty(k, dtype=np.int64), np.empty(points.shape[1])
    while n_left >= 2 * k:
        n_groups = 2 if n_left >= 3 * k else 1
        for column in range(reference.size):
            reference[column] = sums[0, column] / n_left
        _distances(points, reference, n_left, distances)
        for _ in range(n_groups):
            own = _farthest(distances, rows, n_left)
            reference[:] = points[own]
            _distances(points, reference, n_left, distances)
            _nearest(distances, rows, n_left, own, group)
            _sort_descending(group)
            for hole in group:
                labels[rows[hole]] = label
                for column in range(reference.size):
                    _subtract_exactly(sums[0], sums[1], column, points[hole, column])
                n_left -= 1
                rows[hole], distances[hole] = rows[n_left], distances[n_left]
                points[hole] = points[n_left]
            label += 1
    labels[rows[:n_left]] = label


def plain(points: Floats, k: int) -> Ints:
    """The same groups as `mdav_packed`, by the loop that one writes first."""
    sums, labels = np.empty((2, points.shape[1])), np.empty(len(points), dtype=np.int64)
    _sum_columns(np.ascontiguousarray(points.T), sums[0], sums[1])
    _plain(points.copy(), k, sums, labels)
    return labels


# -- what is printed -------------------------------------------------------------------------------------------


def seconds(method: Method, points: Floats, k: int) -> tuple[float, Ints]:
    """Least processor time of one call, and its groups; a run of half a second or more is not repeated."""
    runs: list[float] = []
    while sum(runs) < ENOUGH:
        begin = time.process_time()
        labels = method(points, k)
        runs.append(time.process_time() - begin)
    return min(runs), labels


def compare(n: int, dimensions: Sequence[int], k: int) -> None:
    """Print both loops over the tree on normal data; stop if their groups differ."""
    for d in dimensions:
        points = normal(n, d)
        tree, labels = seconds(mdav_tree, points, k)
        line = f"{n:>9,} x {d:<2} k={k:<2}  tree {tree:7.3f} s"
        for name, loop in (("packed", mdav_packed), ("plain", plain)):
            spent, expected = seconds(loop, points, k)
            if not np.array_equal(labels, expected):
                raise SystemExit(f"groups of the {name} loop differ at {n} x {d}, k={k}")
            line += f"   {name} {spent:7.2f} s {spent / tree:6.1f} times"
        print(line, flush=True)


def grow(source: Source, sizes: Sequence[int], dimensions: Sequence[int], k: int) -> None:
    """Print the times of the tree at several sizes and the exponents of its growth: overall, and step by step."""
    for d in dimensions:
        times = [seconds(mdav_tree, source(n, d), k)[0] for n in sizes]
        steps = [_exponent(*pair) for pair in pairwise(zip(sizes, times, strict=True))]
        overall = _exponent((sizes[0], times[0]), (sizes[-1], times[-1]))
        listed = "  ".join(f"{n:,}: {spent:.3f} s" for n, spent in zip(sizes, times, strict=True))
        bend = ", ".join(f"{step:.2f}" for step in steps)
        print(
            f"{source.__name__:>9} d={d:<2} k={k:<2}  {listed}  exponent {overall:.2f} (steps {bend})",
            flush=True,
        )


def _exponent(one: tuple[int, float], other: tuple[int, float]) -> float:
    return math.log(other[1] / one[1]) / math.log(other[0] / one[0])


def remember(sizes: Sequence[int], d: int, k: int) -> None:
    """Print the most memory that the tree holds beside its input."""
    for n in sizes:
        points = normal(n, d)
        tracemalloc.start()
        mdav_tree(points, k)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{n:>9,} x {d:<2} k={k:<2}  {peak / 1e6:.0f} MB beside {points.nbytes / 1e6:.0f} MB of input",
            flush=True,
        )


def main() -> None:
    """Run what the switches ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--quick", action="store_true", help="the short ones only (default)")
    choice.add_argument("--full", action="store_true", help="also the long ones")
    full = parser.parse_args().full
    for method in (mdav_packed, mdav_tree, plain):
        method(normal(500, 3), 3)
    compare(50_000, [2, 5, 10], k=3)
    sizes = [10_000, 100_000]
    if full:
        compare(200_000, [2, 5, 10], k=3)
        sizes.append(1_000_000)
    for source in (normal, resampled, jittered):
        grow(source, sizes, [2, 5, 10], k=10)
    remember([250_000, 500_000, 1_000_000] if full else [100_000], d=10, k=10)


if __name__ == "__main__":
    main()
