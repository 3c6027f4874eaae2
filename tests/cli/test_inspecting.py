"""`discreet inspect`: what it says, what it writes, and that no cell is in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from discreet.table.schema import Schema

Command = Callable[..., Result]


def test_columns_findings_and_costs_are_told(
    discreet: Command, people: Path, shown: Callable[[Result], list[str]]
) -> None:
    """Roles with reasons, what would fail, k attained, uniques, time and memory; no cell."""
    result = discreet("inspect", people)
    assert result.exit_code == 0, result.stderr
    for words in (
        "quasi",
        "What would fail: nothing",
        "k attained: 1",
        "sample uniques: 60 of 60",
        "time:",
        "memory:",
    ):
        assert words in result.stdout
    assert "unit costs:" in result.stdout
    assert shown(result) == []


def test_json_is_valid_and_holds_no_cell(
    discreet: Command, people: Path, shown: Callable[[Result], list[str]]
) -> None:
    """--json prints one document with the same content."""
    result = discreet("inspect", people, "--json")
    seen = json.loads(result.stdout)
    assert (seen["n_records"], seen["would_fail"], seen["internal"]) == (60, False, True)
    assert seen["exposure"]["n_unique"] == 60
    assert shown(result) == []


def test_the_schema_that_is_written_can_be_used(discreet: Command, people: Path) -> None:
    """--write-schema writes what --schema reads; it is not overwritten without --force."""
    out = people.parent / "people.schema.toml"
    assert discreet("inspect", people, "--role", "income=quasi", "--write-schema", out).exit_code == 0
    assert Schema.read(out)["income"].role == "quasi"
    assert discreet("inspect", people, "--schema", out).exit_code == 0
    again = discreet("inspect", people, "--write-schema", out)
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    assert Schema.read(out)["income"].role == "quasi"


def test_what_would_fail_is_told_beforehand(discreet: Command, people: Path) -> None:
    """A run that protect would refuse is announced with its reason, and inspect itself succeeds."""
    result = discreet("inspect", people, "--k", "61")
    assert result.exit_code == 0
    assert "fails" in result.stdout
    assert "fewer records than k=61" in " ".join(result.stdout.split())


def test_files_that_are_not_there(discreet: Command, people: Path) -> None:
    """A missing file is one clear sentence and exit code 2."""
    result = discreet("inspect", people.parent / "none.csv")
    assert result.exit_code == 2
    assert "There is no file" in result.stderr
