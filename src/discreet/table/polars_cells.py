"""Columns of polars as plain arrays and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from discreet.arrays import Bools, Codes, Floats
from discreet.table.cells import (
    EXACT,
    PER_DAY,
    Distinct,
    Form,
    Sort,
    code_text,
    converted,
    days_of,
    lossy,
    sort_of_levels,
    ticks_of,
    types_in,
    whole_numbers,
)
from discreet.table.variable import Level

_NATURAL: dict[Sort, Any] = {
    "whole": pl.Int64,
    "number": pl.Float64,
    "truth": pl.Boolean,
    "text": pl.String,
    "date": pl.Date,
    "moment": pl.Datetime("us"),
    "empty": pl.Null,
}


def column(frame: pl.DataFrame, name: str) -> pl.Series:
    return frame[name]


def of_texts(name: str, texts: Sequence[str | None]) -> pl.Series:
    return pl.Series(name, texts, dtype=pl.String)


def form_of(series: pl.Series) -> Form:
    return Form(series.dtype, sort_of(series.dtype))


def sort_of(dtype: pl.DataType) -> Sort:
    """What cells a type of polars holds."""
    if dtype.is_integer():
        return "whole"
    if dtype.is_float():
        return "number"
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        return "category"
    sorts: dict[Any, Sort] = {
        pl.Decimal: "decimal",
        pl.Boolean: "truth",
        pl.String: "text",
        pl.Date: "date",
        pl.Datetime: "moment",
        pl.Null: "empty",
    }
    return sorts.get(dtype.base_type(), "unsuited")


def types(series: pl.Series) -> dict[str, int]:
    return types_in(cell for cell in series.to_list() if cell is not None)


def blanks(series: pl.Series) -> list[tuple[Any, Bools]]:
    found: list[tuple[Any, Bools]] = [(None, series.is_null().to_numpy())]
    if series.dtype.is_float():
        found.append((np.nan, series.is_nan().fill_null(False).to_numpy()))
    return found


def numbers(series: pl.Series, form: Form) -> Floats:
    """Cells as float64; what stands where a cell is missing means nothing."""
    if form.sort in ("date", "moment"):
        unit = getattr(series.dtype, "time_unit", "D")
        ticks = series.to_physical().cast(pl.Int64).fill_null(0).to_numpy()
        return days_of(ticks, PER_DAY.get(unit, 1), series.name)
    floats = series.cast(pl.Float64)
    exact = True
    if form.sort == "whole":
        largest, smallest = series.max(), series.min()
        exact = largest is None or max(abs(int(largest)), abs(int(smallest))) <= EXACT  # type: ignore[arg-type]
    if form.sort == "decimal":
        exact = floats.cast(series.dtype).equals(series) and _digits(floats) <= EXACT
    if not exact:
        raise lossy(series.name)
    return np.array(floats.fill_null(0.0).to_numpy(), dtype=np.float64)


def _digits(floats: pl.Series) -> float:
    return float(floats.abs().max() or 0.0)  # type: ignore[arg-type]


def distinct(series: pl.Series) -> Distinct:
    if isinstance(series.dtype, pl.Enum):
        return Distinct(series.dtype.categories.to_list(), _positions(series.to_physical()), declared=True)
    if isinstance(series.dtype, pl.Categorical):
        levels = series.drop_nulls().unique()
        levels = levels.gather(levels.to_physical().arg_sort())
        return Distinct(levels.cast(pl.String).to_list(), _among(levels.to_physical(), series.to_physical()))
    if series.dtype == pl.String:
        texts = series.drop_nulls().unique().sort()
        return Distinct(texts.to_list(), _positions(series.cast(pl.Enum(texts)).to_physical()))
    if series.dtype == pl.Null:
        return Distinct([], np.full(len(series), -1, dtype=np.int32))
    if series.dtype.is_float():
        series = series.fill_nan(None)
    levels = series.drop_nulls().unique().sort()
    positions = _among(levels, series)
    if isinstance(series.dtype, pl.Datetime) and series.dtype.time_zone:
        levels = levels.dt.convert_time_zone("UTC")  # local times repeat when clocks go back
    return Distinct(levels.to_list(), positions)


def _among(levels: pl.Series, series: pl.Series) -> Codes:
    """Where each cell stands among ascending levels; -1 where it is missing."""
    positions = levels.search_sorted(series).to_numpy().astype(np.int32)
    positions[series.is_null().to_numpy()] = -1
    return positions


def _positions(numbers: pl.Series) -> Codes:
    return numbers.cast(pl.Int64).fill_null(-1).to_numpy().astype(np.int32)


# -- arrays -> columns -----------------------------------------------------------------------------------------


def loose(form: Form) -> Form:
    """The form of numbers with all their digits, where the column's own type would cut them."""
    return replace(form, dtype=pl.Float64(), sort="number")


