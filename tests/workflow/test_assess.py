"""Evidence for any pair of tables: what is measured, what is left out, what may be published."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import InputError, ParameterError
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.linkage import DistanceLinkage
from discreet.table.frames import encode
from discreet.utility.moments import MomentChange
from discreet.workflow.evidence import Evidence
from discreet.workflow.measures import Case, full_measures, innermost


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
    """Ages as intervals are one category each where groups are counted, whatever their midpoints."""
    recoded = dc.GlobalRecoding({"age": [18, 40, 65]}).protect(patients, seed=1)
    found = dc.assess(patients, recoded, measures=[GroupSizes()])
    assert found.left_out == {}
    assert any("midpoints: age" in remark for remark in found.remarks)
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


# -- records that do not stand where they stood -----------------------------------------------------------------


def shuffled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.sample(fraction=1.0, shuffle=True, seed=5)


@pytest.mark.parametrize(
    "treat", [lambda frame: frame, lambda frame: dc.Noise(0.2).protect(frame, seed=1).data]
)
def test_a_reordered_file_is_not_called_safe(patients: pl.DataFrame, treat: Any) -> None:
    """Unprotected or noisy, then shuffled: linkage by rows is not taken, copies are counted, and it is said."""
    found = dc.assess(patients, shuffled(treat(patients)))
    assert not found.corresponds
    assert "linkage.distance" not in found.names
    assert any("do not seem to stand" in remark for remark in found.remarks)
    assert "not taken to correspond" in str(found)
    assert "do not seem" in str(found)
    assert "closest.median" in found.names


def test_copies_of_a_reordered_file_are_counted(patients: pl.DataFrame) -> None:
    """The unprotected file in another order is a copy in all its records."""
    assert dc.assess(patients, shuffled(patients))["copies.identical"].value == 100


def test_sorted_files_are_found_out(patients: pl.DataFrame) -> None:
    """Sorted by one column that the original is nearly sorted by: unchanged records stand elsewhere."""
    original = patients.sort("age")
    assert not dc.assess(original, original.sort("age", "zip", "charge"), measures=[GroupSizes()]).corresponds


def test_whoever_knows_may_say_so(patients: pl.DataFrame) -> None:
    """corresponds=True is obeyed, with a remark; a file in its order draws none."""
    found = dc.assess(patients, shuffled(patients), corresponds=True, measures=[DistanceLinkage()])
    assert found.corresponds
    assert any("as was said" in remark for remark in found.remarks)
    assert dc.assess(patients, patients, measures=[GroupSizes()]).remarks == ()


@pytest.mark.parametrize(
    "method", [dc.Noise(1.0), dc.RankSwapping(p=20), dc.Microaggregation(k=10), dc.PRAM()], ids=str
)
def test_protected_files_in_order_are_taken_to_correspond(patients: pl.DataFrame, method: Any) -> None:
    """Protection, also strong, leaves records nearer to their own than to random ones."""
    data = method.protect(patients, seed=1).data
    assert dc.assess(patients, data, measures=[GroupSizes()]).corresponds


# -- columns that came back in another form -----------------------------------------------------------------------


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_a_top_coded_column_stays_known(patients: pl.DataFrame, library: str) -> None:
    """A handful of 90+ among the ages: linkage uses the same columns as without, before and after."""
    top = pl.col("age") >= pl.col("age").quantile(0.98)
    coded = patients.with_columns(pl.when(top).then(pl.lit("90+")).otherwise(pl.col("age").cast(pl.String)))
    data: Any = coded
    if library == "pandas":
        data = coded.to_pandas()
        data["age"] = [int(cell) if cell != "90+" else cell for cell in data["age"]]
    plain, found = (
        dc.assess(patients, one, measures=[DistanceLinkage(), GroupSizes()]) for one in (patients, data)
    )
    before = {f.figure.name: f.before for f in plain.findings}
    assert {f.figure.name: f.before for f in found.findings} == pytest.approx(before)
    assert found["linkage.distance"].value > 0.9 * plain["linkage.distance"].value
    assert found.left_out == {}


def test_a_known_column_that_cannot_be_read_stops_linkage(patients: pl.DataFrame) -> None:
    """Ages in words: no linkage by the other columns alone, before or after; groups still count them."""
    words = patients.with_columns(
        pl.when(pl.col("age") < 40).then(pl.lit("young")).otherwise(pl.lit("old")).alias("age")
    )
    found = dc.assess(
        patients, words, measures=[DistanceLinkage(), DistanceLinkage(known=("sex",)), GroupSizes()]
    )
    assert "age" in found.skipped["DistanceLinkage"]
    assert (
        found["linkage.distance"].value
        == dc.assess(patients, words, measures=[DistanceLinkage(known=("sex",))])["linkage.distance"].value
    )
    assert found["group_sizes.uniques"].value > 0


def test_a_dropped_known_column_is_said(patients: pl.DataFrame) -> None:
    """The known columns do not fall back to all when every one of them was dropped."""
    found = dc.assess(patients, patients.drop("age"), measures=[DistanceLinkage()])
    assert any("lacks" in remark and "age" in remark for remark in found.remarks)
    schema = dc.Schema.infer(patients)
    quasi = [v.name for v in schema.of_role("quasi")]
    none_left = dc.assess(patients, patients.drop(quasi), schema, measures=[DistanceLinkage()])
    assert math.isnan(none_left["linkage.distance"].value)


def test_codes_that_a_tree_lacks_do_not_stop_the_rest() -> None:
    """Some diagnoses 'other', some cut short: everything is measured, and both are said."""
    rng = np.random.default_rng(0)
    codes = [f"{a}{b}" for a in "12" for b in "345"]
    frame = pl.DataFrame({"code": rng.choice(codes, 60).tolist(), "age": rng.integers(20, 80, 60).tolist()})
    schema = dc.Schema(
        (
            dc.Variable(name="code", kind="taxonomic", role="quasi", taxonomy="t"),
            dc.Variable(name="age", kind="numeric", role="quasi"),
        ),
        {"t": dc.TaxonomySource(prefixes=(1, 2))},
    )
    data = frame.with_columns(pl.Series("code", ["other", "1*", *frame["code"].to_list()[2:]]))
    found = dc.assess(frame, data, schema)
    assert "linkage.distance" in found.names
    assert len([remark for remark in found.remarks if ": code." in remark]) == 2


# -- weights and households ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def survey() -> tuple[pl.DataFrame, dc.Schema]:
    """People of households with weights that matter: the heavy ones earn more."""
    rng = np.random.default_rng(4)
    weight = rng.uniform(1, 30, 300).round(1)
    frame = pl.DataFrame(
        {
            "house": [i // 3 for i in range(300)], "w": weight, "age": rng.integers(20, 90, 300),
            "pay": (weight * 10 + rng.normal(0, 20, 300)).round(2), "sex": rng.choice(["f", "m"], 300),
        }
    )  # fmt: skip
    roles = {"house": "cluster", "w": "weight", "age": "quasi", "pay": "confidential", "sex": "quasi"}
    schema = dc.Schema.infer(frame)
    for name, role in roles.items():
        schema = schema.with_variable(name, role=role)
    return frame, schema


def test_a_lacking_weight_column_does_not_unweight_the_original(survey: Any) -> None:
    """Records that correspond keep their weights; else nothing is weighted, and that is said."""
    frame, schema = survey
    protected = frame.with_columns(pl.col("pay") + 15.0)
    whole = dc.assess(frame, protected, schema)
    lacking = dc.assess(frame, protected.drop("w"), schema)
    assert "individual.mean" in lacking.names
    for name in ("bias.abim", "bias.abisd", "individual.mean"):
        assert lacking[name].value == pytest.approx(whole[name].value), name
    assert any("original's weights" in remark for remark in lacking.remarks)
    fewer = dc.assess(frame, protected.drop("w").head(200), schema)
    assert any("without weights" in remark for remark in fewer.remarks)
    assert "individual.mean" not in fewer.names


def test_households_are_measured_where_they_are_declared(survey: Any) -> None:
    """From the protected file's column, or the original's where records correspond."""
    frame, schema = survey
    for protected in (frame, frame.drop("house")):
        found = dc.assess(frame, protected, schema)
        assert found["household.mean"].value > found["individual.mean"].value
        assert "house" not in found.columns
    assert "household.mean" not in dc.assess(frame, frame.drop("house").head(200), schema).names


# -- a control ----------------------------------------------------------------------------------------------------


def test_a_control_reaches_every_measure_that_takes_one(patients: pl.DataFrame, tmp_path: Path) -> None:
    """A dataframe or a path, with categories of its own: attacks have an excess, membership is measured."""
    control = dc.simulate_patients(300, seed=9).with_columns(pl.lit("Elsewhere").alias("sex"))
    control.write_csv(tmp_path / "control.csv")
    found = dc.assess(patients, patients.sample(350, seed=2), level="full", control=control)
    assert {"inference.excess", "linkability.excess", "singling_out.excess", "membership.area"} <= set(
        found.names
    )
    assert {"closest.to_original", "copies.control"} <= set(found.names)
    assert found["membership.area"].value > 0.8
    again = dc.assess(patients, patients.sample(350, seed=2), control=tmp_path / "control.csv")
    assert again["closest.to_original"].value == found["closest.to_original"].value


@pytest.mark.parametrize(
    "measure", [dc.Membership, dc.ClosestRecord, dc.Copies, dc.SinglingOut, dc.Linkability, dc.Inference]
)
def test_a_dataframe_is_no_control_of_a_single_measure(patients: pl.DataFrame, measure: Any) -> None:
    """It is refused at once, with the way that works."""
    with pytest.raises(ParameterError, match=r"assess\(\.\.\., control"):
        measure(control=patients)


# -- levels and questions -----------------------------------------------------------------------------------------


def stems(found: Evidence) -> set[str]:
    return {name.split(".")[0] for name in found.names}


def test_synthetic_files_have_their_risks_at_standard_level(patients: pl.DataFrame) -> None:
    """Copies always; distances to the closest record where records do not correspond; nothing fails inside."""
    found = dc.assess(patients, patients.sample(300, seed=1))
    assert {"copies", "closest"} <= stems(found)
    matched = dc.assess(patients, patients)
    assert "copies" in stems(matched)
    assert "closest" not in stems(matched)
    assert not [reason for one in (found, matched) for reason in one.skipped.values() if "failed" in reason]


def test_full_level_leaves_no_measure_out() -> None:
    """Every public measure is in some level of some file."""
    base = dc.simulate_patients(120, seed=1)
    table, _ = encode(base, dc.Schema.infer(base).with_variable("charge", role="weight"))
    cases = [Case(matched=m, controlled=True, households=True, by=("sex",)) for m in (True, False)]
    taken = {type(innermost(m)) for case in cases for m in full_measures(table, case)}
    public = {getattr(dc, name) for name in dc.__all__ if not name.startswith("_")}
    measures = {
        one for one in public if isinstance(one, type) and hasattr(one, "aspect") and one is not dc.InParts
    }
    assert measures <= taken
    assert any(getattr(m, "learner", "") == "boosted" for m in full_measures(table, cases[0]))


def test_a_table_of_categories_has_its_propensity_at_full() -> None:
    """No number anywhere: the score by interactions of categories is there all the same."""
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({name: rng.choice(["u", "v", "w"], 120).tolist() for name in "abc"})
    found = dc.assess(frame, frame.sample(fraction=1.0, with_replacement=True, seed=1), level="full")
    assert "propensity.pmse" in found.names


def test_learning_knows_that_records_correspond(patients: pl.DataFrame) -> None:
    """A masked file is learnt without the records it is tested on, a synthetic one with all."""
    table, _ = encode(patients, dc.Schema.infer(patients))
    for matched in (True, False):
        (learning,) = (
            m for m in full_measures(table, Case(matched=matched)) if isinstance(m, dc.LearningLoss)
        )
        assert learning.matched is matched


def test_known_and_secret_columns_may_be_named(patients: pl.DataFrame) -> None:
    """Each measure that left it open is told; one that was told keeps it; unknown columns are refused."""
    release = dc.Noise(0.2).protect(patients, seed=1)
    found = dc.assess(
        patients,
        release,
        known=("sex",),
        secret=("age",),
        measures=[DistanceLinkage(), dc.AttributeDisclosure(), dc.Diversity(secret=("race",))],
    )
    assert found["linkage.distance"].value < 5
    assert [part.of for part in found["attribute.gain"].parts] == [("age",)]
    assert [part.of for part in found["diversity.distinct"].parts] == [("race",)]
    for wrong in (
        {"known": ("salary",)},
        {"secret": ("salary",)},
        {"by": ("salary",)},
        {"formulas": ["salary ~ age"]},
    ):
        with pytest.raises(ParameterError, match=r"salary.*age"):
            dc.assess(patients, release, **wrong)


def test_formulas_are_compared(patients: pl.DataFrame) -> None:
    """The regressions that users will run take the place of each number on the others."""
    found = dc.assess(patients, dc.Noise(0.2).protect(patients, seed=1), formulas=["charge ~ age + sex"])
    assert [part.of for part in found["regression.overlap"].parts] == [("charge",)]


def test_parts_of_the_table(patients: pl.DataFrame) -> None:
    """By race: linkage inside each part, the mean weighted by records, and no value of race anywhere."""
    release = dc.Noise(0.3).protect(patients, seed=1)
    found = dc.assess(patients, release, by=("race",))
    figure = found["linkage.distance_in_parts"]
    sizes = patients.group_by("race").len().sort("race", nulls_last=True)["len"].to_list()
    assert len(figure.parts) == len(sizes)
    assert figure.value == pytest.approx(np.average([part.value for part in figure.parts], weights=sizes))
    assert figure.people == min(sizes)
    worst = int(np.argmax([part.value for part in figure.parts])) + 1
    assert f"worst: part {worst}." in figure.public_note
    assert {"prefix_linkage", "rank_interval", "sd_interval", "pil"} <= {
        name.split(".")[0] for name in found.names if name.endswith("_in_parts")
    }
    assert "in_parts" in str(found)
    said = found.to_json(internal=True) + str(found)
    assert not any(race in said for race in ("asian", "black", "native", "white"))


# -- faults -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken:
    """A measure with a fault of its own, whose message holds a cell."""

    aspect: ClassVar[str] = "risk"
    corresponds: ClassVar[bool] = False

    def __call__(self, original: Any, protected: Any) -> Any:
        raise ValueError("could not convert 'secret cell'")


def test_a_measure_that_fails_inside_loses_no_other(patients: pl.DataFrame) -> None:
    """Its kind of fault is recorded, never its text; the other figures are there."""
    broken: Any = Broken()
    found = dc.assess(patients, patients, measures=[broken, GroupSizes()])
    assert found.skipped == {"Broken": "failed inside: ValueError"}
    assert "group_sizes.smallest" in found.names
    assert "secret cell" not in found.to_json(internal=True)
