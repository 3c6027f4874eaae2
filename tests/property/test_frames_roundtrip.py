"""Laws of dataframes in and out: what goes in comes out, input stays as it is, errors tell no cell."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from discreet.errors import InputError
from discreet.table.align import align
from discreet.table.frames import decode, encode
from discreet.table.schema import Schema, Variable


def _strategies() -> Any:
    """The module of generated inputs beside this file: tests are not packages."""
    if "strategies" not in sys.modules:
        spec = importlib.util.spec_from_file_location("strategies", Path(__file__).with_name("strategies.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules["strategies"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["strategies"])
    return sys.modules["strategies"]


strategies = _strategies()
law = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_same(one: Any, other: Any) -> None:
    """Equal in library, names and their order, types, categories, index and every cell."""
    assert type(one) is type(other)
    if isinstance(one, pl.DataFrame):
        assert_frame_equal(one, other, check_exact=True)
    elif isinstance(one, pa.Table):
        assert one.schema.equals(other.schema, check_metadata=True)
        assert_frame_equal(pl.from_arrow(one), pl.from_arrow(other), check_exact=True)
    else:
        pd.testing.assert_frame_equal(one, other, check_exact=True, check_index_type="equiv")


def in_library(frame: pl.DataFrame, library: str) -> Any:
    """The frame in another library, where that can hold it."""
    if library.startswith("pandas"):
        frame = frame.drop(s.name for s in frame if s.dtype == pl.Null)
        assume(frame.width)
    if library == "pandas_nullable":  # convert_dtypes makes whole floats beyond 2^53 whole numbers
        frame = frame.drop(s.name for s in frame if s.dtype.is_float())
        assume(frame.width)
    return strategies.LIBRARIES[library](frame)


def fitting(schema: Schema, data: Any) -> Schema:
    """The schema's columns that the data have."""
    names = data.column_names if isinstance(data, pa.Table) else list(data.columns)
    return Schema(tuple(schema[name] for name in names))


@pytest.mark.parametrize("library", strategies.LIBRARIES)
@law
@given(made=strategies.frames())
def test_decode_inverts_encode(made: tuple[pl.DataFrame, Schema], library: str) -> None:
    """Every column of every library comes back as it was: cells, blanks, types, categories."""
    frame, schema = made
    data = in_library(frame, library)
    table, layout = encode(data, fitting(schema, data))
    assert_same(decode(table, layout), data)


@pytest.mark.parametrize("library", strategies.LIBRARIES)
@settings(law, max_examples=40)
@given(made=strategies.frames())
def test_input_is_never_changed(made: tuple[pl.DataFrame, Schema], library: str) -> None:
    """Encoding leaves the dataframe as it was, and its result cannot be written through."""
    frame, schema = made
    data = in_library(frame, library)
    before = data.clone() if isinstance(data, pl.DataFrame) else deepcopy(data)
    table, layout = encode(data, fitting(schema, data))
    decode(table, layout)
    assert_same(data, before)
    assert not any(column.values.flags.writeable or column.absent.flags.writeable for column in table.columns)


@settings(law, max_examples=80)
@given(made=strategies.frames())
def test_libraries_agree(made: tuple[pl.DataFrame, Schema]) -> None:
    """A table is the same whether its dataframe was of polars or of Arrow, and almost so for pandas."""
    frame, schema = made
    table, _ = encode(frame, schema)
    in_arrow, _ = encode(frame.to_arrow(), schema)
    categorical = [s.name for s in frame if isinstance(s.dtype, (pl.Categorical, pl.Enum))]
    assert table.drop(categorical).same_as(in_arrow.drop(categorical))
    # pandas has one blank for null and NaN, keeps the order in which categories came, and has moments for dates
    apart = [s.name for s in frame if s.dtype.is_float() or s.dtype in (pl.Null, pl.Date)]
    plain = frame.drop({*categorical, *apart})
    if plain.width:
        in_pandas, _ = encode(plain.to_pandas(), fitting(schema, plain))
        assert table.select(in_pandas.names).same_as(in_pandas)


@settings(law, max_examples=80)
@given(made=strategies.frames(), data=st.data())
def test_rows_carry_over(made: tuple[pl.DataFrame, Schema], data: st.DataObject) -> None:
    """Encoding commutes with the order of records: levels do not depend on it."""
    frame, schema = made
    order = data.draw(st.permutations(range(len(frame))))
    shuffled, _ = encode(frame[order], schema)
    assert encode(frame, schema)[0].take(list(order)).same_as(shuffled)


