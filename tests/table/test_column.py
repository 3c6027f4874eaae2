"""Columns as values: whose memory they keep, what changes them, what support they return to."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError, SchemaError
from discreet.table.column import EMPTY, FIRST_CODE, Column, sealed, settle
from discreet.table.schema import Variable
from discreet.table.taxonomy import Taxonomy

AGE = Variable(name="age", kind="numeric", role="quasi", decimals=0, lower=0, upper=100, unknown=(99,))
SEX = Variable(name="sex", kind="nominal", role="quasi")


def absent_of(n_records: int) -> np.ndarray:
    return np.zeros(n_records, dtype=np.uint8)


def test_build_tells_empty_from_declared_codes() -> None:
    """None is empty, a declared code is its own reason; values under both are 0."""
    column = Column.build(AGE, [31, None, 99, 64])
    assert column.absent.tolist() == [0, EMPTY, FIRST_CODE, 0]
    assert column.values.tolist() == [31.0, 0.0, 0.0, 64.0]
    assert column.missing.tolist() == [False, True, True, False]


def test_build_sorts_levels_unless_declared() -> None:
    """Categories ascend; declared ones keep their order, unused ones too; others are refused without a value."""
    assert Column.build(SEX, ["m", "f", None]).levels == ("f", "m")
    declared = Variable(name="sex", kind="ordinal", levels=("m", "x", "f"))
    column = Column.build(declared, ["f", "m"])
    assert (column.levels, column.values.tolist(), column.counts.tolist()) == (
        ("m", "x", "f"),
        [2, 0],
        [1, 0, 1],
    )
    with pytest.raises(SchemaError, match="not among its levels") as caught:
        Column.build(declared, ["secret"])
    assert "secret" not in str(caught.value)


def test_build_on_a_tree_gives_nodes() -> None:
    """Positions of a taxonomic column are the nodes of its tree."""
    tree = Taxonomy.flat(["a", "b"])
    column = Column.build(Variable(name="d", kind="taxonomic", taxonomy="t"), ["b", None, "a"], tree=tree)
    assert (column.levels, column.values.tolist()) == (("*", "a", "b"), [2, 0, 1])


def test_a_column_does_not_share_memory_that_others_can_write() -> None:
    """The caller's array stays writeable and later writes do not reach the column, nor through a read-only view."""
    numbers, absent = np.array([1.0, 2.0]), absent_of(2)
    view = numbers.view()
    view.flags.writeable = False
    columns = [Column(AGE, numbers, absent), Column(AGE, view, absent), Column(AGE, numbers[::-1], absent)]
    assert numbers.flags.writeable
    assert absent.flags.writeable
    numbers[:] = -1.0
    absent[:] = 1
    assert [column.values.tolist() for column in columns] == [[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]
    assert not any(column.missing.any() for column in columns)


def test_a_sealed_array_is_kept_without_a_copy() -> None:
    """An array that is closed to writing is not copied, nor is a slice of it."""
    numbers = sealed(np.array([1.0, 2.0, 3.0]))
    assert Column(AGE, numbers, absent_of(3)).values is numbers
    assert np.shares_memory(Column(AGE, numbers[1:], absent_of(2)).values, numbers)


def test_a_column_cannot_be_written_to() -> None:
    """Values and reasons are closed however the column came about."""
    column = Column.build(AGE, [1, 2, None])
    for made in (
        column,
        column.take(np.array([0])),
        column.with_values([3, 4, 5]),
        column.with_numbers(column.values),
    ):
        with pytest.raises(ValueError, match="read-only"):
            made.values[0] = 5
        with pytest.raises(ValueError, match="read-only"):
            made.absent[0] = 1


def test_types_and_lengths_are_settled_when_made() -> None:
    """Whole numbers become floats, positions int32; arrays of different lengths are refused."""
    assert Column(AGE, np.array([1, 2]), absent_of(2)).values.dtype == np.float64  # type: ignore[arg-type]
    assert Column(SEX, np.array([0, 0]), absent_of(2), ("f",)).values.dtype == np.int32  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="Column 'age'"):
        Column(AGE, np.zeros(2), absent_of(3))
    with pytest.raises(SchemaError, match="Column 'age'"):
        Column(AGE, np.zeros((2, 1)), absent_of(2))


def test_with_values_keeps_what_is_missing() -> None:
    """Values under a reason become 0; new reasons replace the old."""
    column = Column.build(AGE, [31, None, 64])
    assert column.with_values([1, 2, 3]).values.tolist() == [1.0, 0.0, 3.0]
    changed = column.with_values([1, 2, 3], np.array([EMPTY, 0, 0], dtype=np.uint8))
    assert changed.missing.tolist() == [True, False, False]
    assert changed.values.tolist() == [0.0, 2.0, 3.0]


def test_with_numbers_returns_to_the_support() -> None:
    """Numbers are rounded to the declared decimals, then kept inside the bounds; codes are not touched."""
    column = Column.build(AGE, [31, 99, 64])
    moved = column.with_numbers(np.array([31.6, 500.0, 500.0]))
    assert moved.values.tolist() == [32.0, 0.0, 100.0]
    assert moved.absent.tolist() == [0, FIRST_CODE, 0]
    assert settle(np.array([1.5]), Variable(name="x", kind="numeric")).tolist() == [1.5]


def test_with_levels_drops_numeric_support_and_trees() -> None:
    """Recoding a number makes a category; recoding on a tree makes it nominal."""
    recoded = Column.build(AGE, [31, None, 64]).with_levels(
        ["30s", "60s"], np.array([0, 0, 1]), kind="ordinal"
    )
    assert (recoded.kind, recoded.levels, recoded.variable.levels) == (
        "ordinal",
        ("30s", "60s"),
        ("30s", "60s"),
    )
    assert recoded.variable.upper is None
    assert recoded.values.tolist() == [0, 0, 1]
    tree = Taxonomy.flat(["a", "b"])
    column = Column.build(Variable(name="d", kind="taxonomic", taxonomy="t"), ["b"], tree=tree)
    assert column.with_levels(["x"], np.array([0])).kind == "nominal"
    assert column.with_levels(["x"], np.array([0])).tree is None


def test_counts_are_of_categories_only() -> None:
    """Missing records are not counted, unused categories count 0, numbers have none."""
    column = Column(
        SEX, np.array([0, 2, 2], dtype=np.int32), np.array([1, 0, 0], dtype=np.uint8), ("a", "b", "c")
    )
    assert column.counts.tolist() == [0, 0, 2]
    with pytest.raises(ParameterError, match="numeric"):
        Column.build(AGE, [1]).counts


def test_same_as_looks_at_values_reasons_names_and_levels() -> None:
    """Values under a reason do not count; everything else does."""
    column = Column.build(AGE, [31, None])
    hidden = Column(AGE, np.array([31.0, 7.0]), column.absent)
    assert column.same_as(hidden)
    assert not column.same_as(Column.build(AGE, [31, 99]))
    assert not column.same_as(Column.build(AGE, [32, None]))
    assert not column.same_as(Column.build(Variable(name="other", kind="numeric"), [31, None]))
    assert not Column.build(SEX, ["a"]).same_as(Column.build(SEX, ["b"]))


def test_take_by_index_and_by_truth() -> None:
    """Both ways of choosing records give the same column."""
    column = Column.build(AGE, [1, None, 3])
    assert column.take(np.array([0, 2])).same_as(column.take(np.array([True, False, True])))
    assert column.take(np.array([2, 2, 1])).values.tolist() == [3.0, 3.0, 0.0]
