"""Restoration of parts: groups of records, blocks of cells, families that overlap.

Each part is restored by a restorer, `restore` with its options bound (`functools.partial(restore, kind="nearest")`).
A table whose parts are all restored has its overall means and covariances too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import (
    MomentErrors,
    check_weights,
    measure_moments,
    moment_errors,
)
from discreet.stats.restoration import restore
from discreet.stats.restoration_affine import Restoration


class Restorer(Protocol):
    """`restore`, or anything with its signature."""

    def __call__(
        self, original: Floats, treated: Floats, *, weights: Floats | None = None
    ) -> tuple[Floats, Restoration]:
        """The restored records and the plan that did it."""
        ...


@dataclass(frozen=True)
class RestoredPart:
    """One part: its label, its number of records, and its plan."""

    label: int
    n_records: int
    plan: Restoration


@dataclass(frozen=True)
class RestoredParts:
    """The whole table, and what became of each part."""

    values: Floats
    parts: tuple[RestoredPart, ...]


@dataclass(frozen=True)
class RakedFamilies:
    """The table after raking, and the largest error inside any group of each family: the last one's is rounding."""

    values: Floats
    errors: tuple[MomentErrors, ...]


def smallest_part(n_columns: int) -> int:
    """Records below which a part is refused: exact statistics of few records disclose them.

    >>> smallest_part(10), smallest_part(50)
    (100, 255)
    """
    return max(100, 5 * (n_columns + 1))


def records_needed(n_columns: int, min_part: int | None = None) -> int:
    """The smallest part that is restored: as asked for, or `smallest_part`; never fewer than columns + 2.

    With one record more than columns the exact statistics leave the records nothing but to be turned about their mean.

    >>> records_needed(10), records_needed(10, 12)
    (100, 12)
    """
    if min_part is None:
        return smallest_part(n_columns)
    if min_part < n_columns + 2:
        raise ParameterError(
            f"`min_part` is {min_part}, but exact statistics of {n_columns} columns in fewer than {n_columns + 2} records "
            f"give the records themselves away. Ask for at least {n_columns + 2}, or restore fewer columns."
        )
    return min_part


def restore_groups(
    original: Floats,
    treated: Floats,
    labels: Ints,
    *,
    weights: Floats | None = None,
    restorer: Restorer = restore,
    min_part: int | None = None,
) -> RestoredParts:
    """Restores inside every group of records (bottom-up); refuses groups of fewer than `min_part` records.

    `min_part` is at least the number of columns + 2; None asks for `smallest_part`.
    """
    needed = records_needed(original.shape[1], min_part)
    names, group, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    if sizes.min() < needed:
        raise UnsuitableError(
            f"{np.count_nonzero(sizes < needed)} of {len(sizes)} parts have fewer than {needed} records, the smallest "
            f"{sizes.min()}: their exact statistics would disclose too much. Merge parts, or lower min_part."
        )
    values = np.array(treated, dtype=np.float64)
    parts: list[RestoredPart] = []
    order = np.argsort(group, kind="stable")
    for label, rows in zip(names.tolist(), np.split(order, np.cumsum(sizes)[:-1]), strict=True):
        values[rows], plan = restorer(original[rows], treated[rows], weights=_of(weights, rows))
        parts.append(RestoredPart(int(label), len(rows), plan))
    return RestoredParts(values, tuple(parts))


def rake_families(
    original: Floats,
    treated: Floats,
    families: Sequence[Ints],
    *,
    sweeps: int = 10,
    weights: Floats | None = None,
    restorer: Restorer = restore,
    min_part: int | None = None,
) -> RakedFamilies:
    """Restores inside the groups of each family of labels in turn, again and again, where families overlap.

    The last family comes out exactly; the others nearly, and by how much is said.
    """
    if sweeps < 1 or not families:
        raise ParameterError("Raking needs at least one family of labels and one sweep.")
    values = treated
    for _ in range(sweeps):
        for labels in families:
            values = restore_groups(
                original, values, labels, weights=weights, restorer=restorer, min_part=min_part
            ).values
    errors = tuple(group_errors(original, values, labels, weights) for labels in families)
    return RakedFamilies(values, errors)


def group_errors(
    original: Floats, restored: Floats, labels: Ints, weights: Floats | None = None
) -> MomentErrors:
    """The largest errors of means and covariances inside any group, in the group's own deviations."""
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    errors = [moment_errors(original[rows], restored[rows], _of(weights, rows)) for rows in groups]
    return MomentErrors(max(error.mean for error in errors), max(error.covariance for error in errors))


