"""ABIM, ABISD, ABICO (Li, Sarkar, eqs 14-16): average absolute bias of means, standard deviations, correlations.

ABICO divides by correlations however small, so a few pairs near zero rule it. It is given as defined, and beside it
the mean change of the correlations themselves, ABICO over pairs with |r| >= .05, and its median.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.table.table import Table
from discreet.utility.columns import Numbers, check_pair, numbers_of, numeric_names
from discreet.utility.moments import covariances, left_out


@dataclass(frozen=True, eq=False)
class Biases:
    """Relative biases in percent per column and per pair i < j (nan: left out), and the correlations behind them."""

    means: Floats
    sds: Floats
    correlations: Floats
    before: Floats
    after: Floats

    @property
    def shifts(self) -> Floats:
        """|r_y - r_x| of every pair."""
        return np.abs(self.after - self.before)


def biases(original: Numbers, protected: Numbers) -> Biases:
    """The terms of ABIM, ABISD and ABICO. Means and sds that are 0 are left out, correlations as well."""
    before, after = covariances(original), covariances(protected)
    upper = np.triu_indices(original.n_columns, 1)
    r_before, r_after = before.correlations[upper], after.correlations[upper]
    return Biases(
        _relative(before.means, after.means),
        _relative(before.sds, after.sds),
        _relative(r_before, r_after),
        r_before,
        r_after,
    )


def _relative(before: Floats, after: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = 100.0 * np.abs((after - before) / before)
    return np.asarray(np.where(before == 0, np.nan, ratios), dtype=np.float64)


@dataclass(frozen=True)
class AbsoluteBias:
    """ABIM, ABISD and ABICO of the numeric columns, with what makes ABICO readable.

    Args:
        columns: names of numeric columns to use; None: all that are analysed. Categories count where they are
            coded as 0-1 numbers, as in the paper.
        least_correlation: pairs below this |r| in the original are left out of `bias.abico_clear`.

    Example:
        >>> from discreet.table.schema import Variable
        >>> age = {"age": Variable(name="age", kind="numeric")}
        >>> tables = Table.build({"age": [1, 2, 3]}, age), Table.build({"age": [2, 2, 2]}, age)
        >>> [(figure.name, figure.value) for figure in AbsoluteBias()(*tables)[:2]]
        [('bias.abim', 0.0), ('bias.abisd', 100.0)]
    """

    columns: tuple[str, ...] | None = None
    least_correlation: float = 0.05
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not 0 <= self.least_correlation < 1:
            raise ParameterError(
                f"least_correlation must lie in [0, 1). Got {self.least_correlation}; the usual choice is 0.05."
            )

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_pair(original, protected)
        names = numeric_names(original, self.columns)
        found = biases(numbers_of(original, names), numbers_of(protected, names))
        single, pairs = [(name,) for name in names], list(combinations(names, 2))
        clear = np.where(np.abs(found.before) >= self.least_correlation, found.correlations, np.nan)
        dropped = float(np.isnan(clear).mean()) if clear.size else float("nan")
        over = f"Pairs with |r| >= {self.least_correlation:g} in the original."
        return (
            _average("bias.abim", found.means, single),
            _average("bias.abisd", found.sds, single),
            _average("bias.abico", found.correlations, pairs),
            _average("bias.abico_clear", clear, pairs, note=over),
            _median("bias.abico_median", found.correlations),
            Figure(
                "bias.abico_dropped",
                dropped,
                "share",
                "neither",
                (0.0, 1.0),
                note=f"Not {over[0].lower()}{over[1:]}",
            ),
            _average("bias.correlation", found.shifts, pairs, unit="index", upper=2.0),
        )


def _average(
    name: str,
    values: Floats,
    labels: Sequence[tuple[str, ...]],
    unit: str = "%",
    upper: float = np.inf,
    note: str = "",
) -> Figure:
    defined = values[~np.isnan(values)]
    note = f"{note} {left_out(len(values) - len(defined), len(values))}".strip()
    average = float(defined.mean()) if defined.size else float("nan")
    parts = tuple(Part(label, float(value)) for label, value in zip(labels, values, strict=True))
    return Figure(name, average, unit, "lower", (0.0, upper), parts=parts, note=note)


def _median(name: str, values: Floats) -> Figure:
    defined = values[~np.isnan(values)]
    note = left_out(len(values) - len(defined), len(values))
    median = float(np.median(defined)) if defined.size else float("nan")
    return Figure(name, median, "%", "lower", (0.0, np.inf), note=note)
