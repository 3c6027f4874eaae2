"""A protected file beside its original: shared columns, shared levels, and by name what cannot be compared."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet.errors import InputError, SchemaError
from discreet.table.align import align
from discreet.table.column import EMPTY, FIRST_CODE
from discreet.table.frames import encode
from discreet.table.load import Opened
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy

TREE = Taxonomy("places", ("*", "north", "n1", "n2", "south"), ("",) * 5, np.array([-1, 0, 1, 1, 0]))


def schema_of(*variables: Variable, **trees: Taxonomy) -> Schema:
    return Schema(variables, trees)


def variable(name: str, kind: Any, **more: Any) -> Variable:
    return Variable(name=name, kind=kind, role="quasi", **more)


def one_column(kind: Any, before: list[Any], after: Any, **more: Any) -> tuple[Any, Any]:
    """The column `v` of both tables after aligning."""
    schema = schema_of(variable("v", kind, **more))
    original, _ = encode(pl.DataFrame({"v": before}), schema)
    aligned = align(original, pl.DataFrame({"v": after}), schema)
    return aligned.original["v"], aligned.protected["v"]


def cells(column: Any) -> list[Any]:
    return [None if gone else column.levels[v] for v, gone in zip(column.values, column.missing, strict=True)]


def test_shared_columns_in_the_originals_order_and_the_rest_by_name() -> None:
    """Dropped, added and recoded columns are named; the tables hold what is left."""
    schema = schema_of(
        Variable(name="id", kind="nominal", role="identifier"),
        *(variable(name, "numeric") for name in ("a", "b", "c")),
        variable("d", "nominal"),
    )
    data = pl.DataFrame({"id": ["x", "y"], "a": [1, 2], "b": [3, 4], "c": [5, 6], "d": ["p", "q"]})
    original, _ = encode(data, schema)
    protected = pl.DataFrame({"d": ["q"], "c": [5.5], "a": ["few"], "id": ["x"], "new": [1]})
    aligned = align(original, protected, schema)
    assert aligned.original.names == aligned.protected.names == ("c", "d")
    assert (aligned.lacking, aligned.recoded, aligned.extra) == (("b",), ("a",), ("id", "new"))
    assert set(aligned.left_out) == {"a", "b"}
    assert "not in the protected file" in aligned.left_out["b"]
    assert (aligned.original.n_records, aligned.protected.n_records) == (2, 1)
    before, after = aligned
    assert before is aligned.original
    assert after is aligned.protected


def test_numbers_in_other_types() -> None:
    """Whole numbers that came back as floats or text are numbers; suppressed cells are missing."""
    for after in ([1.0, None, 2.5], ["1", None, "2.50"]):
        _, protected = one_column("numeric", [1, 2, 3], after)
        assert protected.values.tolist() == [1.0, 0.0, 2.5]
        assert protected.absent.tolist() == [0, EMPTY, 0]


def test_dates_and_moments_count_alike() -> None:
    """pandas turns dates into moments: still the same days."""
    schema = schema_of(variable("v", "numeric"))
    original, _ = encode(pl.DataFrame({"v": [date(2020, 1, 1), date(2020, 1, 3)]}), schema)
    _, after = align(original, pd.DataFrame({"v": pd.to_datetime(["2020-01-02", "2020-01-03"])}), schema)
    assert (after["v"].values - original["v"].values).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("after", [["young", "old"], [True, False], [[1], [2]]])
def test_numbers_that_are_numbers_no_more_are_named(after: list[Any]) -> None:
    """Words, truth values and lists are left out, not compared."""
    schema = schema_of(variable("v", "numeric"), variable("w", "numeric"))
    original, _ = encode(pl.DataFrame({"v": [1, 2], "w": [1, 2]}), schema)
    aligned = align(original, pl.DataFrame({"v": after, "w": [1, 2]}), schema)
    assert aligned.recoded == ("v",)
    assert aligned.protected.names == ("w",)


def test_levels_are_the_originals_then_the_new_ones() -> None:
    """Both columns get one tuple of levels; only levels in use are added."""
    before, after = one_column("nominal", ["b", "a", "b"], ["*", "a", None])
    assert before.levels == after.levels == ("a", "b", "*")
    assert cells(before) == ["b", "a", "b"]
    assert cells(after) == ["*", "a", None]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([1, 2], [2.0, 1.0], [2, 1]),
        ([1, 2], ["2", "1.0"], [2, 1]),
        (["1", "2"], [2, 1], ["2", "1"]),
        (["1", "2"], [2.0, None], ["2", None]),
        ([1.5, 2.0], ["2.0", "1.5"], [2.0, 1.5]),
        ([True, False], ["false", "TRUE"], [False, True]),
        ([True, False], [0, 1], [False, True]),
        ([date(2020, 1, 2)] * 2, ["2020-01-02", None], [date(2020, 1, 2), None]),
    ],
)
def test_categories_in_other_types_are_the_same_categories(before: Any, after: Any, expected: Any) -> None:
    """A category written as a whole number, a float, text or a truth value is one level."""
    one, other = one_column("nominal", before, after)
    assert cells(other) == expected
    assert one.levels == other.levels
    assert len(one.levels) == len(set(before))


def test_codes_with_leading_zeros_stay_apart() -> None:
    """Where the original's categories are text, 038 is not 38 and 153.10 not 153.1."""
    one, _ = one_column("nominal", ["038", "153.10"], ["38", "153.1"])
    assert one.levels == ("038", "153.10", "38", "153.1")


