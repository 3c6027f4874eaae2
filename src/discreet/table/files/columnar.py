"""Parquet and Arrow (Feather) files in and out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from discreet.errors import FileError
from discreet.table.files.chunks import exact_chunks
from discreet.table.files.format import Content, FileFormat, Kind, check_names, refuse_columns
from discreet.table.files.memory import demand_memory

_TEXT_WIDTH = 40  # bytes assumed for a cell of text when memory is estimated


def read_columnar(path: Path, kind: Kind) -> Content:
    """Read a whole Parquet or Arrow file; nested columns are refused by name."""
    where = f"File '{path.name}'"
    try:
        rows = _scan(path, kind)
        schema = rows.collect_schema()
        _check_schema(schema, where)
        n_records = rows.select(pl.len()).collect().item()
        demand_memory(n_records * sum(_width(dtype) for dtype in schema.values()), where)
        frame = rows.collect()
    except (pl.exceptions.PolarsError, OSError):
        raise _damaged(where, kind) from None
    if n_records == 0:
        raise FileError(f"{where} has columns but no records.")
    return Content(frame, FileFormat(kind))


def columnar_blocks(
    path: Path, types: Mapping[str, pl.DataType], rows: int, kind: Kind
) -> Iterator[pl.DataFrame]:
    """The records in frames of `rows` rows with the given columns and types."""
    where = f"File '{path.name}'"
    try:
        scan = _scan(path, kind)
        names = scan.collect_schema().names()
        unknown = [name for name in types if name not in names]
        refuse_columns(unknown, where, "there is no such column", f"Its columns: {', '.join(names)}.")
        columns = [pl.col(name).cast(dtype) for name, dtype in types.items()]
        yield from exact_chunks(
            scan.select(columns).collect_batches(chunk_size=rows, maintain_order=True), rows
        )
    except pl.exceptions.InvalidOperationError:
        raise FileError(
            f"{where} has cells that do not fit the wanted types. Compare its columns with the schema."
        ) from None
    except (pl.exceptions.PolarsError, OSError):
        raise _damaged(where, kind) from None


def write_columnar(frame: pl.DataFrame, target: Path, format: FileFormat, where: str) -> None:
    """Write a frame to `target`, which is overwritten."""
    _check_schema(frame.schema, where)
    with open(target, "wb") as file:
        if format.kind == "parquet":
            frame.write_parquet(file, compression="zstd", statistics=True)
        else:
            frame.write_ipc(file, compression="lz4")


def _scan(path: Path, kind: Kind) -> pl.LazyFrame:
    return pl.scan_parquet(path, glob=False) if kind == "parquet" else pl.scan_ipc(path, glob=False)


def _check_schema(schema: Mapping[str, pl.DataType], where: str) -> None:
    check_names(list(schema), where)
    nested = [name for name, dtype in schema.items() if dtype.is_nested()]
    refuse_columns(
        nested, where, "columns hold lists or structures in their cells", "Flatten them into plain columns."
    )
    opaque = [name for name, dtype in schema.items() if dtype in (pl.Binary, pl.Object)]
    refuse_columns(opaque, where, "columns hold bytes, whose meaning is unknown", "Drop or decode them.")


def _width(dtype: pl.DataType) -> int:
    return _TEXT_WIDTH if dtype == pl.String else 8


def _damaged(where: str, kind: Kind) -> FileError:
    name = "Parquet" if kind == "parquet" else "Arrow"
    return FileError(
        f"{where} is not a whole {name} file: it is damaged, cut off, or something else. Fetch it again."
    )