def restore_cells(
    original: Floats,
    treated: Floats,
    parts: Sequence[tuple[Ints, Ints]],
    *,
    weights: Floats | None = None,
    restorer: Restorer = restore,
    min_part: int | None = None,
    names: Sequence[str] | None = None,
) -> Floats:
    """Restores blocks of cells, parts = (records, columns), and then the whole table around them.

    Each block gets its own means and covariances and is frozen. Then, column by column, those with the fewest free
    cells first, the free cells alone are moved so that the column has its overall mean, variance and covariances with
    the columns before it. An error says, by its name, which column the frozen cells leave no room.
    """
    values = np.array(treated, dtype=np.float64)
    frozen = np.zeros(values.shape, dtype=np.bool_)
    for rows, columns in parts:
        cells = np.ix_(rows, columns)
        if frozen[cells].any():
            raise ParameterError("Blocks of records and columns must not share cells: split the larger one.")
        needed = records_needed(len(columns), min_part)
        if len(rows) < needed:
            raise UnsuitableError(
                f"A block of {len(columns)} columns has {len(rows)} records, fewer than {needed}: its exact "
                "statistics would disclose too much. Merge blocks, or lower min_part."
            )
        values[cells], _ = restorer(original[cells], treated[cells], weights=_of(weights, rows))
        frozen[cells] = True
    share = _record_shares(weights, len(values))
    moments = measure_moments(np.ascontiguousarray(original, dtype=np.float64), weights)
    units = np.where(moments.constant, 1.0, moments.deviations)
    standard = (values - moments.mean) / units
    target = moments.covariance / np.outer(units, units)
    order = np.argsort((~frozen).sum(axis=0), kind="stable")
    for place, column in enumerate(order):
        free = ~frozen[:, column]
        if moments.constant[column]:
            standard[free, column] = 0.0
        else:
            moved = _move_free_cells(standard, int(column), order[:place], free, target[column], share)
            if moved is None:
                label = f"'{names[column]}'" if names else f"{column + 1}"
                raise UnsuitableError(
                    f"The frozen cells leave column {label} no room for its overall mean, variance and covariances. "
                    "Freeze fewer cells: fewer columns in the blocks, or fewer records."
                )
            standard[free, column] = moved
    return np.where(frozen, values, moments.mean + standard * units)


def _move_free_cells(
    standard: Floats, column: int, earlier: Ints, free: Bools, target: Floats, share: Floats
) -> Floats | None:
    """New values y = P c + k e of a column's free cells, in standard units; None where the others leave no room.

    P = [1, earlier columns]; c is the least-norm solution of the mean and covariance equations left over by the frozen
    cells; e is what P leaves of the treated values, and k gives the variance that remains. Inner products are weighted.
    """
    before = np.column_stack([np.ones(len(standard)), standard[:, earlier]])
    wanted = np.concatenate([[0.0], target[earlier]])
    given = (before[~free] * share[~free, None]).T @ standard[~free, column]
    root = np.sqrt(share[free])
    basis, singular, turned = np.linalg.svd(before[free] * root[:, None], full_matrices=False)
    kept = singular > 1e-10 * singular.max(initial=0.0)
    basis, singular, turned = basis[:, kept], singular[kept], turned[kept]
    regular = basis @ (turned @ (wanted - given) / singular)
    missed = wanted - given - (before[free] * root[:, None]).T @ regular
    own = standard[free, column] * root
    for _ in range(2):
        # Twice, for the first projection leaves rounding of the size of the treated values.
        own = own - basis @ (basis.T @ own)
    left = float(target[column] - share[~free] @ standard[~free, column] ** 2 - regular @ regular)
    length = float(own @ own)
    if np.abs(missed).max() > 1e-9 or left < -1e-9 or (left > 1e-9 and length <= 1e-13):
        return None
    scale = np.sqrt(max(left, 0.0) / length) if length > 1e-13 else 0.0
    weightless = root == 0.0
    moved = (regular + scale * own) / np.where(weightless, 1.0, root)
    values: Floats = np.where(weightless, standard[free, column], moved)
    return values


def _record_shares(weights: Floats | None, n_records: int) -> Floats:
    if weights is None:
        return np.full(n_records, 1.0 / n_records)
    check_weights(weights, n_records)
    shares: Floats = weights / weights.sum()
    return shares


def _of(weights: Floats | None, rows: Ints) -> Floats | None:
    return None if weights is None else weights[rows]
