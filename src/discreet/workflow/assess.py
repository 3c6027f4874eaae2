"""Assess: every measure of risk and utility on one pair of tables, whoever made the second."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from discreet.base import Figure, Measure
from discreet.errors import InputError, ParameterError, SchemaError
from discreet.progress import share, stage
from discreet.release import Release
from discreet.risk.correspondence import seems_reordered
from discreet.risk.selection import Names, known_columns, secret_columns
from discreet.stats.threads import one_blas_thread
from discreet.table.align import Aligned, align
from discreet.table.column import Column
from discreet.table.frames import Frame, as_frame, encode, encode_column
from discreet.table.load import Opened, open_data
from discreet.table.native import library_name
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table
from discreet.utility.formula import Formula, check_formula
from discreet.workflow.evidence import Evidence, Finding
from discreet.workflow.measures import (
    OF_GROUPS,
    OF_LINKAGE,
    Case,
    filled,
    full_measures,
    innermost,
    name_of,
    standard_measures,
)
from discreet.workflow.publishing import THRESHOLD

Level = Literal["standard", "full"]


def assess(
    original: Frame | str | Path,
    protected: Frame | str | Path | Release,
    schema: Schema | str | Path | None = None,
    *,
    measures: Sequence[Measure] | None = None,
    level: Level = "standard",
    control: Frame | str | Path | None = None,
    known: Names | None = None,
    secret: Names | None = None,
    by: Names = (),
    formulas: Sequence[str] = (),
    corresponds: bool | None = None,
    before: bool = True,
    threshold: int = THRESHOLD,
    **reading: Any,
) -> Evidence:
    """Measure risk and utility of a protected table against its original.

    Args:
        original, protected: dataframes or paths; `protected` may be a release.
        schema: what the original's columns are; guessed where None.
        measures: which; None: those of the level.
        level: `standard` takes seconds, `full` adds the measures that fit models, repeat attacks or search all subsets.
        control: dataframe or path: people of the same population whom the method never saw. Every measure that can
            use them does: an attack that succeeds on them too has learnt nothing from the file.
        known: columns that an intruder knows; None: those declared quasi-identifiers, or all where none is.
        secret: columns that an intruder wants; None: those declared confidential, or all that are not known.
        by: columns: linkage, interval disclosure and probabilistic loss are also measured inside each part that their
            values make.
        formulas: regressions to compare, such as `charge ~ age + sex`; empty: every number on the others.
        corresponds: whether record i of `protected` stems from record i of `original`. None: a release says so; of
            files with equally many records it is found out. Say False for synthetic or reordered files.
        before: measure risk also of the original against itself: what a release without protection would show.
        threshold: counts of records below this are not published.
        reading: how to read files.
    """
    _check(level, threshold)
    opened = open_data(original, **reading)
    schema = _schema_of(opened, schema)
    table, _ = encode(opened.frame, schema, opened.text_of)
    other, release = _opened(protected, reading)
    aligned = align(
        table, other.frame, schema, other.text_of, None if control is None else _opened(control, reading)[0]
    )
    matched, remark = _matched(corresponds, aligned, release)
    weighted, unweighted = _weighted(aligned, table, matched)
    ready = replace(weighted, keys=_with_households(weighted.keys, opened, other, schema, matched))
    asked = _Asked.of(table, ready, known, secret)
    case = Case(
        matched=matched,
        controlled=control is not None,
        households=bool(ready.keys[1].of_role("cluster")),
        by=_existing("by", by, table),
        formulas=_formulas(formulas, table),
    )
    of_level = full_measures if level == "full" else standard_measures
    chosen = tuple(measures or of_level(ready.original, case))
    evidence = measure_all(
        [asked.fill(m) for m in chosen if not asked.lacks(m)],
        ready.original,
        ready.protected,
        keys=ready.keys,
        matched=matched,
        before=before,
    )
    return replace(
        evidence,
        left_out=aligned.left_out,
        skipped={name_of(m): asked.reason for m in chosen if asked.lacks(m)} | dict(evidence.skipped),
        threshold=threshold,
        remarks=(*remark, *unweighted, *asked.remarks, *aligned.remarks),
        library=library_name(opened.frame),
    )


def _check(level: str, threshold: int) -> None:
    if level not in ("standard", "full"):
        raise ParameterError("`level` must be standard or full.")
    if threshold < 1:
        raise ParameterError(f"`threshold` must be at least 1. Got {threshold}.")


def _schema_of(opened: Opened, schema: Schema | str | Path | None) -> Schema:
    if isinstance(schema, (str, Path)):
        return Schema.read(schema)
    return schema or opened.guessed_schema()


def _opened(data: Any, reading: dict[str, Any]) -> tuple[Opened, Release | None]:
    if isinstance(data, Release):
        return Opened(data.data), data
    return open_data(data, **(reading if isinstance(data, (str, Path)) else {})), None


def _existing(what: str, names: Iterable[str], table: Table) -> Names:
    """The names, all of columns that there are."""
    if lacking := [name for name in names if name not in table]:
        raise ParameterError(
            f"{what} names columns that the original lacks: {', '.join(lacking)}. It has: {', '.join(table.names)}."
        )
    return tuple(names)


def _formulas(texts: Iterable[str], table: Table) -> tuple[str, ...]:
    """The formulas, if they can be read and fit the table."""
    for text in texts:
        check_formula(Formula.parse(text), table)
    return tuple(texts)


# -- which record is which ---------------------------------------------------------------------------------------


def _matched(
    corresponds: bool | None, aligned: Aligned, release: Release | None
) -> tuple[bool, tuple[str, ...]]:
    """Whether records correspond, and what must be said of it."""
    original, protected = aligned
    same_length = original.n_records == protected.n_records
    if corresponds and not same_length:
        raise ParameterError(
            f"Records cannot correspond: {original.n_records} original and {protected.n_records} protected ones."
        )
    if not same_length or corresponds is False:
        return False, ()
    if release is not None and corresponds is None:
        return not release.reordered, ()
    if not seems_reordered(original, protected):
        return True, ()
    if corresponds:
        return True, (f"{_REORDERED} They were taken to correspond, as was said.",)
    return False, (f"{_REORDERED} {_NOT_TAKEN}",)


_REORDERED = (
    "The protected records do not seem to stand where the original ones do: copies stand elsewhere, or a record is no "
    "nearer to the one in its place than to any other."
)
_NOT_TAKEN = (
    "They were not taken to correspond, and what needs that was not measured: linkage by rows would call a file safe "
    "that was only reordered. Put the records in order, or say that they correspond (corresponds=True, --corresponds)."
)


def _weighted(aligned: Aligned, table: Table, matched: bool) -> tuple[Aligned, tuple[str, ...]]:
    """The tables with the original's weights where the protected file has none, and what must be said of it."""
    lacking = [c for c in table.of_role("weight") if c.name in aligned.lacking]
    if not lacking:
        return aligned, ()
    weight = lacking[0]
    if not matched:
        return aligned, (
            f"Measured without weights: the protected file lacks the weight column '{weight.name}'.",
        )
    original, protected = (_with_column(each, weight) for each in aligned)
    keys = (_with_column(aligned.keys[0], weight), _with_column(aligned.keys[1], weight))
    control = aligned.control and _with_column(aligned.control, _ones(weight, aligned.control.n_records))
    said = f"The protected file lacks the weight column '{weight.name}': its records have the original's weights."
    return replace(aligned, original=original, protected=protected, keys=keys, control=control), (said,)


