"""Regression formulas: `income ~ age + sex + age:sex`, `log(income) ~ age`, `smoke=YES ~ age + sex`.

A numeric response makes a linear model; a category (`column=level`, or a column of two levels, whose last one is
then the event) a logistic one. Terms: columns, `log(column)`, `column^2` or `^3`, and products `a:b`; `a*b` stands
for `a + b + a:b`. Categories enter as dummies against the first level that the original holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.errors import ParameterError
from discreet.stats.weighted import checked_weights
from discreet.table.column import Column
from discreet.table.table import Table

FACTOR = re.compile(r"^(?:log\((?P<logged>.+)\)|(?P<raised>.+)\^(?P<power>[23])|(?P<plain>.+))$")


@dataclass(frozen=True)
class Factor:
    """A column, its logarithm or a power of it."""

    column: str
    logged: bool = False
    power: int = 1

    @classmethod
    def parse(cls, text: str) -> Factor:
        found = FACTOR.match(text.strip())
        if not found:
            raise ParameterError("A formula has an empty term. Write it as 'y ~ a + b'.")
        if found["logged"]:
            return cls(found["logged"].strip(), logged=True)
        if found["raised"]:
            return cls(found["raised"].strip(), power=int(found["power"]))
        return cls(found["plain"].strip())


@dataclass(frozen=True)
class Formula:
    """A parsed formula.

    >>> formula = Formula.parse("log(income) ~ age*sex + height^2")
    >>> formula.response.column, len(formula.terms), formula.columns
    ('income', 4, ('income', 'age', 'sex', 'height'))
    """

    text: str
    response: Factor
    event: str | None
    terms: tuple[tuple[Factor, ...], ...]

    @classmethod
    def parse(cls, text: str) -> Formula:
        if text.count("~") != 1:
            raise ParameterError(f"A formula has one '~': 'response ~ terms'. Got {text.count('~')}.")
        left, right = (side.strip() for side in text.split("~"))
        response, _, event = left.partition("=")
        terms = [tuple(Factor.parse(part) for part in term.split(":")) for term in _expanded(right)]
        return cls(text, Factor.parse(response), event.strip() or None, tuple(dict.fromkeys(terms)))

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns it uses, the response first."""
        used = [self.response.column] + [factor.column for term in self.terms for factor in term]
        return tuple(dict.fromkeys(used))


def _expanded(right: str) -> list[str]:
    terms: list[str] = []
    for term in right.split("+"):
        parts = term.split("*")
        if len(parts) > 2:
            raise ParameterError(
                "A formula multiplies two columns with '*' at most; write further products as a:b:c."
            )
        terms += parts + ([":".join(parts)] if len(parts) == 2 else [])
    return terms


@dataclass(frozen=True, eq=False)
class Regression:
    """Design (intercept first) and response of one formula on one table: complete records only."""

    design: Floats
    response: Floats
    weights: Floats | None
    logistic: bool


def check_formula(formula: Formula, original: Table) -> int | None:
    """Refuses a formula that does not fit the table; answers what `_event` does."""
    if lacking := [name for name in formula.columns if name not in original]:
        raise ParameterError(
            f"A formula names columns the table does not have: {', '.join(lacking)}. "
            f"It has: {', '.join(original.names)}."
        )
    return _event(formula, original[formula.response.column])


def regressions(formula: Formula, original: Table, protected: Table) -> tuple[Regression, Regression]:
    """The formula on both tables, with the same dummies: those of the levels that the original holds."""
    event = check_formula(formula, original)
    dummies = {
        name: _dummy_levels(original[name]) for name in formula.columns if not original[name].is_numeric
    }
    return _regression(formula, original, dummies, event), _regression(formula, protected, dummies, event)


def _dummy_levels(column: Column) -> list[int]:
    return [int(level) for level in np.flatnonzero(column.counts)]


def _event(formula: Formula, column: Column) -> int | None:
    """Position of the level whose probability is modelled; None for a numeric response."""
    if column.is_numeric:
        if formula.event is not None:
            raise ParameterError(f"Column '{column.name}' is numeric: write the formula without '='.")
        return None
    if formula.event is None:
        held = _dummy_levels(column)
        if len(held) != 2:
            raise ParameterError(
                f"Column '{column.name}' has {len(held)} categories: say which is meant, "
                f"'{column.name}=category ~ ...'."
            )
        return held[-1]
    for place, level in enumerate(column.levels):
        if str(level) == formula.event:
            return place
    raise ParameterError(f"Column '{column.name}' has no category of the name given in the formula.")


def _regression(
    formula: Formula, table: Table, dummies: dict[str, list[int]], event: int | None
) -> Regression:
    usable = np.ones(table.n_records, dtype=np.bool_)
    columns = [np.ones(table.n_records)]
    for term in formula.terms:
        sides = [_effects(table, factor, dummies, usable) for factor in term]
        columns += [np.asarray(np.prod(combination, axis=0)) for combination in product(*sides)]
    response = _response(formula, table, event, usable)
    weights = None if table.weights is None else table.weights[usable]
    if weights is not None and not weights.sum() > 0:
        weights = None
    scaled = None if weights is None else checked_weights(weights, len(weights))
    return Regression(np.column_stack(columns)[usable], response[usable], scaled, event is not None)


def _effects(table: Table, factor: Factor, dummies: dict[str, list[int]], usable: Bools) -> Sequence[Floats]:
    """Columns of one factor; records in which it has no value are struck from `usable`."""
    column = table[factor.column]
    usable &= ~column.missing
    if column.is_numeric:
        return [_transformed(column, factor, usable)]
    if factor.logged or factor.power > 1:
        raise ParameterError(
            f"Column '{column.name}' is not numeric: no logarithm or power of it in a formula."
        )
    levels = dummies[factor.column]
    usable &= np.isin(column.values, levels)
    return [(column.values == level).astype(np.float64) for level in levels[1:]]


def _transformed(column: Column, factor: Factor, usable: Bools) -> Floats:
    values = np.asarray(column.values, dtype=np.float64)
    if not factor.logged:
        return np.asarray(values**factor.power, dtype=np.float64)
    usable &= values > 0
    return np.asarray(np.log(np.where(values > 0, values, 1.0)), dtype=np.float64)


def _response(formula: Formula, table: Table, event: int | None, usable: Bools) -> Floats:
    column = table[formula.response.column]
    usable &= ~column.missing
    if event is None:
        return _transformed(column, formula.response, usable)
    return np.asarray(column.values == event, dtype=np.float64)
