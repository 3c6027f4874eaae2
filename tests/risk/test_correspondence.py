"""Whether records stand where they stood: told from unchanged unique records, or from distances."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.correspondence import seems_reordered, unique_copies
from discreet.table.schema import Variable
from discreet.table.table import Table

VARIABLES = {
    "a": Variable(name="a", kind="numeric", role="quasi"),
    "b": Variable(name="b", kind="numeric", role="quasi"),
    "sex": Variable(name="sex", kind="nominal", role="quasi", levels=("f", "m")),
}


def table(seed=0, n=200, noise=0.0):
    """Two correlated numbers and a category; the numbers of the same people with noise on them."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    more = np.random.default_rng(seed + 100)
    cells = {name: (shared + rng.normal(size=n) + noise * more.normal(size=n)).tolist() for name in "ab"}
    return Table.build(cells | {"sex": rng.choice(["f", "m"], n).tolist()}, VARIABLES)


def mixed(one, seed=1):
    return one.take(np.random.default_rng(seed).permutation(one.n_records))


def test_unique_copies_by_hand():
    """0 and 1 are alone and unchanged, 0 at its place and 1 elsewhere; 2 and 3 are equal to each other."""
    cells = {"a": [1.0, 2, 3, 3], "b": [1.0, 2, 3, 3], "sex": list("fmff")}
    original = Table.build(cells, VARIABLES)
    here, there, n_unique = unique_copies(original, original.take(np.array([0, 2, 1, 3])), ("a", "b", "sex"))
    assert n_unique == 2
    assert here.tolist() == [0, 1]
    assert there.tolist() == [0, 2]


@pytest.mark.parametrize("noise", [0.0, 0.1, 1.0])
def test_shuffled_files_are_told_from_files_in_order(noise):
    """Unchanged, lightly and heavily noised."""
    assert not seems_reordered(table(), table(noise=noise))
    assert seems_reordered(table(), mixed(table(noise=noise)))


def test_a_file_shuffled_inside_blocks_is_told_by_its_unique_records():
    """Sorted by a, then by b inside tenths of it: distances alone would call it corresponding."""
    order = np.argsort(table()["a"].values)
    original = table().take(order)
    blocks = np.concatenate([20 * i + np.random.default_rng(i).permutation(20) for i in range(10)])
    assert seems_reordered(original, original.take(blocks))


def test_equal_records_by_chance_do_not_make_a_file_reordered():
    """Noise on a crowded grid: hundreds of unique records meet another's new values, and none was moved."""
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 80, (4000, 2)).astype(float)
    sex = rng.choice(["f", "m"], 4000).tolist()
    moved = cells + rng.integers(1, 4, cells.shape)
    original, protected = (
        Table.build({"a": c[:, 0].tolist(), "b": c[:, 1].tolist(), "sex": sex}, VARIABLES)
        for c in (cells, moved)
    )
    here, there, _ = unique_copies(original, protected, ("a", "b", "sex"))
    assert len(here) > 300
    assert (here != there).all()
    assert not seems_reordered(original, protected)


def test_other_people_do_not_correspond():
    """A synthetic file of as many records, drawn anew."""
    assert seems_reordered(table(seed=0), table(seed=1))


@pytest.mark.parametrize("n", [1, 5, 25])
def test_few_records_are_taken_as_they_stand(n):
    """From so few changed records nothing can be told."""
    assert not seems_reordered(table(n=n), mixed(table(n=n, noise=0.3)))


def test_a_release_that_says_nothing_is_taken_as_it_stands():
    """All records alike: no record is nearer than another, and none was moved."""
    same = table().take(np.zeros(200, dtype=np.int64))
    assert not seems_reordered(table(), same)
