"""Intervals of shares and of their differences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from discreet.risk.rates import excess_interval, percent_figure, wilson_interval


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5])
def test_wilson_covers_about_as_often_as_it_says(share):
    """Coverage computed exactly over the binomial law lies between 93 and 98 % for 200 trials."""
    hits = np.arange(201)
    covers = [low <= share <= high for low, high in (wilson_interval(h, 200) for h in hits)]
    assert 0.93 < binom.pmf(hits, 200, share)[covers].sum() < 0.98


@given(st.integers(0, 50), st.integers(1, 50), st.integers(0, 50), st.integers(1, 50))
def test_excess_interval_holds_the_difference(a, n, c, m):
    """Within -1 .. 1, around the difference, and the mirror image when the roles are changed."""
    a, c = min(a, n), min(c, m)
    difference, low, high = excess_interval((a, n), (c, m))
    assert -1 <= low <= difference <= high <= 1
    back = excess_interval((c, m), (a, n))
    assert back == pytest.approx((-difference, -high, -low))


def test_figure_without_records_is_undefined():
    """With a reason, not a zero."""
    figure = percent_figure("some.figure", np.empty(0))
    assert np.isnan(figure.value)
    assert figure.note
