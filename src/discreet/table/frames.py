"""Dataframes to arrays and back. pandas and polars dataframes and Arrow tables are taken alike; what goes in comes out.

`encode` reads a dataframe under a schema; `Layout` remembers how the dataframe looked (library, order, types,
categories, index); `decode` builds the same kind of dataframe from arrays. Columns whose role is withheld
(identifiers, clusters) are never read. What a library's columns are is known in its own `*_cells` module alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, cast

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Codes
from discreet.errors import SchemaError, TaxonomyError, UnsuitableError
from discreet.table.cells import (
    PLAIN,
    SHORT_FLOATS,
    Distinct,
    Form,
    Library,
    code_text,
    lossy,
    number_of,
    sort_of_cells,
    type_name,
)
from discreet.table.column import EMPTY, FIRST_CODE, LAST_BLANK, PRESENT, Absent, Column, sealed
from discreet.table.native import Frame, TextOf, as_frame, library_of, types_of_cells
from discreet.table.schema import WITHHELD, Level, Schema, Variable
from discreet.table.table import Table
from discreet.table.taxonomy_build import Intervals
from discreet.table.taxonomy_source import TaxonomySource

__all__ = [
    "Frame",
    "Layout",
    "TextOf",
    "as_frame",
    "code_text",
    "decode",
    "encode",
    "encode_column",
    "types_of_cells",
]


@dataclass(frozen=True, eq=False)
class Layout:
    """How the dataframe looked: what `decode` needs to build its like. Internal: an index may identify records."""

    names: tuple[str, ...]
    dtypes: Mapping[str, Any]
    backend: nw.Implementation
    native_dtypes: Mapping[str, Any]
    index: Any = None
    columns: Any = None
    forms: Mapping[str, Form] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: nw.DataFrame[Any]) -> Layout:
        native = frame.to_native()
        is_pandas = frame.implementation.is_pandas()
        types = (
            native.schema
            if frame.implementation.is_pyarrow()
            else native.dtypes
            if is_pandas
            else native.schema
        )
        return cls(
            names=tuple(frame.columns),
            dtypes=dict(frame.schema),
            backend=frame.implementation,
            native_dtypes={
                name: types.field(name) if hasattr(types, "field") else types[name] for name in frame.columns
            },
            index=native.index if is_pandas else None,
            columns=native.columns if is_pandas else None,
        )


def encode(data: Frame, schema: Schema, text_of: TextOf | None = None) -> tuple[Table, Layout]:
    """A dataframe as arrays under a schema, and the layout to go back.

    `text_of` gives a column as its file spells it; it is asked where a categorical column was read as numbers, since
    153.10 is not 153.1 and 038 is not 38.

    >>> import polars as pl
    >>> schema = Schema((Variable(name="age", kind="numeric", role="quasi"),
    ...                  Variable(name="sex", kind="nominal", role="quasi")))
    >>> table, layout = encode(pl.DataFrame({"age": [31, None], "sex": ["m", "f"]}), schema)
    >>> table["sex"].levels, table["age"].missing.tolist(), decode(table, layout)["age"].to_list()
    (('f', 'm'), [False, True], [31, None])
    """
    frame = as_frame(data)
    schema.check_names(frame.columns)
    _refuse_undecided(schema)
    columns, forms = [], {}
    for name in frame.columns:
        if schema[name].role not in WITHHELD:
            column, forms[name] = encode_column(frame, schema[name], schema.taxonomies, text_of)
            columns.append(column)
    return Table(tuple(columns), len(frame)), replace(Layout.of(frame), forms=forms)


def decode(table: Table, layout: Layout) -> Frame:
    """The table as a dataframe like the one it came from, without the columns it no longer has.

    Where a type cannot hold what a column became, the nearest that can takes its place: whole numbers that are now
    missing, categories that were recoded. The index is kept while there are as many records.
    """
    library = library_of(layout.backend)
    series = {
        name: _decode_column(table[name], layout.forms[name], library)
        for name in layout.names
        if name in table
    }
    return library.frame(series, layout, table.n_records)


def _refuse_undecided(schema: Schema) -> None:
    undecided = [v for v in schema if v.role == "undecided"]
    if undecided:
        listed = "; ".join(f"{v.name} ({v.reason or 'no role given'})" for v in undecided[:10])
        more = f" and {len(undecided) - 10} more" if len(undecided) > 10 else ""
        raise SchemaError(
            f"These columns need a role before anything is released: {listed}{more}. "
            "Give each one of: identifier (dropped), quasi, confidential, other."
        )


# -- dataframe -> arrays ---------------------------------------------------------------------------------------


def encode_column(
    frame: nw.DataFrame[Any],
    variable: Variable,
    trees: Mapping[str, TaxonomySource],
    text_of: TextOf | None = None,
) -> tuple[Column, Form]:
    """One column of a dataframe as arrays, and how its cells are to be written back."""
    library = library_of(frame.implementation)
    series = library.column(frame.to_native(), variable.name)
    form = library.form_of(series)
    _refuse_unsuited(series, variable.name, form, library)
    if variable.kind != "numeric" and text_of is not None and form.sort in ("whole", "number"):
        series, form = _as_spelled(series, form, variable.name, text_of, library)
    absent, blanks = _absent(library.blanks(series), len(frame))
    form = replace(form, blanks=blanks)
    if variable.kind == "numeric":
        column, form = _encode_numbers(series, variable, absent, form, library)
        if variable.taxonomy is None:
            return column, form
        return replace(column, tree=trees[variable.taxonomy].interval_tree()), form
    return _encode_categories(series, variable, absent, form, library, trees)


def _refuse_unsuited(series: Any, name: str, form: Form, library: Library) -> None:
    if form.sort != "unsuited":
        return
    kinds = ", ".join(library.types(series)) or "an unknown type"
    raise SchemaError(
        f"Column '{name}' holds cells that are not plain values (type {form.dtype}: {kinds}). "
        "Flatten it, or give it the role identifier to drop it."
    )


def _as_spelled(series: Any, form: Form, name: str, text_of: TextOf, library: Library) -> tuple[Any, Form]:
    """Numbers as the file spells them, where a spelling says more than the number (038, 153.10)."""
    missing = np.logical_or.reduce([where for _, where in library.blanks(series)])
    spelled = [None if gone else text for text, gone in zip(text_of(name), missing.tolist(), strict=True)]
    texts = library.of_texts(name, spelled)
    numbers = {code_text(number) for number in library.distinct(series).levels}
    if set(library.distinct(texts).levels) == numbers:
        return series, form
    return texts, library.form_of(texts)


def _absent(found: list[tuple[Any, Bools]], n_records: int) -> tuple[Absent, tuple[Any, ...]]:
    """Reasons from blanks of several sorts: the commonest is EMPTY, others count down from LAST_BLANK."""
    absent = np.full(n_records, PRESENT, dtype=np.uint8)
    occurring = [(blank, where) for blank, where in found if where.any()]
    ranked = sorted(occurring, key=lambda pair: -int(np.count_nonzero(pair[1])))
    for rank, (_, where) in enumerate(ranked):
        absent[where] = _reason_of_blank(rank)
    return absent, tuple(blank for blank, _ in ranked) or (found[0][0],)


def _reason_of_blank(rank: int) -> int:
    return EMPTY if rank == 0 else LAST_BLANK + 1 - rank


def _encode_numbers(
    series: Any, variable: Variable, absent: Absent, form: Form, library: Library
) -> tuple[Column, Form]:
    if form.sort == "truth":
        raise SchemaError(f"Column '{variable.name}' holds truth values, not numbers; set kind = 'nominal'.")
    if form.sort not in PLAIN:
        return _numbers_among_categories(series, variable, absent, form, library)
    variable = _within_type(variable, form)
    numbers = library.numbers(series, form)
    for reason, code in _code_numbers(variable).items():
        absent[(numbers == code) & (absent == PRESENT)] = reason
    numbers[absent != PRESENT] = 0.0
    single = str(form.dtype).lower() in SHORT_FLOATS
    return Column(variable, sealed(numbers), sealed(absent), single=single), form


_NARROW = re.compile(r"u?int(8|16|32|64)")  # as libraries call them


def _within_type(variable: Variable, form: Form) -> Variable:
    """What the type of a column cannot hold, no method should make: decimals and bounds, where none are declared."""
    digits = 0 if form.sort in ("whole", "date") else getattr(form.dtype, "scale", None)
    if variable.decimals is None and digits is not None:
        variable = replace(variable, decimals=digits)
    narrow = _NARROW.search(str(form.dtype).lower())
    if narrow is None or variable.decimals != 0:
        return variable
    held = np.iinfo(narrow[0])
    lower = int(held.min) if held.bits < 32 or held.min == 0 else None
    upper = int(held.max) if held.bits < 32 else None
    return replace(
        variable,
        lower=lower if variable.lower is None else variable.lower,
        upper=upper if variable.upper is None else variable.upper,
    )


def _code_numbers(variable: Variable) -> dict[int, float]:
    """The missing codes that are numbers, by reason."""
    numbers: dict[int, float] = {}
    for i, code in enumerate(variable.missing_codes):
        number = _number_or_none(code)
        if number is not None:
            numbers[FIRST_CODE + i] = number
    return numbers


def _number_or_none(cell: Level) -> float | None:
    try:
        return number_of(cell)
    except (ValueError, TypeError):
        return None


def _numbers_among_categories(
    series: Any, variable: Variable, absent: Absent, form: Form, library: Library
) -> tuple[Column, Form]:
    """Numbers kept as text, as categories, or beside codes of another type: each distinct cell is read once."""
    found = library.distinct(series)
    reasons, codes = _reasons(found.levels, variable)
    absent = _with_codes(absent, found.positions, reasons)
    numbers = [_number_or_none(level) for level in found.levels]
    is_fault = np.array([number is None for number in numbers] + [False])
    if faults := int(np.count_nonzero(is_fault[found.positions] & (absent == PRESENT))):
        raise SchemaError(
            f"Column '{variable.name}' is declared numeric, but {faults} of {len(absent)} cells are not numbers. "
            "Declare their codes under unknown or not_applicable, or set kind = 'nominal'."
        )
    values = np.array([0.0 if number is None else number for number in numbers] + [0.0])[found.positions]
    values[absent != PRESENT] = 0.0
    used = _used(found, absent)
    spelled = {float(numbers[i] or 0.0): found.levels[i] for i in used}
    decimals = _decimals([found.levels[i] for i in used])
    if all(type(cell) is str and cell == _spelled(number, decimals) for number, cell in spelled.items()):
        spelled = {}
    form = replace(form, codes=codes, decimals=decimals, spellings=spelled)
    return Column(variable, sealed(values), sealed(absent)), form


def _used(found: Distinct, absent: Absent) -> list[int]:
    """Positions of the categories that some present record holds."""
    counts = np.bincount(found.positions[absent == PRESENT], minlength=len(found.levels))
    return np.flatnonzero(counts).tolist()


def _decimals(cells: list[Level]) -> int | None:
    """Digits after the point, if all texts have as many."""
    lengths = {len(str(cell).partition(".")[2]) for cell in cells}
    return lengths.pop() if len(lengths) == 1 else None


def _spelled(number: float, decimals: int | None) -> str:
    return code_text(number) if decimals is None else f"{number:.{decimals}f}"


def _reasons(levels: list[Level], variable: Variable) -> tuple[NDArray[np.uint8], dict[int, Level]]:
    """The reason each category stands for (PRESENT: none), and the codes as the column spells them."""
    reasons = np.full(len(levels) + 1, PRESENT, dtype=np.uint8)  # the last one is for position -1
    spelled: dict[int, Level] = {}
    if variable.missing_codes:
        reason_of = _reason_lookup(variable)
        for i, level in enumerate(levels):
            if reason := reason_of(level):
                reasons[i] = reason
                spelled.setdefault(reason, level)
    return reasons, spelled


def _reason_lookup(variable: Variable) -> Callable[[Level], int]:
    """Category -> reason; codes are told by their text, in numeric columns by their number too."""
    texts = {code_text(code): FIRST_CODE + i for i, code in reversed(list(enumerate(variable.missing_codes)))}
    numbers: dict[float, int] = {}
    if variable.kind == "numeric":
        numbers = {number: reason for reason, number in reversed(_code_numbers(variable).items())}

    def reason_of(level: Level) -> int:
        by_text: int = texts.get(code_text(level), PRESENT)
        if by_text or not numbers:
            return by_text
        number = _number_or_none(level)
        return numbers.get(number, PRESENT) if number is not None else PRESENT

    return reason_of


def _with_codes(absent: Absent, positions: Codes, reasons: NDArray[np.uint8]) -> Absent:
    return np.where(absent == PRESENT, reasons[positions], absent)


def _encode_categories(
    series: Any,
    variable: Variable,
    absent: Absent,
    form: Form,
    library: Library,
    trees: Mapping[str, TaxonomySource],
) -> tuple[Column, Form]:
    found = library.distinct(series)
    reasons, codes = _reasons(found.levels, variable)
    absent = _with_codes(absent, found.positions, reasons)
    form = replace(form, codes=codes)
    used = _used(found, absent)
    _refuse_mixed(found, used, absent, variable, form)
    _refuse_infinite([found.levels[i] for i in used], variable)
    if variable.kind == "taxonomic":
        return _encode_nodes(found, used, absent, variable, trees[variable.taxonomy or ""]), form
    levels = variable.levels
    if levels is None:
        kept = [i for i in range(len(found.levels)) if reasons[i] == PRESENT] if found.declared else used
        levels = _in_order([found.levels[i] for i in kept], found.declared)
    values = _places(found, absent, levels, variable.name)
    return Column(variable, sealed(values), sealed(absent), levels), form


def _refuse_mixed(found: Distinct, used: list[int], absent: Absent, variable: Variable, form: Form) -> None:
    """Cells of one type have an order and an equality; cells of several do not."""
    if form.sort != "mixed":
        return
    kinds: dict[str, int] = {}
    counts = np.bincount(found.positions[absent == PRESENT], minlength=len(found.levels))
    for i in used:
        name = type_name(type(found.levels[i]))
        kinds[name] = kinds.get(name, 0) + int(counts[i])
    if len(kinds) > 1 or sort_of_cells(type(found.levels[i]) for i in used) in ("mixed", "unsuited"):
        listed = ", ".join(f"{name}: {count}" for name, count in sorted(kinds.items()))
        raise SchemaError(
            f"Column '{variable.name}' holds cells of several types ({listed} records). Give them one type, "
            "declare codes for missing values under unknown, or give it the role identifier to drop it."
        )


def _refuse_infinite(levels: list[Level], variable: Variable) -> None:
    """An infinite number is no category: it would be released as it is."""
    infinite = [isinstance(level, (float, Decimal)) and math.isinf(level) for level in levels]
    if any(infinite):
        raise UnsuitableError(
            f"Column '{variable.name}' holds infinite numbers. Empty them, or declare their code under unknown."
        )


def _in_order(levels: list[Level], declared: bool) -> tuple[Level, ...]:
    """Categories in their declared order, else ascending; texts that are all numbers ascend as numbers."""
    if declared:
        return tuple(levels)
    if all(isinstance(level, str) for level in levels):
        numbers = [_number_or_none(level) for level in levels]
        if None not in numbers:
            return tuple(level for _, level in sorted(zip(cast("list[float]", numbers), levels, strict=True)))
    return tuple(sorted(levels))


def _places(found: Distinct, absent: Absent, levels: Sequence[Level], name: str) -> Codes:
    """Each record's position among the levels."""
    place = places_of(levels)
    new = np.array([place(level) for level in found.levels] + [-1], dtype=np.int32)
    if len({position for position in new.tolist() if position >= 0}) < int(np.count_nonzero(new >= 0)):
        raise lossy(name)  # two cells that became one: times finer than Python has them
    values = new[found.positions]
    if lost := int(np.count_nonzero((values < 0) & (absent == PRESENT))):
        raise SchemaError(
            f"Column '{name}': {lost} of {len(absent)} records hold categories that the schema's levels "
            "lack. Add the categories to levels, or declare them under unknown."
        )
    return np.where(absent == PRESENT, values, 0).astype(np.int32)


