"""Statistics on trees against their definitions, on hand-checked and on random trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.tree import (
    common_ancestors,
    distances,
    distances_from,
    edge_weights,
    from_root,
    greatest_depth,
    marginality,
    marginality_under,
    mean_m,
    node_counts,
    roll_up,
    subtree_counts,
    var_m,
    variance_h,
)
from discreet.stats.tree_covariance import OnTree, covar_m, hcorr, hcov
from discreet.stats.tree_order import adaptive_blocks, category_order, collisions, nearest_category
from discreet.stats.tree_semantic import semantic_distances

Tree = tuple[Ints, Ints]


def tree_of_depths(depths: list[int]) -> Tree:
    """(parent, depth) of the preorder with these depths."""
    parent, path = [], []
    for node, depth in enumerate(depths):
        parent.append(path[depth - 1] if depth else -1)
        path[depth:] = [node]
    return np.array(parent), np.array(depths)


# 0 > 1 > (2, 3); 0 > 4; 0 > 5 > 6
PARENT, DEPTH = tree_of_depths([0, 1, 2, 2, 1, 1, 2])
COUNTS = np.array([0.0, 1.0, 2.0, 2.0, 3.0, 0.0, 0.0])


@st.composite
def trees(draw: st.DrawFn, most: int = 15) -> Tree:
    """Random trees in preorder, drawn as depths."""
    depths = [0]
    for _ in range(draw(st.integers(0, most))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    return tree_of_depths(depths)


@st.composite
def trees_with_records(draw: st.DrawFn) -> tuple[Ints, Ints, Ints]:
    """(parent, depth, node of each record)."""
    parent, depth = draw(trees())
    nodes = draw(st.lists(st.integers(0, len(parent) - 1), min_size=1, max_size=12))
    return parent, depth, np.array(nodes)


def naive_distance(parent: Ints, weight: Floats, x: int, y: int) -> float:
    """Weight of the edges on exactly one of the two ways to the root."""

    def edges(node: int) -> set[int]:
        return set() if parent[node] < 0 else {node} | edges(int(parent[node]))

    return float(sum(weight[edge] for edge in edges(x) ^ edges(y)))


def images(parent: Ints, weight: Floats) -> Floats:
    """phi: a row per node, a column per edge, sqrt(weight) where the node lies below the edge."""
    below = np.eye(len(parent))
    for node in range(1, len(parent)):
        below[node] += below[parent[node]]
    return below * np.sqrt(weight)


def fitted(parent: Ints, depth: Ints, nodes: Ints, kind: Any = "pow2") -> tuple[Floats, Floats]:
    """(counts, weights) of records on a tree."""
    counts = node_counts(nodes, len(parent))
    return counts, edge_weights(parent, depth, counts, kind=kind)


KINDS = st.sampled_from(["pow2", "uniform", "ic"])


# ---------------------------------------------------------------------- counts and weights


def test_counts_go_up_and_sums_go_down() -> None:
    """Subtree sums and sums from the root of the tree above; the arguments stay as they were."""
    counts = COUNTS.copy()
    assert subtree_counts(PARENT, counts).tolist() == [8, 5, 2, 2, 3, 0, 0]
    assert from_root(PARENT, [0, 1, 10, 20, 2, 3, 30]).tolist() == [0, 1, 11, 21, 2, 3, 33]
    assert counts.tolist() == COUNTS.tolist()


def test_node_counts_are_sums_of_weights() -> None:
    """Each record counts 1 or its survey weight."""
    nodes = np.array([2, 0, 2], dtype=np.int32)
    assert node_counts(nodes, 4).tolist() == [1, 0, 2, 0]
    assert node_counts(nodes, 4, np.array([0.5, 3.0, 1.0])).tolist() == [3, 0, 1.5, 0]


def test_pow2_weights() -> None:
    """1 at the deepest sampled level, halves below it, doubles above it, none above the root."""
    assert edge_weights(PARENT, DEPTH, COUNTS).tolist() == [0, 2, 1, 1, 2, 2, 1]
    shallow = np.array([0, 1, 0, 0, 3, 0, 0])
    assert greatest_depth(DEPTH, shallow) == 1
    assert edge_weights(PARENT, DEPTH, shallow).tolist() == [0, 1, 0.5, 0.5, 1, 1, 0.5]


def test_weights_of_the_original_serve_its_subsamples() -> None:
    """L is that of the file it was fitted on: without it, losing the deepest code halves every number."""
    shallow = np.array([0, 1, 0, 0, 3, 0, 0])
    assert edge_weights(PARENT, DEPTH, shallow, deepest=2).tolist() == [0, 2, 1, 1, 2, 2, 1]


def test_levelled_leaves() -> None:
    """Leaves, and sampled nodes with no sampled ones below, weigh as a chain down to depth L."""
    counts = np.array([0, 0, 2, 0, 3, 1, 0])
    levelled = edge_weights(PARENT, DEPTH, counts, level_leaves=True)
    assert levelled.tolist() == [0, 2, 1, 1, 3, 3, 1]  # 4 is a leaf, 5 has no sampled node below
    assert edge_weights(PARENT, DEPTH, [0, 0, 2, 0, 3, 1, 1], level_leaves=True).tolist()[5] == 2


def test_information_weights() -> None:
    """The step down to v loses ln((below parent + 1) / (below v + 1))."""
    weight = edge_weights(PARENT, DEPTH, COUNTS, kind="ic")
    np.testing.assert_allclose(weight, np.log([1, 9 / 6, 6 / 3, 6 / 3, 9 / 4, 9, 1]))


@pytest.mark.parametrize("parent", [[], [0], [-1, 1], [-1, -1], [-1, 0, 5]])
def test_arrays_that_are_no_preorder_are_refused(parent: list[int]) -> None:
    """The kernels would read outside the array."""
    with pytest.raises(ParameterError, match="parent must be"):
        subtree_counts(np.array(parent, dtype=np.int64), np.zeros(len(parent)))


def test_values_must_fit_the_nodes() -> None:
    """One value per node."""
    with pytest.raises(ParameterError, match="one value per node"):
        subtree_counts(PARENT, [1.0, 2.0])


def test_choices_are_checked() -> None:
    """Names of weights, means and orders that do not exist."""
    wrong: Any = "no such"
    asks: list[Callable[[], Any]] = [
        lambda: edge_weights(PARENT, DEPTH, COUNTS, kind=wrong),
        lambda: mean_m(COUNTS, COUNTS, over=wrong),
        lambda: category_order(PARENT, COUNTS, COUNTS, by=wrong),
        lambda: semantic_distances(wrong, PARENT, DEPTH, np.array([1])),
        lambda: semantic_distances("lin", PARENT, DEPTH, np.array([1])),
    ]
    for ask in asks:
        with pytest.raises(ParameterError):
            ask()


def test_a_tree_without_records_is_refused() -> None:
    """Nothing can be said about no records."""
    none = np.zeros(7)
    for ask in (lambda: variance_h(PARENT, DEPTH * 1.0, none), lambda: mean_m(none, none)):
        with pytest.raises(UnsuitableError, match="no records"):
            ask()


# ---------------------------------------------------------------------- marginality


@given(trees_with_records(), KINDS)
def test_marginality_is_the_sum_of_distances(data: tuple[Ints, Ints, Ints], kind: Any) -> None:
    """Of every node, also of those without records: O(nodes) equals the O(n^2) definition."""
    parent, depth, nodes = data
    counts, weight = fitted(parent, depth, nodes, kind)
    expected = [sum(naive_distance(parent, weight, v, x) for x in nodes) for v in range(len(parent))]
    np.testing.assert_allclose(marginality_under(parent, weight, counts), expected, atol=1e-12)


@given(trees_with_records())
def test_whole_numbers_are_exact(data: tuple[Ints, Ints, Ints]) -> None:
    """Under Algorithm 1's weights the two ways agree to the last bit."""
    parent, depth, nodes = data
    counts, weight = fitted(parent, depth, nodes)
    expected = [sum(naive_distance(parent, weight, v, x) for x in nodes) for v in range(len(parent))]
    assert marginality(parent, depth, counts).tolist() == expected


