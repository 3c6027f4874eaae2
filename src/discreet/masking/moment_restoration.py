"""Restoration: treated numbers get back exactly the means and covariances they had, in the whole table and in its parts.

The step that makes any treatment a hybrid (Domingo-Ferrer, Mateo-Sanz, Sebe). It follows any treatment, knows none, and
works in parts of records (`parts`), in blocks of records and columns (`blocks`), or in overlapping families (`families`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Claim, Draft, Partition
from discreet.claims.exact_moments import ExactMoments
from discreet.claims.k_anonymity import KAnonymity, ProbabilisticKAnonymity
from discreet.errors import ParameterError, UnsuitableError
from discreet.selection import chosen, name_list, names_of
from discreet.stats.restoration import TOL_DEPENDENT, TOL_NEAR, restore
from discreet.stats.restoration_affine import Restoration
from discreet.stats.restoration_parts import (
    rake_families,
    restore_cells,
    smallest_part,
)
from discreet.stats.restoration_printed import restore_printed
from discreet.stats.restoration_support import (
    blend_records,
    restore_within,
    round_restored,
)
from discreet.stats.streams import Streams
from discreet.strata import parts_by
from discreet.table.column import Column
from discreet.table.table import Table

Kind = Literal["transport", "triangular", "nearest", "printed"]
EXACT = 1e-9  # errors up to this, in standard deviations, count as exact
LOOSEST = 1e-2  # a rounded release that is further off than this claims nothing


@dataclass(frozen=True)
class Block:
    """A subdomain of records and attributes: these columns, inside every cell of `by`."""

    by: tuple[str, ...]
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "by", tuple(self.by))
        object.__setattr__(self, "columns", tuple(self.columns))


@dataclass(frozen=True)
class MomentRestoration:
    """Corrects treated numbers by an affine map of records, in each part.

    Args:
        columns: numeric columns; None: those that the treatment changed. Covariances with columns left out are not kept.
        kind: `transport` (moves records least, does not depend on the order of columns), `triangular`, `nearest` (to the
            original records: most utility, most risk), or `printed` (the published Algorithm 2, for comparison only).
        exact: False keeps each column's decimals and says how far off the moments then are; True releases all digits.
        bounded: keep the bounds that the schema declares, by clipping and restoring in turn.
        min_part: records below which a part is refused; None: max(100, 5 (columns + 1)).
        blocks: subdomains of records and attributes to restore before the whole.
        families: overlapping families of subdomains, restored in turn; exact in the last, nearly in the others.
        blend: 1; less mixes each treated record with a random other one first (see the method's page).
        tol_dep, tol_near: shares of own variance below which a column counts as following from the others.
    """

    columns: tuple[str, ...] | None = None
    kind: Kind = "transport"
    exact: bool = False
    bounded: bool = True
    min_part: int | None = None
    blocks: tuple[Block, ...] = ()
    families: tuple[tuple[str, ...], ...] = ()
    blend: float = 1.0
    tol_dep: float = TOL_DEPENDENT
    tol_near: float = TOL_NEAR

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        object.__setattr__(self, "blocks", tuple(self.blocks))
        object.__setattr__(self, "families", tuple(tuple(family) for family in self.families))
        if self.kind not in ("transport", "triangular", "nearest", "printed"):
            raise ParameterError("`kind` must be transport, triangular, nearest or printed.")
        if not 0 <= self.blend <= 1:
            raise ParameterError("`blend` must lie between 0 and 1.")
        if self.min_part is not None and self.min_part < 2:
            raise ParameterError("`min_part` must be at least 2.")
        if self.blocks and self.families:
            raise ParameterError("`blocks` and `families` are two ways; use one of them.")

    def restore(self, original: Table, draft: Draft, parts: Partition, streams: Streams) -> Draft:
        if draft.reordered:
            raise UnsuitableError(
                "A treatment that reorders records cannot be restored; turn its reordering off."
            )
        job = Job.of(self, original, draft, parts, streams)
        if not job.names:
            return replace(draft, notes=(*draft.notes, "Nothing to restore: no number was changed."))
        result = job.run()
        columns = [
            _finished(draft.table[name], result.values[:, j], self.exact) for j, name in enumerate(job.names)
        ]
        table = draft.table.with_columns(*columns)
        return replace(
            draft,
            table=table,
            claims=(*self._surviving(draft, parts, result), *self._exact_claims(original, table, job, parts)),
            notes=(*draft.notes, *result.notes),
        )

    def _surviving(self, draft: Draft, parts: Partition, result: Result) -> tuple[Claim, ...]:
        """k-anonymity survives a map that sends equal records of one part to equal records."""
        inside = draft.partition is not None and draft.partition.within(parts)
        if not (result.equal_stay_equal and inside):
            return ()
        return tuple(c for c in draft.claims if isinstance(c, (KAnonymity, ProbabilisticKAnonymity)))

    def _exact_claims(
        self, original: Table, restored: Table, job: Job, parts: Partition
    ) -> tuple[Claim, ...]:
        if not job.same_gaps:
            return ()
        wanted = [ExactMoments(job.names)]
        if job.by and parts.n_groups > 1:
            wanted.append(ExactMoments(job.names, by=job.by, min_part=job.needed))
        wanted += [ExactMoments(block.columns, by=block.by) for block in self.blocks]
        if self.families:
            wanted = [ExactMoments(job.names), ExactMoments(job.names, by=self.families[-1])]
        claims = (_to_tolerance(claim, original, restored) for claim in wanted)
        return tuple(claim for claim in claims if claim is not None)


@dataclass(frozen=True, eq=False)
class Result:
    """Restored numbers, whether equal treated records are still equal, and what has to be told."""

    values: Floats
    equal_stay_equal: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Job:
    """One restoration, laid out as arrays."""

    plan: MomentRestoration
    table: Table
    names: tuple[str, ...]
    original: Floats
    treated: Floats
    missing: Bools
    same_gaps: bool
    weights: Floats | None
    labels: Ints
    by: tuple[str, ...]
    streams: Streams

    @classmethod
    def of(
        cls, plan: MomentRestoration, table: Table, draft: Draft, parts: Partition, streams: Streams
    ) -> Job:
        columns = _restorable(plan, table, draft)
        names = names_of(columns)
        treated = [draft.table[name] for name in names]
        gaps = _stack([column.missing for column in treated], table.n_records, np.bool_)
        same = all(np.array_equal(b.missing, a.missing) for b, a in zip(columns, treated, strict=True))
        values = _stack([column.values for column in treated], table.n_records, np.float64)
        if plan.blend < 1 and names:
            values = blend_records(values, plan.blend, streams.generator("blend"), table.weights)
        by = tuple(parts.holds.removeprefix("equal ").split(", ")) if parts.holds.startswith("equal ") else ()
        return cls(
            plan,
            table,
            names,
            _stack([column.values for column in columns], table.n_records, np.float64),
            values,
            gaps,
            same,
            table.weights,
            parts.labels,
            tuple(name for name in by if name in table),
            streams,
        )

    @property
    def needed(self) -> int:
        return smallest_part(len(self.names)) if self.plan.min_part is None else self.plan.min_part

    def run(self) -> Result:
        if self.plan.kind == "printed":
            return self._printed()
        if self.plan.blocks:
            return self._blocks()
        if self.plan.families:
            return self._families()
        return self._groups()

    def _restorer(self) -> Any:
        return partial(
            restore,
            kind="transport" if self.plan.kind == "printed" else self.plan.kind,
            tol_dep=self.plan.tol_dep,
            tol_near=self.plan.tol_near,
            rng=self.streams.generator("fill"),
        )

    def _groups(self) -> Result:
        """Every part, and in it every pattern of missing cells over the columns that are there."""
        members = Partition(self.labels).members()
        if len(members) > 1:
            self._refuse_small(np.array([len(rows) for rows in members]))
        values, told = self.treated.copy(), [Told()]
        for rows in members:
            for inside, columns in self._patterns(rows):
                if not len(columns) or len(inside) <= len(columns):
                    told.append(Told(left=len(inside)))
                    continue
                cells = np.ix_(inside, columns)
                values[cells], done = self._one(inside, columns)
                told.append(done)
        left = sum(done.left for done in told)
        notes = [note for done in told for note in done.notes]
        if left:
            notes.append(
                f"{left} records have patterns of missing cells too rare to restore; they are treated, not restored."
            )
        whole = len(told) == len(members) + 1
        return Result(
            values, whole and all(done.equal_stay_equal for done in told), tuple(dict.fromkeys(notes))
        )

    def _refuse_small(self, sizes: Ints) -> None:
        small = sizes[sizes < self.needed]
        if len(small):
            raise UnsuitableError(
                f"{len(small)} of {len(sizes)} subdomains have fewer than {self.needed} records (smallest: "
                f"{small.min()}); exact statistics of {len(self.names)} columns in so few records disclose them. Merge "
                "subdomains (small='merge'), name fewer columns, or lower min_part."
            )

    def _patterns(self, rows: Ints) -> list[tuple[Ints, Ints]]:
        """Records with equal gaps, and the columns they have; patterns below `needed` keep no columns."""
        if not self.missing.any():
            return [(rows, np.arange(len(self.names)))]
        shapes, which = np.unique(self.missing[rows], axis=0, return_inverse=True)
        found = []
        for number, shape in enumerate(shapes):
            inside = rows[which.reshape(-1) == number]
            least = smallest_part(int((~shape).sum())) if self.plan.min_part is None else self.plan.min_part
            found.append(
                (inside, np.flatnonzero(~shape) if len(inside) >= least else np.empty(0, dtype=np.int64))
            )
        return found

    def _one(self, rows: Ints, columns: Ints) -> tuple[Floats, Told]:
        """One block of cells: restored, kept in bounds where there are some, rounded where digits are declared."""
        cells = np.ix_(rows, columns)
        original, treated = self.original[cells], self.treated[cells]
        weights = None if self.weights is None else self.weights[rows]
        variables = [self.table[self.names[j]].variable for j in columns]
        lower = np.array([-np.inf if v.lower is None else v.lower for v in variables])
        upper = np.array([np.inf if v.upper is None else v.upper for v in variables])
        violation = 0.0
        if self.plan.bounded and (np.isfinite(lower).any() or np.isfinite(upper).any()):
            values, bounded = restore_within(
                original, treated, lower, upper, weights=weights, restorer=self._restorer()
            )
            values, violation = np.clip(values, lower, upper), bounded.violation
            sweeps = bounded.sweeps
        else:
            values, single = self._restorer()(original, treated, weights=weights)
            sweeps = (single,)
        if not self.plan.exact:
            values = round_restored(values, [v.decimals for v in variables], sweeps[-1])
            values = np.clip(values, lower, upper) if self.plan.bounded else values
        stays = all(sweep.equal_stay_equal for sweep in sweeps)
        return values, Told(stays, _told(sweeps[-1], [v.name for v in variables], violation))

    def _blocks(self) -> Result:
        self._refuse_gaps("blocks")
        parts = []
        for block in self.plan.blocks:
            columns = np.array(
                [self.names.index(name) for name in self._known(block.columns)], dtype=np.int64
            )
            parts += [(rows, columns) for rows in parts_by(self.table, block.by)]
        values = restore_cells(
            self.original,
            self.treated,
            parts,
            weights=self.weights,
            restorer=self._restorer(),
            min_part=self.plan.min_part,
        )
        return Result(self._rounded(values), False)

    def _families(self) -> Result:
        self._refuse_gaps("families")
        families = [_labels(self.table, family) for family in self.plan.families]
        done = rake_families(
            self.original,
            self.treated,
            families,
            weights=self.weights,
            restorer=self._restorer(),
            min_part=self.plan.min_part,
        )
        notes = tuple(
            f"Inside {', '.join(family)}: moments off by up to {error.largest:.1e} standard deviations."
            for family, error in zip(self.plan.families[:-1], done.errors, strict=False)
        )
        return Result(self._rounded(done.values), False, notes)

    def _printed(self) -> Result:
        self._refuse_gaps("kind='printed'")
        if self.weights is not None:
            raise UnsuitableError("The printed algorithm takes no weights; use the default kind.")
        values, worst = np.empty_like(self.treated), 0.0
        for rows in Partition(self.labels).members():
            done = restore_printed(self.original[rows], self.treated[rows])
            values[rows] = done.values
            worst = max(worst, done.largest_solved)
        note = (
            f"The printed algorithm solved for values up to {worst:.3g} times the columns' spread in the last records: "
            "outliers that depend on the order of records. Use the default kind for a release."
        )
        return Result(self._rounded(values), False, (note,))

    def _rounded(self, values: Floats) -> Floats:
        if self.plan.exact:
            return values
        return round_restored(values, [self.table[name].variable.decimals for name in self.names])

    def _refuse_gaps(self, what: str) -> None:
        if self.missing.any():
            raise UnsuitableError(
                f"Restoration with {what} needs complete columns; {int(self.missing.sum())} cells lack."
            )

    def _known(self, names: Sequence[str]) -> Sequence[str]:
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise ParameterError(f"A block names columns that are not restored: {', '.join(unknown)}.")
        return names


@dataclass(frozen=True)
class Told:
    """What one block's restoration leaves to say; `left` counts records that were not restored."""

    equal_stay_equal: bool = True
    notes: tuple[str, ...] = ()
    left: int = 0


def _restorable(plan: MomentRestoration, table: Table, draft: Draft) -> tuple[Column, ...]:
    if plan.columns is not None:
        return chosen(table, plan.columns, kinds=("numeric",), what="Restoration")
    return tuple(
        column
        for column in table.of_kind("numeric")
        if column.name in draft.table
        and draft.table[column.name].is_numeric
        and not draft.table[column.name].same_as(column)
        and column.role != "weight"
    )


def _stack(columns: list[Any], n_records: int, dtype: Any) -> Any:
    return np.column_stack(columns).astype(dtype) if columns else np.empty((n_records, 0), dtype=dtype)


def _labels(table: Table, names: Sequence[str]) -> Ints:
    labels = np.empty(table.n_records, dtype=np.int64)
    for group, rows in enumerate(parts_by(table, tuple(names))):
        labels[rows] = group
    return labels


def _told(plan: Restoration, names: Sequence[str], violation: float) -> tuple[str, ...]:
    notes = []
    if plan.filled:
        filled = ", ".join(names[i] for i in plan.filled)
        notes.append(f"Filled with noise, because the treatment left nothing of their own: {filled}.")
    if violation > EXACT:
        notes.append(
            f"Bounds and exact moments could not both be had: values were clipped by up to {violation:.2g} standard "
            "deviations."
        )
    return tuple(notes)


def _finished(column: Column, values: Floats, exact: bool) -> Column:
    if not exact:
        return column.with_values(values)
    loose = replace(column.variable, decimals=None, lower=None, upper=None)
    return replace(column, variable=loose, loose=True).with_values(values)


def _to_tolerance(claim: ExactMoments, original: Table, restored: Table) -> ExactMoments | None:
    """The claim at 1e-9, or at the next power of ten that rounded values reach; None beyond a hundredth."""
    tolerance = claim.tolerance
    while tolerance <= LOOSEST:
        attempt = replace(claim, tolerance=tolerance)
        if attempt.check(original, restored, None).holds:
            return attempt
        tolerance *= 10
    return None
