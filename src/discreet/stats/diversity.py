"""How varied a sensitive column is inside each group, and how far from the whole file: l-diversity and
t-closeness.

Functions of group labels (0 .. n_groups - 1) and sensitive codes (0 .. n_codes - 1); one value per group.
Measures of risk report them, claims compare them with what was promised.

Machanavajjhala et al. (2007) for distinct, entropy and recursive (c, l)-diversity; Li, Li and
Venkatasubramanian (2007) for the earth mover's distances of t-closeness.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.errors import ParameterError
from discreet.kernels.frequencies import label_keys
from discreet.stats.keys import Groups, first_rows, group_codes


def cell_counts(groups: Groups, codes: Ints) -> tuple[Ints, Ints, Ints]:
    """Occupied cells of the group x code table: their group, code and count (sparse, in order of
    appearance).
    """
    cells = group_codes([groups.labels, codes], len(codes))
    first = first_rows(cells)
    return groups.labels[first], np.asarray(codes[first], dtype=np.int64), cells.sizes


def distinct_diversity(groups: Groups, codes: Ints) -> Ints:
    """Number of different sensitive codes in each group.

    >>> groups = Groups(np.array([0, 0, 1, 1]), 2)
    >>> distinct_diversity(groups, np.array([4, 5, 4, 4])).tolist()
    [2, 1]
    """
    owner, _, _ = cell_counts(groups, codes)
    return np.bincount(owner, minlength=groups.n_groups).astype(np.int64)


def entropy_diversity(groups: Groups, codes: Ints) -> Floats:
    """exp(entropy) of the sensitive codes in each group: the number of equally frequent codes that is
    as diverse.

    >>> entropy_diversity(Groups(np.array([0, 0, 0, 0]), 1), np.array([1, 1, 2, 2])).round(6).tolist()
    [2.0]
    """
    owner, _, counts = cell_counts(groups, codes)
    share = counts / groups.sizes[owner]
    entropy = np.bincount(owner, weights=-share * np.log(share), minlength=groups.n_groups)
    return np.exp(np.maximum(entropy, 0.0))


def recursive_diversity(groups: Groups, codes: Ints, c: float = 2.0) -> Ints:
    """Largest l for which each group is recursively (c, l)-diverse: r_1 < c (r_l + ... + r_m), counts
    falling.

    1 where even l = 2 fails (and always for one code only).

    >>> recursive_diversity(Groups(np.zeros(4, dtype=np.int64), 1), np.array([1, 1, 2, 3])).tolist()
    [2]
    """
    if c <= 0:
        raise ParameterError(f"c must be positive. Got {c}.")
    owner, _, counts = cell_counts(groups, codes)
    order = np.lexsort((counts, owner))  # by group, rare codes first: tails r_l + ... + r_m are running sums
    owner, counts = owner[order], counts[order]
    starts = np.searchsorted(owner, np.arange(groups.n_groups))
    stops = np.append(starts[1:], len(owner))
    running = np.cumsum(counts)
    tails = running - (running[starts] - counts[starts])[owner]
    largest = counts[stops - 1][owner]
    level = stops[owner] - np.arange(len(owner))  # l of the tail that ends the sum here
    holds = np.where(largest < c * tails, level, 1)
    best = np.ones(groups.n_groups, dtype=np.int64)
    np.maximum.at(best, owner, holds)
    return best


def least_diverse_codes(groups: Groups, codes: Ints, missing: Bools) -> Ints:
    """Sensitive codes with missing ones taken for the most frequent of their group, which makes it least diverse.

    A group in which all are missing has one code.

    >>> groups = Groups(np.array([0, 0, 0, 0, 1]), 2)
    >>> least_diverse_codes(groups, np.array([7, 8, 8, 9, 9]), np.array([0, 0, 0, 1, 1], dtype=np.bool_)).tolist()
    [7, 8, 8, 8, 0]
    """
    there = ~missing
    owner, code, counts = cell_counts(Groups(groups.labels[there], groups.n_groups), codes[there])
    rising = np.lexsort((counts, owner))
    most_frequent = np.zeros(groups.n_groups, dtype=np.int64)
    most_frequent[owner[rising]] = code[rising]  # of several the last one stays
    return np.where(missing, most_frequent[groups.labels], codes).astype(np.int64)


def equal_closeness(groups: Groups, codes: Ints, n_codes: int, weights: Floats | None = None) -> Floats:
    """Earth mover's distance of each group to the whole file with all codes equally far: total variation.

    >>> equal_closeness(Groups(np.array([0, 0, 1, 1]), 2), np.array([0, 0, 1, 1]), 2).tolist()
    [0.5, 0.5]
    """
    owner, code, share, whole = _shares(groups, codes, n_codes, weights)
    surplus = np.maximum(share - whole[code], 0.0)
    return _without_noise(np.bincount(owner, weights=surplus, minlength=groups.n_groups).astype(np.float64))


def ordered_closeness(groups: Groups, codes: Ints, n_codes: int, weights: Floats | None = None) -> Floats:
    """Earth mover's distance with codes on a line, neighbours 1 / (n_codes - 1) apart.

    The worked example of Li et al.: salaries 3, 4, 5 thousand against 3 .. 11 thousand.

    >>> labels = np.array([0, 0, 0, 1, 1, 1, 1, 1, 1])
    >>> ordered_closeness(Groups(labels, 2), np.arange(9), 9).round(4).tolist()
    [0.375, 0.1875]
    """
    if n_codes < 2:
        return np.zeros(groups.n_groups)
    owner, code, share, whole = _shares(groups, codes, n_codes, weights)
    order = np.lexsort((code, owner))
    owner, code, share = owner[order], code[order], share[order]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    # The group's distribution function is flat between its codes: G on [code, next code), 0 before the
    # first.
    running = np.cumsum(share)
    flat = running - (running[starts] - share[starts])[np.cumsum(np.diff(owner, prepend=-1) > 0) - 1]
    until = np.append(code[1:], n_codes)
    until[np.append(starts[1:], len(code)) - 1] = n_codes
    cost = _area_between(flat, code, until, whole)
    cost[starts] += _area_between(
        np.zeros(len(starts)), np.zeros(len(starts), dtype=np.int64), code[starts], whole
    )
    return _without_noise(np.bincount(owner, weights=cost, minlength=groups.n_groups) / (n_codes - 1))


def _area_between(level: Floats, start: Ints, stop: Ints, whole: Floats) -> Floats:
    """Sum of |level - F(j)| over codes start <= j < stop, F the distribution function of the whole file."""
    rising = np.cumsum(whole)
    summed = np.concatenate([[0.0], np.cumsum(rising)])
    crossing = np.clip(np.searchsorted(rising, level), start, stop)
    above = level * (crossing - start) - (summed[crossing] - summed[start])
    below = (summed[stop] - summed[crossing]) - level * (stop - crossing)
    return np.asarray(above + below, dtype=np.float64)


def hierarchical_closeness(
    groups: Groups, codes: Ints, parent: Ints, weights: Floats | None = None
) -> Floats:
    """Earth mover's distance in a tree: two codes are height(lowest common ancestor) / height(root) apart.

    Codes are nodes in preorder, `parent[v] < v`, the root is 0. Height is the longest way down to a leaf.
    A code on an inner node counts as a leaf hung under it.

    >>> parent = np.array([-1, 0, 1, 1, 0, 4, 4])  # two branches of two leaves
    >>> hierarchical_closeness(Groups(np.array([0, 0, 1, 1]), 2), np.array([2, 3, 5, 6]), parent).tolist()
    [0.5, 0.5]
    """
    height = tree_heights(parent)
    if height[0] == 0:
        return np.zeros(groups.n_groups)
    # The distance is a path length when the edge above v weighs (height(parent) - height(v)) / 2
    # height(root) and a record hangs height(v) / 2 height(root) below its node; moving mass across an
    # edge costs the surplus there.
    hanging = height / (2.0 * height[0])
    edge = np.append(0.0, hanging[parent[1:]] - hanging[1:])
    owner, node, share, whole = _shares(groups, codes, len(parent), weights)
    cost = _tree_cost(owner, node, share, whole, hanging, groups.n_groups)
    owner, node, share = _with_ancestors(owner, node, share, parent)
    below = np.concatenate([[0.0], np.cumsum(whole)])
    whole_below = below[subtree_stops(parent)] - below[:-1]
    return _without_noise(cost + _tree_cost(owner, node, share, whole_below, edge, groups.n_groups))


def _tree_cost(
    owner: Ints, node: Ints, share: Floats, whole: Floats, weight: Floats, n_groups: int
) -> Floats:
    """Sum over nodes of weight |share - whole|, the group's share being 0 at nodes that are not listed."""
    beyond = weight[node] * (np.abs(share - whole[node]) - whole[node])
    return np.asarray(
        weight @ whole + np.bincount(owner, weights=beyond, minlength=n_groups), dtype=np.float64
    )


