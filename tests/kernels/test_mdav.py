"""The MDAV kernels against the definition recomputed, on small and on hostile tables."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.kernels.mdav import mdav, mdav_mixed, mdav_packed, mdav_tree, vmdav

naive = SimpleNamespace(**runpy.run_path(str(Path(__file__).resolve().parents[1] / "reference_mdav.py")))
ALGORITHMS = [mdav, mdav_packed, mdav_tree]


@st.composite
def small_tables(draw):
    """(points, k): few records, values on a coarse grid so that ties and copies abound, or spread out."""
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 3))
    seed, grid = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from([2, 5, 1000]))
    points = np.random.default_rng(seed).integers(0, grid, size=(n, d)).astype(float)
    return points, draw(st.integers(1, 6))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_by_hand(algorithm):
    """8 is farthest from the mean 3 and takes 7; then 0, farthest from 8, takes 1; 2 and 3 are the rest."""
    points = np.array([[0.0], [7.0], [2.0], [8.0], [1.0], [3.0]])
    assert algorithm(points, 2).tolist() == [1, 0, 2, 0, 1, 2]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_ties_go_to_the_lower_row(algorithm):
    """The four corners of a square tie from its centre: row 0 starts and takes row 1, of its two nearest."""
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert algorithm(square, 2).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_between_2k_and_3k(algorithm):
    """With 2k to 3k - 1 records one group of k is made and the rest is the other."""
    points = np.arange(8.0)[:, None]
    assert algorithm(points, 3).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_small_and_trivial(algorithm):
    """Fewer than 2k records are one group; with k = 1 everyone is alone."""
    points = np.arange(5.0)[:, None]
    assert algorithm(points, 3).tolist() == [0] * 5
    assert algorithm(points, 1).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=150, deadline=None)
@given(table=small_tables())
def test_textbook(algorithm, table):
    """Equal to the naive algorithm, group by group, also where many distances tie."""
    points, k = table
    expected = (
        np.arange(len(points))
        if k == 1
        else naive.textbook_mdav(len(points), k, naive.numeric_distances(points))
    )
    np.testing.assert_array_equal(algorithm(points, k), expected)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_scales_act_after_squaring(algorithm):
    """Ages 50 and 60 tie around 55 under any scale: the lower row is nearest."""
    points = np.array([[60.0], [50.0], [55.0], [500.0], [501.0], [502.0], [503.0]])
    scales = np.array([1 / (4 * points.var())])
    expected = naive.textbook_mdav(7, 2, naive.numeric_distances(points, scales))
    np.testing.assert_array_equal(algorithm(points, 2, scales), expected)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("points", [np.array([[1.0], [np.nan]]), np.empty((0, 2)), np.arange(3.0)])
def test_refuses_bad_points(algorithm, points):
    """Missing values, an empty table and a plain vector are refused."""
    with pytest.raises(ParameterError):
        algorithm(points, 2)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_refuses_bad_parameters(algorithm):
    """k below 1, scales of another length, negative scales."""
    points = np.zeros((4, 2))
    for arguments in [(0, None), (2, np.ones(3)), (2, np.array([1.0, -1.0]))]:
        with pytest.raises(ParameterError):
            algorithm(points, *arguments)


def test_refuses_overflow():
    """Columns whose squared differences overflow are refused, not silently tied."""
    with pytest.raises(ParameterError, match="Standardise"):
        mdav(np.array([[-1e200], [1e200]]), 2)


HOSTILE = {
    "normal": lambda draw: draw.normal(size=(1500, 4)),
    "many copies": lambda draw: draw.integers(0, 3, size=(1500, 4)).astype(float),
    "whole numbers": lambda draw: draw.integers(0, 40, size=(1500, 2)).astype(float),
    "large offset": lambda draw: draw.normal(size=(1500, 3)) + 1e9,
    "huge outliers": lambda draw: draw.standard_cauchy(size=(1500, 3)) ** 3,
    "tiny values": lambda draw: draw.normal(size=(1500, 2)) * 1e-150,
    "squares underflow": lambda draw: draw.normal(size=(600, 2)) * 1e-162,
    "squares vanish": lambda draw: draw.normal(size=(600, 2)) * 1e-170,
    "outliers over a fine grid": lambda draw: np.concatenate(
        [draw.normal(size=(9, 2)) * 1e12, draw.integers(0, 60, size=(1491, 2)) * 1e-3]
    ),
    "one column": lambda draw: draw.normal(size=(1500, 1)),
    "a circle": lambda draw: np.column_stack([f(np.arange(1500) * np.pi / 750) for f in (np.sin, np.cos)]),
    "all equal": lambda draw: np.ones((1500, 2)),
    "signed zeros": lambda draw: np.where(draw.random((1500, 2)) < 0.5, -0.0, draw.integers(0, 3, (1500, 2))),
    "many columns": lambda draw: draw.normal(size=(600, 40)),
    "near ties": lambda draw: draw.integers(0, 9, size=(1500, 3)) * 0.1 + 1.0,
}


@pytest.mark.parametrize("k", [2, 7, 100])
@pytest.mark.parametrize("name", HOSTILE)
def test_tree_equals_packed(name, k):
    """The tree gives the very groups of the packed loop: copies, ties, offsets, outliers, replanting."""
    points = HOSTILE[name](np.random.default_rng(7))
    scales = np.random.default_rng(8).random(points.shape[1]) + 0.5
    for factors in (None, scales):
        np.testing.assert_array_equal(mdav_tree(points, k, factors), mdav_packed(points, k, factors))


def test_scale_zero_leaves_a_column_out():
    """A column of scale 0 does not matter, even where all columns are such."""
    points = np.random.default_rng(3).normal(size=(700, 3))
    scales = np.array([1.0, 0.0, 2.0])
    np.testing.assert_array_equal(
        mdav_tree(points, 3, scales), mdav_tree(points[:, [0, 2]], 3, scales[[0, 2]])
    )
    np.testing.assert_array_equal(mdav_tree(points, 3, np.zeros(3)), mdav_packed(points, 3, np.zeros(3)))


def test_row_order_without_ties():
    """Where nothing ties, reordering the records reorders the groups with them."""
    points = np.random.default_rng(5).normal(size=(500, 3))
    order = np.random.default_rng(6).permutation(500)
    np.testing.assert_array_equal(mdav_tree(points, 4)[order], mdav_tree(points[order], 4))


def test_large_table_takes_the_tree():
    """A table past the crossover gives the same groups through `mdav` as through the packed loop."""
    points = np.random.default_rng(9).normal(size=(6000, 2)).round(2)
    np.testing.assert_array_equal(mdav(points, 3), mdav_packed(points, 3))


@pytest.mark.parametrize("algorithm", [mdav_packed, mdav_tree])
def test_input_is_kept(algorithm):
    """The kernels overwrite copies only."""
    points = np.asfortranarray(np.random.default_rng(4).normal(size=(300, 2)))
    before = points.copy()
    algorithm(points, 3)
    np.testing.assert_array_equal(points, before)


def random_tree(draw, n_nodes):
    """Parents of a random tree, each before its children, and whole edge weights."""
    parents = np.array([-1] + [int(draw.integers(0, v)) for v in range(1, n_nodes)], dtype=np.int32)
    return parents, draw.integers(1, 5, size=n_nodes).astype(float)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), p=st.integers(0, 2), q=st.integers(0, 3), k=st.integers(2, 5))
def test_mixed_textbook(seed, p, q, k):
    """Numbers and trees together equal the naive algorithm over path lengths; all scales powers of two."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 40))
    numeric = draw.integers(0, 6, size=(n, p)).astype(float)
    trees = [random_tree(draw, int(draw.integers(1, 12))) for _ in range(q)]
    nodes = np.column_stack([draw.integers(0, len(tree[0]), size=n) for tree in trees] or [np.empty((n, 0))])
    nodes = nodes.astype(np.int32)
    parents, weights = [tree[0] for tree in trees], [tree[1] for tree in trees]
    scales = 2.0 ** draw.integers(-2, 3, size=p + q)
    tables = [naive.path_lengths(*tree) for tree in trees]
    expected = naive.textbook_mdav(n, k, naive.mixed_distances(numeric, nodes, tables, scales))
    np.testing.assert_array_equal(mdav_mixed(numeric, nodes, parents, weights, scales, k), expected)


