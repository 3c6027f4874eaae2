"""Rank-interval disclosure by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.rank_interval import RankInterval, rank_interval_hits
from discreet.table.schema import Variable
from discreet.table.table import Table

X = {"x": Variable(name="x", kind="numeric")}


def test_width_counts_places_in_the_released_column():
    """20 released values, 10 %: two places each way, ends clipped, closed."""
    released = np.arange(20.0)
    original = released + 2
    assert rank_interval_hits(original, released, 10).tolist() == [True] * 18 + [False] * 2
    assert not rank_interval_hits(original, released, 5).any()


def test_width_is_a_half_width_rounded_down():
    """floor(p n / 100): 5 % of 30 records is one place, and 7 % of 100 are seven in spite of 7.000000000000001."""
    released = np.arange(30.0)
    assert rank_interval_hits(released + 1, released, 5)[:-1].all()
    assert not rank_interval_hits(released + 2, released, 5).any()
    hundred = np.arange(100.0)
    assert rank_interval_hits(hundred + 7, hundred, 7)[:-7].all()


def test_ties_are_as_wide_as_they_are_many():
    """A tied value's interval starts below the first and ends above the last of its ties."""
    released = np.array([1.0, 5.0, 5.0, 5.0, 9.0])
    assert rank_interval_hits(np.array([9.0, 1.0, 9.0, 0.9, 5.0]), released, 20).tolist() == [
        False,
        True,
        True,
        False,
        True,
    ]


def test_missing_is_left_out_or_safe():
    """Missing before: not asked; withheld in the release: not disclosed."""
    original = Table.build({"x": [1.0, None, 3.0, 4.0]}, X)
    protected = Table.build({"x": [1.0, 2.0, None, 4.0]}, X)
    (figure,) = RankInterval()(original, protected)
    assert figure.value == pytest.approx(100 * 2 / 3)
    assert figure.records.tolist() == [1, 0, 0, 1]


def test_untouched_file_is_disclosed():
    """The same table twice gives 100."""
    table = Table.build({"x": [3.0, 1.0, 2.0]}, X)
    assert RankInterval()(table, table)[0].value == 100
