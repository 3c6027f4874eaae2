"""Attribute disclosure: an intruder who knows some columns of a person infers a secret one from the
release.

The intruder takes the protected records with the same known values and infers their most frequent
category, or their mean; where there are none, that of the whole file. The error on the true values is
compared with the error of somebody who knows nothing but the whole file (the simulated intruder of the
PeGS page: E[1(inferred != correct)], E|inferred - correct|).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Aspect, Better, Figure, Part
from discreet.errors import ParameterError
from discreet.risk.rates import PERCENT, undefined
from discreet.risk.selection import Names, known_columns, secret_columns
from discreet.risk.sensitive import joint_classes
from discreet.stats.keys import Groups, group_codes
from discreet.table.column import Column
from discreet.table.table import Table

_NOTHING = "No secret column of this kind beside the known ones, or no value to infer."


def mode_misses(groups: Groups, codes: Ints, released: Bools) -> Floats:
    """Per record that is not released: chance that the most frequent released code of its group is not
    its own.

    Several most frequent codes are guessed with equal chance. A group without released records takes all
    of them.

    >>> groups = Groups(np.array([0, 0, 0, 0, 1]), 2)
    >>> mode_misses(groups, np.array([7, 7, 8, 7, 8]), np.array([True, True, True, False, False])).tolist()
    [0.0, 1.0]
    """
    asked = ~released
    inside = _mode_hits(groups, codes, released)
    whole = _mode_hits(Groups(np.zeros(len(codes), dtype=np.int64), 1), codes, released)
    held = np.bincount(groups.labels[released], minlength=groups.n_groups) > 0
    return np.asarray(1.0 - np.where(held[groups.labels[asked]], inside, whole), dtype=np.float64)


def _mode_hits(groups: Groups, codes: Ints, released: Bools) -> Floats:
    """Chance that a released mode of the group is the own code, for each record that is not released."""
    cells = group_codes([groups.labels, codes], len(codes))
    counts = np.bincount(cells.labels[released], minlength=cells.n_groups)
    owner = np.empty(cells.n_groups, dtype=np.int64)
    owner[cells.labels] = groups.labels
    highest = np.zeros(groups.n_groups, dtype=counts.dtype)
    np.maximum.at(highest, owner, counts)
    is_mode = (counts == highest[owner]) & (counts > 0)
    n_modes = np.bincount(owner, weights=is_mode, minlength=groups.n_groups)
    asked = cells.labels[~released]
    return np.asarray(is_mode[asked] / np.maximum(n_modes[owner[asked]], 1.0), dtype=np.float64)


def mean_misses(groups: Groups, values: Floats, released: Bools) -> Floats:
    """Per record that is not released: |mean of the released values of its group - its own value|."""
    shown = groups.labels[released]
    counts = np.bincount(shown, minlength=groups.n_groups)
    sums = np.bincount(shown, weights=values[released], minlength=groups.n_groups)
    everyone = float(values[released].mean())
    means = np.where(counts > 0, sums / np.maximum(counts, 1), everyone)
    return np.asarray(np.abs(means[groups.labels[~released]] - values[~released]), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Joint:
    """Original and protected records together, in groups of equal known values."""

    labels: Ints
    n_original: int

    def pick(self, asked: Bools, shown: Bools) -> tuple[Groups, Bools]:
        """Groups of the records with a value (asked: of the original; shown: of the protected), and who
        is released.
        """
        kept = np.concatenate([asked, shown])
        released = (np.arange(len(kept)) >= self.n_original)[kept]
        return group_codes([self.labels[kept]], int(kept.sum())), released


@dataclass(frozen=True, kw_only=True)
class AttributeDisclosure:
    """Error of inferring secret values of original records from the release.

    Figures (parts by secret column): `attribute.misclassified`, % of wrong categories; `attribute.error`,
    mean absolute error of numbers in standard deviations of the original; `attribute.gain`, by what share
    the known columns lower the error of knowing the whole file only, mean over secrets (0: nothing
    learnt, 1: everything; below 0: misled).

    Parameters: `known`, `secret`; `classes` into which known numbers are cut. A secret that is missing in
    the original is not asked for; a release that withholds all of a column tells nothing and is left out.
    """

    aspect: ClassVar[Aspect] = "risk"
    corresponds: ClassVar[bool] = False

    known: Names | None = None
    secret: Names | None = None
    classes: int = 10

    def __post_init__(self) -> None:
        if self.classes < 2:
            raise ParameterError(f"classes must be at least 2. Got {self.classes}.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        known = known_columns(original, self.known)
        secrets = tuple(n for n in secret_columns(original, self.secret, known) if n not in known)
        joint = self._joint(original, protected, known)
        wrong: list[Part] = []
        far: list[Part] = []
        gains: list[Part] = []
        endless = [name for name in secrets if not _finite(original[name]) or not _finite(protected[name])]
        for name in secrets:
            if name in endless:
                continue
            missed = self._missed(original, protected, name, joint)
            if missed is None:
                continue
            error, baseline = missed
            asked = int((~original[name].missing).sum())
            (far if original[name].is_numeric else wrong).append(Part((name,), error, people=asked))
            if baseline > 0:
                gains.append(Part((name,), 1.0 - error / baseline))
        note = f"{len(known)} known columns, numbers among them in {self.classes} classes."
        if endless:
            note += f" Left out, because of infinite numbers: {', '.join(endless)}."
        return (
            _mean("attribute.misclassified", wrong, "%", "higher", PERCENT, note),
            _mean("attribute.error", far, "sd", "higher", (0.0, np.inf), note),
            _mean("attribute.gain", gains, "share", "lower", (-np.inf, 1.0), note),
        )

    def _joint(self, original: Table, protected: Table, known: Names) -> _Joint:
        codes = joint_classes(original, (original, protected), known, self.classes)
        n_records = original.n_records + protected.n_records
        return _Joint(group_codes(codes, n_records).labels, original.n_records)

    def _missed(
        self, original: Table, protected: Table, name: str, joint: _Joint
    ) -> tuple[float, float] | None:
        """(error, error of knowing the whole file only) for one secret; None where there is nothing to
        ask.
        """
        asked, shown = ~original[name].missing, ~protected[name].missing
        spread = (
            float(original[name].values[asked].std()) if original[name].is_numeric and asked.any() else 1.0
        )
        if not asked.any() or not shown.any() or spread == 0:
            return None
        groups, released = joint.pick(asked, shown)
        everyone = Groups(np.zeros(len(released), dtype=np.int64), 1)
        values = np.concatenate([original[name].values[asked], protected[name].values[shown]])
        if original[name].is_numeric:
            numbers = values.astype(np.float64) / spread
            near, far = mean_misses(groups, numbers, released), mean_misses(everyone, numbers, released)
            return float(near.mean()), float(far.mean())
        codes = values.astype(np.int64)
        near, far = mode_misses(groups, codes, released), mode_misses(everyone, codes, released)
        return 100.0 * float(near.mean()), 100.0 * float(far.mean())


def _finite(column: Column) -> bool:
    """Whether means can be made of it."""
    return not column.is_numeric or bool(np.isfinite(column.values[~column.missing]).all())


def _mean(
    name: str, parts: list[Part], unit: str, better: Better, bounds: tuple[float, float], note: str
) -> Figure:
    """Mean of the parts as a figure."""
    if not parts:
        return replace(undefined(name, unit, bounds, f"{_NOTHING} {note}"), better=better)
    value = float(np.mean([part.value for part in parts]))
    people = min((part.people for part in parts if part.people), default=None)
    shown = tuple(parts)
    return Figure(name, value, unit, better, bounds, parts=shown, note=note, people=people, public_note=note)
