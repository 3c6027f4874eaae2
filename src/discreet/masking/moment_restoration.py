"""Restoration: treated numbers get back exactly the means and covariances they had, in the whole table and in its parts.

The step that makes any treatment a hybrid (Domingo-Ferrer, Mateo-Sanz, Sebe). It follows any treatment, knows none, and
works in parts of records (`parts`), in blocks of records and columns (`blocks`), or in overlapping families (`families`).
How each of these goes is in `restoration_ways`; here is what may be asked for, what is refused, and what is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from discreet.arrays import Floats
from discreet.base import Claim, Draft, Partition
from discreet.claims.exact_moments import ExactMoments, power_of_ten
from discreet.claims.k_anonymity import ProbabilisticKAnonymity
from discreet.errors import ParameterError, UnsuitableError
from discreet.masking.restoration_ways import Block, Kind, Numbers, Outcome, Ways, check_parts
from discreet.release import confirmed
from discreet.selection import chosen, name_list, names_of
from discreet.stats.restoration import TOL_DEPENDENT, TOL_NEAR
from discreet.stats.streams import Streams
from discreet.strata import cells_by
from discreet.table.column import Column
from discreet.table.table import Table

__all__ = ["Block", "Kind", "MomentRestoration"]

LOOSEST = 1e-2  # a rounded release that is further off than this claims nothing


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
        families = [name_list(family, "families") for family in self.families]
        object.__setattr__(self, "families", tuple(families))
        if self.kind not in ("transport", "triangular", "nearest", "printed"):
            raise ParameterError("`kind` must be transport, triangular, nearest or printed.")
        if not 0 <= self.blend <= 1:
            raise ParameterError("`blend` must lie between 0 and 1.")
        if self.min_part is not None and self.min_part < 2:
            raise ParameterError("`min_part` must be at least 2.")
        if not 0 <= self.tol_dep <= self.tol_near < 1:
            raise ParameterError("`tol_dep` and `tol_near` must be shares, `tol_dep` not above `tol_near`.")
        if not all(isinstance(block, Block) for block in self.blocks):
            raise ParameterError("`blocks` must be a list of Block(by, columns).")
        if bool(self.blocks) + bool(self.families) + (self.kind == "printed") > 1:
            raise ParameterError("`blocks`, `families` and kind='printed' are three ways; use one of them.")
        if not all(families):
            raise ParameterError("A family names no column.")

    def refuse(self, original: Table, parts: Partition) -> None:
        """Whatever can be said before the treatment: of its columns where they are named, of parts in any case."""
        if self.columns is not None:
            columns = chosen(original, self.columns, kinds=("numeric",), what="Restoration")
            check_parts(self, original, columns, parts)

    def restore(self, original: Table, draft: Draft, parts: Partition, streams: Streams) -> Draft:
        if draft.reordered or draft.table.n_records != original.n_records:
            raise UnsuitableError(
                "A treatment that reorders, adds or leaves out records cannot be restored: give the mask without that."
            )
        columns = self._restorable(original, draft.table)
        if not columns:
            return replace(draft, notes=(*draft.notes, "Nothing to restore: no number was changed."))
        check_parts(self, original, columns, parts)
        numbers = Numbers.of(original, draft.table, columns)
        done = Ways(self, original, numbers, parts, streams).restored()
        released = [
            _finished(draft.table[column.name], done.values[:, j], self.exact)
            for j, column in enumerate(columns)
        ]
        table = draft.table.with_columns(*released)
        kept, lost = self._standing(draft, original, table, parts, done)
        claims, notes = self._exactness(original, table, numbers, parts, done)
        return replace(
            draft,
            table=table,
            claims=(*(claim for claim in kept if claim not in claims), *claims),
            notes=(*draft.notes, *done.notes, *notes, *lost),
        )

    def _restorable(self, table: Table, treated: Table) -> tuple[Column, ...]:
        if self.columns is None:
            return tuple(
                column
                for column in table.of_kind("numeric")
                if column.name in treated
                and treated[column.name].is_numeric
                and not treated[column.name].same_as(column)
                and column.role != "weight"
            )
        columns = chosen(table, self.columns, kinds=("numeric",), what="Restoration")
        gone = [c.name for c in columns if c.name not in treated or not treated[c.name].is_numeric]
        if gone:
            raise UnsuitableError(
                f"The treatment left no numbers to restore in {', '.join(gone)}. Leave these columns out of one of both."
            )
        return columns

    # -- what is claimed -----------------------------------------------------------------------------------------

    def _standing(
        self, draft: Draft, original: Table, table: Table, parts: Partition, done: Outcome
    ) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
        """The treatment's claims that still hold, and a note for each that does not.

        What a claim says of the table is checked on the table. One that rests on the procedure survives where the
        records of a group still depend on its members through what all of them share: the moments of the part around it.
        """
        shared = done.equal_stay_equal and draft.partition is not None and draft.partition.within(parts)
        resting = tuple(
            claim for claim in draft.claims if claim.of_procedure and not _survives(claim, shared)
        )
        asked = tuple(claim for claim in draft.claims if claim not in resting)
        kept, lost = confirmed(asked, original, table, draft.partition)
        return kept, tuple(f"Restoration gave up: {claim.statement}" for claim in (*resting, *lost))

    def _exactness(
        self, original: Table, released: Table, numbers: Numbers, parts: Partition, done: Outcome
    ) -> tuple[tuple[Claim, ...], tuple[str, ...]]:
        """Exact means and covariances, as far as they can be claimed; and in words, as far as not."""
        wanted = self._wanted(original, numbers, parts, done)
        blocked = [(claim, claim.obstacle(original, released)) for claim in wanted]
        notes = [*_unclaimed(parts, done), *(_not_claimed(claim, why) for claim, why in blocked if why)]
        open_to_all = [claim for claim, why in blocked if not why]
        rounded = not self.exact and any(
            column.variable.decimals is not None or column.single for column in numbers.columns
        )
        if not rounded and not done.violation:
            tolerance = numbers.attainable(parts)
            return tuple(replace(claim, tolerance=tolerance) for claim in open_to_all), tuple(notes)
        errors = [claim.error(original, released) for claim in open_to_all]
        limit = LOOSEST if rounded else numbers.attainable(parts)
        if rounded or max(errors, default=0.0) > limit:
            notes.append(_off(max(errors, default=0.0), limit, rounded=rounded))
        held = [(claim, e) for claim, e in zip(open_to_all, errors, strict=True) if e <= limit]
        return tuple(replace(claim, tolerance=power_of_ten(e)) for claim, e in held), tuple(notes)

    def _wanted(
        self, original: Table, numbers: Numbers, parts: Partition, done: Outcome
    ) -> list[ExactMoments]:
        names = names_of(numbers.columns)
        if self.blocks:
            inside = [ExactMoments(block.columns, by=block.by, where=block.where) for block in self.blocks]
            return [ExactMoments(names), *inside]
        if self.families:
            return [ExactMoments(names), ExactMoments(names, by=self.families[-1])]
        whole, inside = ExactMoments(names, min_pattern=done.min_pattern), []
        if parts.by and parts.n_groups > 1:
            merged = None if parts.n_groups == cells_by(original, parts.by).n_groups else parts
            inside = [replace(whole, by=parts.by, parts=merged)]
        # Where patterns rare in a part were left, the whole table has other rare ones: only the parts are exact.
        return inside if done.min_pattern and parts.n_groups > 1 else [whole, *inside]


def _unclaimed(parts: Partition, done: Outcome) -> list[str]:
    """What was asked for and did not come about, and what is exact and cannot be claimed."""
    if parts.by and parts.n_groups == 1:
        return [f"All cells of {', '.join(parts.by)} were merged into one: restored as a whole."]
    if parts.n_groups > 1 and not parts.by:
        rare = ", but for records with rare patterns of missing cells" if done.min_pattern else ""
        return [
            f"Exact inside each of {parts.n_groups} parts{rare}. That is not claimed: no column tells the parts."
        ]
    return []


def _not_claimed(claim: ExactMoments, why: str) -> str:
    return f"Not claimed, because {why}: {claim.statement}"


def _off(error: float, limit: float, *, rounded: bool) -> str:
    why = "Values were rounded" if rounded else "Values were clipped to their bounds"
    more = " exact=True keeps all digits." if rounded else ""
    less = " That is not claimed as exact." if error > limit else ""
    return f"{why}: means and covariances are off by up to {error:.1e} standard deviations.{more}{less}"


def _survives(claim: Claim, shared: bool) -> bool:
    """Whether a claim of the procedure survives a step that reads the original again."""
    return shared and isinstance(claim, ProbabilisticKAnonymity)


def _finished(column: Column, values: Floats, exact: bool) -> Column:
    if not exact:
        return column.with_values(values)
    return column.loosened().with_values(values)