def test_ordinal_levels_that_are_numbers_ascend_together() -> None:
    """New numbers take their place; a declared order that does not ascend is kept, new ones at the end."""
    before, after = one_column("ordinal", [1, 3, 5], [2, 3, 6])
    assert before.levels == (1, 2, 3, 5, 6)
    assert (before.values.tolist(), after.values.tolist()) == ([0, 2, 3], [1, 2, 4])
    before, after = one_column("ordinal", [1, 3], [2, 3], levels=(3, 1))
    assert before.levels == after.levels == (3, 1, 2)
    before, _ = one_column("ordinal", ["low", "high"], ["low", "low-high"], levels=("low", "high"))
    assert before.levels == ("low", "high", "low-high")


def test_unused_levels_of_the_protected_type_are_not_added() -> None:
    """Categories declared in the protected file but held by no record do not widen the original."""
    schema = schema_of(variable("v", "nominal"))
    original, _ = encode(pl.DataFrame({"v": ["a", "b"]}), schema)
    protected = pd.DataFrame({"v": pd.Categorical(["b", "a"], categories=["unused", "b", "a"])})
    before, after = align(original, protected, schema)
    assert before["v"].levels == ("a", "b")
    assert cells(after["v"]) == ["b", "a"]


def test_missing_codes_are_missing_in_both() -> None:
    """Codes declared in the schema are reasons in the protected file too."""
    _, after = one_column("nominal", ["a", "9"], ["9", "a"], unknown=(9,))
    assert after.absent.tolist() == [FIRST_CODE, 0]


def test_generalised_codes_are_nodes_of_the_tree() -> None:
    """Inner nodes and the root are taken; the levels are the tree's in both."""
    schema = schema_of(variable("v", "taxonomic", taxonomy="places"), places=TREE)
    original, _ = encode(pl.DataFrame({"v": ["n1", "n2", "south"]}), schema)
    before, after = align(original, pl.DataFrame({"v": ["north", "*", None]}), schema)
    assert after["v"].values.tolist() == [1, 0, 0]
    assert after["v"].levels == before["v"].levels == TREE.codes
    assert after["v"].tree == TREE


