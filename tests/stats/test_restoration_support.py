"""Bounds, rounding and blending around restoration."""

import numpy as np
import pytest

from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import moment_errors
from discreet.stats.restoration import restore
from discreet.stats.restoration_support import blend_records, restore_within, round_restored


def _tables(seed):
    rng = np.random.default_rng(seed)
    original = rng.lognormal(sigma=0.7, size=(500, 3)) @ np.array(
        [[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.2, 0.0, 1.0]]
    )
    return original, original + rng.normal(size=original.shape) * 0.5 * original.std(axis=0), rng


def test_bounds_hold_and_moments_are_exact():
    """Values leave the range of the original without bounds, and stay in it with them."""
    original, treated, _ = _tables(0)
    lower, upper = original.min(axis=0), original.max(axis=0)
    free, _ = restore(original, treated)
    assert (free < lower).any()
    restored, bounded = restore_within(original, treated, lower, upper)
    units = original.std(axis=0)
    assert ((restored - lower) / units).min() >= -1e-9
    assert ((upper - restored) / units).min() >= -1e-9
    assert bounded.violation <= 1e-9
    assert moment_errors(original, restored).largest < 1e-12


def test_bounded_restoration_maps_records():
    """Piece by piece it gives the bits of the whole, and equal records stay equal."""
    original, treated, _ = _tables(1)
    treated = np.repeat(treated[::2], 2, axis=0)
    lower, upper = np.full(3, 0.0), np.full(3, np.inf)
    restored, bounded = restore_within(original, treated, lower, upper)
    assert len(bounded.sweeps) > 1
    pieces = [bounded.apply(treated[start : start + 77], start) for start in range(0, 500, 77)]
    np.testing.assert_array_equal(np.concatenate(pieces), restored)
    np.testing.assert_array_equal(restored[::2], restored[1::2])


def test_bounds_that_hold_already_change_nothing():
    """One sweep, the plain restoration."""
    original, treated, _ = _tables(2)
    restored, bounded = restore_within(original, treated, np.full(3, -1e9), np.full(3, np.inf))
    np.testing.assert_array_equal(restored, restore(original, treated)[0])
    assert (len(bounded.sweeps), bounded.violation) == (1, 0.0)


def test_violation_that_is_left_is_reported():
    """Stopped after two sweeps, the report is what is really outside."""
    original, treated, _ = _tables(3)
    lower, upper = original.min(axis=0), original.max(axis=0)
    restored, bounded = restore_within(original, treated, lower, upper, max_sweeps=2)
    outside = np.maximum(lower - restored, restored - upper) / original.std(axis=0)
    assert bounded.violation == pytest.approx(outside.max())
    assert bounded.violation > 1e-9
    assert moment_errors(original, restored).largest < 1e-12


@pytest.mark.parametrize("upper", [1.0, 3.0])
def test_impossible_bounds_are_refused(upper):
    """A mean outside, and a variance larger than the bounds allow (2 against (3 - 2)(2 - 1))."""
    original = np.array([[0.0], [2.0], [4.0], [2.0]])
    with pytest.raises(UnsuitableError, match=r"positions \[0\]"):
        restore_within(original, original, np.array([1.0]), np.array([upper]))
    with pytest.raises(ParameterError):
        restore_within(original, original, np.zeros(2), np.ones(2))


def test_rounded_totals_agree_with_rounded_parts():
    """Parts are rounded first, their total is computed of the rounded parts; the error is small and measurable."""
    rng = np.random.default_rng(4)
    parts = np.round(rng.lognormal(sigma=1.0, size=(400, 3)) * 1e4)
    original = np.column_stack([parts, parts.sum(axis=1)])
    restored, plan = restore(original, original + rng.normal(size=original.shape) * 1e3)
    rounded = round_restored(restored, [0, 0, -1, 0], plan)
    np.testing.assert_array_equal(rounded[:, 3], rounded[:, :3].sum(axis=1))
    np.testing.assert_array_equal(rounded[:, 2] % 10, 0.0)
    assert not np.signbit(rounded[rounded == 0.0]).any()
    assert 1e-12 < moment_errors(original, rounded).largest < 1e-3


def test_rounding_leaves_columns_without_decimals():
    """None is no rounding; the count must fit."""
    values = np.array([[1.26, 2.26]])
    assert round_restored(values, [None, 1]).tolist() == [[1.26, 2.3]]
    with pytest.raises(ParameterError):
        round_restored(values, [1])


def test_blend_keeps_the_moments_roughly_and_drops_the_link():
    """At 0 every record is another's, the moments exactly those of the treated; between, they agree to sampling."""
    _, treated, _ = _tables(5)
    swapped = blend_records(treated, 0.0, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(swapped, axis=0), np.sort(treated, axis=0), rtol=1e-12)
    blended = blend_records(treated, 0.8, np.random.default_rng(0))
    assert abs(np.corrcoef(blended[:, 0], treated[:, 0])[0, 1] - 0.8) < 0.1
    errors = moment_errors(treated, blended)
    assert errors.mean < 1e-12
    assert errors.covariance < 0.3


def test_blend_out_of_range_is_refused():
    """It is a share."""
    with pytest.raises(ParameterError, match="between 0 and 1"):
        blend_records(np.ones((2, 1)), 1.5, np.random.default_rng(0))
