"""l-diversity: how many values of a sensitive column remain possible inside a group of equal keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Floats, Ints
from discreet.base import Aspect, Better, Figure, Part
from discreet.errors import ParameterError
from discreet.risk.rates import percent_figure, undefined
from discreet.risk.selection import Names
from discreet.risk.sensitive import class_codes, groups_and_secrets
from discreet.stats.diversity import distinct_diversity, entropy_diversity, recursive_diversity
from discreet.stats.keys import Groups
from discreet.table.table import Table

_NOTHING = "No secret column beside the known ones, or no records."


@dataclass(frozen=True, kw_only=True)
class Diversity:
    """Smallest l over the groups of protected records with equal known columns, worst secret column.

    Figures (parts by secret column): `diversity.distinct` different values; `diversity.entropy`
    exp(entropy), the number of equally frequent values that is as diverse; `diversity.recursive` largest
    l with r_1 < c (r_l + ... + r_m); `diversity.homogeneous` % of records in groups where all have the
    same value.

    Parameters: `known`, `secret` (default: confidential columns, else all the others), `c`, `classes`
    into which a numeric secret is cut (equal frequencies of the original). A missing value is a value of
    its own.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    secret: Names | None = None
    c: float = 2.0
    classes: int = 4

    def __post_init__(self) -> None:
        if self.classes < 2 or self.c <= 0:
            raise ParameterError(f"classes must be at least 2 and c positive. Got {self.classes}, {self.c}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        groups, secrets = groups_and_secrets(original, protected, self.known, self.secret)
        if not secrets or not groups.n_groups:
            return (undefined("diversity.distinct", "categories", (1.0, np.inf), _NOTHING),)
        codes = {name: class_codes(protected[name], original[name], self.classes)[0] for name in secrets}
        found = {name: distinct_diversity(groups, column) for name, column in codes.items()}
        note = f"Numeric secrets cut into {self.classes} classes."
        return (
            _worst("diversity.distinct", groups, codes, distinct_diversity, note),
            _worst("diversity.entropy", groups, codes, entropy_diversity, note),
            _worst("diversity.recursive", groups, codes, self._recursive, f"c = {self.c}. {note}"),
            _homogeneous(groups, found, note),
        )

    def _recursive(self, groups: Groups, codes: Ints) -> Ints:
        return recursive_diversity(groups, codes, self.c)


def _worst(
    name: str,
    groups: Groups,
    codes: dict[str, Ints],
    measure: Callable[[Groups, Ints], NDArray[Any]],
    note: str,
) -> Figure:
    """The smallest over groups and columns; per record the smallest over columns in its group."""
    found = {column: measure(groups, values) for column, values in codes.items()}
    parts = tuple(Part((column,), float(values.min())) for column, values in found.items())
    least: Floats = np.min(list(found.values()), axis=0)
    better: Better = "higher"
    value = float(least.min())
    records = least[groups.labels].astype(np.float64)
    bounds = (1.0, np.inf)
    return Figure(
        name,
        value,
        "categories",
        better,
        bounds,
        parts=parts,
        records=records,
        note=f"{groups.n_groups} groups. {note}",
        public_note=note,
    )


def _homogeneous(groups: Groups, distinct: dict[str, Ints], note: str) -> Figure:
    """Records in groups that have one value only, in some secret column."""
    alike = {name: (values == 1)[groups.labels] for name, values in distinct.items()}
    parts = [Part((name,), 100.0 * float(records.mean())) for name, records in alike.items()]
    some = np.any(list(alike.values()), axis=0).astype(np.float64)
    return percent_figure(
        "diversity.homogeneous", some, parts=parts, note=note, counted=f"{groups.n_groups} groups."
    )
