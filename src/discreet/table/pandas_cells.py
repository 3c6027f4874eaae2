"""Columns of pandas as plain arrays and back; columns that pandas keeps in Arrow go through `arrow_cells`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from discreet.arrays import Bools, Codes, Floats
from discreet.table.cells import (
    EXACT,
    PER_DAY,
    Distinct,
    Form,
    Library,
    Sort,
    code_text,
    converted,
    days_of,
    lossy,
    number_of,
    sort_of_cells,
    sort_of_levels,
    ticks_of,
    types_in,
    whole_numbers,
)
from discreet.table.variable import Level


def column(frame: Any, name: str) -> Any:
    return frame[name]


def of_texts(name: str, texts: Sequence[str | None]) -> Any:
    return pd.Series(list(texts), name=name, dtype="str" if _has_str() else object)


def _has_str() -> bool:
    return int(pd.__version__.split(".")[0]) >= 3


def form_of(series: Any) -> Form:
    if _in_arrow(series):
        return replace(_arrow().form_of(_chunks(series)), dtype=series.dtype)
    sort = _sort_of(series)
    if sort == "moment" and _is_object(series.dtype):
        zones = {cell.tzinfo for cell in _cells(series)}
        return Form(series.dtype, sort if len(zones) == 1 else "unsuited", zone=zones.pop())
    return Form(series.dtype, sort)


def _sort_of(series: Any) -> Sort:
    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return "unsuited"
    if _is_object(dtype):
        return sort_of_cells(set(map(type, _cells(series))))
    if isinstance(dtype, pd.CategoricalDtype):
        return "category"
    tests: list[tuple[Any, Sort]] = [
        (pd.api.types.is_bool_dtype, "truth"),
        (pd.api.types.is_integer_dtype, "whole"),
        (pd.api.types.is_float_dtype, "number"),
        (lambda kind: isinstance(kind, pd.StringDtype), "text"),
        (pd.api.types.is_datetime64_any_dtype, "moment"),
    ]
    return next((sort for holds, sort in tests if holds(dtype)), "unsuited")


def _is_object(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind == "O"


def _cells(series: Any) -> NDArray[Any]:
    """Cells of an object column that are not missing."""
    present: Bools = series.notna().to_numpy(dtype=np.bool_)
    return np.asarray(series.array, dtype=object)[present]


def types(series: Any) -> dict[str, int]:
    return types_in(_cells(series))


def blanks(series: Any) -> list[tuple[Any, Bools]]:
    if _in_arrow(series):
        return _arrow().blanks(_chunks(series))
    missing = series.isna().to_numpy(dtype=np.bool_)
    if not _is_object(series.dtype) or not missing.any():
        return [(None, missing)]
    cells = np.asarray(series.array, dtype=object)
    rows = np.flatnonzero(missing)
    kind_of = np.array([id(type(cell)) for cell in cells[rows]])
    found: list[tuple[Any, Bools]] = []
    for kind in dict.fromkeys(kind_of.tolist()):
        where = np.zeros(len(cells), dtype=np.bool_)
        where[rows[kind_of == kind]] = True
        found.append((cells[rows[kind_of == kind][0]], where))
    return found


def numbers(series: Any, form: Form) -> Floats:
    """Cells as float64; what stands where a cell is missing means nothing."""
    if _in_arrow(series):
        return _arrow().numbers(_chunks(series), form)
    present = ~series.isna().to_numpy(dtype=np.bool_)
    values = np.zeros(len(series))
    if _is_object(series.dtype):
        values[present] = _object_numbers(series, form)
    elif form.sort == "moment":
        values = _moments(series, present)
    else:
        if (
            form.sort == "whole"
            and present.any()
            and max(abs(int(series.max())), abs(int(series.min()))) > EXACT
        ):
            raise lossy(str(series.name))
        values = series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    return values


def _object_numbers(series: Any, form: Form) -> Floats:
    cells = _cells(series)
    if form.sort == "number":
        return cells.astype(np.float64)
    try:
        return np.array([number_of(cell) for cell in cells])
    except ValueError:
        raise lossy(str(series.name)) from None


def _moments(series: Any, present: Bools) -> Floats:
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    moments = series.to_numpy()
    ticks = np.where(present, moments.view(np.int64), 0)
    return days_of(ticks, PER_DAY[np.datetime_data(moments.dtype)[0]], str(series.name))


def distinct(series: Any) -> Distinct:
    if _in_arrow(series):
        return _arrow().distinct(_chunks(series))
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes = series.cat.codes.to_numpy().astype(np.int32)
        return Distinct(series.cat.categories.tolist(), codes, declared=True)
    codes, levels = pd.factorize(series)
    return Distinct(levels.tolist(), codes.astype(np.int32))


# -- arrays -> columns -----------------------------------------------------------------------------------------


def loose(form: Form) -> Form:
    """The form of numbers with all their digits, where the column's own type would cut them."""
    is_plain = isinstance(form.dtype, np.dtype)
    return replace(form, dtype=np.dtype(np.float64) if is_plain else pd.Float64Dtype(), sort="number")


