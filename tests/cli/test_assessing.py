"""`discreet assess`: evidence of any protected file, several side by side, written whole and without cell values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

Command = Callable[..., Result]
Look = Callable[[Result], list[str]]


@pytest.fixture
def safe(people: Path) -> Path:
    """The register as other software might protect it: no id, incomes in steps of 500."""
    frame = pl.read_csv(people).drop("person_id").with_columns((pl.col("income") / 500).round() * 500)
    frame.write_csv(people.parent / "safe.csv")
    return people.parent / "safe.csv"


def figures(result: Result) -> dict[str, dict[str, object]]:
    """The figures of the one file in a JSON answer, without breakdowns, by name."""
    (assessed,) = json.loads(result.stdout)["assessed"]
    return {row["measure"]: row for row in assessed["figures"] if not row["of"]}


def test_a_file_of_other_software_is_measured(
    discreet: Command, people: Path, safe: Path, shown: Look
) -> None:
    """Risk before -> after and utility are printed; the column that the file lacks is named; no cell is shown."""
    result = discreet("assess", people, safe)
    assert result.exit_code == 0, result.stderr
    assert "people.csv -> safe.csv" in result.stdout
    assert "linkage.distance" in result.stdout
    assert "moments.mean" in result.stdout
    assert shown(result) == []


def test_a_file_against_itself_has_the_known_loss(discreet: Command, people: Path) -> None:
    """Nothing was changed: no moment moved, and risk after is risk before."""
    copy = people.parent / "copy.csv"
    copy.write_bytes(people.read_bytes())
    found = figures(discreet("assess", people, copy, "--json", "--internal"))
    assert found["moments.mean"]["value"] == 0
    assert found["linkage.distance"]["value"] == found["linkage.distance"]["before"]


def test_records_that_do_not_correspond(discreet: Command, people: Path, safe: Path) -> None:
    """--no-corresponds leaves out what needs pairs of records; so does another number of records."""
    found = figures(discreet("assess", people, safe, "--json"))
    assert "linkage.distance" in found
    apart = json.loads(discreet("assess", people, safe, "--json", "--no-corresponds").stdout)["assessed"][0]
    assert not apart["corresponds"]
    assert "DistanceLinkage" in apart["skipped"]
    pl.read_csv(safe).head(50).write_csv(people.parent / "fewer.csv")
    fewer = discreet("assess", people, people.parent / "fewer.csv", "--json")
    assert not json.loads(fewer.stdout)["assessed"][0]["corresponds"]
    refused = discreet("assess", people, people.parent / "fewer.csv", "--corresponds")
    assert refused.exit_code == 2
    assert "60 original and 50 protected" in refused.stderr


def test_small_counts_are_hidden_unless_asked_for(discreet: Command, people: Path, safe: Path) -> None:
    """The written figures show counts below ten as ten; with --internal they are exact, and the file is its owner's."""
    publish, exact = people.parent / "publish.json", people.parent / "exact.json"
    assert discreet("assess", people, safe, "--output", publish).exit_code == 0
    assert discreet("assess", people, safe, "--output", exact, "--internal").exit_code == 0
    values = [
        {row["measure"]: row["value"] for row in json.loads(path.read_text())["assessed"][0]["figures"]}
        for path in (publish, exact)
    ]
    marked = {
        row["measure"] for row in json.loads(publish.read_text())["assessed"][0]["figures"] if row["below"]
    }
    few = {name for name in values[0] if values[0][name] != values[1][name]}
    assert few
    assert few <= marked
    assert all(values[0][name] > values[1][name] for name in few)
    assert "minimal sample" not in publish.read_text()
    assert json.loads(exact.read_text())["internal"] is True
    assert exact.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["evidence.csv", "evidence.parquet", "evidence.json"])
