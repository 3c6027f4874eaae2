"""Every public method x every law x every dataframe library; and hostile tables, which work or are explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import polars as pl
import pytest

from discreet.base import Draft, Fitted
from discreet.checks import method_laws as laws
from discreet.checks.method_laws import Case
from discreet.checks.tables import (
    SCHEMA,
    STRATA,
    frame_of,
    hostile_cells,
    many_categories,
    plain_cells,
    uneven_cells,
)
from discreet.composition import Cells, Composition, Whole, Within
from discreet.errors import UnsuitableError
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
from discreet.stats.streams import Streams
from discreet.table.schema import Schema
from discreet.table.table import Table
from discreet.workflow.methods import METHODS
from discreet.workflow.pipeline import Pipeline

KEY, PAYS, COMPLETE = ("age", "level", "sex", "code"), ("age", "pay"), ("days", "score")
STEPS = ((0.8, 0.2, 0.0), (0.1, 0.8, 0.1), (0.0, 0.2, 0.8))
NO_STEP = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FINE = 1e-9  # a base of rounding that changes nothing

CASES: list[Case] = [
    Case(Microaggregation(3), KEY, idle=Microaggregation(1)),
    Case(Microaggregation(3, columns=PAYS, numeric="median"), PAYS, idle=Microaggregation(1, columns=PAYS)),
    Case(
        Microaggregation(3, columns=PAYS, gamma=0.5),
        PAYS,
        idle=Microaggregation(1, columns=PAYS, gamma=0.5),
    ),
    Case(Microaggregation(4, nominal="draw", taxonomic="ancestor"), KEY, draws=True),
    Case(UnivariateMicroaggregation(3), PAYS, idle=UnivariateMicroaggregation(1)),
    Case(Noise(0.3), PAYS, draws=True, idle=Noise(0)),
    Case(Noise(0.3, kind="correlated"), PAYS, draws=True, idle=Noise(0, kind="correlated")),
    Case(Noise(0.3, kind="rescaled"), PAYS, draws=True, idle=Noise(0, kind="rescaled")),
    Case(
        Noise(0.3, columns=COMPLETE, kind="rescaled", exact=True),
        COMPLETE,
        draws=True,
        idle=Noise(0, columns=COMPLETE, kind="rescaled", exact=True),
        loose=True,
    ),
    Case(RankSwapping(10), PAYS, draws=True, idle=RankSwapping(0)),
    Case(RankSwapping(20, columns=("level",)), ("level",), draws=True, idle=RankSwapping(0, ("level",))),
    Case(PRAM(0.7), ("level", "sex", "code"), draws=True, idle=PRAM(1)),
    Case(PRAM(0.6, depth=1, exact=True, columns=("code",)), ("code",), draws=True, idle=PRAM(1, exact=True)),
    Case(
        PRAM(columns=("level",), matrices={"level": STEPS}),
        ("level",),
        draws=True,
        idle=PRAM(columns=("level",), matrices={"level": NO_STEP}),
    ),
    Case(GlobalRecoding({"age": [30, 60], "code": 1}), ("age", "code"), idle=GlobalRecoding({"code": 2})),
    Case(
        GlobalRecoding({"level": {"up": ["mid", "high"]}}),
        ("level",),
        idle=GlobalRecoding({"sex": {"f": ["f"]}}),
    ),
    Case(
        TopBottomCoding(top_share=0.2, bottom_share=0.2, value="mean"),
        PAYS,
        idle=TopBottomCoding(top={"age": 1e9, "pay": 1e9}, bottom={"age": -1e9}, value="mean"),
    ),
    Case(
        TopBottomCoding(top={"pay": 50.0}, value="missing"),
        ("pay",),
        idle=TopBottomCoding(top={"pay": 1e9}, value="missing"),
    ),
    Case(LocalSuppression(2), KEY, draws=True, idle=LocalSuppression(1)),
    Case(Rounding(10), PAYS, idle=Rounding(FINE)),
    Case(Rounding({"pay": 10}, random=True), ("pay",), draws=True, idle=Rounding({"pay": FINE}, random=True)),
    Case(CholeskyHybrid(Noise(0.2), min_part=5), PAYS, draws=True, own_parameters=False),
    Case(
        CholeskyHybrid(RankSwapping(10), columns=("pay",), by=("level",), min_part=5),
        PAYS,
        draws=True,
        own_parameters=False,
    ),
    Case(
        Pipeline((GlobalRecoding({"code": 1}), Microaggregation(3))),
        KEY,
        idle=Pipeline((GlobalRecoding({"code": 2}), Microaggregation(1))),
        own_parameters=False,
    ),
    Case(
        Composition(Cells(("sex",)), Within(Noise(0.2, columns=("pay",)))),
        ("pay",),
        draws=True,
        idle=Composition(Cells(("sex",)), Within(Noise(0, columns=("pay",)))),
        own_parameters=False,
    ),
    Case(
        Composition(Whole(), Within(Rounding(10)), MomentRestoration(min_part=5)), PAYS, own_parameters=False
    ),
    Case(
        Composition(MDAV(3, ("age",)), GroupCentre(("age",))),
        ("age",),
        idle=Composition(MDAV(1, ("age",)), GroupCentre(("age",))),
        own_parameters=False,
    ),
]
IDS = [f"{i}-{case}" for i, case in enumerate(CASES)]
each_case = pytest.mark.parametrize("case", CASES, ids=IDS)


def indexed(frame: Any) -> Any:
    """A pandas frame whose index says something, in falling order."""
    frame.index = pd.Index([f"row {i}" for i in range(len(frame))][::-1], name="key")
    return frame


@each_case
@pytest.mark.parametrize("law", laws.METHOD_LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Case, Any, Schema], None], case: Case) -> None:
    """The law holds for the method on a table with every kind of column, gaps, codes, weights."""
    law(case, frame_of(plain_cells()), SCHEMA)


@each_case
@pytest.mark.parametrize("variant", ["strata", "uneven weights"])
def test_laws_under_strata_and_uneven_weights(case: Case, variant: str) -> None:
    """Every law again where a stratum is declared, and where weights run from nothing to a thousand."""
    frame = frame_of(plain_cells(120) if variant == "strata" else uneven_cells(120))
    laws.all_method_laws(case, frame, STRATA if variant == "strata" else SCHEMA)


@each_case
def test_libraries_agree(case: Case) -> None:
    """pandas, polars and Arrow give the same release, each in its own library; pandas keeps its index."""
    frames = {name: frame_of(plain_cells(), name) for name in ("polars", "pandas", "pyarrow")}
    indexed(frames["pandas"])
    laws.libraries_agree(case, frames, SCHEMA)
    kept = laws.protected(case.method, frames["pandas"], SCHEMA).data.index
    assert kept.equals(frames["pandas"].index)


def typed_polars() -> Any:
    """The plain table with categories as an enumeration and a dictionary, and narrow whole numbers."""
    return frame_of(plain_cells()).with_columns(
        pl.col("level").cast(pl.Enum(["low", "mid", "high"])),
        pl.col("sex", "code").cast(pl.Categorical),
        pl.col("age").cast(pl.Int16),
        pl.col("days").cast(pl.UInt16),
    )


def typed_pandas() -> Any:
    """The plain table with categories, and pandas' own types for numbers that may be missing."""
    types = {"level": pd.CategoricalDtype(["low", "mid", "high"], ordered=True), "sex": "category"}
    return frame_of(plain_cells(), "pandas").astype(
        types | {"age": "Int64", "days": "Int64", "pay": "Float64"}
    )


