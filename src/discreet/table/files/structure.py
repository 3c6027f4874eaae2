"""The shape of delimited text: how many records, and whether every line has its fields.

A parser that fills up short lines in silence would shift nobody's data visibly; so the shape is proved before
parsing. Where no quotation mark occurs, counting delimiters and lines is proof enough (the parser itself refuses lines
that are too long); elsewhere every line is measured. Line numbers are looked for only once a fault is known.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Ints
from discreet.errors import FileError

_NEWLINE, _RETURN, _NO_BYTE = 10, 13, -1
_SHOWN = 5


@dataclass
class Tally:
    """Counts over a whole text: enough to prove a text without quotation marks rectangular."""

    lines: int = 0
    delimiters: int = 0
    quotes: int = 0
    blank_at_end: int = 0


def tally(blocks: Iterable[bytes], delimiter: bytes, quote: bytes) -> Tally:
    r"""Count lines, delimiters and quotation marks, and the blank lines at the very end.

    >>> tally([b"a,b\n1,", b"2\n\n"], b",", b'"')
    Tally(lines=3, delimiters=2, quotes=0, blank_at_end=1)
    """
    counts, end = Tally(), b"\n"
    for block in blocks:
        letters = np.frombuffer(block, np.uint8)
        counts.lines += int(np.count_nonzero(letters == _NEWLINE))
        counts.delimiters += int(np.count_nonzero(letters == delimiter[0]))
        counts.quotes += block.count(quote)
        end = (end + block)[-(1 << 16) :]
    counts.lines += not end.endswith(b"\n")
    plain = end.replace(b"\r\n", b"\n")
    counts.blank_at_end = max(len(plain) - len(plain.rstrip(b"\n")) - 1, 0)
    return counts


@dataclass
class Shape:
    """What measuring every line found.

    `quoted`: some field stands in quotation marks; `stray_at`: the byte where the first mark stands that is neither at
    the border of a field nor doubled.
    """

    records: int = 0
    uneven: int = 0
    first_uneven: int | None = None
    quoted: bool = False
    stray_at: int | None = None
    open_at_end: bool = False

    def is_rectangular(self, blank_at_end: int) -> bool:
        """Whether every record has its fields, blank lines at the end apart."""
        if self.stray_at is not None or self.open_at_end:
            return False
        return self.uneven == 0 or (
            self.uneven <= blank_at_end and self.first_uneven == self.records - self.uneven
        )


class _Ruler:
    """Measures the records of a text block by block; `shape` is the result after the last block."""

    def __init__(self, delimiter: str, quote: str | None, n_fields: int) -> None:
        self.shape = Shape()
        self._delimiter, self._quote, self._n_fields = (
            ord(delimiter),
            ord(quote) if quote else _NO_BYTE,
            n_fields,
        )
        self._fields, self._bytes = 1, 0  # of the record that is still open
        self._inside, self._previous, self._just_closed = False, _NEWLINE, False
        self._offset = 0  # bytes in earlier blocks

    def measure(self, block: NDArray[np.uint8]) -> None:
        """Take the next bytes into account."""
        ends, delimiters = np.flatnonzero(block == _NEWLINE), np.flatnonzero(block == self._delimiter)
        if self._quote != _NO_BYTE:
            marks = np.flatnonzero(block == self._quote)
            inside = self._inside
            self._check_marks(block, marks)
            ends = ends[_is_outside(ends, marks, inside)]
            delimiters = delimiters[_is_outside(delimiters, marks, inside)]
        before = np.searchsorted(delimiters, ends)
        fields = np.diff(before, prepend=0) + 1
        if ends.size:
            fields[0] += self._fields - 1
            self._settle(fields)
            self._fields, self._bytes = 1, -int(ends[-1]) - 1
        self._fields += delimiters.size - (int(before[-1]) if ends.size else 0)
        self._bytes += block.size
        self._previous = int(block[-1])

    def finish(self) -> Shape:
        """The shape, with the last record, which may lack its line end."""
        if self._bytes:
            self._settle(np.array([self._fields]))
        self.shape.open_at_end = self._inside
        return self.shape

    def _settle(self, fields: Ints) -> None:
        uneven = np.flatnonzero(fields != self._n_fields)
        if uneven.size and self.shape.first_uneven is None:
            self.shape.first_uneven = self.shape.records + int(uneven[0])
        self.shape.uneven += uneven.size
        self.shape.records += fields.size

    def _check_marks(self, block: NDArray[np.uint8], marks: Ints) -> None:
        """A mark opens a field after a delimiter or line end, and closes one before these; doubled it is text."""
        opening, closing = (marks[1::2], marks[::2]) if self._inside else (marks[::2], marks[1::2])
        if self._just_closed:  # the last byte of the block before
            closing = np.append(-1, closing)
        within = closing[closing + 1 < block.size]
        preceding = np.where(opening > 0, block[opening - 1], self._previous)
        borders = [self._delimiter, _NEWLINE, self._quote]
        self.shape.quoted |= bool(np.isin(preceding, borders[:2]).any())
        wrong_opening = opening[~np.isin(preceding, borders)]
        wrong_closing = within[~np.isin(block[within + 1], [*borders, _RETURN])]
        if self.shape.stray_at is None and wrong_opening.size + wrong_closing.size:
            self.shape.stray_at = self._offset + int(min(*wrong_opening[:1], *wrong_closing[:1], block.size))
        self._inside ^= bool(marks.size % 2)
        self._just_closed = bool(closing.size and closing[-1] == block.size - 1)
        self._offset += block.size


def _is_outside(positions: Ints, marks: Ints, inside: bool) -> Bools:
    # An even number of marks before a position leaves it where the block began.
    outside: Bools = np.searchsorted(marks, positions) % 2 == int(inside)
    return outside


def measure(blocks: Iterable[bytes], delimiter: str, quote: str | None, n_fields: int) -> Shape:
    r"""Count the records (header included) and those without exactly `n_fields` fields.

    >>> measure([b'a,b\n1,"x\n', b'y"\n2\n'], ",", '"', 2)
    Shape(records=3, uneven=1, first_uneven=2, quoted=True, stray_at=None, open_at_end=False)
    """
    ruler = _Ruler(delimiter, quote, n_fields)
    for block in blocks:
        ruler.measure(np.frombuffer(block, np.uint8))
    return ruler.finish()


def explain_stray_mark(blocks: Iterable[bytes], offset: int, where: str) -> FileError:
    """Say on which line the quotation mark stands that makes no sense."""
    line = 1
    for block in blocks:
        line += block[: max(offset, 0)].count(b"\n")
        offset -= len(block)
    return FileError(
        f"{where}, line {line}: a quotation mark stands inside a cell. Put the whole cell in quotation marks, and "
        "double those that belong to its text."
    )


def explain_unevenness(
    blocks: Iterable[bytes], delimiter: str, quote: str | None, n_fields: int, where: str
) -> FileError:
    """Walk line by line to say which lines break the shape; slow, and only called once it is known to be broken."""
    lines = _lines(blocks)
    if quote is None:
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    else:
        reader = csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True)
    uneven: list[tuple[int, int]] = []
    count, start = 0, 1
    try:
        for record in reader:
            if len(record) != n_fields:
                count += 1
                uneven.append((start, len(record)))
                del uneven[_SHOWN:]
            start = reader.line_num + 1
    except csv.Error:
        return FileError(
            f"{where}: the quotation marks of the record that begins on line {start} do not match. Close the "
            "field, and double each quotation mark that belongs to a text."
        )
    if not uneven:
        return FileError(
            f"{where} cannot be read as delimited text. Check that it is whole, or give its delimiter."
        )
    return FileError(_uneven_message(uneven, count, n_fields, where))


def _uneven_message(uneven: list[tuple[int, int]], count: int, n_fields: int, where: str) -> str:
    shown = ", ".join(f"line {line} ({found or 'blank'})" for line, found in uneven)
    rest = f" and {count - len(uneven)} more" if count > len(uneven) else ""
    return (
        f"{where}: the header has {n_fields} fields, but {count} line{'s have' if count > 1 else ' has'} another "
        f"number of them: {shown}{rest}. Repair these lines, or give the delimiter if it was not recognised."
    )


def _lines(blocks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        yield from (line.decode("utf-8") + "\n" for line in lines)
    if rest:
        yield rest.decode("utf-8")
