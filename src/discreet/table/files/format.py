"""What a file looks like apart from its data, so that writing gives back the same flavour.

A `FileFormat` is found by reading and handed to writing: the dialect of delimited text, how the numbers of
each column were spelled, and what a statistics package says about its variables. All values are frozen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

import polars as pl

from discreet.errors import FileError

Kind: TypeAlias = Literal["delimited", "parquet", "arrow", "excel", "sav", "dta", "xpt", "sas7bdat"]
Quoting: TypeAlias = Literal["necessary", "text", "always"]

ENDINGS: Mapping[str, Kind] = {
    ".csv": "delimited",
    ".tsv": "delimited",
    ".tab": "delimited",
    ".psv": "delimited",
    ".txt": "delimited",
    ".dat": "delimited",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".sav": "sav",
    ".zsav": "sav",
    ".dta": "dta",
    ".xpt": "xpt",
    ".sas7bdat": "sas7bdat",
}
DELIMITER_OF_ENDING: Mapping[str, str] = {".tsv": "\t", ".tab": "\t", ".psv": "|"}


@dataclass(frozen=True)
class Dialect:
    """How delimited text is laid out.

    `quoting` says which cells stand in quotation marks: those that need it, all texts, or all cells. `null_values`
    are the spellings of a missing cell; `null_values_of` overrides them for single columns. `quote` is None where
    quotation marks are ordinary letters.
    """

    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bool = False
    decimal: str = "."
    quote: str | None = '"'
    quoting: Quoting = "necessary"
    line_ending: str = "\n"
    null_values: tuple[str, ...] = ("",)
    null_values_of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def nulls(self, column: str) -> tuple[str, ...]:
        """The spellings of a missing cell in this column.

        >>> Dialect(null_values_of={"age": ("", "NA")}).nulls("age")
        ('', 'NA')
        """
        return self.null_values_of.get(column, self.null_values)


@dataclass(frozen=True)
class Spelling:
    """How one column's values were spelled in text.

    Numbers: the fewest and most decimals met (None where exponents or the like make them meaningless). Truth
    values: the two words for true and false. Points in time: the pattern. `blanks`: numbers may have them around.
    """

    fewest_decimals: int | None = None
    most_decimals: int | None = None
    words: tuple[str, str] | None = None
    pattern: str | None = None
    blanks: bool = True


@dataclass(frozen=True)
class Annotation:
    """What a statistics package says about one variable.

    `missing` holds the user-declared missing ranges, each (lowest, highest), of SPSS; in Stata the letters of the
    tagged missing values used. `measure` is SPSS's nominal, ordinal, scale or unknown; `storage` the width of
    the stored number.
    """

    label: str | None = None
    value_labels: tuple[tuple[float | str, str], ...] = ()
    missing: tuple[tuple[float | str, float | str], ...] = ()
    letters: tuple[str, ...] = ()
    number_format: str | None = None
    measure: str | None = None
    storage: str | None = None
    display_width: int | None = None


@dataclass(frozen=True)
class FileFormat:
    """The flavour of a file.

    `version` is the release of a Stata file. Parts that do not concern the kind keep their defaults.
    """

    kind: Kind
    compression: str | None = None
    dialect: Dialect = Dialect()
    spellings: Mapping[str, Spelling] = field(default_factory=dict)
    annotations: Mapping[str, Annotation] = field(default_factory=dict)
    label: str | None = None
    version: int | None = None


@dataclass(frozen=True)
class Content:
    """What one file family found in a file.

    `notes` speak of columns, `remarks` of the file; `suspects` are columns of text that would be numbers but for
    well-known words for missing, with those words.
    """

    frame: pl.DataFrame
    format: FileFormat
    notes: Mapping[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    suspects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def ending_of(path: Path) -> tuple[str, str | None]:
    """The ending that names the kind of file, and the compression around it.

    >>> ending_of(Path("visits.CSV.gz"))
    ('.csv', 'gzip')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = "gzip" if suffixes and suffixes[-1] == ".gz" else None
    if compression:
        suffixes.pop()
    return (suffixes[-1] if suffixes else ""), compression


def kind_of(path: Path) -> Kind:
    """The kind of file that the ending of a path promises.

    >>> kind_of(Path("survey.sav"))
    'sav'
    """
    ending, compression = ending_of(path)
    kind = ENDINGS.get(ending)
    if kind is None:
        known = ", ".join(ENDINGS)
        raise FileError(
            f"File '{path.name}' has no ending that says what it is. Known endings: {known}; .gz after text."
        )
    if compression and kind != "delimited":
        raise FileError(f"File '{path.name}': .gz is understood around delimited text only. Unpack it first.")
    return kind


def check_names(names: list[str], where: str) -> None:
    """Refuse column names that are empty or stand twice."""
    blank = [position + 1 for position, name in enumerate(names) if not name.strip()]
    if blank:
        raise FileError(f"{where}: column {_listed(blank)} has no name. Give every column a name.")
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        quoted = _listed([f"'{name}'" for name in twice])
        raise FileError(f"{where}: column name {quoted} stands more than once. Rename all but one.")


def _listed(items: list[int] | list[str], most: int = 10) -> str:
    shown = ", ".join(str(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"


def refuse_columns(columns: list[str], where: str, fault: str, remedy: str) -> None:
    """Raise a FileError which names the columns, if there are any."""
    if columns:
        names = _listed([f"'{name}'" for name in columns])
        raise FileError(f"{where}: {fault}: {names}. {remedy}")
