"""What `infer` needs to know of a column, read once: how its cells are written, how many differ, which they are.

Distinct values are kept in memory to be looked at; what `infer` says of them are words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np

from discreet.arrays import Floats
from discreet.table.cells import EXACT, code_text, sort_of_cells, type_name
from discreet.table.hints import Concept
from discreet.table.native import TextOf
from discreet.table.patterns import (
    day_of,
    is_empty_word,
    is_not_applicable_word,
    is_number,
    is_padded,
    is_unknown_word,
)
from discreet.table.variable import Level

Form: TypeAlias = Literal["nothing", "truth", "numbers", "dates", "texts", "nested"]

SAMPLE = 10_000  # distinct texts that are looked at one by one
_FORM_OF: dict[str, Form] = {
    "whole": "numbers", "number": "numbers", "decimal": "numbers", "truth": "truth", "text": "texts", "date": "dates",
    "moment": "dates",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Facts:
    """One column: `form` is how its cells are written, `n_present` the records that hold a value (missing codes that
    were recognised left out), `n_distinct` how many values differ.

    `numbers`: all distinct finite numbers, sorted; `infinite`: there are others. `texts`: up to `SAMPLE` distinct texts,
    evenly over the file. `written`: the numbers stand in a text column. `steps`: categories in the order that the
    dataframe declares. `years`: from the first to the last of a column of dates.
    """

    name: str
    form: Form
    n_records: int
    n_present: int
    n_distinct: int
    numbers: Floats = field(default_factory=lambda: np.empty(0))
    texts: tuple[str, ...] = ()
    written: bool = False
    padded: bool = False
    single: bool = False
    oversized: bool = False
    infinite: bool = False
    categorical: bool = False
    day_precise: bool = False
    dates_only: bool = False
    years: float = 0.0
    steps: tuple[Level, ...] | None = None
    unknown: tuple[Level, ...] = ()
    not_applicable: tuple[Level, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)

    def name_says(self, concept: Concept) -> bool:
        return concept.is_in(self.name)

    @property
    def has_missing(self) -> bool:
        return self.n_present < self.n_records

    @property
    def all_differ(self) -> bool:
        return self.n_distinct == self.n_present

    @property
    def share_distinct(self) -> float:
        return self.n_distinct / max(self.n_present, 1)

    @cached_property
    def is_whole(self) -> bool:
        return self.form == "numbers" and (
            self.oversized or bool(np.all(self.numbers == np.rint(self.numbers)))
        )

    @cached_property
    def decimals(self) -> int | None:
        """The fewest digits after the point, up to six, that reproduce every number; None if more are needed."""
        for digits in range(7):
            rounded = np.round(self.numbers, digits)
            same = rounded.astype(np.float32) == self.numbers if self.single else rounded == self.numbers
            if np.all(same):
                return digits
        return None

    @cached_property
    def written_days(self) -> tuple[date, ...]:
        """The days that texts or numbers such as 19620522 name, where nearly all of them name one."""
        if self.form == "numbers" and not (
            self.is_whole and len(self.numbers) > 2 and self.numbers[0] > 18e6
        ):
            return ()
        days = [day for day in map(day_of, self.spellings) if day is not None]
        return tuple(days) if len(days) > 0.9 * len(self.spellings) else ()

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """Distinct values as text, at most `SAMPLE` of them."""
        if self.texts or self.form != "numbers":
            return self.texts
        return tuple(code_text(number) for number in _spread(self.numbers.tolist()))


def read_facts(series: nw.Series[Any], text_of: TextOf | None, labels: Mapping[Any, str] | None) -> Facts:
    """Look at one column. `text_of` tells zeros in front of codes that a reader has dropped.

    Labels that speak of missing values make their codes missing codes; the column is looked at without these cells.
    """
    if not labels:
        return _read(series, text_of)
    unknown = tuple(_plain(code) for code, label in labels.items() if is_unknown_word(label))
    not_applicable = tuple(_plain(code) for code, label in labels.items() if is_not_applicable_word(label))
    missing = (*unknown, *not_applicable)
    facts = _read(series.filter(~_codes_among(series, missing)) if missing else series, text_of)
    told = set(map(code_text, missing))
    return replace(
        facts,
        n_records=len(series),
        labels={code_text(code): label for code, label in labels.items() if code_text(code) not in told},
        unknown=facts.unknown + unknown,
        not_applicable=facts.not_applicable + not_applicable,
    )


def _read(series: nw.Series[Any], text_of: TextOf | None) -> Facts:
    dtype = series.dtype
    n_present = len(series) - series.null_count()
    if not n_present:
        return Facts(series.name, "nothing", len(series), 0, 0)
    if dtype == nw.Boolean:
        return Facts(series.name, "truth", len(series), n_present, series.drop_nulls().n_unique())
    if dtype.is_numeric():
        return _read_numbers(series, text_of)
    if isinstance(dtype, nw.Date | nw.Datetime):
        return _read_dates(series, n_present)
    if isinstance(dtype, nw.String | nw.Categorical | nw.Enum):
        return _read_texts(series, n_present)
    if isinstance(dtype, nw.Object):
        return _read_objects(series, n_present)
    return Facts(series.name, "nested", len(series), n_present, n_present)


def _read_numbers(series: nw.Series[Any], text_of: TextOf | None) -> Facts:
    numbers = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return Facts(series.name, "nothing", len(series), 0, 0)
    distinct = np.unique(present)
    oversized = bool(series.dtype.is_integer() and np.abs(distinct[[0, -1]]).max() > EXACT)
    return Facts(
        name=series.name,
        form="numbers",
        n_records=len(series),
        n_present=len(present),
        n_distinct=series.drop_nulls().n_unique() if oversized else len(distinct),
        numbers=distinct[np.isfinite(distinct)],
        padded=_was_padded(series, text_of),
        single=series.dtype == nw.Float32,
        infinite=bool(np.isinf(distinct).any()),
        oversized=oversized,
        texts=tuple(map(str, _spread(series.drop_nulls().unique(maintain_order=True)))) if oversized else (),
    )


def _was_padded(series: nw.Series[Any], text_of: TextOf | None) -> bool:
    if text_of is None or not (series.dtype.is_integer() or series.dtype.is_float()):
        return False
    return any(text is not None and is_padded(text) for text in _spread(text_of(series.name)))


def _read_dates(series: nw.Series[Any], n_present: int) -> Facts:
    distinct = series.drop_nulls().unique()
    precise = bool((distinct.dt.day() != 1).any())
    return Facts(
        series.name, "dates", len(series), n_present, len(distinct),
        day_precise=precise, dates_only=isinstance(series.dtype, nw.Date),
        years=(distinct.max() - distinct.min()).days / 365.25,
    )  # fmt: skip


def _read_texts(series: nw.Series[Any], n_present: int) -> Facts:
    categorical = not isinstance(series.dtype, nw.String)
    distinct = series.drop_nulls().cast(nw.String).unique(maintain_order=True)
    facts = Facts(
        name=series.name,
        form="texts",
        n_records=len(series),
        n_present=n_present,
        n_distinct=len(distinct),
        texts=tuple(_spread(distinct)),
        categorical=categorical,
        steps=_declared_order(series),
    )
    return facts if categorical else _as_numbers(facts, series, distinct)


def _as_numbers(facts: Facts, series: nw.Series[Any], distinct: nw.Series[Any]) -> Facts:
    """The same column as numbers, if all its texts are numbers but for words that files write for missing."""
    if not all(is_number(text) or is_empty_word(text) for text in facts.texts):
        return facts
    are_numbers = {text: is_number(text) for text in distinct.to_list()}
    words = [text for text, is_one in are_numbers.items() if not is_one]
    if len(words) == len(are_numbers) or not all(map(is_empty_word, words)):
        return facts
    n_words = int(series.is_in(words).sum()) if words else 0
    numbers = np.unique(np.array([float(text) for text, is_one in are_numbers.items() if is_one]))
    return replace(
        facts,
        form="numbers",
        n_present=facts.n_present - n_words,
        n_distinct=facts.n_distinct - len(words),
        numbers=numbers[np.isfinite(numbers)],
        texts=tuple(text for text in facts.texts if are_numbers[text]),
        written=True,
        padded=any(map(is_padded, facts.texts)),
        oversized=bool(np.abs(numbers[[0, -1]]).max() > EXACT),
        unknown=tuple(sorted(word for word in words if not is_not_applicable_word(word))),
        not_applicable=tuple(sorted(word for word in words if is_not_applicable_word(word))),
    )


def _declared_order(series: nw.Series[Any]) -> tuple[Level, ...] | None:
    """Categories in order, where whoever made the dataframe said that they have one.

    A polars Enum has no such flag: its order may be no more than the order of the list.
    """
    native = series.to_native()
    if series.implementation.is_pandas() and getattr(native.dtype, "ordered", False):
        return tuple(native.dtype.categories.to_list())
    if series.implementation.is_pyarrow() and getattr(native.type, "ordered", False):
        chunks = native.unify_dictionaries().chunks
        return tuple(chunks[0].dictionary.to_pylist()) if chunks else None
    return None


def _read_objects(series: nw.Series[Any], n_present: int) -> Facts:
    """A column of Python objects (pandas): plain if all are of one sort, or numbers and words for missing."""
    cells = [cell for cell in series.to_list() if cell is not None and cell == cell]
    sort = sort_of_cells(set(map(type, cells)))
    form = _FORM_OF.get(sort, "nested")
    if form in ("texts", "nested") and {type_name(type(cell)) for cell in cells} <= {"number", "str"}:
        texts = nw.new_series(
            series.name, list(map(code_text, cells)), nw.String, backend=series.implementation
        )
        facts = _read_texts(texts, len(cells))
        if form == "texts" or facts.form == "numbers":
            return replace(facts, n_records=len(series))
    if form == "nested":
        return Facts(series.name, "nested", len(series), n_present, n_present)
    distinct = list(dict.fromkeys(cells))
    facts = Facts(series.name, form, len(series), len(cells), len(distinct))
    if form == "dates":
        years = (max(distinct) - min(distinct)).days / 365.25
        precise = any(cell.day != 1 for cell in distinct)
        return replace(facts, dates_only=sort == "date", day_precise=precise, years=years)
    if form == "truth":
        return facts
    numbers = np.unique(np.array(distinct, dtype=np.float64))
    return replace(
        facts,
        numbers=numbers[np.isfinite(numbers)],
        infinite=bool(np.isinf(numbers).any()),
        oversized=bool(np.abs(numbers[[0, -1]]).max() > EXACT),
    )


def _codes_among(series: nw.Series[Any], codes: Iterable[Level]) -> nw.Series[Any]:
    """Which cells hold one of these codes, whatever type the column has them in."""
    if series.dtype.is_numeric():
        numbers = [float(code) for code in codes if is_number(code_text(code))]
        return series.cast(nw.Float64).is_in(numbers).fill_null(False)
    texts = set(map(code_text, codes))
    if isinstance(series.dtype, nw.Object):
        held = [cell is not None and code_text(cell) in texts for cell in series.to_list()]
        return nw.new_series(series.name, held, nw.Boolean, backend=series.implementation)
    return series.cast(nw.String).is_in(texts).fill_null(False)


def _plain(code: Any) -> Level:
    return int(code) if isinstance(code, float) and code.is_integer() else code


def _spread(values: Sequence[Any] | nw.Series[Any]) -> list[Any]:
    """At most `SAMPLE` of the values, evenly spaced."""
    n_values = len(values)
    chosen = [i * n_values // SAMPLE for i in range(SAMPLE)] if n_values > SAMPLE else None
    if isinstance(values, nw.Series):
        return (values if chosen is None else values[chosen]).to_list()
    return list(values) if chosen is None else [values[i] for i in chosen]
