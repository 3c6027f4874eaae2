"""Microaggregation of every kind of column, with weights, gaps and strata; each centre against the plain definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base import Partition
from discreet.errors import ParameterError, UnsuitableError
from discreet.masking.group_centre import GroupCentre, Members
from discreet.masking.microaggregation import Microaggregation
from discreet.partition.patterns import merge_small, missing_patterns
from discreet.progress import listen
from discreet.stats.streams import Streams
from discreet.table.column import Column
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy


def numeric(name: str, role: str = "quasi", **more: Any) -> Variable:
    return Variable(name=name, kind="numeric", role=role, **more)  # type: ignore[arg-type]


GROUPED = st.integers(1, 25).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(-5, 5), min_size=n, max_size=n),
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n),
    )
)


@given(GROUPED)
def test_centres_equal_their_definitions(case: tuple[list[int], list[int], list[float]]) -> None:
    """Weighted mean, median and mode of each group, one group at a time."""
    labels = np.unique(np.array(case[0]), return_inverse=True)[1]
    values, weights = np.array(case[1], dtype=float), np.array(case[2])
    members = Members.of(Partition(labels), weights)
    codes = (values + 5).astype(np.int32)
    for group in range(labels.max() + 1):
        inside = labels == group
        mass = weights[inside] if weights[inside].sum() > 0 else np.ones(inside.sum())
        assert members.means(values)[group] == pytest.approx(np.average(values[inside], weights=mass))
        assert members.medians(values)[group] == pytest.approx(plain_median(values[inside], mass))
        totals = np.bincount(codes[inside], weights=mass)
        assert members.modes(codes)[group] == totals.argmax()


def plain_median(values: Any, mass: Any) -> float:
    """The middle of the values written down once for each unit of weight."""
    ordered = np.repeat(np.sort(values), np.rint(2 * mass[np.argsort(values, kind="stable")]).astype(int))
    return float(np.median(ordered))


def test_equal_weights_change_no_median_of_a_large_table() -> None:
    """Sums that run through all groups lose the digits that decide between two middle values of a late group."""
    rng = np.random.default_rng(1)
    labels = np.arange(50_000) // 4
    values = rng.normal(size=len(labels))
    weighted = Members.of(Partition(labels), np.full(len(labels), 12.7)).medians(values)
    np.testing.assert_array_equal(weighted, np.median(values.reshape(-1, 4), axis=1))


def test_weights_of_far_apart_sizes() -> None:
    """One weight of 1e15 beside weights of a thousandth: medians and draws of the light groups are their own."""
    weights = np.array([1e15] + [1e-3] * 23)
    schema = Schema((numeric("a"), numeric("w", role="weight")))
    frame = pl.DataFrame({"a": np.arange(24.0), "w": weights})
    after = Microaggregation(3, numeric="median").protect(frame, schema, seed=1).data["a"].to_numpy()
    assert after[0] == 0.0
    members = Members.of(Partition(np.repeat([0, 1], [4, 20])), weights)
    assert members.medians(np.arange(24.0)).tolist() == [0.0, 13.5]
    drawn = members.drawn(np.arange(24, dtype=np.int32), Streams(1))
    assert (drawn[:4] == 0).all()
    assert (drawn[4:] >= 4).all()
    assert len(set(drawn[4:].tolist())) > 8


def test_draws_follow_the_weights_of_late_groups() -> None:
    """Each group draws by its own weights: 3 to 1, never the member without weight (5 standard errors of 30 000)."""
    n_groups = 30_000
    labels = np.repeat(np.arange(n_groups), 3)
    members = Members.of(Partition(labels), np.tile([0.3, 0.0, 0.1], n_groups))
    drawn = members.drawn(np.tile(np.arange(3, dtype=np.int32), n_groups), Streams(2))
    assert (drawn != 1).all()
    assert abs((drawn[::3] == 0).mean() - 0.75) < 5 * np.sqrt(0.75 * 0.25 / n_groups)


def test_worked_example_by_hand() -> None:
    """Ages 20 21 22 | 60 61 66 with k = 3: means 21 and 62.33, medians 21 and 61."""
    frame = pl.DataFrame({"age": [20.0, 60.0, 21.0, 61.0, 22.0, 66.0]})
    schema = Schema((numeric("age"),))
    means = Microaggregation(3).protect(frame, schema, seed=1).data["age"].to_list()
    np.testing.assert_allclose(means, [21, 62 + 1 / 3, 21, 62 + 1 / 3, 21, 62 + 1 / 3])
    medians = Microaggregation(3, numeric="median").protect(frame, schema, seed=1).data["age"].to_list()
    assert medians == [21, 61, 21, 61, 21, 61]


def test_mixed_columns_become_equal_in_groups() -> None:
    """Numbers, an order, categories and a tree together: k records are equal in all of them."""
    rng = np.random.default_rng(3)
    tree = Taxonomy.from_edges([("all", ""), ("x", "all"), ("x1", "x"), ("x2", "x"), ("y", "all")])
    schema = Schema(
        (
            numeric("age", decimals=0),
            Variable(name="level", kind="ordinal", role="quasi", levels=("low", "mid", "high")),
            Variable(name="sex", kind="nominal", role="quasi"),
            Variable(name="code", kind="nominal", role="quasi"),
        )
    ).with_taxonomy("t", tree, columns=["code"])
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, 200),
            "level": rng.choice(["low", "mid", "high"], 200),
            "sex": rng.choice(["f", "m"], 200),
            "code": rng.choice(["x1", "x2", "y"], 200),
        }
    )
    for taxonomic in ("mode", "ancestor"):
        release = Microaggregation(4, taxonomic=taxonomic).protect(frame, schema, seed=1)  # type: ignore[arg-type]
        assert release.data.group_by(frame.columns).len()["len"].min() >= 4
        assert release.data.schema == frame.schema
    assert release.partition is not None
    assert release.partition.sizes.min() >= 4


def test_drawing_categories_claims_nothing() -> None:
    """nominal='draw' keeps shares in expectation and makes no claim."""
    frame = pl.DataFrame({"sex": ["f"] * 700 + ["m"] * 300, "age": np.arange(1000.0)})
    schema = Schema((Variable(name="sex", kind="nominal", role="quasi"), numeric("age")))
    release = Microaggregation(50, nominal="draw").protect(frame, schema, seed=2)
    assert release.claims == ()
    assert abs((release.data["sex"] == "f").mean() - 0.7) < 0.05


def test_weighted_means_of_groups_keep_the_weighted_mean_of_the_file() -> None:
    """Where a weight is declared, it is the weighted mean that stays."""
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({"pay": rng.lognormal(size=100), "w": rng.integers(0, 9, 100).astype(float)})
    schema = Schema((numeric("pay"), numeric("w", role="weight")))
    after = Microaggregation(5).protect(frame, schema, seed=1).data
    before = np.average(frame["pay"], weights=frame["w"])
    assert np.average(after["pay"], weights=after["w"]) == pytest.approx(before, rel=1e-9)


def test_strata_are_protected_apart() -> None:
    """No group crosses a stratum; a stratum below k is refused with counts."""
    frame = pl.DataFrame({"age": np.arange(20.0), "region": ["n"] * 10 + ["s"] * 10})
    schema = Schema((numeric("age"), Variable(name="region", kind="nominal", role="stratum")))
    after = Microaggregation(5).protect(frame, schema, seed=1).data
    assert after.group_by("region").agg(pl.col("age").mean()).sort("region")["age"].to_list() == [4.5, 14.5]
    assert after["age"].max() < 18
    with pytest.raises(UnsuitableError, match="1 of 2 strata of region"):
        Microaggregation(11).protect(frame.with_columns(region=pl.Series(["n"] * 11 + ["s"] * 9)), schema)


def test_share_told_rises_over_strata_and_patterns() -> None:
    """Grouping four strata, each with two patterns of gaps, is told as one piece of work and not as eight."""
    rng = np.random.default_rng(3)
    gap = np.arange(4_000) % 3 == 0
    frame = pl.DataFrame({"age": rng.normal(size=4_000), "pay": np.where(gap, np.nan, 1.0)}).with_columns(
        pay=pl.col("pay").fill_nan(None), region=pl.Series(np.arange(4_000) % 4)
    )
    schema = Schema((numeric("age"), numeric("pay"), Variable(name="region", kind="nominal", role="stratum")))
    told: list[float] = []
    with listen(
        lambda stage, share: told.append(share) if stage == "grouping records" and share is not None else None
    ):
        Microaggregation(5).prepare(frame, schema, seed=1)
    inside = [share for share in told if share < 1]
    assert len(inside) >= 8
    assert inside == sorted(inside)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 4),
    st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 4))] * 2), min_size=5, max_size=40),
)
def test_gaps_stay_and_k_holds(k: int, rows: list[tuple[int | None, ...]]) -> None:
    """Missing stays missing, and records are k-anonymous with an empty cell as a value of its own."""
    frame = pl.DataFrame(rows, schema={"a": pl.Float64, "b": pl.Float64}, orient="row")
    release = Microaggregation(k).protect(frame, Schema((numeric("a"), numeric("b"))), seed=1)
    assert release.data.group_by(["a", "b"]).len()["len"].min() >= k
    for name in ("a", "b"):
        assert (release.data[name].is_null() | frame[name].is_not_null()).all()


def test_rare_patterns_join_the_cheapest() -> None:
    """One record lacks b: it joins the records that lack both rather than emptying b of a hundred."""
    patterns = np.array([[False, False], [False, True], [True, True]])
    assert merge_small(patterns, np.array([100, 1, 5]), 3).tolist() == [0, 2, 2]
    assert merge_small(patterns, np.array([1, 4, 5]), 3).tolist() == [1, 1, 2]


def test_patterns_of_a_complete_table_are_one() -> None:
    """Nothing missing: one pattern with all records."""
    column = Column.build(numeric("a"), [1, 2, 3])
    assert [rows.tolist() for rows in missing_patterns([column], 2)] == [[0, 1, 2]]


def test_rare_patterns_keep_reasons_where_they_can() -> None:
    """Of two homes that empty as little, a pattern takes the one where reasons agree; mixed reasons are none."""
    patterns = np.array([[2, 3], [2, 4], [5, 6]], dtype=np.uint8)
    assert merge_small(patterns, np.array([1, 9, 9]), 3).tolist() == [1, 1, 2]
    assert merge_small(patterns[::-1].copy(), np.array([9, 9, 1]), 3).tolist() == [0, 1, 1]
    plain = np.array([[7, 3], [7, 8], [1, 3]], dtype=np.uint8)  # to the last only one reason is lost, not ten
    assert merge_small(plain, np.array([1, 9, 9]), 3).tolist() == [2, 1, 2]
    assert merge_small(np.array([[0], [2], [3]], dtype=np.uint8), np.array([9, 1, 1]), 2).tolist() == [
        0,
        2,
        2,
    ]


def test_missing_codes_stay_apart_where_a_group_agrees() -> None:
    """A declared code for 'not applicable' comes back in a group whose members all hold it."""
    schema = Schema((numeric("a", unknown=(-9,), not_applicable=(-8,), decimals=0),))
    frame = pl.DataFrame({"a": [-8, -8, -8, 1, 2, 3]})
    after = Microaggregation(3).protect(frame, schema, seed=1).data["a"].to_list()
    assert after == [-8, -8, -8, 2, 2, 2]


def test_frequent_codes_are_all_kept() -> None:
    """Codes that at least k records hold are patterns of their own: none is lost, whatever stands in other columns."""
    rng = np.random.default_rng(2)
    a = np.where(np.arange(60) % 6 == 0, -8, np.where(np.arange(60) % 6 == 1, -9, rng.integers(1, 50, 60)))
    frame = pl.DataFrame({"a": a, "b": rng.normal(size=60)})
    schema = Schema((numeric("a", unknown=(-8, -9), decimals=0), numeric("b")))
    release = Microaggregation(5).protect(frame, schema, seed=1)
    for code in (-8, -9):
        assert release.data["a"].eq_missing(code).equals(frame["a"].eq_missing(code), check_names=False)
    assert release.notes == ()


def test_lost_codes_are_counted() -> None:
    """Two records with -8 and one with -9 are too few for k = 3: one group, its cells empty, and a note says three."""
    frame = pl.DataFrame({"a": [-8, -8, -9, 1, 2, 3]})
    schema = Schema((numeric("a", unknown=(-8, -9), decimals=0),))
    release = Microaggregation(3).protect(frame, schema, seed=1)
    assert release.data["a"].to_list() == [None, None, None, 2, 2, 2]
    assert [note for note in release.notes if note.startswith("3 cells with a declared code")]


def test_minus_999_is_a_number_unless_declared() -> None:
    """Other software takes -999 as missing without being told; here a value is missing where the schema says so."""
    frame = pl.DataFrame({"a": [-999.0, -999.0, 1.0, 3.0]})
    after = Microaggregation(2).protect(frame, Schema((numeric("a"),)), seed=1).data["a"].to_list()
    assert after == [-999.0, -999.0, 2.0, 2.0]
    declared = Schema((numeric("a", unknown=(-999,)),))
    assert Microaggregation(2).protect(frame, declared, seed=1).data["a"].to_list() == [
        -999.0,
        -999.0,
        2.0,
        2.0,
    ]


@pytest.mark.parametrize("k", [0, -1, 2.5, True])
def test_bad_k_is_refused_before_data_is_read(k: Any) -> None:
    """k is a whole number of at least 1; nothing else is looked at first."""
    with pytest.raises(ParameterError, match="k"):
        Microaggregation(k)


def test_too_few_records_and_no_columns() -> None:
    """n < k, and a table without quasi-identifiers, get a clear answer; n < 2k is one group."""
    schema, frame = Schema((numeric("a"),)), pl.DataFrame({"a": [1.0, 2.0, 3.0]})
    with pytest.raises(UnsuitableError, match="number of records"):
        Microaggregation(4).protect(frame, schema)
    assert Microaggregation(2).protect(frame, schema, seed=1).data["a"].to_list() == [2.0, 2.0, 2.0]
    with pytest.raises(UnsuitableError, match="quasi"):
        Microaggregation(2).protect(frame, schema.with_role("confidential", "a"))


def test_infinite_values_are_refused_with_their_count() -> None:
    """The column and how many, never the record."""
    frame = pl.DataFrame({"a": [1.0, float("inf"), 3.0]})
    with pytest.raises(UnsuitableError, match=r"a \(1\)"):
        Microaggregation(2).protect(frame, Schema((numeric("a"),)))


def test_variable_groups_follow_clusters() -> None:
    """V-MDAV with gamma: two clusters of 3 and 5 stay whole where k = 3 would cut one."""
    values = np.array([0.0, 0.1, 0.2, 10.0, 10.1, 10.2, 10.3, 10.4])
    release = Microaggregation(3, gamma=1.1).protect(
        pl.DataFrame({"a": values}), Schema((numeric("a"),)), seed=1
    )
    assert release.partition is not None
    assert sorted(release.partition.sizes.tolist()) == [3, 5]


def test_treatment_alone_refuses_unknown_choices() -> None:
    """numeric='mode' is not a centre of numbers."""
    with pytest.raises(ParameterError, match="numeric"):
        GroupCentre(numeric="mode")  # type: ignore[arg-type]


@pytest.mark.data
@pytest.mark.parametrize("name", ["census", "tarragona"])
def test_information_loss_on_real_tables(
    golden: Callable[[str], Any], real_table: Callable[[str], pl.DataFrame], name: str
) -> None:
    """The public method reaches the reference's information loss to 1e-6 relative."""
    frame = real_table(f"{name}.csv").cast(pl.Float64)
    schema = Schema(tuple(numeric(c) for c in frame.columns))
    results = golden("mdav.json")["results"][name]
    for k in (3, 5, 10):
        after = Microaggregation(k).protect(frame, schema, seed=1).data.to_numpy()
        z, moved = frame.to_numpy(), after
        scale = z.std(axis=0, ddof=1)
        loss = 100 * (((z - moved) / scale) ** 2).sum() / (((z - z.mean(0)) / scale) ** 2).sum()
        assert loss == pytest.approx(results[f"k{k}"]["mdav"]["IL_percent"], rel=1e-6)


def test_streams_do_not_matter_where_nothing_is_drawn() -> None:
    """Means and modes use no randomness: any seed gives the same table."""
    table = Table.build({"a": [1.0, 2.0, 8.0, 9.0]}, {"a": numeric("a")})
    fitted = Microaggregation(2).fit(table, Streams(1))
    assert fitted.draw(Streams(2)).table.same_as(fitted.draw(Streams(3)).table)
