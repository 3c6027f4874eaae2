"""PRAM: the matrix is invariant, its diagonal is what was asked for, margins hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.masking.pram import PRAM, Redraw, invariant_matrix
from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy

SEX = Schema((Variable(name="sex", kind="nominal", role="quasi"),))
margins = st.lists(st.integers(0, 50), min_size=1, max_size=8).filter(lambda counts: sum(counts) > 0)


@given(margins, st.floats(0.01, 1.0))
def test_matrix_is_invariant_with_the_asked_diagonal(counts: list[int], keep: float) -> None:
    """t' R = t', rows sum to 1, and the smallest diagonal entry of a category that occurs is `keep` or its share."""
    margin = np.array(counts, dtype=float)
    matrix = Redraw.of(margin, np.zeros(len(counts), dtype=np.int32), keep).matrix()
    np.testing.assert_allclose(margin @ matrix, margin, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-12)
    diagonal = np.diag(matrix)[margin > 0]
    if (margin > 0).sum() > 1:
        rarest = margin[margin > 0].min() / margin.sum()
        assert diagonal.min() == pytest.approx(max(keep, rarest), abs=1e-12)


@pytest.mark.data
def test_reference_matrix_is_invariant_but_breaks_its_promise(golden: Callable[[str], Any]) -> None:
    """The reference program's matrix goes below the diagonal it was asked for; ours never does."""
    run = golden("categorical.json")["pram"]["roof"]["pd0.8_alpha0.5"]
    theirs, margin = np.array(run["seed1_matrix"]), np.array(run["frequencies"])
    np.testing.assert_allclose(margin @ theirs, margin, rtol=1e-9)
    assert np.diag(theirs).min() < 0.55
    ours = Redraw.of(margin, np.zeros(5, dtype=np.int32), 0.8).matrix()
    np.testing.assert_allclose(margin @ ours, margin, rtol=1e-12)
    assert np.diag(ours).min() == pytest.approx(0.8, abs=1e-12)


