"""From data to release and back: recipes replay, claims guard, nothing internal is published."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.base import Draft, Fitted
from discreet.claims.k_anonymity import KAnonymity
from discreet.composition import Cells, Composition, Whole, Within
from discreet.errors import ClaimError, InputError, SchemaError, UnsuitableError
from discreet.masking.group_centre import GroupCentre
from discreet.masking.local_suppression import LocalSuppression
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.noise import Noise
from discreet.masking.rank_swapping import RankSwapping
from discreet.masking.recoding import GlobalRecoding
from discreet.partition.mdav import MDAV
from discreet.recipe import Recipe
from discreet.release import Method, refuse_faulty
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.load import open_data
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table
from discreet.workflow.methods import METHODS, build_method
from discreet.workflow.pipeline import Pipeline
from discreet.workflow.protect import write_release
from discreet.workflow.replay import check_same_output, replay_opened


@dataclass(frozen=True)
class Liar(Method):
    """Releases the table as it is and claims that it is 3-anonymous."""

    def fit(self, table: Table, streams: Streams) -> Fitted:
        return Lie(table)


@dataclass(frozen=True, eq=False)
class Lie:
    table: Table

    def draw(self, streams: Streams) -> Draft:
        return Draft(self.table, (KAnonymity(3, ("age",)),))


@pytest.fixture
def patients() -> pl.DataFrame:
    return dc.simulate_patients(300, seed=2)


def test_a_false_claim_releases_nothing() -> None:
    """The checker does not take the method's word."""
    schema = Schema((Variable(name="age", kind="numeric", role="quasi"),))
    with pytest.raises(ClaimError, match="Nothing is released"):
        Liar().protect(pl.DataFrame({"age": [1.0, 2.0, 2.0]}), schema)


def test_identifiers_are_dropped_and_the_rest_is_there(patients: pl.DataFrame) -> None:
    """The demo file loses id, name and birth date, and nothing else."""
    release = dc.protect(patients, seed=1)
    assert set(patients.columns) - set(release.data.columns) == {"patient_id", "name", "birth_date"}
    assert release.data.height == patients.height


def test_undecided_columns_stop_everything(patients: pl.DataFrame) -> None:
    """A free-text column is refused until a person gives it a role."""
    remarks = patients.with_columns(
        remark=pl.Series([f"note {i} about something long enough" for i in range(300)])
    )
    with pytest.raises(SchemaError, match="remark"):
        dc.protect(remarks)
    schema = dc.infer(remarks).with_role("identifier", "remark")
    assert "remark" not in dc.protect(remarks, schema=schema).data.columns


def test_several_releases_of_one_fit_differ_and_repeat(patients: pl.DataFrame) -> None:
    """One fit, many draws: release i is always the same, and not release j."""
    prepared = Noise(0.5).prepare(patients, seed=4)
    assert prepared.release(0).data.equals(prepared.release(0).data)
    assert not prepared.release(0).data.equals(prepared.release(1).data)


def test_files_are_written_together_and_replay_to_the_same_bytes(
    tmp_path: Path, patients: pl.DataFrame
) -> None:
    """Data, internal and public recipe appear; the internal one replays to identical bytes."""
    source = tmp_path / "patients.csv"
    patients.write_csv(source)
    opened = open_data(source)
    release = dc.protect(source, Noise(0.3))
    outputs, recipe = write_release(release, tmp_path / "safe.csv", opened=opened)
    assert Recipe.read(outputs.recipe) == recipe
    again = replay_opened(outputs.recipe, source)
    assert again.same_input
    second, replayed = write_release(again.release, tmp_path / "again.csv", opened=again.opened)
    assert second.data.read_bytes() == outputs.data.read_bytes()
    check_same_output(recipe, replayed)
    with pytest.raises(ClaimError, match="recorded output"):
        check_same_output(recipe, replace(replayed, output_sha256="0" * 64))
    with pytest.raises(ClaimError, match="recorded bytes"):
        check_same_output(recipe, replace(replayed, file_sha256="0" * 64))


