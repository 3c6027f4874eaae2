"""Inference: the intruder finds the protected record nearest in the known columns and reads off the secret.

The guess is right when the category is the same, or the number within a tolerance. Of equally near
records one is picked at random. Where a control is given, the same attack on it shows what can be learnt
about anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.risk.attack import attack_figures, check_control, refuse_frame
from discreet.risk.rates import PERCENT, undefined
from discreet.risk.selection import Names, drawn_rows, known_columns, places_of, secret_columns, space_of
from discreet.stats.neighbours import Scale, find_nearest, find_tied
from discreet.table.column import Column
from discreet.table.table import Table


def right_guesses(own: Column, released: Column, query: Ints, row: Ints, slack: float) -> Bools:
    """For pairs of an attacked record and a protected one: does the released value give the own one away?"""
    mine, theirs = own.values[query], released.values[row]
    near = np.abs(mine - theirs) <= slack if own.is_numeric else mine == theirs
    return np.asarray(near & ~released.missing[row], dtype=np.bool_)


@dataclass(frozen=True, kw_only=True)
class Inference:
    """Secret values of original records read off the nearest protected record, per cent right.

    Figures (parts by secret): `inference.rate`, mean over the attacked records of the share of their
    secrets that is guessed right; with a control `inference.control` and `inference.excess`.

    Parameters: `known`, `secret`; `tolerance` for numbers, in standard deviations of the original;
    `control`; `scale`; `attacks`, records attacked at most, drawn with `seed`. A secret that is missing
    is not attacked.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    secret: Names | None = None
    tolerance: float = 0.05
    control: Table | None = field(default=None, repr=False, compare=False)
    scale: Scale = "sd"
    attacks: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_frame(self.control)
        if self.tolerance < 0 or self.attacks < 1:
            raise ParameterError("tolerance must not be negative and attacks at least 1.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_control(original, self.control)
        known = known_columns(original, self.known)
        secrets = tuple(n for n in secret_columns(original, self.secret, known) if n not in known)
        if not known or not secrets or not original.n_records or not protected.n_records:
            note = "Known and secret columns and some records are needed."
            return (undefined("inference.rate", "%", PERCENT, note),)
        generator = np.random.default_rng(self.seed)
        rows = drawn_rows([original], self.attacks, generator)
        hits, parts = self._hits(original, protected, original.take(rows), known, secrets)
        control = None
        if self.control is not None:
            others = self.control.take(drawn_rows([self.control], self.attacks, generator))
            control, _ = self._hits(original, protected, others, known, secrets)
        note = f"{len(known)} known columns, scale {self.scale}; numbers right within {self.tolerance} sd."
        return attack_figures("inference", hits, control, tuple(parts), note)

    def _hits(
        self, original: Table, protected: Table, victims: Table, known: Names, secrets: Names
    ) -> tuple[Floats, list[Part]]:
        """Per victim with a secret: share of its secrets guessed right; and the mean for each secret."""
        space = space_of(original, known, self.scale)
        mine, theirs = space.place(places_of(victims, known), places_of(protected, known))
        nearest = find_nearest(space, mine, theirs)
        query, row = find_tied(space, mine, theirs, nearest)
        right, asked, parts = np.zeros(victims.n_records), np.zeros(victims.n_records), []
        for name in secrets:
            guessed = right_guesses(victims[name], protected[name], query, row, self._slack(original[name]))
            share = np.bincount(query, weights=guessed, minlength=victims.n_records) / nearest.tied
            held = ~victims[name].missing
            if held.any():
                parts.append(Part((name,), 100.0 * float(share[held].mean()), people=int(held.sum())))
            right += share * held
            asked += held
        return right[asked > 0] / asked[asked > 0], parts

    def _slack(self, column: Column) -> float:
        values = column.values[~column.missing]
        return self.tolerance * float(values.std()) + 1e-12 if column.is_numeric and len(values) else 0.0
