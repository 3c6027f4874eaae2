"""From data to a release: read, fit, draw, check every claim, and only then hand over.

`Method` is what all published names share; `prepare` fits it to data once, `Prepared.release` draws and checks as
many releases as wanted.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Claim, Draft, Fitted, Partition, Verdict, parameters
from discreet.errors import ClaimError, ParameterError, SchemaError, UnsuitableError
from discreet.progress import stage
from discreet.recipe import PublicRecipe, Recipe
from discreet.stats.streams import Streams, new_seed
from discreet.stats.threads import one_blas_thread
from discreet.strata import fit_apart
from discreet.table.column import Column
from discreet.table.frames import Frame, Layout, decode, encode
from discreet.table.load import Opened, open_data
from discreet.table.schema import Schema
from discreet.table.table import Table
from discreet.version import VERSION

LARGEST = 1e140  # numbers beyond it, or all below its inverse, have no usable squares


@dataclass(frozen=True)
class Proven:
    """A claim with the verdict of its checker."""

    claim: Claim
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.claim.statement} Checked: {self.verdict.attained}."


@dataclass(frozen=True, eq=False)
class Release:
    """A protected table with its claims, proven, and its recipe. Frozen.

    Attributes:
        data: the protected dataframe, of the library that went in.
        claims: what the release guarantees; every one was checked by code that knows nothing of the method.
        recipe: how it was made; internal, holds the seed. `public_recipe` is what may be told.
        schema: what each released column is.
        notes: findings to read before publishing.
        partition: groups, where the method made some; internal.
        reordered: True where records are not in the order of the original.
    """

    data: Frame
    claims: tuple[Proven, ...]
    recipe: Recipe = field(repr=False)
    schema: Schema = field(repr=False)
    notes: tuple[str, ...] = ()
    partition: Partition | None = field(default=None, repr=False)
    table: Table = field(default=None, repr=False)  # type: ignore[assignment]
    reordered: bool = False

    @property
    def public_recipe(self) -> PublicRecipe:
        return PublicRecipe.of(self.recipe, self.schema, tuple(str(proven) for proven in self.claims))

    def __repr__(self) -> str:
        claims = "".join(f"\n  claim: {proven}" for proven in self.claims) or "\n  no claim"
        notes = "".join(f"\n  note: {note}" for note in self.notes)
        shape = f"{self.table.n_records} records, {len(self.table.columns)} columns"
        return f"Release by {self.recipe.method['name']}: {shape}{claims}{notes}"


@dataclass(frozen=True)
class Method:
    """A published name for a way through partition, treatment and restoration.

    A subclass is a frozen dataclass of parameters with `fit`. `strata_apart` False means that the method must see the
    whole table even where strata are declared (recoding, which makes new categories).
    """

    strata_apart: ClassVar[bool] = True

    def fit(self, table: Table, streams: Streams) -> Fitted:
        """Read the data and decide; draws nothing that is released."""
        raise NotImplementedError

    def prepare(
        self,
        data: Frame | str | Path,
        schema: Schema | None = None,
        *,
        seed: int | None = None,
        **reading: Any,
    ) -> Prepared:
        """Fit to data; several releases can be drawn from what this returns."""
        return prepare(self, open_data(data, **reading), schema, seed)

    def protect(
        self,
        data: Frame | str | Path,
        schema: Schema | None = None,
        *,
        seed: int | None = None,
        **reading: Any,
    ) -> Release:
        """Protect a dataframe or a file and prove it.

        Args:
            data: a pandas or polars dataframe, an Arrow table, or the path of a file.
            schema: what each column is; guessed where None.
            seed: a secret whole number; None takes 128 bits from the system.
            reading: how to read a file (`delimiter`, `encoding`, `decimal`, `format`).
        """
        return self.prepare(data, schema, seed=seed, **reading).release()


@dataclass(frozen=True, eq=False)
class Prepared:
    """A method fitted to one table. Internal: holds the original."""

    method: Method
    schema: Schema
    table: Table = field(repr=False)
    layout: Layout = field(repr=False)
    fitted: Fitted = field(repr=False)
    streams: Streams = field(repr=False)
    input_sha256: str = field(repr=False)
    reading: Mapping[str, Any] = field(default_factory=dict)

    def release(self, number: int = 0) -> Release:
        """Draw release `number`, check its claims, hand it over; the same number gives the same release."""
        if number < 0:
            raise ParameterError("`number` must be 0 or more.")
        with one_blas_thread(), stage("protecting"):
            draft = self.fitted.draw(self.streams.at("draw", str(number)))
        layout = replace(self.layout, index=None) if draft.reordered else self.layout
        data, schema = decode(draft.table, layout), released_schema(self.schema, draft.table)
        # Claims are checked on what is handed over, read back as its reader would: not on what the method holds.
        released, _ = encode(data, schema)
        with one_blas_thread(), stage("checking claims"):
            proven = check_claims(draft.claims, self.table, released, draft.partition)
        recipe = Recipe(
            method=parameters(self.method),
            schema=self.schema,
            seed=self.streams.seed,
            version=VERSION,
            input_sha256=self.input_sha256,
            output_sha256=table_sha256(released),
            reading=self.reading,
            draw=number,
        )
        return Release(
            data=data,
            claims=proven,
            recipe=recipe,
            schema=schema,
            notes=(
                *uncovered(draft, self.table),
                *_index_note(layout),
                *_category_note(self.table, released, layout),
                *draft.notes,
            ),
            partition=draft.partition,
            table=released,
            reordered=draft.reordered,
        )


def prepare(method: Method, opened: Opened, schema: Schema | None, seed: int | None) -> Prepared:
    """Read under the schema (guessed where None), refuse what no method can treat, and fit."""
    if schema is None:
        schema = opened.guessed_schema()
    table, layout = encode(opened.frame, schema, opened.text_of)
    refuse_faulty(table)
    streams = Streams(new_seed() if seed is None else seed)
    with one_blas_thread(), stage("fitting"):
        fitted = fit_apart(method, table, streams.at("fit"))
    return Prepared(
        method=method,
        schema=schema,
        table=table,
        layout=layout,
        fitted=fitted,
        streams=streams,
        input_sha256=opened.sha256 or table_sha256(table),
        reading=opened.reading,
    )


def check_claims(
    claims: tuple[Claim, ...], original: Table, released: Table, partition: Partition | None
) -> tuple[Proven, ...]:
    """Every claim with its verdict; raises when one does not hold, so that nothing is released."""
    proven = tuple(Proven(claim, claim.check(original, released, partition)) for claim in claims)
    failed = [entry for entry in proven if not entry.verdict.holds]
    if failed:
        listed = "; ".join(f"{entry.claim.statement} Found: {entry.verdict.attained}" for entry in failed)
        raise ClaimError(f"Nothing is released, because a claim does not hold: {listed}.")
    return proven


def confirmed(
    claims: tuple[Claim, ...], original: Table, later: Table, partition: Partition | None = None
) -> tuple[tuple[Claim, ...], tuple[Claim, ...]]:
    """Of a step's claims those that hold on a later table, and those that what came after gave up."""
    held: list[Claim] = []
    lost: list[Claim] = []
    for claim in claims:
        try:
            holds = claim.check(original, later, partition).holds
        except (KeyError, ValueError):  # a column that is gone, or no longer of the kind the claim is about
            holds = False
        (held if holds else lost).append(claim)
    return tuple(held), tuple(lost)