def test_an_output_that_is_not_the_recorded_one_is_refused(patients: pl.DataFrame) -> None:
    """Also in Python: a recipe that was edited, or another version, does not pass for the same release."""
    recipe = Noise(0.3).protect(patients, seed=3).recipe
    assert dc.replay(recipe, patients).recipe.output_sha256 == recipe.output_sha256
    with pytest.raises(ClaimError, match="recorded output"):
        dc.replay(replace(recipe, method={**recipe.method, "sd": 0.2}), patients)


def test_recipes_and_inputs_may_change_hands(tmp_path: Path, patients: pl.DataFrame) -> None:
    """A recipe saved from Python replays from file to file, one made from files replays in Python, and so does its table."""
    source = tmp_path / "patients.csv"
    patients.write_csv(source)
    schema = dc.infer(source)
    release = dc.protect(source, Noise(0.3), schema=schema, seed=5)
    saved = Recipe.from_toml(release.recipe.to_toml())
    replayed = replay_opened(saved, source)
    assert replayed.same_input
    outputs, _ = write_release(replayed.release, tmp_path / "safe.csv", opened=replayed.opened, again=saved)
    assert dc.replay(outputs.recipe, source).table.same_as(release.table)
    framed = dc.protect(open_data(source).frame, Noise(0.3), schema=schema, seed=5).recipe
    assert replay_opened(framed, source).same_input


@pytest.mark.parametrize("number", [0, 3])
def test_a_recipe_says_which_draw_it_is(patients: pl.DataFrame, number: int) -> None:
    """Draw 3 of a fit replays to draw 3, from memory and from text; draw 0 is not mentioned."""
    release = Noise(0.3).prepare(patients, seed=5).release(number)
    recipe = Recipe.from_toml(release.recipe.to_toml())
    assert recipe.draw == release.recipe.draw == number
    assert ("draw =" in release.recipe.to_toml()) == (number > 0)
    assert dc.replay(recipe, patients).data.equals(release.data)


@pytest.mark.parametrize("draw", [-1, 1.0, True, "1"])
def test_an_impossible_draw_is_refused(patients: pl.DataFrame, draw: object) -> None:
    """A draw is a whole number, 0 or more."""
    recipe = Noise(0.3).prepare(patients, seed=5).release(1).recipe
    text = recipe.to_toml().replace("draw = 1", f"draw = {str(draw).lower() if draw is True else repr(draw)}")
    with pytest.raises(InputError, match="draw"):
        Recipe.from_toml(text)


def test_replay_in_memory_is_checked(patients: pl.DataFrame) -> None:
    """On its own input a recipe must give the recorded table: another seed or draw, and nothing comes back."""
    recipe = Noise(0.3).protect(patients, seed=5).recipe
    for other in (replace(recipe, seed=6), replace(recipe, draw=1)):
        with pytest.raises(ClaimError, match="recorded output"):
            dc.replay(other, patients)
    with pytest.raises(ClaimError, match=r"made by version 0\.0\.9"):
        dc.replay(replace(recipe, seed=6, version="0.0.9"), patients)
    dc.replay(replace(recipe, version="0.0.9"), patients)


def test_replay_of_a_written_release_is_checked_in_memory_too(tmp_path: Path, patients: pl.DataFrame) -> None:
    """The recipe beside a file holds the hash of its bytes and that of its table; both must come out."""
    patients.write_csv(tmp_path / "patients.csv")
    release = Noise(0.3).prepare(tmp_path / "patients.csv", seed=5).release(2)
    outputs, recipe = write_release(release, tmp_path / "safe.csv")
    assert dc.replay(outputs.recipe, tmp_path / "patients.csv").table.same_as(release.table)
    with pytest.raises(ClaimError, match="recorded output"):
        dc.replay(replace(recipe, output_sha256="0" * 64), tmp_path / "patients.csv")


