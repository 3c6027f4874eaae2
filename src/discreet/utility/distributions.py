"""Distances between the distributions of single columns: shares of categories and distribution functions.

Categories (missing is one of them): mean absolute and squared difference of shares, total variation, Hellinger
distance, and whether the order of the categories by frequency survives (Kendall's tau-b, tau-a as the paper prints
it, Spearman's rho). Numbers: Kolmogorov-Smirnov and Wasserstein distance. Nothing here depends on the order or the
number of records.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Better, Figure
from discreet.stats import weighted
from discreet.table.table import Table
from discreet.utility.averages import LOST, averaged, gone, shift
from discreet.utility.columns import (
    Categories,
    Numbers,
    categories_of,
    category_names,
    numbers_of,
    numeric_names,
)
from discreet.utility.pair import compared

TIED = 12  # decimals to which frequencies must agree to count as tied


def shares(categories: Categories, column: int) -> Floats:
    """Share of the weight on each category of a column; zeros without records."""
    counts = weighted.counts(categories.codes[:, column], categories.sizes[column], categories.weights)
    total = counts.sum()
    return counts / total if total > 0 else counts


# -- two sets of shares ----------------------------------------------------------------------------------------


def mean_absolute_difference(before: Floats, after: Floats) -> float:
    """Average of |p' - p| over categories (marginal MAE of the paper)."""
    return float(np.abs(after - before).mean()) if len(before) else float("nan")


def mean_squared_difference(before: Floats, after: Floats) -> float:
    """Average of (p' - p)^2 over categories (marginal MSE of the paper)."""
    return float(((after - before) ** 2).mean()) if len(before) else float("nan")


def total_variation(before: Floats, after: Floats) -> float:
    """Half the sum of |p' - p|: the share of records that would have to move.

    >>> total_variation(np.array([0.5, 0.5]), np.array([0.75, 0.25]))
    0.25
    """
    return min(float(np.abs(after - before).sum()) / 2.0, 1.0)


def hellinger(before: Floats, after: Floats) -> float:
    """sqrt of half the sum of (sqrt p' - sqrt p)^2: between 0 and 1, heeds rare categories."""
    return min(float(np.sqrt(((np.sqrt(after) - np.sqrt(before)) ** 2).sum() / 2.0)), 1.0)


def _tied_pairs(values: Floats) -> float:
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1.0)).sum() / 2.0)


def kendall(before: Floats, after: Floats) -> tuple[float, float]:
    """Kendall's tau-b and tau-a of the frequencies of the categories; nan where all are tied. O(C log C).

    tau-b allows for ties. tau-a divides by all C(C-1)/2 pairs, the paper's formula with its sign put right, and
    stays below 1 for equal tables whose categories tie.

    >>> kendall(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0]))
    (0.816496580927726, 0.6666666666666666)
    """
    before, after = np.round(before, TIED), np.round(after, TIED)
    pairs = len(before) * (len(before) - 1) / 2.0
    if pairs == 0:
        return float("nan"), float("nan")
    untied = [pairs - _tied_pairs(side) for side in (before, after)]
    if min(untied) <= 0:
        return float("nan"), 0.0
    surplus = _surplus_in_order(before, after)
    return float(np.clip(surplus / np.sqrt(untied[0]) / np.sqrt(untied[1]), -1.0, 1.0)), surplus / pairs


def _surplus_in_order(before: Floats, after: Floats) -> float:
    """Pairs in the same order on both sides less those in opposite order (Knight 1966: inversions after sorting)."""
    n = len(before)
    opposite = 0
    seen: list[float] = []
    for value in after[np.lexsort((after, before))].tolist():
        opposite += len(seen) - bisect_right(seen, value)
        insort(seen, value)
    both = np.unique(np.column_stack((before, after)), axis=0, return_counts=True)[1]
    tied = _tied_pairs(before) + _tied_pairs(after) - float((both * (both - 1.0)).sum() / 2.0)
    return n * (n - 1) / 2.0 - tied - 2.0 * opposite


def spearman(before: Floats, after: Floats) -> float:
    """Spearman's rho of the frequencies of the categories, mid-ranks; nan where one side is all ties."""
    ranked = np.column_stack([weighted.ranks(np.round(side, TIED)) for side in (before, after)])
    return float(weighted.correlation(weighted.covariance(ranked))[0, 1])


# -- two samples of numbers ------------------------------------------------------------------------------------


def _steps(original: Numbers, protected: Numbers, column: int) -> tuple[Floats, Floats, Floats]:
    """All values of either table, ascending, and both distribution functions there."""
    values, weights = original.present(column)
    others, other_weights = protected.present(column)
    points = np.unique(np.concatenate((values[:, 0], others[:, 0])))
    return (
        points,
        weighted.ecdf(values[:, 0], points, weights),
        weighted.ecdf(others[:, 0], points, other_weights),
    )