def _with_ancestors(owner: Ints, node: Ints, share: Floats, parent: Ints) -> tuple[Ints, Ints, Floats]:
    """Cells with shares summed over subtrees: each cell is counted at its node and at every node above."""
    owners, nodes, shares = [owner], [node], [share]
    while (inner := node > 0).any():
        owner, node, share = owner[inner], parent[node[inner]], share[inner]
        owners, nodes, shares = [*owners, owner], [*nodes, node], [*shares, share]
    owner, node, share = np.concatenate(owners), np.concatenate(nodes), np.concatenate(shares)
    labels, n_cells = label_keys(owner * len(parent) + node)
    first = first_rows(Groups(labels, n_cells))
    return owner[first], node[first], np.bincount(labels, weights=share, minlength=n_cells).astype(np.float64)


def tree_heights(parent: Ints) -> Ints:
    """Longest way down from each node of a tree in preorder.

    >>> tree_heights(np.array([-1, 0, 1, 1, 0])).tolist()
    [2, 1, 0, 0, 0]
    """
    above = np.asarray(parent).tolist()
    height = [0] * len(above)
    for node in range(len(above) - 1, 0, -1):
        height[above[node]] = max(height[above[node]], height[node] + 1)
    return np.array(height, dtype=np.int64)


def subtree_stops(parent: Ints) -> Ints:
    """One past the last node below each node of a tree in preorder.

    >>> subtree_stops(np.array([-1, 0, 1, 1, 0])).tolist()
    [5, 4, 3, 4, 5]
    """
    above = np.asarray(parent).tolist()
    size = [1] * len(above)
    for node in range(len(above) - 1, 0, -1):
        size[above[node]] += size[node]
    return np.arange(len(above), dtype=np.int64) + np.array(size, dtype=np.int64)


