"""Distance to the closest record: is synthetic data nearer to the records it was made from than it should be?

For every protected record, the distance to its nearest original. Alone the number says little, since
dense data have near neighbours anyway: it is compared with the distances inside the original, and with a
control where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.risk.attack import check_control, refuse_frame
from discreet.risk.rates import percent_figure, undefined
from discreet.risk.selection import Names, analysed, drawn_rows, places_of, space_of
from discreet.stats.neighbours import TIE, Scale, find_nearest
from discreet.table.table import Table

POSITIVE = (0.0, np.inf)


def nearer_share(to_original: Floats, to_control: Floats) -> Floats:
    """1 where the original is nearer, 0 where the control is, 1/2 where equally near.

    >>> nearer_share(np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 1.0])).tolist()
    [1.0, 0.5, 0.0]
    """
    gap = to_control - to_original
    return np.where(np.abs(gap) <= TIE, 0.5, (gap > 0).astype(np.float64))


@dataclass(frozen=True)
class Median:
    """A median with the ends of its 95 % interval: the value itself where all records were measured."""

    value: float
    low: float
    high: float
    drawn: bool = False

    def over(self, other: Median) -> Median:
        """The ratio of two, with an interval that holds it whenever theirs hold them."""
        high = self.high / other.low if other.low > 0 else np.inf
        return Median(self.value / other.value, self.low / other.high, high, self.drawn or other.drawn)


def _median_of(distance: Floats, drawn: bool) -> Median:
    """The interval lies between order statistics: whatever the distribution, from the binomial alone."""
    value = float(np.median(distance))
    if not drawn:
        return Median(value, value, value)
    ordered, n = np.sort(distance), len(distance)
    half = 0.98 * n**0.5 + 0.5
    low, high = max(int(np.floor(n / 2 - half)), 0), min(int(np.ceil(n / 2 + half)), n - 1)
    return Median(value, float(ordered[low]), float(ordered[high]), drawn=True)


def _median_figure(name: str, unit: str, median: Median, note: str, parts: tuple[Part, ...] = ()) -> Figure:
    interval = (median.low, median.high) if median.drawn else None
    return Figure(
        name,
        median.value,
        unit,
        "higher",
        POSITIVE,
        interval=interval,
        parts=parts,
        note=note,
        public_note=note,
    )


@dataclass(frozen=True, kw_only=True)
class ClosestRecord:
    """Distances from protected records to the nearest original, over all columns that are analysed.

    Figures: `closest.median` (units of the scale; parts: 5, 25, 50 % points), `closest.ratio` (that
    median over the median distance from an original record to the nearest other), and with a control
    `closest.to_original`, % of protected records nearer to the original than to a control of the same
    size (50 where nothing was memorised).

    Parameters: `control`, records the method never saw; `columns`; `scale`; `sample`, records measured at
    most, drawn with `seed`.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    control: Table | None = field(default=None, repr=False, compare=False)
    columns: Names | None = None
    scale: Scale = "sd"
    sample: int = 5_000
    seed: int = 0

    def __post_init__(self) -> None:
        refuse_frame(self.control)

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_control(original, self.control)
        names = self.columns or analysed(original)
        if not names or not original.n_records or not protected.n_records:
            return (undefined("closest.median", self.scale, POSITIVE, "No columns or no records."),)
        generator = np.random.default_rng(self.seed)
        rows = drawn_rows([protected], self.sample, generator)
        distance = self._to_nearest(original, protected, original, names, rows)
        note = f"{len(rows)} protected records, {len(names)} columns, scale {self.scale}."
        parts = [Part((f"{q} %",), float(np.quantile(distance, q / 100))) for q in (5, 25, 50)]
        unit = "sd" if self.scale == "sd" else "index"
        outer = _median_of(distance, len(rows) < protected.n_records)
        figures = (
            _median_figure("closest.median", unit, outer, note, tuple(parts)),
            self._ratio(original, names, outer, generator),
        )
        return figures if self.control is None else (*figures, self._nearer(original, protected, names, rows))

    def _to_nearest(
        self, original: Table, queries: Table, targets: Table, names: Names, rows: Ints
    ) -> Floats:
        space = space_of(original, names, self.scale)
        mine, theirs = space.place(places_of(queries, names), places_of(targets, names))
        return find_nearest(space, mine.take(rows), theirs).distance

    def _ratio(self, original: Table, names: Names, outer: Median, generator: np.random.Generator) -> Figure:
        """Median distance over the median distance to the nearest other record inside the original."""
        rows = drawn_rows([original], self.sample, generator)
        space = space_of(original, names, self.scale)
        (points,) = space.place(places_of(original, names))
        distance = find_nearest(space, points.take(rows), points, rows).distance
        inside = _median_of(distance, len(rows) < original.n_records)
        if not np.isfinite(inside.value) or inside.value == 0:
            note = "Half the original records or more have an equal among the others, or there is one record only."
            return undefined("closest.ratio", "index", POSITIVE, note)
        note = (
            "The interval takes each median at the far end of its own." if inside.drawn or outer.drawn else ""
        )
        return _median_figure("closest.ratio", "index", outer.over(inside), note)

    def _nearer(self, original: Table, protected: Table, names: Names, rows: Ints) -> Figure:
        assert self.control is not None
        generator = np.random.default_rng(self.seed + 1)
        size = min(original.n_records, self.control.n_records)
        ours = original.take(drawn_rows([original], size, generator))
        others = self.control.take(drawn_rows([self.control], size, generator))
        share = nearer_share(
            self._to_nearest(original, protected, ours, names, rows),
            self._to_nearest(original, protected, others, names, rows),
        )
        note = f"{size} records of the original and of the control; 50 % where nothing was memorised."
        return percent_figure("closest.to_original", share, estimate=True, note=note)
