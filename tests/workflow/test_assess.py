"""Evidence for any pair of tables: what is measured, what is left out, what may be published."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.base import Figure, Part
from discreet.errors import InputError, ParameterError
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.linkage import DistanceLinkage
from discreet.utility.moments import MomentChange
from discreet.workflow.evidence import THRESHOLD, Evidence, Finding, publishable


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return dc.simulate_patients(400, seed=3)


@pytest.fixture(scope="module")
def evidence(patients: pl.DataFrame) -> Evidence:
    return dc.assess(patients, dc.protect(patients, seed=1))


def test_evidence_prints_before_and_after(evidence: Evidence) -> None:
    """About ten lines: risk before and after, utility with its best and worst column."""
    lines = str(evidence).splitlines()
    assert 8 <= len(lines) <= 14
    assert any("group_sizes.smallest" in line and "1 -> 5" in line for line in lines)
    assert any("worst" in line for line in lines)


def test_measures_find_what_was_claimed(evidence: Evidence) -> None:
    """The smallest group that is measured is the k that was promised."""
    assert evidence["group_sizes.smallest"].value >= 5
    with pytest.raises(ParameterError, match=r"group_sizes\.smallest"):
        evidence["nothing"]


def test_json_is_strict_and_publishable(evidence: Evidence) -> None:
    """No NaN, no values per record; the internal form says more."""
    document = json.loads(evidence.to_json())
    assert document["records"] == {"original": 400, "protected": 400}
    assert not any("records" in row for row in document["figures"])
    assert len(json.loads(evidence.to_json(internal=True))["figures"]) == len(document["figures"])


def test_table_has_a_row_per_figure_and_part(evidence: Evidence) -> None:
    """The dataframe holds every figure and its breakdown."""
    frame = evidence.to_frame()
    assert set(frame.columns) >= {"measure", "of", "before", "value", "unit", "better"}
    assert set(frame["measure"]) == set(evidence.names)
    assert (frame["of"] != "").any()


@pytest.mark.parametrize(
    ("value", "people", "shown"), [(1.0, 200, 5.0), (0.0, 200, 0.0), (6.0, 200, 6.0), (20.0, 5, 100.0)]
)
def test_small_counts_are_raised_to_the_threshold(value: float, people: int, shown: float) -> None:
    """1 % of 200 records is shown as the 5 % that 10 of them are; none stays none; never above 100 %."""
    part = Part(("a",), value)
    figure = Figure("linkage.distance", value, "%", "lower", (0, 100), (0.0, 100.0), (part,), people=people)
    out = publishable(figure)
    assert (out.value, out.parts[0].value) == (shown, shown)
    assert ("fewer than" in out.note) == (out.interval is None) == (shown != value)


def test_another_threshold(patients: pl.DataFrame) -> None:
    """Whoever publishes may ask for more than 10: the short form of data says so."""
    evidence = dc.assess(patients, patients.head(len(patients)), threshold=len(patients))
    rows = {(row["measure"], row["of"]): row["value"] for row in evidence.rows()}
    assert rows["group_sizes.uniques", ""] == 100.0 > evidence["group_sizes.uniques"].value > 0


def test_what_counts_no_records_is_never_hidden() -> None:
    """A loss of 0.1 % is not a count of people; values per record are left out all the same."""
    figure = Figure("moments.mean", 0.001, "%", "lower", (0, 1), records=np.ones(3))
    assert (publishable(figure).value, publishable(figure).records) == (0.001, None)
    assert THRESHOLD == 10


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


def test_comparison_sets_releases_side_by_side(patients: pl.DataFrame) -> None:
    """More noise, less risk and less utility, in one table."""
    weak, strong = (dc.assess(patients, dc.Noise(sd).protect(patients, seed=1)) for sd in (0.05, 1.0))
    comparison = dc.compare({"weak": weak, "strong": strong})
    rows = {row["measure"]: row for row in comparison.rows()}
    assert rows["linkage.distance"]["weak"] > rows["linkage.distance"]["strong"]
    assert rows["moments.correlation"]["weak"] < rows["moments.correlation"]["strong"]
    assert "weak" in str(comparison)
    assert comparison.to_frame().height == len(rows)


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


def test_nan_figures_survive_publication() -> None:
    """Undefined stays undefined, with its note."""
    figure = Figure("linkage.distance", math.nan, "%", "lower", (0, 100), note="No columns.")
    found = Evidence((Finding("risk", figure),), 5, 5, ("a",))
    assert "n/a" in str(found)
    assert json.loads(found.to_json())["figures"][0]["value"] is None
    assert np.isnan(publishable(figure).value)
