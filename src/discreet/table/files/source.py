"""A file that has been read: its data, its flavour, and what was noticed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from discreet.errors import FileError
from discreet.table.files.delimited import text_column
from discreet.table.files.format import FileFormat


@dataclass(frozen=True)
class Source:
    """What a file held.

    `sha256` and `n_bytes` are of the file as it lies there. `notes` say of a column what a person should know before
    trusting its type; `remarks` the same of the file. `suspects` are text columns that would be numbers but for words
    that usually mean missing. No note or remark contains a cell's value.
    """

    frame: pl.DataFrame
    format: FileFormat
    path: Path
    sha256: str
    n_bytes: int
    notes: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    suspects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    modified_ns: int = 0

    def as_text(self, column: str) -> pl.Series:
        """One column as text, null where missing: for codes that look like numbers.

        From delimited text the cells are read again exactly as written (`153.10` stays so); elsewhere whole numbers
        lose the decimals they were stored with.
        """
        if column not in self.frame.columns:
            raise FileError(f"There is no column '{column}'. Columns: {', '.join(self.frame.columns)}.")
        values = self.frame[column]
        if values.dtype == pl.String:
            return values
        if self.format.kind != "delimited":
            return _spelled(values)
        self._check_unchanged()
        return text_column(self.path, self.format, column)

    def _check_unchanged(self) -> None:
        now = os.stat(self.path)
        if (now.st_size, now.st_mtime_ns) != (self.n_bytes, self.modified_ns):
            raise FileError(f"File '{self.path.name}' has changed since it was read. Read it again.")


def _spelled(values: pl.Series) -> pl.Series:
    text = values.cast(pl.String)
    if not values.dtype.is_float():
        return text
    return text.str.strip_suffix(".0")