@given(margins, st.integers(0, 2**32))
def test_own_matrices_are_made_invariant(counts: list[int], seed: int) -> None:
    """The two-stage method turns any transition matrix into one that keeps the margin."""
    margin = np.array(counts, dtype=float)
    matrix = np.random.default_rng(seed).dirichlet(np.ones(len(counts)), size=len(counts))
    invariant = invariant_matrix(matrix, margin)
    np.testing.assert_allclose(margin @ invariant, margin, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(invariant.sum(axis=1), 1)


@pytest.mark.statistical
def test_draws_follow_the_matrix() -> None:
    """Transition counts of 90 000 records against the matrix (chi-square, level 1e-4)."""
    before = np.repeat(np.array([0, 1, 2]), [60_000, 9_000, 21_000])
    frame = pl.DataFrame({"sex": np.array(["a", "b", "c"])[before]})
    after = PRAM(0.6).protect(frame, SEX, seed=4).data["sex"].to_numpy()
    codes = np.searchsorted(["a", "b", "c"], after)
    found = np.zeros((3, 3))
    np.add.at(found, (before, codes), 1)
    matrix = Redraw.of(found.sum(axis=1), np.zeros(3, dtype=np.int32), 0.6).matrix()
    expected = found.sum(axis=1, keepdims=True) * matrix
    assert ((found - expected) ** 2 / expected).sum() < 27.9  # 6 degrees of freedom


def test_exact_keeps_margins_and_changes_cells() -> None:
    """exact=True permutes: the margin is the same multiset."""
    frame = pl.DataFrame({"sex": ["a"] * 50 + ["b"] * 30 + ["c"] * 20})
    release = PRAM(0.5, exact=True).protect(frame, SEX, seed=1)
    assert release.claims[0].verdict.holds
    assert release.data["sex"].value_counts().sort("sex").equals(frame["sex"].value_counts().sort("sex"))
    assert not release.data.equals(frame)


def test_depth_keeps_the_ancestor() -> None:
    """With depth=1 a code moves only among codes of its own branch."""
    tree = Taxonomy.from_edges(
        [("all", ""), ("x", "all"), ("x1", "x"), ("x2", "x"), ("y", "all"), ("y1", "y"), ("y2", "y")]
    )
    schema = Schema((Variable(name="code", kind="nominal", role="quasi"),)).with_taxonomy(
        "t", tree, columns=["code"]
    )
    frame = pl.DataFrame({"code": ["x1", "x2", "y1", "y2"] * 50})
    after = PRAM(0.3, depth=1).protect(frame, schema, seed=2).data["code"]
    assert (after.str.slice(0, 1) == frame["code"].str.slice(0, 1)).all()
    assert not after.equals(frame["code"])


def test_keep_one_changes_nothing() -> None:
    """keep = 1 is the identity; so is a column with one category."""
    frame = pl.DataFrame({"sex": ["a", "b", None, "a"]})
    assert PRAM(1.0).protect(frame, SEX, seed=1).data.equals(frame)
    single = pl.DataFrame({"sex": ["a"] * 4})
    assert PRAM(0.1).protect(single, SEX, seed=1).data.equals(single)


def test_ten_thousand_categories() -> None:
    """The matrix is never written out."""
    codes = [f"c{i:05d}" for i in range(10_000)] * 2
    after = PRAM(0.5).protect(pl.DataFrame({"sex": codes}), SEX, seed=1).data["sex"]
    assert 0.4 < (after == pl.Series(codes)).mean() < 0.6


def test_bad_parameters() -> None:
    """keep is a chance; a matrix has the shape of the categories and rows that sum to 1."""
    with pytest.raises(ParameterError, match="keep"):
        PRAM(0.0)
    frame = pl.DataFrame({"sex": ["a", "b"]})
    with pytest.raises(ParameterError, match="2 x 2"):
        PRAM(matrices={"sex": ((1.0,),)}).protect(frame, SEX)
    with pytest.raises(ParameterError, match="sum to 1"):
        PRAM(matrices={"sex": ((0.5, 0.4), (0.0, 1.0))}).protect(frame, SEX)


WEIGHTED = Schema((*SEX, Variable(name="w", kind="numeric", role="weight")))


def test_categories_without_weight_stay_and_are_told() -> None:
    """A category whose records all have weight 0 keeps its records, exact or not, and a note counts them."""
    frame = pl.DataFrame({"sex": ["a"] * 200 + ["b"] * 200 + ["c"] * 100, "w": [1.0] * 400 + [0.0] * 100})
    for exact in (False, True):
        release = PRAM(0.8, columns=("sex",), exact=exact).protect(frame, WEIGHTED, seed=1)
        assert (release.data["sex"][400:] == "c").all()
        assert (release.data["sex"][:400] != "c").all()
        assert 0.02 < (release.data["sex"] != frame["sex"]).mean() < 0.3
        assert release.notes == ("Records whose category has no weight were not redrawn: sex (100).",)


def test_a_branch_without_weight_stays() -> None:
    """With depth=1 a branch of total weight 0 is left alone, and no category leaves its branch for another."""
    tree = Taxonomy.from_edges(
        [("all", ""), ("x", "all"), ("x1", "x"), ("x2", "x"), ("y", "all"), ("y1", "y"), ("y2", "y")]
    )
    plan = Schema(
        (
            Variable(name="code", kind="nominal", role="quasi"),
            Variable(name="w", kind="numeric", role="weight"),
        )
    ).with_taxonomy("t", tree, columns=["code"])
    frame = pl.DataFrame({"code": ["x1", "x2", "y1", "y2"] * 50, "w": [0.1, 0.2, 0.0, 0.0] * 50})
    after = PRAM(0.5, depth=1).protect(frame, plan, seed=2).data["code"]
    moved = after != frame["code"]
    assert moved.any()
    assert frame["code"].filter(moved).is_in(["x1", "x2"]).all()
    assert after.filter(moved).is_in(["x1", "x2"]).all()


def test_matrices_may_be_arrays_and_survive_a_recipe() -> None:
    """Lists, tuples and arrays are one method, held as plain numbers."""
    rows = [[0.9, 0.1], [0.2, 0.8]]
    plan = PRAM(matrices={"sex": np.array(rows)})  # type: ignore[dict-item]
    assert plan == PRAM(matrices={"sex": rows})  # type: ignore[dict-item]
    assert plan.matrices == {"sex": ((0.9, 0.1), (0.2, 0.8))}


def test_a_matrix_for_a_column_without_values_does_nothing() -> None:
    """All cells missing: no margin to keep, no division by it."""
    frame = pl.DataFrame({"sex": [None] * 4}, schema={"sex": pl.Enum(["a", "b"])})
    plan = PRAM(matrices={"sex": ((0.9, 0.1), (0.2, 0.8))})
    assert plan.protect(frame, SEX, seed=1).data["sex"].null_count() == 4


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (((0.5, 0.5), (1.0,)), "square"),
        (((float("nan"), 0.5), (0.5, 0.5)), "finite number, at least 0"),
        (((1.5, -0.5), (0.5, 0.5)), "at least 0"),
        ((("x", 0.5), (0.5, 0.5)), "finite number"),
        ("half", "must be a list"),
        (0.5, "must be a list"),
        ((), "square"),
    ],
)
def test_matrices_that_are_none_are_refused_at_once(matrix: object, says: str) -> None:
    """Ragged, not a number, negative, text: before any data is read, under the name of the column."""
    with pytest.raises(ParameterError, match=rf"matrices\['sex'\].*{says}"):
        PRAM(matrices={"sex": matrix})  # type: ignore[dict-item]


def test_a_matrix_for_another_column_is_refused() -> None:
    """A matrix that would be ignored is a misspelt name."""
    with pytest.raises(ParameterError, match=r"not treated: sxe\. Treated: sex"):
        PRAM(matrices={"sxe": ((1.0,),)}).protect(pl.DataFrame({"sex": ["a", "b"]}), SEX)