def chi_square_closeness(groups: Groups, codes: Ints, n_codes: int) -> Floats:
    """Sum over codes of (count - expected)^2 / expected in each group, expected by the shares of the
    whole file.

    Chance gives about n_codes - 1 (codes that occur), whatever the size of the group.

    >>> chi_square_closeness(Groups(np.array([0, 0, 1, 1]), 2), np.array([0, 0, 1, 1]), 2).tolist()
    [2.0, 2.0]
    """
    owner, code, share, whole = _shares(groups, codes, n_codes, None)
    beyond = (share - whole[code]) ** 2 / whole[code] - whole[code]  # a code the group lacks adds its share
    missing = np.bincount(owner, weights=beyond, minlength=groups.n_groups) + whole.sum()
    return _without_noise(missing * groups.sizes)


def _shares(
    groups: Groups, codes: Ints, n_codes: int, weights: Floats | None
) -> tuple[Ints, Ints, Floats, Floats]:
    """Occupied cells as group, code and share of the group's weight; and the shares of the whole file."""
    mass = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    cells = group_codes([groups.labels, codes], len(codes))
    first = first_rows(cells)
    owner, code = groups.labels[first], np.asarray(codes[first], dtype=np.int64)
    total = groups.sums(mass)[owner]
    share = np.divide(cells.sums(mass), total, out=np.zeros(len(owner)), where=total > 0)
    whole = np.bincount(codes, weights=mass, minlength=n_codes)
    return owner, code, share, whole / max(float(mass.sum()), np.finfo(np.float64).tiny)


def _without_noise(distance: Floats) -> Floats:
    """What costs nothing in exact arithmetic must not cost 1e-17: claims compare with a limit that may be
    0.
    """
    return np.where(distance < 1e-13, 0.0, distance)
