"""What a command prints: rich tables and colours on a terminal, plain aligned text anywhere else."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

STYLES = {"good": "green", "bad": "bold red", "look": "yellow", "title": "bold", "faint": "dim", "": ""}


class Page:
    """Writes to one stream; knows whether a person is looking at it."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self._console = Console(file=self._stream, highlight=False) if self._stream.isatty() else None

    def line(self, text: str = "", style: str = "", *, indent: int = 0) -> None:
        """One line; on a terminal wrapped between words, later lines under the first."""
        text = printable(text)
        if self._console is None:
            self._stream.write(" " * indent + text + "\n")
            return
        wrapped = textwrap.fill(
            text,
            width=max(self._console.width, 40),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + 2),
            break_long_words=False,
            break_on_hyphens=False,
        )
        self._console.print(Text(wrapped, style=STYLES[style]), soft_wrap=True)

    def title(self, text: str) -> None:
        self.line()
        self.line(text, "title")

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Rows under headers; the last column takes what room is left."""
        cells = [[printable(cell) for cell in row] for row in rows]
        if self._console:
            table = Table(*headers, box=None, pad_edge=False, header_style="dim")
            for row in cells:
                table.add_row(*(Text(cell) for cell in row))
            self._console.print(table)
            return
        for row_text in plain_rows([list(headers), *cells]):
            self._stream.write(row_text + "\n")


def plain_rows(rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns as text.

    >>> plain_rows([["column", "role"], ["age", "quasi"]])
    ['column  role', 'age     quasi']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (zip(row, widths, strict=True) for row in rows)
    return ["  ".join(cell.ljust(width) for cell, width in row).rstrip() for row in padded]


def printable(text: str) -> str:
    """Text on one line, without characters that would steer a terminal: names of columns come from files.

    >>> printable("pay\\x1b[2J")
    'pay\ufffd[2J'
    """
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text.replace("\n", " "))


def amount_of_bytes(n_bytes: float) -> str:
    """
    >>> amount_of_bytes(331_680_000)
    '330 MB'
    """
    if n_bytes >= 1e9:
        return f"{n_bytes / 1e9:.1f} GB"
    return f"{max(round(n_bytes / 1e7), 1) * 10} MB"


def amount_of_time(seconds: float) -> str:
    """
    >>> amount_of_time(0.4), amount_of_time(42), amount_of_time(200), amount_of_time(9000)
    ('under a second', 'about 42 seconds', 'about 3 minutes', 'about 2.5 hours')
    """
    if seconds < 1:
        return "under a second"
    if seconds < 90:
        return f"about {max(round(seconds), 2)} seconds"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"
