"""Dataframes to arrays and back: what is kept, what is refused, what happens to treated values."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.errors import InputError, SchemaError, TaxonomyError
from discreet.table.column import EMPTY, FIRST_CODE, LAST_BLANK
from discreet.table.frames import as_frame, code_text, decode, encode, types_of_cells
from discreet.table.native import library_of
from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_intervals

BACKENDS: dict[str, Any] = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "arrow": pa.table}


def schema_of(**kinds: str | Variable) -> Schema:
    """A schema from kinds by name; roles are quasi."""
    variables = [
        kind if isinstance(kind, Variable) else Variable(name=name, kind=kind, role="quasi")  # type: ignore[arg-type]
        for name, kind in kinds.items()
    ]
    return Schema(tuple(variables))


def variable(name: str, kind: Any, **more: Any) -> Variable:
    return Variable(name=name, kind=kind, role="quasi", **more)


# -- what a dataframe is ---------------------------------------------------------------------------------------


def test_as_frame_refuses_what_is_no_dataframe() -> None:
    """Lists, lazy frames and series are refused with the names of what is taken."""
    for data in ([1, 2], {"a": [1]}, pl.LazyFrame({"a": [1]}), pd.Series([1]), None, np.zeros((2, 2))):
        with pytest.raises(InputError, match="pandas or polars dataframe"):
            as_frame(data)


@pytest.mark.parametrize(
    "data",
    [pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), pa.table([[1], [2], [3]], names=["a", "b", "a"])],
    ids=["pandas", "arrow"],
)
def test_double_names_are_refused_by_name(data: Any) -> None:
    """A name that occurs twice is said; a name that occurs once is not."""
    with pytest.raises(InputError, match=r"more than once: a\. Rename"):
        as_frame(data)


def test_columns_need_names_and_records() -> None:
    """No columns, no records and columns without a text name are three clear errors."""
    with pytest.raises(InputError, match="no columns"):
        as_frame(pl.DataFrame())
    with pytest.raises(InputError, match="no records"):
        as_frame(pd.DataFrame({"a": []}))
    with pytest.raises(InputError, match="2 columns have no text name"):
        as_frame(pd.DataFrame([[1, 2, 3]], columns=["a", 5, ""]))
    with pytest.raises(InputError, match="no text name"):
        as_frame(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])))


def test_types_of_cells_are_counted_in_every_library() -> None:
    """Whole and other numbers are one type, missing cells none."""
    mixed = pd.Series([1, 2.5, "x", None, np.nan, True, pd.NA, date(2020, 1, 1)], dtype=object)
    found = types_of_cells(nw.from_native(mixed, series_only=True))
    assert found == {"number": 2, "str": 1, "bool": 1, "date": 1}
    assert types_of_cells(nw.from_native(pl.Series([1, None]), series_only=True)) == {"number": 1}
    arrow = nw.from_native(pa.chunked_array([[1, None]]), series_only=True)
    assert sum(types_of_cells(arrow).values()) == 1


# -- kept as it was --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "index",
    [
        pd.Index(["p", "q", "p"], name="patient"),
        pd.MultiIndex.from_tuples([(1, "a"), (1, "a"), (2, "b")], names=["ward", None]),
        pd.RangeIndex(10, 40, 10),
        pd.date_range("2020-01-01", periods=3, freq="D"),
    ],
    ids=["named with ties", "multi", "range", "dates"],
)
def test_pandas_index_is_kept_and_not_shared(index: Any) -> None:
    """The index comes back with its names; renaming the output's does not rename the input's."""
    data = pd.DataFrame({"a": [1, 2, 3]}, index=index)
    released = decode(*encode(data, schema_of(a="numeric")))
    pd.testing.assert_frame_equal(released, data)
    released.index.names = ["other"] * index.nlevels
    assert list(data.index.names) == list(index.names)
    assert "other" not in data.index.names


def test_pandas_column_index_keeps_its_name_and_type() -> None:
    """The columns of the output are an index like the input's, without the withheld column."""
    data = pd.DataFrame({"id": ["x"], "b": [1], "a": [2]})
    data.columns = pd.Index(data.columns.astype(object), name="variable")
    schema = Schema(
        (
            variable("a", "numeric"),
            variable("b", "numeric"),
            Variable(name="id", kind="nominal", role="identifier"),
        )
    )
    released = decode(*encode(data, schema))
    pd.testing.assert_index_equal(released.columns, data.columns[1:])


def test_withheld_columns_are_never_read() -> None:
    """An identifier of an unreadable type does no harm and does not come back."""
    data = pl.DataFrame({"id": [b"1"], "age": [3]})
    schema = Schema((Variable(name="id", kind="nominal", role="identifier"), variable("age", "numeric")))
    table, layout = encode(data, schema)
    assert table.names == ("age",)
    assert set(layout.forms) == {"age"}
    assert decode(table, layout).columns == ["age"]


