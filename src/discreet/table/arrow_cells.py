"""Columns of Arrow tables as plain arrays and back: through polars, which reads them without copying."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.types as kinds

from discreet.arrays import Bools, Codes, Floats
from discreet.table import polars_cells
from discreet.table.cells import Distinct, Form, Sort, converted, sort_of_levels
from discreet.table.variable import Level

_SORTS: tuple[tuple[Any, Sort], ...] = (
    (kinds.is_integer, "whole"),
    (kinds.is_floating, "number"),
    (kinds.is_boolean, "truth"),
    (lambda kind: kinds.is_decimal(kind) and kind.bit_width <= 128, "decimal"),
    (lambda kind: kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind), "text"),
    (kinds.is_date32, "date"),
    (lambda kind: kinds.is_timestamp(kind) or kinds.is_date64(kind), "moment"),
    (kinds.is_null, "empty"),
)


def column(frame: Any, name: str) -> Any:
    """A column under its name: (name, chunks); Arrow's own columns have none."""
    return name, frame.column(name)


def of_texts(name: str, texts: Sequence[str | None]) -> Any:
    return name, pa.chunked_array([pa.array(texts, type=pa.string())])


def form_of(series: Any) -> Form:
    kind = series[1].type
    if not kinds.is_dictionary(kind):
        return Form(kind, sort_of(kind))
    if sort_of(kind.value_type) == "unsuited":
        return Form(kind, "unsuited")
    return Form(kind, "category", categories=tuple(_dictionary(series[1])[0]))


def sort_of(kind: Any) -> Sort:
    """What cells a type of Arrow holds."""
    return next((sort for holds, sort in _SORTS if holds(kind)), "unsuited")


def types(series: Any) -> dict[str, int]:
    return {str(series[1].type): len(series[1]) - series[1].null_count}


def blanks(series: Any) -> list[tuple[Any, Bools]]:
    name, chunks = series
    if kinds.is_dictionary(chunks.type):
        return [(None, distinct(series).positions < 0)]
    return polars_cells.blanks(_polars(name, chunks))


def numbers(series: Any, form: Form) -> Floats:
    return polars_cells.numbers(_polars(*series), form)


def distinct(series: Any) -> Distinct:
    name, chunks = series
    if not kinds.is_dictionary(chunks.type):
        return polars_cells.distinct(_polars(name, chunks))
    levels, positions = _dictionary(chunks)
    place: dict[Level, int] = {}  # a dictionary may hold a value twice
    new = np.array(
        [-1 if c is None else place.setdefault(c, len(place)) for c in levels] + [-1], dtype=np.int32
    )
    return Distinct(list(place), new[positions], declared=bool(chunks.type.ordered))


def _dictionary(chunks: Any) -> tuple[list[Level], Codes]:
    """Values of the dictionary, and the position of each record's; -1 for null."""
    if any(chunk.dictionary.null_count for chunk in chunks.chunks):  # Arrow unites no dictionaries with nulls
        chunks = chunks.cast(chunks.type.value_type).dictionary_encode()
    whole = chunks.unify_dictionaries().combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], type=chunks.type)
    positions = whole.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return whole.dictionary.to_pylist(), positions.astype(np.int32)


def _polars(name: str, chunks: Any) -> pl.Series:
    series = pl.from_arrow(chunks)
    assert isinstance(series, pl.Series)
    return series.alias(name)


def _like(kind: Any) -> Any:
    """The type of polars that holds an Arrow type."""
    return _polars("", pa.chunked_array([], type=kind)).dtype


# -- arrays -> columns -----------------------------------------------------------------------------------------


def loose(form: Form) -> Form:
    """The form of numbers with all their digits, where the column's own type would cut them."""
    return replace(form, dtype=pa.float64(), sort="number")


def from_numbers(name: str, numbers: Floats, blanks: list[tuple[Any, Bools]], form: Form) -> Any:
    like = replace(form, dtype=_like(form.dtype))
    return _arrow(polars_cells.from_numbers(name, numbers, blanks, like), form.dtype)


def from_levels(
    name: str, levels: list[Level], blanks: list[Any], index: Codes, form: Form, known: list[Level]
) -> Any:
    if kinds.is_dictionary(form.dtype):
        return _dictionary_column(levels, index, form, known)
    like = replace(form, dtype=_like(form.dtype))
    column = polars_cells.from_levels(name, levels, blanks, index, like, known)
    return _arrow(column, form.dtype if column.dtype == like.dtype else None)


def _arrow(series: pl.Series, kind: Any) -> Any:
    array = series.to_arrow()
    kind = kind or (pa.string() if series.dtype == pl.String else array.type)
    return pa.chunked_array([array.cast(kind)])


def _dictionary_column(levels: list[Level], index: Codes, form: Form, known: list[Level]) -> Any:
    values, value_type = list(form.categories), form.dtype.value_type
    cells = converted(levels, sort_of(value_type))
    if cells is None or not set(cells) <= set(values):
        sort = sort_of_levels(known)
        values, cells = list(dict.fromkeys(converted(known, sort) or [])), converted(levels, sort) or []
        value_type = None
    place = {value: i for i, value in reversed(list(enumerate(values)))}
    positions = np.array([place[cell] for cell in cells] + [0], dtype=np.int64)
    absent = index >= len(levels)
    indices = pa.array(positions[np.where(absent, len(levels), index)], mask=absent)
    index_type = (
        form.dtype.index_type if len(values) <= 2 ** (form.dtype.index_type.bit_width - 1) else pa.int32()
    )
    dictionary = pa.array(values, type=value_type)
    column = pa.DictionaryArray.from_arrays(indices.cast(index_type), dictionary, ordered=form.dtype.ordered)
    return pa.chunked_array([column])


def frame(series: Mapping[str, Any], layout: Any, n_records: int) -> Any:
    """An Arrow table; fields keep what was noted on them (labels).

    The table's own notes are left behind: programs keep in them what nobody gave a role, such as the index of a pandas
    dataframe, its column names, or the box around all places of a map.
    """
    fields = [_field(name, chunks, layout.native_dtypes.get(name)) for name, chunks in series.items()]
    return pa.table(list(series.values()), schema=pa.schema(fields))


def _field(name: str, chunks: Any, original: Any) -> Any:
    metadata = original.metadata if original is not None else None
    nullable = original is None or original.nullable or chunks.null_count > 0
    return pa.field(name, chunks.type, nullable=nullable, metadata=metadata)
