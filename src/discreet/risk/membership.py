"""Membership inference by distance: can one tell from the release who was in the original?

The attacker measures how far a person's record is from the nearest protected record: members should be no
nearer than people the method never saw. Needs such a control.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.lazily import Lazily
from discreet.risk.attack import check_control, refuse_frame
from discreet.risk.rates import percent_figure, undefined
from discreet.risk.selection import Names, analysed, drawn_rows, places_of, space_of
from discreet.stats.neighbours import Scale, find_nearest
from discreet.table.table import Table

rankdata = Lazily("scipy.stats", "rankdata")


def area_under_curve(members: Floats, others: Floats) -> float:
    """Chance that a random member is nearer than a random other, ties counting half.

    >>> area_under_curve(np.array([0.0, 1.0]), np.array([1.0, 2.0]))
    0.875
    """
    ranks = rankdata(np.concatenate([members, others]))
    nearer = len(members) * len(others) + len(members) * (len(members) + 1) / 2 - ranks[: len(members)].sum()
    return float(nearer / (len(members) * len(others)))


def area_interval(area: float, n_members: int, n_others: int) -> tuple[float, float]:
    """95 % interval of an area (Hanley and McNeil 1982).

    >>> [round(end, 3) for end in area_interval(0.5, 100, 100)]
    [0.42, 0.58]
    """
    upper, lower = area / (2 - area), 2 * area * area / (1 + area)
    spread = area * (1 - area)
    spread += (n_members - 1) * (upper - area * area) + (n_others - 1) * (lower - area * area)
    half = 1.96 * math.sqrt(max(spread, 0.0) / (n_members * n_others))
    return max(area - half, 0.0), min(area + half, 1.0)


@dataclass(frozen=True, kw_only=True)
class Membership:
    """Membership inference against a release, by distance to the closest protected record.

    Figures: `membership.area` (index, 0.5: members cannot be told from others) and `membership.caught`, %
    of members nearer than all but `false_alarms` of the control; about that share where nothing was
    memorised.

    Parameters: `control`, records the method never saw (without it the figures are undefined); `columns`;
    `scale`; `false_alarms` share; `sample`, records of each kind at most, drawn with `seed`.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    control: Table | None = field(default=None, repr=False, compare=False)
    columns: Names | None = None
    scale: Scale = "sd"
    false_alarms: float = 0.05
    sample: int = 5_000
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_frame(self.control)
        if not 0 < self.false_alarms < 1:
            raise ParameterError(f"false_alarms must lie between 0 and 1. Got {self.false_alarms}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_control(original, self.control)
        names = self.columns or analysed(original)
        if self.control is None or not names or not original.n_records or not protected.n_records:
            note = "Needs a control: records of the same population that the method never saw."
            return (undefined("membership.area", "index", (0.0, 1.0), note),)
        generator = np.random.default_rng(self.seed)
        rows = drawn_rows([original], self.sample, generator)
        others_rows = drawn_rows([self.control], self.sample, generator)
        members = self._distances(original, protected, original, names, rows)
        others = self._distances(original, protected, self.control, names, others_rows)
        area = area_under_curve(members, others)
        interval = area_interval(area, len(members), len(others))
        note = f"{len(members)} members, {len(others)} others; {len(names)} columns, scale {self.scale}."
        limit = float(np.quantile(others, self.false_alarms, method="lower"))
        caught = (members < limit).astype(np.float64)
        return (
            Figure(
                "membership.area",
                area,
                "index",
                "lower",
                (0.0, 1.0),
                interval=interval,
                note=note,
                public_note=note,
            ),
            percent_figure("membership.caught", caught, estimate=True, note=note),
        )

    def _distances(
        self, original: Table, protected: Table, people: Table, names: Names, rows: Ints
    ) -> Floats:
        space = space_of(original, names, self.scale)
        mine, theirs = space.place(places_of(people, names), places_of(protected, names))
        # Rounded so that distances that are equal but for the order of summation tie.
        return np.round(find_nearest(space, mine.take(rows), theirs).distance, 9)