def test_cells_are_those_that_a_reader_sees() -> None:
    """Two codes for missing make two cells, an empty cell a third."""
    sex = Variable(name="sex", kind="nominal", role="quasi", unknown=("?",), not_applicable=("-",))
    table = Table.build({"sex": ["f", "?", "-", None, "f", "?"]}, {"sex": sex})
    assert Cells(("sex",)).partition(table, Streams(0)).labels.tolist() == [0, 1, 2, 3, 0, 1]


@pytest.mark.parametrize("kind", ["numeric", "ordinal", "nominal"])
def test_infinite_numbers_are_refused_whatever_the_column_is(kind: str) -> None:
    """Taken for a quantity, a scale or a flag: infinity is no value that can be released. Levels nobody has do no harm."""
    variable = Variable(name="x", kind=kind, role="quasi")  # type: ignore[arg-type]
    wild = Table((Column.build(variable, [1.0, float("inf"), float("-inf"), 1.0]),), 4)
    with pytest.raises(UnsuitableError, match=r"Infinite values \(records\): x \(2\)"):
        refuse_faulty(wild)
    refuse_faulty(wild.take(np.array([0, 3])))


def test_exactness_is_no_protection_of_what_is_released_as_it_was(patients: pl.DataFrame) -> None:
    """Columns swapped not at all are under a claim of equal margins, and yet named as released as they were."""
    release = RankSwapping(0, columns=("age",)).protect(patients, seed=1)
    assert len(release.claims) == 1
    assert "age" in release.notes[0]


def test_public_recipe_holds_no_secret(patients: pl.DataFrame) -> None:
    """No seed, no hash of the input, no reason counted from records; and it cannot be replayed."""
    release = dc.protect(patients, seed=987654321)
    public = release.public_recipe.to_toml()
    for secret in (hex(987654321), "987654321", release.recipe.input_sha256, "reason", "seed ="):
        assert secret not in public
    assert "987654321" not in repr(release)
    assert "987654321" not in repr(release.recipe)
    with pytest.raises(InputError, match="publishable"):
        Recipe.from_toml(public)


def test_another_file_gets_a_new_seed(patients: pl.DataFrame) -> None:
    """Two files under one noise could be subtracted, so replay on another file draws anew."""
    plan = Noise(0.3).protect(patients, seed=11).recipe
    other = patients.with_columns(charge=pl.col("charge") + 1)
    assert dc.replay(plan, other).recipe.seed != plan.seed
    assert dc.replay(plan, other, seed=5).recipe.seed == 5
    assert dc.replay(plan, patients).recipe.seed == plan.seed


EXAMPLES: list[Method] = [
    Microaggregation(4, gamma=0.2, columns=("age",)),
    Pipeline((GlobalRecoding({"age": [18, 65]}), LocalSuppression(2, importance={"sex": float("inf")}))),
    Composition(Cells(("sex",)), Within(Noise(0.2, columns=("charge",)))),
    Composition(MDAV(3), GroupCentre(taxonomic="ancestor")),
    Composition(Whole(), Within(dc.PRAM(0.7))),
    dc.TopBottomCoding(top={"charge": 10_000.0}),
    dc.Rounding({"charge": 100.0}, random=True),
    dc.RankSwapping(5),
    dc.UnivariateMicroaggregation(3),
    dc.CholeskyHybrid(
        Noise(0.2, columns=("days",)), columns=("days",), by=("sex",), small="merge", min_part=20
    ),
]


@pytest.mark.parametrize("method", EXAMPLES, ids=lambda m: type(m).__name__)
def test_methods_survive_their_recipe(method: Method, patients: pl.DataFrame) -> None:
    """A method read back from the TOML of its recipe is equal to itself."""
    recipe = method.protect(patients, seed=1).recipe
    assert build_method(Recipe.from_toml(recipe.to_toml()).method) == method


