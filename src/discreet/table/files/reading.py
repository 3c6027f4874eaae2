"""Files in: one function for all kinds, and the same block by block.

The input is only ever opened for reading. Faults are found before or while reading and told in one sentence that
names the file, lines or columns, never a cell's content.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from discreet.errors import FileError, ParameterError
from discreet.table.files.columnar import columnar_blocks, read_columnar
from discreet.table.files.delimited import delimited_blocks, read_delimited
from discreet.table.files.dialect import Given, NullValues, given_by
from discreet.table.files.excel import read_excel
from discreet.table.files.format import Content, FileFormat, Kind, kind_of
from discreet.table.files.packages import read_package
from discreet.table.files.source import Source


def read_file(
    path: Path | str,
    *,
    format: Kind | FileFormat | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    null_values: NullValues = ("",),
    types: Mapping[str, pl.DataType] | None = None,
) -> Source:
    """Read a file of any known kind; the ending says which, unless `format` does.

    `delimiter`, `encoding`, `decimal` and `null_values` (spellings of a missing cell, for all columns or by column)
    concern delimited text only, and are detected when left out. `types` fixes the types of some of its columns
    (`pl.String` keeps a code as it is written); the others get a type that every single cell bears out.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = path.write_text("zip;code;age;cost\\n01234;153.10;41;12,50\\n99999;153.9;;7,00\\n")
    >>> source = read_file(path)
    >>> source.frame.schema
    Schema([('zip', String), ('code', String), ('age', Int64), ('cost', Float64)])
    >>> source.format.dialect.delimiter, source.format.dialect.decimal
    (';', ',')
    """
    path = Path(path)
    kind, given = _stated(path, format, Given(delimiter, encoding, decimal, null_values))
    before = _readable(path)
    digest = _sha256(path)
    content = _read(path, kind, given, types or {})
    after = os.stat(path)
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise FileError(f"File '{path.name}' changed while it was being read. Wait until it is complete.")
    return Source(
        content.frame,
        content.format,
        path,
        digest,
        before.st_size,
        content.notes,
        content.remarks,
        content.suspects,
        before.st_mtime_ns,
    )


def iter_blocks(
    path: Path | str,
    columns: Mapping[str, pl.DataType],
    rows: int = 65_536,
    *,
    format: FileFormat | None = None,
) -> Iterator[pl.DataFrame]:
    """Read a text, Parquet or Arrow file in frames of exactly `rows` records (the last may be shorter), in order.

    `columns` says which columns and of what type: `source.frame.schema` of a whole reading, or what a schema
    wants. `format` is the flavour of an earlier reading; left out, the dialect is detected again.
    """
    path = Path(path)
    if rows < 1:
        raise ParameterError(f"`rows` must be at least 1. Got rows={rows}.")
    kind = format.kind if format else kind_of(path)
    _readable(path)
    if kind == "delimited":
        yield from delimited_blocks(path, columns, rows, format)
    elif kind in ("parquet", "arrow"):
        yield from columnar_blocks(path, columns, rows, kind)
    else:
        raise FileError(f"File '{path.name}' cannot be read block by block. Convert it to Parquet first.")


def _stated(path: Path, format: Kind | FileFormat | None, given: Given) -> tuple[Kind, Given]:
    if isinstance(format, FileFormat):
        known = given_by(format.dialect)
        stated = {name: value for name, value in vars(given).items() if value not in (None, ("",))}
        return format.kind, replace(known, **stated)
    return format or kind_of(path), given


def _readable(path: Path) -> os.stat_result:
    if path.is_dir():
        raise FileError(f"'{path}' is a folder. Name a file.")
    try:
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
    except FileNotFoundError:
        raise FileError(f"There is no file '{path}'. Check the name and the folder.") from None
    except PermissionError:
        raise FileError(
            f"File '{path}' may not be read by this account. Ask for permission to read it."
        ) from None
    if status.st_size == 0:
        raise FileError(f"File '{path.name}' is empty: it has no header line and no records.")
    return status


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read(path: Path, kind: Kind, given: Given, types: Mapping[str, pl.DataType]) -> Content:
    if kind == "delimited":
        return read_delimited(path, given, types)
    if types:
        raise ParameterError(
            "`types` are for delimited text: other files say the types of their columns themselves."
        )
    if kind in ("parquet", "arrow"):
        return read_columnar(path, kind)
    if kind == "excel":
        return read_excel(path)
    return read_package(path, kind)
