"""Tables that the laws are tried on: one with every kind of column, and hostile ones. Built for any dataframe library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import narwhals as nw
import numpy as np

from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy

TREE = Taxonomy.from_edges(
    [("all", ""), ("x", "all"), ("x1", "x"), ("x2", "x"), ("y", "all"), ("y1", "y"), ("y2", "y")], "codes"
)
SCHEMA = Schema(
    (
        Variable(name="id", kind="nominal", role="identifier"),
        Variable(name="age", kind="numeric", role="quasi", decimals=0, lower=0, unknown=(-9,)),
        Variable(name="level", kind="ordinal", role="quasi", levels=("low", "mid", "high")),
        Variable(name="sex", kind="nominal", role="quasi"),
        Variable(name="code", kind="nominal", role="quasi"),
        Variable(name="pay", kind="numeric", role="confidential", lower=0),
        Variable(name="days", kind="numeric", role="other"),
        Variable(name="score", kind="numeric", role="other", decimals=2, upper=1000),
        Variable(name="remark", kind="nominal", role="other"),
        Variable(name="w", kind="numeric", role="weight"),
    )
).with_taxonomy("codes", TREE, columns=["code"])
STRATA = SCHEMA.with_role("stratum", "remark")
TYPES = {"age": nw.Int64, "days": nw.Int64, "pay": nw.Float64, "score": nw.Float64, "w": nw.Float64}

MARK = "zqx7731"  # stands in every hostile text cell, and must stand in no message
NUMBER = 8467.53
PRIVATE = (MARK, str(NUMBER), "8467")


def frame_of(cells: Mapping[str, Sequence[Any]], library: str = "polars") -> Any:
    """Cells as a dataframe of a library: `polars`, `pandas` or `pyarrow`."""
    types = {name: _type_of(name, column) for name, column in cells.items()}
    return nw.from_dict(dict(cells), types, backend=library).to_native()  # type: ignore[arg-type]


def _type_of(name: str, column: Sequence[Any]) -> Any:
    """The column's usual type, text where it holds text, and pandas' float where whole numbers have gaps."""
    if name not in TYPES or any(isinstance(cell, str) for cell in column):
        return nw.String
    return nw.Float64 if any(cell is None for cell in column) else TYPES[name]


@cache
def _plain(n_records: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng(1)
    gap = rng.random(n_records) < 0.1
    little = rng.random(n_records) < 0.05
    return {
        "id": [f"P{i}" for i in range(n_records)],
        "age": np.where(gap, -9, rng.integers(0, 99, n_records)).tolist(),
        "level": rng.choice(["low", "mid", "high"], n_records).tolist(),
        "sex": [
            None if g else s for g, s in zip(little, rng.choice(["f", "m"], n_records).tolist(), strict=True)
        ],
        "code": rng.choice(["x1", "x2", "y1", "y2"], n_records).tolist(),
        "pay": [
            None if g else float(v) for g, v in zip(gap[::-1], rng.lognormal(3, 1, n_records), strict=True)
        ],
        "days": rng.integers(1, 400, n_records).tolist(),
        "score": np.round(rng.normal(500, 100, n_records), 2).clip(max=1000).tolist(),
        "remark": rng.choice(["a", "b"], n_records).tolist(),
        "w": np.round(rng.gamma(2, 2, n_records) + 0.1, 2).tolist(),
    }


def plain_cells(n_records: int = 60) -> dict[str, list[Any]]:
    """Every kind of column, with gaps, declared missing codes and weights; two columns of numbers are complete."""
    return {name: list(column) for name, column in _plain(n_records).items()}


def uneven_cells(n_records: int = 60) -> dict[str, list[Any]]:
    """The plain table under weights from nothing to a thousand, no two above 0 alike."""
    weights = np.where(np.arange(n_records) % 5 == 0, 0.0, np.geomspace(0.1, 1e3, n_records)).tolist()
    return plain_cells(n_records) | {"w": weights}


def many_categories(n_records: int = 20_000, n_categories: int = 10_000) -> dict[str, list[Any]]:
    """The plain table with 10^4 categories in its nominal column."""
    towns = [f"t{i % n_categories}" for i in range(n_records)]
    return plain_cells(n_records) | {"sex": towns}


def hostile_cells() -> dict[str, dict[str, list[Any]]]:
    """Small tables, each with one thing that methods stumble over; all but the first may be refused."""
    n = 24
    base: dict[str, list[Any]] = {
        "id": [f"P{i}" for i in range(n)],
        "age": [30 + i for i in range(n)],
        "level": ["low", "mid", "high"] * (n // 3),
        "sex": ["f", "m"] * (n // 2),
        "code": ["x1", "x2", "y1", "y2"] * (n // 4),
        "pay": [NUMBER + i for i in range(n)],
        "days": [1 + i * i for i in range(n)],
        "score": [float(i % 5) for i in range(n)],
        "remark": [MARK] * n,
        "w": [1.0] * n,
    }
    first = {name: column[:1] for name, column in base.items()}
    return {
        "plain": base,
        "constants": base | {"age": [40] * n, "pay": [NUMBER] * n, "sex": ["f"] * n, "days": [7] * n},
        "duplicates": {name: cell * n for name, cell in first.items()} | {"id": base["id"]},
        "one row": first,
        "two rows": {name: column[:2] for name, column in base.items()},
        "fewer than 2k": {name: column[:5] for name, column in base.items()},
        "all missing": base | {name: [None] * n for name in ("age", "pay", "sex", "code", "days")},
        "collinear": base | {"pay": [2.0 * age + 1 for age in base["age"]], "days": base["age"]},
        "infinite": base | {"pay": [float("inf"), *base["pay"][1:]]},
        "nan": base | {"pay": [float("nan"), *base["pay"][1:]]},
        "negative weight": base | {"w": [-1.0] + [1.0] * (n - 1)},
        "zero weights": base | {"w": [0.0] * (n - 1) + [1.0]},
        "no weight at all": base | {"w": [0.0] * n},
        "unknown code": base | {"code": [MARK, *base["code"][1:]]},
        "unknown level": base | {"level": [MARK, *base["level"][1:]]},
        "text for a number": base | {"pay": [MARK] * n},
        "huge numbers": base | {"pay": [1e300 * (i + 1) for i in range(n)]},
        "tiny numbers": base | {"pay": [1e-300 * i for i in range(n)]},
        "missing column": {name: column for name, column in base.items() if name != "pay"},
        "no rows": {name: column[:0] for name, column in base.items()},
    }
