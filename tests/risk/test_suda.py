"""Minimal sample uniques against brute force over all sets of columns."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.risk.suda import (
    SpecialUniqueness,
    affordable_size,
    disclosure_scores,
    minimal_uniques,
    special_uniques,
)
from discreet.table.schema import Variable
from discreet.table.table import Table

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=14)


def brute_force(rows, max_size):
    """(columns, record) of every minimal sample unique, by counting every set of columns."""
    alone = set()
    for size in range(1, max_size + 1):
        for columns in combinations(range(4), size):
            keys = [tuple(row[j] for j in columns) for row in rows]
            counts = Counter(keys)
            alone |= {(columns, i) for i, key in enumerate(keys) if counts[key] == 1}
    return {
        (columns, i)
        for columns, i in alone
        if not any(
            (part, i) in alone for size in range(1, len(columns)) for part in combinations(columns, size)
        )
    }


@settings(deadline=None)
@given(ROWS, st.integers(1, 4))
def test_minimal_uniques_equal_brute_force(rows, max_size):
    """The same sets for the same records, no more and no fewer; scores are sums of (m - s)! when all are searched."""
    codes = list(np.array(rows).T.astype(np.int64))
    found = {(columns, int(i)) for columns, records in minimal_uniques(codes, max_size) for i in records}
    assert found == brute_force(rows, max_size)
    if max_size == 4:
        scores = np.zeros(len(rows))
        for columns, i in found:
            scores[i] += factorial(4 - len(columns))
        assert special_uniques(codes, 4).scores.tolist() == scores.tolist()


def test_chances_average_to_the_common_one():
    """The mean of 1 / DIS over special uniques is that of Skinner and Elliot's common chance."""
    scores = np.array([24.0, 6, 2, 1, 1, 0, 0])
    chance = disclosure_scores(scores, n_paired=4, n_columns=5, fraction=0.1)
    common = 5 * 0.1 / (5 * 0.1 + 4 * 0.9)
    assert np.mean(1 / chance[:5]) == pytest.approx(1 / common)
    assert (np.diff(chance[:5]) <= 0).all()
    assert disclosure_scores(scores, 0, 5, 0.1)[:5].tolist() == [1.0] * 5


def test_worked_example():
    """One widow of 17 in a file where widows are old: the pair singles her out, neither value does."""
    variables = {n: Variable(name=n, kind="nominal", role="quasi") for n in ("age", "status")}
    cells = {"age": [17, 17, 80, 80, 80], "status": ["widow", "single", "widow", "widow", "single"]}
    table = Table.build(cells, variables)
    records, worst, columns = SpecialUniqueness()(table, table)
    assert records.records.tolist() == [1, 1, 0, 0, 1]
    assert records.value == 60
    assert {p.of: p.value for p in columns.parts} == {("age",): 100, ("status",): 100}
    assert 0 < worst.value < 100


def test_wide_tables_are_searched_to_an_affordable_size():
    """The sets searched stay below the limit, and a table of one column has one."""
    assert affordable_size(1) == 1
    assert affordable_size(30) == 3
    assert affordable_size(200) == 1


@pytest.mark.parametrize("bad", [{"max_size": 0}, {"fraction": 0.0}, {"fraction": 1.0}])
def test_bad_parameters(bad):
    """Refused when made."""
    with pytest.raises(ParameterError):
        SpecialUniqueness(**bad)
