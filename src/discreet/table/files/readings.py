"""Which type the cells of a text column have, and the way there.

A column gets a type only if every cell says so in full: `01234`, `+5` or twenty digits stay text, because a code
taken for a number is lost. Readings are tried from the narrowest; a batch of cells can only move a column to a
wider reading, so one pass over a file of any size is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from discreet.errors import FileError
from discreet.table.files.format import Dialect, Spelling

MISSING_WORDS = (
    "NA",
    "N/A",
    "n/a",
    "na",
    "#N/A",
    "NULL",
    "null",
    "None",
    "none",
    "?",
    ".",
    "-",
    "--",
    "*",
    "missing",
)
_WORDS = (("true", "false"), ("True", "False"), ("TRUE", "FALSE"))
_PATTERNS = tuple(
    f"%Y-%m-%d{gap}{time}"
    for gap in ("T", " ")
    for time in ("%H:%M:%S", "%H:%M", "%H:%M:%S%.3f", "%H:%M:%S%.6f")
)
# No more than 16 digits before the point: longer ones a float cannot keep, so they are codes or need exact care.
_WHOLE = "(?:0|[1-9][0-9]{0,15})"
_NOT_FINITE = "[+-]?(?:nan|inf|infinity)"

Test = Callable[[pl.Expr], pl.Expr]


@dataclass(frozen=True)
class Reading:
    """One way to understand a cell. `wider`: names of the readings that fit whatever this one fits."""

    name: str
    dtype: pl.DataType
    fits: Test
    wider: tuple[str, ...] = ()
    spelling: Spelling = field(default_factory=Spelling)


def readings(decimal: str) -> tuple[Reading, ...]:
    """All readings, the narrower before the wider."""
    point = "," if decimal == "," else r"\."
    plain = f"^-?{_WHOLE}(?:{point}[0-9]+)?$"
    number = f"^-?(?:{_WHOLE}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?$|^(?i:{_NOT_FINITE})$"

    def is_number(cells: pl.Expr) -> pl.Expr:
        # 1e999 would become infinite: only the words may ("n" occurs in all of these and in no number)
        finite = _as_float(cells, decimal).is_finite() | cells.str.contains("(?i)n")
        return cells.str.contains(number) & finite

    integer = Reading("integer", pl.Int64(), _is_integer)
    numeric = (
        integer,
        Reading("plain", pl.Float64(), lambda cells: cells.str.contains(plain)),
        Reading("number", pl.Float64(), is_number),
        Reading("padded integer", pl.Int64(), _stripped(_is_integer)),
        Reading("padded number", pl.Float64(), _stripped(is_number)),
        Reading(
            "suspect", pl.String(), _stripped(lambda cells: is_number(cells) | cells.is_in(MISSING_WORDS))
        ),
    )
    digits = Reading("digits", pl.String(), lambda cells: cells.str.contains("^-?[0-9]+$"))
    return (*_nested(numeric), digits, *_truths(), *_times())


def _nested(numeric: tuple[Reading, ...]) -> list[Reading]:
    # Each fits what those before it fit, except that blanks around an integer are no plain number.
    order = [reading.name for reading in numeric]
    wider = {name: tuple(order[position + 1 :]) for position, name in enumerate(order)}
    for name in ("plain", "number"):
        wider[name] = tuple(other for other in wider[name] if other != "padded integer")
    wider["integer"] += ("digits",)
    return [
        replace(each, wider=wider[each.name], spelling=Spelling(blanks=each.name.startswith("padded")))
        for each in numeric
    ]


def _truths() -> Iterable[Reading]:
    for words in _WORDS:
        test = _one_of(words)
        yield Reading(words[0], pl.Boolean(), test, (), Spelling(words=words))


def _times() -> Iterable[Reading]:
    yield Reading("date", pl.Date(), _is_date)
    for pattern in _PATTERNS:
        yield Reading(pattern, pl.Datetime("us"), _is_time(pattern), (), Spelling(pattern=pattern))


def _gives_back(written: pl.Expr, cells: pl.Expr) -> pl.Expr:
    # Null where the cell is; no value is written as the empty text.
    return written.fill_null("") == cells


def _is_integer(cells: pl.Expr) -> pl.Expr:
    return _gives_back(cells.cast(pl.Int64, strict=False).cast(pl.String), cells)


def _is_date(cells: pl.Expr) -> pl.Expr:
    return _gives_back(cells.str.to_date("%Y-%m-%d", strict=False).dt.to_string("%Y-%m-%d"), cells)


def _is_time(pattern: str) -> Test:
    def test(cells: pl.Expr) -> pl.Expr:
        times = cells.str.to_datetime(pattern, strict=False, time_unit="us")
        return _gives_back(times.dt.to_string(pattern), cells)

    return test


def _one_of(words: tuple[str, str]) -> Test:
    return lambda cells: cells.is_in(words)


def _stripped(test: Test) -> Test:
    return lambda cells: test(cells.str.strip_chars())


def _as_float(cells: pl.Expr, decimal: str) -> pl.Expr:
    if decimal == ",":
        cells = cells.str.replace(",", ".", literal=True)
    return cells.cast(pl.Float64, strict=False)


def present(column: str, dialect: Dialect) -> pl.Expr:
    """The cells of a text column, null where they are missing.

    The parser gives null for an empty cell and an empty text for two quotation marks; where all cells are quoted, these
    are the only way to leave one empty.
    """
    cells = pl.col(column)
    nulls = dialect.nulls(column)
    if "" not in nulls:
        cells = cells.fill_null("")
    spelled = [null for null in nulls if null or dialect.quoting == "always"]
    if spelled:
        cells = pl.when(cells.is_in(spelled)).then(None).otherwise(cells)
    return cells.alias(column)


def filled(column: str, dialect: Dialect) -> pl.Expr:
    """The cells that must be values if the column is no text: two quotation marks then mean a missing cell too."""
    cells = present(column, dialect)
    return pl.when(cells != "").then(cells).alias(column) if "" in dialect.nulls(column) else cells


def _bare(cells: pl.Expr, spelling: Spelling) -> pl.Expr:
    return cells.str.strip_chars() if spelling.blanks else cells


def typed(column: str, dtype: pl.DataType, spelling: Spelling, dialect: Dialect) -> pl.Expr:
    """The values of a text column as `dtype`; null where a cell is no such value."""
    cells = present(column, dialect)
    if dtype == pl.String:
        return cells
    if dtype.is_float():
        return _as_float(_bare(cells, spelling), dialect.decimal).cast(dtype)
    if dtype.is_integer():
        return _bare(cells, spelling).cast(dtype, strict=False)
    if dtype == pl.Boolean:
        true, false = spelling.words or _WORDS[0]
        return pl.when(cells == true).then(True).when(cells == false).then(False)
    if dtype == pl.Date:
        return cells.str.to_date("%Y-%m-%d", strict=False)
    if dtype == pl.Datetime:
        return cells.str.to_datetime(spelling.pattern or _PATTERNS[0], strict=False, time_unit="us")
    raise FileError(f"Column '{column}' of a text cannot be read as {dtype}.")


@dataclass
class _State:
    """What is known of one column so far. `candidates` begins with the reading that fits all cells met."""

    candidates: tuple[Reading, ...]
    met: bool = False
    fewest: int | None = None
    most: int | None = None
    trailing_zeros: bool = False
    words: set[str] = field(default_factory=set)
    n_words: int = 0
    n_numbers: int = 0

    @property
    def reading(self) -> Reading | None:
        return self.candidates[0] if self.candidates else None

    def widen(self) -> None:
        refused, *rest = self.candidates
        self.candidates = tuple(each for each in rest if not self.met or each.name in refused.wider)
        if self.met and refused.name == "integer":
            self.fewest = self.most = 0
        self.n_numbers += self.met and refused.dtype.is_numeric()

    def merge_decimals(self, fewest: int | None, most: int | None, trailing_zeros: bool) -> None:
        if fewest is None or most is None:
            return
        self.fewest = fewest if self.fewest is None else min(self.fewest, fewest)
        self.most = most if self.most is None else max(self.most, most)
        self.trailing_zeros |= trailing_zeros


@dataclass(frozen=True)
class Finding:
    """The type of one column, how it is spelled, what should be said of it, and words that probably mean missing."""

    dtype: pl.DataType
    spelling: Spelling
    note: str | None = None
    suspects: tuple[str, ...] = ()

    def is_typed_as(self, other: Finding) -> bool:
        """Whether cells are read by the same rule."""
        mine, theirs = self.spelling, other.spelling
        rule = (self.dtype, mine.words, mine.pattern, mine.blanks)
        return rule == (other.dtype, theirs.words, theirs.pattern, theirs.blanks)


class Inference:
    """Finds the type of each text column from batches of rows, in any number."""

    def __init__(self, names: Iterable[str], dialect: Dialect) -> None:
        self._dialect = dialect
        self._states = {name: _State(readings(dialect.decimal)) for name in names}

    def observe(self, batch: pl.DataFrame) -> None:
        """Take a batch of rows into account."""
        cells = self.glance(batch)
        self._note_decimals(cells)
        self._note_words(cells)
        for name, count in cells.select(pl.all().count()).to_dict().items():
            self._states[name].met |= count[0] > 0

    def glance(self, batch: pl.DataFrame) -> pl.DataFrame:
        """Give up readings that the batch does not fit, and count nothing. A few rows spare tests of many."""
        waiting = {name: state for name, state in self._states.items() if state.candidates}
        cells = batch.select(filled(name, self._dialect) for name in waiting)
        while waiting:
            waiting = self._refused(cells, waiting)
        return cells

    def findings(self) -> Mapping[str, Finding]:
        """The types after all batches."""
        return {name: _finding(state) for name, state in self._states.items()}

    def _refused(self, cells: pl.DataFrame, waiting: Mapping[str, _State]) -> dict[str, _State]:
        """Test the present reading of each column, and widen those that the batch does not fit."""
        tests = [
            state.reading.fits(pl.col(name)).all().alias(name)
            for name, state in waiting.items()
            if state.reading
        ]
        fits = cells.select(tests).row(0, named=True)
        refused = {name: waiting[name] for name, fit in fits.items() if not fit}
        for state in refused.values():
            state.widen()
        return {name: state for name, state in refused.items() if state.candidates}

    def _named(self, reading: str) -> dict[str, _State]:
        return {
            name: state
            for name, state in self._states.items()
            if state.reading and state.reading.name == reading
        }

    def _note_decimals(self, cells: pl.DataFrame) -> None:
        plain = self._named("plain")
        states = plain | self._named("number")
        if not states:
            return
        point = "," if self._dialect.decimal == "," else "."
        places = cells.select(_decimal_places(name, point, name in plain) for name in states)
        fewest, most = places.min().row(0, named=True), places.max().row(0, named=True)
        # 12.0 is how some programs write any whole number; 153.10 is not
        codes = [(pl.col(name).str.ends_with("0") & (places[name] > 1)).any().alias(name) for name in states]
        zeros = cells.select(codes).row(0, named=True)
        for name, state in states.items():
            state.merge_decimals(fewest[name], most[name], zeros[name])

    def _note_words(self, cells: pl.DataFrame) -> None:
        for name, state in self._named("suspect").items():
            stripped = cells[name].drop_nulls().str.strip_chars()
            words = stripped.filter(stripped.is_in(MISSING_WORDS))
            state.words.update(words.unique())
            state.n_words += len(words)
            state.n_numbers += len(stripped) - len(words)


def _decimal_places(name: str, point: str, plain: bool) -> pl.Expr:
    cells = pl.col(name)
    places = (cells.str.len_bytes() - 1 - cells.str.find(point, literal=True)).fill_null(0)
    counted = cells.is_not_null() if plain else ~cells.str.contains("[eEnN]")  # no exponents, no words
    return pl.when(counted).then(places).cast(pl.Int64).alias(name)


def _finding(state: _State) -> Finding:
    reading = state.reading
    # A column without any cell is text: nothing speaks for a number.
    if reading is None or not state.met:
        return Finding(pl.String(), Spelling())
    if reading.name == "suspect":
        return _suspect(state)
    spelling = Spelling() if reading.dtype == pl.String else reading.spelling
    if reading.name in ("plain", "number"):
        spelling = replace(spelling, fewest_decimals=state.fewest, most_decimals=state.most)
    return Finding(reading.dtype, spelling, _note(reading.name, state))


def _suspect(state: _State) -> Finding:
    if not state.n_numbers:
        return Finding(pl.String(), Spelling())
    note = (
        f"numbers but for {state.n_words} cells with a usual word for missing ({len(state.words)} different); kept as "
        "text: declare these words as missing to read numbers"
    )
    return Finding(pl.String(), Spelling(), note, tuple(sorted(state.words)))


def _note(name: str, state: _State) -> str | None:
    if name in ("plain", "number") and state.trailing_zeros and state.fewest != state.most:
        return "numbers with trailing zeros and a varying number of decimals: possibly codes; their text can be had"
    if name == "digits":
        return "digits with leading zeros, or too many for an integer; kept as text"
    if name.startswith("padded"):
        return "numbers with blanks around them; the blanks are not kept"
    return None