def test_every_public_method_has_an_example_here() -> None:
    """No method is forgotten in the test above."""
    assert {type(method) for method in EXAMPLES} >= set(METHODS) - {
        GlobalRecoding,
        LocalSuppression,
        Noise,
        dc.PRAM,
    }


def test_recipes_run_no_foreign_code() -> None:
    """Names outside the list, and unknown parameters, are refused."""
    with pytest.raises(InputError, match="no method that is known"):
        build_method({"name": "os.system"})
    with pytest.raises(InputError, match="no parameter"):
        build_method({"name": "Noise", "sdd": 1})


def test_pipeline_keeps_only_claims_that_still_hold(patients: pl.DataFrame) -> None:
    """Noise after microaggregation destroys k-anonymity: the claim is dropped and named."""
    release = Pipeline((Microaggregation(3, columns=("age",)), Noise(1.0, columns=("age",)))).protect(
        patients, seed=1
    )
    assert release.claims == ()
    assert any("k-anonymity" in note for note in release.notes)


def test_within_parts_claims_are_those_of_every_part(patients: pl.DataFrame) -> None:
    """Microaggregation inside the sexes is k-anonymous, and no group crosses."""
    method = Composition(Cells(("sex",)), Within(Microaggregation(3, columns=("age",))))
    release = method.protect(patients, seed=1)
    assert any(isinstance(p.claim, KAnonymity) for p in release.claims) or release.claims == ()
    assert release.partition is not None
    assert release.partition.sizes.min() >= 3


def test_changed_seed_changes_noise_only(patients: pl.DataFrame) -> None:
    """Unseeded releases differ from one another."""
    assert not Noise(0.3).protect(patients).data.equals(Noise(0.3).protect(patients).data)


def test_recipe_equality_ignores_nothing_that_matters(patients: pl.DataFrame) -> None:
    """Another seed is another recipe."""
    recipe = Noise(0.3).protect(patients, seed=1).recipe
    assert replace(recipe, seed=2) != recipe


def test_categories_that_nobody_holds_any_more_are_told() -> None:
    """A rare town leaves with its record, but the dataframe's type would still name it: a note says of which column."""
    frame = pl.DataFrame(
        {"age": [30, 31, 32, 60, 61, 62, 63], "town": ["a", "a", "a", "b", "b", "b", "rare"]},
        schema_overrides={"town": pl.Enum(["a", "b", "rare"])},
    )
    schema = dc.Schema(
        (
            Variable(name="age", kind="numeric", role="quasi"),
            Variable(name="town", kind="nominal", role="quasi"),
        )
    )
    release = dc.Microaggregation(3).protect(frame, schema, seed=1)
    assert "rare" not in release.data["town"].to_list()
    assert any("list categories that no record holds any more: town" in note for note in release.notes)


def test_groups_of_one_are_no_guarantee() -> None:
    """k = 1 holds for every table: no method claims it, and what is released as it was is told."""
    frame = pl.DataFrame({"age": [30, 31, 32], "sex": ["f", "m", "f"]})
    schema = dc.Schema(
        (
            Variable(name="age", kind="numeric", role="quasi"),
            Variable(name="sex", kind="nominal", role="quasi"),
        )
    )
    for method in (dc.Microaggregation(1), dc.LocalSuppression(1), dc.UnivariateMicroaggregation(1)):
        release = method.protect(frame, schema, seed=1)
        assert release.claims == ()
        assert any(note.startswith("Quasi-identifiers released as they were") for note in release.notes)


def test_claims_about_single_columns_are_not_taken_for_one_about_all() -> None:
    """Individual ranking protects each column alone: a note says that nobody is protected from knowing several."""
    frame = pl.DataFrame({"age": range(20, 50), "height": range(150, 180)})
    schema = dc.Schema(tuple(Variable(name=name, kind="numeric", role="quasi") for name in ("age", "height")))
    notes = dc.UnivariateMicroaggregation(3).protect(frame, schema, seed=1).notes
    assert any("No claim is about all quasi-identifiers together" in note for note in notes)
