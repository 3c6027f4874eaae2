"""Restoration of groups, blocks of cells and overlapping families."""

from functools import partial

import numpy as np
import pytest

from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import moment_errors
from discreet.stats.restoration import restore
from discreet.stats.restoration_parts import (
    group_errors,
    rake_families,
    records_needed,
    restore_cells,
    restore_groups,
    smallest_part,
)


def _tables(seed, n_records=600, n_columns=4):
    rng = np.random.default_rng(seed)
    original = rng.lognormal(size=(n_records, n_columns)) @ rng.uniform(size=(n_columns, n_columns))
    return original, original + rng.normal(size=original.shape) * 0.3, rng


@pytest.mark.parametrize("weighted", [False, True])
def test_groups_and_their_union_are_exact(weighted):
    """Bottom-up: every group to 1e-12 of its own deviations, and the whole table with them."""
    original, treated, rng = _tables(0)
    labels = rng.integers(0, 4, len(original)) * 10
    weights = rng.uniform(0.5, 2.0, len(original)) if weighted else None
    result = restore_groups(original, treated, labels, weights=weights, min_part=100)
    assert group_errors(original, result.values, labels, weights).largest < 1e-12
    assert moment_errors(original, result.values, weights).largest < 1e-12
    assert [part.label for part in result.parts] == [0, 10, 20, 30]
    assert sum(part.n_records for part in result.parts) == len(original)


def test_the_restorer_carries_its_options_into_each_group():
    """A bound `restore` gives in each group what it gives alone."""
    original, treated, _ = _tables(1)
    labels = np.repeat([0, 1], 300)
    result = restore_groups(original, treated, labels, restorer=partial(restore, kind="nearest"))
    alone, _ = restore(original[:300], treated[:300], kind="nearest")
    np.testing.assert_array_equal(result.values[:300], alone)
    assert all(part.plan.kind == "nearest" for part in result.parts)


def test_small_groups_are_refused_by_size_alone():
    """The message counts parts and records and shows no value or label."""
    original, treated, _ = _tables(2, n_records=130)
    labels = np.repeat([7, 77777], [110, 20])
    with pytest.raises(
        UnsuitableError, match="1 of 2 parts have fewer than 100 records, the smallest 20"
    ) as caught:
        restore_groups(original, treated, labels)
    assert "77777" not in str(caught.value)
    assert restore_groups(original, treated, labels, min_part=20).parts[1].plan is not None
    assert smallest_part(30) == 155


def test_no_part_may_be_so_small_that_its_statistics_are_its_records():
    """Fewer records than columns + 2 are refused, whoever asks; from there on what is asked for counts."""
    original, treated, _ = _tables(3)
    assert records_needed(4, 6) == 6
    with pytest.raises(ParameterError, match="at least 6"):
        restore_groups(original, treated, np.zeros(600, dtype=int), min_part=5)
    with pytest.raises(ParameterError, match="at least 4"):
        restore_cells(original, treated, [(np.arange(50), np.array([0, 1]))], min_part=3)


@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_of_cells_and_the_whole_are_exact(weighted):
    """Three frozen blocks keep their moments, the whole table has its own, the rest of the cells move."""
    original, treated, rng = _tables(5, n_records=1_500, n_columns=5)
    weights = rng.uniform(0.5, 2.0, 1_500) if weighted else None
    rows = np.arange(1_500)
    parts = [
        (rows[:400], np.array([0, 1])),
        (rows[500:900], np.array([2, 3])),
        (rows[900:1200], np.array([1, 4])),
    ]
    restored = restore_cells(original, treated, parts, weights=weights)
    assert moment_errors(original, restored, weights).largest < 1e-13
    for block in parts:
        inside = None if weights is None else weights[block[0]]
        assert moment_errors(original[np.ix_(*block)], restored[np.ix_(*block)], inside).largest < 1e-13


def test_blocks_of_cells_with_constant_and_dependent_columns():
    """A constant is written, a total that follows from the others needs no variance of its own."""
    original, treated, rng = _tables(6, n_records=800, n_columns=3)
    original = np.column_stack([original, original.sum(axis=1), np.full(800, 4.0)])
    treated = np.column_stack([treated, treated.sum(axis=1) + rng.normal(size=800), np.zeros(800)])
    restored = restore_cells(original, treated, [(np.arange(300), np.array([0, 1]))])
    assert moment_errors(original, restored).largest < 1e-12
    np.testing.assert_allclose(restored[:, 3], restored[:, :3].sum(axis=1), rtol=1e-6)
    assert (restored[:, 4] == 4.0).all()


def test_a_column_frozen_in_halves_leaves_room_to_the_others():
    """Columns with the fewest free cells come first, wherever they stand: the others are fitted to them."""
    original, treated, _ = _tables(7)
    halves = [(np.arange(300), np.array([0, 3])), (np.arange(300, 600), np.array([3]))]
    restored = restore_cells(original, treated, halves)
    assert moment_errors(original, restored).largest < 1e-12


def test_blocks_that_leave_no_room_are_refused():
    """All cells of two columns frozen apart, so that their covariance cannot be had; blocks that overlap."""
    original, treated, _ = _tables(7)
    halves = [(np.arange(300), np.array([3])), (np.arange(300, 600), np.array([3]))]
    with pytest.raises(UnsuitableError, match="column 4 no room"):
        restore_cells(original, treated, [(np.arange(600), np.array([0])), *halves])
    with pytest.raises(ParameterError, match="share cells"):
        restore_cells(original, treated, [halves[0], halves[0]])
    with pytest.raises(UnsuitableError, match="fewer than 100"):
        restore_cells(original, treated, [(np.arange(5), np.array([0]))])


def test_raking_is_exact_for_the_last_family_and_says_so_of_the_first():
    """Errors of the first of two crossed families fall with the sweeps, those of the last are rounding."""
    original, treated, rng = _tables(8, n_records=3_000)
    families = [rng.integers(0, 3, 3_000), rng.integers(0, 4, 3_000)]
    short, long = (rake_families(original, treated, families, sweeps=sweeps) for sweeps in (1, 10))
    assert long.errors[1].largest < 1e-12
    assert long.errors[0].largest < short.errors[0].largest < 1.0
    assert long.errors[0].largest < 1e-3
    assert moment_errors(original, long.values).largest < 1e-12
    assert long.errors == tuple(group_errors(original, long.values, labels) for labels in families)


def test_raking_needs_families_and_sweeps():
    """Nothing to do is an error."""
    original, treated, _ = _tables(9, n_records=200)
    with pytest.raises(ParameterError):
        rake_families(original, treated, [])
    with pytest.raises(ParameterError):
        rake_families(original, treated, [np.zeros(200, dtype=int)], sweeps=0)
