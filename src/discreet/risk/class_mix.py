"""Mean chi-square of groups against the whole file: equation (13) of CAMP-CREST, X^2.

X^2 = 1/G sum_g sum_k (n_gk - n_g N_k / N)^2 / (n_g N_k / N). Random groups of any size have about C - 1;
below that groups are more mixed than by chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Ints
from discreet.base import Aspect, Figure, Part
from discreet.risk.rates import undefined
from discreet.risk.selection import Names
from discreet.risk.sensitive import class_codes, groups_and_secrets
from discreet.stats.diversity import chi_square_closeness
from discreet.stats.keys import Groups
from discreet.table.table import Table


def mean_chi_square(labels: Ints, codes: Ints) -> float:
    """X^2 over the groups 0 .. of `labels`.

    >>> mean_chi_square(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    2.0
    """
    groups = Groups(np.asarray(labels, dtype=np.int64), int(labels.max(initial=-1)) + 1)
    return float(chi_square_closeness(groups, codes, int(codes.max(initial=-1)) + 1).mean())


@dataclass(frozen=True, kw_only=True)
class ClassMix:
    """X^2 of the groups of protected records with equal known columns; mean over the secret columns,
    parts by column.

    Parameters: `known`, `secret`, `classes` into which numbers are cut. `chance` in the note is C - 1.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    secret: Names | None = None
    classes: int = 4

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        groups, secrets = groups_and_secrets(original, protected, self.known, self.secret)
        if not secrets or not groups.n_groups:
            note = "No secret column beside the known ones, or no records."
            return (undefined("class_mix.chi_square", "index", (0.0, np.inf), note),)
        parts, chance = [], []
        for name in secrets:
            codes, n_codes = class_codes(protected[name], original[name], self.classes)
            parts.append(Part((name,), float(chi_square_closeness(groups, codes, n_codes).mean())))
            chance.append(len(np.unique(codes)) - 1)
        value = float(np.mean([part.value for part in parts]))
        note = f"{groups.n_groups} groups; by chance about {np.mean(chance):.3g}."
        figure = Figure(
            "class_mix.chi_square", value, "index", "lower", (0.0, np.inf), parts=tuple(parts), note=note
        )
        return (figure,)
