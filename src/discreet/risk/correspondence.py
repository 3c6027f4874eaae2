"""Whether records correspond, told from the files alone: a reordered file looks safe to whoever takes it by rows.

Where records correspond, those that were not changed stand where they stood, and the others are nearer to what was
made of them than to a random record.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.kernels.nearest import pair_distances
from discreet.risk.selection import Names, analysed, joint_keys, places_of, space_of
from discreet.stats.keys import first_rows, group_records
from discreet.stats.neighbours import TIE, Points, Space, find_nearest
from discreet.table.table import Table

_LEAST_UNIQUES = 10  # unchanged unique records that settle the question
_LEAST_SHARE = 0.5  # of all unique ones: by chance, at most 1/e of them meet just one equal record (Poisson)
_LEAST_RECORDS = 30  # fewer cannot be told from chance
_MOST_RECORDS = 5_000
_SEEKERS = 200
_CLEARLY = 3.0  # standard deviations


def seems_reordered(original: Table, protected: Table) -> bool:
    """Whether record i of the protected table, which has as many, seems to stem from another record than record i.

    >>> from discreet.table.schema import Variable
    >>> age = {"age": Variable(name="age", kind="numeric")}
    >>> ages = Table.build({"age": list(range(40))}, age)
    >>> seems_reordered(ages, ages), seems_reordered(ages, ages.take(np.random.default_rng(0).permutation(40)))
    (False, True)
    """
    names = analysed(original)
    if not names or not original.n_records:
        return False
    here, there, n_unique = unique_copies(original, protected, names)
    if len(here) >= max(_LEAST_UNIQUES, _LEAST_SHARE * n_unique):
        return bool(np.mean(here == there) < 0.5)
    return original.n_records >= _LEAST_RECORDS and _no_nearer_than_random(original, protected, names)


def unique_copies(original: Table, protected: Table, names: Names) -> tuple[Ints, Ints, int]:
    """Rows, in both tables, of records that are alone in each and equal in all these columns; how many are alone here."""
    n = original.n_records
    groups = group_records(joint_keys([original, protected], names), n + protected.n_records)
    sides = groups.labels[:n], groups.labels[n:]
    counts = [np.bincount(side, minlength=groups.n_groups) for side in sides]
    alone = np.flatnonzero((counts[0] == 1) & (counts[1] == 1))
    last = len(groups.labels) - 1
    backwards = type(groups)(groups.labels[::-1], groups.n_groups)
    return first_rows(groups)[alone], (last - first_rows(backwards) - n)[alone], int(np.sum(counts[0] == 1))


def _no_nearer_than_random(original: Table, protected: Table, names: Names) -> bool:
    """Own records are no nearer than random ones, although some are: the protected table is not all alike."""
    generator = np.random.default_rng(0)
    rows = generator.permutation(original.n_records)[:_MOST_RECORDS]
    space = space_of(original, names)
    mine, theirs = space.place(places_of(original, names), places_of(protected, names))
    own = _distances(space, mine.take(rows), theirs.take(rows))
    random = _distances(space, mine.take(rows), theirs.take(np.roll(rows, 1)))
    nearer = np.mean(own < random - TIE) + 0.5 * np.mean(np.abs(own - random) <= TIE)
    if (nearer - 0.5) * 2.0 * np.sqrt(len(rows)) >= _CLEARLY:
        return False
    nearest = find_nearest(space, mine.take(rows[:_SEEKERS]), theirs).distance
    return bool(np.median(nearest) < np.median(own[:_SEEKERS]) - TIE)


def _distances(space: Space, mine: Points, theirs: Points) -> Floats:
    squared = pair_distances(space.trees, mine.coordinates, mine.nodes, theirs.coordinates, theirs.nodes)
    return np.asarray(np.sqrt(squared), dtype=np.float64)
