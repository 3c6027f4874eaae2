"""`discreet replay`: the same bytes or nothing on the same input, a new seed on another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

import discreet as dc
from discreet.recipe import Recipe
from discreet.table.files.writing import write_file
from discreet.workflow.methods import build_method

Command = Callable[..., Result]
NOISE = ("--method", "Noise", "--set", "sd=0.5", "--columns", "income")


@pytest.fixture
def recipe(discreet: Command, people: Path) -> Path:
    """The recipe of a release with noise in it."""
    assert discreet("protect", people, people.parent / "safe.csv", *NOISE).exit_code == 0
    return people.parent / "safe.recipe.toml"


def test_same_input_gives_the_same_bytes(discreet: Command, people: Path, recipe: Path) -> None:
    """Replay on the recipe's own input writes identical data and says so."""
    again = people.parent / "again.csv"
    result = discreet("replay", recipe, people, again)
    assert result.exit_code == 0, result.stderr
    assert again.read_bytes() == (people.parent / "safe.csv").read_bytes()
    assert "the output is the recorded one" in " ".join(result.stdout.split())
    assert Recipe.read(people.parent / "again.recipe.toml").seed == Recipe.read(recipe).seed


def test_a_recipe_finds_its_taxonomy_from_any_folder(
    discreet: Command, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made with a relative path from one folder, replayed from another, and after all files moved together; a changed
    taxonomy is refused."""
    folder = people.parent
    (folder / "towns.csv").write_text("code,parent\nall,\nQaxton,all\nWyzzle,all\nVubbick,all\n")
    monkeypatch.chdir(tmp_path)
    made = discreet(
        "protect",
        "work/people.csv",
        "work/safe.csv",
        "--taxonomy",
        "towns=work/towns.csv:town",
        "--no-evidence",
    )
    assert made.exit_code == 0, made.stderr
    monkeypatch.chdir(folder)
    replayed = discreet("replay", "safe.recipe.toml", "people.csv", "again.csv", "--no-evidence")
    assert replayed.exit_code == 0, replayed.stderr
    monkeypatch.chdir(tmp_path)
    folder.rename(tmp_path / "moved")
    moved = discreet("replay", "moved/safe.recipe.toml", "moved/people.csv", "third.csv", "--no-evidence")
    assert moved.exit_code == 0, moved.stderr
    assert (tmp_path / "third.csv").read_bytes() == (tmp_path / "moved" / "safe.csv").read_bytes()
    (tmp_path / "moved" / "towns.csv").write_text(
        "code,parent\nall,\nQaxton,all\nWyzzle,all\nVubbick,Wyzzle\n"
    )
    changed = discreet("replay", "moved/safe.recipe.toml", "moved/people.csv", "fourth.csv")
    assert changed.exit_code == 2
    assert "has changed" in changed.stderr


def test_a_recipe_that_is_no_recipe_is_the_users_to_correct(
    discreet: Command, people: Path, recipe: Path
) -> None:
    """Another encoding and a misspelt part are exit code 2, with a sentence."""
    text = recipe.read_text()
    for content, says in (
        ("# é\n" + text, "not UTF-8"),
        (text.replace("[columns.", "[column."), "no part column"),
    ):
        recipe.write_bytes(content.encode("latin-1"))
        result = discreet("replay", recipe, people, people.parent / "again.csv")
        assert result.exit_code == 2
        assert says in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("hash_of", "says"),
    [("output_sha256", "does not give the recorded output"), ("file_sha256", "not the recorded bytes")],
)
def test_other_output_is_refused(
    discreet: Command, people: Path, recipe: Path, hash_of: str, says: str
) -> None:
    """Where table or bytes differ from the recorded ones, exit code 1 and nothing is written."""
    text = recipe.read_text()
    recorded = getattr(Recipe.read(recipe), hash_of)
    recipe.write_text(text.replace(recorded, "0" * 64))
    files = sorted(people.parent.iterdir())
    result = discreet("replay", recipe, people, people.parent / "again.csv")
    assert result.exit_code == 1
    assert says in " ".join(result.stderr.split())
    assert sorted(people.parent.iterdir()) == files


def test_a_recipe_saved_from_python_is_replayed(discreet: Command, people: Path, recipe: Path) -> None:
    """It records the table, since no file was written; that is what is compared."""
    saved = people.parent / "python.recipe.toml"
    made = Recipe.read(recipe)
    release = dc.protect(people, build_method(made.method), made.schema, seed=7)
    saved.write_text(release.recipe.to_toml(), encoding="utf-8")
    result = discreet("replay", saved, people, people.parent / "again.csv")
    assert result.exit_code == 0, result.stderr
    assert pl.read_csv(people.parent / "again.csv").height == release.data.height


def test_another_input_gets_a_new_seed(
    discreet: Command, people: Path, recipe: Path, register: pl.DataFrame
) -> None:
    """The plan is applied to another file under another seed, and that is said."""
    write_file(register.head(50), people.parent / "next.csv")
    result = discreet("replay", recipe, people.parent / "next.csv", people.parent / "safe2.csv")
    assert result.exit_code == 0, result.stderr
    assert "the seed is new" in " ".join(result.stdout.split())
    assert Recipe.read(people.parent / "safe2.recipe.toml").seed != Recipe.read(recipe).seed


def test_the_recipe_is_never_replaced(discreet: Command, people: Path, recipe: Path) -> None:
    """Replaying onto the release itself would write over the recipe that is being read: refused, even with --force."""
    before = recipe.read_bytes()
    assert discreet("replay", recipe, people, people.parent / "safe.csv", "--force").exit_code == 2
    assert recipe.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("safe.public-recipe.toml", "no seed"),
        ("none.toml", "There is no recipe"),
        ("people.csv", "not valid TOML"),
    ],
)
def test_what_is_no_recipe_is_refused(
    discreet: Command, people: Path, recipe: Path, name: str, says: str
) -> None:
    """The publishable recipe, a missing file and a file of another kind are told apart in one sentence each."""
    result = discreet("replay", recipe.with_name(name), people, people.parent / "again.csv")
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert not (people.parent / "again.csv").exists()
