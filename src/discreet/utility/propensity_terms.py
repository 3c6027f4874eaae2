"""The terms of the propensity model: what is made of the columns before the logistic regression.

Three readings of "all main effects and interactions from first to the third order" for numeric columns (see
`numeric_terms`), dummies for categories (missing is one), products of numbers with dummies, and products of dummies of
different columns wherever enough records of the original hold them all. Orders are added one after the other, each
kind of product whole or not at all: a kind that would make more than `max_terms` ends there, and it is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, combinations_with_replacement, islice, product
from typing import Literal, TypeAlias

import numpy as np

from discreet.arrays import Bools, Codes, Floats
from discreet.stats.weighted import mean, variance
from discreet.utility.columns import Categories, Numbers

Reading: TypeAlias = Literal["cubic", "literal", "tensor"]
Term: TypeAlias = tuple[int, ...]  # columns of the main effects it multiplies
FARTHEST = 1e20  # sds from the original's mean


def numeric_terms(n_columns: int, reading: Reading, order: int = 3) -> list[Term]:
    """Products of numeric columns, each a tuple of column numbers (repeated for powers).

    * `cubic`: all monomials of degree 1 to `order`; 55 for five columns and order 3;
    * `literal`: products of 1 to `order` distinct columns; 25;
    * `tensor`: powers up to `order` and x_i^a x_j^b with a, b up to `order`; 105.

    >>> [len(numeric_terms(5, reading)) for reading in ("cubic", "literal", "tensor")]
    [55, 25, 105]
    """
    return [term for level in range(1, order + 1) for term in _numeric(n_columns, reading, level)]


def _numeric(n_columns: int, reading: Reading, level: int) -> Iterator[Term]:
    """The terms that one more order adds."""
    if reading == "cubic":
        return combinations_with_replacement(range(n_columns), level)
    if reading == "literal":
        return combinations(range(n_columns), level)
    alone = ((i,) * level for i in range(n_columns))
    if level == 1:
        return alone
    exponents = [ab for ab in product(range(1, level + 1), repeat=2) if max(ab) == level or level == 2]
    pairs = combinations(range(n_columns), 2)
    return chain(alone, ((i,) * a + (j,) * b for i, j in pairs for a, b in exponents))


def standardised(numbers: Numbers, like: Numbers) -> Floats:
    """Columns by the means and sds of `like`, the original; missing cells at its mean (0).

    Beyond 1e20 sds there is nothing more to tell, and powers of the terms would overflow.
    """
    means, sds = np.zeros(like.n_columns), np.ones(like.n_columns)
    for column in range(like.n_columns):
        values, weights = like.present(column)
        if len(values):
            means[column] = mean(values[:, 0], weights)
            sd = float(np.sqrt(variance(values[:, 0], weights)))
            sds[column] = sd if sd > 1e-14 * abs(means[column]) else 1.0
    scores = np.clip((numbers.values - means) / sds, -FARTHEST, FARTHEST)
    return np.asarray(np.where(numbers.missing, 0.0, scores), dtype=np.float64)


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
    products = _Products(original, levels, dummies, reading, least_joint)
    terms: list[Term] = [(effect,) for effect in range(products.n_numbers + len(dummies))]
    left_out: dict[str, int] = {}
    for level in range(2, order + 1):
        for kind, found in products.of(level).items():
            room = max(max_terms - len(terms), 0)
            added = [] if kind in left_out else list(islice(found, room + 1))
            if len(added) > room:
                left_out[kind] = level
            else:
                terms += added
    return Plan(dummies, levels, tuple(terms), _said(left_out, max_terms))


def _said(left_out: Mapping[str, int], max_terms: int) -> str:
    kinds = ", ".join(f"{kind} from order {level}" for kind, level in left_out.items())
    return f"Left out to keep to {max_terms} terms: {kinds}." if kinds else ""


@dataclass(frozen=True, eq=False)
class _Products:
    """The products of main effects, by order and kind; found one by one, for there may be very many."""

    original: Mixed
    levels: tuple[tuple[int, ...], ...]
    dummies: tuple[Dummy, ...]
    reading: Reading
    least_joint: int

    @property
    def n_numbers(self) -> int:
        return int(self.original.numbers.shape[1])

    def of(self, level: int) -> dict[str, Iterator[Term]]:
        return {
            "products of numbers": _numeric(self.n_numbers, self.reading, level),
            "products of numbers with categories": self._mixed(level),
            "products of categories": self._categorical(level),
        }

    def _mixed(self, level: int) -> Iterator[Term]:
        places = range(self.n_numbers, self.n_numbers + len(self.dummies))
        if self.reading == "tensor":  # pairs only, the number raised; a dummy to any power is itself
            powers = (1, 2) if level == 2 else (3,)
            return ((i,) * a + (d,) for i in range(self.n_numbers) for a in powers for d in places)
        alone = _numeric(self.n_numbers, self.reading, level - 1)
        raised = ((*term, d) for term in alone for d in places)
        pairs = self.pairs if level == 3 else []
        return chain(raised, ((i, *pair) for i in range(self.n_numbers) for pair in pairs))

    def _categorical(self, level: int) -> Iterator[Term]:
        if level == 2:
            return iter(self.pairs)
        return iter(()) if self.reading == "tensor" else self._triples()

    @cached_property
    def pairs(self) -> list[Term]:
        categories = self.original.categories
        return _joint_dummies(categories, self.levels, self.dummies, self.least_joint, self.n_numbers)

    def _triples(self) -> Iterator[Term]:
        """Three dummies that enough records hold together: any two of them are then a pair."""
        joint, partners = set(self.pairs), defaultdict(list)
        for one, other in self.pairs:
            partners[one].append(other)
        for one, other in self.pairs:
            for third in partners[other]:
                if (one, third) in joint and self._count(one, other, third) >= self.least_joint:
                    yield one, other, third

    def _count(self, *places: int) -> int:
        return int(np.count_nonzero(np.logical_and.reduce([self._holding[place] for place in places])))

    @cached_property
    def _holding(self) -> dict[int, Bools]:
        """Which records hold each dummy that is in a pair."""
        codes = self.original.categories.codes
        pooled = [pool(codes[:, column], levels) for column, levels in enumerate(self.levels)]
        return {
            place: pooled[dummy.column] == dummy.level
            for place, dummy in enumerate(self.dummies, start=self.n_numbers)
        }


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