@settings(law, max_examples=80)
@given(made=strategies.frames())
def test_a_file_aligned_with_itself_is_itself(made: tuple[pl.DataFrame, Schema]) -> None:
    """Aligning the original's own dataframe changes nothing and leaves nothing out."""
    frame, schema = made
    table, _ = encode(frame, schema)
    aligned = align(table, frame, schema)
    assert aligned.original.same_as(table)
    assert aligned.protected.same_as(table)
    assert (aligned.lacking, aligned.recoded, aligned.extra) == ((), (), ())


@settings(law, max_examples=60)
@given(table=strategies.tables())
def test_generated_tables_are_tables(table: Any) -> None:
    """The strategy for methods and measures makes columns whose positions lie in their levels."""
    for column in table.columns:
        assert column.n_records == table.n_records
        if not column.is_numeric:
            assert column.values.min(initial=0) >= 0
            assert column.values.max(initial=0) < len(column.levels)


# -- errors ----------------------------------------------------------------------------------------------------


def _numeric(name: str, **more: Any) -> Schema:
    return Schema((Variable(name=name, kind="numeric", role="quasi", **more),))


def _nominal(name: str, **more: Any) -> Schema:
    return Schema((Variable(name=name, kind="nominal", role="quasi", **more),))


FAULTS: dict[str, Callable[[str, int], tuple[Any, Schema]]] = {
    "text declared numeric": lambda text, n: (pl.DataFrame({"v": [text, "1"]}), _numeric("v")),
    "text declared numeric, pandas": lambda text, n: (pd.DataFrame({"v": [text, "1"]}), _numeric("v")),
    "text declared numeric, Arrow": lambda text, n: (pa.table({"v": [text, "1"]}), _numeric("v")),
    "mixed cells": lambda text, n: (pd.DataFrame({"v": pd.Series([text, n], dtype=object)}), _nominal("v")),
    "mixed cells, numeric": lambda text, n: (
        pd.DataFrame({"v": pd.Series([text, n], dtype=object)}),
        _numeric("v"),
    ),
    "nested": lambda text, n: (pl.DataFrame({"v": [[text], [text]]}), _nominal("v")),
    "nested objects": lambda text, n: (pd.DataFrame({"v": [[text], {text: n}]}), _nominal("v")),
    "nested, Arrow": lambda text, n: (pa.table({"v": [{"a": text}]}), _nominal("v")),
    "bytes": lambda text, n: (pl.DataFrame({"v": [text.encode()]}), _nominal("v")),
    "bytes objects": lambda text, n: (pd.DataFrame({"v": [text.encode()]}), _nominal("v")),
    "too large": lambda text, n: (pl.DataFrame({"v": [2**53 + n, 1]}), _numeric("v")),
    "too large, pandas": lambda text, n: (pd.DataFrame({"v": [2**53 + n, 1]}), _numeric("v")),
    "too large, objects": lambda text, n: (
        pd.DataFrame({"v": pd.Series([2**60 + n], dtype=object)}),
        _numeric("v"),
    ),
    "too large, Arrow": lambda text, n: (pa.table({"v": [2**53 + n]}), _numeric("v")),
    "levels lacking": lambda text, n: (pl.DataFrame({"v": [text]}), _nominal("v", levels=("a",))),
    "levels lacking, whole": lambda text, n: (pl.DataFrame({"v": [n]}), _nominal("v", levels=(1,))),
    "another file": lambda text, n: (pl.DataFrame({"v": [text]}), _nominal("w")),
    "code beside text": lambda text, n: (pl.DataFrame({"v": [text, "99"]}), _numeric("v", unknown=(99,))),
    "category not numeric": lambda text, n: (pd.DataFrame({"v": pd.Categorical([text])}), _numeric("v")),
    "undecided": lambda text, n: (pl.DataFrame({"v": [text]}), Schema((Variable(name="v", kind="nominal"),))),
    "not a dataframe": lambda text, n: ({"v": [text]}, _nominal("v")),
}


@pytest.mark.parametrize("fault", FAULTS)
@settings(law, max_examples=15)
@given(text=st.from_regex("zq[a-y]{6}", fullmatch=True), n=st.integers(70_000_001, 79_999_999))
def test_errors_never_tell_a_cell(fault: str, text: str, n: int) -> None:
    """Every fault is one InputError whose message and visible context hold no value of the data."""
    data, schema = FAULTS[fault](text, n)
    with pytest.raises(InputError) as caught:
        encode(data, schema)
    message = str(caught.value)
    assert text not in message
    assert str(n) not in message
    assert str(2**53 + n) not in message
    assert str(2**60 + n) not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
