"""polars as the library's own dataframe: what files are written from, and what simulated tables are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import polars as pl


def new_frame(columns: Mapping[str, Any]) -> pl.DataFrame:
    """A dataframe from lists or arrays, None for empty cells."""
    return pl.DataFrame({name: pl.Series(name, values, strict=False) for name, values in columns.items()})


def as_polars(data: Any) -> pl.DataFrame:
    """Any supported dataframe as polars; pandas categories become text or Enum as their values allow."""
    if isinstance(data, pl.DataFrame):
        return data
    frame: pl.DataFrame = nw.from_native(data, eager_only=True).to_polars()
    return frame
