"""l-diversity of a table that can be counted by eye."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.diversity import Diversity
from discreet.risk.sensitive import class_codes, equal_frequency_cuts
from discreet.table.column import Column
from discreet.table.schema import Variable
from discreet.table.table import Table

VARIABLES = {
    "town": Variable(name="town", kind="nominal", role="quasi"),
    "illness": Variable(name="illness", kind="nominal", role="confidential"),
    "income": Variable(name="income", kind="numeric", role="confidential"),
}


def test_worked_example():
    """Town A: flu flu hiv (l 2); town B: flu flu (l 1, homogeneous). Incomes differ enough not to matter."""
    table = Table.build(
        {"town": list("AAABB"), "illness": ["flu", "flu", "hiv", "flu", "flu"], "income": [1.0, 2, 3, 4, 1]},
        VARIABLES,
    )
    distinct, entropy, recursive, homogeneous = Diversity()(table, table)
    assert {p.of: p.value for p in distinct.parts} == {("illness",): 1, ("income",): 2}
    assert distinct.records.tolist() == [2, 2, 2, 1, 1]
    assert entropy.records[0] == pytest.approx(np.exp(-(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))))
    assert recursive.value == 1
    assert homogeneous.value == 40


def test_classes_of_numbers_never_separate_equal_values():
    """Many equal values make fewer classes; the cuts come from the original."""
    assert equal_frequency_cuts(np.array([0.0] * 9 + [1.0]), 4).tolist() == [0.0]
    assert equal_frequency_cuts(np.arange(8.0), 4).tolist() == [1.0, 3.0, 5.0]
    income = Column.build(VARIABLES["income"], [0.0, 4.0, None, 99.0])
    reference = Column.build(VARIABLES["income"], list(map(float, range(8))))
    assert class_codes(income, reference, 4)[0].tolist() == [0, 2, 4, 3]


def test_missing_secret_is_a_value_of_its_own():
    """An unknown illness beside flu is two values: an intruder cannot exclude either."""
    table = Table.build({"town": list("AA"), "illness": ["flu", None], "income": [1.0, 1.0]}, VARIABLES)
    assert Diversity(secret=("illness",))(table, table)[0].value == 2
