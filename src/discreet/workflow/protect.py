"""Protecting in one call, and from file to file."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from discreet.recipe import INTERNAL_SUFFIX, PUBLIC_SUFFIX, Recipe
from discreet.release import Method, Release, prepare
from discreet.table.files.atomic import Staged
from discreet.table.files.writing import write_onto
from discreet.table.frames import Frame
from discreet.table.load import Opened, open_data
from discreet.table.polars_frame import as_polars
from discreet.table.schema import Schema
from discreet.workflow.methods import DEFAULT
from discreet.workflow.replay import check_same_output


def protect(
    data: Frame | str | Path,
    method: Method | None = None,
    schema: Schema | str | Path | None = None,
    *,
    seed: int | None = None,
    **reading: Any,
) -> Release:
    """Protect a dataframe or a file with the default recipe, or with any method.

    Args:
        data: a pandas or polars dataframe, an Arrow table, or the path of a file.
        method: None: microaggregation of the quasi-identifiers with k = 5, which gives 5-anonymity over them.
        schema: what each column is, or the path of a schema file; guessed where None.
        seed: a secret whole number; None takes 128 bits from the system.
        reading: how to read a file (`delimiter`, `encoding`, `decimal`, `format`, `null_values`).

    Example:
        >>> import discreet as dc
        >>> release = dc.protect(dc.simulate_patients(200, seed=1))
        >>> release.claims[0].verdict.attained
        'smallest group of equal records: 5'
    """
    opened = open_data(data, **reading)
    return prepare(method or DEFAULT, opened, _schema(schema), seed).release()


def infer(data: Frame | str | Path, **reading: Any) -> Schema:
    """Guess what each column of a dataframe or a file is; print the schema to see the reasons."""
    opened = open_data(data, **reading)
    return opened.guessed_schema()


def _schema(schema: Schema | str | Path | None) -> Schema | None:
    return Schema.read(schema) if isinstance(schema, (str, Path)) else schema


@dataclass(frozen=True)
class Outputs:
    """Where the files of a release lie. `recipe` is internal; all others may be published."""

    data: Path
    recipe: Path
    public_recipe: Path
    report: Path

    @classmethod
    def beside(cls, data: str | Path) -> Outputs:
        """safe.csv -> safe.recipe.toml, safe.public-recipe.toml, safe.report.html beside it."""
        path = Path(data)
        stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
        return cls(
            path,
            path.with_name(stem + INTERNAL_SUFFIX),
            path.with_name(stem + PUBLIC_SUFFIX),
            path.with_name(stem + ".report.html"),
        )


def write_release(
    release: Release,
    output: str | Path,
    *,
    opened: Opened | None = None,
    report: str | None = None,
    again: Recipe | None = None,
    force: bool = False,
) -> tuple[Outputs, Recipe]:
    """Write data, both recipes and the report: all of them, or none.

    `opened` is the input the release was made from, whose flavour (delimiter, labels) the output keeps. The recipe on
    disk also holds the hash of the output's bytes. `again` is a recipe whose recorded output must come out.
    """
    outputs = Outputs.beside(output)
    source = opened.source if opened is not None else None
    with Staged(force=force, inputs=[source.path] if source is not None else []) as staged:
        temporary = staged.add(outputs.data)
        flavour = source.format if source is not None else None
        write_onto(as_polars(release.data), temporary, outputs.data, flavour)
        recipe = replace(release.recipe, file_sha256=sha256_of(temporary))
        if again is not None:
            check_same_output(again, recipe)
        text = recipe.to_toml(folder=outputs.recipe.parent)
        staged.add(outputs.recipe, private=True).write_text(text, encoding="utf-8")
        staged.add(outputs.public_recipe).write_text(release.public_recipe.to_toml(), encoding="utf-8")
        if report is not None:
            staged.add(outputs.report).write_text(report, encoding="utf-8")
    return outputs, recipe


def sha256_of(path: Path) -> str:
    """Hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
