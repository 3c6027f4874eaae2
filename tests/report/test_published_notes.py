"""Notes that count records or cells: exact for the one who releases, small counts said to be small on the page."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.base import Note
from discreet.report.summary import summarize
from discreet.table.schema import Schema, Variable


def test_few_are_said_to_be_few() -> None:
    """Counts below the threshold and above 0 are hidden, parameters and names are told, in a part as well."""
    note = Note("Cells emptied: age: ", 3, ", sex: ", 0, ", region: ", 31, ".")
    assert note == "Cells emptied: age: 3, sex: 0, region: 31."
    assert note.published(10) == "Cells emptied: age: fewer than 10, sex: 0, region: 31."
    placed = Note.about("In part 2 of 4: ", Note(3, " cells that fewer than 5 share."))
    assert placed.published(10) == "In part 2 of 4: fewer than 10 cells that fewer than 5 share."
    assert Note.about("In part 2 of 4: ", "k = 3").published(10) == "In part 2 of 4: k = 3"


def _gaps(n: int = 300) -> pl.DataFrame:
    """A stratum, two numbers of which the first lacks three cells (one under a code), and a category without weight."""
    rng = np.random.default_rng(2)
    return pl.DataFrame(
        {
            "half": ["a", "b"] * (n // 2),
            "x": [None, None, -8.0, *rng.normal(size=n - 3)],
            "y": rng.normal(size=n),
            "c": ["rare"] * 3 + rng.choice(["p", "q"], n - 3).tolist(),
            "w": [0.0] * 3 + [1.0] * (n - 3),
        }
    )


@pytest.mark.parametrize("stratum", [False, True])
@pytest.mark.parametrize(
    "method",
    [
        dc.Microaggregation(3, columns=("x", "y", "c")),
        dc.UnivariateMicroaggregation(3, columns=("x", "y")),
        dc.LocalSuppression(2, columns=("c", "x")),
        dc.PRAM(0.8, columns=("c",)),
        dc.CholeskyHybrid(dc.Noise(0.2, columns=("x", "y")), columns=("x", "y"), exact=True),
    ],
    ids=lambda method: type(method).__name__,
)
def test_no_note_of_a_method_tells_a_small_count(method: dc.Method, stratum: bool) -> None:
    """Every method that counts records in a note does so by `Note`: the page shows no number of them from 1 to 9."""
    frame = _gaps().with_columns(x=pl.col("x").round(1))
    schema = Schema(
        (
            Variable(name="half", kind="nominal", role="stratum" if stratum else "other"),
            Variable(name="x", kind="numeric", role="quasi", unknown=(-8,)),
            Variable(name="y", kind="numeric", role="quasi"),
            Variable(name="c", kind="nominal", role="quasi"),
            Variable(name="w", kind="numeric", role="weight"),
        )
    )
    release = method.protect(frame, schema, seed=1)
    counting = [
        note
        for note in release.notes
        if isinstance(note, Note) and any(isinstance(p, int) for p in note.pieces)
    ]
    assert counting
    plain_ones = [str(note) for note in release.notes if not isinstance(note, Note)]
    assert not [note for note in plain_ones if re.search(r"\b[1-9] (cells|records)\b", note)]
    for note in counting:
        hidden = [piece for piece in note.pieces if isinstance(piece, int) and 0 < piece < 10]
        assert note.published(10).count("ewer than 10") >= len(hidden)


def test_a_report_tells_no_small_number_of_emptied_cells() -> None:
    """The page of a release says of each column that few cells were emptied; the release keeps the counts."""
    patients = dc.simulate_patients(300, seed=2)
    release = dc.LocalSuppression(2).protect(patients.with_columns(pl.col("age") // 20 * 20), seed=1)
    release = replace(release, notes=(*release.notes, Note(3, " cells were emptied.")))
    counts = [int(n) for note in release.notes for n in re.findall(r": (\d+)[,.]", note)]
    said = " ".join(summarize(release, None).notes)
    assert counts
    assert not any(0 < int(n) < 10 for n in re.findall(r": (\d+)[,.]", said))
    assert "Fewer than 10 cells were emptied" in said
