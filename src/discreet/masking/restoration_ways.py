"""The ways in which a treated table is restored: by parts of records, by blocks of cells, by families, or as printed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Note, Partition
from discreet.claims.exact_moments import EXACT, attainable
from discreet.errors import ParameterError, UnsuitableError
from discreet.selection import name_list, names_of
from discreet.stats.moments import measure_moments
from discreet.stats.restoration import TOL_DEPENDENT, TOL_NEAR, fit_restoration, in_memory, restore
from discreet.stats.restoration_affine import Restoration
from discreet.stats.restoration_maps import classify_columns
from discreet.stats.restoration_parts import (
    Restorer,
    rake_families,
    records_needed,
    restore_cells,
    smallest_part,
)
from discreet.stats.restoration_printed import restore_printed
from discreet.stats.restoration_support import blend_records, restore_within, round_restored
from discreet.stats.streams import Streams
from discreet.strata import cells_by
from discreet.table.column import Column
from discreet.table.table import Table

if TYPE_CHECKING:
    from discreet.masking.moment_restoration import MomentRestoration

Kind = Literal["transport", "triangular", "nearest", "printed"]


@dataclass(frozen=True)
class Block:
    """A subdomain of records and attributes: these columns, inside every cell of `by`.

    Args:
        by: categorical columns; a block for each combination of their values.
        columns: numeric columns.
        where: column -> its categories; records with others belong to no block. None left out where empty.
    """

    by: tuple[str, ...]
    columns: tuple[str, ...]
    where: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", name_list(self.by, "by"))
        object.__setattr__(self, "columns", name_list(self.columns))
        if not self.columns:
            raise ParameterError("A block needs columns.")
        if any(isinstance(wanted, str) for wanted in self.where.values()):
            raise ParameterError("`where` maps each column to a list of its categories.")

    def parts(self, table: Table) -> list[Ints]:
        """The records of each of its blocks."""
        rows = np.flatnonzero(table.rows_where(self.where))
        if not self.by:
            return [rows]
        return [rows[members] for members in cells_by(table.take(rows), self.by).members()]


@dataclass(frozen=True, eq=False)
class Numbers:
    """The columns to restore as arrays, before and after treatment; `missing` are cells that either table lacks."""

    columns: tuple[Column, ...]
    original: Floats
    treated: Floats
    missing: Bools
    weights: Floats | None

    @classmethod
    def of(cls, table: Table, treated: Table, columns: tuple[Column, ...]) -> Numbers:
        after = [treated[column.name] for column in columns]
        return cls(
            columns,
            np.column_stack([column.numbers for column in columns]),
            np.column_stack([column.numbers for column in after]),
            np.column_stack([was.missing | now.missing for was, now in zip(columns, after, strict=True)]),
            table.weights,
        )

    def attainable(self, parts: Partition) -> float:
        """How exact covariances can be in the digits of these numbers, in every part."""
        return attainable(
            self.original[rows, j][~self.missing[rows, j]]
            for rows in parts.members()
            for j in range(len(self.columns))
        )

    def of_rows(self, rows: Ints, columns: Ints) -> tuple[Floats, Floats, Floats | None]:
        cells = np.ix_(rows, columns)
        weights = None if self.weights is None else self.weights[rows]
        return self.original[cells], self.treated[cells], weights


@dataclass(frozen=True, eq=False)
class Outcome:
    """Restored numbers, and what has to be known of them.

    `equal_stay_equal`: equal treated records of one part are equal still. `violation`: how far, in standard deviations,
    values had to be clipped. `min_pattern`: patterns of missing cells that fewer records share were left as treated.
    """

    values: Floats
    equal_stay_equal: bool = False
    violation: float = 0.0
    min_pattern: int = 0
    notes: tuple[str, ...] = ()


def check_parts(plan: MomentRestoration, table: Table, columns: Sequence[Column], parts: Partition) -> None:
    """Refuses what cannot be restored, in the columns and parts asked for, from the original alone."""
    if plan.blocks or plan.families:
        way = "blocks" if plan.blocks else "families"
        if parts.n_groups > 1:
            raise ParameterError(f"`{way}` restore the whole table around them: use either `by` or `{way}`.")
        _refuse_gaps(columns, f"`{way}`")
        _refuse_bounds(plan, columns, f"`{way}`")
        records_needed(len(columns), plan.min_part)
    if plan.kind == "printed":
        _refuse_gaps(columns, "kind='printed'")
        _refuse_bounds(plan, columns, "kind='printed'")
        if table.weights is not None:
            raise UnsuitableError("The printed algorithm takes no weights; use the default kind.")
    for block in plan.blocks:
        names = names_of(columns)
        if unknown := [name for name in block.columns if name not in names]:
            raise ParameterError(f"A block names columns that are not restored: {', '.join(unknown)}.")
        picked = [column for column in columns if column.name in block.columns]
        _refuse_small(plan, table, picked, block.parts(table), "blocks")
    for family in plan.families:
        _refuse_small(
            plan, table, columns, cells_by(table, family).members(), f"parts by {', '.join(family)}"
        )
    members = parts.members()
    if len(members) > 1:
        _refuse_small(plan, table, columns, members, "subdomains")
    elif table.of_role("stratum"):
        _refuse_small_stratum(plan, table, columns)
    _refuse_few(table, columns, members)


def needed_records(plan: MomentRestoration, n_columns: int) -> int:
    return smallest_part(n_columns) if plan.min_part is None else plan.min_part


def _refuse_gaps(columns: Sequence[Column], what: str) -> None:
    gaps = sum(int(column.missing.sum()) for column in columns)
    if gaps:
        raise UnsuitableError(f"Restoration with {what} needs complete columns; {gaps} cells lack.")


def _refuse_bounds(plan: MomentRestoration, columns: Sequence[Column], what: str) -> None:
    declared = [c.name for c in columns if c.variable.lower is not None or c.variable.upper is not None]
    if plan.bounded and declared:
        raise UnsuitableError(
            f"Restoration with {what} keeps no bounds, and some are declared for {', '.join(declared)}. Say "
            "bounded=False, and values may leave them."
        )


def _refuse_small(
    plan: MomentRestoration, table: Table, columns: Sequence[Column], members: Sequence[Ints], what: str
) -> None:
    """Exact statistics of few records disclose them."""
    counted, needed = table.counted, needed_records(plan, len(columns))
    sizes = np.array([counted[rows].sum() for rows in members])
    small = sizes[sizes < needed]
    if len(small):
        raise UnsuitableError(
            f"{len(small)} of {len(sizes)} {what} have fewer than {needed} records (smallest: {small.min()}); exact "
            f"statistics of {len(columns)} columns in so few records disclose them. Merge them (small='merge'), name "
            "fewer columns, or lower min_part."
        )


def _refuse_small_stratum(plan: MomentRestoration, table: Table, columns: Sequence[Column]) -> None:
    n_records, needed = int(table.counted.sum()), needed_records(plan, len(columns))
    if n_records < needed:
        raise UnsuitableError(
            f"A stratum has {n_records} records, fewer than {needed}; exact statistics of {len(columns)} columns in so few "
            "records disclose them. Name fewer columns, or lower min_part."
        )


def _refuse_few(table: Table, columns: Sequence[Column], members: Sequence[Ints]) -> None:
    """n records with the exact moments of n - 1 independent columns are the records, turned about their mean."""
    counted = table.counted
    for rows in members:
        n_records = int(counted[rows].sum())
        if n_records > len(columns) + 1:
            continue
        present = np.logical_and.reduce([~column.missing[rows] for column in columns]) & counted[rows]
        rank = 0
        if present.any():
            values = np.column_stack([column.numbers[rows][present] for column in columns])
            moments = measure_moments(np.ascontiguousarray(values))
            rank = len(classify_columns(moments, moments, TOL_DEPENDENT, TOL_NEAR).free)
        if n_records <= rank + 1:
            raise UnsuitableError(
                f"{n_records} records are too few to restore {rank} independent columns: exact statistics would give the "
                f"records away. At least {rank + 2} are needed; name fewer columns, or merge parts."
            )


@dataclass(frozen=True, eq=False)
class Ways:
    """One restoration, laid out: which way it goes depends on the plan alone."""

    plan: MomentRestoration
    table: Table
    numbers: Numbers
    parts: Partition
    streams: Streams

    def restored(self) -> Outcome:
        if self.plan.kind == "printed":
            return self._printed()
        if self.plan.blocks:
            return self._in_blocks()
        if self.plan.families:
            return self._in_families()
        return self._in_parts()

    @property
    def names(self) -> tuple[str, ...]:
        return names_of(self.numbers.columns)

    @cached_property
    def restorer(self) -> Restorer:
        return partial(
            restore,
            kind="transport" if self.plan.kind == "printed" else self.plan.kind,
            tol_dep=self.plan.tol_dep,
            tol_near=self.plan.tol_near,
            rng=self.streams.generator("fill"),
        )

    # -- parts ---------------------------------------------------------------------------------------------------

    def _in_parts(self) -> Outcome:
        """Every part, and in it every pattern of missing cells over the columns that are there."""
        values, told = self.numbers.treated.copy(), []
        # However few `min_part` allows: with no more records than columns + 1, exact statistics are the records.
        needed = max(needed_records(self.plan, len(self.names)), len(self.names) + 2)
        counted, left, n_blocks = self.table.counted, 0, 0
        for part, rows in enumerate(self.parts.members()):
            for inside, columns in self._patterns(rows):
                if not len(columns):
                    continue
                if self.numbers.missing.any() and counted[inside].sum() < needed:
                    left += len(inside)
                    continue
                n_blocks += 1
                values[np.ix_(inside, columns)], done = self._one(inside, columns, str(part), str(n_blocks))
                told.append(done)
        if not told:
            raise UnsuitableError(
                f"No pattern of missing cells is shared by {needed} records: nothing can be restored. Fill or leave out "
                "columns with many missing cells, or lower min_part."
            )
        notes = [note for done in told for note in done.notes]
        if left:
            why = f" records have patterns of missing cells that fewer than {needed} share; they are treated, not restored."
            notes.append(Note(left, why))
        return Outcome(
            values,
            equal_stay_equal=self.plan.blend == 1 and all(done.equal_stay_equal for done in told),
            violation=max(done.violation for done in told),
            min_pattern=needed if left else 0,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _patterns(self, rows: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Records with equal gaps, and the columns they have."""
        if not self.numbers.missing.any():
            yield rows, np.arange(len(self.names))
            return
        shapes, which = np.unique(self.numbers.missing[rows], axis=0, return_inverse=True)
        for number, shape in enumerate(shapes):
            yield rows[which.reshape(-1) == number], np.flatnonzero(~shape).astype(np.int64)

    def _one(self, rows: Ints, columns: Ints, *stream: str) -> tuple[Floats, Outcome]:
        """One block of cells: restored, kept in bounds where there are some, rounded where digits are declared."""
        original, treated, weights = self.numbers.of_rows(rows, columns)
        treated = self._blended(treated, weights, *stream)
        variables = [self.numbers.columns[j].variable for j in columns]
        lower = np.array([-np.inf if v.lower is None else v.lower for v in variables])
        upper = np.array([np.inf if v.upper is None else v.upper for v in variables])
        clipped = self.plan.bounded and bool((np.isfinite(lower) | np.isfinite(upper)).any())
        order, violation = np.arange(len(columns)), 0.0
        if clipped:
            order = self._totals_last(original)
            lower, upper = lower[order], upper[order]
            restored, bounded = restore_within(
                original[:, order],
                treated[:, order],
                lower,
                upper,
                weights=weights,
                restorer=self.restorer,
            )
            restored = np.clip(restored, lower, upper)
            violation, sweeps = bounded.violation, bounded.sweeps
            _follow(sweeps[-1], restored)
        else:
            restored, single = self.restorer(original, treated, weights=weights)
            sweeps = (single,)
        variables = [variables[j] for j in order]
        if not self.plan.exact:
            restored = round_restored(restored, [v.decimals for v in variables], sweeps[-1])
        if clipped:
            restored = np.clip(restored, lower, upper)
        values = np.empty_like(restored)
        values[:, order] = restored
        notes = tuple(_told(sweeps[-1], [v.name for v in variables], violation))
        stays = all(sweep.equal_stay_equal for sweep in sweeps)
        return values, Outcome(values, equal_stay_equal=stays, violation=violation, notes=notes)

    def _totals_last(self, original: Floats) -> Ints:
        """Columns so that a total comes after its parts: clipped parts then make a total that needs no clipping.

        Only `triangular` depends on the order of columns, and keeps it.
        """
        if self.plan.kind == "triangular":
            return np.arange(original.shape[1])
        return np.argsort(original.var(axis=0), kind="stable").astype(np.int64)

    def _blended(self, treated: Floats, weights: Floats | None, *stream: str) -> Floats:
        if self.plan.blend == 1:
            return treated
        return blend_records(treated, self.plan.blend, self.streams.generator("blend", *stream), weights)

    # -- the other ways ------------------------------------------------------------------------------------------

    def _in_blocks(self) -> Outcome:
        parts = []
        for block in self.plan.blocks:
            columns = np.array([self.names.index(name) for name in block.columns], dtype=np.int64)
            parts += [(rows, columns) for rows in block.parts(self.table)]
        numbers = self.numbers
        values = restore_cells(
            numbers.original,
            self._blended(numbers.treated, numbers.weights),
            parts,
            weights=numbers.weights,
            restorer=self.restorer,
            min_part=self.plan.min_part,
            names=self.names,
        )
        return Outcome(self._rounded(values))

    def _in_families(self) -> Outcome:
        numbers = self.numbers
        done = rake_families(
            numbers.original,
            self._blended(numbers.treated, numbers.weights),
            [cells_by(self.table, family).labels for family in self.plan.families],
            weights=numbers.weights,
            restorer=self.restorer,
            min_part=self.plan.min_part,
        )
        notes = tuple(
            f"Inside {', '.join(family)}: moments off by up to {error.largest:.1e} standard deviations."
            for family, error in zip(self.plan.families[:-1], done.errors, strict=False)
        )
        return Outcome(self._rounded(done.values), notes=notes)

    def _printed(self) -> Outcome:
        numbers = self.numbers
        values, worst = np.empty_like(numbers.treated), 0.0
        for part, rows in enumerate(self.parts.members()):
            treated = self._blended(numbers.treated[rows], None, str(part))
            done = restore_printed(numbers.original[rows], treated)
            values[rows] = done.values
            worst = max(worst, done.largest_solved)
        note = (
            f"The printed algorithm solved for values up to {worst:.3g} times the columns' spread in the last records: "
            "outliers that depend on the order of records. Use the default kind for a release."
        )
        return Outcome(self._rounded(values), notes=(note,))

    def _rounded(self, values: Floats) -> Floats:
        """Rounded to the declared decimals, totals computed anew from their rounded parts."""
        numbers = self.numbers
        if self.plan.exact or all(column.variable.decimals is None for column in numbers.columns):
            return values
        itself = fit_restoration(
            in_memory(numbers.original, numbers.original, numbers.weights),
            tol_dep=self.plan.tol_dep,
            tol_near=self.plan.tol_near,
            rng=self.streams.generator("fill"),
        )
        return round_restored(values, [column.variable.decimals for column in numbers.columns], itself)


def _follow(plan: Restoration, values: Floats) -> None:
    """Dependent columns computed anew from the others, in place."""
    if plan.identities is not None:
        plan.identities.write(values, values)


def _told(plan: Restoration, names: Sequence[str], violation: float) -> Iterator[str]:
    """What one block's restoration leaves to say."""
    rebuilt = [names[i] for i in plan.columns.near if i not in plan.filled]
    if plan.filled:
        filled = ", ".join(names[i] for i in plan.filled)
        yield f"Filled with noise, because the treatment left nothing of their own: {filled}."
    if rebuilt:
        yield f"Nearly follow from the other columns, so their own small part was rebuilt: {', '.join(rebuilt)}."
    if plan.far_from_zero:
        far = ", ".join(names[i] for i in plan.far_from_zero)
        yield f"Means above a million standard deviations, which leaves few digits for exactness: {far}."
    if violation > EXACT:
        yield (
            f"Bounds and exact moments could not both be had: values were clipped by up to {violation:.2g} standard "
            f"deviations{', and totals may differ from their parts by as much' if plan.identities is not None else ''}."
        )