def _with_column(table: Table, column: Column) -> Table:
    return Table((*table.columns, column), table.n_records)


def _ones(weight: Column, n_records: int) -> Column:
    return Column(weight.variable, np.ones(n_records), np.zeros(n_records, dtype=np.uint8))


def _with_households(
    keys: tuple[Table, Table], opened: Opened, other: Opened, schema: Schema, matched: bool
) -> tuple[Table, Table]:
    """The tables with the column that says who belongs together: the protected file's, or else the original's."""
    declared = schema.of_role("cluster")
    if not declared:
        return keys
    here = _cluster(opened, declared[0].name)
    there = _cluster(other, declared[0].name) or (here if matched else None)
    if here is None or there is None:
        return keys
    return _with_column(keys[0], here), _with_column(keys[1], there)


def _cluster(opened: Opened, name: str) -> Column | None:
    """The column as categories, None where the file lacks it or its cells are of several types."""
    frame = as_frame(opened.frame)
    if name not in frame.columns:
        return None
    try:
        return encode_column(frame, Variable(name=name, kind="nominal", role="cluster"), {}, opened.text_of)[
            0
        ]
    except SchemaError:
        return None


# -- what is asked of the measures -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Asked:
    """What the measures are told that left it open, from the original with all its columns.

    So a column that the protected file lacks is not quietly replaced by others; `unread` are known columns that the
    file holds as something that cannot be compared.
    """

    known: Names
    secret: Names
    aligned: Aligned
    unread: Names
    remarks: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, aligned: Aligned, known: Names | None, secret: Names | None) -> _Asked:
        known = known_columns(table, None if known is None else tuple(known))
        secret = secret_columns(table, None if secret is None else tuple(secret), known)
        unread = tuple(name for name in known if name in aligned.recoded)
        gone = tuple(name for name in known if name in aligned.lacking)
        said = f"An intruder knows columns that the protected file lacks, and works without them: {', '.join(gone)}."
        return cls(known, secret, aligned, unread, (said,) if gone else ())

    def fill(self, measure: Measure) -> Measure:
        there = self.aligned.keys[0] if isinstance(innermost(measure), OF_GROUPS) else self.aligned.original
        given: dict[str, Any] = {
            "known": tuple(name for name in self.known if name in there),
            "secret": tuple(name for name in self.secret if name in there),
        }
        if self.aligned.control is not None:
            given["control"] = self.aligned.control
        return filled(measure, **given)

    def lacks(self, measure: Measure) -> bool:
        """Whether the measure would have to do without a column that an intruder can use."""
        inside = innermost(measure)
        wanted = getattr(inside, "known", None)
        return isinstance(inside, OF_LINKAGE) and bool(
            set(self.unread) & set(self.known if wanted is None else wanted)
        )

    @property
    def reason(self) -> str:
        return (
            f"known columns cannot be read in the protected file ({', '.join(self.unread)}): by the others alone the "
            "risk would look smaller than it is"
        )


