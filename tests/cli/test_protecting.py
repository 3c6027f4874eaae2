"""`discreet protect` and `recode`: files whole or not at all, one clear sentence on a fault, no cell value ever."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import Result

from discreet.base import Verdict
from discreet.claims.k_anonymity import KAnonymity
from discreet.cli import protecting
from discreet.errors import SchemaError
from discreet.recipe import Recipe

Command = Callable[..., Result]
Look = Callable[[Result], list[str]]
WRITTEN = ["people.csv", "safe.csv", "safe.public-recipe.toml", "safe.recipe.toml", "safe.report.html"]


def names_in(folder: Path) -> list[str]:
    """All files of a folder, hidden ones too."""
    return sorted(path.name for path in folder.iterdir())


def test_protect_writes_all_files_and_leaves_identifiers_out(discreet: Command, people: Path) -> None:
    """Data, both recipes and the report appear together; the identifier column is in none of them as data."""
    result = discreet("protect", people, people.parent / "safe.csv")
    assert result.exit_code == 0, result.stderr
    assert names_in(people.parent) == WRITTEN
    assert pl.read_csv(people.parent / "safe.csv").columns == ["age", "sex", "town", "income"]


def test_protect_gives_the_k_that_was_asked_for(discreet: Command, people: Path) -> None:
    """--k reaches the method: the smallest group of the written file has it."""
    discreet("protect", people, people.parent / "safe.csv", "--k", 7)
    groups = pl.read_csv(people.parent / "safe.csv").group_by("age", "sex", "town").len()
    assert groups["len"].min() >= 7


def test_evidence_says_claims_roles_and_which_file_is_internal(discreet: Command, people: Path) -> None:
    """What a person must know stands in the few lines that are printed."""
    printed = discreet("protect", people, people.parent / "safe.csv").stdout
    assert "holds: k-anonymity, k = 5" in printed
    assert "quasi: age, sex, town" in printed
    assert "identifier (left out): person_id" in printed
    internal = [line.split()[0] for line in printed.splitlines() if "INTERNAL" in line]
    assert internal == [str(people.parent / "safe.recipe.toml")]
    assert len(printed.splitlines()) <= 30


def test_evidence_is_measured_and_stands_in_the_report(discreet: Command, people: Path) -> None:
    """Risk before and after is printed and reported; without --no-evidence only, and the report says which."""
    printed = discreet("protect", people, people.parent / "safe.csv").stdout
    assert re.search(r"risk +group_sizes.smallest +\d -> 5 records", printed)
    assert "utility" in printed
    report = people.parent / "safe.report.html"
    assert "k-anonymity" in report.read_text()
    without = discreet("protect", people, people.parent / "safe.csv", "--force", "--no-evidence").stdout
    assert "group_sizes" not in without
    assert "Neither risk nor utility was measured" in report.read_text()


def test_the_report_holds_no_cell_and_no_seed(
    discreet: Command, people: Path, register: pl.DataFrame
) -> None:
    """What may be published names no town, no id, no income, and neither the seed nor a hash of the input."""
    seed = 987654321012
    discreet("protect", people, people.parent / "safe.csv", "--seed", seed)
    page = (people.parent / "safe.report.html").read_text()
    secrets = {str(cell) for column in register for cell in column if len(str(cell)) >= 5}
    secrets |= {str(seed), hex(seed), Recipe.read(people.parent / "safe.recipe.toml").input_sha256}
    assert not [secret for secret in secrets if secret in page]


def test_what_cannot_be_measured_is_released_and_said(
    discreet: Command, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be compared any more, the files are written and the lack of evidence is a note."""

    def refuse(*given: object, **more: object) -> None:
        raise SchemaError("The protected file shares no comparable column with the original.")

    monkeypatch.setattr("discreet.cli.protecting.assess", refuse)
    result = discreet(
        "recode", people, people.parent / "coarse.csv", "--to", "age=40,60", "--role", "age=quasi"
    )
    assert result.exit_code == 0, result.stderr
    assert "could be measured" in result.stdout