def test_all_figures_in_a_file(discreet: Command, people: Path, safe: Path, name: str) -> None:
    """--output writes every figure with its breakdown, as a table or as JSON by the ending."""
    output = people.parent / name
    result = discreet("assess", people, safe, "--output", output)
    assert result.exit_code == 0, result.stderr
    assert "may be published" in result.stdout
    if name.endswith(".json"):
        measures = {row["measure"] for row in json.loads(output.read_text())["assessed"][0]["figures"]}
    else:
        frame = pl.read_csv(output) if name.endswith(".csv") else pl.read_parquet(output)
        assert frame["protected"].unique().to_list() == ["safe.csv"]
        measures = set(frame["measure"])
    assert {"linkage.distance", "moments.mean", "group_sizes.smallest"} <= measures


def test_several_files_side_by_side(discreet: Command, people: Path, safe: Path) -> None:
    """Two files are two columns under their names, and the page shows both."""
    other = people.parent / "other.csv"
    pl.read_csv(safe).with_columns(pl.lit(40).alias("age")).write_csv(other)
    page = people.parent / "both.html"
    result = discreet("assess", people, safe, other, "--report", page)
    assert result.exit_code == 0, result.stderr
    heading = result.stdout.splitlines()[1].split()
    assert heading == ["safe.csv", "other.csv"]
    assert "safe.csv" in page.read_text()
    assert "other.csv" in page.read_text()


def test_the_page_of_one_file_compares_nothing(discreet: Command, people: Path, safe: Path) -> None:
    """It is titled by the file, and said to hold the main figures, not all."""
    page = people.parent / "one.html"
    result = discreet("assess", people, safe, "--report", page)
    assert result.exit_code == 0, result.stderr
    assert "the main figures to read" in result.stdout
    text = page.read_text()
    assert "<title>Risk and utility of safe.csv</title>" in text
    assert "omparison" not in text.split("</style>")[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["{safe}", "--level", "deep"], "--level is standard or full"),
        (["{safe}", "--output", "{folder}/evidence.xyz"], "ending"),
        (["{safe}", "--output", "{folder}/none/evidence.csv"], "no folder"),
        (["{safe}", "--output", "{safe}", "--force"], "input file itself"),
        (["{safe}", "--report", "{safe}"], "input file itself"),
        (["{folder}/none.csv"], "There is no file"),
        (["{folder}/strange.csv"], "shares no comparable column"),
    ],
)
def test_faults_are_explained_and_nothing_is_written(
    discreet: Command, people: Path, safe: Path, arguments: list[str], says: str
) -> None:
    """Each fault ends with exit code 2, one sentence, and no file."""
    (people.parent / "strange.csv").write_text("colour\nred\nblue\n")
    files = sorted(people.parent.iterdir())
    given = [word.format(safe=safe, folder=people.parent) for word in arguments]
    result = discreet("assess", people, *given)
    assert result.exit_code == 2, result.stdout
    assert says in " ".join(result.stderr.split())
    assert sorted(people.parent.iterdir()) == files


def test_existing_outputs_are_kept_without_force(discreet: Command, people: Path, safe: Path) -> None:
    """A report in the way is refused before any work, and replaced with --force."""
    page = people.parent / "page.html"
    page.write_text("mine")
    assert discreet("assess", people, safe, "--report", page).exit_code == 2
    assert page.read_text() == "mine"
    assert discreet("assess", people, safe, "--report", page, "--force").exit_code == 0
    assert page.read_text() != "mine"


def test_questions_of_ones_own(discreet: Command, people: Path, safe: Path) -> None:
    """--known, --secret, --by, --formula and --threshold reach the measures; the threshold is written down."""
    arguments = ["--known", "age,sex", "--secret", "income", "--by", "town", "--threshold", "20"]
    result = discreet(
        "assess", people, safe, *arguments, "--formula", "income ~ age + sex", "--json", "--internal"
    )
    assert result.exit_code == 0, result.stderr
    (assessed,) = json.loads(result.stdout)["assessed"]
    assert assessed["threshold"] == 20
    parts = {(row["measure"], row["of"]) for row in assessed["figures"]}
    assert {("attribute.gain", "income"), ("regression.overlap", "income")} <= parts
    assert ("linkage.distance_in_parts", "part 2") in parts
    assert "2 columns" in next(
        row["note"] for row in assessed["figures"] if row["measure"] == "linkage.distance"
    )
    refused = discreet("assess", people, safe, "--known", "salary")
    assert refused.exit_code == 2
    assert "salary" in refused.stderr


