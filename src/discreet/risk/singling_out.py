"""Singling out: descriptions made from the release that fit exactly one original record.

A guess takes a protected record and some columns and describes the record: the category; or "at least"
(above the median) or "at most" (below it) its number. Only guesses that fit one protected record alone
are used, as a real attacker would. A guess succeeds when exactly one original record fits. Rare values
are rare in the population too, so the same guesses are tried on a control of the same size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.attack import attack_figures, check_control, refuse_frame
from discreet.risk.rates import PERCENT, undefined
from discreet.risk.selection import Names, analysed, canonical_rows, drawn_rows
from discreet.table.column import Column
from discreet.table.table import Table

_TRIES = 5  # guesses drawn per guess wanted; most do not single out a protected record


@dataclass(frozen=True)
class Condition:
    """One column's part of a description."""

    column: str
    relation: str
    value: float

    def fits(self, table: Table) -> Bools:
        """Which records of a table satisfy it; a missing value satisfies "is missing" alone."""
        column = table[self.column]
        if self.relation == "missing":
            return column.missing
        compare = {"at least": np.greater_equal, "at most": np.less_equal, "is": np.equal}[self.relation]
        return np.asarray(compare(column.values, self.value) & ~column.missing, dtype=np.bool_)


def describe(column: Column, row: int, median: float) -> Condition:
    """The condition that the value of one record gives."""
    if column.missing[row]:
        return Condition(column.name, "missing", 0.0)
    value = float(column.values[row])
    if not column.is_numeric:
        return Condition(column.name, "is", value)
    return Condition(column.name, "at least" if value >= median else "at most", value)


def n_fitting(table: Table, conditions: tuple[Condition, ...]) -> int:
    """How many records fit all the conditions."""
    fits = np.ones(table.n_records, dtype=np.bool_)
    for condition in conditions:
        fits &= condition.fits(table)
    return int(fits.sum())


@dataclass(frozen=True, kw_only=True)
class SinglingOut:
    """Guesses from the release that single out one original record, per cent of the guesses.

    Figures: `singling_out.rate`; with a control `singling_out.control` and `singling_out.excess`.

    Parameters: `columns` a guess may use (default: all analysed), `width`, how many it uses; `control`;
    `attacks`, guesses tried, drawn with `seed`.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    columns: Names | None = None
    width: int = 3
    control: Table | None = field(default=None, repr=False, compare=False)
    attacks: int = 500
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_frame(self.control)
        if self.width < 1 or self.attacks < 1:
            raise ParameterError(f"width and attacks must be at least 1. Got {self.width}, {self.attacks}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_control(original, self.control)
        names = self.columns or analysed(original)
        generator = np.random.default_rng(self.seed)
        guesses = self._guesses(protected, names, generator) if names and protected.n_records else []
        if not guesses or not original.n_records:
            note = "No description singles out a protected record."
            return (undefined("singling_out.rate", "%", PERCENT, note),)
        victims, others = original, None
        if self.control is not None:
            size = min(original.n_records, self.control.n_records)
            victims = original.take(drawn_rows([original], size, generator))
            others = self.control.take(drawn_rows([self.control], size, generator))
        note = f"Guesses of up to {self.width} columns on {victims.n_records} records."
        counted = f"{len(guesses)} different guesses."
        control = None if others is None else _successes(others, guesses)
        hits = _successes(victims, guesses)
        return attack_figures("singling_out", hits, control, note=note, counted=counted)

    def _guesses(
        self, protected: Table, names: Names, generator: np.random.Generator
    ) -> list[tuple[Condition, ...]]:
        """Different descriptions that fit one protected record alone."""
        names = tuple(sorted(names))
        order = canonical_rows([protected])
        medians = {name: _median(protected[name]) for name in names}
        found: dict[tuple[Condition, ...], None] = {}  # the same guess twice is one trial
        for _ in range(_TRIES * self.attacks):
            row = int(order[generator.integers(protected.n_records)])
            chosen = generator.choice(len(names), size=min(self.width, len(names)), replace=False)
            guess = tuple(describe(protected[names[j]], row, medians[names[j]]) for j in np.sort(chosen))
            if n_fitting(protected, guess) == 1:
                found[guess] = None
            if len(found) == self.attacks:
                break
        return list(found)


def _successes(victims: Table, guesses: list[tuple[Condition, ...]]) -> Floats:
    return np.array([n_fitting(victims, guess) == 1 for guess in guesses], dtype=np.float64)


def _median(column: Column) -> float:
    shown = column.values[~column.missing]
    return float(np.median(shown)) if column.is_numeric and len(shown) else 0.0
