"""Writing delimited text in the flavour it was read in.

Numbers get as few decimals as the file had, and as many as the value needs; nothing is rounded here. Each cell
depends on its own row only, so writing block by block gives the same bytes as writing at once.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

import polars as pl

from discreet.errors import FileError
from discreet.table.files.format import Dialect, FileFormat, Spelling, refuse_columns

_ROWS_AT_ONCE = 100_000
_DECIMAL_DIGITS = 38
_LONGEST = 1e15
_STYLES: dict[str, Literal["necessary", "always", "never"]] = {
    "necessary": "necessary",
    "always": "always",
    "text": "never",
}


def write_delimited(frame: pl.DataFrame, target: Path, format: FileFormat, where: str) -> None:
    """Write a frame to `target`, which is overwritten."""
    _refuse_unwritable(frame, format.dialect, where)
    columns = [_cells(name, dtype, format) for name, dtype in frame.schema.items()]
    with _sink(target, format.compression) as sink:
        sink.write(_byte_order_mark(format.dialect))
        for number, start in enumerate(range(0, max(frame.height, 1), _ROWS_AT_ONCE)):
            part = frame.slice(start, _ROWS_AT_ONCE).select(columns)
            sink.write(
                _encoded(_lines(part, format.dialect, header=number == 0), format.dialect.encoding, where)
            )


@contextmanager
def _sink(target: Path, compression: str | None) -> Iterator[IO[bytes]]:
    with open(target, "wb") as file:
        if compression is None:
            yield file
        else:
            # Neither name nor time in the archive: the same data are the same bytes.
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                yield packed  # type: ignore[misc]


def _byte_order_mark(dialect: Dialect) -> bytes:
    return "\ufeff".encode(dialect.encoding) if dialect.bom else b""


def _encoded(text: bytes, encoding: str, where: str) -> bytes:
    if encoding == "utf-8":
        return text
    try:
        return text.decode("utf-8").encode(encoding)
    except UnicodeEncodeError:
        raise FileError(
            f"{where}: some texts have letters that {encoding} lacks. Write the file as UTF-8."
        ) from None


def _lines(part: pl.DataFrame, dialect: Dialect, header: bool) -> bytes:
    if dialect.quoting == "text" and dialect.quote:
        part = part.rename({name: _quoted_name(name) for name in part.columns})
    lines = io.BytesIO()
    part.write_csv(
        lines,
        include_header=header,
        separator=dialect.delimiter,
        line_terminator=dialect.line_ending,
        quote_char=dialect.quote or '"',
        quote_style=_STYLES[dialect.quoting] if dialect.quote else "never",
    )
    return lines.getvalue()


def _quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _refuse_unwritable(frame: pl.DataFrame, dialect: Dialect, where: str) -> None:
    nested = [
        name for name, dtype in frame.schema.items() if dtype.is_nested() or dtype in (pl.Object, pl.Binary)
    ]
    refuse_columns(nested, where, "text has no place for nested or binary columns", "Drop or flatten them.")
    if dialect.quote is None:
        texts = frame.select(pl.col(pl.String))
        risky = f"[{_escaped(dialect.delimiter)}\r\n]"
        broken = [name for name in texts.columns if texts[name].str.contains(risky).any()]
        remedy = "Write another kind of file, or a dialect with quotation marks."
        refuse_columns(
            broken, where, "cells hold delimiters or line ends, which need quotation marks", remedy
        )


def _escaped(delimiter: str) -> str:
    return delimiter if delimiter.isalnum() else "\\" + delimiter


def _cells(name: str, dtype: pl.DataType, format: FileFormat) -> pl.Expr:
    """One column as the text of its cells, or untouched where the writer's own way is right."""
    dialect, spelling = format.dialect, format.spellings.get(name, Spelling())
    cells = pl.col(name)
    if dtype.is_float() or dtype.is_decimal():
        cells = _number(cells, dtype, spelling)
        cells = cells.str.replace(".", ",", literal=True) if dialect.decimal == "," else cells
    elif dtype == pl.Boolean:
        true, false = spelling.words or ("true", "false")
        cells = pl.when(cells).then(pl.lit(true)).when(cells.not_()).then(pl.lit(false))
    elif isinstance(dtype, pl.Datetime):
        cells = cells.dt.to_string(_pattern(spelling, dtype))
    elif dtype in (pl.String, pl.Categorical, pl.Enum):
        cells = _text(cells.cast(pl.String), dialect)
    return _missing(cells, name, dialect).alias(name)


def _number(cells: pl.Expr, dtype: pl.DataType, spelling: Spelling) -> pl.Expr:
    shortest = cells.cast(pl.String)
    if spelling.fewest_decimals is None or dtype.is_decimal():
        return shortest
    fixed = cells.cast(pl.Decimal(_DECIMAL_DIGITS, spelling.fewest_decimals), strict=False).cast(pl.String)
    # Beyond this size the decimals written out would be invented ones.
    same = (cells.abs() < _LONGEST) & (fixed.cast(pl.Float64, strict=False) == cells)
    return pl.when(same).then(fixed).otherwise(shortest)


def _pattern(spelling: Spelling, dtype: pl.Datetime) -> str:
    if spelling.pattern:
        return spelling.pattern
    return "%Y-%m-%dT%H:%M:%S%.6f" + ("%:z" if dtype.time_zone else "")


def _text(cells: pl.Expr, dialect: Dialect) -> pl.Expr:
    if dialect.quoting != "text" or dialect.quote is None:
        return cells
    return pl.lit('"') + cells.str.replace_all('"', '""', literal=True) + pl.lit('"')


def _missing(cells: pl.Expr, name: str, dialect: Dialect) -> pl.Expr:
    nulls = dialect.nulls(name)
    if not nulls or "" in nulls:
        return cells
    return cells.cast(pl.String).fill_null(nulls[0])
