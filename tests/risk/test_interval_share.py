"""Share of records inside intervals in all columns at once."""

from __future__ import annotations

import pytest

from discreet.errors import ParameterError
from discreet.risk.interval_share import IntervalShare
from discreet.table.schema import Variable
from discreet.table.table import Table

XY = {n: Variable(name=n, kind="numeric") for n in ("x", "y")}


def test_all_columns_must_be_inside():
    """Released sd (n - 1) of x and y is 1: within 0.5 in x for two records, in y for two, in both for one."""
    original = Table.build({"x": [0.0, 1.4, 2.9], "y": [0.4, 9.0, 2.0]}, XY)
    protected = Table.build({"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 2.0]}, XY)
    (figure,) = IntervalShare(k=0.5)(original, protected)
    assert figure.records.tolist() == [1, 0, 0]
    assert figure.value == pytest.approx(100 / 3)


def test_missing_constrains_nothing_and_withheld_is_outside():
    """A value the original lacks cannot protect; one the release lacks does."""
    original = Table.build({"x": [0.0, None], "y": [1.0, 2.0]}, XY)
    protected = Table.build({"x": [None, 5.0], "y": [1.0, 2.0]}, XY)
    assert IntervalShare()(original, protected)[0].records.tolist() == [0, 1]


def test_k_must_be_positive():
    """Refused with what was got."""
    with pytest.raises(ParameterError, match="Got 0"):
        IntervalShare(k=0)