def test_pandas_blanks_of_object_columns_keep_apart() -> None:
    """None, NaN, NA and NaT come back each where it was; the commonest is plain EMPTY."""
    cells = ["a", None, None, np.nan, pd.NA, pd.NaT, "b"]
    data = pd.DataFrame({"v": pd.Series(cells, dtype=object)})
    table, layout = encode(data, schema_of(v="nominal"))
    assert table["v"].absent.tolist() == [0, EMPTY, EMPTY, LAST_BLANK, LAST_BLANK - 1, LAST_BLANK - 2, 0]
    released = decode(table, layout)["v"].tolist()
    assert released[:3] == ["a", None, None]
    assert isinstance(released[3], float)
    assert released[4] is pd.NA
    assert released[5] is pd.NaT


def test_polars_nan_beside_null_keeps_apart() -> None:
    """NaN and null come back each where it was; both are missing."""
    data = pl.DataFrame({"v": [1.0, None, None, float("nan")]})
    for kind in ("numeric", "nominal"):
        table, layout = encode(data, schema_of(v=kind))
        assert table["v"].absent.tolist() == [0, EMPTY, EMPTY, LAST_BLANK]
        assert decode(table, layout)["v"].is_nan().to_list() == [False, None, None, True]


def test_missing_codes_are_masks_inside_and_written_back() -> None:
    """Declared codes are reasons, unknown first, and come back as they were spelled."""
    data = pl.DataFrame(
        {"age": [31, 99, 98, None], "text": ["1.5", "99.0", "x", None], "job": ["9", "a", "N", "9"]}
    )
    schema = schema_of(
        age=variable("age", "numeric", unknown=(99,), not_applicable=(98,)),
        text=variable("text", "numeric", unknown=(99, "x")),
        job=variable("job", "nominal", unknown=(9,), not_applicable=("N",)),
    )
    table, layout = encode(data, schema)
    assert table["age"].absent.tolist() == [0, FIRST_CODE, FIRST_CODE + 1, EMPTY]
    assert table["text"].absent.tolist() == [0, FIRST_CODE, FIRST_CODE + 1, EMPTY]
    assert table["job"].absent.tolist() == [FIRST_CODE, 0, FIRST_CODE + 1, FIRST_CODE]
    assert table["job"].levels == ("a",)
    assert decode(table, layout).equals(data)


def test_missing_codes_that_are_no_numbers_beside_numbers() -> None:
    """An object column of numbers with a declared code of text is numeric; so is a nominal one of one type."""
    data = pd.DataFrame({"v": pd.Series([1, 2, "refused", None], dtype=object)})
    for kind in ("numeric", "nominal"):
        table, layout = encode(data, schema_of(v=variable("v", kind, unknown=("refused",))))
        assert table["v"].absent.tolist() == [0, 0, FIRST_CODE, EMPTY]
        assert decode(table, layout)["v"].tolist() == [1, 2, "refused", None]


def test_a_missing_code_comes_back_as_the_column_spells_it() -> None:
    """The schema's code 9 is found as text beside numbers, and is text again."""
    data = pd.DataFrame({"v": pd.Series([1, 2, "9"], dtype=object)})
    table, layout = encode(data, schema_of(v=variable("v", "nominal", unknown=(9,))))
    assert table["v"].levels == (1, 2)
    assert decode(table, layout)["v"].tolist() == [1, 2, "9"]


def test_dates_are_days_and_moments_fractions_of_days() -> None:
    """Dates, moments, zones and units count on one clock, and missing codes may be dates."""
    moment = datetime(1970, 1, 3, 12)
    data = pl.DataFrame(
        {
            "day": [date(1970, 1, 3), date(9999, 12, 31)],
            "us": [moment, None],
            "ms": pl.Series([moment, None], dtype=pl.Datetime("ms")),
            "zoned": pl.Series([moment, None]).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
        }
    )
    schema = schema_of(
        day=variable("day", "numeric", unknown=(date(9999, 12, 31),)),
        us="numeric",
        ms="numeric",
        zoned="numeric",
    )
    table, layout = encode(data, schema)
    assert [column.values[0] for column in table.columns] == [2.0, 2.5, 2.5, 2.5]
    assert table["day"].absent.tolist() == [0, FIRST_CODE]
    assert decode(table, layout).equals(data)