def test_codes_outside_the_tree_are_missing_and_shortened_ones_go_up() -> None:
    """A code that no node has is missing, a shortened one is the node above; both are said without the code."""
    schema = schema_of(variable("v", "taxonomic", taxonomy="places"), places=TREE)
    original, _ = encode(pl.DataFrame({"v": ["n1"]}), schema)
    aligned = align(original, pl.DataFrame({"v": ["zzz", "n1", "north*", "?", "south"]}), schema)
    after = aligned.protected["v"]
    assert cells(after) == [None, "n1", "north", None, "south"]
    assert after.tree == TREE
    assert len(aligned.remarks) == 3
    assert not any("zzz" in remark or "north*" in remark for remark in aligned.remarks)


def test_a_column_of_unknown_codes_is_left_out_and_kept_for_groups() -> None:
    """Codes of another system cannot be placed in the tree; equal or not they still are."""
    schema = schema_of(variable("v", "taxonomic", taxonomy="places"), variable("w", "nominal"), places=TREE)
    original, _ = encode(pl.DataFrame({"v": ["n1", "n2"], "w": ["a", "b"]}), schema)
    aligned = align(original, pl.DataFrame({"v": ["x", "y"], "w": ["a", "b"]}), schema)
    assert (aligned.recoded, aligned.protected.names) == (("v",), ("w",))
    assert cells(aligned.keys[1]["v"]) == ["x", "y"]


def test_a_tree_from_the_originals_codes_is_kept() -> None:
    """A rule over codes would build another tree from the protected file; the original's is used."""
    from discreet.table.taxonomy_source import TaxonomySource

    schema = Schema((variable("v", "taxonomic", taxonomy="t"),), {"t": TaxonomySource(prefixes=(1, 2))})
    original, _ = encode(pl.DataFrame({"v": ["11", "12", "21"]}), schema)
    before, after = align(original, pl.DataFrame({"v": ["1", "2", "21"]}), schema)
    assert before["v"].levels == after["v"].levels
    assert [after["v"].levels[node] for node in after["v"].values] == ["1", "2", "21"]


def test_numbers_with_a_tree_of_intervals_stay_numbers() -> None:
    """The tree is the original's in both tables; numbers that became its intervals are named."""
    from discreet.table.taxonomy_build import from_intervals

    tree = from_intervals([[0, 5, 10]], whole=True)
    schema = schema_of(variable("v", "numeric", taxonomy="ages"), variable("w", "nominal"), ages=tree)
    original, _ = encode(pl.DataFrame({"v": [3, 7], "w": ["a", "b"]}), schema)
    _, after = align(original, pl.DataFrame({"v": [4, 6], "w": ["a", "b"]}), schema)
    assert after["v"].values.tolist() == [4.0, 6.0]
    assert after["v"].tree == tree
    coarse = align(original, pl.DataFrame({"v": ["0-4", "5-9"], "w": ["a", "b"]}), schema)
    assert coarse.protected["v"].values.tolist() == [2.0, 7.0]


def test_the_protected_files_own_spelling_is_asked() -> None:
    """Codes that the file spells 038 are 038 although they were read as numbers."""
    schema = schema_of(variable("v", "nominal"))
    original = Table.build({"v": ["038", "8"]}, schema)
    _, after = align(original, pl.DataFrame({"v": [38, 8]}), schema, {"v": ["038", "8"]}.__getitem__)
    assert cells(after["v"]) == ["038", "8"]
    assert after["v"].levels == original["v"].levels


def test_nothing_to_compare_is_an_error() -> None:
    """No shared column, or only recoded ones, is said with their names; so is what is no dataframe."""
    schema = schema_of(variable("a", "numeric"), variable("b", "numeric"))
    original, _ = encode(pl.DataFrame({"a": [1], "b": [1]}), schema)
    with pytest.raises(SchemaError, match=r"Lacking: b\. No longer readable: a") as caught:
        align(original, pl.DataFrame({"a": ["zebra"]}), schema)
    assert "zebra" not in str(caught.value)
    with pytest.raises(InputError, match="dataframe"):
        align(original, [1], schema)


