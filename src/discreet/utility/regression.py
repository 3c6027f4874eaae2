"""Do regressions come out the same? Change of coefficients, standard errors and confidence intervals.

By default every numeric column is regressed on all other numeric columns (the local-synthesis paper, Table 2), on
the records that are complete; columns that would cost more than half of them are left out and named. Formulas can be
given instead, linear or logistic. A percentage change of a coefficient near zero is mostly noise:
the mean over coefficients with |t| > 1.96 and the median stand beside the mean over all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Better, Figure, Part
from discreet.errors import ParameterError
from discreet.stats.logistic import fit_logistic, information
from discreet.stats.regression import Coefficients, fit_each_on_others, fit_linear, standard_errors
from discreet.table.table import Table
from discreet.utility.averages import average, averaged, shift
from discreet.utility.columns import Numbers, numbers_of, numeric_names
from discreet.utility.formula import Formula, Regression, regressions
from discreet.utility.moments import covariances, relative_changes
from discreet.utility.pair import compared

CLEAR = 1.96  # |t| above which a coefficient is told from zero at 5 %


@dataclass(frozen=True, eq=False)
class Changes:
    """What became of each coefficient of one model: nan where it is not defined, inf where it is lost.

    `estimates` and `errors` in percent, `shifts` in standard errors of the original, `overlaps` of the 95 %
    intervals (1 = the same, 0 = apart), `ratios` the original's t, `lost` terms that can no longer be estimated.
    """

    estimates: Floats
    errors: Floats
    shifts: Floats
    overlaps: Floats
    ratios: Floats
    lost: int

    @property
    def clear(self) -> Floats:
        """Percentage changes of the coefficients with |t| > 1.96."""
        with np.errstate(invalid="ignore"):
            return self.estimates[np.abs(self.ratios) > CLEAR]


def changes(before: Coefficients, after: Coefficients) -> Changes:
    """Compare two fits of the same terms."""
    units = np.where(np.isnan(before.standard_errors), np.abs(before.estimates), before.standard_errors)
    with np.errstate(divide="ignore", invalid="ignore"):
        moved = shift(before.estimates, after.estimates) / before.standard_errors
    shifts = np.where(before.standard_errors > 0, moved, np.nan)
    return Changes(
        relative_changes(before.estimates, after.estimates, units),
        relative_changes(before.standard_errors, after.standard_errors, before.standard_errors),
        shifts,
        interval_overlaps(before, after),
        before.ratios,
        int(np.count_nonzero(~np.isnan(before.estimates) & np.isnan(after.estimates))),
    )


def interval_overlaps(before: Coefficients, after: Coefficients) -> Floats:
    """Share of the 95 % intervals that they have in common, averaged over both (Karr et al.); 0 where apart.

    An interval without width (an exact identity) lies in the other or does not.
    """
    halves = CLEAR * before.standard_errors, CLEAR * after.standard_errors
    lower = np.maximum(before.estimates - halves[0], after.estimates - halves[1])
    upper = np.minimum(before.estimates + halves[0], after.estimates + halves[1])
    common = np.maximum(upper - lower, 0.0)
    touching = upper >= lower - 1e-9 * np.abs(before.estimates)
    shares = [
        np.where(half > 0, common / np.where(half > 0, 2.0 * half, 1.0), touching.astype(np.float64))
        for half in halves
    ]
    overlaps = np.minimum((shares[0] + shares[1]) / 2.0, 1.0)
    undefined = np.isnan(halves[0]) | np.isnan(halves[1])
    # a term that the protected table cannot estimate has nothing in common with the original's interval
    lost = ~np.isnan(before.standard_errors) & np.isnan(after.estimates)
    return np.where(lost, 0.0, np.where(undefined, np.nan, overlaps))


def fit(regression: Regression) -> Coefficients:
    """Least squares, or maximum likelihood with its standard errors."""
    n_terms = regression.design.shape[1]
    if not len(regression.design):
        return Coefficients(np.full(n_terms, np.nan), np.full(n_terms, np.nan), 0.0)
    if not regression.logistic:
        return fit_linear(regression.design, regression.response, regression.weights)
    found = fit_logistic(regression.design, regression.response, regression.weights)
    errors = standard_errors(information(regression.design, found, regression.weights))
    estimates = np.where(np.isnan(errors), np.nan, found.coefficients)
    return Coefficients(estimates, errors, float(len(regression.design) - found.rank))


@dataclass(frozen=True)
class Sizes:
    """Records that a model, or the least of several, could use in each table."""

    original: int
    protected: int


def each_on_others(original: Numbers, protected: Numbers) -> tuple[list[Changes], Sizes]:
    """Every column on all others, on the complete records of each table; and how many those are."""
    fits, sizes = [], []
    for table in (original, protected):
        values, weights = table.present(*range(table.n_columns))
        fits.append(fit_each_on_others(values, weights) if len(values) else ())
        sizes.append(len(values))
    if not fits[0]:
        return [], Sizes(*sizes)
    after: Sequence[Coefficients] = fits[1] or [
        Coefficients(one.estimates * np.nan, one.estimates * np.nan, 0.0) for one in fits[0]
    ]
    return [changes(one, other) for one, other in zip(fits[0], after, strict=True)], Sizes(*sizes)


@dataclass(frozen=True)
class RegressionChange:
    """Change of regressions: of every numeric column on the others, or of the formulas given.

    Figures: `coefficient`, `coefficient_clear` (|t| > 1.96 in the original), `coefficient_median`,
    `standard_error` (%), `shift` (in standard errors), `overlap` of 95 % intervals, `lost` terms. Parts: one per
    model, named by its response.

    Args:
        formulas: see `discreet.utility.formula`; empty: every numeric column on the others.
        columns: names of numeric columns to use when no formulas are given; None: all that are analysed.

    Example:
        >>> from discreet.table.schema import Variable
        >>> names = {name: Variable(name=name, kind="numeric") for name in ("age", "stay")}
        >>> original = Table.build({"age": [20, 30, 40, 50], "stay": [1, 2, 4, 5]}, names)
        >>> protected = Table.build({"age": [20, 30, 40, 50], "stay": [2, 4, 8, 10]}, names)
        >>> figure = RegressionChange(formulas=("stay ~ age",))(original, protected)[0]
        >>> figure.name, round(figure.value, 9)
        ('regression.coefficient', 100.0)
    """

    formulas: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.formulas, tuple):
            raise ParameterError("formulas must be a tuple of texts. Write formulas=('y ~ x',).")
        for formula in self.formulas:
            Formula.parse(formula)

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        if self.formulas:
            return self._of_formulas(original, protected)
        names = varying_names(original, numeric_names(original, self.columns))
        kept = mostly_complete(numbers_of(original, names), names)
        pair = numbers_of(original, kept), numbers_of(protected, kept)
        found, sizes = each_on_others(*pair) if len(kept) > 1 else ([], Sizes(0, 0))
        note = _used(sizes, original, protected)
        if left_out := [name for name in names if name not in kept]:
            note += f" Left out, since fewer than half of the records were complete: {', '.join(left_out)}."
        return _figures(found, kept, note)

    def _of_formulas(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        parsed = [Formula.parse(text) for text in self.formulas]
        models = [regressions(formula, original, protected) for formula in parsed]
        found = [changes(fit(before), fit(after)) for before, after in models]
        least = Sizes(*[min(len(pair[side].design) for pair in models) for side in (0, 1)])
        return _figures(found, [one.response.column for one in parsed], _used(least, original, protected))


def _used(sizes: Sizes, original: Table, protected: Table) -> str:
    return (
        f"On the complete records: {sizes.original} of {original.n_records} original and "
        f"{sizes.protected} of {protected.n_records} protected ones."
    )


def mostly_complete(original: Numbers, names: Sequence[str]) -> tuple[str, ...]:
    """The columns without those, emptiest first, that leave fewer than half of the original's records complete."""
    columns = list(np.argsort(original.missing.sum(axis=0), kind="stable"))
    while len(columns) > 1 and 2 * _incomplete(original, columns) > original.n_records:
        columns.pop()
    return tuple(names[column] for column in sorted(columns))