def test_moments_are_exact_to_the_microsecond_until_2149() -> None:
    """The days of a late moment have 37 bits for its microseconds; neither product nor quotient rounds one away."""
    late = [
        datetime(2060, 1, 1, 0, 1, 0, 113),
        datetime(2148, 12, 31, 23, 59, 59, 999_999),
        datetime(1800, 1, 1, 0, 0, 0, 1),
    ]
    for unit in ("us", "ns"):
        data = pl.DataFrame({"v": pl.Series(late, dtype=pl.Datetime(unit))})
        assert decode(*encode(data, schema_of(v="numeric"))).equals(data)


@pytest.mark.parametrize(
    "series",
    [
        pl.Series([1.5, None, float("nan"), 0.5]),
        pl.Series(["b", None, None, "a"]),
        pl.Series(["b", None, None, "a"], dtype=pl.Categorical),
        pl.Series([datetime(2020, 1, 2), None, None, datetime(2020, 1, 1)]),
        pl.Series([True, None, None, False]),
    ],
    ids=lambda series: str(series.dtype),
)
def test_distinct_cells_leave_blanks_out(series: pl.Series) -> None:
    """Every library gives blanks the position -1 and no level, whatever the type."""
    for frame in (nw.from_native(make(series)) for make in (_in_polars, _in_arrow, _in_pandas)):
        library = library_of(frame.implementation)
        found = library.distinct(library.column(frame.to_native(), "v"))
        assert (found.positions < 0).tolist() == [False, True, True, False]
        assert len(found.levels) == 2
        assert found.levels[found.positions[0]] == pd.Series(series.to_list())[0]


def _in_polars(series: pl.Series) -> pl.DataFrame:
    return series.to_frame("v")


def _in_arrow(series: pl.Series) -> pa.Table:
    return series.to_frame("v").to_arrow()


def _in_pandas(series: pl.Series) -> pd.DataFrame:
    return series.to_frame("v").to_pandas()


@pytest.mark.parametrize("cell", ["1_000", "nan", "", "0x10", "1,5", "12 %"])
def test_text_that_only_looks_like_a_number_is_none(cell: str) -> None:
    """What Python or C would read as a number is still no number in a file."""
    with pytest.raises(SchemaError, match="1 of 2 cells are not numbers"):
        encode(pl.DataFrame({"v": ["1", cell]}), schema_of(v="numeric"))


def test_times_finer_than_a_microsecond_are_refused() -> None:
    """Nanoseconds that would be lost are an error, as numbers and as categories."""
    data = pl.DataFrame({"t": pl.Series([1, 2]).cast(pl.Datetime("ns"))})
    for kind in ("numeric", "nominal"):
        with pytest.raises(SchemaError, match="finer than a microsecond"):
            encode(data, schema_of(t=kind))


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2],
        [1.5, 2.0],
        [Decimal("1.10"), Decimal("2.25")],
        [date(2020, 1, 1)] * 2,
        [datetime(2020, 1, 1, 3)] * 2,
        [datetime(2020, 1, 1, tzinfo=UTC)] * 2,
        ["1.50", "2.25"],
    ],
)
def test_objects_come_back_as_they_were(cells: list[Any]) -> None:
    """Python objects in pandas keep value and type, declared numeric or nominal."""
    data = pd.DataFrame({"v": pd.Series([*cells, None], dtype=object)})
    for kind in ("numeric", "nominal"):
        released = decode(*encode(data, schema_of(v=kind)))["v"].tolist()
        assert released == [*cells, None]
        assert type(released[0]) is type(cells[0])


@pytest.mark.parametrize(
    "dtype",
    [
        "object",
        "str",
        "string[python]",
        "string[pyarrow]",
        "category",
        pd.StringDtype("python", na_value=np.nan),
    ],
)
def test_every_text_type_of_pandas_comes_back(dtype: Any) -> None:
    """Text in each of its types, with and without missing cells."""
    for listed in (["b", "a", "b"], ["b", None, "a"], [None, None, None]):
        data = pd.DataFrame({"v": pd.Series(listed, dtype=dtype)})
        pd.testing.assert_frame_equal(decode(*encode(data, schema_of(v="nominal"))), data)


@pytest.mark.parametrize(
    "dtype", ["int8", "uint64", "Int16", "UInt8", "int64[pyarrow]", "float32", "Float32", "float64[pyarrow]"]
)
def test_every_number_type_of_pandas_comes_back(dtype: str) -> None:
    """Numbers in each of their types, with missing cells where the type has them, as numbers and as categories."""
    holes = [1, None, 3] if dtype[0] in "IUFf" or "pyarrow" in dtype else [1, 2, 3]
    data = pd.DataFrame({"v": pd.Series(holes, dtype=dtype)})
    for kind in ("numeric", "nominal"):
        pd.testing.assert_frame_equal(decode(*encode(data, schema_of(v=kind))), data)