def test_a_recoded_file_is_measured(discreet: Command, people: Path) -> None:
    """Ages in classes are still known: linkage reads them by their midpoints, and that is said."""
    result = discreet("recode", people, people.parent / "coarse.csv", "--to", "age=40,60")
    assert "linkage.distance" in result.stdout
    assert "midpoints: age" in result.stdout


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--json"],
        ["--k", "1000"],
        ["--role", "town=weight"],
        ["--role", "age=identifier", "--role", "sex=identifier", "--role", "town=identifier"],
        ["--columns", "town,nowhere"],
        ["--method", "Noise", "--columns", "town"],
        ["--schema", "{folder}/levels.toml"],
        ["--schema", "{folder}/numbers.toml"],
        ["--taxonomy", "towns={folder}/towns.csv:town"],
    ],
)
def test_no_cell_value_is_printed(discreet: Command, people: Path, shown: Look, options: list[str]) -> None:
    """Neither the evidence nor any refusal holds a cell of the file."""
    columns = '[columns.{0}]\nkind = "{1}"\nrole = "quasi"\n'
    kinds = {"person_id": "nominal", "age": "numeric", "sex": "nominal", "income": "numeric"}
    rest = "".join(columns.format(name, kind) for name, kind in kinds.items())
    (people.parent / "levels.toml").write_text(
        rest + columns.format("town", "nominal") + 'levels = ["Zed"]\n'
    )
    (people.parent / "numbers.toml").write_text(rest + columns.format("town", "numeric"))
    (people.parent / "towns.csv").write_text("code,parent\nall,\nZed,all\n")
    options = [option.replace("{folder}", str(people.parent)) for option in options]
    result = discreet("protect", people, people.parent / "safe.csv", *options)
    assert shown(result) == []
    assert result.exit_code == (0 if not options or options == ["--json"] else 2)


def test_codes_a_taxonomy_lacks_are_listed_only_when_asked_for(
    discreet: Command, people: Path, shown: Look
) -> None:
    """--show-codes is the one way to see unknown codes."""
    (people.parent / "towns.csv").write_text("code,parent\nall,\nZed,all\n")
    arguments = (
        "protect",
        people,
        people.parent / "safe.csv",
        "--taxonomy",
        f"towns={people.parent}/towns.csv:town",
    )
    assert "--show-codes" in discreet(*arguments).stderr
    assert shown(discreet(*arguments, "--show-codes")) == ["Qaxton", "Wyzzle"]


def test_existing_output_is_kept_without_force(discreet: Command, people: Path) -> None:
    """An output that exists is refused and stays as it is; with --force it is replaced."""
    safe = people.parent / "safe.csv"
    safe.write_text("mine")
    refused = discreet("protect", people, safe)
    assert (refused.exit_code, safe.read_text()) == (2, "mine")
    assert names_in(people.parent) == ["people.csv", "safe.csv"]
    assert discreet("protect", people, safe, "--force").exit_code == 0
    assert names_in(people.parent) == WRITTEN


def test_existing_recipe_is_kept_too(discreet: Command, people: Path) -> None:
    """A recipe in the way stops the run before anything is written."""
    (people.parent / "safe.recipe.toml").write_text("mine")
    assert discreet("protect", people, people.parent / "safe.csv").exit_code == 2
    assert names_in(people.parent) == ["people.csv", "safe.recipe.toml"]