def from_numbers(name: str, numbers: Floats, blanks: list[tuple[Any, Bools]], form: Form) -> pl.Series:
    null = np.zeros(len(numbers), dtype=np.bool_)
    for blank, where in blanks:
        if blank is None or form.sort != "number":
            null |= where
        else:
            numbers = np.where(where, blank, numbers)
    dtype = form.dtype
    series = pl.Series(name, _ticks(numbers, form))
    if isinstance(dtype, pl.Datetime):
        series = series.cast(pl.Datetime(dtype.time_unit))
        if dtype.time_zone:
            series = series.dt.replace_time_zone("UTC").dt.convert_time_zone(dtype.time_zone)
    else:
        series = series.cast(pl.Int32).cast(dtype) if dtype == pl.Date else series.cast(dtype)
    if null.any():
        keep = pl.Series("keep", ~null)
        series = pl.select(pl.when(keep).then(series).alias(name)).to_series()
    return series


def _ticks(numbers: Floats, form: Form) -> Any:
    """Numbers as what the type counts in."""
    if form.sort == "whole":
        return whole_numbers(
            numbers, int(pl.select(form.dtype.min()).item()), int(pl.select(form.dtype.max()).item())
        )
    if form.sort in ("date", "moment"):
        return ticks_of(numbers, PER_DAY.get(getattr(form.dtype, "time_unit", "D"), 1))
    return numbers


def from_levels(
    name: str, levels: list[Level], blanks: list[Any], index: Codes, form: Form, known: list[Level]
) -> pl.Series:
    """A column whose record i holds (levels + blanks)[index[i]]; `known` are all categories it may hold."""
    palette = _palette(levels, form, known)
    blanks = blanks if palette.dtype.is_float() else [None] * len(blanks)
    if blanks:
        palette = palette.extend(pl.Series(blanks, dtype=palette.dtype))
    return palette.gather(pl.Series(index, dtype=pl.UInt32)).alias(name)


def _palette(levels: list[Level], form: Form, known: list[Level]) -> pl.Series:
    """Categories in the column's own type, or where they do not fit in one that is like it."""
    dtype = form.dtype
    if isinstance(dtype, pl.Enum):
        texts = [code_text(level) for level in levels]
        if not set(texts) <= set(dtype.categories):
            dtype = pl.Enum(list(dict.fromkeys(code_text(level) for level in known)))
        return pl.Series(texts, dtype=dtype)
    if isinstance(dtype, pl.Categorical):
        return pl.Series([code_text(level) for level in levels], dtype=dtype)
    cells = converted(levels, form.sort) if form.sort != "empty" or not levels else None
    if cells is not None:
        try:
            return pl.Series(cells, dtype=dtype)
        except (OverflowError, TypeError, pl.exceptions.PolarsError):
            pass  # categories beyond the range of the type: the next type that holds them
    sort = sort_of_levels(levels)
    return pl.Series(converted(levels, sort), dtype=_NATURAL.get(sort, pl.String))


def frame(series: Mapping[str, pl.Series], layout: Any, n_records: int) -> pl.DataFrame:
    return pl.DataFrame(list(series.values())) if series else pl.DataFrame(height=n_records)