def test_pandas_intervals_as_categories() -> None:
    """The result of pandas.cut is an ordinal column and comes back with its intervals, unused ones too."""
    data = pd.DataFrame({"v": pd.cut([1.0, 5.0, np.nan], [0, 2, 4, 6])})
    table, layout = encode(data, schema_of(v="ordinal"))
    assert len(table["v"].levels) == 3
    assert table["v"].values.tolist() == [0, 2, 0]
    pd.testing.assert_frame_equal(decode(table, layout), data)


@pytest.mark.parametrize("kind", ["numeric", "nominal"])
def test_hours_that_clocks_repeat_stay_two_hours(kind: str) -> None:
    """01:30 occurs twice when summer time ends: both instants come back in each library."""
    instants = pl.Series([datetime(2021, 10, 31, 0, 30), datetime(2021, 10, 31, 1, 30)])
    data = pl.DataFrame({"v": instants.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Paris")})
    assert decode(*encode(data, schema_of(v=kind))).equals(data)
    assert decode(*encode(data.to_arrow(), schema_of(v=kind))).equals(data.to_arrow())
    pd.testing.assert_frame_equal(decode(*encode(data.to_pandas(), schema_of(v=kind))), data.to_pandas())


@pytest.mark.parametrize("library", ["polars", "pandas", "arrow"])
def test_a_table_without_columns_is_a_frame_without_columns(library: str) -> None:
    """Where every column is withheld or dropped, nothing comes back, in the same library."""
    data = BACKENDS[library]({"v": [1, 2]})
    table, layout = encode(data, schema_of(v="numeric"))
    released = decode(table.select([]), layout)
    assert type(released) is type(data)
    assert nw.from_native(released).columns == []


def test_arrow_dictionaries_types_and_notes_of_fields() -> None:
    """Dictionaries keep unused values, order and index type; fields keep labels; the table's notes stay behind."""
    colours = pa.DictionaryArray.from_arrays(pa.array([2, None, 0], pa.int8()), ["red", "unused", "blue"])
    amounts = pa.array([Decimal("1.10"), None, Decimal("2.20")], pa.decimal128(7, 2))
    fields = [
        pa.field("colour", colours.type, metadata={"label": "favourite colour"}),
        pa.field("amount", amounts.type),
        pa.field("day", pa.date64()),
        pa.field("code", pa.int16(), nullable=False),
    ]
    data = pa.table(
        [colours, amounts, pa.array([0, None, 86_400_000], pa.date64()), pa.array([1, 2, 3], pa.int16())],
        schema=pa.schema(fields, metadata={"made by": "a person"}),
    )
    table, layout = encode(data, schema_of(colour="nominal", amount="numeric", day="numeric", code="nominal"))
    released = decode(table, layout)
    assert table["colour"].levels == ("blue", "red")
    assert released.schema.equals(data.schema.remove_metadata(), check_metadata=False)
    assert released.equals(data)
    assert released.field("colour").metadata == {b"label": b"favourite colour"}
    assert released.schema.metadata is None
    assert released["colour"].chunk(0).dictionary.to_pylist() == ["red", "unused", "blue"]


def test_arrow_chunks_with_different_dictionaries() -> None:
    """Chunks are one column whatever their dictionaries, and a null in a dictionary is missing."""
    one = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "b"]))
    two = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["b", None, "c"]))
    data = pa.table({"v": pa.chunked_array([one, two])})
    table, layout = encode(data, schema_of(v="nominal"))
    assert table["v"].levels == ("a", "b", "c")
    assert table["v"].missing.tolist() == [False, False, False, True, False]
    assert decode(table, layout)["v"].to_pylist() == ["a", "b", "b", None, "c"]


def test_levels_are_in_declared_order_else_ascending_as_numbers() -> None:
    """Declared categories keep order and unused ones; found texts that are all numbers ascend as numbers."""
    data = pd.DataFrame({"cat": pd.Categorical(["b", "a"], categories=["c", "b", "a"]), "grade": ["10", "9"]})
    table, _ = encode(data, schema_of(cat="ordinal", grade="ordinal"))
    assert table["cat"].levels == ("c", "b", "a")
    assert table["grade"].levels == ("9", "10")
    enum = pl.DataFrame({"v": pl.Series(["b"], dtype=pl.Enum(["z", "b", "9"]))})
    table, _ = encode(enum, schema_of(v=variable("v", "nominal", unknown=("9",))))
    assert table["v"].levels == ("z", "b")