def test_a_protected_column_of_mixed_cells_is_read_as_text() -> None:
    """pandas columns that hold numbers and words: the categories are their spellings."""
    before, after = align(
        Table.build({"v": [5, 6]}, schema := schema_of(variable("v", "nominal"))),
        pd.DataFrame({"v": pd.Series(["other", 5], dtype=object)}),
        schema,
    )
    assert cells(after["v"]) == ["other", 5]
    assert before["v"].levels == (5, 6, "other")
    with pytest.raises(SchemaError, match="plain values"):
        align(before, pl.DataFrame({"v": [[1], [2]]}), schema)


@pytest.mark.parametrize("mixed", [True, False])
def test_top_coded_numbers_are_read_by_their_midpoints(mixed: bool) -> None:
    """Ages 20 .. 95 with one 90+: the others stay exact, that one stands in the middle of 90 and 95."""
    schema = schema_of(variable("v", "numeric"))
    original, _ = encode(pl.DataFrame({"v": [20, 40, 95, 93]}), schema)
    held: list[Any] = [20, 41, "90+", "?"]
    frame = pd.DataFrame({"v": pd.Series(held if mixed else [str(cell) for cell in held], dtype=object)})
    aligned = align(original, frame, schema)
    after = aligned.protected["v"]
    assert after.values.tolist() == [20.0, 41.0, 92.5, 0.0]
    assert after.missing.tolist() == [False, False, False, True]
    assert aligned.left_out == {}
    assert [remark.split(":")[1] for remark in aligned.remarks] == [" v."] * 2
    assert cells(aligned.keys[1]["v"]) == ["20", "41", "90+", None]
    assert cells(aligned.keys[0]["v"]) == ["20", "40", "95", "93"]


@pytest.mark.parametrize(
    ("text", "middle"),
    [
        ("20-29", 24.5), ("20 – 29", 24.5), ("[20,30)", 24.5), ("(20, 30]", 25.5), ("[20; 30]", 25.0), ("20 to 29", 24.5),
        ("<18", 8.5), ("<= 18", 9.0), ("≤18", 9.0), ("under 18", 8.5), ("90+", 95.0), (">= 65", 82.5), (">65", 83.0),
        ("65 and over", 82.5), ("[-inf, 10)", 4.5), ("[90, inf)", 95.0), ("-5--1", -3.0), ("120+", 120.0),
    ],
)  # fmt: skip
def test_intervals_as_files_spell_them(text: str, middle: float) -> None:
    """Whole numbers from 0 to 100: closed and open ends, words and signs."""
    _, after = one_column("numeric", [0, 100], [text, "50"])
    assert after.values.tolist() == [middle, 50.0]


def test_intervals_of_pandas() -> None:
    """What pandas.cut makes is read like the text of it."""
    schema = schema_of(variable("v", "numeric"))
    original, _ = encode(pd.DataFrame({"v": [5, 15, 18]}), schema)
    cut = pd.DataFrame({"v": pd.cut(pd.Series([5, 15, None]), [0, 10, 20])})
    after = align(original, cut, schema).protected["v"]
    assert after.values.tolist() == [5.5, 15.5, 0.0]
    assert after.missing.tolist() == [False, False, True]


def test_open_ends_of_numbers_with_decimals_are_not_moved() -> None:
    """[1, 2) of numbers with decimals has its middle at 1.5."""
    _, after = one_column("numeric", [0.5, 9.0], ["[1,2)", "3.5"])
    assert after.values.tolist() == [1.5, 3.5]


def test_few_strange_cells_are_missing_many_leave_the_column_out() -> None:
    """One word among numbers is missing and said; where most are words the column cannot be read."""
    schema = schema_of(variable("v", "numeric"), variable("w", "nominal"))
    original, _ = encode(pl.DataFrame({"v": [1, 2, 3], "w": ["a"] * 3}), schema)
    few = align(original, pl.DataFrame({"v": ["1", "2", "young"], "w": ["a"] * 3}), schema)
    assert few.protected["v"].missing.tolist() == [False, False, True]
    assert "young" not in str(few.remarks)
    assert few.remarks
    many = align(original, pl.DataFrame({"v": ["1", "old", "young"], "w": ["a"] * 3}), schema)
    assert many.recoded == ("v",)


