"""The known faults of other software, each with the right answer: what was measured to go wrong elsewhere must not here.

Seeds that are ignored, noise that is none or that shifts means, noise that loses correlations, losses that depend on the
container of the numbers, means over the wrong number of records, columns far from zero that lose their scale, sizes of
groups below 1. That p of rank swapping is a percentage, that PRAM keeps its diagonal, that -999 is a number and
infinities are refused is tested beside those methods.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.kernels.mdav import mdav, mdav_packed, mdav_tree, vmdav
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.noise import Noise
from discreet.masking.rank_swapping import RankSwapping
from discreet.masking.univariate_microaggregation import UnivariateMicroaggregation
from discreet.partition.mdav import MDAV
from discreet.table.schema import Schema, Variable
from discreet.utility.cellwise import CellLoss


def schema(*names: str, role: str = "quasi") -> Schema:
    return Schema(tuple(Variable(name=n, kind="numeric", role=role) for n in names))  # type: ignore[arg-type]


def pair(n: int = 20_000, correlation: float = 0.91) -> pl.DataFrame:
    """Two correlated columns far from zero, of different units."""
    normals = np.random.default_rng(7).normal(size=(n, 2))
    other = correlation * normals[:, 0] + np.sqrt(1 - correlation**2) * normals[:, 1]
    return pl.DataFrame({"a": 500 + 3 * normals[:, 0], "b": -20 + 0.5 * other})


def test_each_seed_of_rank_swapping_has_its_own_stream() -> None:
    """Seeds 1, 2 and 3 give three different releases, not two."""
    frame = pair(200)
    releases = [RankSwapping(10).protect(frame, schema("a", "b"), seed=seed).data for seed in (1, 2, 3)]
    assert not any(releases[i].equals(releases[j]) for i, j in [(0, 1), (0, 2), (1, 2)])


@pytest.mark.statistical
@pytest.mark.parametrize("exact", [False, True])
def test_noise_that_keeps_moments_adds_noise_and_shifts_no_mean(exact: bool) -> None:
    """Every cell moves, by the sd asked for; means and deviations stay, whatever the row (5 standard errors)."""
    frame = pair()
    after = Noise(0.5, kind="rescaled", exact=exact).protect(frame, schema("a", "b"), seed=1).data
    se = 1 / np.sqrt(frame.height)
    for name in frame.columns:
        before, noisy = frame[name].to_numpy(), after[name].to_numpy()
        scale = before.std()
        assert (noisy != before).all()
        # Cov(x, y) = s^2 / sqrt(1 + c), so the distance from before to after has this variance.
        assert (noisy - before).std() / scale == pytest.approx(np.sqrt(2 - 2 / np.sqrt(1.25)), abs=5 * se)
        for rows in (slice(None), slice(0, None, 2), slice(frame.height // 2)):
            assert abs((noisy[rows] - before[rows]).mean()) / scale < 5 * se
        assert noisy.std() / scale == pytest.approx(1, abs=5 * se)


@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["correlated", "rescaled"])
def test_correlated_noise_keeps_correlations(kind: Any) -> None:
    """0.91 stays 0.91 under noise of 0.7 standard deviations, where columns drawn apart would shrink it to 0.61."""
    frame = pair()
    after = Noise(0.7, kind=kind).protect(frame, schema("a", "b"), seed=1).data
    before = np.corrcoef(frame.to_numpy().T)[0, 1]
    assert np.corrcoef(after.to_numpy().T)[0, 1] == pytest.approx(before, abs=0.01)
    apart = Noise(0.7).protect(frame, schema("a", "b"), seed=1).data
    assert np.corrcoef(apart.to_numpy().T)[0, 1] == pytest.approx(before / 1.49, abs=0.02)


def test_a_loss_does_not_depend_on_the_container() -> None:
    """pandas, polars and Arrow, and one against another: the same loss to the last bit."""
    before = pair(300)
    after = Noise(0.5).protect(before, schema("a", "b"), seed=1).data
    containers = [(frame, frame.to_pandas(), frame.to_arrow()) for frame in (before, after)]
    losses = {
        dc.assess(one, other, schema=schema("a", "b"), measures=[CellLoss()])["cellwise.sse"].value
        for one in containers[0]
        for other in containers[1]
    }
    assert len(losses) == 1
    assert losses.pop() > 1


def test_means_of_all_groups_are_over_their_own_members() -> None:
    """Also of the last, larger one, and where cells are missing: every released cell is its group's mean."""
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"a": rng.normal(size=15), "b": [None] * 4 + rng.normal(size=11).tolist()})
    release = Microaggregation(3).protect(frame, schema("a", "b"), seed=1)
    assert release.partition is not None
    assert sorted(release.partition.sizes.tolist()) == [3, 3, 4, 5]
    for rows in release.partition.members():
        for name in ("a", "b"):
            own = frame[name].to_numpy()[rows]
            wanted = np.full(len(rows), own.mean())  # NaN, where the group lacks the column
            np.testing.assert_allclose(release.data[name].to_numpy()[rows], wanted, rtol=1e-12)


def test_a_column_far_from_zero_keeps_its_scale() -> None:
    """Mean 1e12, deviations of some units: the same groups and means as at zero, beside a column that says otherwise."""
    rng = np.random.default_rng(4)
    a, b = rng.permutation(np.repeat([0.0, 10.0, 20.0, 30.0], 5)), rng.normal(size=20)
    labels = []
    for offset in (0.0, 1e12):
        frame = pl.DataFrame({"a": a + offset, "b": b})
        release = Microaggregation(5).protect(frame, schema("a", "b"), seed=1)
        assert release.partition is not None
        labels.append(release.partition.labels)
        means = np.array([a[labels[-1] == group].mean() for group in labels[-1]])
        np.testing.assert_allclose(release.data["a"].to_numpy() - offset, means, atol=1e-3)
    np.testing.assert_array_equal(*labels)
    only_b = Microaggregation(5).protect(frame.select("b"), schema("b"), seed=1).partition
    assert only_b is not None
    assert not np.array_equal(only_b.labels, labels[0])


@pytest.mark.parametrize("k", [0, -1, -5])
def test_groups_have_at_least_one_record(k: int) -> None:
    """k of 0 or less is refused by every way to make groups, before data is looked at."""
    for make in (Microaggregation, UnivariateMicroaggregation, MDAV):
        with pytest.raises(ParameterError, match="at least 1"):
            make(k)
    for kernel in (mdav, mdav_packed, mdav_tree):
        with pytest.raises(ParameterError, match="at least 1"):
            kernel(np.zeros((4, 1)), k)
    with pytest.raises(ParameterError, match="at least 1"):
        vmdav(np.zeros((4, 1)), k, 0.5)
