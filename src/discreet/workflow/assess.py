"""Assess: every measure of risk and utility on one pair of tables, whoever made the second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from discreet.base import Figure, Measure
from discreet.errors import InputError, ParameterError
from discreet.progress import share, stage
from discreet.release import Release
from discreet.stats.threads import one_blas_thread
from discreet.table.align import Aligned, align
from discreet.table.frames import Frame, encode
from discreet.table.load import open_data
from discreet.table.native import library_name
from discreet.table.schema import Schema
from discreet.table.table import Table
from discreet.workflow.evidence import THRESHOLD, Evidence, Finding
from discreet.workflow.measures import OF_GROUPS, full_measures, standard_measures

Level = Literal["standard", "full"]


def assess(
    original: Frame | str | Path,
    protected: Frame | str | Path | Release,
    schema: Schema | str | Path | None = None,
    *,
    measures: Sequence[Measure] | None = None,
    level: Level = "standard",
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
        corresponds: whether record i of `protected` stems from record i of `original`. None: where both have
            equally many records and a release does not say otherwise. Say False for synthetic or reordered files.
        before: measure risk also of the original against itself: what a release without protection would show.
        threshold: counts of records below this are not published.
        reading: how to read files.
    """
    if level not in ("standard", "full"):
        raise ParameterError("`level` must be standard or full.")
    opened = open_data(original, **reading)
    if isinstance(schema, (str, Path)):
        schema = Schema.read(schema)
    if schema is None:
        schema = Schema.infer(opened.frame, text_of=opened.text_of, labels=opened.labels)
    table, _ = encode(opened.frame, schema, opened.text_of)
    frame, text_of, reordered = _protected(protected, reading)
    aligned = align(table, frame, schema, text_of)
    pair = (aligned.original, aligned.protected)
    matched = _matched(corresponds, *pair, reordered=reordered)
    chosen = measures or (full_measures(*pair) if level == "full" else standard_measures(*pair))
    keys = align(
        _as_categories(table, aligned.recoded), frame, _recoded_schema(schema, aligned.recoded), text_of
    )
    evidence = measure_all(
        chosen, *pair, keys=(keys.original, keys.protected), matched=matched, before=before
    )
    library = library_name(opened.frame)
    return replace(evidence, left_out=_left_out(aligned), threshold=threshold, library=library)


def _matched(corresponds: bool | None, original: Table, protected: Table, *, reordered: bool) -> bool:
    same_length = original.n_records == protected.n_records
    if corresponds and not same_length:
        raise ParameterError(
            f"Records cannot correspond: {original.n_records} original and {protected.n_records} protected ones."
        )
    return same_length and not reordered if corresponds is None else corresponds


def _left_out(aligned: Aligned) -> dict[str, str]:
    lacking = dict.fromkeys(aligned.lacking, "not in the protected file")
    return lacking | dict.fromkeys(
        aligned.recoded, "no longer a number: counted as categories in groups only"
    )


def _recoded_schema(schema: Schema, names: tuple[str, ...]) -> Schema:
    for name in names:
        schema = schema.with_variable(name, kind="nominal", taxonomy=None, unknown=(), not_applicable=())
    return schema


def _as_categories(table: Table, names: tuple[str, ...]) -> Table:
    """Numbers that the protected file holds as intervals, as categories: equal or not is all that groups ask."""
    changed = []
    for name in names:
        column = table[name]
        distinct, codes = np.unique(column.numbers, return_inverse=True)
        levels = tuple(f"{number:g}" for number in distinct)
        changed.append(column.with_levels(levels, codes.reshape(-1).astype(np.int32), kind="nominal"))
    return table.with_columns(*changed)


def _protected(protected: Any, reading: dict[str, Any]) -> tuple[Frame, Any, bool]:
    if isinstance(protected, Release):
        return protected.data, None, protected.reordered
    opened = open_data(protected, **(reading if isinstance(protected, (str, Path)) else {}))
    return opened.frame, opened.text_of, False


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
            name = type(measure).__name__
            if measure.corresponds and not matched:
                skipped[name] = "needs records that correspond"
                continue
            pair = keys if keys is not None and isinstance(measure, OF_GROUPS) else (original, protected)
            try:
                figures = measure(*pair)
                earlier = _before(measure, pair[0]) if before else {}
            except InputError as fault:
                skipped[name] = str(fault)
                continue
            findings += [Finding(measure.aspect, figure, earlier.get(figure.name)) for figure in figures]
            share((done + 1) / len(measures))
    return Evidence(
        findings=tuple(findings),
        n_original=original.n_records,
        n_protected=protected.n_records,
        columns=original.names,
        skipped=skipped,
        corresponds=matched,
    )


def _before(measure: Measure, original: Table) -> dict[str, float]:
    """Risk without protection; utility of a table against itself is the known zero loss and says nothing."""
    if measure.aspect != "risk":
        return {}
    figures: tuple[Figure, ...] = measure(original, original)
    return {figure.name: figure.value for figure in figures}
