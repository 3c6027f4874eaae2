"""Individual risk of re-identification when the file is a weighted sample of a population.

An intruder matches a record of a known person with the sample; the person is among the F_k of the
population with this key, of which f_k are in the sample. F_k is not known: given f_k it is taken as
negative binomial with success probability p_k = f_k / (sum of weights). The risk is E[1 / F_k | f_k]
(Benedetti and Franconi 1998):

    r_k = integral_0^inf (p e^-t / (1 - (1 - p) e^-t))^f dt = (p / f) 2F1(1, 1; f + 1; 1 - p).

The second form is a sum of positive terms: finite and accurate for every f, whole or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import hyp2f1

from discreet.arrays import Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.group_sizes import table_frequencies
from discreet.risk.rates import PERCENT, percent_figure, undefined
from discreet.risk.selection import Names, known_columns
from discreet.stats.keys import MissingRule
from discreet.table.table import Table

Formula = Literal["exact", "approximate"]


def individual_risk(sample: Floats, population: Floats, formula: Formula = "exact") -> Floats:
    """r_k of each record from f_k and F_k (sum of weights); F_k below f_k counts as f_k, so that r_k <= 1
    / f_k.

    "approximate" takes p / (f - (1 - p)) from f = 3 on, as sdcMicro does; exact below.

    >>> individual_risk(np.array([1.0, 2.0]), np.array([17.0, 110.0])).round(6).tolist()
    [0.177076, 0.017144]
    """
    share = np.minimum(sample / np.maximum(population, sample), 1.0)
    exact = share / sample * _hypergeometric(sample, 1.0 - share)
    if formula == "exact":
        return np.asarray(np.clip(exact, 0.0, 1.0), dtype=np.float64)
    rough = share / np.maximum(sample - (1.0 - share), np.finfo(np.float64).tiny)
    return np.asarray(np.clip(np.where(sample >= 3, rough, exact), 0.0, 1.0), dtype=np.float64)


_SERIES_FROM = 15.0  # scipy's hyp2f1 overflows for f near 100 and more; from here on 60 terms give 1e-14


def _hypergeometric(f: Floats, q: Floats) -> Floats:
    """2F1(1, 1; f + 1; q) = sum over i of i! q^i / ((f + 1) ... (f + i))."""
    total = np.asarray(hyp2f1(1.0, 1.0, np.minimum(f, _SERIES_FROM) + 1.0, q), dtype=np.float64)
    large = f >= _SERIES_FROM
    term, series = np.ones(int(large.sum())), np.ones(int(large.sum()))
    for i in range(60):
        term = term * q[large] * (i + 1) / (f[large] + 1 + i)
        series = series + term
    total[large] = series
    return total


def population_unique_chance(sample: Floats, population: Floats) -> Floats:
    """P(F_k = 1 | f_k): chance that a record alone in the sample is alone in the population, 1 / F_k; 0
    if f_k > 1.

    >>> population_unique_chance(np.array([1.0, 2.0]), np.array([4.0, 9.0])).tolist()
    [0.25, 0.0]
    """
    return np.where(sample == 1, 1.0 / np.maximum(population, 1.0), 0.0)


def correct_match_chance(sizes: Floats, sampling_fraction: float) -> float:
    """P(correct match | unique match) = U f / (U f + P (1 - f)), U records alone, P records in pairs.

    Skinner and Elliot (2002), for a simple random sample of fraction f; nan without uniques and pairs.

    >>> round(correct_match_chance(np.array([1.0, 1.0, 2.0, 2.0]), 0.1), 3)
    0.1
    """
    alone, paired = float(np.sum(sizes == 1)), float(np.sum(sizes == 2))
    bottom = alone * sampling_fraction + paired * (1.0 - sampling_fraction)
    return alone * sampling_fraction / bottom if bottom > 0 else float("nan")


@dataclass(frozen=True, kw_only=True)
class IndividualRisk:
    """Re-identification risk of the protected records, from their keys and weights.

    Figures: `individual.mean` (% of records an intruder re-identifies on average), `individual.expected`
    (their number), `individual.worst` (%), `individual.population_uniques` (expected number of records
    alone in the population), and with `sampling_fraction` also `individual.unique_match`. Without a
    weight column the file is taken for the population: r_k = 1 / f_k.

    Parameters: `known`; `missing` as in `GroupSizes`; `formula` "exact" or "approximate";
    `sampling_fraction` of a simple random sample, if known.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    missing: MissingRule = "category"
    formula: Formula = "exact"
    sampling_fraction: float | None = None

    def __post_init__(self) -> None:
        if self.sampling_fraction is not None and not 0 < self.sampling_fraction <= 1:
            raise ParameterError(f"sampling_fraction must lie in (0, 1]. Got {self.sampling_fraction}.")
        if self.formula not in ("exact", "approximate"):
            raise ParameterError(f"formula must be 'exact' or 'approximate'. Got {self.formula!r}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = known_columns(original, self.known)
        n_records = protected.n_records
        if not n_records:
            return (undefined("individual.mean", "%", (0.0, 100.0), "There are no records."),)
        counted = table_frequencies(protected, names, self.missing)
        risk = individual_risk(counted.sample, counted.population, self.formula)
        alone = population_unique_chance(counted.sample, counted.population)
        basis = "weights" if protected.weights is not None else "no weights: the file is the population"
        note = f"{len(names)} key columns, {self.formula}, {basis}."
        number = (0.0, float(n_records))
        figures = (
            percent_figure("individual.mean", risk, note=note),
            _figure("individual.expected", float(risk.sum()), "records", number, note),
            _figure("individual.worst", 100.0 * float(risk.max()), "%", PERCENT, note, people=1),
            _figure("individual.population_uniques", float(alone.sum()), "records", number, note),
        )
        if self.sampling_fraction is None:
            return figures
        chance = 100.0 * correct_match_chance(counted.sample, self.sampling_fraction)
        note = (
            f"U f / (U f + P (1 - f)) at f = {self.sampling_fraction}; undefined without uniques and pairs."
        )
        people = int(np.sum(counted.sample <= 2))
        return (*figures, _figure("individual.unique_match", chance, "%", PERCENT, note, people))


def _figure(
    name: str, value: float, unit: str, bounds: tuple[float, float], note: str, people: int | None = None
) -> Figure:
    return Figure(name, value, unit, "lower", bounds, note=note, people=people, public_note=note)
