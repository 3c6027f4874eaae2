"""Times restoration against its floor, two Gram matrices and one product, and beside the printed algorithm.

    python benchmarks/restoration.py [--cores 1] [--repeats 15] [--processor-time]

The floor and restoration run in turn, in one process, on as many cores as asked for; the best of the repeats counts.
On a machine with other work, `--processor-time` leaves out the waiting (the sum over threads, so use it with one core).
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable

CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def best_of(work: Callable[[], object], repeats: int, clock: Callable[[], float]) -> float:
    """The shortest of some runs, after one that is not counted (it compiles, and warms the caches)."""
    work()
    times = []
    for _ in range(repeats):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


def best_in_turn(works: list[Callable[[], object]], repeats: int, clock: Callable[[], float]) -> list[float]:
    """The shortest runs of several works done in turn, so that other load on the machine meets them alike."""
    rounds = [[best_of(work, 1, clock) for work in works] for _ in range(repeats)]
    return [min(times) for times in zip(*rounds, strict=True)]


def tables(n_records: int, n_columns: int) -> tuple:
    """A correlated table and the same with noise of 0.16 sd."""
    import numpy as np

    rng = np.random.default_rng(n_records + n_columns)
    original = rng.normal(size=(n_records, n_columns)) @ rng.normal(size=(n_columns, n_columns)) + 5.0
    return original, original + rng.normal(size=original.shape) * 0.16 * original.std(axis=0)


def against_floor(repeats: int, clock: Callable[[], float]) -> None:
    """A million records: what restoration costs in units of the algebra it cannot do without."""
    import numpy as np

    from discreet.stats.moments import moment_errors
    from discreet.stats.restoration import restore
    from discreet.stats.restoration_printed import restore_printed

    print(
        "n = 1,000,000, seconds:  m  copy  X'X  XT  floor | restored  x floor | corrected  x | printed  x | error"
    )
    for n_columns in (10, 50):
        original, treated = tables(1_000_000, n_columns)
        move = np.random.default_rng(0).normal(size=(n_columns, n_columns))
        copy = best_of(original.copy, repeats, clock)
        gram = best_of(lambda x=original: x.T @ x, repeats, clock)
        product = best_of(lambda x=treated, t=move: x @ t, repeats, clock)
        floor, plain = best_in_turn(
            [
                lambda x=original, z=treated, t=move: (x.T @ x, z.T @ z, z @ t),
                lambda x=original, z=treated: restore(x, z),
            ],
            repeats,
            clock,
        )
        forced = best_of(
            lambda x=original, z=treated: restore(x, z, correct=True), max(3, repeats // 3), clock
        )
        printed = best_of(lambda x=original, z=treated: restore_printed(x, z), 2, clock)
        error = moment_errors(original, restore(original, treated)[0]).largest
        print(
            f"{n_columns:26d} {copy:.3f} {gram:.3f} {product:.3f} {floor:.3f} | {plain:.3f} {plain / floor:.2f} | "
            f"{forced:.3f} {forced / floor:.2f} | {printed:.3f} {printed / floor:.2f} | {error:.0e}"
        )


def grid(repeats: int, clock: Callable[[], float]) -> None:
    """The sizes of the paper's Table 1.1: printed algorithm and restoration."""
    from discreet.stats.restoration import restore
    from discreet.stats.restoration_printed import restore_printed

    print("\nTable 1.1, seconds: printed | restored")
    for n_records in (1_000, 10_000, 100_000):
        cells = []
        for n_columns in (5, 10, 25, 50):
            original, treated = tables(n_records, n_columns)
            printed = best_of(lambda x=original, z=treated: restore_printed(x, z), repeats, clock)
            restored = best_of(lambda x=original, z=treated: restore(x, z), repeats, clock)
            cells.append(f"m={n_columns}: {printed:.4f} | {restored:.4f}")
        print(f"n={n_records:<8,d} " + "   ".join(cells))


def exponent(repeats: int, clock: Callable[[], float]) -> None:
    """Slope of log time on log records from 62,500 to 2,000,000: 1 is linear."""
    from discreet.stats.restoration import restore

    sizes = [62_500 * 2**doubling for doubling in range(6)]
    times = []
    for n_records in sizes:
        original, treated = tables(n_records, 10)
        times.append(best_of(lambda x=original, z=treated: restore(x, z), repeats, clock))
    logs = [(math.log(size), math.log(seconds)) for size, seconds in zip(sizes, times, strict=True)]
    middle = [sum(axis) / len(logs) for axis in zip(*logs, strict=True)]
    slope = sum((x - middle[0]) * (y - middle[1]) for x, y in logs) / sum(
        (x - middle[0]) ** 2 for x, _ in logs
    )
    print("\nm = 10, seconds: " + "  ".join(f"{n:,d}: {t:.4f}" for n, t in zip(sizes, times, strict=True)))
    print(f"exponent {slope:.3f}")


def main() -> None:
    """Reads the options, keeps to the cores asked for, and prints the three tables."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--cores", type=int, default=1)
    options.add_argument("--repeats", type=int, default=15)
    options.add_argument("--processor-time", action="store_true")
    chosen = options.parse_args()
    # Before the matrix library is loaded: it counts its threads once.
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = str(chosen.cores)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: chosen.cores])
    clock = CLOCKS["processor" if chosen.processor_time else "wall"]
    print(f"{chosen.cores} core(s), best of {chosen.repeats}")
    against_floor(chosen.repeats, clock)
    grid(chosen.repeats, clock)
    exponent(chosen.repeats, clock)


if __name__ == "__main__":
    main()
