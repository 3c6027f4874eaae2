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
from discreet.table.frames import Frame
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

    On the input it was made from, the release is the same to the last bit; this is checked. On another file the plan is
    the same but the seed is new, since two files under one noise can be subtracted; give `seed` to decide otherwise.
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
    is_file = opened.sha256 is not None
    same = is_file and opened.sha256 == plan.input_sha256
    prepared = prepare(method, opened, plan.schema, plan.seed if same or seed is None else seed)
    if not is_file:
        same = table_sha256(prepared.table) == plan.input_sha256
    if not same and seed is None:
        prepared = prepare(method, opened, plan.schema, new_seed())
    return Replayed(prepared.release(), opened, same)


def check_same_output(recipe: Recipe, output_sha256: str) -> None:
    """Refuse a replay on the recipe's own input that did not give the recorded bytes."""
    if recipe.output_sha256 and recipe.output_sha256 != output_sha256:
        other = f" (made by version {recipe.version}, this is {VERSION})" if recipe.version != VERSION else ""
        raise ClaimError(
            f"The replay does not give the recorded output{other}. Use the recorded version, or protect anew. The bytes "
            "also differ where the output has another ending than the recorded file."
        )


def _reading(plan: Recipe, data: Any, given: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(data, (str, Path)):
        return given
    return dict(plan.reading) | given