@each_case
@pytest.mark.parametrize("build", [typed_polars, typed_pandas])
def test_other_types_stay(case: Case, build: Callable[[], Any]) -> None:
    """Categories, enumerations, narrow and nullable numbers come back in their type, with their support."""
    laws.types_stay(case, build(), SCHEMA)
    laws.support_is_respected(case, build(), SCHEMA)
    laws.shape_is_carried_along(case, build(), SCHEMA)


@each_case
def test_threads_do_not_matter_on_more_rows(case: Case) -> None:
    """Enough records that work is shared out."""
    laws.thread_count_does_not_matter(case, frame_of(plain_cells(600)), SCHEMA)


@each_case
@pytest.mark.parametrize("table", list(hostile_cells()))
def test_hostile_tables_work_or_are_explained(case: Case, table: str) -> None:
    """A release whose claims hold, or one clear error; never another exception, never a cell value in a message."""
    worked = laws.works_or_explains(case, frame_of(hostile_cells()[table]), SCHEMA)
    assert worked or table != "plain"


@each_case
def test_a_table_without_its_columns_is_refused(case: Case) -> None:
    """The error says which columns or roles the method is for."""
    laws.a_table_without_its_columns_is_refused(case)


@each_case
def test_many_categories(case: Case) -> None:
    """10^4 categories in one column."""
    laws.many_categories_work_or_are_explained(case)


