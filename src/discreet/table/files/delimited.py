"""Delimited text in and out: CSV, TSV and their relatives, plain or gzipped.

Everything is read as text, batch by batch, and each batch is typed at once, so that no more than the typed columns is
ever held. What is lost by typing can be had again: `text_column` reads one column as it stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from discreet.errors import FileError
from discreet.table.files.chunks import exact_chunks
from discreet.table.files.dialect import SAMPLE, Given, Layout, detect_layout, given_by, sample_text
from discreet.table.files.format import (
    DELIMITER_OF_ENDING,
    Content,
    FileFormat,
    Spelling,
    check_names,
    ending_of,
    refuse_columns,
)
from discreet.table.files.memory import demand_memory
from discreet.table.files.readings import Finding, Inference, filled, present, typed
from discreet.table.files.structure import explain_stray_mark, explain_unevenness, measure, tally
from discreet.table.files.text import Utf8Text, utf8_text

Types = Mapping[str, pl.DataType]

_FIRST_ROWS = 1000
_CELLS_AT_ONCE = 2_000_000
# Held beside the typed columns: the batches in flight.
_IN_FLIGHT = 4e8


@dataclass(frozen=True)
class _Opened:
    """A text whose shape is proved: every record has the header's fields."""

    text: Utf8Text
    layout: Layout
    n_records: int
    compression: str | None
    where: str
    remarks: tuple[str, ...] = ()

    def lazy(self) -> pl.LazyFrame:
        """The records as columns of text."""
        dialect, source = self.layout.dialect, self.text.source
        rows = pl.scan_csv(
            source,
            separator=dialect.delimiter,
            quote_char=dialect.quote,
            infer_schema=False,
            glob=False,
        )
        return rows.head(self.n_records)

    def batches(self, names: Iterable[str]) -> Iterator[pl.DataFrame]:
        """The records in order, a few at a time; parser errors become FileErrors without any content."""
        columns = list(names)
        at_once = max(_CELLS_AT_ONCE // max(len(columns), 1), _FIRST_ROWS)
        try:
            yield from self.lazy().select(columns).collect_batches(chunk_size=at_once, maintain_order=True)
        except pl.exceptions.PolarsError:
            raise self.unreadable() from None

    def collect_all(self, columns: list[pl.Expr]) -> pl.DataFrame:
        """All records with the given expressions."""
        try:
            frame = self.lazy().select(columns).collect(engine="streaming")
        except pl.exceptions.PolarsError:
            raise self.unreadable() from None
        if frame.height != self.n_records:
            raise self.unreadable()
        return frame

    def unreadable(self) -> FileError:
        """What is wrong with a text that the parser refused."""
        dialect = self.layout.dialect
        return explain_unevenness(
            self.text.blocks(), dialect.delimiter, dialect.quote, len(self.layout.names), self.where
        )


def read_delimited(path: Path, given: Given, types: Types) -> Content:
    """Read a whole text; columns named in `types` get that type, the others the one that every cell bears out."""
    opened = _open(path, given)
    demand_memory(_memory_needed(opened), opened.where)
    frame, findings = _typed_records(opened, types)
    notes = {name: found.note for name, found in findings.items() if found.note}
    notes |= _note_not_finite(frame)
    suspects = {name: found.suspects for name, found in findings.items() if found.suspects}
    return Content(frame, _format(opened, findings), notes, opened.remarks, suspects)


def text_column(path: Path, format: FileFormat, column: str) -> pl.Series:
    """One column exactly as its cells are written, null where missing."""
    opened = _open(path, given_by(format.dialect))
    return opened.collect_all([present(column, opened.layout.dialect)])[column]


def delimited_blocks(
    path: Path, types: Types, rows: int, format: FileFormat | None
) -> Iterator[pl.DataFrame]:
    """The records in frames of `rows` rows with the given columns and types."""
    opened = _open(path, given_by(format.dialect) if format else Given())
    _refuse_unknown(types, opened)
    spellings = format.spellings if format else {}
    wanted = {name: Finding(dtype, spellings.get(name, Spelling())) for name, dtype in types.items()}
    for part in exact_chunks(opened.batches(types), rows):
        yield _typed_batch(part, wanted, opened, types)


def _memory_needed(opened: _Opened) -> float:
    """Bytes that the typed columns will take, judged by the first records, and what is in flight meanwhile."""
    try:
        head = opened.lazy().head(_FIRST_ROWS).collect()
    except pl.exceptions.PolarsError:
        raise opened.unreadable() from None
    inference = Inference(head.columns, opened.layout.dialect)
    inference.observe(head)
    widths = [_width(head[name], found) for name, found in inference.findings().items()]
    text_bytes = opened.text.size()
    return opened.n_records * sum(widths) + min(text_bytes, _IN_FLIGHT)


def _width(cells: pl.Series, found: Finding) -> float:
    # A text takes 16 bytes, and more room when it is longer than the 12 that fit in these.
    if found.dtype != pl.String:
        return 8.0
    lengths = cells.str.len_bytes().fill_null(0)
    return 16.0 + float(lengths.filter(lengths > 12).sum()) / len(cells)


def _open(path: Path, given: Given) -> _Opened:
    where = f"File '{path.name}'"
    ending, compression = ending_of(path)
    text = utf8_text(path, compression, given.encoding, where)
    sample = sample_text(_first_bytes(text))
    layout = detect_layout(sample, given, text.encoding, text.bom, DELIMITER_OF_ENDING.get(ending), where)
    check_names(list(layout.names), where)
    quote, n_records, remarks = _proved_shape(text, layout, where)
    if n_records == 0:
        raise FileError(f"{where} has a header line but no records.")
    layout = replace(layout, dialect=replace(layout.dialect, quote=quote))
    return _Opened(text, layout, n_records, compression, where, text.remarks + remarks)


def _first_bytes(text: Utf8Text) -> bytes:
    return next(text.blocks(), b"")[:SAMPLE]


def _proved_shape(text: Utf8Text, layout: Layout, where: str) -> tuple[str | None, int, tuple[str, ...]]:
    """The quotation mark in use (None: marks are ordinary letters) and the number of records, or a FileError."""
    delimiter, n_fields = layout.dialect.delimiter, len(layout.names)
    counts = tally(text.blocks(), delimiter.encode("utf-8"), b'"')
    blank = counts.blank_at_end if n_fields > 1 else 0
    lines = counts.lines - blank
    if not counts.quotes and counts.delimiters == (n_fields - 1) * lines:
        return '"', lines - 1, ()
    quote: str | None = '"'
    shape = measure(text.blocks(), delimiter, quote, n_fields)
    if shape.stray_at is not None and shape.quoted:
        raise explain_stray_mark(text.blocks(), shape.stray_at, where)
    if shape.stray_at is not None:
        quote, shape = None, measure(text.blocks(), delimiter, None, n_fields)
    if not shape.is_rectangular(blank):
        raise explain_unevenness(text.blocks(), delimiter, quote, n_fields, where)
    remarks = () if quote else ("Quotation marks stand inside cells and were read as ordinary letters.",)
    return quote, shape.records - shape.uneven - 1, remarks


def _typed_records(opened: _Opened, types: Types) -> tuple[pl.DataFrame, Mapping[str, Finding]]:
    """All records with their types, and what was found of each column.

    A batch is typed as soon as it is read, by what the batches so far bear out. The few columns whose type changes
    after the first batch are read a second time, so that the text of the others need not be kept.
    """
    names = opened.layout.names
    _refuse_unknown(types, opened)
    fixed = {name: Finding(dtype, Spelling()) for name, dtype in types.items()}
    inference = Inference((name for name in names if name not in types), opened.layout.dialect)
    first: Mapping[str, Finding] = {}
    found: Mapping[str, Finding] = {}
    settled = list(names)
    parts: list[pl.DataFrame] = []
    for batch in opened.batches(names):
        if not parts:
            inference.glance(batch.head(_FIRST_ROWS))
        inference.observe(batch)
        found = {**inference.findings(), **fixed}
        first = first or found
        settled = [name for name in settled if found[name].is_typed_as(first[name])]
        parts.append(_typed_batch(batch, {name: found[name] for name in settled}, opened, types))
    return _assembled(parts, found, opened), found


def _assembled(parts: list[pl.DataFrame], found: Mapping[str, Finding], opened: _Opened) -> pl.DataFrame:
    settled = parts[-1].columns
    frame = pl.concat([part.select(settled) for part in parts])
    parts.clear()
    moved = [_typed(name, finding, opened) for name, finding in found.items() if name not in settled]
    if moved:
        again = opened.collect_all(moved)
        frame = again if not settled else frame.hstack(again)
    if frame.height != opened.n_records:
        raise opened.unreadable()
    return frame.select(opened.layout.names)


def _typed_batch(
    batch: pl.DataFrame, found: Mapping[str, Finding], opened: _Opened, asked: Types
) -> pl.DataFrame:
    """A batch with its types; refused if a column that was asked for as such holds cells of another type."""
    frame = batch.select(_typed(name, finding, opened) for name, finding in found.items())
    cells = batch.select(
        filled(name, opened.layout.dialect).count() for name, dtype in asked.items() if dtype != pl.String
    )
    if cells.width:
        _refuse_lost(cells.row(0, named=True), frame, opened)
    return frame


def _refuse_unknown(columns: Iterable[str], opened: _Opened) -> None:
    names = opened.layout.names
    unknown = [name for name in columns if name not in names]
    refuse_columns(unknown, opened.where, "there is no such column", f"Its columns: {', '.join(names)}.")


def _typed(name: str, found: Finding, opened: _Opened) -> pl.Expr:
    return typed(name, found.dtype, found.spelling, opened.layout.dialect).alias(name)


def _format(opened: _Opened, findings: Mapping[str, Finding]) -> FileFormat:
    spellings = {
        name: found.spelling
        for name, found in findings.items()
        if found.spelling != Spelling() and found.dtype != pl.String
    }
    return FileFormat("delimited", opened.compression, opened.layout.dialect, spellings)


def _note_not_finite(frame: pl.DataFrame) -> dict[str, str]:
    floats = frame.select(pl.col(pl.Float64).is_finite().not_().sum())
    counts = floats.row(0, named=True) if floats.width else {}
    return {name: f"{count} cells are not a number or infinite" for name, count in counts.items() if count}


def _refuse_lost(n_cells: Mapping[str, int], frame: pl.DataFrame, opened: _Opened) -> None:
    lost = {name: count - frame[name].count() for name, count in n_cells.items()}
    said = [f"{name} ({count} cells, wanted {frame.schema[name]})" for name, count in lost.items() if count]
    if said:
        raise FileError(
            f"{opened.where} has cells which are not of the wanted type, in: {', '.join(said)}. Declare the "
            "spellings of missing cells, or read these columns as text."
        )
