"""Other files beside the original, so that they can be measured: same columns, same order, same levels.

The protected file may come from any software: whole numbers as floats or text, numbers as intervals, categories
generalised, cells suppressed, columns dropped, records fewer or more. A control holds people of the same population
whom the method never saw. What cannot be compared is left out and named; how cells were read is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np

from discreet.arrays import Bools, Codes
from discreet.errors import SchemaError, TaxonomyError
from discreet.table.cells import code_text, number_of
from discreet.table.coarse import is_mark, midpoint, span_of
from discreet.table.column import EMPTY, PRESENT, Column, sealed
from discreet.table.frames import Frame, TextOf, as_frame, encode_column, places_of
from discreet.table.load import Opened
from discreet.table.native import library_of
from discreet.table.schema import Level, Schema, Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy, repaired
from discreet.table.taxonomy_build import Intervals
from discreet.table.taxonomy_source import TaxonomySource

__all__ = ["Aligned", "align"]

# How cells were read, in words; the names of the columns follow.
_MIDPOINTS = "Intervals were read as their midpoints"
_WITHHELD = "Marks for withheld cells were read as missing"
_STRANGE = "Cells that are neither numbers nor intervals were read as missing"
_ENDLESS = "Infinite numbers were read as missing"
_SHORTENED = "Shortened codes were read as the nodes above"
_UNKNOWN = "Codes that the taxonomy lacks were read as missing"


@dataclass(frozen=True, eq=False)
class Aligned:
    """Tables of the same columns, and by name what they leave out. Unpacks into original and protected.

    Args:
        original, protected: the columns both hold, in the original's order, each pair with the same levels.
        keys: both tables with everything that was recoded or read from intervals as categories: what groups of equal
            records are made of.
        lacking: columns that the protected file does not have.
        recoded: columns that hold something else there than numbers, intervals, or nodes of their tree.
        extra: columns of the protected file that the original does not have; identifiers are among them.
        control: the same columns of the control, where one was given.
        remarks: how cells were read that are not as the original's.
    """

    original: Table
    protected: Table
    keys: tuple[Table, Table]
    lacking: tuple[str, ...] = ()
    recoded: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    control: Table | None = None
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Table]:
        return iter((self.original, self.protected))

    @property
    def left_out(self) -> dict[str, str]:
        """Columns of the original that are not compared, with the reason in words."""
        return dict.fromkeys(self.lacking, "not in the protected file") | dict.fromkeys(
            self.recoded, "something else in the protected file: counted as categories in groups only"
        )


@dataclass(frozen=True, eq=False)
class _Reading:
    """A column of another file under the original's variable; `categories` where its cells are more than numbers."""

    column: Column
    categories: Column | None = None
    remarks: tuple[str, ...] = ()


def align(
    original: Table,
    protected_frame: Frame,
    schema: Schema,
    text_of: TextOf | None = None,
    control: Opened | None = None,
) -> Aligned:
    """Read a protected dataframe under the original's schema, and bring both to the same columns and levels.

    Levels are the original's, then categories that only the other files hold; ordinal ones that are all numbers
    ascend together. Taxonomic columns keep the original's tree. Numbers that came back as intervals are compared by
    their midpoints, and by equality where groups are counted.

    >>> import polars as pl
    >>> from discreet.table.schema import Variable
    >>> schema = Schema((Variable(name="age", kind="numeric"), Variable(name="sex", kind="nominal")))
    >>> original = Table.build({"age": [31, 64], "sex": ["m", "f"]}, schema)
    >>> aligned = align(original, pl.DataFrame({"sex": ["*", "f"], "age": ["30-39", "60-69"]}), schema)
    >>> before, after = aligned
    >>> after["age"].values.tolist(), before["sex"].levels, aligned.remarks
    ([34.5, 64.5], ('f', 'm', '*'), ('Intervals were read as their midpoints: age.',))
    """
    frame = as_frame(protected_frame)
    lacking = tuple(name for name in original.names if name not in frame.columns)
    found = {
        column.name: _read(column, frame, schema, text_of)
        for column in original.columns
        if column.name not in lacking
    }
    readings = {name: reading for name, reading in found.items() if reading is not None}
    recoded = tuple(name for name in found if name not in readings)
    _refuse_recoded_weights(original, recoded)
    if not readings:
        raise SchemaError(
            "The protected file shares no comparable column with the original. "
            f"Lacking: {', '.join(lacking) or 'none'}. No longer readable: {', '.join(recoded) or 'none'}."
        )
    others = (
        [readings] if control is None else [readings, _control_readings(original, control, schema, readings)]
    )
    sides = [_under_union(original[name], *(other[name].column for other in others)) for name in readings]
    tables = [
        Table(tuple(side[i] for side in sides), n_records)
        for i, n_records in enumerate(_lengths(original, frame, control))
    ]
    return Aligned(
        original=tables[0],
        protected=tables[1],
        lacking=lacking,
        recoded=recoded,
        extra=tuple(name for name in frame.columns if name not in original),
        keys=_keys(original, tables[0], tables[1], readings, _as_texts(original, frame, recoded, text_of)),
        control=tables[2] if control is not None else None,
        remarks=_remarks(readings),
    )


