"""The propensity score (Woo, Reiter, Oganian, Karr): can the two tables be told apart?

Stack the tables, T = 1 for the protected records, and estimate P(T = 1 | record). With c the share of protected
records, U_p = mean (p - c)^2 (eq. 11 of the local-synthesis paper; c = 1/2 for equal sizes) is 0 when nothing tells
them apart. S_pMSE (Snoke, Raab, Nowok, Dibben, Slavkovic) sets U_p against what a synthesizer with the right model
would show: E = (k - 1) (1 - c)^2 c / N, sd = sqrt(2 (k - 1)) (1 - c)^2 c / N for k parameters and N records. Records with
unequal weights say less than as many with equal ones: `weighted_null` is the same with weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np

from discreet.arrays import Codes, Floats
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.stats.logistic import LogisticFit, fit_logistic, orthonormal, projected
from discreet.stats.weighted import checked_weights
from discreet.table.table import Table
from discreet.utility.columns import (
    Categories,
    Numbers,
    analysed,
    categories_of,
    category_names,
    drawn_rows,
    numbers_of,
    numeric_names,
)
from discreet.utility.pair import compared
from discreet.utility.propensity_terms import Mixed, Plan, Reading, design, plan_terms, standardised

LEAST_SAMPLE = 2000
EQUAL = 1e-9  # weights (with a mean of one) that differ by less are equal


@dataclass(frozen=True)
class Score:
    """U_p with what is needed to judge it.

    `expected` and `sd` describe U_p for a table synthesised by the right model from the original; nan when unknown.
    `error` is the standard error of U_p where the records are a sample of larger tables.
    """

    value: float
    share: float  # c, protected records among all
    n_records: int  # N, both tables
    expected: float
    sd: float
    error: float = float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """What other samples of as many records would show in 95 % of cases, were they drawn from larger tables."""
        return self.value - 1.96 * self.error, self.value + 1.96 * self.error

    @property
    def ratio(self) -> float:
        """S_pMSE: U_p over its null expectation."""
        return self.value / self.expected if self.expected > 0 else float("nan")

    @property
    def standardised(self) -> float:
        return (self.value - self.expected) / self.sd if self.sd > 0 else float("nan")


def mean_squared_error(probabilities: Floats, share: float, weights: Floats | None = None) -> float:
    """U_p = mean (p - c)^2.

    >>> mean_squared_error(np.array([0.25, 0.75]), 0.5)
    0.0625
    """
    weights = checked_weights(weights, len(probabilities))
    return float(weights @ (probabilities - share) ** 2 / weights.sum())


def logistic_null(n_parameters: int, share: float, n_records: int) -> tuple[float, float]:
    """Mean and sd of U_p under the right synthesizer, k parameters with the intercept (Snoke et al., eq. 2, 3).

    >>> logistic_null(9, 0.5, 100)
    (0.01, 0.005)
    """
    unit = (1.0 - share) ** 2 * share / n_records
    freedom = n_parameters - 1
    return freedom * unit, sqrt(2.0 * freedom) * unit


def weighted_null(design: Floats, target: Floats, weights: Floats) -> tuple[float, float]:
    """Mean and sd of U_p under the right synthesizer for weighted records.

    The sandwich: U_p is about (1 - c)^2 c / N times a sum of chi-squares, weighted by the eigenvalues of the sum of
    w^2 x x' over (X'WX), x centred. Both tables show how weights go with x, so that the null does not follow the
    protected table where it went wrong; its own weights say how unequal they are. Equal ones give `logistic_null`.
    """
    centred = design - weights @ design / weights.sum()
    basis = orthonormal(np.sqrt(weights)[:, None] * centred)
    meat = (weights[:, None] * basis).T @ basis
    share, squares = float(target.mean()), weights**2
    unit = (1.0 - share) ** 2 * share / len(target) * float(squares[target == 1].mean() / squares.mean())
    return unit * float(np.trace(meat)), unit * sqrt(2.0 * float((meat**2).sum()))


def score_of_fit(fit: LogisticFit, design: Floats, target: Floats, weights: Floats | None = None) -> Score:
    """Score of a logistic model of T = `target` fitted to the stacked tables."""
    share = float(target.mean())
    if weights is None or np.ptp(weights) < EQUAL:
        null = logistic_null(fit.rank, share, len(target))
    else:
        null = weighted_null(design, target, weights)
    slopes = projected(design, fit, 2.0 * (fit.probabilities - share), weights)
    return score_of(fit.probabilities, target, weights, null, slopes)


def score_of(
    probabilities: Floats,
    target: Floats,
    weights: Floats | None,
    null: tuple[float, float],
    slopes: Floats | None = None,
) -> Score:
    """Score of fitted probabilities of T = `target`, with the null mean and sd of U_p.

    Args:
        slopes: 2 (p - c), projected on the model's terms; None: as it is (a model that is free in every leaf).
    """
    n_records, share = len(target), float(target.mean())
    value = mean_squared_error(probabilities, share, weights)
    shift = probabilities - share
    slopes = 2.0 * shift if slopes is None else slopes
    # what a record adds to U_p, by its own term and through the fit; and both tables drawn anew under the null
    influence = shift**2 - value + slopes * (target - probabilities)
    spread = float((checked_weights(weights, n_records) ** 2) @ influence**2) / n_records**2
    both = float(np.nan_to_num(null[1])) / (1.0 - share)
    error = sqrt(spread + both**2)
    return Score(value, share, n_records, *null, error)


def mixed_effects(
    original: tuple[Numbers, Categories], protected: tuple[Numbers, Categories]
) -> tuple[Mixed, Mixed]:
    """Main effects of both tables: numbers standardised by the original, missing numbers marked by a category."""
    gaps = np.flatnonzero(original[0].missing.any(axis=0) | protected[0].missing.any(axis=0))

    def one(numbers: Numbers, categories: Categories) -> Mixed:
        marks = numbers.missing[:, gaps].astype(np.int32)
        codes: Codes = np.column_stack((categories.codes, marks))
        marked = replace(categories, codes=codes, sizes=(*categories.sizes, *[2] * len(gaps)))
        return Mixed(standardised(numbers, original[0]), marked)

    return one(*original), one(*protected)


@dataclass(frozen=True)
class Propensity:
    """Propensity score by logistic regression.

    Figures: `pmse` (U_p), `scaled` (2 N U_p; for the `tensor` reading N U_p, as its table reports it), `ratio`
    (S_pMSE, 1 = as good as the right model), `standardised` ((U_p - E) / sd). Named `propensity.*` in the cubic
    reading, `propensity_literal.*` and `propensity_tensor.*` in the others.

    Args:
        reading: what is meant by interactions of numeric columns: `cubic` (all monomials), `literal` (products of
            distinct columns) or `tensor`; see `propensity_terms`.
        order: highest order, 1 (main effects) to 3.
        columns: names of columns to use; None: all that are analysed.
        max_terms: no kind of interaction is added (numbers, numbers with categories, categories; order by order)
            that would make more; what is left out is said.
        max_levels: of a category; rarer ones are pooled.
        least_joint: records of the original that must hold all categories of a product for it to be a term.
        max_cells: records x terms; beyond it both tables are sampled in the same proportion with `seed`.

    Cost: O(N k^2) per iteration for k terms, memory N k.

    Example:
        >>> from discreet.table.schema import Variable
        >>> age = {"age": Variable(name="age", kind="numeric")}
        >>> original = Table.build({"age": list(range(40))}, age)
        >>> shifted = Table.build({"age": list(range(10, 50))}, age)
        >>> round(Propensity(order=1)(original, shifted)[0].value, 3)
        0.04
    """

    reading: Reading = "cubic"
    order: int = 3
    columns: tuple[str, ...] | None = None
    max_terms: int = 600
    max_levels: int = 40
    least_joint: int = 20
    max_cells: int = 8_000_000
    seed: int = 0
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.reading not in ("cubic", "literal", "tensor"):
            raise ParameterError(f"reading must be 'cubic', 'literal' or 'tensor'. Got {self.reading!r}.")
        if self.order not in (1, 2, 3):
            raise ParameterError(f"order must be 1, 2 or 3. Got {self.order}.")
        if min(self.max_terms, self.max_levels - 1, self.least_joint) < 1:
            raise ParameterError("max_terms and least_joint must be at least 1, max_levels at least 2.")

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = [column.name for column in analysed(original, self.columns)]
        stem = "propensity" if self.reading == "cubic" else f"propensity_{self.reading}"
        if not names or not original.n_records or not protected.n_records:
            return score_figures(stem, None, "There is nothing to tell the tables apart by.")
        plan = self._plan(original, protected, names)
        note, said = plan.note, ""
        limit = max(self.max_cells // (len(plan.terms) + 1), LEAST_SAMPLE)
        if original.n_records + protected.n_records > limit:
            original, protected, said = sampled(original, protected, names, limit, self.seed)
        effects = self._effects(original, protected, names)
        matrix = design(plan, *effects)
        target = np.repeat([0.0, 1.0], (original.n_records, protected.n_records))
        weights = stacked_weights(original, protected)
        fit = fit_logistic(matrix, target, weights)
        score = score_of_fit(fit, matrix, target, weights)
        note = f"{fit.rank - 1} terms, {self.reading} reading, order {self.order}. {note} {said} {_warnings(fit)}"
        factor = score.n_records * (1.0 if self.reading == "tensor" else 2.0)
        return score_figures(stem, score, " ".join(note.split()), factor, estimated=bool(said))

    def _effects(self, original: Table, protected: Table, names: list[str]) -> tuple[Mixed, Mixed]:
        numeric, nominal = numeric_names(original, names), category_names(original, names)
        categories = categories_of(original, protected, nominal)
        return mixed_effects(
            (numbers_of(original, numeric), categories[0]), (numbers_of(protected, numeric), categories[1])
        )

    def _plan(self, original: Table, protected: Table, names: list[str]) -> Plan:
        return plan_terms(
            *self._effects(original, protected, names),
            reading=self.reading,
            order=self.order,
            max_terms=self.max_terms,
            max_levels=self.max_levels,
            least_joint=self.least_joint,
        )


def _warnings(fit: LogisticFit) -> str:
    said = ""
    if fit.separated:
        said += f"{fit.separated} records can be told for certain (separation). "
    if not fit.converged:
        said += f"The fit had not settled after {fit.iterations} iterations: the true value is higher."
    return said


def sampled(
    original: Table, protected: Table, names: list[str], limit: int, seed: int
) -> tuple[Table, Table, str]:
    """Both tables cut to `limit` records in all, in equal proportion and whatever their order; and the words for it."""
    share = limit / (original.n_records + protected.n_records)
    cut = []
    for table in (original, protected):
        size = max(int(share * table.n_records), 1)
        cut.append(table.take(drawn_rows(table, names, size, seed)))
    said = (
        f"On {cut[0].n_records} and {cut[1].n_records} records drawn with seed {seed}; "
        "the interval is that of samples of this size."
    )
    return cut[0], cut[1], said


def stacked_weights(original: Table, protected: Table) -> Floats | None:
    """Weights with a mean of one in each table, one after the other; None where neither has any."""
    if original.weights is None and protected.weights is None:
        return None
    return np.concatenate(
        [checked_weights(table.weights, table.n_records) for table in (original, protected)]
    )


def score_figures(
    stem: str, score: Score | None, note: str, factor: float | None = None, *, estimated: bool = False
) -> tuple[Figure, ...]:
    """The figures of a propensity score; all undefined when there is none, with intervals where it is estimated."""
    infinite, nan = float("inf"), float("nan")
    score = score or Score(nan, 0.5, 0, nan, nan)
    top = max(score.share, 1.0 - score.share) ** 2
    scale = 2.0 * score.n_records if factor is None else factor
    null = (Part(("expected",), score.expected), Part(("sd",), score.sd))
    if score.value == score.value and not score.expected > 0:
        note = f"{note} There is no null value to compare with.".strip()

    def figure(
        name: str,
        unit: str,
        bounds: tuple[float, float],
        of: Callable[[float], float],
        parts: tuple[Part, ...] = (),
    ) -> Figure:
        value, ends = of(score.value), [of(end) for end in score.interval]
        interval = (
            (max(ends[0], bounds[0]), min(ends[1], bounds[1])) if estimated and value == value else None
        )
        return Figure(f"{stem}.{name}", value, unit, "lower", bounds, interval, parts, note=note)

    return (
        figure("pmse", "index", (0.0, top), lambda u: u, null),
        figure("scaled", "index", (0.0, max(scale, 1.0) * top), lambda u: scale * u),
        figure("ratio", "ratio", (0.0, infinite), lambda u: replace(score, value=u).ratio, null),
        figure("standardised", "sd", (-infinite, infinite), lambda u: replace(score, value=u).standardised),
    )