def uncovered(draft: Draft, original: Table) -> tuple[str, ...]:
    """A note for quasi-identifiers that are released as they were; what is exact for analysts protects nobody."""
    protecting = [claim for claim in draft.claims if not claim.of_pair]
    claimed = {name for claim in protecting for name in getattr(claim, "columns", ())}
    untouched = [
        column.name
        for column in original.of_role("quasi")
        if column.name in draft.table
        and column.name not in claimed
        and draft.table[column.name].same_as(column)
    ]
    if untouched:
        return (f"Quasi-identifiers released as they were, under no claim: {', '.join(untouched)}.",)
    known = {column.name for column in original.of_role("quasi") if column.name in draft.table}
    if not protecting or any(known <= set(getattr(claim, "columns", known)) for claim in protecting):
        return ()
    return (
        f"No claim is about all quasi-identifiers together ({', '.join(sorted(known))}): whoever knows several at once may "
        "still single records out.",
    )


def _index_note(layout: Layout) -> tuple[str, ...]:
    """A word on an index that is more than the numbers of the rows: no role was declared for it."""
    if layout.index is None or type(layout.index).__name__ == "RangeIndex":
        return ()
    return ("The dataframe's index is released as it is. Reset it first if it says who a record is.",)


def _category_note(original: Table, released: Table, layout: Layout) -> tuple[str, ...]:
    """A word on types that list categories: one that only vanished records held is told by the list."""
    kept = [
        column.name
        for column in released.columns
        if column.name in layout.forms
        and layout.forms[column.name].sort == "category"
        and column.levels == original[column.name].levels
        and column.levels
        and ((original[column.name].counts > 0) & (column.counts == 0)).any()
    ]
    if not kept:
        return ()
    return (
        f"The types of these columns list categories that no record holds any more: {', '.join(kept)}. Drop unused "
        "categories before you hand the dataframe on; files written by `protect` hold none.",
    )


