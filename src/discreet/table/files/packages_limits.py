"""What files of statistics packages cannot hold, refused before writing rather than changed in silence."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from discreet.errors import FileError
from discreet.table.files.format import Kind, refuse_columns

_EXACT = 2**53


@dataclass(frozen=True)
class _Limits:
    """Of one package: names, their longest, the longest text in bytes, the largest and smallest numbers."""

    name: re.Pattern[str]
    name_bytes: int
    text_bytes: int
    largest: float
    smallest: float
    one_case: bool


_LIMITS = {
    "sav": _Limits(re.compile(r"[^\W\d_][\w.$#@]*(?<![.])"), 64, 32_767, 1.79e308, 0.0, True),
    "dta": _Limits(re.compile(r"[^\W\d][\w]*"), 32, 2_045, 8.98e307, 0.0, False),
    "xpt": _Limits(re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), 32, 200, 7.2e75, 5.4e-79, True),
}


def refuse_unwritable(frame: pl.DataFrame, kind: Kind, where: str) -> None:
    """Raise a FileError naming the columns that this kind of file cannot hold unchanged."""
    limits = _LIMITS[kind]
    bad = [name for name in frame.columns if not _is_name(name, limits)]
    rule = f"at most {limits.name_bytes} bytes of letters, digits and underscores, a letter first"
    refuse_columns(bad, where, f"column names do not follow the package's rules ({rule})", "Rename them.")
    if limits.one_case and len({name.upper() for name in frame.columns}) < frame.width:
        raise FileError(f"{where}: some column names differ in upper and lower case only. Rename them.")
    for fault, test in _faults(limits).items():
        bad = [name for name in frame.columns if test(frame[name])]
        refuse_columns(bad, where, fault, "Change these columns, or write Parquet or CSV.")


def _is_name(name: str, limits: _Limits) -> bool:
    return bool(limits.name.fullmatch(name)) and len(name.encode("utf-8")) <= limits.name_bytes


def _faults(limits: _Limits) -> dict[str, Callable[[pl.Series], bool]]:
    return {
        "the package has no such type": _is_unknown,
        f"texts are longer than {limits.text_bytes} bytes": lambda values: _is_long(
            values, limits.text_bytes
        ),
        "integers are larger than the package keeps exactly": _is_large,
        "numbers are infinite, not a number, or out of the package's range": lambda values: _is_wild(
            values, limits
        ),
        "times are finer than a millisecond": _is_fine,
    }


def _is_unknown(values: pl.Series) -> bool:
    dtype = values.dtype
    zoned = isinstance(dtype, pl.Datetime) and dtype.time_zone is not None
    plain = dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Null)
    return zoned or not plain


def _is_long(values: pl.Series, most: int) -> bool:
    return values.dtype == pl.String and bool((values.str.len_bytes() > most).any())


def _is_large(values: pl.Series) -> bool:
    return values.dtype.is_integer() and bool((values.cast(pl.Int128).abs() > _EXACT).any())


def _is_wild(values: pl.Series, limits: _Limits) -> bool:
    if not values.dtype.is_float():
        return False
    size = values.drop_nulls().abs()
    tame = size.is_finite() & (size <= limits.largest) & ((size == 0) | (size >= limits.smallest))
    return not tame.all()


def _is_fine(values: pl.Series) -> bool:
    if values.dtype == pl.Time:
        return bool((values.cast(pl.Int64) % 1_000_000 != 0).any())
    if not isinstance(values.dtype, pl.Datetime):
        return False
    return bool((values.dt.cast_time_unit("ns").cast(pl.Int64) % 1_000_000 != 0).any())
