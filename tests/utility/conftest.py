"""Tables for the tests of the utility measures, and all measures with parameters small enough for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.base import Measure
from discreet.table.column import Column
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy
from discreet.utility.bias import AbsoluteBias
from discreet.utility.cellwise import CellLoss
from discreet.utility.crosstables import ConditionalDistance, TableDistance
from discreet.utility.distributions import MarginalDistance
from discreet.utility.eigenvalues import EigenvalueLoss
from discreet.utility.learning import LearningLoss
from discreet.utility.marginality import SubsampleVariation, Variation
from discreet.utility.moments import MomentChange
from discreet.utility.pil import ProbabilisticLoss
from discreet.utility.propensity import Propensity
from discreet.utility.propensity_trees import TreePropensity
from discreet.utility.regression import RegressionChange

MEASURES: dict[str, Measure] = {
    "AbsoluteBias": AbsoluteBias(),
    "CellLoss": CellLoss(),
    "ConditionalDistance": ConditionalDistance(bins=4),
    "TableDistance": TableDistance(bins=4),
    "MarginalDistance": MarginalDistance(),
    "EigenvalueLoss": EigenvalueLoss(),
    "LearningLoss": LearningLoss(learner="tree", target="work"),
    "LearningLoss number": LearningLoss(learner="tree", target="age"),
    "Variation": Variation(),
    "SubsampleVariation": SubsampleVariation(samples=3, share=0.5),
    "MomentChange": MomentChange(),
    "ProbabilisticLoss": ProbabilisticLoss(),
    "ProbabilisticLoss kde": ProbabilisticLoss(density="kde"),
    "ProbabilisticLoss by": ProbabilisticLoss(by=("sex",)),
    "Propensity": Propensity(order=2, least_joint=3),
    "Propensity tensor": Propensity(reading="tensor", order=2, least_joint=3),
    "TreePropensity": TreePropensity(permutations=3, least_leaf=3),
    "RegressionChange": RegressionChange(),
    "RegressionChange formulas": RegressionChange(formulas=("age ~ stay*sex + work", "sex=m ~ age")),
}

TREE = Taxonomy.from_edges(
    [("all", ""), ("a", "all"), ("a1", "a"), ("a2", "a"), ("b", "all"), ("b1", "b")], "places"
)
VARIABLES = {
    "person": Variable(name="person", kind="nominal", role="identifier", levels=("p", "q")),
    "age": Variable(name="age", kind="numeric", role="quasi"),
    "stay": Variable(name="stay", kind="numeric", role="quasi"),
    "cost": Variable(name="cost", kind="numeric", role="confidential"),
    "sex": Variable(name="sex", kind="nominal", role="quasi", levels=("f", "m")),
    "work": Variable(name="work", kind="ordinal", role="other", levels=("low", "mid", "high")),
    "place": Variable(name="place", kind="taxonomic", role="quasi", taxonomy="places"),
}


def build(cells: dict[str, list[Any]], weights: list[float] | None = None) -> Table:
    """A table of the columns above."""
    variables = dict(VARIABLES)
    if weights is not None:
        variables["weight"] = Variable(name="weight", kind="numeric", role="weight")
        cells = cells | {"weight": weights}
    return Table.build(cells, variables, trees={"place": TREE})


def random_cells(n_records: int, seed: int, gaps: float = 0.0) -> dict[str, list[Any]]:
    """A mixed table with associations, ties and (by request) empty cells."""
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 90, n_records).astype(float)
    stay = np.round(np.exp(generator.normal(1.0, 0.6, n_records)))
    sex = np.where(generator.random(n_records) < 0.3 + 0.005 * age, "m", "f")
    cells: dict[str, list[Any]] = {
        "person": ["p"] * n_records,
        "age": age.tolist(),
        "stay": stay.tolist(),
        "cost": (10.0 * stay + generator.normal(0, 5, n_records)).tolist(),
        "sex": sex.tolist(),
        "work": generator.choice(["low", "mid", "high"], n_records).tolist(),
        "place": generator.choice(["a", "a1", "a2", "b1"], n_records).tolist(),
    }
    for name in ("age", "cost", "sex", "place"):
        for row in np.flatnonzero(generator.random(n_records) < gaps):
            cells[name][row] = None
    return cells


@pytest.fixture
def mixed() -> Callable[..., Table]:
    """mixed(n_records, seed, gaps, weights) -> a random table of all kinds."""

    def make(
        n_records: int = 80, seed: int = 0, gaps: float = 0.0, weights: list[float] | None = None
    ) -> Table:
        return build(random_cells(n_records, seed, gaps), weights)

    return make


@pytest.fixture
def numeric() -> Callable[..., Table]:
    """numeric({name: values}) -> a table of numeric columns."""

    def make(cells: dict[str, list[float | None]]) -> Table:
        return Table.build(cells, {name: Variable(name=name, kind="numeric") for name in cells})

    return make


def weighted_ones(table: Table, weight: float = 1.0) -> Table:
    """The same table with a column of equal weights."""
    variable = Variable(name="weight", kind="numeric", role="weight")
    column = Column(variable, np.full(table.n_records, weight), np.zeros(table.n_records, dtype=np.uint8))
    return Table((*table.columns, column), table.n_records)


@pytest.fixture
def with_weights() -> Callable[..., Table]:
    return weighted_ones


def adversarial() -> dict[str, tuple[dict[str, list[Any]], dict[str, list[Any]]]]:
    """Pairs of tables, original and protected, each named for what is wrong with it."""
    base, other = random_cells(30, 1), random_cells(30, 2)
    none: list[Any] = [None] * 30
    outlier = [*base["cost"][:-1], 1e12]
    infinite = [float("inf"), -float("inf"), *base["cost"][2:]]
    return {
        "constant columns": (base | {"age": [5.0] * 30, "cost": [0.1] * 30}, other | {"cost": [0.1] * 30}),
        "constant after": (base, other | {"age": [5.0] * 30, "stay": [0.3] * 30, "cost": [1e9] * 30}),
        "duplicate columns": (base | {"cost": base["age"]}, other | {"cost": other["age"]}),
        "identity broken": (base | {"cost": [2 * v for v in base["age"]]}, other),
        "one record": ({k: v[:1] for k, v in base.items()}, {k: v[:1] for k, v in other.items()}),
        "two records": ({k: v[:2] for k, v in base.items()}, {k: v[:2] for k, v in other.items()}),
        "all missing": (
            base | {"age": none, "sex": none, "place": none},
            other | {"stay": none, "work": none},
        ),
        "emptied": (base, {k: (v if k == "person" else none) for k, v in other.items()}),
        "single category": (base | {"sex": ["f"] * 30, "work": ["mid"] * 30}, other | {"place": ["b"] * 30}),
        "new categories": (
            base | {"work": ["low"] * 30, "place": ["a1"] * 30},
            other | {"place": ["b1"] * 30},
        ),
        "outlier": (base | {"cost": outlier}, other),
        "outlier after": (base, other | {"cost": outlier}),
        "infinite": (base | {"cost": infinite}, other),
        "infinite after": (base, other | {"cost": infinite}),
        "huge": (base | {"cost": [1e200 * v for v in base["cost"]]}, other),
        "huge after": (
            base,
            other | {"cost": [1e200, *other["cost"][1:]], "stay": [1e70, *other["stay"][1:]]},
        ),
        "large": (base | {"cost": [1e60 * v for v in base["cost"]]}, other),
        "tiny and large": (
            base | {"cost": [1e-70 * v for v in base["cost"]]},
            other | {"cost": [1e70 * v for v in other["cost"]]},
        ),
        "one column emptied": (base, other | {"age": none}),
        "large offset": (
            base | {"age": [1e9 + v for v in base["age"]]},
            other | {"age": [1e9 + v for v in other["age"]]},
        ),
        "tiny values": (base | {"age": [1e-200 * v for v in base["age"]]}, other),
        "uncorrelated": (base | {"age": [1.0, -1.0] * 15, "stay": [1.0, 1.0, -1.0, -1.0, 0.0] * 6}, other),
        "told apart": (base, other | {"age": [v + 500 for v in other["age"]]}),
        "all the same record": (
            {k: [v[0]] * 30 for k, v in base.items()},
            {k: [v[0]] * 30 for k, v in other.items()},
        ),
    }


@pytest.fixture(params=list(adversarial()))
def hostile(request: pytest.FixtureRequest) -> tuple[Table, Table]:
    """Each adversarial pair in turn."""
    original, protected = adversarial()[request.param]
    return build(original), build(protected)


@pytest.fixture(params=list(MEASURES))
def measure(request: pytest.FixtureRequest) -> Measure:
    """Each utility measure in turn."""
    return MEASURES[request.param]
