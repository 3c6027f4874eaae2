"""Numbers as the report says them: rounded, never another number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.report.wording import digits, number_text

_LARGEST = 1e14
_NEAR_POWERS = [math.nextafter(10.0**power, to) for power in range(-6, 14) for to in (0.0, math.inf)]


def _read_back(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


@given(st.floats(-_LARGEST, _LARGEST) | st.floats(-1000, 1000) | st.sampled_from(_NEAR_POWERS))
def test_a_text_read_back_is_the_number_rounded(value: float) -> None:
    """To three digits or a whole number, also just beside a power of ten: 99.99999999999999 is not said as 1."""
    assert abs(_read_back(digits(value)) - value) <= max(0.006 * abs(value), 1e-9)


@pytest.mark.parametrize(
    ("value", "said"),
    [(99.99999999999999, "100\xa0%"), (9.999, "10\xa0%"), (0.9999, "1\xa0%"), (99.6, "99.6\xa0%")],
)
def test_shares_that_round_to_a_power_of_ten_keep_its_zeros(value: float, said: str) -> None:
    """Zeros are struck behind the point alone."""
    assert number_text(value, "%") == said
