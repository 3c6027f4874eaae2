"""Data as a person hands it over: a dataframe, or the path of a file. Files are loaded only when asked for."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetWarning, ParameterError
from discreet.table.frames import Frame, TextOf
from discreet.table.schema import Schema

if TYPE_CHECKING:
    from discreet.table.files.source import Source


@dataclass(frozen=True, eq=False)
class Opened:
    """A dataframe and what is known of where it came from.

    `text_of` spells a column as its file does; `labels` are value labels of SPSS, Stata and SAS files, where a code
    that the file declares missing is labelled as missing; `reading` are the arguments to read the file the same way
    again.
    """

    frame: Frame
    sha256: str | None = None
    text_of: TextOf | None = None
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    reading: Mapping[str, Any] = field(default_factory=dict)
    source: Source | None = None

    def guessed_schema(self) -> Schema:
        """What each column seems to be, from its cells and all that the file says of them."""
        return Schema.infer(self.frame, text_of=self.text_of, labels=self.labels)


def open_data(data: Frame | Opened | str | Path, *, warn: bool = True, **reading: Any) -> Opened:
    """A dataframe as it is, or a file read with `table.files.reading.read_file(path, **reading)`, once.

    What reading noticed of the whole file (a guessed encoding, say) is a warning, unless the caller shows it.
    """
    if isinstance(data, Opened):
        return data
    if not isinstance(data, (str, Path)):
        if reading:
            raise ParameterError(f"{', '.join(reading)}: only for files; the data are a dataframe already.")
        return Opened(data)
    from discreet.table.files.labels import labels_in
    from discreet.table.files.reading import read_file

    source = read_file(data, **reading)
    for remark in source.remarks if warn else ():
        warnings.warn(f"File '{source.path.name}': {remark}", DiscreetWarning, stacklevel=2)
    return Opened(
        frame=source.frame,
        sha256=source.sha256,
        text_of=_speller(source),
        labels=labels_in(source),
        reading=_stated(source, reading),
        source=source,
    )


def _speller(source: Source) -> TextOf:
    def text_of(column: str) -> Sequence[str | None]:
        spelled: list[str | None] = source.as_text(column).to_list()
        return spelled

    return text_of


def _stated(source: Source, reading: Mapping[str, Any]) -> dict[str, Any]:
    """How the file was read, detected or given, as plain data for the recipe."""
    stated = {
        key: value for key, value in reading.items() if isinstance(value, (str, int, float, list, tuple))
    }
    if source.format.kind == "delimited":
        dialect = source.format.dialect
        stated |= {"delimiter": dialect.delimiter, "encoding": dialect.encoding, "decimal": dialect.decimal}
    return stated
