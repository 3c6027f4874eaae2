"""SPSS, Stata and SAS files, by the optional package pyreadstat.

What these programs say of a variable (labels, user-declared missing values, formats) travels as `Annotation`s. They
have no missing text but the empty one, so empty texts are read as missing. Numbers with tagged missing values (Stata's
.a to .z) are read as text with the tag as these programs write it, so that a tag is a cell like any other: a code for
missing that a schema declares, a method treats and a checker sees. Written back, they are numbers and tags again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from discreet.errors import FileError
from discreet.table.cells import code_text
from discreet.table.files.format import Annotation, Content, FileFormat, Kind, check_names
from discreet.table.files.memory import demand_memory
from discreet.table.files.packages_limits import refuse_unwritable
from discreet.table.patterns import is_number

_READERS: Mapping[str, str] = {
    "sav": "read_sav",
    "dta": "read_dta",
    "xpt": "read_xport",
    "sas7bdat": "read_sas7bdat",
}
_PROGRAMS: Mapping[str, str] = {"sav": "SPSS", "dta": "Stata", "xpt": "SAS transport", "sas7bdat": "SAS"}
_BYTES_PER_CELL = 60  # the cells pass through Python objects
_INT32 = 2_147_483_620  # Stata keeps the numbers above for its missing values
# Stata's releases by the number in the file, and the version that writes each; 119 is for its largest edition only.
_STATA_VERSIONS: Mapping[int, int] = {113: 8, 114: 10, 115: 12, 117: 13, 118: 14, 119: 14}
_WHOLE_FORMAT = re.compile(r"F\d+\.0")
_TEXT_FORMAT = re.compile(r"%?-?(A|\$|\d+s)")
_TAG = re.compile(r"\.([A-Za-z_])")
_TAGGED_DATES = "Dates stand beside tagged missing values: all tags were read as empty cells."
_STAMPS = (
    (re.compile(rb"(?<=<timestamp>\x11)[ -~]{17}"), b"01 Jan 1980 00:00"),
    (re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d"), b"01JAN80:00:00:00"),
)


def read_package(path: Path, kind: Kind) -> Content:
    """Read a whole file of a statistics package."""
    where = f"File '{path.name}'"
    pyreadstat = _required()
    reader = getattr(pyreadstat, _READERS[kind])
    options = {} if kind == "xpt" else {"user_missing": True}
    remarks: tuple[str, ...] = ()
    try:
        _, facts = reader(str(path), metadataonly=True, output_format="polars")
        demand_memory(_BYTES_PER_CELL * (facts.number_rows or 0) * (facts.number_columns or 0), where)
        check_names(list(facts.column_names), where)
        try:
            frame, facts = reader(str(path), output_format="polars", **options)
        except pl.exceptions.PolarsError:  # pyreadstat has no dates beside tags
            frame, facts = reader(str(path), output_format="polars")
            remarks = (_TAGGED_DATES,)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OverflowError, UnicodeDecodeError):
        raise FileError(
            f"{where} is not a whole {_PROGRAMS[kind]} file, or is damaged. Save it again there."
        ) from None
    if frame.height == 0:
        raise FileError(f"{where} has variables but no records.")
    annotations = {name: _annotation(name, facts) for name in frame.columns}
    values = [_values(frame[name], annotations[name]) for name in frame.columns]
    format = FileFormat(
        kind, annotations=annotations, label=facts.file_label or None, version=_stata_version(path, kind)
    )
    return Content(pl.DataFrame(values), format, remarks=remarks)


def write_package(frame: pl.DataFrame, target: Path, format: FileFormat, where: str) -> None:
    """Write a frame to `target`, which is overwritten."""
    pyreadstat = _required()
    frame = frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    tags = {name: _letters(frame[name]) for name in _tagged_columns(frame, format)}
    frame = frame.with_columns(_numbers(frame[name]) for name in tags)
    refuse_unwritable(frame, format.kind, where)
    prepared = pl.DataFrame([_stored(frame[name], format.kind, tags.get(name)) for name in frame.columns])
    options = _OPTIONS[format.kind](prepared, format, tags)
    labels = {name: note.label for name, note in _annotations(prepared, format).items() if note.label}
    try:
        getattr(pyreadstat, _WRITERS[format.kind])(
            prepared, str(target), file_label=format.label or "", column_labels=labels, **options
        )
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        program = _PROGRAMS[format.kind]
        raise FileError(
            f"{where}: {program} files cannot hold this table. Write Parquet or CSV instead."
        ) from None
    _fix_time_stamps(target, format.kind)


def _required() -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise FileError(
            "SPSS, Stata and SAS files need the package pyreadstat: pip install 'discreet[stats-packages]'."
        ) from None
    return pyreadstat


def _annotation(name: str, facts: Any) -> Annotation:
    ranges = facts.missing_ranges.get(name, ())
    return Annotation(
        label=facts.column_names_to_labels.get(name) or None,
        value_labels=tuple(facts.variable_value_labels.get(name, {}).items()),
        missing=tuple((each["lo"], each["hi"]) for each in ranges),
        letters=tuple(facts.missing_user_values.get(name, ())),
        number_format=facts.original_variable_types.get(name),
        measure=facts.variable_measure.get(name),
        storage=facts.readstat_variable_types.get(name),
        display_width=facts.variable_display_width.get(name),
    )


def _tagged(mixed: pl.Series) -> pl.Series:
    """Numbers and the letters of tagged missing values as text: '31', '.a'."""
    cells = [f".{cell}" if isinstance(cell, str) else _spelled(cell) for cell in mixed]
    return pl.Series(mixed.name, cells, dtype=pl.String)


def _spelled(number: float | None) -> str | None:
    return None if number is None or number != number else code_text(float(number))


def _tagged_columns(frame: pl.DataFrame, format: FileFormat) -> list[str]:
    """Columns that had tags when they were read and still hold nothing but numbers and tags."""
    had = [name for name, note in _annotations(frame, format).items() if note.letters]
    texts = [name for name in had if frame.schema[name] == pl.String]
    return [
        name for name in texts if all(_TAG.fullmatch(c) or is_number(c) for c in frame[name].drop_nulls())
    ]


def _letters(tagged: pl.Series) -> pl.Series:
    """The letter where a cell is a tag, else null."""
    return tagged.str.extract(f"^{_TAG.pattern}$", 1)


def _numbers(tagged: pl.Series) -> pl.Series:
    """The number where a cell is one, else null."""
    return tagged.cast(pl.Float64, strict=False)


def _values(values: pl.Series, annotation: Annotation) -> pl.Series:
    if values.dtype == pl.Object:
        return _tagged(values)
    if values.dtype == pl.String:
        return values.replace("", None)
    if isinstance(values.dtype, pl.Datetime):
        return values.dt.round("1ms").cast(pl.Datetime("us"))
    whole = values.dtype == pl.Float64 and _WHOLE_FORMAT.fullmatch(annotation.number_format or "")
    if whole and (values == values.round()).all() and (values.abs() < 2**53).all():
        return values.cast(pl.Int64)
    if values.dtype == pl.Null:
        return values.cast(pl.String if annotation.storage == "string" else pl.Float64)
    return values


def _stata_version(path: Path, kind: Kind) -> int | None:
    if kind != "dta":
        return None
    with open(path, "rb") as file:
        start = file.read(40)
    release = re.search(rb"<release>(\d+)<", start)
    return _STATA_VERSIONS.get(int(release[1]) if release else start[0])


def _stored(values: pl.Series, kind: Kind, tags: pl.Series | None) -> pl.Series:
    """The values in a type that the package stores as it should."""
    if values.dtype == pl.Boolean:
        values = values.cast(pl.Int32)
    elif values.dtype.is_integer():
        small = kind == "dta" and bool((values.cast(pl.Int128).abs() <= _INT32).all())
        values = values.cast(pl.Int32 if small else pl.Float64)
    elif values.dtype.is_numeric() or values.dtype == pl.Null:
        values = values.cast(pl.Float64)
    if kind != "dta" or tags is None or tags.null_count() == len(tags):
        return values
    mixed = [letter if letter is not None else value for letter, value in zip(tags, values, strict=True)]
    return pl.Series(values.name, mixed, dtype=pl.Object)


def _annotations(frame: pl.DataFrame, format: FileFormat) -> dict[str, Annotation]:
    return {name: format.annotations[name] for name in frame.columns if name in format.annotations}


def _value_labels(
    frame: pl.DataFrame, format: FileFormat, letters: Mapping[str, Sequence[str]] | None = None
) -> dict[str, dict[Any, str]]:
    """Labels of values whose type is that of the column, and of the letters that it holds."""
    labels = {}
    for name, note in _annotations(frame, format).items():
        texts = frame.schema[name] == pl.String
        held = (letters or {}).get(name, ())
        kept = {
            value: label
            for value, label in note.value_labels
            if value in held or (isinstance(value, str) == texts and value not in note.letters)
        }
        if kept:
            labels[name] = _as_stored(kept, frame.schema[name])
    return labels


def _as_stored(labels: dict[Any, str], dtype: pl.DataType) -> dict[Any, str]:
    if not dtype.is_integer():
        return labels
    return {int(value) if isinstance(value, float) else value: label for value, label in labels.items()}


def _formats(frame: pl.DataFrame, format: FileFormat) -> dict[str, str]:
    """Number formats as they were; texts get the width they need, integers without one no decimals."""
    formats = {
        name: "F8.0" for name, dtype in frame.schema.items() if dtype.is_integer() and format.kind == "sav"
    }
    for name, note in _annotations(frame, format).items():
        if (
            note.number_format
            and frame.schema[name] != pl.String
            and not _TEXT_FORMAT.match(note.number_format)
        ):
            formats[name] = note.number_format
    return formats


def _sav_options(frame: pl.DataFrame, format: FileFormat, tags: Mapping[str, pl.Series]) -> dict[str, Any]:
    notes = _annotations(frame, format)
    numeric = {name for name, dtype in frame.schema.items() if dtype != pl.String}
    ranges = {
        name: [
            {"lo": low, "hi": high} for low, high in note.missing if isinstance(low, str) != (name in numeric)
        ]
        for name, note in notes.items()
    }
    return {
        "variable_value_labels": _value_labels(frame, format),
        "missing_ranges": {name: found for name, found in ranges.items() if found},
        "variable_measure": {name: note.measure for name, note in notes.items() if note.measure},
        "variable_display_width": {
            name: note.display_width for name, note in notes.items() if note.display_width
        },
        "variable_format": _formats(frame, format),
    }


def _dta_options(frame: pl.DataFrame, format: FileFormat, tags: Mapping[str, pl.Series]) -> dict[str, Any]:
    letters = {name: sorted(set(found.drop_nulls())) for name, found in tags.items()}
    return {
        "version": format.version or _STATA_VERSIONS[118],
        "variable_value_labels": _value_labels(frame, format, letters),
        "missing_user_values": {name: found for name, found in letters.items() if found},
        "variable_format": _formats(frame, format),
    }


def _xpt_options(frame: pl.DataFrame, format: FileFormat, tags: Mapping[str, pl.Series]) -> dict[str, Any]:
    return {"variable_format": _formats(frame, format)}


_WRITERS: Mapping[str, str] = {"sav": "write_sav", "dta": "write_dta", "xpt": "write_xport"}
_OPTIONS = {"sav": _sav_options, "dta": _dta_options, "xpt": _xpt_options}


def _fix_time_stamps(target: Path, kind: Kind) -> None:
    """Overwrite the time of writing in the header: the same data are the same bytes."""
    with open(target, "r+b") as file:
        header = file.read(2000)
        file.seek(0)
        file.write(_without_time(header, kind))


def _without_time(header: bytes, kind: Kind) -> bytes:
    if kind == "sav":
        return header[:92] + b"01 Jan 8000:00:00" + header[109:]
    if kind == "dta" and not header.startswith(b"<"):
        return header[:91] + b"01 Jan 1980 00:00" + header[108:]
    for pattern, fixed in _STAMPS:
        header = pattern.sub(fixed, header)
    return header
