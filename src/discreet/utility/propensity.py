"""The propensity score (Woo, Reiter, Oganian, Karr): can the two tables be told apart?

Stack the tables, T = 1 for the protected records, and estimate P(T = 1 | record). With c the share of protected
records, U_p = mean (p - c)^2 (eq. 11 of the local-synthesis paper; c = 1/2 for equal sizes) is 0 when nothing tells
them apart. S_pMSE (Snoke, Raab, Nowok, Dibben, Slavkovic) sets U_p against what a synthesizer with the right model
would show: E = (k - 1) (1 - c)^2 c / N, sd = sqrt(2 (k - 1)) (1 - c)^2 c / N for k parameters and N records.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np

from discreet.arrays import Codes, Floats
from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.stats.logistic import LogisticFit, fit_logistic
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


@dataclass(frozen=True)
class Score:
    """U_p with what is needed to judge it.

    `expected` and `sd` describe U_p for a table synthesised by the right model from the original; nan when unknown.
    """

    value: float
    share: float  # c, protected records among all
    n_records: int  # N, both tables
    expected: float
    sd: float

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


def score_of_fit(fit: LogisticFit, n_original: int, weights: Floats | None = None) -> Score:
    """Score of a logistic model fitted to the stacked tables, original first."""
    n_records = len(fit.probabilities)
    share = (n_records - n_original) / n_records
    expected, sd = logistic_null(fit.rank, share, n_records)
    return Score(mean_squared_error(fit.probabilities, share, weights), share, n_records, expected, sd)


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
    (S_pMSE, 1 = as good as the right model), `standardised` ((U_p - E) / sd).

    Args:
        reading: what is meant by interactions of numeric columns: `cubic` (all monomials), `literal` (products of
            distinct columns) or `tensor`; see `propensity_terms`.
        order: highest order, 1 (main effects) to 3.
        columns: names of columns to use; None: all that are analysed.
        max_terms, max_levels: beyond these, interactions are left out and rare categories pooled, and it is said.
        least_joint: records of the original that must hold both categories for their product to be a term.
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
        if not names or not original.n_records or not protected.n_records:
            return score_figures("propensity", None, "There is nothing to tell the tables apart by.")
        plan = self._plan(original, protected, names)
        note = plan.note
        limit = max(self.max_cells // (len(plan.terms) + 1), LEAST_SAMPLE)
        if original.n_records + protected.n_records > limit:
            original, protected, said = sampled(original, protected, names, limit, self.seed)
            note = f"{note} {said}".strip()
        effects = self._effects(original, protected, names)
        matrix = design(plan, *effects)
        target = np.repeat([0.0, 1.0], (original.n_records, protected.n_records))
        weights = stacked_weights(original, protected)
        fit = fit_logistic(matrix, target, weights)
        score = score_of_fit(fit, original.n_records, weights)
        note = f"{fit.rank - 1} terms, {self.reading} reading, order {self.order}. {note} {_warnings(fit)}".strip()
        factor = score.n_records * (1.0 if self.reading == "tensor" else 2.0)
        return score_figures("propensity", score, " ".join(note.split()), factor)

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
    said = f"On {cut[0].n_records} and {cut[1].n_records} records drawn with seed {seed}."
    return cut[0], cut[1], said


def stacked_weights(original: Table, protected: Table) -> Floats | None:
    """Weights with a mean of one in each table, one after the other; None where neither has any."""
    if original.weights is None and protected.weights is None:
        return None
    return np.concatenate(
        [checked_weights(table.weights, table.n_records) for table in (original, protected)]
    )


def score_figures(
    stem: str, score: Score | None, note: str, factor: float | None = None
) -> tuple[Figure, ...]:
    """The figures of a propensity score; all undefined when there is none."""
    infinite = float("inf")
    nan = float("nan")
    if score is None:
        score, top = Score(nan, 0.5, 0, nan, nan), 0.25
    else:
        top = max(score.share, 1.0 - score.share) ** 2
    scale = 2.0 * score.n_records if factor is None else factor
    null = (Part(("expected",), score.expected), Part(("sd",), score.sd))
    if score.value == score.value and not score.expected > 0:
        note = f"{note} There is no null value to compare with.".strip()
    return (
        Figure(f"{stem}.pmse", score.value, "index", "lower", (0.0, top), parts=null, note=note),
        Figure(
            f"{stem}.scaled", scale * score.value, "index", "lower", (0.0, max(scale, 1.0) * top), note=note
        ),
        Figure(f"{stem}.ratio", score.ratio, "ratio", "lower", (0.0, infinite), parts=null, note=note),
        Figure(f"{stem}.standardised", score.standardised, "sd", "lower", (-infinite, infinite), note=note),
    )
