"""Recipes: how a release was made, as one readable TOML file; and what of it may be published.

`Recipe` is internal: with it, the same input gives the same bytes. It holds the seed. `PublicRecipe` is another type
with another file name: no seed, no hash of the input, nothing derived from single records.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from discreet.errors import InputError
from discreet.table.schema import WITHHELD, Schema

INTERNAL_SUFFIX = ".recipe.toml"
PUBLIC_SUFFIX = ".public-recipe.toml"
_OF_RECIPE = (
    "discreet",
    "seed",
    "input_sha256",
    "output_sha256",
    "file_sha256",
    "draw",
    "method",
    "reading",
    "claims",
)
_OF_SCHEMA = ("columns", "taxonomies")
_HEADER = "# INTERNAL: the seed can undo the protection. Do not publish this file.\n\n"
_PUBLIC_HEADER = "# How this file was protected. May be published with it.\n\n"


@dataclass(frozen=True)
class Recipe:
    """All that is needed to make a release again. Internal: holds the seed.

    `method` is plain data (`base.parameters`). `input_sha256` is of the input file's bytes, or of the table's content
    where there was no file; `output_sha256` is of the released table's content, `file_sha256` of the bytes of the file it
    was written to, empty where it was not written. `reading` says how the input file was read, `draw` which of the releases
    of one fit this is.
    """

    method: Mapping[str, Any]
    schema: Schema
    seed: int = field(repr=False)
    version: str
    input_sha256: str = field(default="", repr=False)
    output_sha256: str = ""
    file_sha256: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    draw: int = 0

    def to_toml(self, *, folder: str | Path | None = None) -> str:
        """The recipe as TOML text that is to be written into `folder` (None: the working directory)."""
        document: dict[str, Any] = {
            "discreet": self.version,
            "seed": hex(self.seed),
            "input_sha256": self.input_sha256,
            "output_sha256": self.output_sha256,
            "file_sha256": self.file_sha256,
            "draw": self.draw,
            "method": dict(self.method),
            "reading": dict(self.reading),
        }
        said = {key: entry for key, entry in document.items() if entry not in ("", {}, 0)}
        place = None if folder is None else Path(folder)
        return _HEADER + tomli_w.dumps(said | self.schema.to_dict(folder=place))

    @classmethod
    def from_toml(cls, text: str, *, folder: Path | None = None) -> Recipe:
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as fault:
            raise InputError(f"The recipe is not valid TOML: {fault}.") from None
        if unknown := sorted(set(document) - {*_OF_RECIPE, *_OF_SCHEMA}):
            raise InputError(f"A recipe has no part {', '.join(unknown)}. Correct the name, or remove it.")
        lacking = [key for key in ("discreet", "method", "columns") if key not in document]
        if lacking:
            raise InputError(f"This is not a recipe: it lacks {', '.join(lacking)}.")
        if "seed" not in document:
            raise InputError(
                f"This recipe has no seed: it is the publishable one. Replay needs the internal *{INTERNAL_SUFFIX}."
            )
        return cls(
            method=document["method"],
            schema=Schema.from_dict(
                {key: document[key] for key in _OF_SCHEMA if key in document}, folder=folder
            ),
            seed=_seed_of(document["seed"]),
            version=document["discreet"],
            input_sha256=document.get("input_sha256", ""),
            output_sha256=document.get("output_sha256", ""),
            file_sha256=document.get("file_sha256", ""),
            reading=document.get("reading", {}),
            draw=_draw_of(document.get("draw", 0)),
        )

    @classmethod
    def read(cls, path: str | Path) -> Recipe:
        path = Path(path)
        if not path.is_file():
            raise InputError(f"There is no recipe '{path}'.")
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise InputError(f"The recipe '{path}' is not UTF-8 text. Save it as UTF-8.") from None
        return cls.from_toml(text, folder=path.parent)


def _seed_of(entry: Any) -> int:
    try:
        seed = int(str(entry), 0)
    except ValueError:
        seed = -1
    if seed < 0:
        raise InputError("The recipe's seed must be a whole number, 0 or more, as text (0x... or decimal).")
    return seed


def _draw_of(entry: Any) -> int:
    if isinstance(entry, bool) or not isinstance(entry, int) or entry < 0:
        raise InputError("The recipe's draw must be a whole number, 0 or more.")
    return entry


@dataclass(frozen=True)
class PublicRecipe:
    """What may be told about a release: method, parameters, claims, declared columns."""

    method: Mapping[str, Any]
    schema: Schema
    version: str
    claims: tuple[str, ...] = ()

    @classmethod
    def of(cls, recipe: Recipe, released: Schema, claims: tuple[str, ...]) -> PublicRecipe:
        return cls(recipe.method, released, recipe.version, claims)

    def to_toml(self) -> str:
        columns = {
            v.name: {k: entry for k, entry in v.to_dict().items() if k in ("kind", "role")}
            for v in self.schema
            if v.role not in WITHHELD
        }
        document = {
            "discreet": self.version,
            "claims": list(self.claims),
            "method": dict(self.method),
            "columns": columns,
        }
        return _PUBLIC_HEADER + tomli_w.dumps(document)