@given(trees_with_records(), KINDS)
def test_variance_of_the_images(data: tuple[Ints, Ints, Ints], kind: Any) -> None:
    """V_H = Var_M / 2n = the trace of the covariance of phi."""
    parent, depth, nodes = data
    counts, weight = fitted(parent, depth, nodes, kind)
    m = marginality_under(parent, weight, counts)
    found = variance_h(parent, weight, counts)
    np.testing.assert_allclose(found, var_m(m, counts) / (2 * len(nodes)), atol=1e-12)
    np.testing.assert_allclose(found, images(parent, weight)[nodes].var(axis=0).sum(), atol=1e-12)


@given(trees_with_records(), st.integers(0, 14))
def test_one_more_record_of_a_category_leaves_its_marginality(
    data: tuple[Ints, Ints, Ints], which: int
) -> None:
    """Under the same L: the new record is at distance 0 from the others of its category."""
    parent, depth, nodes = data
    node = which % len(parent)
    counts = node_counts(nodes, len(parent))
    level = greatest_depth(depth, counts)
    more = counts + (np.arange(len(parent)) == node)
    before = marginality(parent, depth, counts, deepest=level)
    after = marginality(parent, depth, more, deepest=level)
    assert after[node] == before[node]
    assert (after >= before).all()


def test_survey_weights_are_repetitions() -> None:
    """A record of weight 3 is three records; all statistics agree."""
    counts = node_counts(np.array([2, 4]), 7, np.array([3.0, 2.0]))
    repeated = node_counts(np.array([2, 2, 2, 4, 4]), 7)
    assert (counts == repeated).all()
    assert marginality(PARENT, DEPTH, counts)[0] == 3 * 3 + 2 * 2


