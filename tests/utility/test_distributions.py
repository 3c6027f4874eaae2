"""Distances of distributions and of contingency tables, by hand, against scipy and against the naive loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from discreet.errors import ParameterError
from discreet.table.table import Table
from discreet.utility import crosstables
from discreet.utility.columns import Categories, Numbers
from discreet.utility.crosstables import (
    Cells,
    ConditionalDistance,
    TableDistance,
    chosen_tables,
    conditional_differences,
    crossed,
    cut,
    cut_points,
    sampling_floor,
    table_distances,
)
from discreet.utility.distributions import (
    MarginalDistance,
    hellinger,
    kendall,
    kolmogorov,
    spearman,
    total_variation,
    wasserstein,
)


def naive_taus(before: list[int], after: list[int]) -> tuple[float, float]:
    """Concordant minus discordant over all pairs of categories."""
    score = ties_before = ties_after = pairs = 0
    for i in range(len(before)):
        for j in range(i):
            one, other = np.sign(before[i] - before[j]), np.sign(after[i] - after[j])
            score += int(one * other)
            ties_before, ties_after, pairs = ties_before + (one == 0), ties_after + (other == 0), pairs + 1
    root = float(np.sqrt((pairs - ties_before) * (pairs - ties_after)))
    return (score / root if root else float("nan")), score / pairs


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=9))
@settings(max_examples=80, deadline=None)
def test_kendall_counts_pairs(frequencies: list[tuple[int, int]]) -> None:
    """tau-b and tau-a equal the count over all pairs, ties and all."""
    before, after = (list(side) for side in zip(*frequencies, strict=True))
    found = kendall(np.array(before, dtype=float), np.array(after, dtype=float))
    expected = naive_taus(before, after)
    assert found[0] == pytest.approx(expected[0], nan_ok=True)
    assert found[1] == pytest.approx(expected[1])


@given(
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=15),
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=15),
)
@settings(max_examples=60, deadline=None)
def test_number_distances_agree_with_their_definitions(before: list[float], after: list[float]) -> None:
    """Kolmogorov-Smirnov at every value, Wasserstein (scipy) in sds of the original; ties and unequal lengths."""
    pair = (Numbers.of(np.array(side)[:, None]) for side in (before, after))
    one, other = pair
    steps = [
        np.mean(np.array(before) <= point) - np.mean(np.array(after) <= point) for point in before + after
    ]
    assert kolmogorov(one, other, 0) == pytest.approx(np.abs(steps).max())
    sd = float(np.std(before))
    if sd > 0:
        assert wasserstein(one, other, 0) == pytest.approx(wasserstein_distance(before, after) / sd)
    elif set(before) == set(after):
        assert wasserstein(one, other, 0) == 0.0
    else:
        assert np.isnan(wasserstein(one, other, 0))


def test_distances_of_shares_by_hand() -> None:
    """Disjoint shares are at distance one; a shift of a quarter is a quarter."""
    apart = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    assert total_variation(*apart) == 1.0
    assert hellinger(*apart) == 1.0
    near = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.5, 0.25])
    assert total_variation(*near) == 0.25
    assert hellinger(*near) == pytest.approx(np.sqrt(((np.sqrt(0.5) - 0.5) ** 2 + 0.25) / 2))


def test_ranks_need_variation() -> None:
    """One category, or categories that all tie, have no rank correlation."""
    assert np.isnan(kendall(np.array([1.0]), np.array([1.0]))[0])
    assert np.isnan(spearman(np.array([0.5, 0.5]), np.array([0.1, 0.9])))


def test_missing_is_a_category(mixed: Callable[..., Table]) -> None:
    """Emptying a quarter of a column moves a quarter of its shares."""
    table = mixed(40)
    absent = np.zeros(40, dtype=np.uint8)
    absent[:10] = 1
    emptied = table.with_columns(
        table["sex"].with_values(table["sex"].values, absent),
        table["age"].with_values(table["age"].values, absent),
    )
    figures = {figure.name: figure for figure in MarginalDistance()(table, emptied)}
    parts = {part.of[0]: part.value for part in figures["distributions.total_variation"].parts}
    assert parts == pytest.approx({"sex": 0.25, "work": 0.0, "place": 0.0})
    assert figures["distributions.missing"].value == pytest.approx(0.25 / 3)


# -- contingency tables ----------------------------------------------------------------------------------------


def test_cutting_at_quantiles() -> None:
    """Four bins of eight numbers hold two each; missing is a bin of its own; ties merge bins."""
    numbers = Numbers.of(np.array([[1.0], [2], [3], [4], [5], [6], [7], [8], [np.nan]]))
    points = cut_points(numbers, 0, 4)
    assert np.bincount(cut(numbers, 0, points)).tolist() == [2, 2, 2, 2, 1]
    constant = Numbers.of(np.full((5, 1), 3.0))
    assert len(cut_points(constant, 0, 10)) == 1


def naive_conditional(before: np.ndarray, after: np.ndarray) -> float:
    """Conditional MAE with loops; rows that occur nowhere do not count."""
    found = []
    for row in range(len(before)):
        if before[row].sum() + after[row].sum() > 0:
            sides = [
                side[row] / side[row].sum() if side[row].sum() > 0 else side[row] * 0.0
                for side in (before, after)
            ]
            found.append(np.abs(sides[1] - sides[0]).mean())
    return float(np.mean(found))


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_conditional_shares_row_by_row(seed: int) -> None:
    """The vectorised average equals loops, with rows that are empty on one side or on both."""
    generator = np.random.default_rng(seed)
    before, after = (generator.integers(0, 3, (4, 3)) * generator.integers(0, 2, (4, 1)) for _ in range(2))
    if not before.sum() or not after.sum():
        return
    before, after = before / before.sum(), after / after.sum()
    found = conditional_differences(Cells(np.arange(12), before.ravel(), after.ravel()), 3)[0]
    assert found == pytest.approx(naive_conditional(before, after))


def test_bins_that_hold_nobody_dilute_nothing(numeric: Callable[..., Table]) -> None:
    """Two halves swapped: both conditional shares of both rows move by one. A bin for missing only where it occurs."""
    original = numeric({"x": [1.0, 1, 2, 2] * 5, "y": [1.0, 1, 2, 2] * 5})
    swapped = numeric({"x": [1.0, 1, 2, 2] * 5, "y": [2.0, 2, 1, 1] * 5})
    figures = {figure.name: figure.value for figure in ConditionalDistance(bins=2)(original, swapped)}
    assert figures == {"crosstables.conditional_mae": 1.0, "crosstables.conditional_mse": 1.0}
    emptied = numeric({"x": [1.0, 1, 2, 2] * 5, "y": [None, None, 2.0, 2] * 5})
    found = {figure.name: figure for figure in ConditionalDistance(bins=2)(original, emptied)}
    given_x, given_y = (part.value for part in found["crosstables.conditional_mae"].parts)
    assert given_x == pytest.approx(2 / 6)  # x = 1: y from 1 to missing, of three bins; x = 2: as it was
    assert given_y == pytest.approx((1 + 0 + 1) / 6)  # y = 1 and y = missing occur on one side only


def test_large_tables_are_counted_by_sorting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting only cells that occur gives the distances of counting all cells."""
    generator = np.random.default_rng(1)
    one, other = (Categories(generator.integers(0, 9, (70, 3)).astype(np.int32), (9, 9, 9)) for _ in range(2))
    dense = table_distances(one, other, [(0, 1), (0, 1, 2)])
    conditional = conditional_differences(crossed(one, other, (0, 2)), 9)
    monkeypatch.setattr(crosstables, "LARGEST_DENSE", 10)
    sparse = table_distances(one, other, [(0, 1), (0, 1, 2)])
    np.testing.assert_allclose(dense, sparse)
    assert conditional_differences(crossed(one, other, (0, 2)), 9) == pytest.approx(conditional)


