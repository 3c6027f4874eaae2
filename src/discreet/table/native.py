"""Dataframes of any supported library as narwhals sees them, and the module that knows the library's columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import narwhals as nw
from narwhals.dependencies import is_pandas_dataframe, is_pyarrow_table

from discreet.errors import InputError
from discreet.table.cells import Library

Frame = Any  # a pandas or polars dataframe, an Arrow table
TextOf = Callable[[str], Sequence[str | None]]  # a column as its file spells it


def as_frame(data: Frame) -> nw.DataFrame[Any]:
    """A dataframe of any supported library as narwhals sees it."""
    _refuse_double_names(data)
    try:
        frame = cast("nw.DataFrame[Any]", nw.from_native(data, eager_only=True))
        library_of(frame.implementation)
    except TypeError:
        raise InputError(
            f"Data must be a pandas or polars dataframe, an Arrow table or the path of a file; got "
            f"{type(data).__name__}. Collect lazy frames first; convert other dataframes to one of these."
        ) from None
    if unnamed := sum(not isinstance(name, str) or not name for name in frame.columns):
        raise InputError(f"{unnamed} columns have no text name; give every column a name.")
    if not frame.columns:
        raise InputError("The data have no columns.")
    if not len(frame):
        raise InputError("The data have no records.")
    return frame


def _refuse_double_names(data: Frame) -> None:
    names = data.columns if is_pandas_dataframe(data) else data.column_names if is_pyarrow_table(data) else ()
    listed = [str(name) for name in names]
    if twice := sorted(name for name, times in Counter(listed).items() if times > 1):
        raise InputError(
            f"Column names must be unique; these occur more than once: {', '.join(twice)}. Rename them."
        )


def library_of(backend: nw.Implementation) -> Library:
    """The module that knows a library's columns; TypeError for one that is not supported."""
    if backend.is_polars():
        from discreet.table import polars_cells

        return polars_cells
    if backend.is_pyarrow():
        from discreet.table import arrow_cells

        return arrow_cells
    if backend.is_pandas():
        from discreet.table import pandas_cells

        return pandas_cells
    raise TypeError("unsupported library")


def types_of_cells(series: nw.Series[Any]) -> dict[str, int]:
    """Records per type of cell, missing ones left out; whole and other numbers count as one type.

    >>> import pandas as pd
    >>> types_of_cells(nw.from_native(pd.Series([1, 2.5, "x", None], dtype=object), series_only=True))
    {'number': 2, 'str': 1}
    """
    if series.implementation.is_pyarrow():
        return library_of(series.implementation).types((series.name, series.to_native()))
    return library_of(series.implementation).types(series.to_native())


def library_name(data: Frame) -> str:
    """What `frame_of` calls the library of a dataframe."""
    return str(as_frame(data).implementation)


def frame_of(columns: Mapping[str, Sequence[Any]], library: str) -> Frame:
    """A dataframe from lists, None for empty cells; `library` is "polars", "pandas" or "pyarrow".

    >>> frame_of({"measure": ["k"], "value": [5.0]}, "pandas").to_dict("records")
    [{'measure': 'k', 'value': 5.0}]
    """
    backend = cast("Any", library)
    return nw.from_dict({name: list(cells) for name, cells in columns.items()}, backend=backend).to_native()
