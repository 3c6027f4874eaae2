"""A protected file beside its original, so that the two can be measured: same columns, same order, same levels.

The protected file may come from any software: whole numbers as floats or text, categories generalised, cells
suppressed, columns dropped, records fewer or more. What cannot be compared is left out and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np

from discreet.arrays import Codes
from discreet.errors import SchemaError
from discreet.table.cells import code_text, number_of
from discreet.table.column import Column, sealed
from discreet.table.frames import Frame, TextOf, as_frame, encode_column, places_of
from discreet.table.schema import Level, Schema
from discreet.table.table import Table
from discreet.table.taxonomy_source import TaxonomySource

__all__ = ["Aligned", "align"]


@dataclass(frozen=True, eq=False)
class Aligned:
    """Two tables of the same columns, and by name what they leave out. Unpacks into the two tables.

    Args:
        original, protected: the columns both hold, in the original's order, each pair with the same levels.
        lacking: columns that the protected file does not have.
        recoded: numeric columns that hold something else than numbers there (intervals, say).
        extra: columns of the protected file that the original does not have; identifiers are among them.
    """

    original: Table
    protected: Table
    lacking: tuple[str, ...] = ()
    recoded: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Table]:
        return iter((self.original, self.protected))

    @property
    def left_out(self) -> dict[str, str]:
        """Columns of the original that are not compared, with the reason in words."""
        return dict.fromkeys(self.lacking, "not in the protected file") | dict.fromkeys(
            self.recoded, "numbers in the original, something else in the protected file"
        )


def align(original: Table, protected_frame: Frame, schema: Schema, text_of: TextOf | None = None) -> Aligned:
    """Read a protected dataframe under the original's schema, and bring both to the same columns and levels.

    Levels are the original's, then categories that only the protected file holds; ordinal ones that are all numbers
    ascend together. Taxonomic columns keep the original's tree: generalised codes must be nodes of it.

    >>> import polars as pl
    >>> from discreet.table.schema import Variable
    >>> schema = Schema((Variable(name="age", kind="numeric"), Variable(name="sex", kind="nominal")))
    >>> original = Table.build({"age": [31, 64], "sex": ["m", "f"]}, schema)
    >>> aligned = align(original, pl.DataFrame({"sex": ["*", "f"], "age": ["30-39", "60-69"]}), schema)
    >>> before, after = aligned
    >>> after.names, before["sex"].levels, aligned.recoded
    (('sex',), ('f', 'm', '*'), ('age',))
    """
    frame = as_frame(protected_frame)
    lacking = tuple(name for name in original.names if name not in frame.columns)
    extra = tuple(name for name in frame.columns if name not in original)
    recoded: list[str] = []
    pairs: list[tuple[Column, Column]] = []
    for column in original.columns:
        if column.name in lacking:
            continue
        pair = _pair(column, frame, schema, text_of)
        if pair is None:
            recoded.append(column.name)
        else:
            pairs.append(pair)
    if not pairs:
        raise SchemaError(
            "The protected file shares no comparable column with the original. "
            f"Lacking: {', '.join(lacking) or 'none'}. No longer numbers: {', '.join(recoded) or 'none'}."
        )
    return Aligned(
        original=Table(tuple(before for before, _ in pairs), original.n_records),
        protected=Table(tuple(after for _, after in pairs), len(frame)),
        lacking=lacking,
        recoded=tuple(recoded),
        extra=extra,
    )


def _pair(
    before: Column, frame: nw.DataFrame[Any], schema: Schema, text_of: TextOf | None
) -> tuple[Column, Column] | None:
    """The column in both files under the same levels; None where it was numeric and is so no more."""
    variable = before.variable
    if before.is_numeric:
        try:
            after = encode_column(frame, replace(variable, taxonomy=None), {}, text_of)[0]
        except SchemaError:
            return None
        return before, replace(after, variable=variable, tree=before.tree)
    if before.tree is not None:
        return before, _in_tree(before, frame, schema, text_of)
    free = replace(variable, levels=None)
    after = encode_column(frame, free, {}, text_of)[0]
    return _under_union(before, replace(after, variable=variable))


def _in_tree(before: Column, frame: nw.DataFrame[Any], schema: Schema, text_of: TextOf | None) -> Column:
    """The protected column on the nodes of the original's tree; the tree may stem from the original's codes alone."""
    variable = before.variable
    declared: Mapping[str, TaxonomySource] = schema.taxonomies
    name = variable.taxonomy or ""
    repair = declared[name].repair if name in declared else None
    sources = {name: TaxonomySource(tree=before.tree, repair=repair)}
    return encode_column(frame, variable, sources, text_of)[0]


def _under_union(before: Column, after: Column) -> tuple[Column, Column]:
    known = _lookup(before.levels)
    held = set(np.flatnonzero(after.counts).tolist())
    added = [level for i, level in enumerate(after.levels) if i in held and known(level) < 0]
    levels: tuple[Level, ...] = (*before.levels, *added)
    if added and before.kind == "ordinal":
        levels = _ascending(before.levels, levels)
    return _on_levels(before, levels), _on_levels(after, levels)


def _ascending(original: Sequence[Level], union: tuple[Level, ...]) -> tuple[Level, ...]:
    """The union in the order of its numbers, if all are and the original's ascended; else as it is."""
    found = {level: _number(level) for level in union}
    numbers = {level: number for level, number in found.items() if number is not None}
    if len(numbers) < len(union):
        return union
    ascends = all(numbers[low] < numbers[high] for low, high in pairwise(original))
    return tuple(sorted(union, key=lambda level: numbers[level])) if ascends else union


def _on_levels(column: Column, levels: tuple[Level, ...]) -> Column:
    """The same column with positions in other levels, which hold all it uses."""
    if column.levels == levels:
        return column
    place = _lookup(levels)
    moved: Codes = np.array([max(place(level), 0) for level in column.levels] + [0], dtype=np.int32)
    values = np.where(column.missing, 0, moved[column.values]).astype(np.int32)
    return replace(column, values=sealed(values), levels=levels)


def _lookup(levels: Sequence[Level]) -> Callable[[Level], int]:
    """Category -> position as files of other software spell it: 1.0 or '1.0' for the number 1, true for True.

    Digits that are text in the original are codes: 038 and 38 stay apart.
    """
    exact = places_of(levels)
    folded = {_folded(level): i for i, level in reversed(list(enumerate(levels)))}
    numbers: dict[float | None, int] = {
        float(level): i for i, level in enumerate(levels) if type(level) in (int, float)
    }

    def place(level: Level) -> int:
        position = exact(level)
        if position < 0:
            position = folded.get(_folded(level), -1)
        return numbers.get(_number(level), -1) if position < 0 and numbers else position

    return place


def _folded(level: Level) -> str:
    text = code_text(level).removesuffix(" 00:00:00")
    return text.lower() if text in ("True", "False", "TRUE", "FALSE") else text


def _number(level: Level) -> float | None:
    try:
        return number_of(level)
    except (ValueError, TypeError):
        return None
