"""The figure that most measures give: an average over columns, pairs or moments, with its breakdown.

One rule for what cannot be computed. nan: not defined on the original, so there is nothing to lose; left out, and
counted in the note. inf: the original has it and the protected table has not; it counts as the worst value, which
is the bound of a bounded figure and infinite for the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Better, Figure, Part

LOST = float("inf")


def gone(before: Floats, after: Floats) -> Bools:
    """Which statistics the original has and the protected table has not."""
    return np.asarray(~np.isnan(before) & np.isnan(after))


def shift(before: Floats, after: Floats) -> Floats:
    """|after - before|, LOST where only the protected table has none.

    >>> shift(np.array([1.0, 1.0, np.nan]), np.array([0.5, np.nan, 1.0])).tolist()
    [0.5, inf, nan]
    """
    return np.asarray(np.where(gone(before, after), LOST, np.abs(after - before)), dtype=np.float64)


def average(values: Floats, *, median: bool = False) -> float:
    """Mean or median of what is defined; nan where nothing is."""
    defined = values[~np.isnan(values)]
    if not defined.size:
        return float("nan")
    return float(np.median(defined) if median else defined.mean())


def settled(values: Floats, bounds: tuple[float, float], better: Better = "lower") -> Floats:
    """Lost entries as the worst that the figure can be."""
    worst = bounds[0] if better == "higher" else bounds[1]
    return np.asarray(np.where(values == LOST, worst, values), dtype=np.float64)


def averaged(
    name: str,
    values: Floats,
    labels: Sequence[tuple[str, ...]] | None,
    unit: str,
    bounds: tuple[float, float],
    *,
    better: Better = "lower",
    note: str = "",
    median: bool = False,
) -> Figure:
    """The average with a part per entry, or without parts where there are no labels."""
    shown = settled(values, bounds, better)
    note = f"{note} {what_is_lacking(values)}".strip()
    parts = tuple(Part(label, float(value)) for label, value in zip(labels or (), shown, strict=bool(labels)))
    return Figure(name, average(shown, median=median), unit, better, bounds, parts=parts, note=note)


def with_worst(figure: Figure, values: Floats) -> list[Figure]:
    """The figure, and the largest of its entries as one of its own."""
    shown = settled(values, figure.bounds)
    defined = shown[~np.isnan(shown)]
    worst = float(defined.max()) if defined.size else float("nan")
    return [
        figure,
        Figure(f"{figure.name}_worst", worst, figure.unit, figure.better, figure.bounds, note=figure.note),
    ]


def what_is_lacking(values: Floats) -> str:
    """What to say of the entries that are not defined, or that the protected table has lost."""
    if not len(values):
        return "Not defined: there are no columns, or no pairs of them, to take it over."
    undefined, lost = int(np.isnan(values).sum()), int(np.isposinf(values).sum())
    said = []
    if undefined:
        said.append(f"{undefined} of {len(values)} are not defined and left out.")
    if lost:
        said.append(
            f"{lost} of {len(values)} cannot be computed on the protected table: counted as the worst."
        )
    return " ".join(said)
