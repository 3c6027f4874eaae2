"""Probabilistic linkage: EM finds the probabilities that made the patterns, and weights link."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.fellegi_sunter import ProbabilisticLinkage, estimate_evidence, pattern_bits
from discreet.table.schema import Variable
from discreet.table.table import Table


def test_em_recovers_the_probabilities_behind_expected_counts():
    """Counts drawn up from m, u and the share of matches give m and u back."""
    m, u, share = np.array([0.9, 0.8, 0.95, 0.7]), np.array([0.1, 0.3, 0.05, 0.2]), 0.01
    agrees = pattern_bits(4)
    law = share * np.where(agrees, m, 1 - m).prod(axis=1) + (1 - share) * np.where(agrees, u, 1 - u).prod(
        axis=1
    )
    counts = np.round(law * 1e9).astype(np.int64)
    found = estimate_evidence(counts, share, rounds=5000, tolerance=1e-12)
    assert found.m == pytest.approx(m, abs=2e-3)
    assert found.u == pytest.approx(u, abs=1e-4)


def test_weights_are_sums_of_bits():
    """Agreement on both of two columns weighs log2(m/u) twice, disagreement log2((1-m)/(1-u))."""
    evidence = estimate_evidence(np.array([80, 10, 9, 1]), 0.01)
    weights = evidence.weights(pattern_bits(2))
    assert weights[3] == pytest.approx(evidence.bits.sum(), abs=1e-8)
    assert weights[0] == pytest.approx(np.log2((1 - evidence.m) / (1 - evidence.u)).sum(), abs=1e-8)


def tables(noise, n=300, seed=0):
    """Six categorical columns of five levels, a share of the cells redrawn."""
    rng = np.random.default_rng(seed)
    names = [f"v{j}" for j in range(6)]
    variables = {m: Variable(name=m, kind="nominal", levels=tuple(range(5))) for m in names}
    x = rng.integers(0, 5, (n, 6))
    y = np.where(rng.random(x.shape) < noise, rng.integers(0, 5, x.shape), x)
    return tuple(Table.build(dict(zip(names, t.T.tolist(), strict=True)), variables) for t in (x, y))


def test_more_noise_links_less():
    """Untouched files link nearly all distinct records, independent ones about one in n."""
    rates = [ProbabilisticLinkage()(*tables(noise))[0].value for noise in (0.0, 0.3, 1.0)]
    assert rates[0] > 95
    assert rates[0] > rates[1] > rates[2]
    assert rates[2] < 2


def test_sampled_pairs_are_declared():
    """Above the cap of pairs, original records are drawn and the figure has an interval around the full one."""
    full = ProbabilisticLinkage()(*tables(0.3))[0]
    some = ProbabilisticLinkage(most_pairs=300 * 100)(*tables(0.3))[0]
    assert full.interval is None
    assert "100 records compared" in some.note
    assert some.interval[0] < full.value < some.interval[1]


def test_numbers_agree_within_the_tolerance():
    """Numbers moved by less than the tolerance still link, moved by more they tell nothing."""
    rng = np.random.default_rng(2)
    names = ["a", "b", "c"]
    variables = {n: Variable(name=n, kind="numeric") for n in names}
    x = rng.normal(size=(200, 3))
    near, far = (
        Table.build(dict(zip(names, (x + shift).T.tolist(), strict=True)), variables) for shift in (0.05, 1.0)
    )
    original = Table.build(dict(zip(names, x.T.tolist(), strict=True)), variables)
    assert ProbabilisticLinkage(tolerance=0.1)(original, near)[0].value > 50
    assert ProbabilisticLinkage(tolerance=0.1)(original, far)[0].value < 10
