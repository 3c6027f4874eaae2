"""Excel workbooks (.xlsx) in and out, by the optional packages fastexcel and xlsxwriter.

Excel keeps numbers with 15 to 16 digits, knows no difference between an empty cell and an empty text, and has one kind
of number. One sheet is one table: the first row holds the column names.
"""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import polars as pl

from discreet.errors import FileError
from discreet.table.files.format import Content, FileFormat, check_names, refuse_columns
from discreet.table.files.memory import demand_memory

_MOST_ROWS, _MOST_COLUMNS, _MOST_LETTERS = 1_048_576, 16_384, 32_767
_EXACT = 10**15
_FIRST_DAY = dt.date(1900, 3, 1)  # before it Excel counts a day that never was
_CREATED = dt.datetime(1980, 1, 1)
_MEMORY_FACTOR = 6.0  # of the unpacked sheets


def read_excel(path: Path) -> Content:
    """Read the first sheet of a workbook."""
    where = f"File '{path.name}'"
    fastexcel = _required("fastexcel")
    demand_memory(_MEMORY_FACTOR * _unpacked_size(path, where), where)
    try:
        workbook = fastexcel.read_excel(str(path))
        names = _header(workbook)
        check_names(names, where)
        sheet = workbook.load_sheet(0, schema_sample_rows=None, skip_whitespace_tail_rows=True)
        frame = sheet.to_polars()
    except fastexcel.FastExcelError:
        raise FileError(
            f"{where} is not a whole Excel workbook. Open it in Excel and save it again."
        ) from None
    if frame.height == 0:
        raise FileError(f"{where} has a header row but no records.")
    frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    return Content(_plain(frame), FileFormat("excel"), remarks=_remarks(workbook.sheet_names))


def write_excel(frame: pl.DataFrame, target: Path, where: str) -> None:
    """Write a frame to `target`, which is overwritten."""
    xlsxwriter = _required("xlsxwriter")
    frame = frame.with_columns(pl.col(pl.Categorical, pl.Enum).cast(pl.String))
    _refuse_unwritable(frame, where)
    # In memory: the contents must not pass through the folder of temporary files. Texts stay texts: no formulas, links.
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(str(target), options) as workbook:
        workbook.set_properties({"created": _CREATED})
        sheet = workbook.add_worksheet("data")
        for number, name in enumerate(frame.columns):
            sheet.write_string(0, number, name)
            _write_column(workbook, sheet, number, frame[name])


def _required(package: str) -> Any:
    try:
        return __import__(package)
    except ImportError:
        raise FileError(f"Excel files need the package {package}: pip install 'discreet[excel]'.") from None


def _unpacked_size(path: Path, where: str) -> int:
    try:
        with zipfile.ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    except (zipfile.BadZipFile, OSError):
        raise FileError(
            f"{where} is not a whole Excel workbook (.xlsx). Open it in Excel and save it again."
        ) from None


def _header(workbook: Any) -> list[str]:
    row = workbook.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars()
    return [name or "" for name in row.row(0)] if row.height else []


def _remarks(sheets: list[str]) -> tuple[str, ...]:
    if len(sheets) == 1:
        return ()
    return (f"The workbook has {len(sheets)} sheets; only the first was read.",)


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Whole numbers as integers, midnights as dates: Excel itself knows neither."""
    return frame.with_columns(_plain_column(frame[name]) for name in frame.columns)


def _plain_column(values: pl.Series) -> pl.Series:
    if values.dtype == pl.Float64 and values.count() and _is_whole(values):
        return values.cast(pl.Int64)
    if isinstance(values.dtype, pl.Datetime):
        midnight = values.count() and bool((values.dt.time() == dt.time()).all())
        return values.cast(pl.Date) if midnight else values.cast(pl.Datetime("us"))
    return values.cast(pl.String) if values.dtype == pl.Null else values


def _is_whole(values: pl.Series) -> bool:
    return bool(((values.abs() <= _EXACT) & (values == values.round())).all())


def _refuse_unwritable(frame: pl.DataFrame, where: str) -> None:
    if frame.height >= _MOST_ROWS or frame.width > _MOST_COLUMNS:
        raise FileError(
            f"{where}: Excel holds {_MOST_ROWS - 1} records of {_MOST_COLUMNS} columns. Write Parquet or CSV."
        )
    elsewhere = "Write Parquet or CSV, or change these columns."
    for fault, test in _FAULTS.items():
        refuse_columns([name for name in frame.columns if test(frame[name])], where, fault, elsewhere)


def _is_unknown(values: pl.Series) -> bool:
    known = (pl.String, pl.Boolean, pl.Date, pl.Null)
    naive = isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone is None
    return not (values.dtype.is_numeric() or values.dtype in known or naive)


def _is_too_long(values: pl.Series) -> bool:
    return values.dtype == pl.String and bool((values.str.len_chars() > _MOST_LETTERS).any())


def _is_too_large(values: pl.Series) -> bool:
    return values.dtype.is_integer() and bool((values.cast(pl.Int128).abs() > _EXACT).any())


def _is_not_finite(values: pl.Series) -> bool:
    return values.dtype.is_float() and not values.is_finite().all()


def _is_too_early(values: pl.Series) -> bool:
    return values.dtype.is_temporal() and bool((values.cast(pl.Date) < _FIRST_DAY).any())


_FAULTS = {
    "Excel has no cells of this type": _is_unknown,
    f"texts are longer than Excel's {_MOST_LETTERS} characters": _is_too_long,
    "integers have more than the 15 digits that Excel keeps": _is_too_large,
    "numbers are infinite or not a number": _is_not_finite,
    "dates lie before Excel's first, 1 March 1900": _is_too_early,
}


def _write_column(workbook: Any, sheet: Any, number: int, values: pl.Series) -> None:
    write, style = sheet.write_number, None
    if values.dtype == pl.String:
        write = sheet.write_string
    elif values.dtype == pl.Boolean:
        write = sheet.write_boolean
    elif values.dtype.is_temporal():
        write = sheet.write_datetime
        day_only = values.dtype == pl.Date
        style = workbook.add_format({"num_format": "yyyy-mm-dd" if day_only else "yyyy-mm-dd hh:mm:ss.000"})
    for row, value in enumerate(values, start=1):
        if value is not None:
            write(row, number, value, style)
