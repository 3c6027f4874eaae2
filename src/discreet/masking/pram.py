"""PRAM: categories changed at random, by a transition matrix that leaves the expected margins as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.arrays import Codes, Floats
from discreet.base import Claim, Draft, Fitted, Note
from discreet.claims.equal_margins import EqualMargins
from discreet.errors import ParameterError, UnsuitableError
from discreet.release import Method
from discreet.selection import (
    by_column,
    chosen,
    flag,
    listed,
    name_list,
    names_of,
    number,
    share,
    whole_number,
)
from discreet.stats.streams import Streams
from discreet.stats.weighted import draw_within
from discreet.table.column import Column
from discreet.table.table import Table


@dataclass(frozen=True)
class PRAM(Method):
    """Post-randomisation of categories (Gouweleeuw, Kooiman, Willenborg, de Wolf 1998).

    A cell is redrawn, with a chance of s, from the distribution of its column: the matrix (1 - s) I + s 1 t' is
    invariant (t' R = t'), so margins keep their expectation. Gives every cell a plausible other origin; does **not**
    protect a category that only one record has any longer than its chance to be redrawn. Missing cells stay missing, and
    categories whose records all have weight 0 stay as they are: no weighted margin could hold them.

    Args:
        keep: the least chance, over the categories, of staying as it is: the smallest diagonal entry of the matrix.
        columns: ordinal, nominal or taxonomic columns; None: those with the role quasi.
        depth: redraw a taxonomic column only among categories with the same ancestor at this depth.
        exact: move whole values instead: the records picked for a redraw permute theirs, so margins are exact.
        matrices: column -> transition matrix of your own over its categories in order (rows sum to 1, lists or arrays);
            it is made invariant by the two-stage method.

    Example:
        >>> import polars as pl
        >>> from discreet.table.schema import Schema, Variable
        >>> schema = Schema((Variable(name="sex", kind="nominal", role="quasi"),))
        >>> frame = pl.DataFrame({"sex": ["f", "m"] * 50})
        >>> release = PRAM(keep=0.7, exact=True).protect(frame, schema, seed=5)
        >>> int((release.data["sex"] == "f").sum()), bool((release.data["sex"] == frame["sex"]).all())
        (50, False)
    """

    keep: float = 0.8
    columns: tuple[str, ...] | None = None
    depth: int | None = None
    exact: bool = False
    matrices: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        object.__setattr__(self, "exact", flag("exact", self.exact))
        object.__setattr__(self, "keep", share("keep", self.keep))
        object.__setattr__(
            self, "depth", None if self.depth is None else whole_number("depth", self.depth, least=0)
        )
        object.__setattr__(self, "matrices", by_column("matrices", self.matrices, _transitions))
        if self.exact and self.matrices:
            raise ParameterError("`exact` permutes values and takes no matrices; use one or the other.")

    def fit(self, table: Table, streams: Streams) -> Fitted:
        columns = chosen(table, self.columns, kinds=("ordinal", "nominal", "taxonomic"), what="PRAM")
        if stray := sorted(set(self.matrices) - set(names_of(columns))):
            raise ParameterError(
                f"`matrices` names columns that are not treated: {', '.join(stray)}. "
                f"Treated: {', '.join(names_of(columns))}."
            )
        mass = np.ones(table.n_records) if table.weights is None else table.weights
        models = tuple(self._model(column, mass) for column in columns)
        return FittedPram(self, table, names_of(columns), models)

    def _model(self, column: Column, mass: Floats) -> Redraw | Floats:
        shown = ~column.missing
        counts = np.bincount(column.codes[shown], weights=mass[shown], minlength=len(column.levels))
        margin = counts.astype(np.float64)
        if column.name not in self.matrices:
            return Redraw.of(margin, _blocks(column, self.depth), self.keep)
        matrix = np.array(self.matrices[column.name])
        if len(matrix) != len(margin):
            raise ParameterError(
                f"The matrix of column '{column.name}' must be {len(margin)} x {len(margin)}, one row for each category. "
                f"Got {len(matrix)} x {len(matrix)}."
            )
        return invariant_matrix(matrix, margin)


def _transitions(name: str, matrix: Any) -> tuple[tuple[float, ...], ...]:
    """A transition matrix as plain numbers: square, no entry below 0, rows that sum to 1."""
    rows = tuple(
        tuple(float(number(name, entry, least=0)) for entry in listed(name, row))
        for row in listed(name, matrix)
    )
    if not rows or any(len(row) != len(rows) for row in rows):
        raise ParameterError(f"`{name}` must be a square matrix: as many rows as entries in each row.")
    if any(abs(sum(row) - 1) > 1e-9 for row in rows):
        raise ParameterError(f"The rows of `{name}` must sum to 1.")
    return rows


@dataclass(frozen=True, eq=False)
class Redraw:
    """The matrix (1 - s) I + s 1 t' in each block of categories, never written out: 10^4 categories cost 10^4.

    `chance` is s for each category, 0 for one without weight: it stays, as in `invariant_matrix`.
    """

    margin: Floats
    blocks: Codes
    chance: Floats

    @classmethod
    def of(cls, margin: Floats, blocks: Codes, keep: float) -> Redraw:
        """s in each block so that its smallest diagonal entry 1 - s (1 - t) is `keep`, or s = 1 where that is above it."""
        total = np.bincount(blocks, weights=margin)
        within = np.divide(margin, total[blocks], out=np.zeros_like(margin), where=total[blocks] > 0)
        rarest = np.full(len(total), np.inf)
        held = margin > 0
        np.minimum.at(rarest, blocks[held], within[held])
        leaving = 1.0 - np.minimum(rarest, 1.0)
        chance = np.divide(1.0 - keep, leaving, out=np.ones_like(leaving), where=leaving > 0)
        return cls(margin, blocks, np.where(held, np.minimum(chance, 1.0)[blocks], 0.0))

    def matrix(self) -> Floats:
        """The transition matrix, for a look at small ones."""
        same = self.blocks[:, None] == self.blocks[None, :]
        total = np.bincount(self.blocks, weights=self.margin)[self.blocks]
        target = np.divide(self.margin, total, out=np.zeros_like(self.margin), where=total > 0)
        chance = self.chance[:, None]
        return (1 - chance) * np.eye(len(self.margin)) + chance * np.where(same, target[None, :], 0.0)

    def draw(self, codes: Codes, streams: Streams) -> Codes:
        """New categories for records with these codes."""
        n = len(codes)
        picked = streams.uniforms("pick", n=n) < self.chance[codes]
        order = np.argsort(self.blocks, kind="stable")
        draws = streams.uniforms("category", n=n)[picked]
        new = codes.astype(np.int32)
        new[picked] = order[
            draw_within(self.blocks[order], self.margin[order], self.blocks[codes[picked]], draws)
        ]
        return new

    def permute(self, codes: Codes, streams: Streams) -> Codes:
        """The records picked for a redraw exchange their categories inside their block."""
        n = len(codes)
        picked = np.flatnonzero(streams.uniforms("pick", n=n) < self.chance[codes])
        shuffled = picked[streams.permutation("order", n=len(picked))]
        sources = shuffled[np.argsort(self.blocks[codes[shuffled]], kind="stable")]
        targets = picked[np.argsort(self.blocks[codes[picked]], kind="stable")]
        moved = codes.copy()
        moved[targets] = codes[sources]
        return moved


@dataclass(frozen=True, eq=False)
class FittedPram:
    """A transition per column."""

    method: PRAM
    table: Table
    names: tuple[str, ...]
    models: tuple[Redraw | Floats, ...]

    def draw(self, streams: Streams) -> Draft:
        columns = [
            self._changed(self.table[name], model, streams.at("pram", name))
            for name, model in zip(self.names, self.models, strict=True)
        ]
        claims: tuple[Claim, ...] = (EqualMargins(self.names),) if self.method.exact else ()
        return Draft(self.table.with_columns(*columns), claims, notes=self._notes())

    def _notes(self) -> tuple[str, ...]:
        """Which columns hold records that could not be redrawn, because their category has no weight."""
        weights = self.table.weights
        if weights is None:
            return ()
        kept = {name: _n_unweighted(self.table[name], weights) for name in self.names}
        named = [(name, count) for name, count in kept.items() if count]
        if not named:
            return ()
        pieces = [
            piece
            for i, (name, count) in enumerate(named)
            for piece in (f"{', ' * (i > 0)}{name} (", count, ")")
        ]
        return (Note("Records whose category has no weight were not redrawn: ", *pieces, "."),)

    def _changed(self, column: Column, model: Redraw | Floats, streams: Streams) -> Column:
        rows = np.flatnonzero(~column.missing)
        codes: Codes = column.codes[rows]
        if isinstance(model, Redraw):
            new = model.permute(codes, streams) if self.method.exact else model.draw(codes, streams)
        else:
            point = streams.uniforms("category", n=len(codes))
            steps = np.cumsum(model, axis=1)
            new = np.minimum((steps[codes] < point[:, None]).sum(axis=1), len(steps) - 1)
        values = column.values.copy()
        values[rows] = new
        return column.with_values(values)


def invariant_matrix(matrix: Floats, margin: Floats) -> Floats:
    """R = P Q with Q the way back by Bayes: t' R = t' for the margin t. Categories without weight stay."""
    if not margin.any():
        return np.eye(len(margin))
    t = margin / margin.sum()
    after = t @ matrix
    back = np.divide(
        (t[:, None] * matrix).T, after[:, None], out=np.zeros_like(matrix), where=after[:, None] > 0
    )
    invariant = matrix @ back
    unseen = t <= 0
    invariant[unseen] = np.eye(len(t))[unseen]
    rescaled: Floats = invariant / invariant.sum(axis=1, keepdims=True)
    return rescaled


def _n_unweighted(column: Column, weights: Floats) -> int:
    """Records that have a category of which no record has weight."""
    codes = column.codes[~column.missing]
    margin = np.bincount(codes, weights=weights[~column.missing], minlength=len(column.levels))
    return int((margin[codes] <= 0).sum())


def _blocks(column: Column, depth: int | None) -> Codes:
    if depth is None or column.tree is None:
        return np.zeros(len(column.levels), dtype=np.int32)
    if not 0 <= depth <= column.tree.height:
        raise UnsuitableError(
            f"`depth` must lie between 0 and the height of the taxonomy of '{column.name}' ({column.tree.height})."
        )
    return np.unique(column.tree.at_level(depth), return_inverse=True)[1].astype(np.int32)
