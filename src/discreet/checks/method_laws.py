"""The laws every method obeys. Each is a function named for what it proves; it raises AssertionError where it fails.

A `Case` is a method with what the laws must know about it. Authors of methods outside the library list theirs and call
`all_method_laws`; the tables are in `tables`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import numpy as np

from discreet.checks.tables import PRIVATE, SCHEMA, frame_of, hostile_cells, many_categories, plain_cells
from discreet.errors import InputError
from discreet.recipe import Recipe
from discreet.release import Method, Prepared, Release
from discreet.table.frames import as_frame, encode
from discreet.table.schema import WITHHELD, Schema
from discreet.table.table import Table
from discreet.workflow.methods import METHODS, build_method
from discreet.workflow.replay import replay

SEED = 20_240_117
CLOSE = 1e-9  # numbers that agree to this, relative or absolute, are unchanged


@dataclass(frozen=True)
class Case:
    """A method, and what is promised of it.

    Args:
        method: to be tried.
        treats: the columns of the common table that it changes.
        draws: whether another seed, or another number of release, gives another table.
        idle: the same method at zero strength, which changes nothing; None where it has no such setting.
        loose: whether the columns treated are released with all digits, whatever was declared for them.
        own_parameters: False for a method whose parameters are other methods, which check theirs.
    """

    method: Method
    treats: tuple[str, ...]
    draws: bool = False
    idle: Method | None = None
    loose: bool = False
    own_parameters: bool = True

    def __str__(self) -> str:
        return type(self.method).__name__


def protected(method: Method, frame: Any, schema: Schema, seed: int = SEED) -> Release:
    """One release under a fixed seed."""
    return method.protect(frame, schema, seed=seed)


def original(frame: Any, schema: Schema) -> Table:
    return encode(frame, schema)[0]


# -- what goes in, what comes out ------------------------------------------------------------------------------


def input_is_untouched(case: Case, frame: Any, schema: Schema) -> None:
    """Protecting changes nothing in the data that came in."""
    before = original(frame, schema)
    before = before.take(np.arange(before.n_records))
    protected(case.method, frame, schema)
    assert original(frame, schema).same_as(before), "the input was changed"


def shape_is_carried_along(case: Case, frame: Any, schema: Schema) -> None:
    """Same library, same columns in the same order (withheld ones gone), same number of records."""
    release = protected(case.method, frame, schema)
    kept = [name for name in as_frame(frame).columns if schema[name].role not in WITHHELD]
    after = as_frame(release.data)
    assert type(release.data) is type(frame), "the release is of another dataframe library"
    assert after.columns == kept, "the columns are not the input's, in order"
    assert len(after) == len(as_frame(frame)), "records were lost or added"


def identifiers_never_reach_the_release(case: Case, frame: Any, schema: Schema) -> None:
    """No withheld column is released, nor named in the recipe that may be published."""
    release = protected(case.method, frame, schema)
    public = release.public_recipe.to_toml()
    for variable in schema.of_role(*WITHHELD):
        assert variable.name not in as_frame(release.data).columns
        assert f"[columns.{variable.name}]" not in public


def missing_stays_missing(case: Case, frame: Any, schema: Schema) -> None:
    """A cell without a value before has none after."""
    before, release = original(frame, schema), protected(case.method, frame, schema)
    if release.reordered:
        return
    for column in release.table.columns:
        lacking = before[column.name].missing
        assert column.missing[lacking].all(), f"{column.name}: a missing cell was filled"


def only_its_columns_are_changed(case: Case, frame: Any, schema: Schema) -> None:
    """Columns that the method does not treat come out as they went in; those it treats do not, all of them."""
    before, release = original(frame, schema), protected(case.method, frame, schema)
    if release.reordered:
        return
    changed = {c.name for c in release.table.columns if not c.same_as(before[c.name])}
    assert changed <= set(case.treats), f"changed without being asked: {sorted(changed - set(case.treats))}"
    assert changed, "nothing was changed"


def support_is_respected(case: Case, frame: Any, schema: Schema) -> None:
    """Numbers keep their declared decimals and bounds, categories stay among their levels, and the schema says so."""
    before = original(frame, schema)
    for column in protected(case.method, frame, schema).table.columns:
        shown = column.values[~column.missing]
        if column.kind != "numeric":
            assert ((shown >= 0) & (shown < len(column.levels))).all(), f"{column.name}: unknown category"
            continue
        declared, held = before[column.name].variable, column.variable
        is_loose = case.loose and column.name in case.treats
        support = (None, None, None) if is_loose else (declared.decimals, declared.lower, declared.upper)
        assert (held.decimals, held.lower, held.upper) == support, (
            f"{column.name}: another support is declared"
        )
        assert np.isfinite(shown).all(), f"{column.name}: not finite"
        if held.decimals is not None:
            assert np.allclose(shown, np.round(shown, held.decimals)), f"{column.name}: more decimals"
        assert held.lower is None or (shown >= held.lower).all(), f"{column.name}: below its bound"
        assert held.upper is None or (shown <= held.upper).all(), f"{column.name}: above its bound"


def types_stay(case: Case, frame: Any, schema: Schema) -> None:
    """Whole numbers stay whole numbers and texts texts, but for recoded columns and those released loose."""
    own, release = original(frame, schema), protected(case.method, frame, schema)
    before, after = as_frame(frame).schema, as_frame(release.data).schema
    for column in release.table.columns:
        is_loose = case.loose and column.name in case.treats
        is_recoded = column.kind != own[column.name].kind or column.levels != own[column.name].levels
        if not is_loose and not is_recoded:
            assert after[column.name] == before[column.name], f"{column.name}: another type"


def zero_strength_changes_nothing(case: Case, frame: Any, schema: Schema) -> None:
    """The method at zero strength gives the input back, numbers to rounding."""
    if case.idle is None:
        return
    before, release = original(frame, schema), protected(case.idle, frame, schema)
    for column in release.table.columns:
        own = before[column.name]
        assert np.array_equal(column.missing, own.missing), f"{column.name}: other cells are missing"
        if column.is_numeric:
            near = np.isclose(column.numbers, own.numbers, rtol=CLOSE, atol=CLOSE)
            assert near[~own.missing].all(), f"{column.name}: changed at zero strength"
        else:
            assert column.same_as(own), f"{column.name}: changed at zero strength"


# -- chance and repetition -------------------------------------------------------------------------------------


def same_seed_gives_same_release(case: Case, frame: Any, schema: Schema) -> None:
    """Two releases under one seed are equal to the last bit, and so are two of one number."""
    one, other = protected(case.method, frame, schema), protected(case.method, frame, schema)
    assert one.table.same_as(other.table), "the same seed gave another release"
    assert one.recipe == other.recipe, "the same seed gave another recipe"
    prepared: Prepared = case.method.prepare(frame, schema, seed=SEED)
    assert prepared.release(1).table.same_as(prepared.release(1).table), (
        "the same number gave another release"
    )
    assert prepared.release(0).table.same_as(one.table), "release 0 is not the one that protect gives"


def another_seed_or_number_gives_another_release(case: Case, frame: Any, schema: Schema) -> None:
    """Of a method that draws, and the same one of a method that does not."""
    prepared: Prepared = case.method.prepare(frame, schema, seed=SEED)
    own = prepared.release(0).table
    by_number = not prepared.release(1).table.same_as(own)
    by_seed = not protected(case.method, frame, schema, SEED + 1).table.same_as(own)
    assert by_number == case.draws, (
        "releases of two numbers differ" if by_number else "releases do not differ"
    )
    assert by_seed == case.draws, "releases under two seeds differ" if by_seed else "the seed does not matter"


def thread_count_does_not_matter(case: Case, frame: Any, schema: Schema) -> None:
    """One thread or all there are: the same bits."""
    from numba import config, get_num_threads, set_num_threads

    before = get_num_threads()
    try:
        set_num_threads(1)
        one = protected(case.method, frame, schema).table
        set_num_threads(config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]  # set when numba starts
        assert protected(case.method, frame, schema).table.same_as(one), "threads change the release"
    finally:
        set_num_threads(before)


def recipe_gives_the_release_again(case: Case, frame: Any, schema: Schema) -> None:
    """The recipe read back from its file is the recipe, names an equal method, and replays to the same table."""
    release = protected(case.method, frame, schema)
    again = Recipe.from_toml(release.recipe.to_toml())
    extra = () if isinstance(case.method, METHODS) else (type(case.method),)
    assert again.to_toml() == release.recipe.to_toml(), "the recipe does not survive its file"
    assert build_method(again.method, extra) == case.method, "another method comes back"
    assert replay(again, frame, methods=extra).table.same_as(release.table), "the replay differs"


# -- what is refused -------------------------------------------------------------------------------------------


def works_or_explains(case: Case, frame: Any, schema: Schema) -> bool:
    """On any table: a release whose claims hold (True), or one clear error without a cell value in it (False)."""
    message = _refusal(case, frame, schema)
    if message is None:
        return True
    assert message, "an error without a word"
    assert not any(value in message for value in PRIVATE), "a cell value stands in an error message"
    return False


def _refusal(case: Case, frame: Any, schema: Schema) -> str | None:
    """What the error says, None where there is none; any error but our own goes through."""
    try:
        protected(case.method, frame, schema)
    except InputError as fault:
        return str(fault)
    return None


def bad_parameters_are_refused(case: Case, frame: Any, schema: Schema) -> None:
    """What cannot be a parameter is refused by its name when the method is made; nothing ends in another error."""
    if not case.own_parameters:
        return
    for name, value in _hostile_parameters(case.method):
        made, said = _made(case.method, name, value)
        if made is None:
            assert name in said, f"{name}: the error does not name the parameter"
        else:
            assert not isinstance(value, _Nonsense), f"{name}: anything goes"
            works_or_explains(replace(case, method=made), frame, schema)


def _made(method: Method, name: str, value: Any) -> tuple[Method | None, str]:
    """The method with another parameter, or why not."""
    try:
        return replace(method, **{name: value}), ""
    except InputError as fault:
        return None, str(fault)


class _Nonsense:
    """Neither a number, nor a text, nor a list: no parameter can be one."""


def _hostile_parameters(method: Method) -> Iterator[tuple[str, Any]]:
    """Each parameter with values of every wrong type; numbers that are none; and names of no column."""
    values: tuple[Any, ...] = (
        _Nonsense(),
        "zqx",
        b"x",
        float("nan"),
        float("inf"),
        -1,
        2.5,
        [_Nonsense()],
        ["zqx"],
        [],
        {},
    )
    mappings: tuple[Any, ...] = (
        {"age": _Nonsense()},
        {"age": "zqx"},
        {"age": [_Nonsense()]},
        {"zqx": 1},
        {7: 1},
    )
    for field in fields(method):
        if field.init and not is_dataclass(getattr(method, field.name)):
            yield from ((field.name, value) for value in (*values, *mappings))


METHOD_LAWS: tuple[Callable[[Case, Any, Schema], None], ...] = (
    input_is_untouched,
    shape_is_carried_along,
    identifiers_never_reach_the_release,
    missing_stays_missing,
    only_its_columns_are_changed,
    support_is_respected,
    types_stay,
    zero_strength_changes_nothing,
    same_seed_gives_same_release,
    another_seed_or_number_gives_another_release,
    thread_count_does_not_matter,
    recipe_gives_the_release_again,
    bad_parameters_are_refused,
)


# -- tables and libraries --------------------------------------------------------------------------------------


def hostile_tables_work_or_are_explained(case: Case) -> None:
    """Every hostile table; the plain one of them must work, so that refusing everything passes for nothing."""
    for name, cells in hostile_cells().items():
        worked = works_or_explains(case, frame_of(cells), SCHEMA)
        assert worked or name != "plain", "a plain table is refused"


def a_table_without_its_columns_is_refused(case: Case) -> None:
    """The error names what the method misses, or what there is."""
    schema = Schema(tuple(v for v in SCHEMA if v.name in ("remark", "w")))
    frame = frame_of({name: column for name, column in plain_cells().items() if name in ("remark", "w")})
    said = _refusal(case, frame, schema)
    assert said is not None, "protected a table without any of its columns"
    assert any(word in said for word in ("remark", "role", *case.treats)), "nothing says what is missing"


def many_categories_work_or_are_explained(case: Case) -> None:
    """10^4 categories in a nominal column: a release, or one clear error."""
    works_or_explains(case, frame_of(many_categories()), SCHEMA)


def libraries_agree(case: Case, frames: Mapping[str, Any], schema: Schema) -> None:
    """The same cells in each library give the same release, each in its own."""
    released = {name: protected(case.method, frame, schema) for name, frame in frames.items()}
    first = next(iter(released.values())).table
    for name, release in released.items():
        assert release.table.same_as(first), f"{name}: another release"
        shape_is_carried_along(case, frames[name], schema)


def all_method_laws(case: Case, frame: Any = None, schema: Schema = SCHEMA) -> None:
    """Every law, on the common table or on one of your own under its schema; and on the hostile tables."""
    for law in METHOD_LAWS:
        law(case, frame_of(plain_cells()) if frame is None else frame, schema)
    if frame is None:
        hostile_tables_work_or_are_explained(case)
        a_table_without_its_columns_is_refused(case)
        many_categories_work_or_are_explained(case)
