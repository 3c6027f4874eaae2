"""Any measure inside the parts of a table: the mean over parts, and the worst of them.

Who analyses subdomains, or an intruder who knows the part, meets the part and not the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure, Measure, Part
from discreet.errors import InputError, ParameterError
from discreet.table.table import Table

MOST_PARTS = 200


@dataclass(frozen=True)
class InParts:
    """A measure inside each part of the table.

    Figures: those of the measure, with `_in_parts` behind their names: the mean over parts, weighted by records, with
    the parts as breakdown. They are numbered in the order of their values, which are never shown.

    Args:
        measure: any measure.
        by: columns; each combination of their values in the original is a part.
        matched: whether the protected records of a part are those made from its records (the same rows); else those
            that have the same values. A measure that needs correspondence always takes the same rows.

    Example:
        >>> from discreet.risk.linkage import DistanceLinkage
        >>> from discreet.table.schema import Variable
        >>> columns = {"town": Variable(name="town", kind="nominal"), "age": Variable(name="age", kind="numeric")}
        >>> original = Table.build({"town": list("aabb"), "age": [20, 30, 20, 60]}, columns)
        >>> protected = Table.build({"town": list("aabb"), "age": [25, 25, 21, 58]}, columns)
        >>> figure, *_ = InParts(DistanceLinkage(known=("age",)), by=("town",))(original, protected)
        >>> figure.name, figure.value, [part.value for part in figure.parts]
        ('linkage.distance_in_parts', 75.0, [50.0, 100.0])
    """

    measure: Measure
    by: tuple[str, ...]
    matched: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.by, str) or not self.by:
            raise ParameterError("by must be a tuple of column names, such as ('region',).")

    @property
    def aspect(self) -> Aspect:
        return self.measure.aspect

    @property
    def corresponds(self) -> bool:
        return self.measure.corresponds

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        pairs = self._pairs(original, protected)
        found = [self._measured(*pair) for pair in pairs]
        sizes = np.array([pair[0].n_records for pair in pairs], dtype=np.float64)
        names = list(dict.fromkeys(name for figures in found for name in figures))
        return tuple(self._figure([figures.get(name) for figures in found], sizes) for name in names)

    def _pairs(self, original: Table, protected: Table) -> list[tuple[Table, Table]]:
        """Original and protected records of each part."""
        here, there = part_numbers(original, protected, self.by)
        same_rows = self.corresponds or (self.matched and original.n_records == protected.n_records)
        there = here if same_rows else there
        parts = np.unique(here)
        if len(parts) > MOST_PARTS:
            raise ParameterError(
                f"by makes {len(parts)} parts of {', '.join(self.by)}; at most {MOST_PARTS} are measured. "
                "Name columns with fewer values."
            )
        return [(original.take(here == part), protected.take(there == part)) for part in parts]

    def _measured(self, original: Table, protected: Table) -> dict[str, Figure]:
        """Figures by name; none of a part that the measure refuses."""
        try:
            return {figure.name: figure for figure in self.measure(original, protected)}
        except InputError:
            return {}

    def _figure(self, found: Sequence[Figure | None], sizes: Floats) -> Figure:
        model = next(figure for figure in found if figure is not None)
        values = np.array([np.nan if figure is None else figure.value for figure in found])
        counts = [
            int(size) if f is None or f.people is None else f.people
            for f, size in zip(found, sizes, strict=True)
        ]
        counted = model.people is not None or model.unit == "share"
        parts = tuple(
            Part((f"part {i + 1}",), float(value), people=counts[i] if counted else None)
            for i, value in enumerate(values)
        )
        said = self._note(values, model)
        mean = _weighted_mean(values, sizes)
        return replace(
            model,
            name=f"{model.name}_in_parts",
            value=mean,
            interval=_interval(found, values, sizes, mean),
            parts=parts,
            records=None,
            people=min(counts) if counted else None,
            note=said,
            public_note=said,
        )

    def _note(self, values: Floats, model: Figure) -> str:
        defined = np.flatnonzero(~np.isnan(values))
        if not len(defined):
            return f"Not defined in any part by {', '.join(self.by)}."
        worst = defined[
            np.argmin(values[defined]) if model.better == "higher" else np.argmax(values[defined])
        ]
        return (
            f"Mean over {len(defined)} of {len(values)} parts by {', '.join(self.by)}, weighted by records; "
            f"worst: part {worst + 1}."
        )


def part_numbers(original: Table, protected: Table, by: Sequence[str]) -> tuple[Ints, Ints]:
    """The part of each record of both tables, numbered in the order of the values."""
    lacking = [name for name in by if name not in original or name not in protected]
    if lacking:
        raise ParameterError(f"by names columns that are not in both files: {', '.join(lacking)}.")
    columns = [(original[name], protected[name]) for name in by]
    keys = [
        np.concatenate([np.where(column.missing, np.inf, column.values) for column in pair])
        for pair in columns
    ]
    _, numbers = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1).astype(np.int64)
    return numbers[: original.n_records], numbers[original.n_records :]


def _weighted_mean(values: Floats, sizes: Floats) -> float:
    defined = ~np.isnan(values)
    return float(np.average(values[defined], weights=sizes[defined])) if defined.any() else float("nan")


def _interval(
    found: Sequence[Figure | None], values: Floats, sizes: Floats, mean: float
) -> tuple[float, float] | None:
    """Parts are drawn apart: distances of the ends add up as squares."""
    drawn = [
        (f.interval, v, s)
        for f, v, s in zip(found, values, sizes, strict=True)
        if f is not None and f.interval
    ]
    if not drawn:
        return None
    total = sizes[~np.isnan(values)].sum()
    down, up = (
        float(np.sqrt(sum((size / total * (interval[end] - value)) ** 2 for interval, value, size in drawn)))
        for end in (0, 1)
    )
    low, high = next(f.bounds for f in found if f is not None)
    return max(mean - down, low), min(mean + up, high)