def from_numbers(name: str, numbers: Floats, blanks: list[tuple[Any, Bools]], form: Form) -> Any:
    dtype = form.dtype
    if isinstance(dtype, pd.ArrowDtype):
        like = replace(form, dtype=dtype.pyarrow_dtype)
        return _series(
            name, pd.arrays.ArrowExtensionArray(_arrow().from_numbers(name, numbers, blanks, like))
        )
    null = np.zeros(len(numbers), dtype=np.bool_)
    for _, where in blanks:
        null |= where
    if _is_object(dtype):
        cells = _objects(numbers, form)
        for blank, where in blanks:
            cells[where] = [blank] * int(where.sum())
        return _series(name, cells)
    if form.sort == "moment":
        return _moment_series(name, numbers, null, dtype)
    if form.sort == "whole":
        return _series(name, _wholes(numbers, null, dtype))
    if isinstance(dtype, np.dtype):
        return _series(name, np.where(null, np.nan, numbers).astype(dtype))
    array = pd.array(numbers, dtype=dtype)
    array[null] = pd.NA
    return _series(name, array)


def _series(name: str, array: Any) -> Any:
    return pd.Series(array, name=name, dtype=array.dtype, copy=False)


def _wholes(numbers: Floats, null: Bools, dtype: Any) -> Any:
    plain = getattr(dtype, "numpy_dtype", dtype)
    limits = np.iinfo(plain)
    values = whole_numbers(numbers, limits.min, limits.max).astype(plain)
    if isinstance(dtype, np.dtype) and not null.any():
        return values
    array = pd.array(values, dtype=_nullable(dtype))
    array[null] = pd.NA
    return array


