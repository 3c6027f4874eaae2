"""The one home for generated inputs: columns, tables and dataframes with whatever real files hold.

Ties, constants, one record, nothing but missing, unused and unsorted categories, NaN beside null, infinities,
truth values, dates and moments with zones, whole numbers at the limits, any text, declared missing codes, weights of
any sign.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
from hypothesis import strategies as st

from discreet.table.schema import Kind, Role, Schema, Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy

EXACT = 2**53
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
WHOLE = st.integers(-EXACT, EXACT) | st.sampled_from([0, 1, -1, EXACT, -EXACT])
FINITE = st.floats(allow_nan=False, allow_infinity=False)
FLOATS = st.floats() | st.sampled_from([0.0, -0.0, 1.0, float("inf"), float("-inf"), float("nan")])
DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))
MOMENTS = st.datetimes(datetime(1800, 1, 1), datetime(2140, 1, 1))


@dataclass(frozen=True)
class Content:
    """What a generated column may hold: its polars type, its cells, and the kinds it can be declared as."""

    dtype: Any
    cells: st.SearchStrategy[Any]
    kinds: tuple[Kind, ...] = ("numeric", "ordinal", "nominal")
    codes: bool = True  # whether some of its cells may be declared missing codes


CONTENTS: dict[str, Content] = {
    "whole": Content(pl.Int64, WHOLE),
    "tiny": Content(pl.Int8, st.integers(-128, 127)),
    "byte": Content(pl.UInt8, st.integers(0, 255)),
    "unsigned": Content(pl.UInt64, st.integers(0, EXACT)),
    "number": Content(pl.Float64, FLOATS),
    "single": Content(pl.Float32, st.floats(width=32)),
    "truth": Content(pl.Boolean, st.booleans(), ("ordinal", "nominal"), codes=False),
    "text": Content(pl.String, TEXTS, ("ordinal", "nominal")),
    "number_text": Content(pl.String, st.integers(-999, 999).map(lambda n: f"{n / 100:.2f}")),
    "code_text": Content(pl.String, st.from_regex("[0-9]{1,3}", fullmatch=True), ("ordinal", "nominal")),
    "categorical": Content(pl.Categorical, TEXTS, ("ordinal", "nominal")),
    "enum": Content(
        pl.Enum(["z", "b", "", "a", "10", "9"]),
        st.sampled_from(["z", "b", "a", "10"]),
        ("ordinal", "nominal"),
    ),
    "date": Content(pl.Date, DAYS, codes=False),
    "moment": Content(pl.Datetime("us"), MOMENTS, codes=False),
    "millisecond": Content(pl.Datetime("ms"), MOMENTS.map(lambda m: m.replace(microsecond=0)), codes=False),
    "nanosecond": Content(pl.Datetime("ns"), MOMENTS, codes=False),
    "zoned": Content(
        pl.Datetime("us", "UTC"), st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), codes=False
    ),
    "decimal": Content(
        pl.Decimal(15, 2), st.integers(-(10**13), 10**13).map(lambda n: Decimal(n) / 100), codes=False
    ),
    "empty": Content(pl.Null, st.none(), codes=False),
}


@st.composite
def cells_of(draw: st.DrawFn, cells: st.SearchStrategy[Any], n_records: int) -> list[Any]:
    """A list of cells: all different, tied, constant, partly or wholly missing."""
    shape = draw(st.sampled_from(["free", "tied", "constant", "missing"]))
    if shape == "missing":
        return [None] * n_records
    pool = draw(st.lists(cells, min_size=1, max_size={"free": n_records, "tied": 3}.get(shape, 1)))
    holes = st.none() if draw(st.booleans()) else st.nothing()
    return draw(st.lists(st.sampled_from(pool) | holes, min_size=n_records, max_size=n_records))


@st.composite
def polars_columns(draw: st.DrawFn, name: str, n_records: int) -> tuple[pl.Series, Variable]:
    """A polars column and a declaration that fits it."""
    content = CONTENTS[draw(st.sampled_from(sorted(CONTENTS)))]
    series = pl.Series(name, draw(cells_of(content.cells, n_records)), dtype=content.dtype)
    infinite = series.dtype.is_float() and series.is_infinite().any()  # no category, whatever is declared
    variable = Variable(
        name=name,
        kind="numeric" if infinite else draw(st.sampled_from(content.kinds)),
        role=draw(st.sampled_from(["quasi", "confidential", "other", "stratum"])),
    )
    present = (
        series.drop_nulls().cast(pl.String if content.dtype == pl.Categorical else content.dtype).to_list()
    )
    present = [cell for cell in present if cell == cell]
    if content.codes and present and draw(st.booleans()):
        variable = replace(variable, unknown=(draw(st.sampled_from(present)),))
    return series, variable


@st.composite
def frames(draw: st.DrawFn, max_records: int = 8, max_columns: int = 4) -> tuple[pl.DataFrame, Schema]:
    """A polars dataframe and a schema that fits it; one record is usual."""
    n_records = draw(st.integers(1, max_records))
    columns = [draw(polars_columns(f"v{i}", n_records)) for i in range(draw(st.integers(1, max_columns)))]
    return pl.DataFrame([series for series, _ in columns]), Schema(tuple(v for _, v in columns))


def _to_pandas(frame: pl.DataFrame, **options: Any) -> Any:
    return frame.to_pandas(**options)


def _to_objects(frame: pl.DataFrame) -> Any:
    """pandas as it comes out of databases: Python objects and None in every column."""
    import pandas as pd

    return pd.DataFrame({s.name: pd.Series(s.to_list(), dtype=object) for s in frame})


LIBRARIES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "arrow": lambda frame: frame.to_arrow(),
    "pandas": _to_pandas,
    "pandas_nullable": lambda frame: frame.to_pandas().convert_dtypes(),
    "pandas_arrow": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "pandas_objects": _to_objects,
}

# -- tables for methods and measures ---------------------------------------------------------------------------

TREE = Taxonomy("places", ("*", "north", "n1", "n2", "south", "s1"), ("",) * 6, [-1, 0, 1, 1, 0, 4])
WEIGHTS = st.sampled_from([0.0, 1.0, 0.5, 3.0, 1e6]) | st.floats(-10, 10, allow_nan=False)
POSITIVE_WEIGHTS = st.floats(0.01, 1000.0)


@st.composite
def tables(
    draw: st.DrawFn,
    min_records: int = 1,
    max_records: int = 12,
    kinds: Sequence[Kind] = ("numeric", "ordinal", "nominal", "taxonomic"),
    missing: bool = True,
    numbers: st.SearchStrategy[float] | None = None,
    weights: st.SearchStrategy[float] | None = None,
    max_columns: int = 4,
) -> Table:
    """A table of quasi-identifiers and confidential columns of the given kinds, with unused and unsorted levels.

    `weights` adds a weight column of such values (WEIGHTS holds zero and negative ones, which must be refused).
    """
    n_records = draw(st.integers(min_records, max_records))
    chosen = draw(st.lists(st.sampled_from(list(kinds)), min_size=1, max_size=max_columns))
    variables: dict[str, Variable] = {}
    columns: dict[str, list[Any]] = {}
    for i, kind in enumerate(chosen):
        name = f"{kind}{i}"
        role: Role = draw(st.sampled_from(["quasi", "confidential"]))
        variables[name] = _variable(name, kind, role)
        cells = _cells_of_kind(kind, numbers)
        listed = draw(cells_of(cells, n_records)) if missing else draw(_full(cells, n_records))
        columns[name] = listed
    if weights is not None:
        variables["weight"] = Variable(name="weight", kind="numeric", role="weight")
        columns["weight"] = draw(st.lists(weights, min_size=n_records, max_size=n_records))
    return Table.build(
        columns, variables, trees={name: TREE for name in columns if name.startswith("taxonomic")}
    )


def _full(cells: st.SearchStrategy[Any], n_records: int) -> st.SearchStrategy[list[Any]]:
    pools = st.lists(cells, min_size=1, max_size=max(n_records, 1))
    return pools.flatmap(lambda pool: st.lists(st.sampled_from(pool), min_size=n_records, max_size=n_records))


def _variable(name: str, kind: Kind, role: Role) -> Variable:
    levels = {"ordinal": ("low", "middle", "high", "unused"), "nominal": ("z", "b", "a", "unused")}.get(kind)
    return Variable(
        name=name, kind=kind, role=role, levels=levels, taxonomy="places" if kind == "taxonomic" else None
    )


def _cells_of_kind(kind: Kind, numbers: st.SearchStrategy[float] | None) -> st.SearchStrategy[Any]:
    if kind == "numeric":
        return numbers or st.integers(-5, 5).map(float) | st.floats(-1e6, 1e6)
    if kind == "taxonomic":
        return st.sampled_from(TREE.codes)
    return st.sampled_from(("low", "middle", "high") if kind == "ordinal" else ("z", "b", "a"))