def _refuse_recoded_weights(original: Table, recoded: Sequence[str]) -> None:
    """Other columns can be compared as categories; no category can be a weight."""
    if weights := [name for name in recoded if original[name].role == "weight"]:
        raise SchemaError(
            f"Column '{weights[0]}' is a weight and holds something else than numbers in the protected file. Check that "
            "this file was made from that original, or leave the column out of it: it then has the original's weights."
        )


def _lengths(original: Table, frame: nw.DataFrame[Any], control: Opened | None) -> list[int]:
    others = [len(frame)] if control is None else [len(frame), len(as_frame(control.frame))]
    return [original.n_records, *others]


def _control_readings(
    original: Table, control: Opened, schema: Schema, wanted: Iterable[str]
) -> dict[str, _Reading]:
    """The control's columns; it must have all that are compared, but for weights, which nothing asks it for."""
    frame = as_frame(control.frame)
    found: dict[str, _Reading] = {}
    for name in wanted:
        if name not in frame.columns and original[name].role == "weight":
            ones = original[name].take(np.zeros(len(frame), dtype=np.int64)).with_values(np.ones(len(frame)))
            found[name] = _Reading(ones)
            continue
        reading = _read(original[name], frame, schema, control.text_of) if name in frame.columns else None
        if reading is None:
            raise SchemaError(
                f"The control has no readable column '{name}'. Give records of the same columns as the original's, "
                "of people the method never saw."
            )
        found[name] = reading
    return found


def _remarks(readings: Mapping[str, _Reading]) -> tuple[str, ...]:
    """What was said of the columns, each remark once with their names."""
    named: dict[str, list[str]] = {}
    for name, reading in readings.items():
        for remark in reading.remarks:
            named.setdefault(remark, []).append(name)
    return tuple(f"{remark}: {', '.join(names)}." for remark, names in named.items())


# -- one column of another file --------------------------------------------------------------------------------


def _read(
    before: Column, frame: nw.DataFrame[Any], schema: Schema, text_of: TextOf | None
) -> _Reading | None:
    """The column of another file under the original's variable; None where it is something else there."""
    if before.is_numeric:
        return _numbers(before, frame, text_of)
    if before.tree is not None:
        return _nodes(before, frame, schema, text_of)
    after = _categories(before.variable, frame, text_of)
    if after is None:
        raise SchemaError(
            f"Column '{before.name}' holds cells that are not plain values. Flatten it, or drop it."
        )
    known = _lookup(before.levels)
    marks = [before.kind == "ordinal" and is_mark(level) and known(level) < 0 for level in after.levels]
    kept = _without(after, np.array([*marks, False]))
    return _Reading(
        replace(kept, variable=before.variable), remarks=(_WITHHELD,) if kept is not after else ()
    )


def _categories(variable: Variable, frame: nw.DataFrame[Any], text_of: TextOf | None) -> Column | None:
    """The cells as categories, those of several types as texts; None where they are no plain values."""
    free = Variable(
        name=variable.name,
        kind="ordinal" if variable.kind == "ordinal" else "nominal",
        role=variable.role,
        unknown=variable.unknown,
        not_applicable=variable.not_applicable,
    )
    try:
        return encode_column(frame, free, {}, text_of)[0]
    except SchemaError:
        pass
    try:
        return encode_column(_in_words(frame, variable.name), free, {}, None)[0]
    except SchemaError:
        return None


def _in_words(frame: nw.DataFrame[Any], name: str) -> nw.DataFrame[Any]:
    """A column of cells of several types as texts."""
    library = library_of(frame.implementation)
    series = library.column(frame.to_native(), name)
    if library.form_of(series).sort != "mixed":
        raise SchemaError(f"Column '{name}' holds cells that are not plain values.")
    found = library.distinct(series)
    words = [code_text(level) for level in found.levels] + [None]
    spelled = [words[i] for i in found.positions.tolist()]
    return nw.from_dict({name: spelled}, backend=frame.implementation)