def _nullable(dtype: Any) -> Any:
    """The type of pandas that holds the same values and also nothing: numpy's own whole numbers cannot."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iub":
        return dtype
    return "boolean" if dtype.kind == "b" else dtype.name.replace("int", "Int").replace("uI", "UI")


def _moment_series(name: str, numbers: Floats, null: Bools, dtype: Any) -> Any:
    unit = np.datetime_data(dtype)[0] if isinstance(dtype, np.dtype) else dtype.unit
    ticks = ticks_of(numbers, PER_DAY[unit]).astype(f"datetime64[{unit}]")
    ticks[null] = np.datetime64("NaT")
    series = _series(name, ticks)
    if isinstance(dtype, np.dtype):
        return series
    return series.dt.tz_localize("UTC").dt.tz_convert(dtype.tz)


def _objects(numbers: Floats, form: Form) -> NDArray[Any]:
    """Numbers as the Python objects that the column held."""
    cells = np.empty(len(numbers), dtype=object)
    if form.sort == "whole":
        cells[:] = whole_numbers(numbers, -EXACT, EXACT).tolist()
    elif form.sort == "decimal":
        cells[:] = [Decimal(code_text(number)) for number in numbers.tolist()]
    elif form.sort == "date":
        cells[:] = ticks_of(numbers, 1).astype("datetime64[D]").astype(object)
    elif form.sort == "moment":
        moments = ticks_of(numbers, PER_DAY["us"]).astype("datetime64[us]").tolist()
        zone = form.zone
        cells[:] = moments if zone is None else [m.replace(tzinfo=UTC).astimezone(zone) for m in moments]
    else:
        cells[:] = numbers.tolist()
    return cells


def from_levels(
    name: str, levels: list[Level], blanks: list[Any], index: Codes, form: Form, known: list[Level]
) -> Any:
    """A column whose record i holds (levels + blanks)[index[i]]; `known` are all categories it may hold."""
    dtype = form.dtype
    if isinstance(dtype, pd.ArrowDtype):
        like = replace(form, dtype=dtype.pyarrow_dtype)
        chunks = _arrow().from_levels(name, levels, blanks, index, like, known)
        return _series(name, pd.arrays.ArrowExtensionArray(chunks))
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(name, levels, index, dtype, known)
    cells = converted(levels, form.sort) if form.sort != "empty" or not levels else None
    if _is_object(dtype):
        palette = np.empty(len(levels) + len(blanks), dtype=object)
        palette[:] = [*(levels if cells is None else cells), *blanks]
        return _series(name, palette[index])
    if cells is not None:
        try:
            palette = pd.array(cells + [None] * len(blanks), dtype=_nullable(dtype) if blanks else dtype)
            return _series(name, palette.take(index))
        except (OverflowError, TypeError, ValueError):
            pass  # categories beyond the range of the type: the next type that holds them
    sort = sort_of_levels(levels)
    natural = pd.Series(
        [*(converted(levels, sort) or []), *[None] * len(blanks)], dtype=_natural(sort, bool(blanks))
    )
    return _series(name, natural.array.take(index))


def _natural(sort: Sort, has_blanks: bool) -> Any:
    plain = {"whole": "int64", "number": "float64", "truth": "bool", "moment": "datetime64[us]"}
    if sort == "text":
        return "str" if _has_str() else object
    return _nullable(np.dtype(plain[sort])) if has_blanks and sort in plain else plain.get(sort, object)


def _categories(name: str, levels: list[Level], index: Codes, dtype: Any, known: list[Level]) -> Any:
    place: dict[Any, int] = {}
    for position, category in enumerate(dtype.categories.tolist()):
        place.setdefault(code_text(category), position)
        place[category] = position
    if any(level not in place and code_text(level) not in place for level in levels):
        dtype = pd.CategoricalDtype(list(dict.fromkeys(known)), ordered=bool(dtype.ordered))
        place = {category: position for position, category in enumerate(dtype.categories.tolist())}
    codes = [place[level] if level in place else place[code_text(level)] for level in levels]
    positions = np.append(np.array(codes, dtype=np.int64), -1)[np.minimum(index, len(levels))]
    return _series(name, pd.Categorical.from_codes(positions, dtype=dtype))


def frame(series: Mapping[str, Any], layout: Any, n_records: int) -> Any:
    made = pd.DataFrame(dict(series), copy=False) if series else pd.DataFrame(index=range(n_records))
    if layout.index is not None and len(layout.index) == n_records:
        made.index = layout.index.copy()
    made.columns = layout.columns[[layout.columns.get_loc(name) for name in series]]
    return made


# -- columns kept in Arrow -------------------------------------------------------------------------------------


def _in_arrow(series: Any) -> bool:
    return isinstance(series.dtype, pd.ArrowDtype)


def _arrow() -> Library:
    from discreet.table import arrow_cells

    return arrow_cells


def _chunks(series: Any) -> Any:
    import pyarrow as pa

    return str(series.name), pa.chunked_array(pa.array(series.array))