def test_a_control_from_a_file(discreet: Command, people: Path, safe: Path, shown: Look) -> None:
    """--control gives every attack its control; a file without the columns is refused by name."""
    control = people.parent / "control.csv"
    pl.read_csv(people).drop("person_id").sample(fraction=1.0, with_replacement=True, seed=1).write_csv(
        control
    )
    result = discreet("assess", people, safe, "--control", control, "--level", "full", "--json")
    assert result.exit_code == 0, result.stderr
    found = figures(result)
    assert {"membership.area", "inference.excess", "closest.to_original"} <= set(found)
    pl.read_csv(control).drop("age").write_csv(people.parent / "short.csv")
    refused = discreet("assess", people, safe, "--control", people.parent / "short.csv")
    assert refused.exit_code == 2
    assert "no readable column 'age'" in refused.stderr
    assert shown(refused) == []


def test_a_reordered_file_is_told(discreet: Command, people: Path, safe: Path) -> None:
    """The heading and a note say that records were not taken to correspond."""
    mixed = people.parent / "mixed.csv"
    pl.read_csv(safe).sample(fraction=1.0, shuffle=True, seed=2).write_csv(mixed)
    result = discreet("assess", people, mixed)
    assert "not taken to correspond" in result.stdout
    assert "do not seem to stand" in result.stdout
    several = discreet("assess", people, safe, mixed)
    assert "safe.csv: records taken to correspond" in several.stdout
    assert "mixed.csv: records not taken to correspond" in several.stdout


def test_a_fault_of_one_measure_is_one_line(
    discreet: Command, people: Path, safe: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault inside is a visible line without its text; the other figures are there, and the exit code is 0."""

    def broken(self: object, original: object, protected: object) -> None:
        raise ValueError("secret cell Qaxton")

    monkeypatch.setattr("discreet.utility.moments.MomentChange.__call__", broken)
    for arguments in (["assess", people, safe], ["protect", people, people.parent / "own.csv"]):
        result = discreet(*arguments)
        assert result.exit_code == 0
        assert result.stdout.count("fault: MomentChange failed inside: ValueError") == 1
        assert "secret cell" not in result.stdout + result.stderr
        assert "linkage.distance" in result.stdout


@pytest.mark.parametrize("ending", ["xlsx", "csv", "sav"])
def test_undefined_figures_are_empty_in_every_kind_of_file(
    discreet: Command, people: Path, safe: Path, ending: str
) -> None:
    """A column emptied by the release makes an infinite figure: the file appears, the cell is empty, the note says why."""
    emptied = pl.read_csv(safe).with_columns(income=pl.lit(None, dtype=pl.Float64))
    emptied.write_csv(safe)
    output = people.parent / f"figures.{ending}"
    result = discreet("assess", people, safe, "--output", output)
    assert result.exit_code == 0, result.stderr
    assert output.is_file()
    if ending == "csv":
        (moved,) = (
            pl.read_csv(output)
            .filter(pl.col("measure") == "moments.mean", pl.col("of").fill_null("") == "")
            .to_dicts()
        )
        assert moved["value"] is None
        assert moved["note"].startswith("The value is infinite")


def test_a_formula_that_does_not_fit_is_the_users_to_correct(
    discreet: Command, people: Path, safe: Path
) -> None:
    """A category of a number is exit code 2 before anything is measured, not a measure left out."""
    result = discreet("assess", people, safe, "--formula", "income ~ age", "--formula", "income=high ~ age")
    assert result.exit_code == 2
    assert "write the formula without" in " ".join(result.stderr.split())
