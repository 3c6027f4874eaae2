"""How far apart records are: every column counts alike, whatever its kind and however much of it is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.reference_mdav import path_lengths

from discreet.partition.spread import spread_of
from discreet.table.column import Column
from discreet.table.schema import Variable
from discreet.table.taxonomy import Taxonomy

TREE = Taxonomy.from_edges([("all", ""), ("x", "all"), ("x1", "x"), ("x2", "x"), ("y", "all")])


def columns(share_present: float, n: int = 400) -> list[Column]:
    """One column of each kind, with a share of cells present."""
    rng = np.random.default_rng(1)

    def cells(values: Any) -> list[Any]:
        present = rng.permutation(n) < share_present * n
        return [v if shown else None for v, shown in zip(values.tolist(), present, strict=True)]

    return [
        Column.build(Variable(name="a", kind="numeric"), cells(rng.lognormal(size=n))),
        Column.build(Variable(name="b", kind="ordinal", levels=(1, 2, 3)), cells(rng.integers(1, 4, n))),
        Column.build(Variable(name="c", kind="nominal"), cells(rng.choice(["f", "m", "o"], n))),
        Column.build(
            Variable(name="d", kind="taxonomic", taxonomy="t"),
            cells(rng.choice(["x1", "x2", "y"], n)),
            tree=TREE,
        ),
    ]


@pytest.mark.parametrize("share_present", [1.0, 0.5, 0.1])
def test_each_column_contributes_one_half_over_pairs_that_have_it(share_present: float) -> None:
    """The mean over all pairs of present cells is 1/2, also where nine cells in ten are missing."""
    made = columns(share_present)
    spread = spread_of(made)
    for j in range(2):
        present = spread.numeric[~made[j].missing, j]
        squares = (present[:, None] - present[None, :]) ** 2
        assert spread.scales[j] * squares.mean() == pytest.approx(0.5)
    for t, (parent, weights) in enumerate(zip(spread.parents, spread.weights, strict=True)):
        nodes = spread.nodes[~made[2 + t].missing, t]
        lengths = path_lengths(parent, weights)[np.ix_(nodes, nodes)]
        assert spread.scales[2 + t] * lengths.mean() == pytest.approx(0.5)


def test_an_empty_and_a_constant_column_contribute_nothing() -> None:
    """No cell, or one value beside gaps: the scale is 0 for every kind."""
    for cells in ([None] * 4, [1, 1, None, 1]):
        made = [
            Column.build(Variable(name="a", kind="numeric"), cells),
            Column.build(Variable(name="b", kind="ordinal", levels=(1, 2)), cells),
            Column.build(Variable(name="c", kind="nominal"), cells),
        ]
        assert spread_of(made).scales.tolist() == [0.0, 0.0, 0.0]
