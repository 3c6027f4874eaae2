"""The accountant agrees with the reference to its last printed digit, and its totals are sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.stats.privacy import LedgerEntry, epsilon_of, rho_of, total_epsilon, total_pure, total_rho


@pytest.mark.data
def test_conversions_agree_with_the_reference(golden: Callable[[str], Any]) -> None:
    """Every (rho, delta) and (epsilon, delta) of the golden file, to 1e-6 relative."""
    accounting = golden("pegs_exact.json")["accounting"]
    for case in accounting["rho_to_epsilon"]:
        assert epsilon_of(case["rho"], case["delta"]) == pytest.approx(case["epsilon"], rel=1e-6)
    for case in accounting["epsilon_to_rho"]:
        assert rho_of(case["epsilon"], case["delta"]) == pytest.approx(case["rho"], rel=1e-6)


@pytest.mark.data
def test_totals_agree_with_the_reference(golden: Callable[[str], Any]) -> None:
    """1000 rows of 13 draws cost 1000 times 13 draws, in both currencies."""
    for case in golden("pegs_exact.json")["accounting"]["bounded_range"]:
        draw = LedgerEntry("draw", case["columns"] * case["rows"], case["eta"], case["eta"] ** 2 / 8)
        assert total_pure([draw]) == pytest.approx(case["pure"], rel=1e-12)
        assert total_rho([draw]) == pytest.approx(case["rho"], rel=1e-12)


@given(st.floats(1e-4, 50.0), st.sampled_from([1e-12, 1e-9, 1e-6, 1e-3]))
def test_conversion_and_its_inverse(rho: float, delta: float) -> None:
    """rho -> epsilon -> rho comes back, and never beats the plain bound from above."""
    epsilon = epsilon_of(rho, delta)
    assert rho_of(epsilon, delta) == pytest.approx(rho, rel=1e-5)
    assert epsilon <= rho + 2 * (rho * -__import__("math").log(delta)) ** 0.5 + 1e-9


def test_total_takes_the_smaller_currency() -> None:
    """Few uses: pure is smaller; many: zCDP is. Without pure epsilon and without delta there is no total."""
    few, many = [LedgerEntry("a", 1, 0.1, 0.005)], [LedgerEntry("a", 10_000, 0.1, 0.005)]
    assert total_epsilon(few, 1e-9) == pytest.approx(0.1)
    assert total_epsilon(many, 1e-9) == pytest.approx(epsilon_of(50.0, 1e-9))
    assert total_epsilon([LedgerEntry("gauss", 1, None, 0.5)]) is None


@pytest.mark.parametrize(
    ("count", "pure", "rho"),
    [
        (-1, 1.0, None),
        (0, 1.0, None),
        (0.001, 1.0, None),
        (True, 1.0, None),
        (1, None, None),
        (1, 5.0, 0.0),
        (1, 0.0, 5.0),
        (1, 0.1, 5.0),
        (1, -1.0, None),
        (1, float("nan"), None),
        (1, None, float("inf")),
        (1, "1", None),
        (1, True, None),
    ],
)
def test_impossible_entries_are_refused(count: Any, pure: Any, rho: Any) -> None:
    """Parts of a use, no cost, costs of 0 or without end, and a rho that no mechanism of this epsilon has."""
    with pytest.raises(ParameterError, match="Ledger entry 'x'"):
        LedgerEntry("x", count, pure, rho)


@pytest.mark.parametrize("m", [1, 13])
def test_entries_of_the_generators_are_possible(m: int) -> None:
    """Rows and blocks by bounded range, replacement, counts under discrete Laplace and Gauss noise."""
    for eta in (0.01, 1.0, 8.0):
        LedgerEntry("row", 1000, m * eta, m * eta**2 / 8)
        LedgerEntry("row", 1000, m * eta, m * eta**2 / 2, neighbours="replace")
        LedgerEntry("mixed row", 1000, m * eta, m * eta**2 / 2, neighbours="any")
        LedgerEntry("discrete Laplace", 1, 2 * eta, 4 * eta**2 / 2, neighbours="replace")
    LedgerEntry("discrete Gauss", 1, None, 0.5)


def test_an_empty_ledger_has_no_total_and_delta_a_range() -> None:
    """No expenses are no proof of none; delta is a probability."""
    assert total_epsilon([], 0.0) is None
    assert total_epsilon([], 1e-9) is None
    for delta in (-1.0, 1.0, float("nan")):
        with pytest.raises(ParameterError, match="delta"):
            total_epsilon([LedgerEntry("a", 1, 1.0, None)], delta)