def test_levels_of_a_categorical_are_its_own() -> None:
    """polars shares one store of categories between columns; a column's levels are those it holds."""
    other = pl.Series(["secret"], dtype=pl.Categorical)
    data = pl.DataFrame({"v": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert encode(data, schema_of(v="nominal"))[0]["v"].levels == ("a", "b")
    assert len(other) == 1


def test_schema_levels_of_another_type_than_the_file() -> None:
    """TOML may hold '1' where the file holds 1, or 1 where it holds '1'; the file's type comes back."""
    whole = pl.DataFrame({"v": [2, 1, None]})
    text = pl.DataFrame({"v": ["2", "1", None]})
    day = pl.DataFrame({"v": [date(2020, 1, 2), None]})
    for data, levels in ((whole, ("1", "2")), (text, (1, 2)), (day, ("2020-01-02", "2020-01-01"))):
        table, layout = encode(data, schema_of(v=variable("v", "ordinal", levels=levels)))
        assert table["v"].levels == levels
        assert decode(table, layout).equals(data)


# -- codes as the file spells them -----------------------------------------------------------------------------


def test_file_spelling_is_asked_for_codes_read_as_numbers() -> None:
    """038 and 153.10 were read as numbers: the file's own text counts, and comes back as text."""
    data = pl.DataFrame({"diagnosis": [38.0, 153.1, 153.1, None], "sex": [1, 2, 1, 1], "age": [1, 2, 3, 4]})
    spelled = {"diagnosis": ["038", "153.1", "153.10", None], "sex": ["1", "2", "1", "1"]}
    schema = schema_of(diagnosis="nominal", sex="nominal", age="numeric")
    table, layout = encode(data, schema, spelled.__getitem__)
    assert table["diagnosis"].levels == ("038", "153.1", "153.10")
    assert table["sex"].levels == (1, 2)  # no digit is lost: numbers they stay
    assert decode(table, layout)["diagnosis"].to_list() == spelled["diagnosis"]
    assert decode(table, layout)["sex"].dtype == pl.Int64


def test_blanks_of_the_file_stay_blank_whatever_it_writes_for_them() -> None:
    """A cell that was read as missing is missing, although the file spells it NA."""
    data = pl.DataFrame({"code": [38, None]})
    table, _ = encode(data, schema_of(code="nominal"), {"code": ["038", "NA"]}.__getitem__)
    assert table["code"].levels == ("038",)
    assert table["code"].missing.tolist() == [False, True]


def test_code_text_drops_the_point_that_floats_add() -> None:
    """8.0 is the code 8; text stays as it is."""
    assert [code_text(cell) for cell in (8.0, 8, "8.0", 0.5, float("inf"))] == ["8", "8", "8.0", "0.5", "inf"]


# -- trees -----------------------------------------------------------------------------------------------------


ICD = Taxonomy(
    "icd", ("*", "001-139", "008", "038", "140-239", "153.1"), ("",) * 6, np.array([-1, 0, 1, 1, 0, 4])
)


def taxonomic(tree: Taxonomy, **more: Any) -> Schema:
    return Schema((variable("d", "taxonomic", taxonomy="icd", **more),), {"icd": tree})


def test_taxonomic_values_are_nodes_and_keep_their_type() -> None:
    """Codes become preorder nodes; text and numbers come back as they were, generalised ones as text."""
    tree = Taxonomy.flat(["8", "38"], name="icd")
    for data in (
        pl.DataFrame({"d": [38, 8, None]}),
        pl.DataFrame({"d": ["38", "8", None]}),
        pd.DataFrame({"d": [38.0, 8.0, np.nan]}),
    ):
        table, layout = encode(data, taxonomic(tree))
        assert table["d"].levels == tree.codes
        assert table["d"].values.tolist() == [2, 1, 0]
        assert (
            as_frame(decode(table, layout)).to_dict(as_series=False)["d"][:2]
            == as_frame(data)["d"].to_list()[:2]
        )
        general = table["d"].with_values(np.array([0, 1, 0]))
        released = as_frame(decode(table.with_columns(general), layout))["d"].to_list()
        assert released[:2] == ["*", "8"]


def test_unknown_codes_are_counted_not_named() -> None:
    """Codes outside the tree are one error; declared missing codes are not looked up in it."""
    data = pl.DataFrame({"d": ["008", "zz9", "zz9", "none"]})
    with pytest.raises(TaxonomyError, match="2 of 3 records hold 1 code") as caught:
        encode(data, taxonomic(ICD, unknown=("none",)))
    assert "zz9" not in str(caught.value)
    table, layout = encode(data.head(1).vstack(data.tail(1)), taxonomic(ICD, unknown=("none",)))
    assert table["d"].absent.tolist() == [0, FIRST_CODE]
    assert decode(table, layout)["d"].to_list() == ["008", "none"]


def test_numbers_are_placed_on_intervals() -> None:
    """A tree of intervals takes numbers, or the intervals themselves."""
    tree = from_intervals([[0, 5, 10]], whole=True)
    schema = Schema((variable("age", "taxonomic", taxonomy="ages"),), {"ages": tree})
    table, layout = encode(pl.DataFrame({"age": [3, 7, None]}), schema)
    assert decode(table, layout)["age"].to_list() == ["0-4", "5-9", None]
    assert encode(pl.DataFrame({"age": ["0-4", "5-9"]}), schema)[0]["age"].values.tolist() == [1, 2]
    with pytest.raises(TaxonomyError, match="1 of 2 records"):
        encode(pl.DataFrame({"age": ["3", "old"]}), schema)


def test_numbers_may_have_a_tree_of_intervals_and_stay_numbers() -> None:
    """A numeric column that names a tree of intervals keeps its numbers, its type and the tree."""
    tree = from_intervals([[0, 5, 10]], whole=True)
    schema = Schema((variable("age", "numeric", taxonomy="ages"),), {"ages": tree})
    data = pl.DataFrame({"age": [3, 7, None]})
    table, layout = encode(data, schema)
    assert table["age"].values.tolist() == [3.0, 7.0, 0.0]
    assert table["age"].tree == tree
    assert decode(table, layout).equals(data)


# -- refused ---------------------------------------------------------------------------------------------------


def test_undecided_roles_are_refused_together() -> None:
    """All columns without a role are listed, with why."""
    schema = Schema(
        (Variable(name="a", kind="nominal", reason="all unique"), Variable(name="b", kind="nominal"))
    )
    with pytest.raises(SchemaError, match=r"a \(all unique\); b \(no role given\)"):
        encode(pl.DataFrame({"a": ["x"], "b": ["y"]}), schema)


def test_schema_for_another_file_lists_both_sides() -> None:
    """Columns that lack and columns nobody knows are one error."""
    with pytest.raises(SchemaError, match="schema's column b is not in the data; the data's column a is not"):
        encode(pl.DataFrame({"a": [1]}), schema_of(b="numeric"))


@pytest.mark.parametrize(
    "series",
    [
        pd.Series(pd.to_timedelta([1, 2], unit="s")),
        pd.Series(pd.period_range("2020", periods=2)),
        pd.Series(pd.interval_range(0, 2)),
        pd.Series(pd.arrays.SparseArray([0, 1])),
        pd.Series([1j, 2j]),
        pd.Series([(1,), (2,)]),
        pd.Series([b"a", b"b"], dtype=object),
        pd.Series([datetime(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC)], dtype=object),
        pl.Series([[1], [2]]),
        pl.Series([{"a": 1}, {"a": 2}]),
        pl.Series([b"a", b"b"]),
        pl.Series([object(), object()], dtype=pl.Object),
        pl.Series([1, 2]).cast(pl.Duration),
        pa.array([[1], [2]]),
        pa.array([b"a", b"b"]),
        pa.array([1, 2], pa.decimal256(50, 2)),
        pa.array([1, 2], pa.time32("s")),
        pa.array([[1], [2]]).cast(pa.list_(pa.int8())),
    ],
    ids=lambda series: str(getattr(series, "dtype", getattr(series, "type", ""))),
)
@pytest.mark.parametrize("kind", ["numeric", "nominal"])
def test_columns_that_are_not_plain_are_refused(series: Any, kind: str) -> None:
    """Nested, binary, sparse and complex columns and durations: one error that says what to do."""
    make = {pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}.get(type(series), pa.table)
    with pytest.raises(SchemaError, match=r"Column 'v' holds cells .* identifier to drop it"):
        encode(make({"v": series}), schema_of(v=kind))


def test_truth_values_are_not_numbers() -> None:
    """A truth column declared numeric is an error in each library; its own type comes back when nominal."""
    for data in (
        pl.DataFrame({"v": [True, None]}),
        pd.DataFrame({"v": [True, False]}),
        pa.table({"v": [True]}),
    ):
        with pytest.raises(SchemaError, match="truth values"):
            encode(data, schema_of(v="numeric"))


def test_infinite_cells_are_numbers() -> None:
    """Infinity is present: methods refuse it by name, encoding does not."""
    table, layout = encode(pl.DataFrame({"v": [float("inf"), -float("inf"), 1.0]}), schema_of(v="numeric"))
    assert not table["v"].missing.any()
    assert decode(table, layout)["v"].to_list() == [float("inf"), -float("inf"), 1.0]


# -- after treatment -------------------------------------------------------------------------------------------


def cells(frame: Any, name: str) -> list[Any]:
    return [None if pd.isna(cell) else cell for cell in as_frame(frame)[name].to_list()]


@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS.keys())
def test_treated_numbers_stay_in_their_type(make: Any) -> None:
    """Whole numbers stay whole and in the range of their type; text keeps its decimals."""
    data = make({"n": np.array([1, 200, 3], dtype=np.uint8), "t": ["1.50", "2.25", "3.00"]})
    table, layout = encode(data, schema_of(n="numeric", t="numeric"))
    treated = table.with_columns(
        table["n"].with_values([1.6, 300.0, -5.0]), table["t"].with_values([0.126, 2.25, -0.001])
    )
    released = decode(treated, layout)
    assert as_frame(released).schema["n"] == nw.UInt8
    assert cells(released, "n") == [2, 255, 0]
    assert cells(released, "t") == ["0.13", "2.25", "-0.00"]


@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS.keys())
def test_loose_numbers_keep_their_digits(make: Any) -> None:
    """Where exact moments are promised, whole numbers come back as floats instead of rounded."""
    table, layout = encode(make({"n": [1, 2, 3]}), schema_of(n="numeric"))
    loose = replace(table["n"], loose=True).with_values([0.25, 2.5, -1e9])
    released = decode(table.with_columns(loose), layout)
    assert cells(released, "n") == [0.25, 2.5, -1e9]


