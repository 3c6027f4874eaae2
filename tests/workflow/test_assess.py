"""Evidence for any pair of tables: what is measured, what is left out, what may be published."""

from __future__ import annotations

import math

import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError, ParameterError
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.linkage import DistanceLinkage
from discreet.utility.moments import MomentChange
from discreet.workflow.evidence import Evidence


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return dc.simulate_patients(400, seed=3)


@pytest.fixture(scope="module")
def evidence(patients: pl.DataFrame) -> Evidence:
    return dc.assess(patients, dc.protect(patients, seed=1))


def test_measures_find_what_was_claimed(evidence: Evidence) -> None:
    """The smallest group that is measured is the k that was promised."""
    assert evidence["group_sizes.smallest"].value >= 5
    with pytest.raises(ParameterError, match=r"group_sizes\.smallest"):
        evidence["nothing"]


def test_identical_tables_show_the_risk_of_the_original_and_no_loss(patients: pl.DataFrame) -> None:
    """Protecting nothing: before equals after, and the means have not moved."""
    same = dc.assess(patients, patients)
    for finding in same.of("risk"):
        if finding.before is not None and not math.isnan(finding.before):
            assert finding.figure.value == pytest.approx(finding.before), finding.figure.name
    assert same["moments.mean"].value == 0


def test_reordered_and_synthetic_files_are_not_matched(patients: pl.DataFrame) -> None:
    """Another number of records, or the user's word, turns measures by record off and says so."""
    fewer = patients.head(300)
    found = dc.assess(patients, fewer)
    assert not found.corresponds
    assert found.skipped["DistanceLinkage"] == "needs records that correspond"
    assert "linkage.distance" not in found.names
    assert "linkage.distance" not in dc.assess(patients, patients, corresponds=False).names
    with pytest.raises(ParameterError, match="correspond"):
        dc.assess(patients, fewer, corresponds=True)


def test_recoded_numbers_still_count_in_groups(patients: pl.DataFrame) -> None:
    """Ages as intervals cannot be compared as numbers, but they still single people out."""
    recoded = dc.GlobalRecoding({"age": [18, 40, 65]}).protect(patients, seed=1)
    found = dc.assess(patients, recoded, measures=[GroupSizes()])
    assert "no longer a number" in found.left_out["age"]
    own = recoded.data.group_by(["age", "sex", "race", "zip"]).len()["len"]
    expected = 100 * float((own == 1).sum()) / patients.height
    assert found["group_sizes.uniques"].value == pytest.approx(expected)


def test_own_measures_and_levels(patients: pl.DataFrame) -> None:
    """Named measures only; an unknown level is refused."""
    release = dc.Noise(0.2).protect(patients, seed=1)
    found = dc.assess(patients, release, measures=[DistanceLinkage(), MomentChange()], before=False)
    assert {name.split(".")[0] for name in found.names} == {"linkage", "moments"}
    assert all(finding.before is None for finding in found.findings)
    with pytest.raises(ParameterError, match="level"):
        dc.assess(patients, release, level="everything")  # type: ignore[arg-type]


def test_a_measure_that_cannot_be_taken_stops_no_other(patients: pl.DataFrame) -> None:
    """Its reason is recorded; the others are there."""
    release = dc.Noise(0.2).protect(patients, seed=1)
    found = dc.assess(patients, release, measures=[GroupSizes(known=("nowhere",)), MomentChange()])
    assert "nowhere" in found.skipped["GroupSizes"]
    assert "moments.mean" in found.names


def test_asking_never_changes_the_data(patients: pl.DataFrame) -> None:
    """Both tables are the same after being measured."""
    before, release = patients.clone(), dc.protect(patients, seed=1)
    after = release.data.clone()
    dc.assess(patients, release)
    assert patients.equals(before)
    assert release.data.equals(after)


def test_files_are_assessed_too(patients: pl.DataFrame, tmp_path: object) -> None:
    """Two paths, whoever wrote the second."""
    one, other = f"{tmp_path}/a.csv", f"{tmp_path}/b.csv"
    patients.write_csv(one)
    dc.Noise(0.3).protect(patients, seed=1).data.write_csv(other)
    assert dc.assess(one, other)["linkage.distance"].value < 100
    with pytest.raises(InputError):
        dc.assess(one, f"{tmp_path}/c.csv")