def places_of(levels: Sequence[Level]) -> Callable[[Level], int]:
    """Category -> position, -1 for none; TOML may hold 1 where the file holds '1'."""
    exact: dict[Level, int] = {level: i for i, level in reversed(list(enumerate(levels)))}
    texts: dict[str, int] = {code_text(level): i for i, level in reversed(list(enumerate(levels)))}

    def place(level: Level) -> int:
        position = exact.get(level)
        return texts.get(code_text(level), -1) if position is None else position

    return place


def _encode_nodes(
    found: Distinct, used: list[int], absent: Absent, variable: Variable, source: TaxonomySource
) -> Column:
    codes = [code_text(found.levels[i]) for i in used]
    tree = source.tree_for(codes)
    counts = np.bincount(found.positions[absent == PRESENT], minlength=len(found.levels))[used]
    nodes = np.zeros(len(found.levels) + 1, dtype=np.int32)
    if isinstance(tree, Intervals) and not set(codes) <= set(tree.codes):
        nodes[used] = tree.leaves_of(_interval_numbers([found.levels[i] for i in used], variable, counts))
    else:
        nodes[used] = tree.resolve(codes, counts, column=variable.name, repair=source.repair)
    values = np.where(absent == PRESENT, nodes[found.positions], 0).astype(np.int32)
    return Column(variable, sealed(values), sealed(absent), tree.codes, tree)