WHOLE = {
    **{name: make({"n": [1, 2, 3]}) for name, make in BACKENDS.items()},
    "pandas nullable": pd.DataFrame({"n": pd.array([1, 2, 3], dtype="Int64")}),
    "pandas in arrow": pd.DataFrame({"n": pd.array([1, 2, 3], dtype="int64[pyarrow]")}),
    "pandas objects": pd.DataFrame({"n": pd.Series([1, 2, 3], dtype=object)}),
}


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE.keys())
def test_whole_types_have_no_decimals_unless_declared(data: Any) -> None:
    """What the type cannot hold is known to methods; decimals that a person declared are released, not cut."""
    table, layout = encode(data, schema_of(n="numeric"))
    assert table["n"].variable.decimals == 0
    treated = table["n"].with_numbers(np.array([1.4, 2.6, 3.0]))
    assert treated.numbers.tolist() == [1.0, 3.0, 3.0]
    same = decode(table.with_columns(treated), layout)
    assert as_frame(same).schema["n"] == as_frame(data).schema["n"]
    declared, layout = encode(data, schema_of(n=variable("n", "numeric", decimals=1)))
    released = decode(declared.with_columns(declared["n"].with_numbers(np.array([1.44, 2.6, 3.0]))), layout)
    assert cells(released, "n") == [1.4, 2.6, 3.0]


