"""Correct attribution: groups of the release in which everybody has the same secret, and whether it is
right.

TCAP (Taub and Elliot): among original records whose known values occur in the release in a group with one
secret value only, the share for whom that value is true. DiSCO (Raab, Nowok and Dibben): these hits as a
share of all original records, "disclosive in synthetic, correct in original".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import Names, known_columns, secret_columns
from discreet.risk.sensitive import joint_classes
from discreet.stats.keys import Groups, group_codes
from discreet.table.table import Table


def attributed(groups: Groups, codes: Ints, released: Bools) -> tuple[Floats, Floats]:
    """Per record that is not released: whether its group has one released code only, and whether that is
    its own.

    >>> groups = Groups(np.array([0, 0, 1, 0, 1]), 2)
    >>> told, right = attributed(groups, np.array([5, 5, 6, 5, 5]), np.array([True, True, True, False, False]))
    >>> told.tolist(), right.tolist()
    ([1.0, 1.0], [1.0, 0.0])
    """
    cells = group_codes([groups.labels, codes], len(codes))
    in_cell = np.bincount(cells.labels[released], minlength=cells.n_groups)
    in_group = np.bincount(groups.labels[released], minlength=groups.n_groups)
    owner = np.empty(cells.n_groups, dtype=np.int64)
    owner[cells.labels] = groups.labels
    n_codes = np.bincount(owner[in_cell > 0], minlength=groups.n_groups)
    asked = ~released
    told = n_codes[groups.labels[asked]] == 1
    right = told & (in_cell[cells.labels[asked]] == in_group[groups.labels[asked]])
    return told.astype(np.float64), right.astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class CorrectAttribution:
    """TCAP and DiSCO over the secret columns.

    Figures (value: worst secret; parts by secret): `attribution.disco`, % of original records;
    `attribution.tcap`, % of original records that fall in one-value groups of the release;
    `attribution.baseline`, % right when drawing a protected record at random.

    Parameters: `known`, `secret`, `classes` into which numbers are cut. A missing value is a value of its
    own.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    secret: Names | None = None
    classes: int = 10

    def __post_init__(self) -> None:
        if self.classes < 2:
            raise ParameterError(f"classes must be at least 2. Got {self.classes}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        known = known_columns(original, self.known)
        secrets = tuple(n for n in secret_columns(original, self.secret, known) if n not in known)
        if not secrets or not original.n_records or not protected.n_records:
            return (undefined("attribution.disco", "%", PERCENT, "No secret column or no records."),)
        n_both = original.n_records + protected.n_records
        groups = group_codes(joint_classes(original, (original, protected), known, self.classes), n_both)
        released = np.arange(n_both) >= original.n_records
        disco, tcap, chance = [], [], []
        worst = np.zeros(original.n_records)
        for name in secrets:
            (codes,) = joint_classes(original, (original, protected), (name,), self.classes)
            told, right = attributed(groups, codes, released)
            worst = np.maximum(worst, right)
            disco.append(Part((name,), 100.0 * float(right.mean())))
            if told.any():
                share = 100.0 * float(right.sum() / told.sum())
                tcap.append(Part((name,), share, people=int(told.sum())))
            chance.append(Part((name,), 100.0 * _random_hit(codes, released)))
        note = f"{len(known)} known columns, numbers in {self.classes} classes."
        return (
            percent_figure("attribution.any", worst, note=f"Right on some secret column. {note}"),
            _worst("attribution.disco", disco, note, original.n_records),
            _worst("attribution.tcap", tcap, note),
            _worst("attribution.baseline", chance, note, original.n_records),
        )


def _random_hit(codes: Ints, released: Bools) -> float:
    """Chance that a random protected record has the code of a random original one."""
    n_codes = int(codes.max()) + 1
    theirs = np.bincount(codes[released], minlength=n_codes) / max(int(released.sum()), 1)
    return float(theirs[codes[~released]].mean())


def _worst(name: str, parts: list[Part], note: str, people: int | None = None) -> Figure:
    if not parts:
        return undefined(name, "%", PERCENT, "No original record falls in a group with one secret value.")
    worst = max(parts, key=lambda part: part.value)
    return Figure(
        name,
        worst.value,
        "%",
        "lower",
        PERCENT,
        parts=tuple(parts),
        note=note,
        people=worst.people or people,
        public_note=note,
    )
