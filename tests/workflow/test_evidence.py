"""The evidence as lines, tables and JSON: what is exact stays inside, what is published gives no small count away."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import discreet as dc
from discreet.base import Figure, Part
from discreet.risk.closest import ClosestRecord
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.individual import IndividualRisk
from discreet.risk.singling_out import SinglingOut
from discreet.risk.suda import SpecialUniqueness
from discreet.workflow.evidence import Evidence, Finding, compare
from discreet.workflow.publishing import THRESHOLD, publishable

PERCENT = (0.0, 100.0)


@pytest.fixture(scope="module")
def weak(patients: pl.DataFrame) -> Evidence:
    """A release that leaves a handful of people alone, measured by all that counts them."""
    release = dc.Noise(0.2).protect(patients, seed=1)
    measures = [GroupSizes(), IndividualRisk(), SpecialUniqueness(), SinglingOut(attacks=13), ClosestRecord()]
    return dc.assess(patients, release, measures=measures)


def evidence_of(*figures: Figure, n: int = 1000) -> Evidence:
    return Evidence(tuple(Finding("risk", figure) for figure in figures), n, n, ("a", "b"))


def rows_of(evidence: Evidence) -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["measure"], row["of"]): row for row in evidence.rows()}


# -- lines -----------------------------------------------------------------------------------------------------


def test_lines_say_that_they_are_exact_and_are_at_most_ten(
    patients: pl.DataFrame, evidence: Evidence
) -> None:
    """First that nothing of it may be published; then the files; then risk before and after, and utility."""
    first, second, *lines = str(evidence).splitlines()
    assert "internal" in first
    assert "400 records -> 400 records, taken to correspond" in second
    assert len(lines) == len(evidence.headlines()) <= 10
    assert any("group_sizes.smallest" in line and "1 -> 5" in line for line in lines)
    assert any("worst" in line for line in lines)
    assert {finding.aspect for finding in evidence.headlines()} == {"risk", "utility"}


def test_short_form_of_unusual_measures_shows_them() -> None:
    """Where none of the headlines was measured, the first figures stand in their place."""
    figure = Figure("closeness.worst", 0.5, "index", "lower", (0.0, 1.0))
    assert "closeness.worst" in str(evidence_of(figure))


# -- what may be published -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "people", "shown"),
    [(1.0, 200, 5.0), (0.0, 200, 0.0), (6.0, 200, 6.0), (5.0, 200, 5.0), (20.0, 5, 100.0), (76.9, 13, 100.0)],
)
def test_small_counts_are_raised_and_marked(value: float, people: int, shown: float) -> None:
    """1 % of 200 records: below the 5 % that 10 of them are; none stays none; of 13 trials no rate is told."""
    part = Part(("a",), value)
    figure = Figure("linkage.distance", value, "%", "lower", PERCENT, (0.0, 100.0), (part,), people=people)
    out = publishable(figure)
    assert (out.value, out.parts[0].value) == (shown, shown)
    assert out.below == out.parts[0].below == (out.interval is None) == (shown != value)


@pytest.mark.parametrize(
    ("value", "shown", "below"), [(1.0, 10.0, True), (0.15, 10.0, True), (12.0, 12.0, False)]
)
def test_numbers_of_records_are_counts(value: float, shown: float, below: bool) -> None:
    """The smallest group and expected numbers of people are hidden like any count."""
    out = publishable(Figure("group_sizes.smallest", value, "records", "higher", (0.0, 500.0)))
    assert (out.value, out.below) == (shown, below)


def test_a_part_may_be_a_share_of_other_records_than_the_whole() -> None:
    """30 % of 20 who were told is 6 people, although 30 % of all would be many; two small ones need a large beside them."""
    parts = (Part(("a",), 30.0, people=20), Part(("b",), 20.0, people=30), Part(("c",), 30.0))
    out = publishable(Figure("attribution.tcap", 30.0, "%", "lower", PERCENT, parts=parts, people=900))
    assert [(part.value, part.below) for part in out.parts] == [
        (50.0, True), (pytest.approx(100 / 3), True), (100.0, True),
    ]  # fmt: skip
    assert not out.below


def test_a_single_hidden_entry_is_not_told_by_the_mean() -> None:
    """0.2, 5 and 7 % with their mean: with 0.2 hidden alone, 3 x mean - 12 would tell it, so 5 is withheld too."""
    parts = tuple(Part((name,), value) for name, value in (("a", 0.2), ("b", 5.0), ("c", 7.0)))
    out = publishable(Figure("rank_interval.mean", 12.2 / 3, "%", "lower", PERCENT, parts=parts, people=1000))
    assert [(part.value, part.below) for part in out.parts] == [(1.0, True), (100.0, True), (7.0, False)]
    assert out.value == 12.2 / 3


def test_a_share_is_one_of_the_files_records_unless_it_says_otherwise() -> None:
    """Utility figures do not know whom they count: 0.002 of 1000 records are 2 of them."""
    share = Figure("distributions.missing", 0.002, "share", "lower", (0.0, 1.0))
    (row,) = evidence_of(share).rows()
    assert (row["value"], row["below"]) == (0.01, True)
    gain = Figure("attribute.gain", 0.002, "share", "lower", (-math.inf, 1.0))
    (row,) = evidence_of(gain).rows()
    assert (row["value"], row["below"]) == (0.002, False)


def test_what_counts_no_records_is_never_hidden() -> None:
    """A loss of 0.1 % is not a count of people; values per record are left out all the same."""
    figure = Figure("moments.mean", 0.001, "%", "lower", (0, 1), records=np.ones(3))
    assert (publishable(figure).value, publishable(figure).records) == (0.001, None)
    assert THRESHOLD == 10


def test_an_excess_does_not_give_a_hidden_rate_away() -> None:
    """Rate 0.3 % of 1000 is hidden; control 40 % minus excess would tell it, so the excess is withheld too."""
    rate, control, excess = (
        Figure(f"inference.{name}", value, "%", "lower", bounds, people=1000)
        for name, value, bounds in (
            ("rate", 0.3, PERCENT),
            ("control", 40.0, PERCENT),
            ("excess", -39.7, (-100.0, 100.0)),
        )
    )
    rows = rows_of(evidence_of(rate, control, excess))
    assert (rows["inference.excess", ""]["value"], rows["inference.excess", ""]["below"]) == (100.0, True)
    assert rows["inference.control", ""]["value"] == 40.0


def test_no_published_value_stands_for_a_few_people(weak: Evidence) -> None:
    """Of a real release: what is marked is above the truth, what is not stands for none or for ten and more."""
    exact = {(r["measure"], r["of"]): r for r in weak.rows(internal=True)}
    marked = 0
    for key, row in rows_of(weak).items():
        true = exact[key]["value"]
        if row["below"]:
            assert row["value"] > true or row["value"] == 100
            marked += 1
        elif row["unit"] == "records" and true > 0:
            assert true >= 10, key
        if row["before_below"]:
            assert row["before"] >= exact[key]["before"]
    assert marked >= 4
    hidden = {name for (name, of), row in rows_of(weak).items() if row["below"] and not of}
    assert {"group_sizes.smallest", "individual.worst", "suda.worst"} <= hidden
    assert not any(row["below"] or row["before_below"] for row in exact.values())


def test_internal_notes_are_not_published(weak: Evidence) -> None:
    """The number of special uniques and of guesses stands in the internal form alone."""
    exact = {r["measure"]: r["note"] for r in weak.rows(internal=True)}
    shown = {r["measure"]: r["note"] for r in weak.rows()}
    assert "minimal sample uniques" in exact["suda.records"]
    assert "different guesses" in exact["singling_out.rate"]
    assert "minimal sample uniques" not in str(shown)
    assert "different guesses" not in str(shown)
    assert "columns" in shown["suda.records"]
    note = Figure(
        "propensity.pmse", 0.2, "index", "lower", (0.0, 0.25), note="3 records can be told (separation)."
    )
    assert evidence_of(note).rows()[0]["note"] == ""


def test_another_threshold(patients: pl.DataFrame) -> None:
    """Whoever publishes may ask for more than 10: the rows say so."""
    evidence = dc.assess(
        patients, patients.head(len(patients)), measures=[GroupSizes()], threshold=len(patients)
    )
    row = rows_of(evidence)["group_sizes.uniques", ""]
    assert (row["value"], row["below"]) == (100.0, True)
    assert evidence["group_sizes.uniques"].value > 0
    assert json.loads(evidence.to_json())["threshold"] == len(patients)


def columns_of(shares: dict[str, float], name: str, unit: str = "share", top: float = 1.0) -> Figure:
    """A figure that is the mean over columns."""
    parts = tuple(Part((column,), value) for column, value in shares.items())
    value = sum(shares.values()) / len(shares)
    return Figure(name, value, unit, "lower", (0.0, top), parts=parts)


FAMILY = {
    "distributions.mae": "share",
    "distributions.mse": "share^2",
    "distributions.total_variation": "share",
    "distributions.hellinger": "index",
    "crosstables.tvd1": "share",
}


def test_no_figure_tells_of_a_column_what_another_withholds() -> None:
    """One record of 1000 changed in `ward`: no distance of that column is told, in whatever unit, nor by subtraction."""
    shares = {"ward": 0.001, "sex": 0.05, "region": 0.2}
    squares = {name: share**2 for name, share in shares.items()}
    figures = [
        columns_of(squares if unit == "share^2" else shares, name, unit) for name, unit in FAMILY.items()
    ]
    rows = rows_of(Evidence(tuple(Finding("utility", f) for f in figures), 1000, 1000, tuple(shares)))
    for name in FAMILY:
        assert rows[name, "ward"]["below"], name
        assert rows[name, "sex"]["below"], f"{name}: from the others and a mean ward would be told"
        assert not rows[name, "region"]["below"], name
    averages = [name for name in FAMILY if not rows[name, ""]["below"]]
    assert averages == ["distributions.total_variation"]


def test_a_column_withheld_in_one_figure_is_withheld_in_its_siblings() -> None:
    """`sex` is withheld beside `ward` among categories: the one-way tables, where numbers hide enough, keep it too."""
    categories = columns_of({"ward": 0.001, "sex": 0.05, "region": 0.2}, "distributions.total_variation")
    tables = columns_of(
        {"ward": 0.001, "age": 0.002, "sex": 0.05, "region": 0.2, "pay": 0.3}, "crosstables.tvd1"
    )
    rows = rows_of(evidence_of(categories, tables))
    assert [rows["crosstables.tvd1", name]["below"] for name in ("ward", "age", "sex", "region")] == [
        True, True, True, False,
    ]  # fmt: skip
    assert rows["crosstables.tvd1", ""]["below"]


def test_the_worst_does_not_tell_an_entry_that_hides_another() -> None:
    """Two pairs differ, one by 2 records: the other hides it, and as the worst of all it would be told all the same."""
    pairs = columns_of({"a": 0.002, "b": 0.05, "c": 0.0}, "crosstables.tvd2")
    worst = Figure("crosstables.tvd2_worst", 0.05, "share", "lower", (0.0, 1.0))
    rows = rows_of(evidence_of(pairs, worst))
    assert not rows["crosstables.tvd2", ""]["below"]
    assert rows["crosstables.tvd2", "b"]["below"]
    assert rows["crosstables.tvd2_worst", ""]["below"]


@pytest.mark.parametrize(("value", "shown"), [(99.75, 100.0), (99.25, 100.0), (99.0, 99.0), (100.0, 100.0)])
def test_the_rest_of_a_share_is_a_count_too(value: float, shown: float) -> None:
    """99.75 % of 1200 tells that 3 are not; 99 % that 12 are not; all stay all."""
    out = publishable(Figure("group_sizes.uniques", value, "%", "lower", PERCENT, people=1200))
    assert (out.value, out.below) == (shown, shown != value)


def test_an_excess_is_told_where_both_its_rates_are() -> None:
    """It counts nobody: withheld beside a rate and a control that give it, it would hide nothing."""
    rates = {"rate": (40.0, PERCENT), "control": (39.7, PERCENT), "excess": (0.3, (-100.0, 100.0))}
    figures = [
        Figure(f"singling_out.{name}", value, "%", "lower", bounds, people=1000)
        for name, (value, bounds) in rates.items()
    ]
    rows = rows_of(evidence_of(*figures))
    assert [(row["value"], row["below"]) for row in rows.values()] == [
        (40.0, False),
        (39.7, False),
        (0.3, False),
    ]


def test_the_rates_before_protection_are_withheld_together_too() -> None:
    """A rate hidden before protection is not told by the excess and the control before it."""
    befores = {"rate": (0.3, PERCENT), "control": (40.0, PERCENT), "excess": (-39.7, (-100.0, 100.0))}
    findings = tuple(
        Finding("risk", Figure(f"inference.{name}", 30.0, "%", "lower", bounds, people=1000), before)
        for name, (before, bounds) in befores.items()
    )
    rows = rows_of(Evidence(findings, 1000, 1000, ()))
    assert [row["before_below"] for row in rows.values()] == [True, False, True]


def test_a_share_of_something_else_than_records_is_told() -> None:
    """An overlap of 99.5 % of intervals says nothing of 5 records."""
    overlap = Figure("regression.overlap", 0.995, "share", "higher", (0.0, 1.0), people=0)
    (row,) = evidence_of(overlap).rows()
    assert (row["value"], row["below"]) == (0.995, False)


# -- as data ---------------------------------------------------------------------------------------------------


def test_json_is_strict_and_publishable(evidence: Evidence) -> None:
    """No NaN, no values per record, marks where a value is a bound; the internal form says that it is one."""
    document = json.loads(evidence.to_json())
    assert document["records"] == {"original": 400, "protected": 400}
    assert not any("records" in row for row in document["figures"])
    assert any(row["below"] for row in document["figures"])
    internal = json.loads(evidence.to_json(internal=True))
    assert len(internal["figures"]) == len(document["figures"])
    assert (document["internal"], internal["internal"]) == (False, True)


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (pl.DataFrame.clone, pl.DataFrame),
        (pl.DataFrame.to_pandas, pd.DataFrame),
        (pl.DataFrame.to_arrow, pa.Table),
    ],
)
def test_table_is_of_the_originals_library(patients: pl.DataFrame, convert: Any, kind: type) -> None:
    """A row per figure and part, in the library that the original came in."""
    data = convert(patients)
    found = dc.assess(data, data, measures=[GroupSizes()])
    frame = found.to_frame()
    assert isinstance(frame, kind)
    assert set(frame.columns if kind is not pa.Table else frame.column_names) >= {
        "measure",
        "before",
        "value",
        "below",
    }
    assert isinstance(compare([found, found]).to_frame(), kind)


def test_table_has_a_row_per_figure_and_part(evidence: Evidence) -> None:
    """The dataframe holds every figure and its breakdown."""
    frame = evidence.to_frame()
    assert set(frame["measure"]) == set(evidence.names)
    assert (frame["of"] != "").any()


def test_nan_figures_survive_publication() -> None:
    """Undefined stays undefined, with its note."""
    figure = Figure("linkage.distance", math.nan, "%", "lower", (0, 100), public_note="No columns.")
    found = evidence_of(figure)
    assert "n/a" in str(found)
    (row,) = json.loads(found.to_json())["figures"]
    assert (row["value"], row["note"]) == (None, "No columns.")


# -- several ---------------------------------------------------------------------------------------------------


def test_comparison_sets_releases_side_by_side(patients: pl.DataFrame) -> None:
    """More noise, less risk and less utility, in one table."""
    weak, strong = (dc.assess(patients, dc.Noise(sd).protect(patients, seed=1)) for sd in (0.05, 1.0))
    comparison = dc.compare({"weak": weak, "strong": strong})
    rows = {row["measure"]: row for row in comparison.rows()}
    assert rows["linkage.distance"]["weak"] > rows["linkage.distance"]["strong"]
    assert rows["moments.correlation"]["weak"] < rows["moments.correlation"]["strong"]
    assert "weak" in str(comparison)
    assert comparison.to_frame().height == len(rows)


def test_comparison_marks_what_is_a_bound() -> None:
    """2 of 10 000 linked: the true 0.02 % is nowhere; rows, JSON and lines say below 0.1."""
    one, other = (
        evidence_of(Figure("linkage.distance", value, "%", "lower", PERCENT, people=10_000))
        for value in (0.02, 40.0)
    )
    comparison = dc.compare({"few": one, "many": other})
    (row,) = comparison.rows()
    assert (row["few"], row["few below"], row["many"], row["many below"]) == (0.1, True, 40.0, False)
    (figure,) = json.loads(comparison.to_json())["figures"]
    assert figure["values"] == {"few": {"value": 0.1, "below": True}, "many": {"value": 40.0, "below": False}}
    assert "< 0.1" in str(comparison)
    assert "0.02" not in str(comparison) + comparison.to_json() + str(comparison.rows())
