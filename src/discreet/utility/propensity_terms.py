"""The terms of the propensity model: what is made of the columns before the logistic regression.

Three readings of "all main effects and interactions from first to the third order" for numeric columns (see
`numeric_terms`), dummies for categories (missing is one), numeric x dummy products, and products of dummies of two
columns wherever enough records of the original hold both. When this would be more than `max_terms`, the least
important kinds of terms are left out, and it is said which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Literal, TypeAlias

import numpy as np

from discreet.arrays import Codes, Floats
from discreet.stats.weighted import mean, variance
from discreet.utility.columns import Categories, Numbers

Reading: TypeAlias = Literal["cubic", "literal", "tensor"]
Term: TypeAlias = tuple[int, ...]  # columns of the main effects it multiplies


def numeric_terms(n_columns: int, reading: Reading, order: int = 3) -> list[Term]:
    """Products of numeric columns, each a tuple of column numbers (repeated for powers).

    * `cubic`: all monomials of degree 1 to `order`; 55 for five columns and order 3;
    * `literal`: products of 1 to `order` distinct columns; 25;
    * `tensor`: powers up to `order` and x_i^a x_j^b with a, b up to `order`; 105.

    >>> [len(numeric_terms(5, reading)) for reading in ("cubic", "literal", "tensor")]
    [55, 25, 105]
    """
    degrees = range(1, order + 1)
    if reading == "cubic":
        return [t for degree in degrees for t in combinations_with_replacement(range(n_columns), degree)]
    if reading == "literal":
        return [t for degree in degrees for t in combinations(range(n_columns), degree)]
    powers = [(i,) * a for i in range(n_columns) for a in degrees]
    pairs = combinations(range(n_columns), 2)
    return powers + [(i,) * a + (j,) * b for i, j in pairs for a in degrees for b in degrees]


def standardised(numbers: Numbers, like: Numbers) -> Floats:
    """Columns by the means and sds of `like`, the original; missing cells at its mean (0)."""
    means, sds = np.zeros(like.n_columns), np.ones(like.n_columns)
    for column in range(like.n_columns):
        values, weights = like.present(column)
        if len(values):
            means[column] = mean(values[:, 0], weights)
            sd = float(np.sqrt(variance(values[:, 0], weights)))
            sds[column] = sd if sd > 1e-14 * abs(means[column]) else 1.0
    return np.asarray(np.where(numbers.missing, 0.0, (numbers.values - means) / sds), dtype=np.float64)


@dataclass(frozen=True)
class Dummy:
    """One level of one categorical column as a 0-1 column; `level` -1 pools the rare ones."""

    column: int
    level: int


@dataclass(frozen=True, eq=False)
class Mixed:
    """The main effects of one table: standardised numbers, and categories (missing numbers are one of two)."""

    numbers: Floats
    categories: Categories

    def effect(self, effect: int, dummies: Sequence[Dummy], pooled: Sequence[Codes]) -> Floats:
        """A main effect: a number, or a dummy numbered behind the numbers."""
        n_numbers = self.numbers.shape[1]
        if effect < n_numbers:
            return np.asarray(self.numbers[:, effect], dtype=np.float64)
        dummy = dummies[effect - n_numbers]
        return np.asarray(pooled[dummy.column] == dummy.level, dtype=np.float64)


def chosen_levels(original: Categories, protected: Categories, column: int, max_levels: int) -> list[int]:
    """Levels of a column that get a dummy, most frequent in the original first; the first is the base.

    Only levels that occur are counted; beyond `max_levels` they are pooled.
    """
    size = original.sizes[column]
    before = np.bincount(original.codes[:, column], minlength=size)
    after = np.bincount(protected.codes[:, column], minlength=size)
    order = np.lexsort((np.arange(size), -after, -before))
    occurring = [int(level) for level in order if before[level] + after[level] > 0]
    return occurring[:max_levels]


def pool(codes: Codes, levels: Sequence[int]) -> Codes:
    """The same levels, all others as -1."""
    pooled: Codes = np.where(np.isin(codes, levels), codes, -1).astype(np.int32)
    return pooled


@dataclass(frozen=True)
class Plan:
    """Which terms the model has, and what was left out of it, in words."""

    dummies: tuple[Dummy, ...]
    levels: tuple[tuple[int, ...], ...]
    terms: tuple[Term, ...]
    note: str


def plan_terms(
    original: Mixed,
    protected: Mixed,
    *,
    reading: Reading,
    order: int,
    max_terms: int,
    max_levels: int,
    least_joint: int,
) -> Plan:
    """Choose the terms, from counts alone: the order of the records does not matter."""
    pair = original.categories, protected.categories
    levels = tuple(tuple(chosen_levels(*pair, j, max_levels)) for j in range(pair[0].n_columns))
    dummies = tuple(_dummies(pair, levels))
    n_numbers = original.numbers.shape[1]
    main: list[Term] = [(n_numbers + place,) for place in range(len(dummies))]
    crossed: list[Term] = [(i, *dummy) for i in range(n_numbers) for dummy in main] if order > 1 else []
    joint = _joint_dummies(pair[0], levels, dummies, least_joint, n_numbers) if order > 1 else []
    choices: list[tuple[int, list[Term], str]] = [
        (order, crossed + joint, ""),
        (order, crossed, "products of categories"),
        (order, [], "products with categories"),
        (2, crossed, "products of categories and numeric terms of order 3"),
        (2, [], "products with categories and numeric terms of order 3"),
        (1, [], "all interactions"),
    ]
    for choice in choices:
        if choice[0] <= order:
            terms = _terms(n_numbers, reading, order, choice, main)
            if len(terms) <= max_terms:
                return Plan(dummies, levels, tuple(terms), _said(choice[2], max_terms))
    return Plan(dummies, levels, tuple(terms), _said("all interactions", max_terms))


def _terms(
    n_numbers: int, reading: Reading, order: int, choice: tuple[int, list[Term], str], main: list[Term]
) -> list[Term]:
    highest, products, _ = choice
    return numeric_terms(n_numbers, reading if highest == order else "cubic", highest) + main + products


def _said(left_out: str, max_terms: int) -> str:
    return f"Left out to keep to {max_terms} terms: {left_out}." if left_out else ""


def _dummies(pair: tuple[Categories, Categories], levels: Sequence[Sequence[int]]) -> list[Dummy]:
    found = []
    for column, chosen in enumerate(levels):
        found += [Dummy(column, level) for level in chosen[1:]]
        if any(not np.isin(side.codes[:, column], chosen).all() for side in pair):
            found.append(Dummy(column, -1))
    return found


def _joint_dummies(
    original: Categories,
    levels: Sequence[Sequence[int]],
    dummies: Sequence[Dummy],
    least_joint: int,
    first: int,
) -> list[Term]:
    """Pairs of dummies of different columns that at least `least_joint` records of the original hold together."""
    if not dummies or not original.n_records:
        return []
    places: dict[int, list[int]] = {}
    for place, dummy in enumerate(dummies):
        places.setdefault(dummy.column, []).append(place)
    pooled = {column: pool(original.codes[:, column], levels[column]) for column in places}
    found: list[Term] = []
    for one, other in combinations(sorted(places), 2):
        for i in places[one]:
            held = pooled[other][pooled[one] == dummies[i].level]
            counts = {int(v): int(c) for v, c in zip(*np.unique(held, return_counts=True), strict=True)}
            found += [
                (first + i, first + j)
                for j in places[other]
                if counts.get(dummies[j].level, 0) >= least_joint
            ]
    return found


def design(plan: Plan, original: Mixed, protected: Mixed) -> Floats:
    """Intercept and terms for the stacked tables, original first, each term with mean 0 and sd 1.

    Terms that are constant over both tables are left out: they distinguish nothing.
    """
    columns = [np.ones(len(original.numbers) + len(protected.numbers))]
    pooled = [
        [pool(side.categories.codes[:, j], levels) for j, levels in enumerate(plan.levels)]
        for side in (original, protected)
    ]
    effects: dict[int, Floats] = {}
    for term in plan.terms:
        for effect in term:
            if effect not in effects:
                effects[effect] = np.concatenate(
                    [
                        side.effect(effect, plan.dummies, codes)
                        for side, codes in zip((original, protected), pooled, strict=True)
                    ]
                )
        column = np.prod([effects[effect] for effect in term], axis=0)
        sd = float(column.std())
        if sd > 1e-14 * float(np.abs(column).max()):
            columns.append((column - column.mean()) / sd)
    return np.column_stack(columns)
