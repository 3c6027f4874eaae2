"""Probabilistic information loss (Mateo-Sanz, Domingo-Ferrer, Sebe): how surprising each statistic has become.

The original is taken as a population and the protected table as a sample from it. The loss of a statistic is the
probability that sampling alone would have moved it less than protection did: pil = 2 P(0 <= Z <= z) = erf(z/sqrt 2)
with z = |theta'' - theta| / sqrt(Var), the variance computed from the original (eq. 1.2). 0 = unchanged, 1 = moved
further than sampling ever would. Statistics: quantiles 5, 10 .. 95 %, means, variances, covariances, correlations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import combinations
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.stats.weighted import checked_weights, effective_size, mean, quantile
from discreet.table.table import Table
from discreet.utility.columns import Numbers, category_names, numbers_of, numeric_names
from discreet.utility.pair import compared

Density: TypeAlias = Literal["range", "kde"]

SHARES: Floats = np.arange(1, 20) / 20.0
NEGLIGIBLE = 1e-9  # a difference this small, in units of the statistic's scale, is no difference
SMALL_PART = 100  # records below which the normal law of the statistics is doubtful


def loss(
    estimate: Floats | float, parameter: Floats | float, variance: Floats | float, scale: Floats | float = 1.0
) -> Floats:
    """pil of one statistic, or of arrays of them; nan where it is not defined on the original.

    `scale` is the unit in which a difference below 1e-9 is rounding (sd, variance, product of sds, 1).

    >>> loss(1.1, 1.0, 0.01).round(6).item(), loss(1.5, 1.0, 0.0).item(), loss(1.0, 1.0, 0.0).item()
    (0.682689, 1.0, 0.0)
    """
    shift = np.abs(np.asarray(estimate, dtype=np.float64) - parameter)
    # overflow of a shift against no variance is wanted: it is certain loss
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        probabilities = erf(shift / np.sqrt(2.0 * np.asarray(variance, dtype=np.float64)))
    result = np.where(
        shift <= NEGLIGIBLE * np.asarray(scale), 0.0, np.where(variance == 0, 1.0, probabilities)
    )
    result = np.where(np.isnan(estimate), 1.0, result)  # undefined on the protected table only
    return np.asarray(np.where(np.isnan(parameter), np.nan, result), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Losses:
    """pil (0 to 1) of every statistic: per column, per pair i < j row by row, per column and quantile."""

    m1: Floats
    m2: Floats
    m11: Floats
    r: Floats
    quantiles: Floats

    def percentages(self) -> dict[str, float]:
        """PIL: 100 times the average over columns, pairs or quantiles; nan where none is defined."""
        return {field.name: 100.0 * _average(getattr(self, field.name)) for field in fields(self)}


def _average(values: Floats) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


@dataclass(frozen=True)
class _Moments:
    """Mean, variance and fourth central moment of one column, with the size its variance of estimation needs."""

    mean: float
    variance: float
    fourth: float
    size: float


def _moments(values: Floats, weights: Floats | None) -> _Moments:
    if not len(values):
        return _Moments(np.nan, np.nan, np.nan, 0.0)
    centre = float(mean(values, weights))
    squares = (values - centre) ** 2
    size = len(values) if weights is None else effective_size(weights)
    return _Moments(centre, float(mean(squares, weights)), float(mean(squares**2, weights)), size)


def _standardised(values: Floats, weights: Floats | None) -> tuple[Floats, Floats]:
    """z-scores and sds of the columns; a column without variance becomes zeros."""
    centred = values - mean(values, weights)
    sds = np.sqrt(mean(centred**2, weights))
    # below 1e-14 of the mean it is rounding of a constant
    sds = np.where(sds > 1e-14 * np.abs(values).max(axis=0, initial=0.0), sds, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.where(sds > 0, centred / sds, 0.0)
    return np.asarray(scores, dtype=np.float64), np.asarray(sds, dtype=np.float64)


@dataclass(frozen=True)
class _Association:
    """Covariance and correlation of a pair with their variances of estimation, and the product of its sds."""

    covariance: float
    covariance_variance: float
    correlation: float
    correlation_variance: float
    scale: float


def _association(values: Floats, weights: Floats | None) -> _Association:
    if not len(values):
        return _Association(np.nan, np.nan, np.nan, np.nan, np.nan)
    size = len(values) if weights is None else effective_size(weights)
    scores, sds = _standardised(values, weights)
    scale = float(sds[0] * sds[1])
    product = scores[:, 0] * scores[:, 1]
    r = float(mean(product, weights))
    spread = float(mean((product - r) ** 2, weights)) * scale**2 / size  # (mu22 - mu11^2) / n
    if scale == 0:
        return _Association(0.0, 0.0, np.nan, np.nan, 0.0)
    # delta method; the six-moment formula written as a mean of squares, so it is never negative
    influence = product - r / 2.0 * (scores**2).sum(axis=1)
    return _Association(r * scale, spread, r, float(mean(influence**2, weights)) / size, scale)


def _quantile_variances(
    values: Floats, weights: Floats | None, points: Floats, density: Density
) -> tuple[Floats, float]:
    """q (1 - q) / (n f^2) at the quantiles, and the scale of the values (sd)."""
    size = len(values) if weights is None else effective_size(weights)
    sd = float(np.sqrt(_moments(values, weights).variance))
    if density == "range":
        span = float(values.max() - values.min())
        return SHARES * (1.0 - SHARES) / size * span**2, sd
    heights = kernel_density(values, weights, points)
    with np.errstate(divide="ignore", over="ignore"):
        variances = SHARES * (1.0 - SHARES) / (size * heights**2)
    return np.where(heights > 0, variances, 0.0), sd


def kernel_density(values: Floats, weights: Floats | None, points: Floats) -> Floats:
    """Gaussian kernel density at some points, h = 0.9 min(sd, IQR / 1.34) n^-1/5 (sd alone where IQR is 0).

    Answers zeros for a constant column, whose density does not exist.
    """
    size = len(values) if weights is None else effective_size(weights)
    sd = float(np.sqrt(_moments(values, weights).variance))
    quarters = quantile(values, np.array([0.25, 0.75]), weights)
    spread = float(quarters[1] - quarters[0]) / 1.34
    width = 0.9 * (min(sd, spread) if spread > 0 else sd) * size**-0.2
    if not width > 0:
        return np.zeros(len(points))
    shares = checked_weights(weights, len(values)) / len(values)
    heights = np.array([shares @ np.exp(-0.5 * ((values - point) / width) ** 2) for point in points])
    return np.asarray(heights / (width * np.sqrt(2.0 * np.pi)), dtype=np.float64)


def _column_losses(
    original: Numbers, protected: Numbers, column: int, density: Density
) -> tuple[Floats, Floats]:
    values, weights = original.present(column)
    others, other_weights = protected.present(column)
    values, others = values[:, 0], others[:, 0]
    if not len(values):
        return np.full(2, np.nan), np.full(len(SHARES), np.nan)
    here, there = _moments(values, weights), _moments(others, other_weights)
    m1 = loss(there.mean, here.mean, here.variance / here.size, np.sqrt(here.variance))
    spread = max(here.fourth - here.variance**2, 0.0) / here.size
    m2 = loss(there.variance, here.variance, spread, here.variance)
    points = quantile(values, SHARES, weights)
    variances, sd = _quantile_variances(values, weights, points, density)
    return np.array([m1, m2]), loss(quantile(others, SHARES, other_weights), points, variances, sd)


def _pair_losses(original: Numbers, protected: Numbers, one: int, other: int) -> tuple[float, float]:
    here = _association(*original.present(one, other))
    there = _association(*protected.present(one, other))
    m11 = loss(there.covariance, here.covariance, here.covariance_variance, here.scale)
    return float(m11), float(loss(there.correlation, here.correlation, here.correlation_variance))


def probabilistic_losses(original: Numbers, protected: Numbers, density: Density = "range") -> Losses:
    """pil of every mean, variance, covariance, correlation and quantile. O(n d^2), memory O(n)."""
    columns = [_column_losses(original, protected, j, density) for j in range(original.n_columns)]
    pairs = [_pair_losses(original, protected, i, j) for i, j in combinations(range(original.n_columns), 2)]
    moments = np.array([column[0] for column in columns]).reshape(-1, 2)
    associations = np.array(pairs).reshape(-1, 2)
    quantiles = np.array([column[1] for column in columns]).reshape(-1, len(SHARES))
    return Losses(moments[:, 0], moments[:, 1], associations[:, 0], associations[:, 1], quantiles)


def subdomain_losses(
    original: Numbers,
    protected: Numbers,
    labels: Ints,
    protected_labels: Ints,
    density: Density = "range",
) -> Iterator[tuple[int, int, Losses]]:
    """Losses inside each part of the original: (label, its records, losses). A part that vanished is lost whole."""
    for label in np.unique(labels):
        rows = labels == label
        part = protected.take(protected_labels == label)
        yield (
            int(label),
            int(np.count_nonzero(rows)),
            probabilistic_losses(original.take(rows), part, density),
        )


FIGURES = {
    "quantiles": "pil.q",
    "m1": "pil.m1",
    "m2": "pil.m2",
    "m11": "pil.m11",
    "r": "pil.r",
}


@dataclass(frozen=True)
class ProbabilisticLoss:
    """PIL of quantiles, means, variances, covariances and correlations of the numeric columns.

    Args:
        density: how the density at a quantile is found: `"range"`, 1 / (max - min), the reading nearest to the
            paper, which understates the loss of skewed columns; `"kde"`, a Gaussian kernel, for evidence.
        by: categorical columns whose combinations are subdomains: the loss is measured inside each part and
            averaged; the worst part is a figure of its own.
        columns: names of numeric columns to use; None: all that are analysed.

    Example:
        >>> from discreet.table.schema import Variable
        >>> age = {"age": Variable(name="age", kind="numeric")}
        >>> original = Table.build({"age": [20, 30, 40, 50]}, age)
        >>> protected = Table.build({"age": [25, 25, 45, 45]}, age)
        >>> [(figure.name, round(figure.value, 2)) for figure in ProbabilisticLoss()(original, protected)[:3]]
        [('pil.q', 31.07), ('pil.m1', 0.0), ('pil.m2', 38.29)]
    """

    density: Density = "range"
    by: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.density not in ("range", "kde"):
            raise ParameterError(f"density must be 'range' or 'kde'. Got {self.density!r}.")

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = numeric_names(original, self.columns)
        pair = numbers_of(original, names), numbers_of(protected, names)
        if not self.by:
            return self._whole(names, probabilistic_losses(*pair, self.density), original.n_records)
        labels, other_labels = part_labels(original, protected, self.by)
        return self._by_parts(list(subdomain_losses(*pair, labels, other_labels, self.density)))

    def _whole(self, names: Sequence[str], losses: Losses, n_records: int) -> tuple[Figure, ...]:
        note = self._note(n_records)
        averages = losses.percentages()
        parts = {
            "quantiles": tuple(
                Part((name,), 100.0 * _average(row))
                for name, row in zip(names, losses.quantiles, strict=True)
            ),
            "m1": _parts([(name,) for name in names], losses.m1),
            "m2": _parts([(name,) for name in names], losses.m2),
            "m11": _parts(list(combinations(names, 2)), losses.m11),
            "r": _parts(list(combinations(names, 2)), losses.r),
        }
        return tuple(
            _figure(name, averages[key], parts[key], note if key == "quantiles" else self._few(n_records))
            for key, name in FIGURES.items()
        )

    def _by_parts(self, measured: list[tuple[int, int, Losses]]) -> tuple[Figure, ...]:
        smallest = min((size for _, size, _ in measured), default=0)
        figures = []
        for key, name in FIGURES.items():
            parts = tuple(
                Part((f"part {number + 1}",), losses.percentages()[key])
                for number, (_, _, losses) in enumerate(measured)
            )
            values = np.array([part.value for part in parts])
            defined = values[~np.isnan(values)]
            note = f"Average over {len(parts)} parts of {', '.join(self.by)}. {self._note(smallest)}"
            figures.append(_figure(name, _average(values), parts, note))
            worst = float(defined.max()) if defined.size else float("nan")
            figures.append(_figure(f"{name}_worst", worst, (), f"The worst of {len(parts)} parts. {note}"))
        return tuple(figures)

    def _note(self, n_records: int) -> str:
        chosen = {"range": "1 / (max - min)", "kde": "Gaussian kernel"}[self.density]
        return f"Density at quantiles: {chosen}. {self._few(n_records)}".strip()

    @staticmethod
    def _few(n_records: int) -> str:
        if n_records >= SMALL_PART:
            return ""
        return f"Fewer than {SMALL_PART} records: the normal law behind this figure is doubtful."


def _parts(labels: list[tuple[str, ...]], values: Floats) -> tuple[Part, ...]:
    return tuple(Part(label, 100.0 * float(value)) for label, value in zip(labels, values, strict=True))


def _figure(name: str, value: float, parts: tuple[Part, ...], note: str) -> Figure:
    if np.isnan(value):
        note = f"Not defined: too few numeric columns, or no variation. {note}".strip()
    return Figure(name, value, "%", "lower", (0.0, 100.0), parts=parts, note=note)


def part_labels(original: Table, protected: Table, by: Sequence[str]) -> tuple[Ints, Ints]:
    """Numbers of the combinations of some categorical columns, common to both tables (missing: a category)."""
    if wrong := [name for name in by if name not in category_names(original, [name])]:
        raise ParameterError(f"Parts are made by categorical columns; not categorical: {', '.join(wrong)}.")
    keys = [_part_keys(table, by) for table in (original, protected)]
    _, labels = np.unique(np.concatenate(keys), axis=0, return_inverse=True)
    labels = labels.reshape(-1).astype(np.int64)
    return labels[: original.n_records], labels[original.n_records :]


def _part_keys(table: Table, by: Sequence[str]) -> NDArray[np.int64]:
    shown = [np.where(table[name].missing, -1, table[name].values) for name in by]
    return np.column_stack(shown).astype(np.int64)
