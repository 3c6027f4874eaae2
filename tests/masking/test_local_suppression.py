"""Local suppression: k holds where an empty cell matches anything, with few cells emptied."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError, UnsuitableError
from discreet.masking.local_suppression import LocalSuppression, cells_to_empty
from discreet.stats.keys import Key, count_frequencies
from discreet.stats.streams import Streams
from discreet.table.schema import Schema, Variable


def schema(names: list[str]) -> Schema:
    return Schema(tuple(Variable(name=n, kind="nominal", role="quasi") for n in names))


def matches(cells: list[tuple[Any, ...]]) -> list[int]:
    """How many records each agrees with, an empty cell agreeing with anything: by comparing all pairs."""
    return [
        sum(all(a is None or b is None or a == b for a, b in zip(x, y, strict=True)) for y in cells)
        for x in cells
    ]


@settings(deadline=None, max_examples=60)
@given(
    st.integers(2, 4),
    st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=4, max_size=30),
    st.integers(0, 9),
)
def test_k_holds_and_nothing_is_given_away(k: int, rows: list[tuple[int, ...]], seed: int) -> None:
    """Every record matches k; cells are emptied, never changed; no emptied cell could simply be given back."""
    frame = pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")
    release = LocalSuppression(k).protect(frame, schema(["a", "b", "c"]), seed=seed)
    after = release.data.rows()
    assert min(matches(after)) >= k
    for before, now in zip(rows, after, strict=True):
        assert all(b is None or a == b for a, b in zip(before, now, strict=True))
    for i, j in product(range(len(rows)), range(3)):
        if after[i][j] is None:
            restored = [*after]
            restored[i] = tuple(rows[i][c] if c == j else after[i][c] for c in range(3))
            assert min(matches(restored)) < k


@pytest.mark.data
@pytest.mark.parametrize("k", [2, 3, 5])
def test_fewer_cells_than_the_reference(
    golden: Callable[[str], Any], real_table: Callable[[str], pl.DataFrame], k: int
) -> None:
    """On the reference program's own example no more cells are emptied than it empties."""
    for name, runs in golden("categorical.json")["localSuppression"].items():
        if f"k{k}" not in runs:
            continue
        run = runs[f"k{k}"]
        table = real_table("testdata.csv" if name.startswith("testdata") else f"{name}.csv")
        keys = [Key.of(table[c].to_numpy()) for c in run["keys"]]
        emptied = cells_to_empty(keys, k, np.ones(len(keys)), Streams(1))
        gaps = [Key(key.codes, emptied[:, j]) for j, key in enumerate(keys)]
        assert count_frequencies(gaps, table.height, missing="wildcard").sample.min() >= k
        assert emptied.sum() <= run["total"], name


def test_records_that_match_through_empty_cells_alone_are_counted() -> None:
    """A record that shows its whole key, as no other does, is k-anonymous by the wildcard reading only: that is said."""
    frame = pl.DataFrame({"a": ["x", None, "y", "y"], "b": ["p", "p", "q", "q"]})
    release = LocalSuppression(2).protect(frame, schema(["a", "b"]), seed=1)
    assert release.data.equals(frame)
    assert release.notes[-1].startswith("Of 3 records that show their whole key, 1 are alone")
    plain = LocalSuppression(2).protect(frame.tail(2), schema(["a", "b"]), seed=1)
    assert not any("alone" in note for note in plain.notes)


def test_importance_steers_and_protects() -> None:
    """A column of infinite importance is never emptied; the cheap one is taken instead."""
    frame = pl.DataFrame({"a": ["x", "x", "y"], "b": ["p", "p", "p"], "c": ["m", "m", "m"]})
    release = LocalSuppression(2, importance={"a": 5.0}).protect(frame, schema(["a", "b", "c"]), seed=1)
    assert release.data["a"].null_count() == 1
    never = {"a": float("inf")}
    with pytest.raises(UnsuitableError, match="1 of 3 records match fewer"):
        LocalSuppression(2, importance=never).protect(frame, schema(["a", "b", "c"]), seed=1)


def test_gaps_that_are_there_match_anything() -> None:
    """A record that lacks its cell needs no further suppression."""
    frame = pl.DataFrame({"a": ["x", "x", None]})
    release = LocalSuppression(2).protect(frame, schema(["a"]), seed=1)
    assert release.data.equals(frame)


def test_declared_codes_are_values_that_can_be_rare() -> None:
    """A code for missing stands in the file: two records that alone hold theirs are emptied like any rare value."""
    frame = pl.DataFrame({"a": [-8, -9, 1, 1, 1, 1, 1, 1]})
    coded = Schema((Variable(name="a", kind="numeric", role="quasi", unknown=(-8, -9), decimals=0),))
    release = LocalSuppression(3).protect(frame, coded, seed=1)
    assert release.data["a"].to_list() == [None, None, 1, 1, 1, 1, 1, 1]


def test_bad_parameters() -> None:
    """k at least 1, prices above 0, known columns, not too many of them, enough records."""
    with pytest.raises(ParameterError, match="k"):
        LocalSuppression(0)
    with pytest.raises(ParameterError, match="importance"):
        LocalSuppression(importance={"a": 0})
    frame = pl.DataFrame({"a": ["x", "y"]})
    with pytest.raises(ParameterError, match="importance"):
        LocalSuppression(2, importance={"b": 1}).protect(frame, schema(["a"]))
    with pytest.raises(UnsuitableError, match="records"):
        LocalSuppression(3).protect(frame, schema(["a"]))
    wide = pl.DataFrame({f"c{i}": ["x", "y"] for i in range(15)})
    with pytest.raises(UnsuitableError, match="at most 14"):
        LocalSuppression(2).protect(wide, schema(wide.columns))