def refuse_faulty(table: Table) -> None:
    """Refuse infinite numbers, also as categories, and impossible weights, before any work."""
    infinite = {column.name: _n_infinite(column) for column in table.columns}
    faults = [f"{name} ({count})" for name, count in infinite.items() if count]
    if faults:
        raise UnsuitableError(
            f"Infinite values (records): {', '.join(faults)}. Empty them, or declare their code under unknown."
        )
    extreme = [column.name for column in table.of_kind("numeric") if _cannot_be_squared(column.numbers)]
    if extreme:
        raise UnsuitableError(
            f"Numbers too large or too small to compute with (squares leave the machine's range): {', '.join(extreme)}. "
            "Change their unit."
        )
    weights = table.of_role("weight")
    if len(weights) > 1:
        raise SchemaError(
            f"Several columns have the role weight: {', '.join(c.name for c in weights)}. Keep it for one."
        )
    for column in weights:
        if column.missing.any():
            raise UnsuitableError(
                f"The weight column '{column.name}' has {int(column.missing.sum())} empty cells."
            )
        if (column.values < 0).any() or not (column.values > 0).any():
            raise UnsuitableError(
                f"The weight column '{column.name}' must have no negative value and some positive one; "
                f"{int((column.values < 0).sum())} records are negative. Correct it or give it the role other."
            )


def _n_infinite(column: Column) -> int:
    """Records with an infinite number, as a value or as a category."""
    if column.is_numeric:
        return int(np.isinf(column.values).sum())
    endless = [i for i, level in enumerate(column.levels) if isinstance(level, float) and math.isinf(level)]
    return int(column.counts[endless].sum()) if endless else 0


def _cannot_be_squared(numbers: Floats) -> bool:
    largest = float(np.abs(numbers).max(initial=0.0))
    return largest > LARGEST or 0 < largest < 1 / LARGEST


def released_schema(schema: Schema, table: Table) -> Schema:
    """The schema of the released columns: their kinds may have changed, withheld ones are gone."""
    variables = tuple(column.variable for column in table.columns)
    used = {variable.taxonomy for variable in variables}
    trees = {name: source for name, source in schema.taxonomies.items() if name in used}
    return Schema(variables, trees)


def table_sha256(table: Table) -> str:
    """Hash of a table's content: names, values, what is missing and why."""
    digest = hashlib.sha256()
    for column in table.columns:
        digest.update(repr((column.name, column.kind, column.levels if column.tree is None else "")).encode())
        digest.update(np.ascontiguousarray(column.values).tobytes())
        digest.update(column.absent.tobytes())
    return digest.hexdigest()
