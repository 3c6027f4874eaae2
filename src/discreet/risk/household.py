"""Risk of households: who is recognised gives the others of the household away.

r_h = 1 - product over members of (1 - r_i): the chance that at least one member is re-identified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.group_sizes import table_frequencies
from discreet.risk.individual import Formula, individual_risk
from discreet.risk.rates import percent_figure, undefined
from discreet.risk.selection import Names, joint_keys, known_columns
from discreet.stats.keys import MissingRule, group_records
from discreet.table.table import Table


def household_risk(risk: Floats, labels: Ints) -> Floats:
    """Risk of each record's household (labels 0 ..).

    >>> household_risk(np.array([0.5, 0.5, 0.1]), np.array([0, 0, 1])).round(6).tolist()
    [0.75, 0.75, 0.1]
    """
    safe = np.zeros(int(labels.max(initial=-1)) + 1)
    with np.errstate(divide="ignore"):
        np.add.at(safe, labels, np.log1p(-np.minimum(risk, 1.0)))
    return np.asarray(-np.expm1(safe)[labels], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class HouseholdRisk:
    """Records whose household is re-identified, from keys, weights and a household column of the
    protected table.

    Figures: `household.mean` (% of records), `household.expected` (number). Parameters: `household`, name
    of the column (default: the one declared cluster); `known`, `missing`, `formula` as in
    `IndividualRisk`.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    household: str | None = None
    known: Names | None = None
    missing: MissingRule = "category"
    formula: Formula = "exact"

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        name = self._column(protected)
        if name is None or not protected.n_records:
            return (undefined("household.mean", "%", (0.0, 100.0), "No household column or no records."),)
        names = tuple(n for n in known_columns(original, self.known) if n != name)
        counted = table_frequencies(protected, names, self.missing)
        single = individual_risk(counted.sample, counted.population, self.formula)
        households = group_records(joint_keys([protected], (name,)), protected.n_records)
        risk = household_risk(single, households.labels)
        alone = 100.0 * float(single.mean())
        inside = f"{households.n_groups} households; alone the records have {alone:.3g} %."
        number = (0.0, float(protected.n_records))
        return (
            percent_figure("household.mean", risk, counted=inside),
            Figure("household.expected", float(risk.sum()), "records", "lower", number, note=inside),
        )

    def _column(self, table: Table) -> str | None:
        if self.household is not None:
            if self.household not in table:
                raise ParameterError(
                    f"household names a column the table lacks. It has: {', '.join(table.names)}."
                )
            return self.household
        declared = table.of_role("cluster")
        return declared[0].name if declared else None