def test_mixed_without_trees_is_mdav():
    """Without trees the mixed kernel is the packed one."""
    points = np.random.default_rng(2).normal(size=(400, 3))
    nodes = np.empty((400, 0), dtype=np.int32)
    np.testing.assert_array_equal(mdav_mixed(points, nodes, [], [], np.ones(3), 3), mdav_packed(points, 3))


def test_mixed_by_hand():
    """Leaves 3, 4 below node 1 and 5, 6 below 2: siblings are 2 apart, cousins 6, as the weights say."""
    parents = np.array([-1, 0, 0, 1, 1, 2, 2], dtype=np.int32)
    weights = np.array([0.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0])
    nodes = np.array([[3], [5], [4], [6]], dtype=np.int32)
    assert mdav_mixed(np.empty((4, 0)), nodes, [parents], [weights], np.ones(1), 2).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("nodes", "parents", "weights"),
    [
        ([[0], [3]], [-1, 0, 0], [0.0, 1.0, 1.0]),
        ([[0], [1]], [-1, 2, 0], [0.0, 1.0, 1.0]),
        ([[0], [1]], [-1, 0, -1], [0.0, 1.0, 1.0]),
        ([[0], [1]], [-1, 0, 0], [0.0, 1.0]),
        ([[0], [1]], [-1, 0, 0], [0.0, -1.0, 1.0]),
        ([[0, 0], [1, 0]], [-1, 0, 0], [0.0, 1.0, 1.0]),
    ],
)
def test_mixed_refuses_bad_trees(nodes, parents, weights):
    """Nodes outside the tree, children before parents, two roots, missing or negative weights, columns too many."""
    trees = [np.array(parents, dtype=np.int32)], [np.array(weights)]
    with pytest.raises(ParameterError):
        mdav_mixed(np.empty((2, 0)), np.array(nodes, dtype=np.int32), *trees, np.ones(1), 2)


