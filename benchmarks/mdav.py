"""How much faster than the packed loop the tree is, and how its time grows. Prints; asserts equal groups.

    python benchmarks/mdav.py            about a minute
    python benchmarks/mdav.py --full     adds 200,000 and 1,000,000 records: some minutes, most of them the packed loop's

Times are seconds of processor time of this one process, the first call of each function discarded (it compiles or
loads the compiled code): compare ratios of one run, not seconds of different ones.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from discreet.arrays import Floats, Ints
from discreet.kernels.mdav import mdav_packed, mdav_tree

Method = Callable[[Floats, int], Ints]
Source = Callable[[int, int], Floats]


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


def seconds(method: Method, points: Floats, k: int) -> tuple[float, Ints]:
    """Processor time of one call, and its groups."""
    begin = time.process_time()
    labels = method(points, k)
    return time.process_time() - begin, labels


def compare(n: int, dimensions: Sequence[int], k: int) -> None:
    """Print packed over tree on normal data; stop if their groups differ."""
    for d in dimensions:
        points = normal(n, d)
        tree, labels = seconds(mdav_tree, points, k)
        packed, expected = seconds(mdav_packed, points, k)
        if not np.array_equal(labels, expected):
            raise SystemExit(f"groups differ at {n} x {d}, k={k}")
        print(
            f"{n:>9,} x {d:<2} k={k:<2}  packed {packed:8.2f} s  tree {tree:7.2f} s  {packed / tree:6.1f} times"
        )


def grow(source: Source, sizes: Sequence[int], dimensions: Sequence[int], k: int) -> None:
    """Print the times of the tree at several sizes and the exponent of its growth from the first to the last."""
    for d in dimensions:
        times = [seconds(mdav_tree, source(n, d), k)[0] for n in sizes]
        exponent = math.log(times[-1] / times[0]) / math.log(sizes[-1] / sizes[0])
        listed = "  ".join(f"{n:,}: {spent:.2f} s" for n, spent in zip(sizes, times, strict=True))
        print(f"{source.__name__:>9} d={d:<2} k={k:<2}  {listed}  exponent {exponent:.2f}")


def main() -> None:
    """Run what the switches ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--quick", action="store_true", help="the short ones only (default)")
    choice.add_argument("--full", action="store_true", help="also the long ones")
    full = parser.parse_args().full
    for method in (mdav_packed, mdav_tree):
        method(normal(500, 3), 3)
    compare(50_000, [2, 5, 10], k=3)
    sizes = [10_000, 100_000]
    if full:
        compare(200_000, [2, 5, 10], k=3)
        spent, _ = seconds(mdav_tree, normal(1_000_000, 10), 10)
        print(f"1,000,000 x 10 k=10  tree {spent:.0f} s")
        sizes.append(1_000_000)
    for source in (normal, resampled, jittered):
        grow(source, sizes, [2, 5, 10], k=10)


if __name__ == "__main__":
    main()
