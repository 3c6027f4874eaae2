"""The box search against all pairs: distances, counts in rings, lists; and what must not change an answer."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.kernels import nearest as kernel
from discreet.kernels.nearest import (
    Trees,
    build_boxes,
    count_rings,
    list_rings,
    nearest_entries,
    pair_distances,
)

TREE = Trees(np.array([-1, 0, 1, 1, 0, 4]), np.array([0.0, 2.0, 1.0, 1.0, 2.0, 0.5]), np.array([0, 6]))
NO_TREE = Trees(np.empty(0, dtype=np.int64), np.empty(0), np.zeros(1, dtype=np.int64))


def boxes_over(targets, nodes):
    """Boxes whose entries are the different rows, by first appearance."""
    seen: dict[tuple, int] = {}
    rows = [(*row, *codes) for row, codes in zip(targets.tolist(), nodes.tolist(), strict=True)]
    labels = np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)
    return build_boxes(targets, nodes, labels, len(seen)), labels


def smallest_distances(boxes, tree, points, nodes, skip=None):
    """Squared distances of the nearest entries alone."""
    return nearest_entries(boxes, tree, points, nodes, skip)[:, 0]


def path(tree, x, y):
    """Weight between two nodes, by walking up."""
    total = 0.0
    while x != y:
        x, y = max(x, y), min(x, y)
        total += tree.weight[x]
        x = tree.parent[x]
    return total


def all_pairs(tree, points, nodes, targets, target_nodes):
    """Squared distances of every query to every target."""
    out = ((points[:, None, :] - targets[None, :, :]) ** 2).sum(axis=2)
    for i in range(len(points)):
        for j in range(len(targets)):
            out[i, j] += sum(path(tree, x, y) for x, y in zip(nodes[i], target_nodes[j], strict=True))
    return out


def random_case(n_columns, n_trees, n_queries=70, n_targets=150):
    """Queries and targets on a coarse grid, so that there are many ties."""
    rng = np.random.default_rng(n_columns + 10 * n_trees)
    points = rng.integers(0, 4, (n_queries, n_columns)).astype(float)
    targets = rng.integers(0, 4, (n_targets, n_columns)).astype(float)
    nodes = rng.integers(0, 6, (n_queries, n_trees)).astype(np.int32)
    target_nodes = rng.integers(0, 6, (n_targets, n_trees)).astype(np.int32)
    return (TREE if n_trees else NO_TREE), points, nodes, targets, target_nodes


@pytest.mark.parametrize(("n_columns", "n_trees"), [(1, 0), (3, 0), (7, 0), (2, 1), (0, 1)])
def test_search_equals_all_pairs(n_columns, n_trees):
    """Least distance, counts inside and on the ring, lowest tied row and the list of tied rows."""
    tree, points, nodes, targets, target_nodes = random_case(n_columns, n_trees)
    expected = all_pairs(tree, points, nodes, targets, target_nodes)
    boxes, labels = boxes_over(targets, target_nodes)
    found = smallest_distances(boxes, tree, points, nodes)
    assert found == pytest.approx(expected.min(axis=1))
    many = (expected <= expected.min(axis=1, keepdims=True) + 1e-9).sum(axis=1)
    whole = nearest_entries(boxes, tree, points, nodes)
    alone = whole[:, 1] > whole[:, 0] + 1e-6
    assert whole[alone, 2].tolist() == many[alone].tolist()
    assert (whole[~alone, 2] < many[~alone]).all()
    rings = np.stack([found + 0.5, found + 2.5, np.full(70, np.inf), *np.full((2, 70), -1.0)], axis=1)
    closer, tied, lowest, n_entries = count_rings(boxes, tree, points, nodes, rings).T
    on_ring = (expected >= rings[:, :1]) & (expected <= rings[:, 1:2])
    assert closer.tolist() == (expected < rings[:, :1]).sum(axis=1).tolist()
    assert tied.tolist() == on_ring.sum(axis=1).tolist()
    first = [row.argmax() if row.any() else -1 for row in on_ring]
    assert lowest.tolist() == first
    assert n_entries.tolist() == [len(set(labels[row])) for row in on_ring]
    inside = [sorted(set(labels[row].tolist())) for row in expected <= rings[:, 1:2]]
    listed = list_rings(boxes, tree, points, nodes, rings, np.array([len(row) for row in inside]))
    assert listed.tolist() == [entry for row in inside for entry in row]


def test_skipped_rows_are_left_out():
    """With its own row skipped, a record's nearest is another one, perhaps an equal; a lone record has none."""
    points = np.array([[0.0], [3.0], [3.0]])
    nodes = np.empty((3, 0), dtype=np.int32)
    boxes, labels = boxes_over(points, nodes)
    skip = np.stack([np.arange(3), labels], axis=1)
    found = nearest_entries(boxes, NO_TREE, points, nodes, skip)
    assert found[:, [0, 2, 3]].tolist() == [[9.0, 2, 1], [0.0, 1, 2], [0.0, 1, 1]]
    rings = np.stack([np.zeros(3), np.full(3, 1e-9), np.ones(3), np.arange(3.0), labels], axis=1)
    assert count_rings(boxes, NO_TREE, points, nodes, rings).tolist() == [
        [0, 0, -1, 0],
        [0, 1, 2, 1],
        [0, 1, 1, 1],
    ]
    lone, labels = boxes_over(points[:1], nodes[:1])
    assert smallest_distances(
        lone, NO_TREE, points[:1], nodes[:1], np.zeros((1, 2), dtype=np.int64)
    ).tolist() == [np.inf]


