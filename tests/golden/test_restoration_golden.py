"""Restoration against reference numbers of the specification, on its hand cases and on the EIA file."""

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from discreet.errors import UnsuitableError
from discreet.stats.moments import moment_errors
from discreet.stats.restoration import restore
from discreet.stats.restoration_maps import KINDS, restoration_map
from discreet.stats.restoration_parts import group_errors, restore_groups
from discreet.stats.restoration_printed import restore_printed
from discreet.stats.restoration_support import restore_within, round_restored

pytestmark = pytest.mark.data

REVENUE, SALES = [0, 2, 4, 6], [1, 3, 5, 7]


@pytest.fixture(scope="module")
def reference(golden: Callable[[str], Any]) -> Any:
    """The reference numbers of continuous hybrids."""
    return golden("hybrid.json")


@pytest.fixture(scope="module")
def eia(real_table: Callable[[str], pl.DataFrame]) -> np.ndarray:
    """The ten numeric columns of EIA, 4,092 records."""
    table = real_table("eia.csv")
    return np.ascontiguousarray(table.select(table.columns[5:]).to_numpy().astype(np.float64))


@pytest.fixture(scope="module")
def microaggregated(eia: np.ndarray, golden: Callable[[str], Any]) -> np.ndarray:
    """X'(mic): EIA with the means of its MDAV groups of three."""
    labels = np.array(golden("mdav_labels.json")["labels"]["eia"]["k3"])
    _, group, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    sums = np.zeros((len(sizes), eia.shape[1]))
    np.add.at(sums, group, eia)
    return (sums / sizes[:, None])[group]


@pytest.fixture(scope="module")
def treated(eia: np.ndarray, microaggregated: np.ndarray) -> dict[str, np.ndarray]:
    """Groups of three, noise of 0.16 sd, and every column permuted: the last two break all identities."""
    rng = np.random.default_rng(16)
    return {
        "groups": microaggregated,
        "noise": eia + rng.normal(size=eia.shape) * 0.16 * eia.std(axis=0),
        "permuted": np.column_stack([rng.permutation(column) for column in eia.T]),
    }


@pytest.fixture(scope="module")
def exact_totals(eia: np.ndarray) -> np.ndarray:
    """EIA with its two totals made the exact sums of the four sectors."""
    return np.column_stack([eia[:, :8], eia[:, REVENUE].sum(axis=1), eia[:, SALES].sum(axis=1)])


@pytest.mark.parametrize("kind", KINDS)
def test_maps(reference, kind):
    """T of two pairs of covariances, to the reference's 12 digits."""
    for case in reference["maps"]:
        wanted, now, cross = (
            np.array(case[name]) for name in ("cov", "cov_masked", "cross_cov_masked_original")
        )
        np.testing.assert_allclose(restoration_map(wanted, now, kind, cross), case[kind], atol=1e-10)


@pytest.mark.parametrize("case", [0, 1, 2])
def test_hand_cases(reference, case):
    """All kinds, weights, and the printed algorithm with its largest solved value."""
    numbers = reference["hand"][case]
    original, masked = np.array(numbers["X"]), np.array(numbers["Xm"])
    for kind in KINDS:
        expected = np.array(numbers[kind])
        restored, _ = restore(original, masked, kind=kind)
        np.testing.assert_allclose(restored, expected, atol=1e-8 * np.abs(expected).max())
    weights, expected = np.array(numbers["weights"]), np.array(numbers["transport_weighted"])
    restored, _ = restore(original, masked, weights=weights)
    np.testing.assert_allclose(restored, expected, atol=1e-8 * np.abs(expected).max())
    hybrid, expected = restore_printed(original, masked), np.array(numbers["printed"])
    np.testing.assert_allclose(hybrid.values, expected, atol=1e-8 * np.abs(expected).max())
    assert hybrid.largest_solved == pytest.approx(max(numbers["max_abs_solved_by_column"]), rel=1e-8)


def test_identities(reference, eia):
    """60 records with an exact total: dependent and exact; off by one: near; the printed algorithm refuses."""
    numbers = reference["identities"]
    original, masked = eia[: numbers["rows"]].copy(), np.array(numbers["masked"])
    total = numbers["total"]
    original[:, total] = original[:, numbers["parts"]].sum(axis=1)
    restored, plan = restore(original, masked)
    assert list(plan.columns.dependent) == numbers["dependent"]
    off = restored[:, total] - restored[:, numbers["parts"]].sum(axis=1)
    assert np.abs(off).max() <= 1e-9 * original[:, total].std()
    assert moment_errors(original, restored).largest <= 1e-12
    with pytest.raises(UnsuitableError, match="not positive definite"):
        restore_printed(original, masked)
    original[:, total] += numbers["rounding_added_to_total"]
    restored, plan = restore(original, masked)
    assert list(plan.columns.near) == numbers["near_when_total_is_off_by_one"]
    assert moment_errors(original, restored).largest <= 1e-12


@pytest.mark.parametrize("masker", ["mic", "sw", "rn"])
def test_blocks_of_250_records(reference, eia, masker):
    """First records of two kinds, the last record, condition and solved values of the printed algorithm."""
    numbers, original = reference["eia250"]["masked"][masker], eia[:250]
    masked, units = np.array(numbers["values"]), original.std(axis=0)
    for kind in ("triangular", "transport"):
        restored, _ = restore(original, masked, kind=kind)
        np.testing.assert_allclose(
            restored[0] / units, np.array(numbers[f"{kind}_first_row"]) / units, atol=1e-6
        )
        assert moment_errors(original, restored).largest < 1e-12
    hybrid = restore_printed(original, masked)
    np.testing.assert_allclose(
        hybrid.values[-1] / units, np.array(numbers["printed_last_row"]) / units, atol=1e-6
    )
    assert hybrid.condition == pytest.approx(numbers["printed_condition_max"], rel=5e-3)
    assert hybrid.largest_solved == pytest.approx(numbers["printed_max_abs_solved"], rel=1e-5)


