"""ABIM, ABISD, ABICO (Li, Sarkar, eqs 14-16): average absolute bias of means, standard deviations, correlations.

ABICO divides by correlations however small, so a few pairs near zero rule it. It is given as defined, and beside it
the mean change of the correlations themselves, ABICO over pairs with |r| >= .05, and its median.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.table.table import Table
from discreet.utility.averages import LOST, averaged, gone, shift
from discreet.utility.columns import Numbers, numbers_of, numeric_names
from discreet.utility.moments import covariances
from discreet.utility.pair import compared


@dataclass(frozen=True, eq=False)
class Biases:
    """Relative biases in percent per column and per pair i < j, and the correlations behind them.

    nan: not defined on the original; inf: the protected table has none any more.
    """

    means: Floats
    sds: Floats
    correlations: Floats
    before: Floats
    after: Floats

    @property
    def shifts(self) -> Floats:
        """|r_y - r_x| of every pair."""
        return shift(self.before, self.after)


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
    ratios = np.where(before == 0, np.nan, ratios)
    return np.asarray(np.where(gone(before, after), LOST, ratios), dtype=np.float64)


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

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = numeric_names(original, self.columns)
        found = biases(numbers_of(original, names), numbers_of(protected, names))
        single: list[tuple[str, ...]] = [(name,) for name in names]
        pairs: list[tuple[str, ...]] = list(combinations(names, 2))
        clear = np.where(np.abs(found.before) >= self.least_correlation, found.correlations, np.nan)
        dropped = float(np.isnan(clear).mean()) if clear.size else float("nan")
        over = f"Pairs with |r| >= {self.least_correlation:g} in the original."
        unbounded = 0.0, float("inf")
        return (
            averaged("bias.abim", found.means, single, "%", unbounded),
            averaged("bias.abisd", found.sds, single, "%", unbounded),
            averaged("bias.abico", found.correlations, pairs, "%", unbounded),
            averaged("bias.abico_clear", clear, pairs, "%", unbounded, note=over),
            averaged("bias.abico_median", found.correlations, None, "%", unbounded, median=True),
            Figure(
                "bias.abico_dropped",
                dropped,
                "share",
                "neither",
                (0.0, 1.0),
                note=f"Not {over[0].lower()}{over[1:]}",
                people=0,
            ),
            averaged("bias.correlation", found.shifts, pairs, "index", (0.0, 2.0)),
        )
