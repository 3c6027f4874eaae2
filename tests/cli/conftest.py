"""The command in this process, a small file to run it on, and a look-out for cell values in what it prints."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from discreet.cli.main import app
from discreet.table.files.writing import write_file

TOWNS = ("Qaxton", "Wyzzle", "Vubbick")  # cells that cannot be mistaken for words of the program


@pytest.fixture
def discreet() -> Callable[..., Result]:
    """discreet("inspect", path) -> exit code, stdout and stderr of the command."""

    def invoke(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="discreet")

    return invoke


@pytest.fixture
def register() -> pl.DataFrame:
    """Sixty records: an id, three quasi-identifiers, an amount."""
    n = 60
    return pl.DataFrame(
        {
            "person_id": [f"Kz{i:06d}" for i in range(n)],
            "age": [20 + (7 * i) % 61 for i in range(n)],
            "sex": [("f", "m")[i % 2] for i in range(n)],
            "town": [TOWNS[(i * i) % 3] for i in range(n)],
            "income": [1031.5 + 17.25 * ((11 * i) % 59) for i in range(n)],
        }
    )


@pytest.fixture
def people(tmp_path: Path, register: pl.DataFrame) -> Path:
    """The register as CSV, alone in a folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    write_file(register, folder / "people.csv")
    return folder / "people.csv"


@pytest.fixture
def shown(register: pl.DataFrame) -> Callable[[Result], list[str]]:
    """shown(result) -> cells of the register in what was printed (those too long to be taken for a count)."""
    cells = {str(cell) for column in register for cell in column}

    def look(result: Result) -> list[str]:
        printed = result.stdout + result.stderr
        return sorted(cell for cell in cells if len(cell) >= 5 and cell in printed)

    return look