def _interval_numbers(levels: list[Level], variable: Variable, counts: NDArray[Any]) -> NDArray[np.float64]:
    numbers = [_number_or_none(level) for level in levels]
    unknown = [i for i, number in enumerate(numbers) if number is None]
    if unknown:
        held = {code_text(levels[i]): int(counts[i]) for i in unknown}
        raise TaxonomyError(
            f"column {variable.name}: {sum(held.values())} of {int(counts.sum())} records hold {len(held)} codes "
            "that are neither numbers nor intervals of the taxonomy. Declare them under unknown",
            held,
        )
    return np.array(numbers, dtype=np.float64)


# -- arrays -> dataframe ---------------------------------------------------------------------------------------


def _decode_column(column: Column, form: Form, library: Library) -> Any:
    if column.is_numeric and form.sort in PLAIN:
        return _decode_numbers(column, form, library)
    cells, places = _cells_by_number(column, form) if column.is_numeric else _cells_by_position(column)
    levels, index, blanks = _with_absent(cells, places, column, form)
    known = levels if column.is_numeric or column.tree is not None else _known(column, form)
    return library.from_levels(column.name, levels, blanks, index, form, known)


def _decode_numbers(column: Column, form: Form, library: Library) -> Any:
    numbers = np.array(column.values, dtype=np.float64)
    for reason, code in _code_numbers(column.variable).items():
        numbers[column.absent == reason] = code
    blanks = [(blank, column.absent == _reason_of_blank(i)) for i, blank in enumerate(form.blanks)]
    is_loose = column.loose or (form.sort == "whole" and column.variable.decimals != 0)
    written = library.loose(form) if is_loose and form.sort in ("whole", "number", "decimal") else form
    return library.from_numbers(column.name, numbers, blanks, written)


