"""Files out: one function for all kinds, all or nothing, the same bytes for the same data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import polars as pl

from discreet.errors import FileError
from discreet.table.files.atomic import staged_file
from discreet.table.files.columnar import write_columnar
from discreet.table.files.delimited_output import write_delimited
from discreet.table.files.excel import write_excel
from discreet.table.files.format import (
    DELIMITER_OF_ENDING,
    Dialect,
    FileFormat,
    check_names,
    ending_of,
    kind_of,
)
from discreet.table.files.packages import write_package


def write_file(
    frame: pl.DataFrame,
    path: Path | str,
    format: FileFormat | None = None,
    *,
    force: bool = False,
    inputs: Iterable[Path | str] = (),
) -> None:
    """Write a frame to a file whose ending says what kind it becomes.

    `format` is the flavour of the file the data came from; what of it has a meaning in the new kind is kept
    (delimiter, decimals, labels, declared missing codes). The file appears whole or not at all. An existing file is
    replaced with `force` only, and a file among `inputs` never.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "safe.csv"
    >>> write_file(pl.DataFrame({"zip": ["01234", None], "age": [41, 7]}), path)
    >>> path.read_text()
    'zip,age\\n01234,41\\n,7\\n'
    """
    path = Path(path)
    check_writable(frame, path)
    with staged_file(path, force=force, inputs=inputs) as temporary:
        write_onto(frame, temporary, path, format)


def write_onto(
    frame: pl.DataFrame,
    temporary: Path,
    destination: Path,
    format: FileFormat | None = None,
) -> None:
    """Write to a path of `Staged.add` what will become `destination`; for outputs that appear together."""
    where = f"Output '{destination.name}'"
    flavour = flavour_for(destination, format)
    check_writable(frame, destination)
    try:
        if flavour.kind == "delimited":
            write_delimited(frame, temporary, flavour, where)
        elif flavour.kind in ("parquet", "arrow"):
            write_columnar(frame, temporary, flavour, where)
        elif flavour.kind == "excel":
            write_excel(frame, temporary, where)
        else:
            write_package(frame, temporary, flavour, where)
    except OSError as fault:
        raise FileError(f"{where} cannot be written: {fault.strerror or 'the disk refused'}.") from None


def flavour_for(path: Path, format: FileFormat | None) -> FileFormat:
    """The flavour of an output: that of its source as far as the ending of `path` allows.

    >>> flavour_for(Path("safe.tsv.gz"), FileFormat("sav")).dialect.delimiter
    '\\t'
    """
    kind = kind_of(path)
    ending, compression = ending_of(path)
    flavour = replace(format or FileFormat(kind), kind=kind, compression=compression)
    usual = DELIMITER_OF_ENDING.get(ending)
    if format is not None and format.kind == "delimited" and usual in (None, format.dialect.delimiter):
        return flavour
    return replace(flavour, dialect=Dialect(delimiter=usual or ","))


def check_writable(frame: pl.DataFrame, path: Path) -> None:
    """Refuse what no kind of file can hold, before anything is touched."""
    where = f"Output '{path.name}'"
    if kind_of(path) == "sas7bdat":
        raise FileError(
            f"{where}: SAS's own format can be read but not written. Write .xpt, which SAS reads, or .csv."
        )
    if frame.width == 0:
        raise FileError(f"{where} would have no columns. Nothing was written.")
    check_names(frame.columns, where)
