"""Where the tests find the real tables, and what is skipped where they are absent."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# No time limits in tests: machines are shared. Examples are drawn from a fixed seed, so that a run can be repeated.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")


def data_home() -> Path | None:
    """The folder of real tables: $DISCREET_DATA, or ../shared/data beside the project."""
    for candidate in (os.environ.get("DISCREET_DATA"), ROOT.parent / "shared" / "data"):
        if candidate and Path(candidate).is_dir():
            return Path(candidate)
    return None


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """Folder of the real tables; skips the test where there is none."""
    home = data_home()
    if home is None:
        pytest.skip("the real tables are not here: set DISCREET_DATA to their folder")
    return home


@pytest.fixture(scope="session")
def golden(data_dir: Path) -> Callable[[str], Any]:
    """golden(name) -> the parsed file of reference numbers that lies beside the real tables."""

    def load(name: str) -> Any:
        return json.loads((data_dir.parent / "golden" / name).read_text(encoding="utf-8"))

    return load


@pytest.fixture(scope="session")
def real_table(data_dir: Path) -> Callable[[str], pl.DataFrame]:
    """real_table(name) -> one of the real tables as polars, all columns read from the whole file."""

    def load(name: str) -> pl.DataFrame:
        path = data_dir / name
        raw = gzip.decompress(path.read_bytes()) if name.endswith(".gz") else path.read_bytes()
        return pl.read_csv(raw, infer_schema_length=None)

    return load
