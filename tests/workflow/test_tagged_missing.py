"""Tagged missing values of Stata: what a claim says of a file holds for what the file tells of why a cell is empty."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.table.load import open_data
from discreet.workflow.protect import write_release

pyreadstat = pytest.importorskip("pyreadstat")


@pytest.fixture
def tagged(tmp_path: Path) -> Path:
    """Sixty ages of which five have a tag of their own, and an income with a tag that nobody treats."""
    random = np.random.default_rng(3)
    age = random.integers(20, 80, 60).astype(object)
    age[:5] = list("abcde")
    age[5] = None
    income = random.integers(100, 999, 60).astype(object)
    income[7] = "a"
    path = tmp_path / "t.dta"
    letters = {"age": list("abcde"), "income": ["a"]}
    pyreadstat.write_dta(pd.DataFrame({"age": age, "income": income}), str(path), missing_user_values=letters)
    return path


def written(release: dc.Release, source: Path) -> pd.DataFrame:
    write_release(release, source.with_name("safe.dta"), opened=open_data(source))
    frame, _ = pyreadstat.read_dta(str(source.with_name("safe.dta")), user_missing=True)
    return frame


def test_k_anonymity_holds_on_the_tags_that_are_written(tagged: Path) -> None:
    """A tag that only one record has would tell it apart: after microaggregation no age and no tag is held by fewer
    than k records."""
    release = dc.protect(tagged, dc.Microaggregation(k=5), seed=1)
    ages = written(release, tagged)["age"]
    cells = [cell if isinstance(cell, str) else None if cell != cell else float(cell) for cell in ages]
    assert min(Counter(cells).values()) >= 5


def test_tags_of_an_untreated_column_stay_in_their_cells(tagged: Path) -> None:
    """Reasons are not thrown away where nothing is done to the column."""
    income = written(dc.protect(tagged, dc.Microaggregation(k=5), seed=1), tagged)["income"]
    assert [place for place, cell in enumerate(income) if cell == "a"] == [7]


def test_the_tags_of_a_file_are_those_of_the_release(tagged: Path) -> None:
    """What the file tells of a cell is what the release holds, and so what its claims were checked on."""
    release = dc.protect(tagged, dc.RankSwapping(columns=("age",)), seed=1)
    after = written(release, tagged)
    assert [cell for cell in after["age"] if isinstance(cell, str)] == list("abcde")
    expected = [f".{cell}" if isinstance(cell, str) else None for cell in after["age"]]
    told = [cell if isinstance(cell, str) and cell.startswith(".") else None for cell in release.data["age"]]
    assert told == expected