def test_input_is_never_an_output(discreet: Command, people: Path) -> None:
    """Output = input is refused even with --force, also through a link."""
    before = people.read_bytes()
    link = people.parent / "link.csv"
    link.symlink_to(people)
    for output in (people, link):
        result = discreet("protect", people, output, "--force")
        assert result.exit_code == 2
        assert "input" in result.stderr
    assert people.read_bytes() == before
    assert names_in(people.parent) == ["link.csv", "people.csv"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--method", "microagregation"], "Did you mean Microaggregation"),
        (["--set", "kk=3"], "no parameter 'kk'. Did you mean k? It has: k, columns"),
        (["--set", "k=three"], "`k` must be a whole number"),
        (["--set", "k"], "--set has the form KEY=VALUE"),
        (["--set", "k=3", "--set", "k=4"], "twice"),
        (["--set", "numeric=mode"], "`numeric` must be mean | median"),
        (["--method", "Noise", "--k", "3"], "Noise has no parameter 'k'"),
        (["--method", "Rounding"], "needs --set base=..."),
        (["--method", "Pipeline", "--set", "steps=a,b"], "a plan file"),
        (["--method", "plan.toml"], "There is no plan 'plan.toml'"),
        (["--k", "0"], "`k` must be a whole number of at least 1"),
        (["--role", "age=king"], "no role 'king'"),
        (["--role", "height=quasi"], "no column 'height'"),
        (["--taxonomy", "towns=towns.csv"], "NAME=FILE:COLUMN,COLUMN"),
        (["--seed", "-4"], "--seed must be"),
        (["--schema", "none.toml"], "There is no schema file 'none.toml'"),
        (["--delimiter", "ab"], "`delimiter` must be one"),
        (["--columns", ""], "empty"),
    ],
)
def test_faulty_options_are_explained(discreet: Command, people: Path, options: list[str], says: str) -> None:
    """Each faulty option ends with exit code 2, one message that says what to do, and no file."""
    result = discreet("protect", people, people.parent / "safe.csv", *options)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert result.stdout == ""
    assert names_in(people.parent) == ["people.csv"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[columns", "not valid TOML"),
        ("a = 1", "[columns]"),
        ('[columns.height]\nkind = "numeric"', "another file"),
        ('[columns.age]\nkind = "number"', "unknown kind"),
    ],
)
def test_faulty_schemas_are_explained(discreet: Command, people: Path, text: str, says: str) -> None:
    """A schema that is broken, or of another file, is told in one sentence."""
    (people.parent / "s.toml").write_text(text)
    result = discreet("protect", people, people.parent / "safe.csv", "--schema", people.parent / "s.toml")
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("output", "says"),
    [("safe.xyz", "ending"), ("safe.sas7bdat", "not written"), ("nowhere/safe.csv", "no folder")],
)
def test_impossible_outputs_are_refused(discreet: Command, people: Path, output: str, says: str) -> None:
    """An output that cannot be written is told before any work."""
    result = discreet("protect", people, people.parent / output)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert names_in(people.parent) == ["people.csv"]


def test_undecided_columns_ask_for_a_role(discreet: Command, people: Path) -> None:
    """A column nobody has decided on stops the run; the way out is in the message, and works."""
    schema = "".join(
        f'[columns.{name}]\nkind = "{kind}"\nrole = "{role}"\n'
        for name, kind, role in (
            ("person_id", "nominal", "identifier"),
            ("age", "numeric", "quasi"),
            ("sex", "nominal", "quasi"),
            ("town", "nominal", "undecided"),
            ("income", "numeric", "confidential"),
        )
    )
    (people.parent / "s.toml").write_text(schema)
    arguments = ("protect", people, people.parent / "safe.csv", "--schema", people.parent / "s.toml")
    refused = discreet(*arguments)
    assert refused.exit_code == 2
    assert "--role town=identifier" in " ".join(refused.stderr.split())
    assert discreet(*arguments, "--role", "town=other").exit_code == 0


def test_json_is_one_document_without_the_seed(discreet: Command, people: Path) -> None:
    """--json prints one valid document that says what happened; the seed is not in it."""
    result = discreet("protect", people, people.parent / "safe.csv", "--json", "--seed", "987654321012")
    summary = json.loads(result.stdout)
    assert summary["status"] == "done"
    assert summary["n_records"] == 60
    assert summary["claims"][0]["holds"] is True
    assert summary["files"]["recipe"]["publish"] is False
    assert summary["columns"]["person_id"]["role"] == "identifier"
    assert Recipe.read(people.parent / "safe.recipe.toml").seed == 987654321012
    assert "987654321012" not in result.stdout + result.stderr
    assert hex(987654321012) not in result.stdout + result.stderr


def test_json_tells_of_faults_too(discreet: Command, people: Path) -> None:
    """With --json a fault is a document on standard output and a sentence on standard error."""
    result = discreet("protect", people, people.parent / "safe.csv", "--json", "--k", "1000")
    summary = json.loads(result.stdout)
    assert (result.exit_code, summary["status"], summary["error"]) == (2, "failed", "UnsuitableError")
    assert summary["message"] in " ".join(result.stderr.split())


def test_quiet_says_nothing_but_errors(discreet: Command, people: Path) -> None:
    """--quiet prints nothing when all is well, and still the error when it is not."""
    safe = people.parent / "safe.csv"
    done = discreet("protect", people, safe, "--quiet")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
    assert "exists already" in discreet("protect", people, safe, "--quiet").stderr