def test_flat_trees_give_the_gini_index() -> None:
    """m(x) = 2 (n - n_x) and V_H = 1 - sum p^2 for categories without a hierarchy."""
    parent, depth = tree_of_depths([0, 1, 1, 1])
    counts = np.array([0, 5, 3, 2])
    weight = edge_weights(parent, depth, counts)
    assert marginality(parent, depth, counts)[1:].tolist() == [10, 14, 16]
    assert variance_h(parent, weight, counts) == pytest.approx(1 - (0.25 + 0.09 + 0.04), rel=1e-12)


def test_mean_reports_all_ties() -> None:
    """Over sampled categories all that tie, in preorder; over the tree perhaps a node no record holds."""
    parent, depth = tree_of_depths([0, 1, 1, 1])
    counts = np.array([0, 2, 2, 2])
    m = marginality(parent, depth, counts)
    assert mean_m(m, counts).nodes.tolist() == [1, 2, 3]
    assert mean_m(m, counts).value == 8
    assert mean_m(m, counts, over="tree").nodes.tolist() == [0]
    assert mean_m(m, counts, over="tree").value == 6


# ---------------------------------------------------------------------- distances


@given(trees_with_records(), KINDS)
def test_distance_is_a_squared_euclidean_distance(data: tuple[Ints, Ints, Ints], kind: Any) -> None:
    """d(x, y) = ||phi(x) - phi(y)||^2, hence sqrt d is a metric."""
    parent, depth, nodes = data
    _, weight = fitted(parent, depth, nodes, kind)
    every = np.arange(len(parent))
    phi = images(parent, weight)
    expected = ((phi[:, None] - phi[None, :]) ** 2).sum(axis=2)
    found = distances(parent, weight, every[:, None], every[None, :])
    np.testing.assert_allclose(found, expected, atol=1e-12)
    root = np.sqrt(np.maximum(found, 0))
    assert (root[:, :, None] <= root[:, None, :] + root.T[None, :, :] + 1e-9).all()


@given(trees_with_records(), KINDS)
def test_one_table_holds_all_distances_from_a_node(data: tuple[Ints, Ints, Ints], kind: Any) -> None:
    """The top-down table equals the path weights."""
    parent, depth, nodes = data
    _, weight = fitted(parent, depth, nodes, kind)
    every = np.arange(len(parent))
    for node in every.tolist():
        expected = distances(parent, weight, np.array(node), every)
        np.testing.assert_allclose(distances_from(parent, weight, node), expected, atol=1e-12)


