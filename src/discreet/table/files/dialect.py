"""Finding out how delimited text is laid out, from its first lines.

The delimiter is the one by which most records get as many fields as the header; the decimal comma is
believed only where the delimiter is no comma and as many columns have it as have the point.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from discreet.errors import FileError
from discreet.table.files.format import Dialect, Quoting

NullValues: TypeAlias = Sequence[str] | Mapping[str, Sequence[str]]

SAMPLE = 1 << 20
_DELIMITERS = (",", ";", "\t", "|")
_RECORDS = 1000
_WITH_COMMA = re.compile(r"-?\d+,\d+")
_WITH_POINT = re.compile(r"-?\d+\.\d+")
_WHOLE = re.compile(r"(-?\d+)?")


@dataclass(frozen=True)
class Given:
    """What the caller states about the text instead of having it detected."""

    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    null_values: NullValues = ("",)
    quoting: Quoting | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (
            len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\n\r'
        ):
            raise FileError(
                "`delimiter` must be one ASCII character, neither a quotation mark nor a line end."
            )
        if self.decimal not in (None, ".", ","):
            raise FileError("`decimal` must be '.' or ','.")
        if self.decimal is not None and self.decimal == self.delimiter:
            raise FileError("`decimal` and `delimiter` must differ.")


@dataclass(frozen=True)
class Layout:
    """The dialect and the column names."""

    dialect: Dialect
    names: tuple[str, ...]


def given_by(dialect: Dialect) -> Given:
    """The dialect of an earlier reading as the statement for another."""
    nulls = dialect.null_values_of or dialect.null_values
    return Given(dialect.delimiter, dialect.encoding, dialect.decimal, nulls, dialect.quoting)


def sample_text(start: bytes) -> str:
    """The complete lines among the first bytes of a text."""
    if len(start) >= SAMPLE and b"\n" in start:
        start = start[: start.rindex(b"\n") + 1]
    return start.decode("utf-8", errors="ignore")


def detect_layout(
    sample: str, given: Given, encoding: str, bom: bool, usual: str | None, where: str
) -> Layout:
    """Detect what was not given; `usual` is the delimiter that the file's ending suggests."""
    delimiter = given.delimiter or _detect_delimiter(sample, usual)
    records = _records(sample, delimiter)
    if not records or not records[0]:
        raise FileError(f"{where}: the first line is blank; the column names are expected there.")
    default, special = _null_values(given.null_values, records[0], where)
    dialect = Dialect(
        delimiter=delimiter,
        encoding=encoding,
        bom=bom,
        decimal=given.decimal or _detect_decimal(records, delimiter),
        quoting=given.quoting or _detect_quoting(sample, records, delimiter),
        line_ending="\r\n" if "\r\n" in sample else "\n",
        null_values=default,
        null_values_of=special,
    )
    return Layout(dialect, tuple(records[0]))


def _records(sample: str, delimiter: str, most: int = _RECORDS) -> list[list[str]]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    records: list[list[str]] = []
    try:
        for record in reader:
            records.append(record)
            if len(records) == most:
                break
    except csv.Error:  # the structure is checked, and faults are explained, elsewhere
        pass
    return records


def _detect_delimiter(sample: str, usual: str | None) -> str:
    ranked = sorted(
        _DELIMITERS, key=lambda delimiter: (_fit(sample, delimiter), delimiter == usual), reverse=True
    )
    return ranked[0] if _fit(sample, ranked[0])[0] else (usual or ",")


def _fit(sample: str, delimiter: str) -> tuple[float, int]:
    """The share of records with as many fields as the header, and that number; nothing for a single field."""
    records = [record for record in _records(sample, delimiter, 200) if record]
    if not records or len(records[0]) < 2:
        return 0.0, 0
    n_fields = len(records[0])
    return sum(len(record) == n_fields for record in records) / len(records), n_fields


def _detect_decimal(records: list[list[str]], delimiter: str) -> str:
    if delimiter == ",":
        return "."
    columns = list(zip(*(record for record in records[1:] if len(record) == len(records[0])), strict=True))
    commas, points = (
        sum(_is_decimal(cells, form) for cells in columns) for form in (_WITH_COMMA, _WITH_POINT)
    )
    return "," if commas and commas >= points else "."


def _is_decimal(cells: tuple[str, ...], form: re.Pattern[str]) -> bool:
    """Whether some cells have the form, and all others are whole numbers or empty."""
    rest = [cell for cell in map(str.strip, cells) if not form.fullmatch(cell)]
    return len(rest) < len(cells) and all(_WHOLE.fullmatch(cell) for cell in rest)


def _detect_quoting(sample: str, records: list[list[str]], delimiter: str) -> Quoting:
    ending = "\r\n" if "\r\n" in sample else "\n"
    if sample.startswith(_all_quoted(records[:50], delimiter, ending)) and len(records) > 1:
        return "always"
    return "text" if sample.startswith(_all_quoted(records[:1], delimiter, ending)) else "necessary"


def _all_quoted(records: list[list[str]], delimiter: str, ending: str) -> str:
    quoted = io.StringIO(newline="")
    csv.writer(quoted, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator=ending).writerows(records)
    return quoted.getvalue().removesuffix(ending)


def _null_values(
    given: NullValues, names: list[str], where: str
) -> tuple[tuple[str, ...], Mapping[str, tuple[str, ...]]]:
    if isinstance(given, str):
        raise FileError("`null_values` must be a list of spellings, or such a list per column, not one text.")
    if not isinstance(given, Mapping):
        return tuple(given), {}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise FileError(f"{where} has no column {unknown} of `null_values`. Its columns: {', '.join(names)}.")
    return ("",), {name: tuple(spellings) for name, spellings in given.items()}