# -- taking them -------------------------------------------------------------------------------------------------


def measure_all(
    measures: Sequence[Measure],
    original: Table,
    protected: Table,
    *,
    keys: tuple[Table, Table] | None = None,
    matched: bool = True,
    before: bool = True,
) -> Evidence:
    """Take every measure; one that cannot be taken is recorded with its reason, and stops no other.

    `keys` are the two tables for measures of groups, where columns may be categories that cannot be compared as numbers.
    """
    findings: list[Finding] = []
    skipped: dict[str, str] = {}
    with one_blas_thread(), stage("measuring"):
        for done, measure in enumerate(measures):
            of_groups = keys is not None and isinstance(innermost(measure), OF_GROUPS)
            pair = keys if keys is not None and of_groups else (original, protected)
            if measure.corresponds and not matched:
                skipped[name_of(measure)] = "needs records that correspond"
                continue
            try:
                findings += _findings(measure, *pair, before=before)
            except InputError as fault:
                skipped[name_of(measure)] = str(fault)
            except Exception as fault:
                # Whatever it is, the other figures stand; its text may hold cell values.
                skipped[name_of(measure)] = f"{FAILED} {type(fault).__name__}"
            share((done + 1) / len(measures))
    return Evidence(
        findings=tuple(findings),
        n_original=original.n_records,
        n_protected=protected.n_records,
        columns=original.names,
        skipped=skipped,
        corresponds=matched,
    )


FAILED = "failed inside:"


def _findings(measure: Measure, original: Table, protected: Table, *, before: bool) -> list[Finding]:
    figures = measure(original, protected)
    earlier = _before(measure, original) if before else {}
    return [Finding(measure.aspect, figure, earlier.get(figure.name)) for figure in figures]


def _before(measure: Measure, original: Table) -> dict[str, float]:
    """Risk without protection; utility of a table against itself is the known zero loss and says nothing."""
    if measure.aspect != "risk":
        return {}
    figures: tuple[Figure, ...] = measure(original, original)
    return {figure.name: figure.value for figure in figures}