def test_a_claim_that_fails_releases_nothing(
    discreet: Command, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim that does not hold ends with exit code 1 and without a file."""
    monkeypatch.setattr(KAnonymity, "check", lambda *_: Verdict(False, "smallest group: 1"))
    result = discreet("protect", people, people.parent / "safe.csv")
    assert result.exit_code == 1
    assert "Nothing is released" in result.stderr
    assert names_in(people.parent) == ["people.csv"]


def test_text_of_foreign_exceptions_is_kept_back(
    discreet: Command, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unexpected exception may quote a cell: its text is shown with --debug only."""

    def fail(*_: object, **__: object) -> None:
        raise KeyError("Qaxton")

    monkeypatch.setattr(protecting, "prepare", fail)
    arguments = ("protect", people, people.parent / "safe.csv")
    result = discreet(*arguments)
    assert result.exit_code == 1
    assert "KeyError" in result.stderr
    assert "Qaxton" not in result.stdout + result.stderr
    assert "Qaxton" in discreet(*arguments, "--debug").stderr
    assert names_in(people.parent) == ["people.csv"]


def test_a_failed_write_leaves_no_file(
    discreet: Command, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk refuses half way, neither an output nor an unfinished one is left."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("discreet.workflow.protect.sha256_of", refuse)
    result = discreet("protect", people, people.parent / "safe.csv")
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert names_in(people.parent) == ["people.csv"]


def test_other_methods_and_their_parameters(discreet: Command, people: Path) -> None:
    """--method, --columns and --set reach the method: only the named column changes."""
    safe = people.parent / "safe.csv"
    result = discreet(
        "protect", people, safe, "--method", "rank-swapping", "--columns", "income", "--set", "p=20"
    )
    assert result.exit_code == 0, result.stderr
    before, after = pl.read_csv(people), pl.read_csv(safe)
    assert after["income"].sort().equals(before["income"].sort())
    assert not after["income"].equals(before["income"])
    assert after["age"].equals(before["age"])


def test_a_plan_in_a_file(discreet: Command, people: Path) -> None:
    """Several methods in a row come from a plan file."""
    plan = people.parent / "plan.toml"
    plan.write_text(
        'name = "Pipeline"\n'
        '[[steps]]\nname = "GlobalRecoding"\ncolumns = {age = [40, 60]}\n'
        '[[steps]]\nname = "LocalSuppression"\nk = 3\n'
    )
    result = discreet("protect", people, people.parent / "safe.csv", "--method", plan)
    assert result.exit_code == 0, result.stderr
    assert set(pl.read_csv(people.parent / "safe.csv")["age"].drop_nulls()) <= {"<40", "40-59", ">=60"}


def test_recode_by_cuts_by_depth_and_by_list(discreet: Command, people: Path) -> None:
    """--to understands cut points, a depth of a tree, and merged categories."""
    (people.parent / "towns.csv").write_text(
        "code,parent\nall,\nlow,all\nQaxton,low\nWyzzle,low\nVubbick,all\n"
    )
    result = discreet(
        "recode", people, people.parent / "coarse.csv", "--taxonomy", f"towns={people.parent}/towns.csv:town",
        "--to", "age=40,60", "--to", "town=1", "--to", 'sex={any = ["f", "m"]}',
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    coarse = pl.read_csv(people.parent / "coarse.csv")
    assert set(coarse["age"]) == {"<40", "40-59", ">=60"}
    assert set(coarse["town"]) == {"low"}
    assert set(coarse["sex"]) == {"any"}


@pytest.mark.parametrize(
    ("to", "says"),
    [
        ("age", "COLUMN=DEPTH"),
        ("age=x", "cut points"),
        ("height=1,2", "no column 'height'"),
        ("age=1", "taxonomy"),
    ],
)
def test_faulty_recodings_are_explained(discreet: Command, people: Path, to: str, says: str) -> None:
    """A recoding that cannot be is told in one sentence."""
    result = discreet("recode", people, people.parent / "coarse.csv", "--to", to)
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())


def test_a_guessed_encoding_is_said_by_every_command(
    discreet: Command, people: Path, register: pl.DataFrame
) -> None:
    """Letters that may be wrong are told once of every file that was read so, not by inspect alone."""
    folder = people.parent
    people.write_bytes(register.with_columns(town=pl.col("town") + "\u00df").write_csv().encode("latin-1"))
    for n_files, *command in (
        (1, "inspect", people),
        (1, "protect", people, folder / "safe.csv", "--no-evidence"),
        (1, "recode", people, folder / "coarse.csv", "--to", "age=30,50", "--no-evidence"),
        (2, "assess", people, folder / "safe.csv"),
    ):
        result = discreet(*command)
        assert result.exit_code == 0, result.stderr
        assert (result.stdout + result.stderr).count("The text is not UTF-8") == n_files