def _without(column: Column, lost: Bools) -> Column:
    """The column with the records that hold these of its levels missing; itself where there are none."""
    gone = lost[column.values] & ~column.missing
    if not gone.any():
        return column
    return column.with_values(column.values, np.where(gone, EMPTY, column.absent).astype(np.uint8))


def _numbers(before: Column, frame: nw.DataFrame[Any], text_of: TextOf | None) -> _Reading | None:
    variable = before.variable
    try:
        after = encode_column(frame, replace(variable, taxonomy=None), {}, text_of)[0]
    except SchemaError:
        if variable.role == "weight":
            return None
        return _coarse_numbers(before, _categories(variable, frame, text_of))
    after = replace(after, variable=variable, tree=before.tree)
    finite = np.isfinite(after.values)
    if finite.all():
        return _Reading(after)
    absent = np.where(finite, after.absent, EMPTY).astype(np.uint8)
    return _Reading(after.with_values(np.where(finite, after.values, 0.0), absent), remarks=(_ENDLESS,))


def _coarse_numbers(before: Column, cells: Column | None) -> _Reading | None:
    """Numbers, midpoints of intervals, and missing for the rest; None where most cells are neither."""
    if cells is None:
        return None
    middle = _middles(before)
    read = [_number(level) if span_of(level) is None else middle(level) for level in cells.levels]
    spans = np.array([*(span_of(level) is not None for level in cells.levels), False])
    marks = np.array([*(is_mark(level) for level in cells.levels), False])
    strange = np.array([*(number is None for number in read), False]) & ~marks
    held, present = cells.values, ~cells.missing
    if 2 * np.count_nonzero(strange[held] & present) > np.count_nonzero(present):
        return None
    numbers = np.array([np.nan if number is None else number for number in read] + [np.nan])
    values = numbers[held]
    absent = np.where(present & ~np.isfinite(values), EMPTY, cells.absent).astype(np.uint8)
    kinds = ((spans, _MIDPOINTS), (marks, _WITHHELD), (strange, _STRANGE), (np.isinf(numbers), _ENDLESS))
    return _Reading(
        Column(
            before.variable,
            sealed(np.where(absent == PRESENT, values, 0.0)),
            sealed(absent),
            tree=before.tree,
        ),
        categories=_without(cells, marks) if (spans | strange)[held][present].any() else None,
        remarks=tuple(remark for where, remark in kinds if where[held][present].any()),
    )


def _middles(before: Column) -> Callable[[Level], float]:
    """Interval -> its middle, inside what the original's numbers reach."""
    numbers = before.values[~before.missing]
    least, most = (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)
    whole = bool((numbers == np.floor(numbers)).all())

    def middle(level: Level) -> float:
        span = span_of(level)
        return np.nan if span is None else midpoint(span, least, most, whole=whole)

    return middle


def _nodes(
    before: Column, frame: nw.DataFrame[Any], schema: Schema, text_of: TextOf | None
) -> _Reading | None:
    """The column on the nodes of the original's tree; the tree may stem from the original's codes alone."""
    variable, tree = before.variable, before.tree
    assert tree is not None
    name = variable.taxonomy or ""
    declared: Mapping[str, TaxonomySource] = schema.taxonomies
    repair = declared[name].repair if name in declared else None
    try:
        return _Reading(
            encode_column(frame, variable, {name: TaxonomySource(tree=tree, repair=repair)}, text_of)[0]
        )
    except (SchemaError, TaxonomyError):
        return _coarse_nodes(before, tree, repair, _categories(variable, frame, text_of))


def _coarse_nodes(
    before: Column, tree: Taxonomy, repair: str | None, cells: Column | None
) -> _Reading | None:
    """Nodes, for shortened codes the node above, and missing for the rest; None where most codes are unknown."""
    if cells is None:
        return None
    exact = [_node(tree, repair, level) for level in cells.levels]
    nodes = [
        node if node >= 0 else _node_above(tree, level)
        for node, level in zip(exact, cells.levels, strict=True)
    ]
    marks = np.array([*(is_mark(level) for level in cells.levels), False])
    found = np.array([*nodes, -1], dtype=np.int32)
    shortened = found != np.array([*exact, -1])
    unknown = (found < 0) & ~marks
    held, present = cells.values, ~cells.missing
    if 2 * np.count_nonzero(unknown[held] & present) > np.count_nonzero(present):
        return None
    lost = present & (found[held] < 0)
    absent = np.where(lost, EMPTY, cells.absent).astype(np.uint8)
    values = np.where(absent == PRESENT, found[held], 0).astype(np.int32)
    kinds = ((shortened, _SHORTENED), (marks & (found < 0), _WITHHELD), (unknown, _UNKNOWN))
    return _Reading(
        Column(before.variable, sealed(values), sealed(absent), tree.codes, tree),
        remarks=tuple(remark for where, remark in kinds if where[held][present].any()),
    )


