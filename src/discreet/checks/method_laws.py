"""The laws every method obeys. Each is a function named for what it proves; it raises AssertionError where it fails.

Authors of methods outside the library can run `all_method_laws` on their own. Frames are handed in by the caller, so that
a law holds for every dataframe library that the caller has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from discreet.base import Draft
from discreet.errors import InputError
from discreet.release import Method, Prepared, Release
from discreet.table.frames import as_frame, encode
from discreet.table.schema import WITHHELD, Schema
from discreet.table.table import Table

SEED = 20_240_117


def protected(method: Method, frame: Any, schema: Schema, seed: int = SEED) -> Release:
    """One release under a fixed seed."""
    return method.protect(frame, schema, seed=seed)


def original(frame: Any, schema: Schema) -> Table:
    return encode(frame, schema)[0]


def input_is_untouched(method: Method, frame: Any, schema: Schema) -> None:
    """Protecting changes nothing in the data that came in."""
    before = original(frame, schema)
    before = before.take(np.arange(before.n_records))
    protected(method, frame, schema)
    assert original(frame, schema).same_as(before), "the input was changed"


def same_seed_gives_same_release(method: Method, frame: Any, schema: Schema) -> None:
    """Two releases under one seed are equal to the last bit."""
    one, other = protected(method, frame, schema), protected(method, frame, schema)
    assert one.table.same_as(other.table), "the same seed gave another release"
    assert one.recipe == other.recipe, "the same seed gave another recipe"


def shape_is_carried_along(method: Method, frame: Any, schema: Schema) -> None:
    """Same library, same columns in the same order (withheld ones gone), same number of records."""
    release = protected(method, frame, schema)
    kept = [name for name in as_frame(frame).columns if schema[name].role not in WITHHELD]
    after = as_frame(release.data)
    assert type(release.data) is type(frame), "the release is of another dataframe library"
    assert after.columns == kept, "the columns are not the input's, in order"
    assert len(after) == len(as_frame(frame)), "records were lost or added"


def identifiers_never_reach_the_release(method: Method, frame: Any, schema: Schema) -> None:
    """No withheld column is released, nor named in the recipe that may be published."""
    release = protected(method, frame, schema)
    public = release.public_recipe.to_toml()
    for variable in schema.of_role(*WITHHELD):
        assert variable.name not in as_frame(release.data).columns
        assert f"[columns.{variable.name}]" not in public


def missing_stays_missing(method: Method, frame: Any, schema: Schema) -> None:
    """A cell without a value before has none after, for the same reason."""
    before, release = original(frame, schema), protected(method, frame, schema)
    if release.reordered:
        return
    for column in release.table.columns:
        lacking = before[column.name].missing
        assert column.missing[lacking].all(), f"{column.name}: a missing cell was filled"


def other_columns_are_untouched(method: Method, frame: Any, schema: Schema, treated: Iterable[str]) -> None:
    """Columns that the method does not name come out as they went in."""
    before, release = original(frame, schema), protected(method, frame, schema)
    for column in release.table.columns:
        if column.name not in set(treated) and not release.reordered:
            assert column.same_as(before[column.name]), f"{column.name}: changed without being asked"


def support_is_respected(method: Method, frame: Any, schema: Schema) -> None:
    """Numbers keep their declared decimals and bounds; categories stay among their levels."""
    for column in protected(method, frame, schema).table.columns:
        shown = column.values[~column.missing]
        if column.kind != "numeric":
            assert ((shown >= 0) & (shown < len(column.levels))).all(), f"{column.name}: unknown category"
            continue
        variable = column.variable
        assert np.isfinite(shown).all(), f"{column.name}: not finite"
        if variable.decimals is not None:
            assert np.allclose(shown, np.round(shown, variable.decimals)), f"{column.name}: more decimals"
        assert variable.lower is None or (shown >= variable.lower).all(), f"{column.name}: below its bound"
        assert variable.upper is None or (shown <= variable.upper).all(), f"{column.name}: above its bound"


def draws_differ_and_repeat(method: Method, frame: Any, schema: Schema) -> None:
    """One fit gives any number of releases, each repeatable by its number."""
    prepared: Prepared = method.prepare(frame, schema, seed=SEED)
    assert prepared.release(1).table.same_as(prepared.release(1).table)
    assert prepared.release(0).table.same_as(protected(method, frame, schema).table)


def recipe_survives_toml(method: Method, frame: Any, schema: Schema) -> None:
    """The recipe read back from its file is the recipe."""
    recipe = protected(method, frame, schema).recipe
    assert type(recipe).from_toml(recipe.to_toml()).to_toml() == recipe.to_toml()


def works_or_explains(
    method: Method, frame: Any, schema: Schema, private: Iterable[str] = ()
) -> Draft | None:
    """On any table: a release whose claims hold, or one clear error without a cell value in it."""
    try:
        protected(method, frame, schema)
    except InputError as fault:
        message = str(fault)
        assert message, "an error without a word"
        for value in private:
            assert value not in message, "a cell value stands in an error message"
    return None


METHOD_LAWS: tuple[Callable[[Method, Any, Schema], None], ...] = (
    input_is_untouched,
    same_seed_gives_same_release,
    shape_is_carried_along,
    identifiers_never_reach_the_release,
    missing_stays_missing,
    support_is_respected,
    draws_differ_and_repeat,
    recipe_survives_toml,
)


def all_method_laws(method: Method, frame: Any, schema: Schema) -> None:
    """Every law that holds for any method, on one frame."""
    for law in METHOD_LAWS:
        law(method, frame, schema)