@pytest.mark.parametrize("method", [Microaggregation(3), PRAM(0.7)], ids=lambda m: type(m).__name__)
def test_many_categories_are_no_excuse(method: Method) -> None:
    """Methods that treat nominal columns as they are do not refuse them for having many categories."""
    assert laws.works_or_explains(Case(method, KEY), frame_of(many_categories()), SCHEMA)


def test_every_public_method_is_here() -> None:
    """A new method inherits the laws by being listed."""
    assert {type(case.method) for case in CASES} >= set(METHODS)


# -- the laws can fail -----------------------------------------------------------------------------------------


class Faulty(Method):
    """A method with one fault, given as what it does to the table."""

    def __init__(self, act: Callable[[Table, Streams], Table]) -> None:
        object.__setattr__(self, "act", act)

    def fit(self, table: Table, streams: Streams) -> Fitted:
        return _Does(self, table)


class _Does:
    def __init__(self, method: Any, table: Table) -> None:
        self.method, self.table = method, table

    def draw(self, streams: Streams) -> Draft:
        return Draft(self.method.act(self.table, streams))


def _refuse(table: Table, streams: Streams) -> Table:
    raise UnsuitableError("Not today.")


def _shift(table: Table, streams: Streams) -> Table:
    return table.with_columns(table["days"].with_values(table["days"].numbers + 1))


def _halve(table: Table, streams: Streams) -> Table:
    return table.with_columns(replace(table["days"], loose=True).with_values(table["days"].numbers + 0.5))


@dataclass(frozen=True)
class Lax(Method):
    """A method that looks at no parameter and keeps one in a form that no recipe has."""

    codes: Any = field(default_factory=lambda: {9: 1})

    def fit(self, table: Table, streams: Streams) -> Fitted:
        return _Does(Faulty(_shift), table)


FAULTS: list[tuple[str, Case]] = [
    ("another_seed_or_number_gives_another_release", Case(Faulty(_shift), ("days",), draws=True)),
    ("only_its_columns_are_changed", Case(Faulty(_shift), ("age",))),
    ("only_its_columns_are_changed", Case(Faulty(lambda table, _: table), ("days",))),
    ("zero_strength_changes_nothing", Case(Faulty(_shift), ("days",), idle=Faulty(_shift))),
    ("types_stay", Case(Faulty(_halve), ("days",))),
    ("support_is_respected", Case(Faulty(_halve), ("days",))),
    ("bad_parameters_are_refused", Case(Lax(), ("days",))),
    ("recipe_gives_the_release_again", Case(Lax(), ("days",))),
]


@pytest.mark.parametrize(("law", "case"), FAULTS, ids=[name for name, _ in FAULTS])
def test_a_law_fails_for_the_fault_it_is_for(law: str, case: Case) -> None:
    """Each law that could pass for nothing is seen to fail once."""
    with pytest.raises(AssertionError):
        getattr(laws, law)(case, frame_of(plain_cells()), SCHEMA)


def test_refusing_everything_passes_no_law() -> None:
    """A method that refuses every table is not one that explains itself."""
    with pytest.raises(AssertionError, match="plain"):
        laws.hostile_tables_work_or_are_explained(Case(Faulty(_refuse), ("days",)))
