"""Every public method x every law x every dataframe library; and hostile tables, which work or are explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numba import set_num_threads

from discreet.checks import method_laws as laws
from discreet.composition import Cells, Composition, Whole, Within
from discreet.errors import InputError
from discreet.masking.cholesky_hybrid import CholeskyHybrid
from discreet.masking.group_centre import GroupCentre
from discreet.masking.local_suppression import LocalSuppression
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.moment_restoration import MomentRestoration
from discreet.masking.noise import Noise
from discreet.masking.pram import PRAM
from discreet.masking.rank_swapping import RankSwapping
from discreet.masking.recoding import GlobalRecoding
from discreet.masking.rounding import Rounding
from discreet.masking.top_bottom_coding import TopBottomCoding
from discreet.masking.univariate_microaggregation import UnivariateMicroaggregation
from discreet.partition.mdav import MDAV
from discreet.release import Method
from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy
from discreet.workflow.methods import METHODS
from discreet.workflow.pipeline import Pipeline

# method, and the columns of the common table that it treats
CASES: list[tuple[Method, tuple[str, ...]]] = [
    (Microaggregation(3), ("age", "level", "sex", "code")),
    (Microaggregation(3, columns=("age", "pay"), numeric="median"), ("age", "pay")),
    (Microaggregation(3, columns=("age", "pay"), gamma=0.5), ("age", "pay")),
    (Microaggregation(4, nominal="draw", taxonomic="ancestor"), ("age", "level", "sex", "code")),
    (UnivariateMicroaggregation(3), ("age", "pay")),
    (Noise(0.3), ("age", "pay")),
    (Noise(0.3, kind="correlated"), ("age", "pay")),
    (Noise(0.3, kind="rescaled"), ("age", "pay")),
    (RankSwapping(10), ("age", "pay")),
    (RankSwapping(20, columns=("level",)), ("level",)),
    (PRAM(0.7), ("level", "sex", "code")),
    (PRAM(0.6, depth=1, exact=True, columns=("code",)), ("code",)),
    (GlobalRecoding({"age": [30, 60], "code": 1}), ("age", "code")),
    (TopBottomCoding(top_share=0.1, bottom_share=0.1, value="mean"), ("age", "pay")),
    (TopBottomCoding(top={"pay": 50.0}, value="missing"), ("pay",)),
    (LocalSuppression(2), ("age", "level", "sex", "code")),
    (Rounding(10), ("age", "pay")),
    (Rounding({"pay": 10}, random=True), ("pay",)),
    (CholeskyHybrid(Noise(0.2), min_part=5), ("age", "pay")),
    (CholeskyHybrid(RankSwapping(10), columns=("pay",), by=("level",), min_part=5), ("age", "pay")),
    (Pipeline((GlobalRecoding({"code": 1}), Microaggregation(3))), ("age", "level", "sex", "code")),
    (Composition(Cells(("sex",)), Within(Noise(0.2, columns=("pay",)))), ("pay",)),
    (Composition(Whole(), Within(Rounding(10)), MomentRestoration(min_part=5)), ("age", "pay")),
    (Composition(MDAV(3, ("age",)), GroupCentre(("age",))), ("age",)),
]
IDS = [f"{i}-{type(method).__name__}" for i, (method, _) in enumerate(CASES)]

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
        Variable(name="remark", kind="nominal", role="other"),
        Variable(name="w", kind="numeric", role="weight"),
    )
).with_taxonomy("codes", TREE, columns=["code"])


def cells(n: int = 60, seed: int = 1) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    gap = rng.random(n) < 0.1
    return {
        "id": [f"P{i}" for i in range(n)],
        "age": np.where(gap, -9, rng.integers(0, 99, n)).tolist(),
        "level": rng.choice(["low", "mid", "high"], n).tolist(),
        "sex": [
            None if g else s
            for g, s in zip(rng.random(n) < 0.05, rng.choice(["f", "m"], n).tolist(), strict=True)
        ],
        "code": rng.choice(["x1", "x2", "y1", "y2"], n).tolist(),
        "pay": [None if g else float(v) for g, v in zip(gap[::-1], rng.lognormal(3, 1, n), strict=True)],
        "remark": rng.choice(["a", "b"], n).tolist(),
        "w": np.round(rng.gamma(2, 2, n) + 0.1, 2).tolist(),
    }


def as_pandas(columns: dict[str, list[Any]]) -> Any:
    frame = pd.DataFrame(columns)
    frame.index = pd.Index([f"row {i}" for i in range(len(frame))][::-1], name="key")
    return frame


LIBRARIES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "polars": pl.DataFrame,
    "pandas": as_pandas,
    "pyarrow": lambda columns: pl.DataFrame(columns).to_arrow(),
}


@pytest.mark.parametrize(("method", "treated"), CASES, ids=IDS)
@pytest.mark.parametrize("law", laws.METHOD_LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[..., None], method: Method, treated: tuple[str, ...]) -> None:
    """The law holds for the method on a table with every kind of column, gaps, codes, weights."""
    law(method, pl.DataFrame(cells()), SCHEMA)


@pytest.mark.parametrize(("method", "treated"), CASES, ids=IDS)
def test_other_columns_are_untouched(method: Method, treated: tuple[str, ...]) -> None:
    """Only the columns it is for are changed."""
    laws.other_columns_are_untouched(method, pl.DataFrame(cells()), SCHEMA, treated)


@pytest.mark.parametrize(("method", "treated"), CASES, ids=IDS)
def test_libraries_agree(method: Method, treated: tuple[str, ...]) -> None:
    """pandas, polars and Arrow give the same release, each in its own library."""
    released = {name: laws.protected(method, build(cells()), SCHEMA) for name, build in LIBRARIES.items()}
    for name, release in released.items():
        assert release.table.same_as(released["polars"].table), name
        laws.shape_is_carried_along(method, LIBRARIES[name](cells()), SCHEMA)
    assert released["pandas"].data.index.tolist() == as_pandas(cells()).index.tolist()


@pytest.mark.parametrize(("method", "treated"), CASES, ids=IDS)
def test_thread_count_does_not_matter(method: Method, treated: tuple[str, ...]) -> None:
    """One thread or two: the same bits."""
    frame = pl.DataFrame(cells(300))
    set_num_threads(1)
    one = laws.protected(method, frame, SCHEMA)
    set_num_threads(2)
    assert laws.protected(method, frame, SCHEMA).table.same_as(one.table)


def test_every_public_method_is_here() -> None:
    """A new method inherits the laws by being listed."""
    assert {type(method) for method, _ in CASES} >= set(METHODS)


# -- hostile tables --------------------------------------------------------------------------------------------

MARK = "zqx7731"  # stands in every hostile text cell, and must stand in no message
NUMBER = 8467.53


def hostile_tables() -> dict[str, pl.DataFrame]:
    n = 12
    base = {
        "id": [f"P{i}" for i in range(n)],
        "age": [30 + i for i in range(n)],
        "level": ["low", "mid", "high"] * 4,
        "sex": ["f", "m"] * 6,
        "code": ["x1", "x2", "y1", "y2"] * 3,
        "pay": [NUMBER + i for i in range(n)],
        "remark": [MARK] * n,
        "w": [1.0] * n,
    }
    collinear = base | {"pay": [float(2 * v + 1) for v in base["age"]]}  # type: ignore[operator]
    return {
        "plain": pl.DataFrame(base),
        "constants": pl.DataFrame(base | {"age": [40] * n, "pay": [NUMBER] * n, "sex": ["f"] * n}),
        "duplicates": pl.DataFrame({k: v[:1] * n for k, v in base.items()} | {"id": base["id"]}),
        "one row": pl.DataFrame({k: v[:1] for k, v in base.items()}),
        "two rows": pl.DataFrame({k: v[:2] for k, v in base.items()}),
        "fewer than 2k": pl.DataFrame({k: v[:5] for k, v in base.items()}),
        "all missing": pl.DataFrame(
            base | {"age": [None] * n, "pay": [None] * n, "sex": [None] * n, "code": [None] * n},
            schema_overrides={"age": pl.Int64, "pay": pl.Float64, "sex": pl.String, "code": pl.String},
        ),
        "collinear": pl.DataFrame(collinear),
        "infinite": pl.DataFrame(base | {"pay": [float("inf"), *base["pay"][1:]]}),
        "nan": pl.DataFrame(base | {"pay": [float("nan"), *base["pay"][1:]]}),
        "negative weight": pl.DataFrame(base | {"w": [-1.0] + [1.0] * (n - 1)}),
        "zero weights": pl.DataFrame(base | {"w": [0.0] * (n - 1) + [1.0]}),
        "no weight at all": pl.DataFrame(base | {"w": [0.0] * n}),
        "unknown code": pl.DataFrame(base | {"code": [MARK, *base["code"][1:]]}),
        "unknown level": pl.DataFrame(base | {"level": [MARK, *base["level"][1:]]}),
        "text for a number": pl.DataFrame(base | {"pay": [MARK] * n}),
        "huge numbers": pl.DataFrame(base | {"pay": [1e300 * (i + 1) for i in range(n)]}),
        "tiny numbers": pl.DataFrame(base | {"pay": [1e-300 * i for i in range(n)]}),
        "missing column": pl.DataFrame({k: v for k, v in base.items() if k != "pay"}),
        "no rows": pl.DataFrame(base).clear(),
    }


@pytest.mark.parametrize("table", list(hostile_tables()))
@pytest.mark.parametrize(("method", "treated"), CASES, ids=IDS)
def test_hostile_tables_work_or_are_explained(method: Method, treated: tuple[str, ...], table: str) -> None:
    """A release whose claims hold, or one clear error; never another exception, never a cell value in a message."""
    laws.works_or_explains(method, hostile_tables()[table], SCHEMA, private=(MARK, str(NUMBER), "8467"))


@pytest.mark.parametrize(("method", "treated"), CASES, ids=IDS)
def test_zero_strength_and_bad_parameters_are_told_apart(method: Method, treated: tuple[str, ...]) -> None:
    """A table without the columns a method is for is refused with the names of what there is."""
    frame = pl.DataFrame({"remark": ["a", "b"] * 5})
    schema = Schema((Variable(name="remark", kind="nominal", role="other"),))
    with pytest.raises(InputError):
        method.protect(frame, schema)


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [Microaggregation(3), PRAM(0.7), LocalSuppression(2)], ids=lambda m: type(m).__name__
)
def test_ten_thousand_categories(method: Method) -> None:
    """10^4 categories in one column."""
    n = 20_000
    frame = pl.DataFrame({"town": [f"t{i % 10_000}" for i in range(n)], "age": np.arange(n) % 90})
    schema = Schema(
        (
            Variable(name="town", kind="nominal", role="quasi"),
            Variable(name="age", kind="numeric", role="quasi"),
        )
    )
    release = laws.protected(method, frame, schema)
    assert nw.from_native(release.data).shape == (n, 2)