@settings(max_examples=100, deadline=None)
@given(table=small_tables(), gamma=st.sampled_from([0.0, 0.2, 1.0, 1.5]))
def test_vmdav_textbook(table, gamma):
    """V-MDAV equals the naive algorithm."""
    points, k = table
    expected = np.arange(len(points)) if k == 1 else naive.variable_mdav(points, k, gamma)
    np.testing.assert_array_equal(vmdav(points, k, gamma), expected)


def test_vmdav_large():
    """The same past one replanting of the tree, where groups do grow."""
    points = np.random.default_rng(1).normal(size=(250, 2)).round(3)
    labels = vmdav(points, 3, 1.0)
    np.testing.assert_array_equal(labels, naive.variable_mdav(points, 3, 1.0))
    assert set(np.bincount(labels)) >= {3, 4, 5}


def test_vmdav_follows_clusters():
    """Clusters of 3, 5 and 4 far apart are the groups, where MDAV with its fixed size mixes them."""
    points = np.array([0.0, 0.1, 0.2, 10.0, 10.1, 10.2, 10.3, 10.4, 30.0, 30.1, 30.2, 30.3])[:, None]
    assert vmdav(points, 3, 1.5).tolist() == [1] * 3 + [2] * 5 + [0] * 4
    assert np.bincount(mdav(points, 3)).tolist() == [3, 3, 3, 3]


@pytest.mark.parametrize("gamma", [-0.1, np.nan, np.inf])
def test_vmdav_refuses_bad_gamma(gamma):
    """gamma is finite and not negative."""
    with pytest.raises(ParameterError):
        vmdav(np.zeros((4, 1)), 2, gamma)


# -- ties at the centroid, in whole numbers ------------------------------------------------------------------------


GRIDS = st.integers(4, 16).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=n, max_size=n)
)


def squares_from_centroid(rows, left):
    """Squared distances from the centroid of those left times the square of their number: whole numbers, exact."""
    n = len(left)
    totals = [sum(rows[record][column] for record in left) for column in range(2)]
    return {
        record: sum((n * x - total) ** 2 for x, total in zip(rows[record], totals, strict=True))
        for record in left
    }


def squares_from(rows, reference, left):
    """Squared distances from a record."""
    return {
        record: sum((x - y) ** 2 for x, y in zip(rows[record], rows[reference], strict=True))
        for record in left
    }


def group_of(rows, seed, left, k):
    """A record and its k - 1 nearest of those left, ties to the lower row."""
    near = squares_from(rows, seed, left)
    return {seed, *sorted(left - {seed}, key=lambda record: (near[record], record))[: k - 1]}


def groups_after(rows, seed, left, k):
    """The groups of one step: that of the seed, and where there is room that of the record farthest from it."""
    first = group_of(rows, seed, left, k)
    if len(left) < 3 * k:
        return [first]
    rest = left - first
    far = squares_from(rows, seed, rest)
    return [first, group_of(rows, min(rest, key=lambda record: (-far[record], record)), rest, k)]


def seeds_of(rows, left):
    """Records whose distance from the centroid is greatest: more than one where it ties."""
    squares = squares_from_centroid(rows, left)
    greatest = max(squares.values())
    return [record for record in left if squares[record] == greatest]


@pytest.mark.parametrize("algorithm", [mdav_packed, mdav_tree])
@settings(deadline=None, max_examples=200)
@given(rows=GRIDS, k=st.integers(2, 3))
@example(rows=[(1, 1), (0, 2), (0, 2), (1, 1), (0, 1)], k=2)
def test_groups_are_those_of_exact_arithmetic_but_for_ties_at_the_centroid(algorithm, rows, k):
    """Where one place alone is farthest from the centroid the groups are the exact ones; else those of a tied place."""
    labels = algorithm(np.array(rows, dtype=float), k)
    left, number = set(range(len(rows))), 0
    while len(left) >= 2 * k:
        lowest = {rows[seed]: seed for seed in sorted(seeds_of(rows, left), reverse=True)}  # of equal records
        choices = [groups_after(rows, seed, left, k) for seed in lowest.values()]
        n_groups = len(choices[0])
        made = [{int(r) for r in np.flatnonzero(labels == number + i)} for i in range(n_groups)]
        assert made in choices
        left -= set().union(*made)
        number += n_groups
    assert {int(r) for r in np.flatnonzero(labels == number)} == left
