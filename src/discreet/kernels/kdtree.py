"""A k-d tree over distinct points, made for searches among points that leave it one after the other.

Median splits give the leaves, each of up to `LEAF` points; from there up, `LEAF` nodes are the children of
one. The children of a node lie side by side, one column of their boxes after the other, so that the bounds
of all of them take a few vector instructions; so do the distances of all points of a leaf. These are
float32, relative to the centre of the leaf: a sieve with a proven margin. What passes is measured again in
float64 by the formula of `mdav_packed`, so that no answer depends on the sieve. Least distances to boxes
are computed by that same formula: rounding is monotone, hence they bound the rounded distances too.

Slot s describes a node: leaf s for s < n_leaves, else all slots of block s - n_leaves; block b holds slots
LEAF b to LEAF b + LEAF - 1. So block b is described by slot n_leaves + b, and the last block is the root.

The functions called for every leaf take plain arrays: handing on a tuple of arrays costs more than they do.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from discreet.arrays import Codes, Floats, Ints

__all__ = ["LEAF", "Boxes", "Place", "Singles", "Tree", "plant"]

Singles: TypeAlias = NDArray[np.float32]
# The centroid, and how far it has moved in all, zoomed.
Place: TypeAlias = tuple[Floats, float]
# Lows and highs (d, LEAF) and reach (LEAF,) of a block.
Boxes: TypeAlias = tuple[Floats, Floats, Floats]

# Least and greatest square of the sieve.
Limits: TypeAlias = tuple[np.float32, np.float32]
# Points and their squared distances (LEAF,).
Found: TypeAlias = tuple[Ints, Floats]

# A constant known when compiling: loops over a leaf or a block become straight vector code.
LEAF = 64
# Half the spacing of float32 at 1.
_UNIT = 2.0**-24
# Covers the rounding of float64 in the roots and sums of a bound.
SLACK = 1.0 + 1e-9
# Covers the rounding of squared limits to float32.
_LOOSER, _TIGHTER = 1.0 + 1e-6, 1.0 - 1e-6
# Fills unused places of a leaf: farther than any point, and its square still a finite float32.
_FAR = np.float32(1e18)


class Tree(NamedTuple):
    """The arrays of a tree over `points` (m, d). Sieves, spans and reach are zoomed distances."""

    points: Floats  # (m, d), in the order of the leaves
    scales: Floats  # (d,) factors of squared differences
    factors: Floats  # (d,) zoom sqrt(scales)
    leaf_of: Codes  # (m,)
    members: Codes  # (n_leaves, LEAF) points of each leaf, those left first
    counts: Ints  # (n_leaves,) how many are left
    sieves: Singles  # (n_leaves, d, LEAF) their coordinates from the centre of the leaf
    centers: Floats  # (n_leaves, d)
    spans: Floats  # (n_leaves,) half diagonal of its box, when planted
    lows: Floats  # (n_blocks, d, LEAF) least coordinates below each slot
    highs: Floats  # (n_blocks, d, LEAF) greatest
    reach: Floats  # (n_blocks, LEAF) bound on the distance from the centroid, less its drift; -inf: empty


@njit(cache=True, nogil=True)
def _select(keys: Floats, order: Ints, nth: int) -> None:
    """Reorder `keys` and with it `order`: the smaller keys before position `nth`, the greater after it."""
    low, high = 0, keys.size - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while pivot < keys[j]:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if nth <= j:
            high = j
        elif nth >= i:
            low = i
        else:
            break


@njit(cache=True, nogil=True)
def _widest_column(points: Floats, factors: Floats, order: Ints) -> int:
    """The column in which the points `order` spread most."""
    widest, spread = 0, -1.0
    low, high = points[order[0]].copy(), points[order[0]].copy()
    for point in order:
        for column in range(factors.size):
            low[column] = min(low[column], points[point, column])
            high[column] = max(high[column], points[point, column])
    for column in range(factors.size):
        if factors[column] * (high[column] - low[column]) > spread:
            widest, spread = column, factors[column] * (high[column] - low[column])
    return widest


@njit(cache=True, nogil=True)
def _split(points: Floats, factors: Floats, n_leaves: int, order: Ints) -> None:
    """Sort `order` (m,) into leaves of equal size, halving again and again at the median of the widest column."""
    n_points = points.shape[0]
    keys = np.empty(n_points)
    n_parts = 1
    while n_parts < n_leaves:
        for part in range(n_parts):
            start, stop = part * n_points // n_parts, (part + 1) * n_points // n_parts
            middle = (2 * part + 1) * n_points // (2 * n_parts)
            column = _widest_column(points, factors, order[start:stop])
            for i in range(start, stop):
                keys[i] = points[order[i], column]
            _select(keys[start:stop], order[start:stop], middle - start)
        n_parts *= 2


@njit(cache=True, nogil=True)
def _fit_leaf(tree: Tree, leaf: int) -> None:
    """Fit the box of a leaf to the points left in it, at least one."""
    block, lane = leaf // LEAF, leaf % LEAF
    for column in range(tree.scales.size):
        low = tree.points[tree.members[leaf, 0], column]
        high = low
        for i in range(1, tree.counts[leaf]):
            value = tree.points[tree.members[leaf, i], column]
            low, high = min(low, value), max(high, value)
        tree.lows[block, column, lane] = low
        tree.highs[block, column, lane] = high


@njit(cache=True, nogil=True)
def _fit_above(tree: Tree, slot: int) -> None:
    """Fit the box of a slot of blocks to those of its children that have points left."""
    block, lane = slot // LEAF, slot % LEAF
    child = slot - tree.counts.size
    for column in range(tree.scales.size):
        low, high = np.inf, -np.inf
        for i in range(LEAF):
            if tree.reach[child, i] > -np.inf:
                low = min(low, tree.lows[child, column, i])
                high = max(high, tree.highs[child, column, i])
        tree.lows[block, column, lane] = low
        tree.highs[block, column, lane] = high


@njit(cache=True, nogil=True)
def _fill_leaf(tree: Tree, leaf: int, start: int, stop: int) -> None:
    """Make the points `start` to `stop` the members of a leaf."""
    block, lane = leaf // LEAF, leaf % LEAF
    tree.counts[leaf] = stop - start
    for i in range(stop - start):
        tree.members[leaf, i] = start + i
        tree.leaf_of[start + i] = leaf
    _fit_leaf(tree, leaf)
    span = 0.0
    for column in range(tree.scales.size):
        center = 0.5 * (tree.lows[block, column, lane] + tree.highs[block, column, lane])
        tree.centers[leaf, column] = center
        for i in range(stop - start):
            offset = tree.points[start + i, column] - center
            tree.sieves[leaf, column, i] = np.float32(tree.factors[column] * offset)
        half = tree.factors[column] * max(
            center - tree.lows[block, column, lane], tree.highs[block, column, lane] - center
        )
        span += half * half
    tree.spans[leaf] = np.sqrt(span) * SLACK


@njit(cache=True, nogil=True)
def _fill(tree: Tree) -> None:
    """Fill all from the points, which stand in leaf order. Slots without points keep an empty reach."""
    n_leaves, n_blocks = tree.counts.size, tree.reach.shape[0]
    n_points = tree.points.shape[0]
    for leaf in range(n_leaves):
        _fill_leaf(tree, leaf, leaf * n_points // n_leaves, (leaf + 1) * n_points // n_leaves)
        tree.reach[leaf // LEAF, leaf % LEAF] = np.inf
    for slot in range(n_leaves, n_leaves + n_blocks - 1):
        _fit_above(tree, slot)
        tree.reach[slot // LEAF, slot % LEAF] = np.inf


def plant(points: Floats, scales: Floats, zoom: float) -> tuple[Tree, Ints]:
    """A tree over `points` (m, d), and the order in which it holds them."""
    n_points, n_columns = points.shape
    n_leaves = 1
    while n_points > n_leaves * LEAF:
        n_leaves *= 2
    n_blocks, n_nodes = 1, n_leaves
    while n_nodes > LEAF:
        n_nodes //= LEAF
        n_blocks += n_nodes
    factors = zoom * np.sqrt(scales)
    order = np.arange(n_points)
    _split(points, factors, n_leaves, order)
    tree = Tree(
        points=points[order],
        scales=scales,
        factors=factors,
        leaf_of=np.empty(n_points, dtype=np.int32),
        members=np.empty((n_leaves, LEAF), dtype=np.int32),
        counts=np.empty(n_leaves, dtype=np.int64),
        sieves=np.full((n_leaves, n_columns, LEAF), _FAR, dtype=np.float32),
        centers=np.empty((n_leaves, n_columns)),
        spans=np.empty(n_leaves),
        lows=np.zeros((n_blocks, n_columns, LEAF)),
        highs=np.zeros((n_blocks, n_columns, LEAF)),
        reach=np.full((n_blocks, LEAF), -np.inf),
    )
    _fill(tree)
    return tree, order


@njit(cache=True, nogil=True)
def _distance(points: Floats, scales: Floats, point: int, reference: Floats) -> float:
    """The squared distance, its terms added as in `mdav_packed`."""
    total = 0.0
    for column in range(reference.size):
        difference = points[point, column] - reference[column]
        total += scales[column] * (difference * difference)
    return total


@njit(cache=True, nogil=True)
def _least(
    lows: Floats, highs: Floats, reach: Floats, scales: Floats, reference: Floats, bounds: Floats
) -> None:
    """Fill `bounds` (LEAF,): no point below a slot has a smaller squared distance; inf where none is left.

    `lows`, `highs` (d, LEAF) and `reach` (LEAF,) are those of a block.
    """
    for lane in range(LEAF):
        bounds[lane] = 0.0 if reach[lane] > -np.inf else np.inf
    for column in range(reference.size):
        value, scale = reference[column], scales[column]
        low, high = lows[column], highs[column]
        for lane in range(LEAF):
            gap = max(max(low[lane] - value, value - high[lane]), 0.0)
            bounds[lane] += scale * (gap * gap)


@njit(cache=True, nogil=True)
def _greatest(
    boxes: Boxes, factors: Floats, reference: Floats, where: Place, bounds: Floats, corners: Floats
) -> None:
    """Fill `bounds` (LEAF,): no point below a slot has a greater zoomed squared distance; -inf if none is left.

    It is the lesser of two bounds: the square of the distance of the farthest corner of the box, and, c being the
    centroid, |x - r|^2 = |x - c|^2 + |c - r|^2 + 2 (x - c)(c - r) with |x - c| <= reach + drift and the product at
    the corner of the box farthest along c - r. `boxes` are those of a block; overwrites `corners` (LEAF,).
    """
    lows, highs, reach = boxes
    centroid, drift = where
    for lane in range(LEAF):
        bounds[lane] = 0.0
        corners[lane] = 0.0
    shifted = 0.0  # |c - r|^2
    for column in range(reference.size):
        center, value, factor = centroid[column], reference[column], factors[column]
        shift = factor * (center - value)
        shifted += shift * shift
        step = 2.0 * factor * shift
        low, high = lows[column], highs[column]
        edges = high if shift > 0.0 else low
        for lane in range(LEAF):
            gap = factor * max(high[lane] - value, value - low[lane])
            corners[lane] += gap * gap
            bounds[lane] += step * (edges[lane] - center)
    for lane in range(LEAF):
        far = reach[lane] + drift
        bound = min(bounds[lane] + shifted + far * far, corners[lane])
        bounds[lane] = bound * SLACK if far > -np.inf else -np.inf


@njit(cache=True, nogil=True)
def _sieve(block: Singles, center: Floats, factors: Floats, reference: Floats, squares: Singles) -> float:
    """Fill `squares` (LEAF,) with zoomed squared distances in float32; answer the distance from the centre.

    `block` (d, LEAF) and `center` (d,) are those of a leaf.
    """
    norm = 0.0
    for i in range(LEAF):
        squares[i] = np.float32(0.0)
    for column in range(reference.size):
        offset = factors[column] * (reference[column] - center[column])
        norm += offset * offset
        values = block[column]
        place = np.float32(offset)
        for i in range(LEAF):
            difference = values[i] - place
            squares[i] += difference * difference
    return float(np.sqrt(norm))


@njit(cache=True, nogil=True)
def _floor(n_columns: int, zoom: float) -> float:
    """Zoomed distances are known to this at best: squares underflow, in the sieve and in the sums of float64."""
    return 1e-18 + zoom * 1e-161 * n_columns


@njit(cache=True, nogil=True)
def _margin(n_columns: int, norm: float, span: float, floor: float) -> float:
    """How far the root of a square of the sieve may be from the true zoomed distance.

    Rounding a coordinate y, that of the reference q and their difference costs at most _UNIT (|y| + |q|) each to
    first order, squaring and adding d terms (d + 2) _UNIT of the result: together below (d + 8) _UNIT (|y| + |q|).
    """
    return (n_columns + 8) * _UNIT * (norm + span) + floor


@njit(cache=True, nogil=True)
def _limit_within(distance: float, margin: float) -> np.float32:
    """Squares of the sieve above this belong to points farther than the zoomed `distance`."""
    return np.float32((distance + margin) ** 2 * _LOOSER)


@njit(cache=True, nogil=True)
def _limit_beyond(distance: float, margin: float) -> np.float32:
    """Squares of the sieve below this belong to points nearer than the zoomed `distance`."""
    return np.float32(max(distance - margin, 0.0) ** 2 * _TIGHTER)


@njit(cache=True, nogil=True)
def _count_within(squares: Singles, limit: np.float32) -> int:
    """How many squares are at most `limit`."""
    count = 0
    for i in range(LEAF):
        count += squares[i] <= limit
    return count


@njit(cache=True, nogil=True)
def _count_beyond(squares: Singles, limit: np.float32) -> int:
    """How many squares are at least `limit`; all unused places of the leaf are."""
    count = 0
    for i in range(LEAF):
        count += squares[i] >= limit
    return count


@njit(cache=True, nogil=True)
def _measure(
    points: Floats,
    scales: Floats,
    members: Codes,
    reference: Floats,
    squares: Singles,
    limits: Limits,
    found: Found,
) -> int:
    """Fill `found` with those members whose squares are within the limits and their squared distances; how many."""
    least, greatest = limits
    numbers, distances = found
    n_found = 0
    for i in range(members.size):
        if squares[i] >= least and squares[i] <= greatest:
            numbers[n_found] = members[i]
            distances[n_found] = _distance(points, scales, members[i], reference)
            n_found += 1
    return n_found


@njit(cache=True, nogil=True)
def _reach_of(squares: Singles, count: int, margin: float) -> float:
    """The greatest distance of a point, by the first `count` squares of the sieve; overwrites the first."""
    bits = squares.view(np.int32)  # of numbers that are not negative, integers have the order: vector code
    greatest = np.int32(0)
    for i in range(LEAF):
        greatest = max(greatest, bits[i] if i < count else np.int32(0))
    bits[0] = greatest
    return float(np.sqrt(squares[0])) * _LOOSER + margin


@njit(cache=True, nogil=True)
def _greatest_reach(reach: Floats, folded: Floats) -> float:
    """The greatest of `reach` (LEAF,), folded in halves since a running maximum is not vector code."""
    for i in range(LEAF // 2):
        folded[i] = max(reach[i], reach[i + LEAF // 2])
    for i in range(LEAF // 4):
        folded[i] = max(folded[i], folded[i + LEAF // 4])
    for i in range(LEAF // 8):
        folded[i] = max(folded[i], folded[i + LEAF // 8])
    greatest = -np.inf
    for i in range(LEAF // 8):
        greatest = max(greatest, folded[i])
    return greatest


@njit(cache=True, nogil=True)
def _set_reach(reach: Floats, n_leaves: int, leaf: int, value: float, folded: Floats) -> None:
    """Set the reach of a leaf, and above it that of each block: its greatest. Overwrites `folded` (LEAF / 2,)."""
    slot = leaf
    while True:
        block = slot // LEAF
        former = reach[block, slot % LEAF]
        reach[block, slot % LEAF] = value
        slot = n_leaves + block
        if block == reach.shape[0] - 1 or max(former, value) < reach[slot // LEAF, slot % LEAF]:
            break
        if value < former:
            value = _greatest_reach(reach[block], folded)


@njit(cache=True, nogil=True)
def _take_out(leaf_of: Codes, members: Codes, counts: Ints, sieves: Singles, point: int) -> int:
    """Take a point out of its leaf; answer how many the leaf still has."""
    leaf = leaf_of[point]
    last = int(counts[leaf]) - 1
    place = last
    while members[leaf, place] != point:
        place -= 1
    members[leaf, place] = members[leaf, last]
    for column in range(sieves.shape[1]):
        sieves[leaf, column, place] = sieves[leaf, column, last]
        sieves[leaf, column, last] = _FAR
    counts[leaf] = last
    return last


@njit(cache=True, nogil=True)
def _refit(tree: Tree, leaf: int, folded: Floats) -> None:
    """After points have gone: fit the boxes of a leaf and of all above it; an empty leaf reaches nowhere."""
    if tree.counts[leaf] == 0:
        _set_reach(tree.reach, tree.counts.size, leaf, -np.inf, folded)
        return
    _fit_leaf(tree, leaf)
    slot = leaf
    while slot // LEAF < tree.reach.shape[0] - 1:
        slot = tree.counts.size + slot // LEAF
        _fit_above(tree, slot)
