"""Notes that count records or cells, in the forms that the methods write them."""

from __future__ import annotations

import re
from dataclasses import replace

import polars as pl
import pytest

import discreet as dc
from discreet.report.noting import noted
from discreet.report.summary import summarize

COUNTING = [
    "3 cells were emptied, because others of their group lack them.",
    "3 cells with a declared code for missing are empty now, because others of their group do not have that code.",
    "3 cells with a declared code for missing that fewer than 5 share were emptied.",
    "3 records have patterns of missing cells that fewer than 12 share; they are treated, not restored.",
    "Cells emptied: age: 3, sex: 0, region: 3.",
    "Of 400 records that show their whole key, 3 are alone with it among these: they match others only through empty cells.",
    "Records whose category has no weight were not redrawn: illness (3), town (40).",
]  # fmt: skip
OTHERS = [
    "Quasi-identifiers released as they were, under no claim: age, 3 cells.",
    "Column 'icd': 3 of the 4 categories to merge do not occur.",
    "A later step gave up: k-anonymity, k = 3, over age (an empty cell is a value).",
    "Exact inside each of 3 parts. That is not claimed: no column tells the parts.",
]


@pytest.mark.parametrize("note", [*COUNTING, *(f"In part 2 of 4: {note}" for note in COUNTING)])
def test_no_small_count_is_left(note: str) -> None:
    """Every form in which a method counts records says fewer than ten instead of three."""
    said = noted(note, 10)
    assert not re.search(r"\b3\b", said)
    assert "ewer than 10" in said


@pytest.mark.parametrize("note", OTHERS)
def test_what_counts_no_records_stays(note: str) -> None:
    """Parameters, categories and numbers of parts are told."""
    assert noted(note, 10) == note


def test_a_report_tells_no_small_number_of_emptied_cells() -> None:
    """The page of a release says of each column that few cells were emptied; the release keeps the counts."""
    patients = dc.simulate_patients(300, seed=2)
    release = dc.LocalSuppression(2).protect(patients.with_columns(pl.col("age") // 20 * 20), seed=1)
    release = replace(release, notes=(*release.notes, COUNTING[0]))
    counts = [int(n) for note in release.notes for n in re.findall(r": (\d+)[,.]", note)]
    said = " ".join(summarize(release, None).notes)
    assert counts
    assert not any(0 < int(n) < 10 for n in re.findall(r": (\d+)[,.]", said))
    assert "Fewer than 10 cells were emptied" in said
