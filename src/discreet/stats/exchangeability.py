"""Whether released values stand with their own originals more than chance would have it, inside groups of records.

If the members of a group are exchangeable, any of them may stand behind a released value: the released values of the
group, as they are, fall on its members in random order. Every score below has mean 0 under such an order, and its
variance is known exactly. Groups are cut into blocks of at most 8 members (an order that is random in the group is so in
each block), and Bennett's (1962) inequality for sums of bounded independent terms then bounds the chance of a score as
large as the one found. The bound holds for files of any size; it cannot be small for fewer than some hundred records.
"""

from __future__ import annotations

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.stats.keys import Groups, first_rows, group_codes

LARGEST_BLOCK = 8


def blocks_of(labels: Ints) -> Groups:
    """Groups cut into blocks of at most 8 members, in the order in which they stand.

    >>> blocks_of(np.array([0] * 9 + [1])).labels.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 2]
    """
    order = np.argsort(labels, kind="stable")
    place = np.empty(len(labels), dtype=np.int64)
    ordered = labels[order]
    place[order] = np.arange(len(labels)) - np.searchsorted(ordered, ordered)
    return group_codes([labels.astype(np.int64), place // LARGEST_BLOCK], len(labels))


def chance_of_order(labels: Ints, before: Floats, after: Floats) -> float:
    """A bound on the chance that numbers follow those they stand beside as closely as they do, or more closely.

    The score is the sum over blocks of the rank correlation, times the size of the block.

    >>> groups, numbers = np.arange(400) // 5, np.random.default_rng(0).normal(size=400)
    >>> chance_of_order(groups, numbers, numbers + 0.1) < 1e-20, chance_of_order(groups, numbers, -numbers)
    (True, 1.0)
    """
    blocks = blocks_of(labels)
    mine, theirs = _rank_scores(blocks, before), _rank_scores(blocks, after)
    varies = (blocks.sums(mine**2) > 0) & (blocks.sums(theirs**2) > 0)
    sizes = blocks.sizes[varies].astype(np.float64)
    found = float(blocks.sums(mine * theirs)[varies].sum())
    return _bennett(found, float((sizes**2 / (sizes - 1)).sum()), float(sizes.max(initial=0.0)))


def chance_of_agreement(labels: Ints, before: Ints, after: Ints) -> float:
    """A bound on the chance that codes equal those they stand beside as often as they do, or more often.

    With u and v the counts of the codes in a block of n, before and after, chance makes sum(u v) / n of them agree.

    >>> groups, codes = np.arange(400) // 5, np.arange(400) % 3
    >>> chance_of_agreement(groups, codes, codes) < 1e-20, chance_of_agreement(groups, codes, (codes + 1) % 3)
    (True, 1.0)
    """
    blocks = blocks_of(labels)
    sizes = blocks.sizes.astype(np.float64)
    cells = group_codes([np.tile(blocks.labels, 2), np.concatenate([before, after])], 2 * len(labels))
    owner = np.tile(blocks.labels, 2)[first_rows(cells)]
    u, v = (
        np.bincount(part, minlength=cells.n_groups).astype(np.float64) for part in np.split(cells.labels, 2)
    )

    def summed(terms: Floats) -> Floats:
        return np.bincount(owner, weights=terms, minlength=blocks.n_groups).astype(np.float64)

    expected = summed(u * v) / sizes
    squares = summed(u * v) - summed(u * v * (u + v)) / sizes + expected**2
    variance = float((squares / np.maximum(sizes - 1, 1)).sum())
    largest = float((summed(np.minimum(u, v)) - expected).max(initial=0.0))
    return _bennett(float((before == after).sum() - expected.sum()), variance, largest)


def _rank_scores(blocks: Groups, values: Floats) -> Floats:
    """Ranks inside each block, of equal values their mean, centred and with mean square 1; 0 where all are equal."""
    order = np.lexsort((values, blocks.labels))
    new_block = np.diff(blocks.labels[order], prepend=-1) != 0
    starts = np.flatnonzero(
        new_block | np.append(True, values[order][1:] != values[order][:-1])[: len(order)]
    )
    run = np.searchsorted(starts, np.arange(len(values)), side="right") - 1
    stops = np.append(starts[1:], len(values))
    ranks = np.empty(len(values))
    ranks[order] = ((starts + stops - 1) / 2)[run]
    centred = ranks - (blocks.sums(ranks) / blocks.sizes)[blocks.labels]
    spread = np.sqrt(blocks.sums(centred**2) / blocks.sizes)[blocks.labels]
    return np.divide(centred, spread, out=np.zeros(len(values)), where=spread > 1e-9)


def _bennett(found: float, variance: float, largest: float) -> float:
    """P(sum >= found) for independent terms of mean 0, none above `largest`, whose variances add up to `variance`."""
    if not (found > 0 and variance > 0 and largest > 0):
        return 1.0
    u = largest * found / variance
    return float(np.exp(-variance / largest**2 * ((1 + u) * np.log1p(u) - u)))
