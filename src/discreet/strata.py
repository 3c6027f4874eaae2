"""Strata are protected apart: the method is fitted to each, and the drafts are put together again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Protocol

import numpy as np

from discreet.arrays import Ints
from discreet.base import Claim, Draft, Fitted, Note, Partition
from discreet.errors import UnsuitableError
from discreet.keys import equal_records
from discreet.progress import portion
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.table import Table


class _Fits(Protocol):
    strata_apart: ClassVar[bool]

    def fit(self, table: Table, streams: Streams) -> Fitted: ...


MOST_NOTES = 12


@dataclass(frozen=True, eq=False)
class ApartFit:
    """One fit per part of the table; `rows` are the records of each part."""

    table: Table
    rows: tuple[Ints, ...]
    fits: tuple[Fitted, ...]

    def draw(self, streams: Streams) -> Draft:
        drafts = []
        for i, fit in enumerate(self.fits):
            with portion(i / len(self.fits), (i + 1) / len(self.fits)):
                drafts.append(fit.draw(streams.at("part", str(i))))
        return join_drafts(self.table, self.rows, drafts)


def fit_apart(method: _Fits, table: Table, streams: Streams) -> Fitted:
    """Fit inside each combination of the stratum columns; the whole table where there is none."""
    strata = [column.name for column in table.of_role("stratum")]
    if not strata or not method.strata_apart:
        return method.fit(table, streams)
    rows = cells_by(table, strata).members()
    fits, refused, reason = [], 0, ""
    for i, members in enumerate(rows):
        try:
            with portion(i / len(rows), (i + 1) / len(rows)):
                fits.append(method.fit(table.take(members), streams.at("part", str(i))))
        except UnsuitableError as fault:
            refused, reason = refused + 1, reason or str(fault)
    if refused:
        raise UnsuitableError(
            f"{refused} of {len(rows)} strata of {', '.join(strata)} cannot be protected: merge small strata in the "
            f"data, or do what this says of the first of them. {reason}"
        )
    return ApartFit(table, tuple(rows), tuple(fits))


def cells_by(table: Table, names: Sequence[str]) -> Partition:
    """One group per combination of values of the named columns; missing is a value, each reason another."""
    labels = equal_records(table, names).labels
    return Partition(labels, f"equal {', '.join(names)}", tuple(names))


def join_drafts(table: Table, rows: tuple[Ints, ...], drafts: list[Draft]) -> Draft:
    """Drafts of parts as one draft of the table; claims must be those of every part."""
    shared = reduce(_shared, (draft.claims for draft in drafts))
    columns = tuple(_join_column(name, table, rows, drafts) for name in drafts[0].table.names)
    labels = np.zeros(table.n_records, dtype=np.int64)
    first = 0
    for members, draft in zip(rows, drafts, strict=True):
        own = draft.partition or Partition(np.zeros(len(members), dtype=np.int64))
        labels[members] = own.labels + first
        first += own.n_groups
    grouped = any(draft.partition is not None for draft in drafts)
    return Draft(
        table=Table(columns, table.n_records),
        claims=shared,
        partition=replace(drafts[0].partition or Partition(labels), labels=labels) if grouped else None,
        notes=(*_joined_notes(drafts), *_lost_claims(shared, drafts)),
        reordered=any(draft.reordered for draft in drafts),
    )


def _shared(claims: tuple[Claim, ...], others: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """What each of the claims becomes together with its like among the others; those without one are gone."""
    met = (next(filter(None, map(claim.meet, others)), None) for claim in claims)
    return tuple(claim for claim in met if claim is not None)


def _joined_notes(drafts: list[Draft]) -> tuple[str, ...]:
    """Every note once: as it is where all parts have it, else with the parts it is about."""
    parts: dict[str, list[int]] = {}
    for number, draft in enumerate(drafts, start=1):
        for note in dict.fromkeys(draft.notes):
            parts.setdefault(note, []).append(number)
    told = [_placed(note, numbers, len(drafts)) for note, numbers in parts.items()]
    if len(told) <= MOST_NOTES:
        return tuple(told)
    return (*told[:MOST_NOTES], f"And {len(told) - MOST_NOTES} more notes on single parts.")


def _placed(note: str, numbers: list[int], n_parts: int) -> str:
    if len(numbers) == n_parts:
        return note
    which = f"part {numbers[0]}" if len(numbers) == 1 else f"{len(numbers)} parts"
    return Note.about(f"In {which} of {n_parts}: ", note)


def _lost_claims(shared: tuple[Claim, ...], drafts: list[Draft]) -> tuple[str, ...]:
    """Claims that hold in parts and not for all of them together, the first of each kind."""
    lost: dict[tuple[type[Claim], Any], Claim] = {}
    for draft in drafts:
        for claim in draft.claims:
            if all(claim.meet(one) is None for one in shared):
                lost.setdefault((type(claim), getattr(claim, "by", ())), claim)
    return tuple(
        f"Holds inside parts, and is not claimed of all together: {claim.statement}"
        for claim in lost.values()
    )


def _join_column(name: str, table: Table, rows: tuple[Ints, ...], drafts: list[Draft]) -> Column:
    parts = [draft.table[name] for draft in drafts]
    if any(part.levels != parts[0].levels for part in parts):
        raise UnsuitableError(
            f"Column '{name}' got other categories in each part; protect the whole table at once."
        )
    values = np.zeros(table.n_records, dtype=parts[0].values.dtype)
    absent = np.zeros(table.n_records, dtype=np.uint8)
    for members, part in zip(rows, parts, strict=True):
        values[members], absent[members] = part.values, part.absent
    first = next((part for part in parts if part.loose), parts[0])
    return replace(first, values=values, absent=absent)
