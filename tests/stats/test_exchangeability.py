"""Bounds on the chance that released values stand with their own originals: exact moments, and never too small."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.stats import exchangeability
from discreet.stats.exchangeability import blocks_of, chance_of_agreement, chance_of_order
from discreet.stats.keys import Groups


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_blocks_cut_groups(labels: list[int]) -> None:
    """Every block lies in one group and has at most 8 members; a group of n has as few as that takes."""
    found = blocks_of(np.array(labels))
    assert found.sizes.max() <= 8
    for group in set(labels):
        inside = found.labels[np.array(labels) == group]
        assert len(np.unique(inside)) == -(-len(inside) // 8)
    for block in range(found.n_groups):
        assert len(set(np.array(labels)[found.labels == block])) == 1


@pytest.mark.parametrize("chance", [chance_of_order, chance_of_agreement])
@pytest.mark.parametrize("after", [[1, 2, 3, 4, 5], [1, 1, 1, 2, 3], [4, 1, 1, 1, 1]])
def test_moments_are_those_of_all_orders(
    chance: Any, after: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all 120 orders of a block the score has mean 0 and the stated variance, and none is above the bound."""
    seen: list[tuple[float, float, float]] = []
    monkeypatch.setattr(exchangeability, "_bennett", lambda *moments: seen.append(moments) or 1.0)
    before, labels = np.array([1, 2, 3, 3, 4]), np.zeros(5, dtype=np.int64)
    for order in permutations(after):
        chance(labels, before, np.array(order))
    scores, variances, bounds = np.array(seen).T
    assert scores.mean() == pytest.approx(0, abs=1e-12)
    assert scores.var() == pytest.approx(variances[0])
    assert (variances == variances[0]).all()
    assert scores.max() <= bounds[0] + 1e-12


@pytest.mark.statistical
@pytest.mark.parametrize("size", [2, 5, 60])
def test_chance_is_not_understated(size: int) -> None:
    """Of 600 random orders inside groups no more than 5 % have a chance of 5 % or less; copies have next to none."""
    rng = np.random.default_rng(size)
    labels = np.arange(240) // size
    values = rng.lognormal(sigma=2, size=240)
    codes = (rng.random(240) < 0.3).astype(np.int64)
    chances = []
    for _ in range(600):
        order = np.lexsort((rng.random(240), labels))  # the members of each group in random order
        after = values[order], codes[order]
        chances.append(
            (chance_of_order(labels, values, after[0]), chance_of_agreement(labels, codes, after[1]))
        )
    assert (np.mean(np.array(chances) <= 0.05, axis=0) <= 0.05).all()
    assert chance_of_order(labels, values, values) < 1e-9
    assert chance_of_agreement(labels, codes, codes) < 1e-6


def test_what_is_alike_in_a_group_says_nothing() -> None:
    """Constant blocks, groups of one, and no records at all leave every order as likely."""
    labels = np.arange(400) // 5
    mean = labels.astype(np.float64)
    assert chance_of_order(labels, np.arange(400.0), mean) == 1.0
    assert chance_of_agreement(labels, np.arange(400), labels) == 1.0
    alone = np.arange(400)
    assert chance_of_order(alone, np.arange(400.0), np.arange(400.0)) == 1.0
    assert chance_of_agreement(alone, alone, alone) == 1.0
    assert chance_of_order(alone[:0], np.empty(0), np.empty(0)) == 1.0
    assert blocks_of(alone[:0]).n_groups == 0


def test_missing_values_have_a_rank() -> None:
    """Minus infinity, which stands for missing, is below all numbers and equal to itself."""
    labels = np.arange(400) // 5
    gaps = np.where(np.arange(400) % 5 == 2, -np.inf, 7.0)
    assert chance_of_order(labels, gaps, gaps) < 1e-9
    assert Groups(labels, 80).sizes.max() == 5
