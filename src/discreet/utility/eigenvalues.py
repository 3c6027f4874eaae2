"""Loss of the eigenvalues of the correlation matrix: sum of |l - l'| / l over the sorted eigenvalues.

As sdcMicro's `dUtility(method = "eigen")`, with its mean beside the sum. An eigenvalue near zero (columns that add
up to another) makes the ratio noise; those below 1e-10 of the number of columns are left out and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.arrays import Floats
from discreet.base import Aspect, Figure
from discreet.table.table import Table
from discreet.utility.averages import LOST, averaged
from discreet.utility.columns import Numbers, numbers_of, numeric_names
from discreet.utility.moments import covariances
from discreet.utility.pair import compared

LEAST = 1e-10


def eigenvalues(numbers: Numbers) -> Floats:
    """Eigenvalues of the correlation matrix, largest first. A column without variation correlates with nothing."""
    correlations = np.nan_to_num(covariances(numbers).correlations, nan=0.0)
    np.fill_diagonal(correlations, 1.0)
    return np.asarray(np.linalg.eigvalsh(correlations)[::-1], dtype=np.float64)


def eigenvalue_changes(original: Numbers, protected: Numbers) -> Floats:
    """|l - l'| / l for each eigenvalue, nan where l is zero up to rounding.

    All are lost when the protected table has emptied a column: its matrix is another one.
    """
    before, after = eigenvalues(original), eigenvalues(protected)
    clear = before > LEAST * len(before)
    changes = np.full(len(before), np.nan)
    changes[clear] = np.abs(after - before)[clear] / before[clear]
    emptied = original.missing.all(axis=0) < protected.missing.all(axis=0)
    return np.where(clear & emptied.any(), LOST, changes)


@dataclass(frozen=True)
class EigenvalueLoss:
    """Relative change of the eigenvalues of the correlation matrix of the numeric columns: mean and sum.

    Parts: one per eigenvalue, largest first.

    Args:
        columns: names of numeric columns to use; None: all that are analysed.
    """

    columns: tuple[str, ...] | None = None
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = numeric_names(original, self.columns)
        changes = eigenvalue_changes(numbers_of(original, names), numbers_of(protected, names))
        labels = [(f"eigenvalue {place + 1}",) for place in range(len(changes))]
        mean = averaged("eigenvalues.mean", changes, labels, "ratio", (0.0, float("inf")))
        total = mean.value * np.count_nonzero(~np.isnan(changes))
        return mean, replace(mean, name="eigenvalues.sum", value=float(total))
