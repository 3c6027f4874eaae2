"""What every paper's tables are printed as: sheets of entries, each with the lines of several sources.

A module for a paper has `PAPER`, and `sheets(data, quick)`, which yields sheets as they are ready. Its numbers stand
beside the paper's and, where there are some, the reference's: numbers of an independent computation, kept beside the data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Paper:
    """A paper and the files of data that its tables need."""

    name: str
    title: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Line:
    """One source's numbers; None where it has none. `wrong` marks those outside what is allowed."""

    source: str
    values: tuple[float | None, ...]
    wrong: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A row of a table: its label and what each source has for it."""

    label: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Sheet:
    """One table, with the readings behind it: what the paper leaves open, and what was chosen."""

    title: str
    columns: tuple[str, ...]
    entries: tuple[Entry, ...]
    readings: tuple[str, ...] = ()
    decimals: int = 1


class PaperModule(Protocol):
    """A module of this package that makes a paper's tables."""

    PAPER: Paper

    def sheets(self, data: Path, quick: bool) -> Iterator[Sheet]:
        """The tables, each as soon as it is ready."""
        ...


def data_home() -> Path | None:
    """The folder of real tables: $DISCREET_DATA, or ../shared/data beside the project."""
    for candidate in (os.environ.get("DISCREET_DATA"), ROOT.parent / "shared" / "data"):
        if candidate and Path(candidate).is_dir():
            return Path(candidate)
    return None


def reference_numbers(data: Path, name: str) -> Any:
    """The reference numbers beside the data; an empty table where they are not there."""
    path = data.parent / "golden" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def as_text(sheet: Sheet) -> str:
    """A sheet in columns of plain text.

    >>> print(as_text(Sheet("T", ("a",), (Entry("x", (Line("paper", (1.0,)), Line("ours", (1.26,), (True,)))),))))
    T
                            a
    x     paper           1.0
          ours            1.3!
    1 of 1 figures outside what is allowed (!)
    """
    wide = max([len(entry.label) for entry in sheet.entries] + [4]) + 2
    lines = [sheet.title, " " * (wide + 10) + "".join(f"{column:>9} " for column in sheet.columns)]
    for entry in sheet.entries:
        labels = (entry.label, *[""] * len(entry.lines))
        for label, line in zip(labels, entry.lines, strict=False):
            lines.append(f"{label:{wide}}{line.source:10}{''.join(_cells(line, sheet.decimals))}")
    readings = (f"  reading: {reading}" for reading in sheet.readings)
    return "\n".join(line.rstrip() for line in (*lines, *_judged(sheet), *readings))


def _cells(line: Line, decimals: int) -> Iterator[str]:
    marks = line.wrong or (False,) * len(line.values)
    for value, wrong in zip(line.values, marks, strict=True):
        yield f"{'-' if value is None else f'{value:,.{decimals}f}':>9}{'!' if wrong else ' '}"


def _judged(sheet: Sheet) -> Sequence[str]:
    marks = [mark for entry in sheet.entries for line in entry.lines for mark in line.wrong]
    if not marks:
        return ()
    return (f"{sum(marks)} of {len(marks)} figures outside what is allowed (!)",)