def test_worst_tables_are_named(mixed: Callable[..., Table]) -> None:
    """A column whose values are shuffled spoils exactly the tables it is in."""
    table = mixed(300)
    shuffled = table["cost"].with_values(np.random.default_rng(0).permutation(table["cost"].values))
    protected = table.with_columns(shuffled)
    figures = {figure.name: figure for figure in TableDistance(ways=2, bins=5, shown=20)(table, protected)}
    assert figures["crosstables.tvd1"].value == pytest.approx(0.0, abs=1e-12)
    assert set(figures["crosstables.tvd2"].parts[0].of) == {"stay", "cost"}
    assert all(("cost" in part.of) == (part.value > 1e-9) for part in figures["crosstables.tvd2"].parts)


def test_sampled_tables_have_an_interval(mixed: Callable[..., Table]) -> None:
    """Of 20 three-way tables 6 are drawn: the mean of all lies near, and the interval says how near."""
    original, protected = mixed(200, 1), mixed(200, 2)
    every = {figure.name: figure for figure in TableDistance(bins=4)(original, protected)}["crosstables.tvd3"]
    some = {figure.name: figure for figure in TableDistance(bins=4, max_tables=10)(original, protected)}[
        "crosstables.tvd3"
    ]
    assert every.interval is None
    assert some.interval is not None
    assert some.interval[0] < every.value < some.interval[1]
    assert "10 of 20 tables, drawn with seed 0" in some.note
    assert len(set(chosen_tables(10, 3, 50, 1))) == 50


@pytest.mark.statistical
def test_floor_is_what_samples_show() -> None:
    """Total variation of 400 samples from fixed shares averages to the floor within 2 %."""
    generator = np.random.default_rng(11)
    shares = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    found = [total_variation(shares, generator.multinomial(500, shares) / 500) for _ in range(400)]
    assert sampling_floor(shares, 500) == pytest.approx(np.mean(found), rel=0.05)


def test_given_columns_only(mixed: Callable[..., Table]) -> None:
    """Conditioning on one column gives one part."""
    figures = ConditionalDistance(given=("sex",), columns=("work", "place"))(mixed(50, 1), mixed(50, 2))
    assert [part.of for part in figures[0].parts] == [("sex",)]


@pytest.mark.parametrize("bad", [{"bins": 1}, {"ways": 4}, {"max_tables": 1}])
def test_bad_parameters(bad: dict[str, Any]) -> None:
    """Parameters out of range are refused before any data."""
    with pytest.raises(ParameterError):
        TableDistance(**bad)
