"""Linkability: does the release help to join two files that know different columns of the same people?

The attacker has columns A of a person from one source and columns B from another. Where the protected
record nearest in A is also the one nearest in B, the release has linked the two. Of equally near ones the
attacker picks at random.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.attack import attack_figures, check_control, refuse_frame
from discreet.risk.rates import PERCENT, undefined
from discreet.risk.selection import Names, analysed, drawn_rows, places_of, space_of
from discreet.stats.neighbours import TIE, Nearest, Scale, find_nearest
from discreet.table.table import Table


def same_pick(first: Nearest, second: Nearest, both: Nearest) -> Floats:
    """Chance that a random nearest record by A and a random nearest record by B are the same record.

    Squared distances add up over columns, and no record is nearer by A (by B) than the nearest. So a
    record is nearest by both exactly when its squared distance over A and B together is the sum of the
    two least ones.
    """
    least = np.hypot(first.distance, second.distance)
    shared = np.where(both.distance <= least + 2 * TIE, both.tied, 0)
    return np.asarray(np.clip(shared / (first.tied * second.tied), 0.0, 1.0), dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Linkability:
    """Original records whose two halves the release links, per cent.

    Figures: `linkability.rate`; with a control `linkability.control` and `linkability.excess` (95 %
    intervals).

    Parameters: `first`, `second`, the columns of the two sources (default: the analysed columns taken
    alternately); `control`; `scale`; `attacks`, records attacked at most, drawn with `seed`.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    first: Names | None = None
    second: Names | None = None
    control: Table | None = field(default=None, repr=False, compare=False)
    scale: Scale = "sd"
    attacks: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_frame(self.control)
        if (self.first is None) != (self.second is None):
            raise ParameterError("Give both first and second, or neither.")
        if set(self.first or ()) & set(self.second or ()):
            raise ParameterError("first and second must not share a column.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_control(original, self.control)
        names = analysed(original)
        first, second = self.first or names[::2], self.second or names[1::2]
        if not first or not second or not original.n_records or not protected.n_records:
            return (
                undefined(
                    "linkability.rate", "%", PERCENT, "Two sets of columns and some records are needed."
                ),
            )
        generator = np.random.default_rng(self.seed)
        rows = drawn_rows([original], self.attacks, generator)
        hits = self._hits(original, protected, original, (first, second), rows)
        control = None
        if self.control is not None:
            others = drawn_rows([self.control], self.attacks, generator)
            control = self._hits(original, protected, self.control, (first, second), others)
        note = f"{len(first)} and {len(second)} columns, scale {self.scale}; {len(rows)} records attacked."
        return attack_figures("linkability", hits, control, note=note)

    def _hits(
        self, original: Table, protected: Table, victims: Table, sources: tuple[Names, Names], rows: Ints
    ) -> Floats:
        found = []
        for names in (*sources, sources[0] + sources[1]):
            space = space_of(original, names, self.scale)
            mine, theirs = space.place(places_of(victims, names), places_of(protected, names))
            found.append(find_nearest(space, mine.take(rows), theirs))
        return same_pick(*found)
