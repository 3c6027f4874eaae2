"""Deviation-interval disclosure by hand."""

from __future__ import annotations

import numpy as np

from discreet.risk.sd_interval import SdInterval, sd_interval_hits
from discreet.table.schema import Variable
from discreet.table.table import Table


def test_half_width_in_deviations_of_the_original_closed():
    """sd = 5: at 10 % half a unit either way counts, also exactly half, whatever rounding says."""
    original = np.array([0.0, 10.0, 0.0, 10.0])
    released = original + np.array([0.5, -0.5, 0.51, 0.3 + 0.2])
    assert sd_interval_hits(original, released, 10).tolist() == [True, True, False, True]


def test_mean_over_widths_is_a_step_function():
    """Off by 0.55 sd / 10: outside at 1 .. 5 %, inside at 6 .. 10 %: 50."""
    variables = {"x": Variable(name="x", kind="numeric")}
    original = Table.build({"x": [-1.0, 1.0]}, variables)
    protected = Table.build({"x": [-1.055, 1.055]}, variables)
    assert SdInterval()(original, protected)[0].value == 50


def test_constant_column_is_disclosed_only_exactly():
    """Without spread only the equal value counts."""
    assert sd_interval_hits(np.full(2, 3.0), np.array([3.0, 3.1]), 10).tolist() == [True, False]
