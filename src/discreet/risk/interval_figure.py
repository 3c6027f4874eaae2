"""What the two interval disclosures share: their mean over widths and columns, and its breakdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.arrays import Bools, Floats
from discreet.base import Figure, Part
from discreet.risk.rates import PERCENT, undefined
from discreet.risk.selection import Names, analysed, check_correspondence
from discreet.table.table import Table

Hits = Callable[[Floats, Floats, float], Bools]
"""(original values, released values, width in per cent) -> disclosed or not."""


def mean_hits(hits: Hits, original: Floats, released: Floats, widths: Sequence[float]) -> Floats:
    """Per record, the share of the widths at which its value is disclosed."""
    disclosed = [hits(original, released, width) for width in widths]
    return np.asarray(np.mean(disclosed, axis=0), dtype=np.float64)


def interval_figures(
    name: str, hits: Hits, original: Table, protected: Table, asked: Names | None, widths: Sequence[float]
) -> tuple[Figure, ...]:
    """One figure: mean over columns, parts by column, and the mean over columns for each record."""
    check_correspondence(original, protected)
    names = asked or tuple(n for n in analysed(original) if original[n].is_numeric)
    measured = [n for n in names if (~original[n].missing).any()]
    if not measured:
        return (undefined(name, "%", PERCENT, "No numeric column holds a value."),)
    sums, counts, parts = np.zeros(original.n_records), np.zeros(original.n_records), []
    for column in measured:
        held, shown = ~original[column].missing, ~protected[column].missing
        both = held & shown
        disclosed = np.zeros(original.n_records)
        if both.any():
            values, released = original[column].values[both], protected[column].values[both]
            disclosed[both] = mean_hits(hits, values.astype(np.float64), released.astype(np.float64), widths)
        parts.append(Part((column,), 100.0 * float(disclosed[held].mean()), people=int(held.sum())))
        sums += disclosed
        counts += held
    value = float(np.mean([part.value for part in parts]))
    records = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
    note = f"Mean of {len(measured)} columns and {len(widths)} half-widths."
    people = original.n_records
    return (Figure(name, value, "%", "lower", PERCENT, None, tuple(parts), records, note, people, note),)