def _cells_by_position(column: Column) -> tuple[list[Level], NDArray[np.int64]]:
    """The categories that occur, and each record's place among them."""
    used = np.flatnonzero(column.counts)
    renumbered = np.zeros(len(column.levels) + 1, dtype=np.int64)
    renumbered[used] = np.arange(len(used))
    return [column.levels[i] for i in used], renumbered[column.values]


def _cells_by_number(column: Column, form: Form) -> tuple[list[Level], NDArray[np.int64]]:
    """The numbers that occur as the column spells them, and each record's place among them."""
    present = ~column.missing
    numbers, places = np.unique(column.values[present], return_inverse=True)
    index = np.zeros(column.n_records, dtype=np.int64)
    index[present] = places
    decimals = column.variable.decimals if form.decimals is None else form.decimals
    listed = numbers.tolist()
    if form.sort == "text":
        return [form.spellings.get(number, _spelled(number, decimals)) for number in listed], index
    return [form.spellings.get(number, number) for number in listed], index


def _with_absent(
    levels: list[Level], index: NDArray[np.int64], column: Column, form: Form
) -> tuple[list[Level], Codes, list[Any]]:
    """Categories, then the missing codes that occur, then the blanks that occur; and each record's place."""
    occurring = np.flatnonzero(np.bincount(column.absent, minlength=256))
    blank_of = {_reason_of_blank(i): blank for i, blank in enumerate(form.blanks)}
    codes = [r for r in occurring.tolist() if r != PRESENT and r not in blank_of and r != EMPTY]
    blank = [r for r in occurring.tolist() if r in blank_of or r == EMPTY]
    place = np.zeros(256, dtype=np.int64)
    place[codes + blank] = np.arange(len(levels), len(levels) + len(codes) + len(blank))
    declared = column.variable.missing_codes
    spelled = [form.codes.get(r, declared[r - FIRST_CODE]) for r in codes]
    positions = np.where(column.absent == PRESENT, index, place[column.absent]).astype(np.int32)
    return levels + spelled, positions, [blank_of.get(r) for r in blank]


def _known(column: Column, form: Form) -> list[Level]:
    """All categories that the column may hold, its missing codes last."""
    codes = [form.codes.get(FIRST_CODE + i, code) for i, code in enumerate(column.variable.missing_codes)]
    return [*column.levels, *codes]