def test_pairs_are_added_up_as_in_the_search():
    """The distance to a record's own target is bitwise the one that the search finds for it."""
    rng = np.random.default_rng(3)
    points, targets = rng.normal(size=(2, 200, 6)) * 1e3
    nodes = rng.integers(0, 6, (200, 1)).astype(np.int32)
    own = pair_distances(TREE, points, nodes, targets, nodes[::-1].copy())
    for i in range(0, 200, 20):
        alone, _ = boxes_over(targets[i : i + 1], nodes[::-1][i : i + 1])
        assert smallest_distances(alone, TREE, points[i : i + 1], nodes[i : i + 1])[0] == own[i]


def test_blocks_and_threads_change_nothing(monkeypatch):
    """One block or many, one thread or many: the same bytes."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(500, 4))
    nodes = np.empty((500, 0), dtype=np.int32)
    boxes, _ = boxes_over(points, nodes)
    skip = np.stack([np.arange(500)] * 2, axis=1)
    whole = smallest_distances(boxes, NO_TREE, points, nodes, skip)
    monkeypatch.setattr(kernel, "_BLOCK", 7)
    assert (smallest_distances(boxes, NO_TREE, points, nodes, skip) == whole).all()
    monkeypatch.setattr(kernel.os, "cpu_count", lambda: 5)
    assert (smallest_distances(boxes, NO_TREE, points, nodes, skip) == whole).all()


def test_equal_records_by_the_thousand():
    """Five thousand equal records are one entry, counted completely."""
    points = np.zeros((5000, 3))
    nodes = np.empty((5000, 0), dtype=np.int32)
    boxes, _ = boxes_over(points, nodes)
    rings = np.array([[0.0, 1e-18, 1.0, -1.0, -1.0]])
    assert count_rings(boxes, NO_TREE, points[:1], nodes[:1], rings).tolist() == [[0, 5000, 0, 1]]


def test_no_targets():
    """Without targets the nearest is infinitely far."""
    boxes, _ = boxes_over(np.empty((0, 2)), np.empty((0, 0), dtype=np.int32))
    query = np.zeros((1, 2))
    assert smallest_distances(boxes, NO_TREE, query, np.empty((1, 0), dtype=np.int32)).tolist() == [np.inf]
