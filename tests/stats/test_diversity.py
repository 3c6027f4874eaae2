"""l-diversity and closeness of groups against the definitions written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from discreet.stats.diversity import (
    chi_square_closeness,
    distinct_diversity,
    entropy_diversity,
    equal_closeness,
    hierarchical_closeness,
    ordered_closeness,
    recursive_diversity,
    subtree_stops,
    tree_heights,
)
from discreet.stats.keys import Groups, group_codes

RECORDS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=25)
PARENT = np.array([-1, 0, 1, 1, 0, 4])  # a (b c) d (e): the codes are nodes 0 .. 5


def grouped(records):
    """Groups and sensitive codes of (group, code) pairs."""
    labels, codes = np.array(records, dtype=np.int64).T
    return group_codes([labels], len(codes)), codes


def shares(codes, n_codes=6):
    """Share of each code."""
    return np.bincount(codes, minlength=n_codes) / len(codes)


def transport(ground, have, want):
    """Least cost of turning one distribution into another, by linear programming."""
    n = len(have)
    rows = [np.kron(np.eye(n)[i], np.ones(n)) for i in range(n)] + [
        np.tile(np.eye(n)[j], n) for j in range(n)
    ]
    answer = linprog(ground.ravel(), A_eq=np.array(rows), b_eq=np.concatenate([have, want]))
    return answer.fun


def tree_ground():
    """height(lowest common ancestor) / height(root) between the nodes, inner ones hanging to the leaves."""
    above = [{0}, {0, 1}, {0, 1, 2}, {0, 1, 3}, {0, 4}, {0, 4, 5}]
    heights = tree_heights(PARENT)
    ground = np.zeros((6, 6))
    for x in range(6):
        for y in range(6):
            if x != y:
                ground[x, y] = heights[max(above[x] & above[y])] / heights[0]
    return ground


@settings(deadline=None, max_examples=40)
@given(RECORDS)
def test_closeness_is_the_earth_movers_distance(records):
    """All three distances equal the transport problem solved for each group."""
    groups, codes = grouped(records)
    line = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) / 5
    cases = {
        "equal": (1 - np.eye(6), equal_closeness(groups, codes, 6)),
        "ordered": (line, ordered_closeness(groups, codes, 6)),
        "tree": (tree_ground(), hierarchical_closeness(groups, codes, PARENT)),
    }
    for name, (ground, found) in cases.items():
        for g in range(groups.n_groups):
            expected = transport(ground, shares(codes[groups.labels == g]), shares(codes))
            assert found[g] == pytest.approx(expected, abs=1e-7), name
            assert 0 <= found[g] <= 1 + 1e-12


@given(RECORDS)
def test_diversity_by_definition(records):
    """Distinct, entropy and recursive l of each group from its counts."""
    groups, codes = grouped(records)
    distinct, entropy = distinct_diversity(groups, codes), entropy_diversity(groups, codes)
    recursive = recursive_diversity(groups, codes, 1.5)
    for g in range(groups.n_groups):
        counts = np.sort(np.bincount(codes[groups.labels == g]))[::-1]
        counts = counts[counts > 0]
        share = counts / counts.sum()
        assert distinct[g] == len(counts)
        assert entropy[g] == pytest.approx(np.exp(-(share * np.log(share)).sum()))
        holds = [level for level in range(2, len(counts) + 1) if counts[0] < 1.5 * counts[level - 1 :].sum()]
        assert recursive[g] == max(holds, default=1)


@given(RECORDS)
def test_chi_square_by_definition(records):
    """Sum of (count - expected)^2 / expected over the codes that occur."""
    groups, codes = grouped(records)
    whole = np.bincount(codes, minlength=6)
    for g, found in enumerate(chi_square_closeness(groups, codes, 6)):
        counts = np.bincount(codes[groups.labels == g], minlength=6)
        expected = whole * counts.sum() / whole.sum()
        seen = expected > 0
        assert found == pytest.approx(((counts - expected)[seen] ** 2 / expected[seen]).sum(), abs=1e-9)


def test_a_group_like_the_file_is_exactly_close():
    """One group, or groups with the shares of the file, attain 0 without rounding noise."""
    codes = np.tile([0, 0, 1, 2, 5, 3, 3], 3)
    groups = group_codes([np.repeat([0, 1, 2], 7)], 21)
    for found in (
        equal_closeness(groups, codes, 6),
        ordered_closeness(groups, codes, 6),
        hierarchical_closeness(groups, codes, PARENT),
        chi_square_closeness(groups, codes, 6),
    ):
        assert found.tolist() == [0.0, 0.0, 0.0]


def test_weights_stand_for_repeated_records():
    """Weights 1, 2, 3 give what records written 1, 2, 3 times give."""
    labels, codes, weights = np.array([0, 0, 1, 1]), np.array([0, 3, 3, 5]), np.array([1, 2, 3, 1])
    times = np.repeat(np.arange(4), weights)
    once, often = Groups(labels, 2), Groups(labels[times], 2)
    for measure in (equal_closeness, ordered_closeness):
        weighted = measure(once, codes, 6, weights.astype(float))
        assert weighted == pytest.approx(measure(often, codes[times], 6))
    weighted = hierarchical_closeness(once, codes, PARENT, weights.astype(float))
    assert weighted == pytest.approx(hierarchical_closeness(often, codes[times], PARENT))


def test_shape_of_trees():
    """Heights and ends of subtrees of a chain, a star and a single node."""
    assert tree_heights(np.array([-1, 0, 1])).tolist() == [2, 1, 0]
    assert subtree_stops(np.array([-1, 0, 0])).tolist() == [3, 2, 3]
    assert tree_heights(np.array([-1])).tolist() == [0]
    assert hierarchical_closeness(Groups(np.array([0]), 1), np.array([0]), np.array([-1])).tolist() == [0.0]