def kolmogorov(original: Numbers, protected: Numbers, column: int) -> float:
    """Greatest difference of the two distribution functions; nan without values, inf if all were emptied."""
    points, before, after = _steps(original, protected, column)
    return float(shift(before, after).max()) if len(points) else float("nan")


def wasserstein(original: Numbers, protected: Numbers, column: int) -> float:
    """Area between the two distribution functions, in sds of the original: how far values moved on average.

    0 where a constant stays what it was; nan where the original is constant and the protected column is not, or
    has no value; inf if all were emptied.
    """
    points, before, after = _steps(original, protected, column)
    if not len(points) or gone(before, after).any():
        return LOST if len(points) else float("nan")
    area = float(np.abs(after - before)[:-1] @ np.diff(points))
    values, weights = original.present(column)
    sd = float(np.sqrt(weighted.variance(values[:, 0], weights))) if len(values) else 0.0
    if sd <= 1e-14 * float(np.abs(points).max()):
        return 0.0 if area == 0 else float("nan")
    return area / sd


# -- the measure -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MarginalDistance:
    """How far the distribution of each column moved.

    Figures over categorical columns: `mae`, `mse`, `total_variation`, `hellinger` (lower is better), `kendall`,
    `kendall_paper`, `spearman` (of category frequencies, higher is better). Over numeric columns:
    `kolmogorov`, `wasserstein`, `missing` (change of the share of missing cells). Each is the average over its
    columns, with a part per column. Missing is a category.

    Args:
        columns: names of columns to use; None: all that are analysed.

    Example:
        >>> from discreet.table.schema import Variable
        >>> sex = {"sex": Variable(name="sex", kind="nominal", levels=("f", "m"))}
        >>> tables = Table.build({"sex": list("ffmm")}, sex), Table.build({"sex": list("fffm")}, sex)
        >>> [(figure.name, figure.value) for figure in MarginalDistance()(*tables)][:3]
        [('distributions.mae', 0.25), ('distributions.mse', 0.0625), ('distributions.total_variation', 0.25)]
    """

    columns: tuple[str, ...] | None = None
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = category_names(original, self.columns)
        figures = _category_figures(*categories_of(original, protected, names), names)
        names = numeric_names(original, self.columns)
        return (*figures, *_number_figures(numbers_of(original, names), numbers_of(protected, names), names))


def _category_figures(original: Categories, protected: Categories, names: Sequence[str]) -> list[Figure]:
    both = [(shares(original, j), shares(protected, j)) for j in range(original.n_columns)]
    taus = [kendall(*pair) for pair in both]
    one, rank = (0.0, 1.0), (-1.0, 1.0)

    def figure(
        name: str, values: list[float], unit: str, bounds: tuple[float, float], better: Better = "lower"
    ) -> Figure:
        return by_column(f"distributions.{name}", values, names, unit, bounds, better)

    return [
        figure("mae", [mean_absolute_difference(*pair) for pair in both], "share", one),
        figure("mse", [mean_squared_difference(*pair) for pair in both], "share^2", one),
        figure("total_variation", [total_variation(*pair) for pair in both], "share", one),
        figure("hellinger", [hellinger(*pair) for pair in both], "index", one),
        figure("kendall", [tau[0] for tau in taus], "index", rank, "higher"),
        figure("kendall_paper", [tau[1] for tau in taus], "index", rank, "higher"),
        figure("spearman", [spearman(*pair) for pair in both], "index", rank, "higher"),
    ]


def _number_figures(original: Numbers, protected: Numbers, names: Sequence[str]) -> list[Figure]:
    columns = range(original.n_columns)
    gaps = [missing_shift(original, protected, j) for j in columns]
    distances = [kolmogorov(original, protected, j) for j in columns]
    areas = [wasserstein(original, protected, j) for j in columns]
    return [
        by_column("distributions.kolmogorov", distances, names, "share", (0.0, 1.0)),
        by_column("distributions.wasserstein", areas, names, "sd", (0.0, np.inf)),
        by_column("distributions.missing", gaps, names, "share", (0.0, 1.0)),
    ]


def missing_shift(original: Numbers, protected: Numbers, column: int) -> float:
    """Change of the share of records in which a number is missing."""
    before, after = (
        float(weighted.mean(table.missing[:, column].astype(np.float64), table.weights))
        for table in (original, protected)
    )
    return abs(after - before)


def by_column(
    name: str,
    values: Sequence[float],
    names: Sequence[str],
    unit: str,
    bounds: tuple[float, float],
    better: Better = "lower",
) -> Figure:
    """The average over columns with a part per column."""
    labels = [(column,) for column in names]
    return averaged(name, np.array(values, dtype=np.float64), labels, unit, bounds, better=better)