@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS.keys())
def test_suppressed_cells_find_a_type_that_holds_nothing(make: Any) -> None:
    """Whole numbers and truth values that lose a cell stay whole and true."""
    data = make({"n": [1, 2, 3], "b": [True, False, True], "c": [7, 8, 9], "s": ["x", "y", "z"]})
    table, layout = encode(data, schema_of(n="numeric", b="nominal", c="nominal", s="nominal"))
    gone = np.array([EMPTY, 0, 0], dtype=np.uint8)
    treated = table.with_columns(*(c.with_values(c.values, gone) for c in table.columns))
    released = decode(treated, layout)
    assert [cells(released, name) for name in "nbcs"] == [
        [None, 2, 3],
        [None, False, True],
        [None, 8, 9],
        [None, "y", "z"],
    ]
    assert as_frame(released).schema["n"] == nw.Int64


@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS.keys())
def test_recoded_categories_find_a_type_that_holds_them(make: Any) -> None:
    """Numbers that became intervals are text; codes that became whole numbers are whole."""
    data = make({"age": [31, 64], "code": [1, 2], "word": ["1", "b"]})
    table, layout = encode(data, schema_of(age="numeric", code="nominal", word="nominal"))
    treated = table.with_columns(
        table["age"].with_levels(["30-39", "60-69"], np.array([0, 1]), kind="ordinal"),
        table["code"].with_levels(["*", "unused"], np.array([0, 0])),
        table["word"].with_levels([5, 6], np.array([0, 1])),
    )
    released = decode(treated, layout)
    assert cells(released, "age") == ["30-39", "60-69"]
    assert cells(released, "code") == ["*", "*"]
    assert cells(released, "word") == ["5", "6"]
    assert as_frame(released).schema["code"] == nw.String


