"""Replay: the same bytes from the same input, or the same plan on another file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import ClaimError
from discreet.recipe import Recipe
from discreet.release import Release, prepare, table_sha256
from discreet.stats.streams import new_seed
from discreet.table.frames import Frame, encode
from discreet.table.load import Opened, open_data
from discreet.version import VERSION
from discreet.workflow.methods import build_method


@dataclass(frozen=True, eq=False)
class Replayed:
    """A release made by a recipe, the input it was made from, and whether that input is the recipe's own."""

    release: Release
    opened: Opened
    same_input: bool


def replay(
    recipe: Recipe | str | Path,
    data: Frame | str | Path,
    *,
    seed: int | None = None,
    methods: Sequence[type] = (),
    **reading: Any,
) -> Release:
    """Apply a recipe again.

    On the input it was made from, the release is the same to the last bit; this is checked, and another release is
    refused (`ClaimError`). On another file the plan is the same but the seed is new, since two files under one noise can
    be subtracted; give `seed` to decide otherwise.

    Example:
        >>> import polars as pl
        >>> from discreet.masking.noise import Noise
        >>> from discreet.table.schema import Schema, Variable
        >>> pay = pl.DataFrame({"pay": [10.0, 20.0, 40.0]})
        >>> schema = Schema((Variable(name="pay", kind="numeric", role="confidential"),))
        >>> second = Noise(0.5).prepare(pay, schema).release(1)
        >>> replay(second.recipe, pay).data.equals(second.data)
        True
    """
    return replay_opened(recipe, data, seed=seed, methods=methods, **reading).release


def replay_opened(
    recipe: Recipe | str | Path,
    data: Frame | str | Path,
    *,
    seed: int | None = None,
    methods: Sequence[type] = (),
    **reading: Any,
) -> Replayed:
    """`replay`, with the opened input for whoever writes files."""
    plan = recipe if isinstance(recipe, Recipe) else Recipe.read(recipe)
    opened = open_data(data, **_reading(plan, data, reading))
    method = build_method(plan.method, methods)
    same = _is_own_input(plan, opened)
    chosen = new_seed() if seed is None else seed
    release = prepare(method, opened, plan.schema, plan.seed if same else chosen).release(plan.draw)
    if same:
        check_same_output(plan, release.recipe)
    return Replayed(release, opened, same)


def _is_own_input(plan: Recipe, opened: Opened) -> bool:
    """Whether the file's bytes, or the content of its table, are what the recipe was made from."""
    if opened.sha256 is not None and opened.sha256 == plan.input_sha256:
        return True
    return table_sha256(encode(opened.frame, plan.schema, opened.text_of)[0]) == plan.input_sha256


def check_same_output(recorded: Recipe, made: Recipe) -> None:
    """Refuse a replay on the recipe's own input that did not give the recorded table, or file where both have one."""
    other = f" (made by version {recorded.version}, this is {VERSION})" if recorded.version != VERSION else ""
    if _differ(recorded.output_sha256, made.output_sha256):
        raise ClaimError(
            f"The replay does not give the recorded output{other}. Use the recorded version and the recorded way of "
            "reading the input, or protect anew."
        )
    if _differ(recorded.file_sha256, made.file_sha256):
        raise ClaimError(
            f"The replay gives the recorded table, but not the recorded bytes{other}. Write a file with the same ending as "
            "the recorded one."
        )


def _differ(one: str, other: str) -> bool:
    """Hashes of one kind that are not equal; what was not recorded cannot differ."""
    return bool(one and other) and one != other


def _reading(plan: Recipe, data: Any, given: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(data, (str, Path)):
        return given
    return dict(plan.reading) | given