def test_infinite_numbers_are_missing_and_said() -> None:
    """No mean and no distance can be made of them."""
    schema = schema_of(variable("v", "numeric"))
    original, _ = encode(pl.DataFrame({"v": [1.0, 2.0]}), schema)
    for held in ([1.0, float("inf")], ["1", "inf"]):
        aligned = align(original, pl.DataFrame({"v": held}), schema)
        assert aligned.protected["v"].missing.tolist() == [False, True]
        assert "Infinite" in aligned.remarks[0]


def test_marks_in_an_ordered_column_are_missing() -> None:
    """A star is no level above the highest, unless it is one of the original's."""
    before, after = one_column("ordinal", [1, 2, 3], ["1", "*", "3"])
    assert before.levels == after.levels == (1, 2, 3)
    assert cells(after) == [1, None, 3]
    _, kept = one_column("ordinal", ["low", "?"], ["?", "low"], levels=("low", "?"))
    assert cells(kept) == ["?", "low"]


def test_ordered_intervals_take_their_place() -> None:
    """1-2 stands between 1 and 2."""
    before, _ = one_column("ordinal", [1, 2, 3], ["1-2", "1", "3"])
    assert before.levels == (1, "1-2", 2, 3)


# -- a control -------------------------------------------------------------------------------------------------


def test_three_tables_share_one_union_of_levels() -> None:
    """Categories that only the protected file or only the control holds are levels of all three."""
    schema = schema_of(variable("v", "nominal"), Variable(name="w", kind="numeric", role="weight"))
    original, _ = encode(pl.DataFrame({"v": ["a", "b"], "w": [1.0, 2.0]}), schema)
    protected = pl.DataFrame({"v": ["*", "b"], "w": [1.0, 2.0]})
    control = Opened(pl.DataFrame({"v": ["c", "a", "b"]}))
    aligned = align(original, protected, schema, control=control)
    assert aligned.control is not None
    assert aligned.original["v"].levels == aligned.control["v"].levels == ("a", "b", "*", "c")
    assert cells(aligned.control["v"]) == ["c", "a", "b"]
    assert (aligned.control.names, aligned.control.n_records) == (aligned.original.names, 3)


def test_a_control_without_a_column_is_refused() -> None:
    """The message names the column and what to do."""
    schema = schema_of(variable("v", "nominal"), variable("u", "numeric"))
    original, _ = encode(pl.DataFrame({"v": ["a"], "u": [1]}), schema)
    with pytest.raises(SchemaError, match="control has no readable column 'u'"):
        align(
            original,
            original_frame := pl.DataFrame({"v": ["a"], "u": [1]}),
            schema,
            control=Opened(original_frame.drop("u")),
        )


def test_the_original_is_not_changed() -> None:
    """Aligning makes new tables; the original keeps its levels and values."""
    schema = schema_of(variable("v", "ordinal"))
    original = Table.build({"v": [1, 3]}, schema)
    align(original, pl.DataFrame({"v": [2, 3]}), schema)
    assert original["v"].levels == (1, 3)
    assert original["v"].values.tolist() == [0, 1]


def test_a_weight_that_is_none_is_said_to_be_in_the_protected_file() -> None:
    """A file of something else holds words where the weight should be: the message says which of the files."""
    schema = schema_of(variable("age", "numeric"), Variable(name="weight", kind="numeric", role="weight"))
    original, _ = encode(pl.DataFrame({"age": [31, 64], "weight": [1.0, 2.0]}), schema)
    with pytest.raises(SchemaError, match=r"'weight' is a weight .* in the protected file"):
        align(original, pl.DataFrame({"age": [31, 64], "weight": ["light", "heavy"]}), schema)