def test_recoded_categories_of_a_declared_type_are_declared_again() -> None:
    """Enum, pandas categories and Arrow dictionaries get the new levels in order, unused ones too."""
    levels, values = ["low", "unused", "high"], np.array([0, 2])
    data: dict[str, Any] = {
        "polars": pl.DataFrame({"v": pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"]))}),
        "pandas": pd.DataFrame({"v": pd.Categorical(["a", "b"], categories=["b", "a"], ordered=True)}),
        "arrow": pa.table({"v": pa.array(["a", "b"]).dictionary_encode()}),
    }
    released = {}
    for library, frame in data.items():
        table, layout = encode(frame, schema_of(v="ordinal"))
        released[library] = decode(table.with_columns(table["v"].with_levels(levels, values)), layout)
    assert released["polars"]["v"].dtype == pl.Enum(levels)
    assert released["pandas"]["v"].dtype == pd.CategoricalDtype(levels, ordered=True)
    assert released["arrow"]["v"].chunk(0).dictionary.to_pylist() == levels
    assert all(cells(frame, "v") == ["low", "high"] for frame in released.values())


@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS.keys())
def test_another_number_of_records_is_a_new_file(make: Any) -> None:
    """Synthetic records, fewer or more, come back in the same types; a pandas index does not."""
    data = make({"n": [1, 2, 3], "s": ["x", "y", "x"]})
    if isinstance(data, pd.DataFrame):
        data.index = ["p", "q", "r"]
    table, layout = encode(data, schema_of(n="numeric", s="nominal"))
    for rows in ([0], [2, 1, 0, 0, 1]):
        released = decode(table.take(rows), layout)
        assert cells(released, "n") == [[1, 2, 3][row] for row in rows]
        assert as_frame(released).schema == as_frame(data).schema
        if isinstance(released, pd.DataFrame):
            assert released.index.equals(pd.RangeIndex(len(rows)))


def test_dates_after_treatment_stay_in_the_calendar() -> None:
    """Noise beyond the years 1 to 9999 stops at their ends; part days are rounded."""
    data = pl.DataFrame({"d": [date(2020, 1, 1)] * 3})
    table, layout = encode(data, schema_of(d="numeric"))
    treated = table.with_columns(table["d"].with_values([-1e9, 1e9, 0.6]))
    assert decode(treated, layout)["d"].to_list() == [date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 2)]


def test_numbers_in_categories_come_back_as_categories_until_treated() -> None:
    """A pandas category of numbers declared numeric keeps its type while its values are categories."""
    data = pd.DataFrame({"v": pd.Categorical([2, 1, 2], categories=[2, 1, 5])})
    table, layout = encode(data, schema_of(v="numeric"))
    assert table["v"].values.tolist() == [2.0, 1.0, 2.0]
    pd.testing.assert_frame_equal(decode(table, layout), data)
    treated = decode(table.with_columns(table["v"].with_values([2.5, 1.0, 2.0])), layout)
    assert treated["v"].tolist() == [2.5, 1.0, 2.0]


# -- whose memory ----------------------------------------------------------------------------------------------


def test_the_users_own_arrays_stay_writeable_and_unshared() -> None:
    """A NumPy array behind a dataframe can be written to afterwards, and the table does not see it."""
    numbers, places = np.arange(4.0), np.arange(4, dtype=np.int32)
    frames = [
        pd.DataFrame({"n": numbers, "p": places}, copy=False),
        pl.DataFrame({"n": numbers, "p": places}),
        pa.table({"n": pa.array(numbers), "p": pa.array(places)}),
    ]
    tables = [encode(frame, schema_of(n="numeric", p="nominal"))[0] for frame in frames]
    released = [decode(*encode(frame, schema_of(n="numeric", p="nominal"))) for frame in frames]
    numbers[:] = -1.0
    places[:] = 0
    for table, frame in zip(tables, released, strict=True):
        assert table["n"].values.tolist() == [0.0, 1.0, 2.0, 3.0]
        assert table["p"].values.tolist() == [0, 1, 2, 3]
        assert cells(frame, "n") == [0.0, 1.0, 2.0, 3.0]


def test_output_does_not_share_memory_with_the_table() -> None:
    """Writing to the released dataframe leaves the table as it is."""
    table, layout = encode(pd.DataFrame({"n": [1.0, 2.0]}), schema_of(n="numeric"))
    released = decode(table, layout)
    released.loc[0, "n"] = 9.0
    assert table["n"].values.tolist() == [1.0, 2.0]
    assert decode(table, layout)["n"].tolist() == [1.0, 2.0]


@pytest.mark.data
@pytest.mark.parametrize("name", ["adult.csv.gz", "eia.csv", "icd9.csv", "sd2011.csv", "thyroid.csv"])
def test_real_tables_come_back(real_table: Any, name: str) -> None:
    """Real files survive the way in and out in all three libraries."""
    frame = real_table(name)
    kinds = {s.name: "numeric" if s.dtype.is_numeric() else "nominal" for s in frame}
    schema = Schema(tuple(variable(column, kind) for column, kind in kinds.items()))
    assert decode(*encode(frame, schema)).equals(frame)
    assert decode(*encode(frame.to_arrow(), schema)).equals(frame.to_arrow())
    pd.testing.assert_frame_equal(decode(*encode(frame.to_pandas(), schema)), frame.to_pandas())
