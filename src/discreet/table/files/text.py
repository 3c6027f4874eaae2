"""Bytes of a text file as UTF-8, whatever encoding or compression they came in.

Plain UTF-8 stays on the disk and is handed on as a path; anything else is unpacked or transcoded into memory, never
into a temporary file, since the contents are confidential.
"""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from discreet.errors import FileError
from discreet.table.files.memory import demand_memory

BLOCK = 1 << 20
_NEWLINE = 10
_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_MAGIC = (
    (b"PK\x03\x04", "an Excel workbook or a zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"$FL", "an SPSS file"),
    (b"<stata_dta>", "a Stata file"),
    (b"HEADER RECORD*******LIB", "a SAS transport file"),
)


@dataclass(frozen=True)
class Utf8Text:
    """A text in UTF-8: the path of a plain file, or bytes in memory. `skip`: bytes of a byte order mark."""

    source: Path | bytes
    encoding: str
    bom: bool
    skip: int = 0
    remarks: tuple[str, ...] = ()

    def size(self) -> int:
        """Bytes of the text."""
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    def blocks(self) -> Iterator[bytes]:
        """The bytes in pieces, without the byte order mark."""
        if isinstance(self.source, bytes):
            for start in range(0, len(self.source), BLOCK):
                yield self.source[start : start + BLOCK]
        else:
            with open(self.source, "rb") as file:
                file.seek(self.skip)
                yield from iter(lambda: file.read(BLOCK), b"")


def utf8_text(path: Path, compression: str | None, encoding: str | None, where: str) -> Utf8Text:
    """Open a text; detect its encoding if none is given; refuse what is no text or does not decode."""
    head = _head(path, compression, where)
    _refuse_binary(head, where)
    bom, marked = _byte_order_mark(head)
    found = _agreed(encoding, marked, where) or _detected(path, compression, head, where)
    plain = compression is None and found == "utf-8" and _line_ending_usable(head)
    if plain:
        if encoding or bom:  # else the detection has decoded it all
            _check_decodes(_raw_blocks(path, compression, where), "utf-8", len(bom), where)
        return Utf8Text(path, "utf-8", bool(bom), len(bom))
    raw = _raw_blocks(path, compression, where)
    return Utf8Text(_transcoded(raw, found, len(bom), where), found, bool(bom), 0, _remarks(encoding, found))


def _head(path: Path, compression: str | None, where: str) -> bytes:
    head = next(_raw_blocks(path, compression, where), b"")
    if not head:
        raise FileError(f"{where} is empty: it has no header line and no records.")
    return head


def _refuse_binary(head: bytes, where: str) -> None:
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise FileError(
                f"{where} is not delimited text: it begins like {what}. Give it the ending of what it is."
            )
    if b"\x00" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")) and not _looks_utf16(head):
        raise FileError(
            f"{where} is not delimited text: it contains zero bytes. Check what kind of file it is."
        )


def _looks_utf16(head: bytes) -> bool:
    # Latin text in UTF-16 has a zero in every second byte, a binary file anywhere.
    sample = head[: 1 << 12]
    return min(sample[::2].count(0), sample[1::2].count(0)) == 0 and sample.count(0) > len(sample) // 4


def _byte_order_mark(head: bytes) -> tuple[bytes, str | None]:
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return mark, encoding
    return b"", None


def _agreed(given: str | None, marked: str | None, where: str) -> str | None:
    """The encoding given or marked; None if neither. A mark and a statement must not contradict each other."""
    if given is None:
        return marked
    try:
        name = codecs.lookup(given).name
    except LookupError:
        raise FileError(
            f"{where}: there is no encoding '{given}'. Examples: utf-8, cp1252, latin-1, utf-16."
        ) from None
    name = "utf-8" if name == "utf-8-sig" else name
    if marked and not marked.startswith(name):
        raise FileError(
            f"{where} is marked as {marked}, but encoding '{given}' was given. Leave the encoding out."
        )
    return marked or name


def _detected(path: Path, compression: str | None, head: bytes, where: str) -> str:
    if b"\x00" in head:
        raise FileError(
            f"{where} looks like UTF-16 without a mark. Give encoding='utf-16-le' or 'utf-16-be'."
        )
    for encoding in ("utf-8", "cp1252"):
        if _decodes(_raw_blocks(path, compression, where), encoding, where):
            return encoding
    return "latin-1"


def _decodes(blocks: Iterator[bytes], encoding: str, where: str) -> bool:
    try:
        _check_decodes(blocks, encoding, 0, where)
    except _Undecodable:
        return False
    return True


def _remarks(given: str | None, found: str) -> tuple[str, ...]:
    if given is None and found in ("cp1252", "latin-1"):
        return (f"The text is not UTF-8; it was read as {found}. Give the encoding if letters look wrong.",)
    return ()


def _line_ending_usable(text: bytes) -> bool:
    # The parser wants a line feed; a lone carriage return ended lines on old Macintosh computers.
    return b"\n" in text or b"\r" not in text


def _raw_blocks(path: Path, compression: str | None, where: str) -> Iterator[bytes]:
    with open(path, "rb", buffering=0) as file:
        yield from (_unpacked(file, where) if compression else iter(lambda: file.read(BLOCK), b""))


def _unpacked(file: IO[bytes], where: str) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=file) as unpacking:
            yield from iter(lambda: unpacking.read(BLOCK), b"")
    except (OSError, EOFError, zlib.error):
        raise FileError(
            f"{where} is not a whole gzip archive: it is damaged or cut off. Fetch it again."
        ) from None


class _Undecodable(FileError):
    """Bytes that mean nothing in the encoding."""

    def __init__(self, where: str, encoding: str, offset: int, line: int) -> None:
        super().__init__(
            f"{where} is not {encoding} text: byte {offset} (line {line}) cannot be decoded. Give its encoding."
        )


def _check_decodes(blocks: Iterator[bytes], encoding: str, skip: int, where: str) -> None:
    for _ in _decoded(blocks, encoding, skip, where):
        pass


def _decoded(blocks: Iterator[bytes], encoding: str, skip: int, where: str) -> Iterator[str]:
    """The text in pieces; `skip` bytes at the start are a mark."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, done = 1, 0
    for block in itertools.chain(blocks, [b""]):
        body = block if done else block[skip:]
        waiting = len(decoder.getstate()[0])
        try:
            text = decoder.decode(body, final=not block)
        except UnicodeDecodeError as fault:
            lines += body[: max(fault.start - waiting, 0)].count(b"\n")
            raise _Undecodable(where, encoding, max(done, skip) - waiting + fault.start, lines) from None
        if "\x00" in text:
            raise FileError(
                f"{where} is not delimited text: it holds zero characters. Check what kind of file it is."
            )
        lines += int(np.count_nonzero(np.frombuffer(body, np.uint8) == _NEWLINE))
        done += len(block)
        yield text


def _transcoded(blocks: Iterator[bytes], encoding: str, skip: int, where: str) -> bytes:
    whole = io.BytesIO()
    for text in _decoded(blocks, encoding, skip, where):
        demand_memory(float(whole.tell()) + 4 * len(text), where)  # growing may copy what is there
        whole.write(text.encode("utf-8"))
    body = whole.getvalue()
    return body if _line_ending_usable(body) else body.replace(b"\r", b"\n")