def _incomplete(numbers: Numbers, columns: Sequence[int]) -> int:
    return int(np.count_nonzero(numbers.missing[:, columns].any(axis=1)))


def varying_names(original: Table, names: Sequence[str]) -> tuple[str, ...]:
    """Numeric columns that vary in the original: the others have no regression."""
    sds = covariances(numbers_of(original, names)).sds
    return tuple(name for name, sd in zip(names, sds, strict=True) if sd > 0)


def _figures(found: list[Changes], models: Sequence[str], note: str) -> tuple[Figure, ...]:
    infinite = float("inf")
    n_terms = sum(len(one.estimates) for one in found)
    share = sum(one.lost for one in found) / n_terms if n_terms else float("nan")

    def figure(
        name: str,
        values: list[Floats],
        unit: str,
        upper: float,
        better: Better = "lower",
        median: bool = False,
    ) -> Figure:
        every = np.concatenate([*values, np.empty(0)])
        whole = averaged(
            f"regression.{name}", every, None, unit, (0.0, upper), better=better, note=note, median=median
        )
        parts = tuple(
            Part((model,), average(entry, median=median))
            for model, entry in zip(models, values, strict=False)
        )
        return replace(whole, parts=parts, people=0)

    return (
        figure("coefficient", [one.estimates for one in found], "%", infinite),
        figure("coefficient_clear", [one.clear for one in found], "%", infinite),
        figure("coefficient_median", [one.estimates for one in found], "%", infinite, median=True),
        figure("standard_error", [one.errors for one in found], "%", infinite),
        figure("shift", [one.shifts for one in found], "standard errors", infinite),
        figure("overlap", [one.overlaps for one in found], "share", 1.0, "higher"),
        Figure(
            "regression.lost",
            share,
            "share",
            "lower",
            (0.0, 1.0),
            note=f"Terms that can no longer be estimated. {note}",
            people=0,
        ),
    )