def test_each_pair_with_its_own_pruned_tree_is_no_metric() -> None:
    """Codes 250, 250.83 and 251: weights of the pair's own tree give sqrt 11 > sqrt 3 + sqrt 2."""
    # root > chapter > block > (250 > 250.8 > 250.83), 251
    parent, depth = tree_of_depths([0, 1, 2, 3, 4, 5, 3])
    own = []
    for x, y in ((3, 5), (3, 6), (5, 6)):
        weight = edge_weights(parent, depth, node_counts(np.array([x, y]), 7))
        own.append(float(distances(parent, weight, np.array(x), np.array(y))))
    assert own == [3, 2, 11]


@given(trees(), st.data())
def test_common_ancestors_of_pairs(tree: Tree, data: st.DataObject) -> None:
    """Vectorised, equal to intersecting the ways to the root; 32-bit nodes work too."""
    parent, _ = tree
    pick = st.lists(st.integers(0, len(parent) - 1), min_size=4, max_size=4)
    x, y = (np.array(data.draw(pick), dtype=np.int32) for _ in range(2))

    def way(node: int) -> set[int]:
        return {node} if parent[node] < 0 else {node} | way(int(parent[node]))

    expected = [max(way(a) & way(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    assert common_ancestors(parent, x, y).tolist() == expected


# ---------------------------------------------------------------------- orders, ties, rare categories


def test_orders() -> None:
    """By marginality, by the tree, and by the tree with siblings sorted by marginality."""
    m = np.array([9.0, 5.0, 4.0, 3.0, 3.0, 1.0, 8.0])
    held = np.array([0, 1, 1, 1, 1, 1, 1])
    assert category_order(PARENT, m, held).tolist() == [5, 3, 4, 2, 1, 6]
    assert category_order(PARENT, m, held, by="tree").tolist() == [1, 2, 3, 4, 5, 6]
    assert category_order(PARENT, m, held, by="sibling").tolist() == [5, 6, 4, 1, 3, 2]


@given(trees_with_records())
def test_sibling_order_keeps_subtrees_together(data: tuple[Ints, Ints, Ints]) -> None:
    """Against a plain depth-first walk with sorted children."""
    parent, depth, nodes = data
    counts = node_counts(nodes, len(parent))
    m = marginality(parent, depth, counts)

    def walk(node: int) -> list[int]:
        children = sorted(np.flatnonzero(parent == node).tolist(), key=lambda child: (m[child], child))
        return [node, *(below for child in children for below in walk(child))]

    expected = [node for node in walk(0) if counts[node] > 0]
    assert category_order(parent, m, counts, by="sibling").tolist() == expected


def test_collisions() -> None:
    """Siblings 2 and 3 tie with each other and with 6; 5 ties with none."""
    m = np.array([0.0, 7.0, 3.0, 3.0, 3.0, 1.0, 3.0])
    found = collisions(PARENT, m, np.array([5, 0, 2, 1, 0, 4, 6]))
    assert (found.categories, found.distinct_marginalities) == (5, 3)
    assert (found.tied_categories, found.tied_records, found.largest_tie) == (3, 9, 3)
    assert (found.tied_pairs, found.tied_pairs_siblings, found.one_to_one) == (3, 1, False)


def test_rolling_up_takes_along_what_came_from_below() -> None:
    """2 goes to 1, which is then big enough; 6 goes to 5, which is not and goes on to the root."""
    counts = [4, 1, 1, 5, 3, 0, 1]
    assert roll_up(PARENT, counts, 2).tolist() == [0, 1, 1, 3, 4, 0, 0]


def test_rolling_up_past_an_empty_node() -> None:
    """Records stop on the first node where there are enough, also one that had none."""
    assert roll_up(PARENT, [0, 0, 1, 1, 3, 0, 0], 2).tolist() == [0, 1, 1, 1, 4, 5, 6]


def test_a_root_left_with_too_few_is_refused() -> None:
    """There is nowhere further to go."""
    with pytest.raises(UnsuitableError, match="Lower min_count"):
        roll_up(PARENT, [0, 0, 1, 9, 9, 0, 0], 3)


@given(trees_with_records(), st.integers(1, 4))
def test_rolling_up_leaves_no_rare_category(data: tuple[Ints, Ints, Ints], least: int) -> None:
    """Records only move up, none is lost, and what is left holds enough, or the root says no."""
    parent, _, nodes = data
    counts = node_counts(nodes, len(parent))
    try:
        target = roll_up(parent, counts, least)
    except UnsuitableError:
        return
    after = node_counts(target, len(parent), counts)
    assert after.sum() == counts.sum()
    assert (after[after > 0] >= least).all()
    assert (common_ancestors(parent, np.arange(len(parent)), target) == target).all()


def test_blocks_grow_until_they_hold_enough() -> None:
    """The smallest subtree with the wanted number of sampled categories, at most the whole tree."""
    held = np.array([0, 1, 1, 0, 1, 0, 0])
    assert adaptive_blocks(PARENT, held, 2).tolist() == [0, 1, 1, 1, 0, 0, 0]
    assert adaptive_blocks(PARENT, held, 9).tolist() == [0] * 7


def test_nearest_category_breaks_ties_in_the_tree() -> None:
    """Equal gaps: nearest to the original, then preorder."""
    m = np.array([0.0, 9.0, 4.0, 6.0, 6.0, 9.0, 4.0])
    weight = edge_weights(PARENT, DEPTH, COUNTS)
    assert nearest_category(PARENT, weight, m, np.array([2, 3, 4, 6]), 3, 5.0) == 3
    assert nearest_category(PARENT, weight, m, np.array([6, 4, 2]), 5, 5.0) == 6
    assert nearest_category(PARENT, weight, m, np.array([4, 2]), 0, 5.9) == 4
    with pytest.raises(ParameterError, match="candidates"):
        nearest_category(PARENT, weight, m, np.array([], dtype=np.int64), 0, 1.0)


# ---------------------------------------------------------------------- covariance


@st.composite
def columns(draw: st.DrawFn) -> tuple[OnTree, OnTree, Floats, Floats]:
    """Two taxonomic columns, a numeric one, record weights."""
    n_records = draw(st.integers(1, 10))
    placed = []
    for _ in range(2):
        parent, depth = draw(trees(8))
        node = st.integers(0, len(parent) - 1)
        nodes = np.array(draw(st.lists(node, min_size=n_records, max_size=n_records)))
        placed.append(OnTree(parent, fitted(parent, depth, nodes)[1], nodes))
    number = st.lists(st.integers(-9, 9), min_size=n_records, max_size=n_records)
    positive = st.lists(st.integers(1, 5), min_size=n_records, max_size=n_records)
    return placed[0], placed[1], np.array(draw(number), dtype=float), np.array(draw(positive), dtype=float)


@given(columns(), st.booleans())
def test_hcov_is_the_norm_of_a_cross_covariance(
    data: tuple[OnTree, OnTree, Floats, Floats], weighted: bool
) -> None:
    """Against the covariance matrix of the images, with and without weights, for every pair of kinds."""
    x, y, numbers, weights = data
    phi = [images(column.parent, column.weight)[column.nodes] for column in (x, y)] + [numbers[:, None]]
    share = weights / weights.sum() if weighted else np.full(len(weights), 1 / len(weights))
    centred = [image - share @ image for image in phi]
    kinds: list[Any] = [x, y, numbers]
    for i in range(3):
        for j in range(3):
            expected = np.linalg.norm(centred[i].T @ (share[:, None] * centred[j]))
            found = hcov(kinds[i], kinds[j], weights if weighted else None)
            assert found == pytest.approx(expected, abs=1e-9)


@given(columns())
def test_hcorr_lies_between_0_and_1(data: tuple[OnTree, OnTree, Floats, Floats]) -> None:
    """It is 1 of a column with itself, |Pearson| of numbers, undefined for constants."""
    x, y, numbers, _ = data
    for one, other in ((x, y), (x, numbers), (y, numbers)):
        value = hcorr(one, other)
        assert np.isnan(value) or -1e-9 <= value <= 1 + 1e-9
    own = hcorr(x, x)
    assert np.isnan(own) == (len(set(x.nodes.tolist())) == 1)
    assert np.isnan(own) or own == pytest.approx(1.0)
    if numbers.std() > 0 and len(set(numbers)) > 1:
        other = numbers**2
        if other.std() > 0:
            expected = abs(np.corrcoef(numbers, other)[0, 1])
            assert hcorr(numbers, other) == pytest.approx(expected, abs=1e-9)


def test_paper_covariance() -> None:
    """Mean of sqrt(m m'), centred or not, weighted or not."""
    m_x, m_y = np.array([1.0, 4.0, 4.0]), np.array([9.0, 4.0, 4.0])
    assert covar_m(m_x, m_y) == pytest.approx((3 + 4 + 4) / 3)
    assert covar_m(m_x, m_y, centred=True) == pytest.approx(11 / 3 - (5 / 3) * (7 / 3))
    assert covar_m(m_x[:2], m_y[:2], np.array([1.0, 2.0])) == pytest.approx(11 / 3)


def test_columns_must_be_equally_long() -> None:
    """And not empty."""
    column = OnTree(PARENT, np.ones(7), np.array([1, 2]))
    with pytest.raises(ParameterError, match="as many records"):
        hcov(column, np.zeros(3))
    with pytest.raises(ParameterError, match="needs records"):
        hcov(np.zeros(0), np.zeros(0))


# ---------------------------------------------------------------------- semantic distances


@given(trees_with_records(), st.sampled_from(["path", "wu_palmer", "leacock_chodorow", "sanchez"]))
def test_structural_distances_against_sets_of_ancestors(data: tuple[Ints, Ints, Ints], kind: Any) -> None:
    """Every formula written with the sets themselves."""
    parent, depth, nodes = data

    def way(node: int) -> set[int]:
        return {node} if parent[node] < 0 else {node} | way(int(parent[node]))

    found = semantic_distances(kind, parent, depth, nodes)
    for i, x in enumerate(nodes.tolist()):
        for j, y in enumerate(nodes.tolist()):
            union, common = way(x) | way(y), way(x) & way(y)
            apart = len(union) - len(common)
            expected = {
                "path": apart,
                "wu_palmer": 1 - 2 * (len(common) - 1) / max(depth[x] + depth[y], 1) if x or y else 0.0,
                "leacock_chodorow": np.log(1 + apart) / np.log(1 + 2 * max(depth.max(), 1)),
                "sanchez": np.log2(1 + apart / len(union)),
            }[kind]
            assert found[i, j] == pytest.approx(expected, abs=1e-12)


@given(trees_with_records())
def test_information_distances(data: tuple[Ints, Ints, Ints]) -> None:
    """Jiang-Conrath is the path weight under information weights; Lin is its share of the information."""
    parent, depth, nodes = data
    counts, weight = fitted(parent, depth, nodes, "ic")
    path = distances(parent, weight, nodes[:, None], nodes[None, :])
    below = subtree_counts(parent, counts)
    information = np.log((len(nodes) + 1) / (below[nodes] + 1))
    total = information[:, None] + information[None, :]
    lin = semantic_distances("lin", parent, depth, nodes, counts)
    np.testing.assert_allclose(
        semantic_distances("jiang_conrath", parent, depth, nodes, counts), path, atol=1e-12
    )
    np.testing.assert_allclose(lin * total, np.where(total > 0, path, 0.0), atol=1e-12)


def test_semantic_distances_are_symmetric_with_zero_diagonal() -> None:
    """All six kinds on the small tree, 0 exactly on the diagonal."""
    kinds: list[Any] = ["path", "wu_palmer", "leacock_chodorow", "lin", "sanchez", "jiang_conrath"]
    for kind in kinds:
        found = semantic_distances(kind, PARENT, DEPTH, np.arange(7), COUNTS)
        assert (np.diag(found) == 0).all()
        np.testing.assert_array_equal(found, found.T)
        assert found[2, 4] > 0
