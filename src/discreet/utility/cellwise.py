"""Loss of single cells, record by record: IL1s and the share of sums of squares.

IL1s = |x - x'| / (sqrt 2 sd(x)) (Yancey, Winkler, Creecy), averaged over cells; its plain sum is given too, because
that is what sdcMicro's `dUtility` answers. SSE / SST is the share of the squares about the mean that protection
lost, on columns standardised by the original's mean and sd (n - 1), and on the columns as they are. A number that
was emptied counts as if its column's mean stood there; cells already missing in the original are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Figure, Part
from discreet.stats.weighted import mean
from discreet.table.table import Table
from discreet.utility.columns import Numbers, numbers_of, numeric_names
from discreet.utility.pair import compared


@dataclass(frozen=True, eq=False)
class Cellwise:
    """Sums per column: cells (weighted), |x - x'| in sqrt 2 sd, and squares lost and held, in sd and in raw units.

    A constant column has no sd: its entries are 0 where nothing changed, nan otherwise.
    """

    cells: Floats
    absolute: Floats
    lost: Floats
    held: Floats
    lost_raw: Floats
    held_raw: Floats


def cellwise(original: Numbers, protected: Numbers) -> Cellwise:
    """Add up the losses of every column; both tables hold the same records in the same order."""
    sums = [_column_sums(original, protected, column) for column in range(original.n_columns)]
    return Cellwise(*np.array(sums, dtype=np.float64).reshape(-1, 6).T)


def _column_sums(original: Numbers, protected: Numbers, column: int) -> tuple[float, ...]:
    rows = ~original.missing[:, column]
    values = original.values[rows, column]
    weights = np.ones(len(values)) if original.weights is None else original.weights[rows]
    if not weights.sum() > 0:
        return (0.0,) * 6
    centre = float(mean(values, weights))
    emptied = protected.missing[rows, column]
    shift = np.where(emptied, centre, protected.values[rows, column]) - values
    cells, lost = float(weights.sum()), float(weights @ shift**2)
    held = float(weights @ (values - centre) ** 2)
    # n - 1, as sd() of R has it; weights have a mean of one
    spread = held / (cells - 1.0) if cells > 1 else 0.0
    absolute = float(weights @ np.abs(shift))
    if held <= cells * (1e-14 * float(np.abs(values).max())) ** 2:
        changed = np.nan if absolute > 0 else 0.0
        return cells, changed, changed, 0.0, lost, 0.0
    return cells, absolute / np.sqrt(2.0 * spread), lost / spread, held / spread, lost, held


@dataclass(frozen=True)
class CellLoss:
    """IL1s and SSE / SST of the numeric columns.

    Figures: `il1s` (mean over cells), `il1s_sum` (the same as a sum, to set beside sdcMicro), `sse` (percent of
    the squares lost, standardised) and `sse_raw` (the same in the columns' own units, ruled by the largest one; its
    parts say what each column adds to it).

    Args:
        columns: names of numeric columns to use; None: all that are analysed.

    Example:
        >>> from discreet.table.schema import Variable
        >>> age = {"age": Variable(name="age", kind="numeric")}
        >>> tables = Table.build({"age": [0, 2, 4, 6]}, age), Table.build({"age": [1, 1, 5, 5]}, age)
        >>> [(figure.name, round(figure.value, 3)) for figure in CellLoss()(*tables)][::2]
        [('cellwise.il1s', 0.274), ('cellwise.sse', 20.0)]
    """

    columns: tuple[str, ...] | None = None
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = True

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = numeric_names(original, self.columns)
        sums = cellwise(numbers_of(original, names), numbers_of(protected, names))
        with np.errstate(divide="ignore", invalid="ignore"):
            means = np.where(sums.cells > 0, sums.absolute / sums.cells, np.nan)
            lost = np.where(sums.held > 0, 100.0 * sums.lost / sums.held, sums.lost)
            raw = 100.0 * sums.lost_raw / sums.held_raw.sum()
        return (
            _figure("cellwise.il1s", _ratio(sums.absolute, sums.cells), "sqrt(2) sd", names, means),
            _figure("cellwise.il1s_sum", _ratio(sums.absolute, None), "sqrt(2) sd", names, sums.absolute),
            _figure("cellwise.sse", 100.0 * _ratio(sums.lost, sums.held), "%", names, lost),
            _figure("cellwise.sse_raw", 100.0 * _ratio(sums.lost_raw, sums.held_raw), "%", names, raw),
        )


def _ratio(above: Floats, below: Floats | None) -> float:
    """Sum over sum, over the columns where both are defined; 0 / 0 (nothing to lose, nothing lost) is 0."""
    defined = ~np.isnan(above)
    if not defined.any():
        return float("nan")
    total = float(above[defined].sum())
    if below is None:
        return total
    size = float(below[defined].sum())
    if size > 0:
        return total / size
    return 0.0 if total == 0 else float("nan")


def _figure(name: str, value: float, unit: str, names: Sequence[str], values: Floats) -> Figure:
    parts = tuple(Part((column,), float(entry)) for column, entry in zip(names, values, strict=True))
    note = "A number that was emptied counts as the mean of its column."
    if undefined := int(np.isnan(values).sum()):
        note += f" {undefined} columns without variation in the original are left out."
    return Figure(name, value, unit, "lower", (0.0, float("inf")), parts=parts, note=note)
