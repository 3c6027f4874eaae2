"""`inspect`: counts a reader can check by hand, everything that would fail, and costs that follow the size."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from discreet.errors import ParameterError, SchemaError
from discreet.release import Method
from discreet.table.schema import Schema, Variable
from discreet.workflow import inspect as inspecting
from discreet.workflow.inspect import Exposure, inspect
from discreet.workflow.protect import protect


def schema_of(**roles: str) -> Schema:
    """Columns by role; those called `x...` are numeric, all others nominal."""
    return Schema(
        tuple(
            Variable(name=name, kind="numeric" if name[0] == "x" else "nominal", role=role)  # type: ignore[arg-type]
            for name, role in roles.items()
        )
    )


FRAME = pl.DataFrame(
    {"x": [1, 1, 2, 2, 3], "town": ["a", "a", "b", None, "c"], "pay": ["p", "q", "r", "s", None]}
)
ROLES = {"x": "quasi", "town": "quasi", "pay": "confidential"}


def test_exposure_by_hand() -> None:
    """Keys (1,a) (1,a) (2,b) (2,-) (3,c): three records are alone; a missing part is a value of its own."""
    seen = inspect(FRAME, schema_of(**ROLES), k=2)
    assert seen.exposure == Exposure(("x", "town"), 5, smallest_group=1, n_unique=3)
    assert seen.exposure.share_unique == 0.6


def test_exposure_sees_declared_codes() -> None:
    """Two codes for missing, one record each, are two records alone: a reader tells them apart."""
    schema = Schema((Variable(name="age", kind="numeric", role="quasi", unknown=(-8, -9)),))
    exposure = inspect(pl.DataFrame({"age": [-8, -9, 30, 30]}), schema, k=2).exposure
    assert exposure is not None
    assert (exposure.smallest_group, exposure.n_unique) == (1, 2)


def test_counts_of_columns_by_hand() -> None:
    """Missing and different cells of the columns that are read; none of those that are not."""
    seen = inspect(FRAME, schema_of(**(ROLES | {"pay": "identifier"})), k=2)
    assert [(c.name, c.n_missing, c.n_different) for c in seen.columns] == [
        ("x", 0, 3),
        ("town", 1, 3),
        ("pay", None, None),
    ]


def test_no_cell_value_in_the_plain_data() -> None:
    """Everything can be written as JSON, and no category or number of the file is in it."""
    frame = pl.DataFrame(
        {"x": [981_273, 981_274] * 5, "town": ["Qaxton", "Wyzzle"] * 5, "note": ["Vubbick"] * 10}
    )
    text = json.dumps(inspect(frame, schema_of(x="quasi", town="quasi", note="undecided"), k=2).to_dict())
    assert not any(cell in text for cell in ("98127", "Qaxton", "Wyzzle", "Vubbick"))


def test_publishable_data_hide_small_counts() -> None:
    """Counts below ten become '<10', larger ones stay."""
    frame = pl.DataFrame({"x": [*range(12), None], "town": ["a"] * 13})
    seen = inspect(frame, schema_of(x="quasi", town="confidential"), k=2)
    shown = seen.to_dict(publishable=True)
    assert (shown["exposure"]["smallest_group"], shown["exposure"]["n_unique"]) == ("<10", 13)
    assert (shown["columns"][0]["n_missing"], shown["columns"][0]["n_different"]) == ("<10", 12)
    assert shown["internal"] is False
    assert seen.to_dict()["exposure"]["smallest_group"] == 1


@pytest.mark.parametrize(
    ("frame", "roles", "k", "says"),
    [
        (FRAME, ROLES | {"pay": "undecided"}, 2, "Nobody has decided"),
        (FRAME, ROLES | {"x": "other", "town": "other"}, 2, "No column has the role quasi"),
        (FRAME, ROLES, 6, "fewer records than k=6"),
        (FRAME, ROLES | {"pay": "stratum"}, 2, "Strata with fewer records than k=2: 5"),
        (FRAME.with_columns(x=pl.Series([1.0, 2, 3, 4, np.inf])), ROLES, 2, "Infinite values"),
        (FRAME.with_columns(x=pl.Series(["1", "2", "3", "4", "five"])), ROLES, 2, "cells are not numbers"),
    ],
)
def test_what_would_fail_is_found_and_does_fail(
    frame: pl.DataFrame, roles: dict[str, str], k: int, says: str
) -> None:
    """Every announced failure is one that protecting then has."""
    seen = inspect(frame, schema_of(**roles), k=k)
    assert seen.would_fail
    assert any(says in finding.text for finding in seen.findings if finding.fails)
    with pytest.raises(ValueError, match=r"."):
        protect(frame, default_with(k), schema_of(**roles))


def default_with(k: int) -> Method:
    from discreet.masking.microaggregation import Microaggregation

    return Microaggregation(k=k)


def test_a_sound_table_would_not_fail() -> None:
    """Nothing is announced where protecting succeeds."""
    assert not inspect(FRAME, schema_of(**ROLES), k=2).would_fail
    protect(FRAME, default_with(2), schema_of(**ROLES))


def test_one_faulty_column_does_not_hide_another() -> None:
    """All columns that cannot be read are found at once."""
    frame = pl.DataFrame({"x1": ["a", "b"], "x2": ["c", "d"], "town": ["e", "f"]})
    seen = inspect(frame, schema_of(x1="quasi", x2="quasi", town="quasi"), k=2)
    assert [finding.columns for finding in seen.findings] == [("x1",), ("x2",)]


def test_notes_of_reading_are_passed_on(tmp_path: Path) -> None:
    """What reading noticed of a column becomes a finding that does not fail."""
    path = tmp_path / "a.csv"
    path.write_text("age,zip\n30,01234\n31,01235\n32,01236\n")
    notes = [finding for finding in inspect(path, k=2).findings if not finding.fails]
    assert [finding.columns for finding in notes] == [("zip",)]


def test_a_schema_of_another_file_is_refused() -> None:
    """Columns that do not agree are an error, not a finding."""
    with pytest.raises(SchemaError, match="another file"):
        inspect(FRAME, schema_of(x="quasi"))
    with pytest.raises(ParameterError, match="`k`"):
        inspect(FRAME, schema_of(**ROLES), k=0)


def test_costs_are_measured_on_small_tables_and_worked_out_for_large_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where a part takes long enough, the time of all records follows from the power that two parts show."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x1": rng.normal(size=900), "x2": rng.normal(size=900)})
    schema = schema_of(x1="quasi", x2="quasi")
    small = inspect(frame, schema).cost
    assert small is not None
    assert small.measured
    assert small.seconds > 0
    table = protect(frame, None, schema).table
    monkeypatch.setattr(inspecting, "SMALLEST_PART", 100)
    monkeypatch.setattr(inspecting, "_timed", lambda table, k, n: 1e-4 * float(n) ** 1.5)
    grouping, measured = inspecting._grouping_seconds(table, 5)
    assert not measured
    assert grouping == pytest.approx(1e-4 * 900**1.5)
    monkeypatch.setattr(inspecting, "_timed", lambda table, k, n: 1e-9 * n)
    assert inspecting._grouping_seconds(table, 5) == (pytest.approx(1e-9 * 900), True)


def test_memory_follows_records_and_columns() -> None:
    """Twice the records need twice the bytes beyond the libraries', and the unit cost says how many."""
    one, two = (
        inspect(
            pl.DataFrame({"x1": np.arange(n), "x2": np.arange(n)}), schema_of(x1="quasi", x2="identifier")
        ).cost
        for n in (100, 200)
    )
    assert one is not None
    assert two is not None
    assert two.n_bytes - inspecting.LIBRARIES == 2 * (one.n_bytes - inspecting.LIBRARIES)
    assert one.bytes_per_record == pytest.approx(inspecting.BYTES_OF_CELL + inspecting.BYTES_OF_WITHHELD_CELL)