def _node(tree: Taxonomy, repair: str | None, level: Level) -> int:
    """The node of a code, -1 where the tree lacks it."""
    code = code_text(level)
    node = tree.position.get(code, -1)
    if node < 0 and repair is not None:
        node = tree.position.get(repaired(code, repair), -1)
    number = _number(level)
    if node < 0 and isinstance(tree, Intervals) and number is not None:
        try:
            node = int(tree.leaves_of(np.array([number]))[0])
        except TaxonomyError:
            return -1
    return node


def _node_above(tree: Taxonomy, level: Level) -> int:
    """The node that a code cut short and filled with stars stands for."""
    code = code_text(level).strip()
    kept = code.rstrip("*").rstrip(".")
    return tree.position.get(kept, -1) if code.endswith("*") and kept else -1


# -- groups ----------------------------------------------------------------------------------------------------


def _as_texts(
    original: Table, frame: nw.DataFrame[Any], names: Sequence[str], text_of: TextOf | None
) -> dict[str, Column]:
    """Columns that could not be read, as categories; those of cells that are no plain values are left out."""
    found = {name: _categories(original[name].variable, frame, text_of) for name in names}
    return {name: column for name, column in found.items() if column is not None}


def _keys(
    original: Table,
    before: Table,
    after: Table,
    readings: Mapping[str, _Reading],
    recoded: Mapping[str, Column],
) -> tuple[Table, Table]:
    """Both tables with categories where equality is all that can be asked."""
    coarse = {name: r.categories for name, r in readings.items() if r.categories is not None} | dict(recoded)
    pairs = {name: _under_union(_in_categories(original[name]), column) for name, column in coarse.items()}
    pairs |= {name: (before[name], after[name]) for name in before.names if name not in coarse}
    names = [name for name in original.names if name in pairs]
    return (
        Table(tuple(pairs[name][0] for name in names), before.n_records),
        Table(tuple(pairs[name][1] for name in names), after.n_records),
    )


def _in_categories(column: Column) -> Column:
    """A column of numbers or nodes as categories: equal or not is all that groups ask."""
    if not column.is_numeric:
        return column.with_levels(column.levels, column.codes, kind="nominal")
    distinct, codes = np.unique(column.values, return_inverse=True)
    levels = tuple(code_text(float(number)) for number in distinct)
    return column.with_levels(levels, codes.reshape(-1).astype(np.int32), kind="nominal")


# -- levels ----------------------------------------------------------------------------------------------------


def _under_union(before: Column, *others: Column) -> tuple[Column, ...]:
    """The columns under the original's levels, then those that the others use."""
    if before.is_numeric or before.tree is not None:
        return (before, *others)
    levels: tuple[Level, ...] = before.levels
    for other in others:
        known, held = _lookup(levels), set(np.flatnonzero(other.counts).tolist())
        levels = (*levels, *(level for i, level in enumerate(other.levels) if i in held and known(level) < 0))
    if len(levels) > len(before.levels) and before.kind == "ordinal":
        levels = _ascending(before.levels, levels)
    return tuple(_on_levels(column, levels) for column in (before, *others))


def _ascending(original: Sequence[Level], union: tuple[Level, ...]) -> tuple[Level, ...]:
    """The union in the order of its numbers, if all are and the original's ascended; else as it is."""
    found = {level: _place_of(level) for level in union}
    numbers = {level: number for level, number in found.items() if number is not None}
    if len(numbers) < len(union):
        return union
    ascends = all(numbers[low] < numbers[high] for low, high in pairwise(original))
    return tuple(sorted(union, key=lambda level: numbers[level])) if ascends else union


def _place_of(level: Level) -> float | None:
    """Where a category stands on the line of numbers, intervals at their middle."""
    span = span_of(level)
    if span is None or None in (span.low, span.high):
        return _number(level)
    return midpoint(span, 0.0, 0.0, whole=False)


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