@pytest.mark.parametrize("masker", ["mic", "sw", "rn"])
def test_parts_of_250_records(reference, eia, masker):
    """Restored inside three parts by size, every part and the union are exact."""
    block, original = reference["eia250"], eia[:250]
    labels = np.array(block["partition"]["labels"])
    masked = np.array(block["masked"][masker]["values"])
    result = restore_groups(original, masked, labels, min_part=12)
    assert group_errors(original, result.values, labels).largest < 1e-10
    assert moment_errors(original, result.values).largest < 1e-10


@pytest.mark.parametrize("treatment", ["groups", "noise", "permuted"])
@pytest.mark.parametrize("kind", KINDS)
def test_eia_is_exact(eia, treated, treatment, kind):
    """Means to 4e-15 sd and covariances to 4e-15, and with a correction round covariances to 2e-15."""
    restored, plan = restore(eia, treated[treatment], kind=kind)
    errors = moment_errors(eia, restored)
    assert plan.columns.core == tuple(range(10))
    assert errors.mean < 4e-15
    assert errors.covariance < 4e-15
    corrected, _ = restore(eia, treated[treatment], kind=kind, correct=True)
    assert moment_errors(eia, corrected).covariance < 2e-15


@pytest.mark.parametrize("treatment", ["groups", "noise", "permuted"])
def test_eia_with_exact_totals(exact_totals, treated, treatment):
    """Totals follow from their parts to the last bit, whatever was done to them."""
    restored, plan = restore(exact_totals, treated[treatment])
    assert plan.columns.dependent == (8, 9)
    assert np.abs(restored[:, 8] - restored[:, REVENUE].sum(axis=1)).max() < 1e-9
    assert np.abs(restored[:, 9] - restored[:, SALES].sum(axis=1)).max() < 1e-8
    assert moment_errors(exact_totals, restored).largest < 1e-14
    with pytest.raises(UnsuitableError, match="not positive definite"):
        restore_printed(exact_totals, treated[treatment])


@pytest.mark.parametrize("treatment", ["groups", "noise", "permuted"])
def test_eia_with_rounded_totals(exact_totals, treated, treatment):
    """Totals off by one unit are near columns, and as exact as the rest."""
    original = exact_totals.copy()
    original[:, 8:] += np.random.default_rng(0).integers(-1, 2, (len(original), 2))
    restored, plan = restore(original, treated[treatment])
    assert plan.columns.near == (8, 9)
    assert moment_errors(original, restored).largest < 1e-13


def test_groups_survive(eia, microaggregated):
    """As many distinct records after restoration as before: k-anonymity is kept, to the bit."""
    restored, plan = restore(eia, microaggregated)
    assert plan.equal_stay_equal
    assert len(np.unique(restored, axis=0)) == len(np.unique(microaggregated, axis=0)) == 1361


def test_printed_makes_outliers_of_eia(eia, microaggregated):
    """Values solved for X'(mic) reach 297, as the reference found; single cells reach many deviations."""
    hybrid = restore_printed(eia, microaggregated)
    assert hybrid.largest_solved == pytest.approx(297.0, abs=0.5)
    assert moment_errors(eia, hybrid.values).largest < 1e-13
    tail = np.square((hybrid.values - eia.mean(axis=0)) / eia.std(axis=0))[-9:].sum(axis=0) / len(eia)
    assert tail.max() > 0.3


@pytest.mark.parametrize("treatment", ["groups", "noise"])
def test_eia_in_its_own_range(eia, treated, treatment):
    """Transport with bounds reaches them, and stays exact."""
    lower, upper = eia.min(axis=0), eia.max(axis=0)
    restored, bounded = restore_within(eia, treated[treatment], lower, upper)
    assert bounded.violation <= 1e-9
    assert moment_errors(eia, restored).largest < 1e-12


def test_eia_rounded_to_units(eia, microaggregated):
    """Whole numbers on output cost exactness: some 2e-6 sd."""
    restored, plan = restore(eia, microaggregated)
    errors = moment_errors(eia, round_restored(restored, [0] * 10, plan))
    assert 1e-8 < errors.mean < 1e-5
    assert 1e-8 < errors.covariance < 1e-5


def test_census_refuses_the_printed_algorithm_only(real_table):
    """PTOTVAL is the sum of two columns: the default keeps it so, the printed algorithm cannot start."""
    table = real_table("census.csv")
    original = np.ascontiguousarray(table.to_numpy().astype(np.float64))
    noisy = original + np.random.default_rng(3).normal(size=original.shape) * 0.1 * original.std(axis=0)
    with pytest.raises(UnsuitableError, match="not positive definite"):
        restore_printed(original, noisy)
    restored, _ = restore(original, noisy)
    assert moment_errors(original, restored).largest < 1e-12
    total, parts = (
        table.columns.index("PTOTVAL"),
        [table.columns.index(name) for name in ("POTHVAL", "PEARNVAL")],
    )
    off = restored[:, total] - restored[:, parts].sum(axis=1)
    assert np.abs(off).max() < 1e-9 * original[:, total].std()
