"""Tables as values: choosing columns and records, replacing columns."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import SchemaError
from discreet.table.column import Column
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table

SCHEMA = Schema(
    (
        Variable(name="age", kind="numeric", role="quasi"),
        Variable(name="sex", kind="nominal", role="quasi"),
        Variable(name="income", kind="numeric", role="confidential"),
        Variable(name="w", kind="numeric", role="weight"),
    )
)


def people() -> Table:
    """Three records that fit on a line."""
    return Table.build(
        {"age": [31, None, 64], "sex": ["m", "f", "m"], "income": [10, 20, 30], "w": [1, 2, 0.5]}, SCHEMA
    )


def test_columns_by_name_role_and_kind() -> None:
    """Each way to choose keeps the order of the table."""
    table = people()
    assert table.names == ("age", "sex", "income", "w")
    assert [column.name for column in table.of_role("quasi")] == ["age", "sex"]
    assert [column.name for column in table.of_role("confidential", "weight")] == ["income", "w"]
    assert [column.name for column in table.of_kind("nominal")] == ["sex"]
    assert "age" in table
    assert "zip" not in table
    with pytest.raises(SchemaError, match=r"no column 'zip'\. It has: age, sex, income, w"):
        table["zip"]


def test_weights_are_those_declared() -> None:
    """The weight column's values; None where there is none."""
    weights = people().weights
    assert weights is not None
    assert weights.tolist() == [1.0, 2.0, 0.5]
    assert people().select(["age"]).weights is None


def test_select_and_drop() -> None:
    """Select follows the order asked for, drop the order of the table."""
    table = people()
    assert table.select(["sex", "age"]).names == ("sex", "age")
    assert table.drop(["sex", "unknown"]).names == ("age", "income", "w")
    assert table.select([]).n_records == 3


def test_take_records() -> None:
    """By index with repeats, by truth value, by a list, by a slice."""
    table = people()
    assert table.take(np.array([2, 0, 0]))["income"].values.tolist() == [30.0, 10.0, 10.0]
    by_truth = table.take(np.array([True, False, True]))
    assert by_truth.n_records == 2
    assert by_truth.same_as(table.take([0, 2]))
    assert table.take(np.array([], dtype=np.int64)).n_records == 0
    assert table.select([]).take([0, 1]).n_records == 2


def test_with_columns_replaces_by_name_and_shares_the_rest() -> None:
    """The table stays as it was; unknown columns are refused."""
    table = people()
    changed = table.with_columns(table["age"].with_values([1, 2, 3]))
    assert changed["age"].values.tolist() == [1.0, 0.0, 3.0]
    assert table["age"].values.tolist() == [31.0, 0.0, 64.0]
    assert changed["sex"] is table["sex"]
    with pytest.raises(SchemaError, match="no column 'zip'"):
        table.with_columns(Column.build(Variable(name="zip", kind="numeric"), [1, 2, 3]))


def test_columns_must_be_as_long_and_differ_in_name() -> None:
    """Ragged tables and double names cannot be made."""
    age = Column.build(SCHEMA["age"], [1, 2])
    with pytest.raises(SchemaError, match="equally long"):
        Table((age,), 3)
    with pytest.raises(SchemaError, match="differ in name"):
        Table((age, age), 2)


def test_same_as_needs_the_same_order() -> None:
    """Equal columns in another order are another table."""
    table = people()
    assert table.same_as(people())
    assert not table.same_as(table.select(["sex", "age", "income", "w"]))
    assert not table.same_as(table.take([1, 0, 2]))
