"""Checkers of claims on tables small enough to check by hand; each must also be seen to fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from discreet.base import Claim, Partition
from discreet.claims.differential_privacy import ASSUMPTIONS, DifferentialPrivacy
from discreet.claims.diversity import LDiversity, TCloseness
from discreet.claims.equal_margins import EqualMargins
from discreet.claims.exact_moments import ExactMoments
from discreet.claims.k_anonymity import KAnonymity, ProbabilisticKAnonymity
from discreet.errors import ParameterError
from discreet.stats.privacy import LedgerEntry
from discreet.table.column import Column
from discreet.table.frames import encode
from discreet.table.schema import Schema, Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy

VARIABLES = {
    "age": Variable(name="age", kind="numeric", role="quasi"),
    "sex": Variable(name="sex", kind="nominal", role="quasi"),
    "ill": Variable(name="ill", kind="nominal", role="confidential"),
    "pay": Variable(name="pay", kind="numeric", role="confidential"),
}


def build(**cells: list[object]) -> Table:
    return Table.build(cells, VARIABLES)


def holds(
    claim: Claim, table: Table, partition: Partition | None = None, original: Table | None = None
) -> bool:
    return claim.check(original or table, table, partition).holds


def test_k_anonymity_counts_equal_records() -> None:
    """Groups of 2 and 3: k = 2 holds, k = 3 does not."""
    table = build(age=[30, 30, 40, 40, 40], sex=["f", "f", "m", "m", "m"])
    assert holds(KAnonymity(2, ("age", "sex")), table)
    assert not holds(KAnonymity(3, ("age", "sex")), table)


def test_k_anonymity_reads_gaps_in_two_ways() -> None:
    """One empty cell: a value of its own, or equal to anything."""
    table = build(age=[30, 30, None], sex=["f", "f", "f"])
    assert not holds(KAnonymity(2, ("age", "sex")), table)
    assert holds(KAnonymity(2, ("age", "sex"), missing="wildcard"), table)


CODED = Variable(name="age", kind="numeric", role="quasi", unknown=(-8, -9), not_applicable=(-7,))


def test_declared_codes_for_missing_are_values_to_a_reader() -> None:
    """-8, -9, -7 and an empty cell, one each, are four groups of one; only the empty cell can match anything."""
    cells = {"age": [-8, -9, -7, None, 3, 3, 3], "sex": ["f"] * 7}
    table = Table.build(cells, VARIABLES | {"age": CODED})
    assert not holds(KAnonymity(2, ("age", "sex")), table)
    assert not holds(KAnonymity(3, ("age", "sex"), missing="wildcard"), table)
    assert holds(KAnonymity(2, ("age", "sex"), missing="wildcard"), table)
    assert holds(KAnonymity(3, ("sex",)), table)


def test_blanks_of_two_sorts_are_told_apart() -> None:
    """Null and NaN in one column look different: two groups to a reader, both empty."""
    frame = pl.DataFrame({"age": [None, None, float("nan"), 3.0, 3.0]})
    table, _ = encode(frame, Schema((VARIABLES["age"],)))
    assert not holds(KAnonymity(2, ("age",)), table)
    assert holds(KAnonymity(2, ("age",), missing="wildcard"), table)


def test_probabilistic_k_anonymity_needs_groups_and_no_company() -> None:
    """A group below k fails; so does a released column outside the claim, which row order would tie to a record."""
    table, released = build(age=[1, 2, 3, 4, 5, 6]), build(age=[2, 2, 2, 5, 5, 5])
    good, claim = Partition(np.array([0, 0, 0, 1, 1, 1])), ProbabilisticKAnonymity(3, ("age",))
    assert holds(claim, released, good, original=table)
    assert not holds(claim, released, Partition(np.array([0, 0, 1, 1, 1, 1])), original=table)
    assert not holds(claim, released, original=table)
    beside = build(age=[2, 2, 2, 5, 5, 5], pay=[1, 2, 3, 4, 5, 6])
    assert not holds(claim, beside, good, original=table)


N, K = 300, 5
PAIR = ProbabilisticKAnonymity(K, ("age", "pay"))
GROUPS = Partition(np.arange(N, dtype=np.int64) // K)


def people(decimals: int | None = None) -> Table:
    """Records in groups of five that differ in level, as MDAV would find them."""
    rng = np.random.default_rng(8)
    ages = np.repeat(rng.normal(50, 10, N // K), K) + 4 * rng.normal(size=N)
    pay = 2 * ages + 4 * rng.normal(size=N)
    return numbers_table(ages, pay, decimals)


def numbers_table(ages: Any, pay: Any, decimals: int | None = None) -> Table:
    variables = {name: replace(VARIABLES[name], decimals=decimals) for name in ("age", "pay")}
    columns = [
        Column.build(variable, [0.0] * N).with_numbers(values)
        for variable, values in zip(variables.values(), (ages, pay), strict=True)
    ]
    return Table(tuple(columns), N)


def matrix(table: Table) -> Any:
    return np.column_stack([column.numbers for column in table.columns])


def synthesized(table: Table, rng: np.random.Generator) -> Any:
    """Normal draws in each group with exactly the group's means and covariances; rows shuffled through the file."""
    drawn = np.empty((N, 2))
    for rows in GROUPS.members():
        own = matrix(table)[rows]
        noise = rng.normal(size=own.shape)
        noise -= noise.mean(axis=0)
        whiten = np.linalg.inv(np.linalg.cholesky(noise.T @ noise))
        spread = np.linalg.cholesky((own - own.mean(axis=0)).T @ (own - own.mean(axis=0)))
        drawn[rows] = own.mean(axis=0) + noise @ whiten.T @ spread.T
    return rng.permutation(drawn)


@pytest.mark.parametrize("decimals", [None, 0, 1])
def test_releases_that_depend_on_groups_alone_hold(decimals: int | None) -> None:
    """Group means, and draws from group moments, shuffled in groups or through the file, fifty times over."""
    table = people(decimals)
    means = np.repeat([matrix(table)[rows].mean(axis=0) for rows in GROUPS.members()], K, axis=0)
    assert holds(PAIR, numbers_table(*means.T, decimals), GROUPS, original=table)
    for seed in range(50):
        rng = np.random.default_rng(seed)
        release = numbers_table(*synthesized(table, rng).T, decimals)
        assert holds(PAIR, release, GROUPS, original=table)


@pytest.mark.parametrize("decimals", [None, 0, 1])
def test_releases_that_point_at_records_fail(decimals: int | None) -> None:
    """The original as it is, shuffled in groups or through the file, and with noise in its order."""
    rng, table = np.random.default_rng(0), people(decimals)
    own = matrix(table)
    in_groups = own[np.lexsort((rng.random(N), GROUPS.labels))]
    for rows in (own, in_groups, rng.permutation(own), own + rng.normal(size=own.shape)):
        assert not holds(PAIR, numbers_table(*rows.T, decimals), GROUPS, original=table)


def test_one_copied_record_is_found() -> None:
    """Of numbers with all their digits a single repeated record is no chance; of rounded ones it may be."""
    for decimals, found in ((None, True), (0, False)):
        table = people(decimals)
        release = synthesized(table, np.random.default_rng(3))
        release[7] = matrix(table)[200]
        assert holds(PAIR, numbers_table(*release.T, decimals), GROUPS, original=table) is not found


def test_one_column_in_order_is_found_and_named() -> None:
    """A column that stays with its records ties them, whatever is done to the other; categories too."""
    rng, table = np.random.default_rng(1), people()
    drawn = synthesized(table, rng)
    release = numbers_table(matrix(table)[:, 0] + rng.normal(size=N), drawn[:, 1])
    verdict = PAIR.check(table, release, GROUPS)
    assert not verdict.holds
    assert "age" in verdict.attained
    assert "pay" not in verdict.attained

    sexes = rng.choice(["f", "m"], N).tolist()
    claim = ProbabilisticKAnonymity(K, ("age", "sex"))
    before = Table((table["age"], Column.build(VARIABLES["sex"], sexes)), N)
    kept = numbers_table(drawn[:, 0], drawn[:, 1])["age"]
    shuffled = [sexes[i] for i in np.lexsort((rng.random(N), GROUPS.labels))]
    assert not claim.check(before, Table((kept, before["sex"]), N), GROUPS).holds
    other_levels = Column.build(VARIABLES["sex"], shuffled, levels=("m", "f", "x"))
    assert claim.check(before, Table((kept, other_levels), N), GROUPS).holds


def test_copies_of_categories_are_judged_by_chance() -> None:
    """Rows of three codes: as many repeat as in an independent sample pass; a shuffled copy with one change does not."""
    rng = np.random.default_rng(4)
    names = ("sex", "ill")

    def coded(rows: Any) -> Table:
        cells = {"sex": [f"s{i}" for i in rows[:, 0]], "ill": [f"i{i}" for i in rows[:, 1]]}
        return Table.build(cells, VARIABLES)

    population = rng.integers(0, 40, (5000, 2))
    table = coded(population[:N])
    claim = ProbabilisticKAnonymity(K, names)
    assert holds(claim, coded(population[N : 2 * N]), GROUPS, original=table)
    copy = rng.permutation(population[:N])
    assert not holds(claim, coded(copy), GROUPS, original=table)
    copy[0] = 41
    assert not holds(claim, coded(copy), GROUPS, original=table)


@pytest.mark.parametrize(("kind", "attained"), [("distinct", 2.0), ("entropy", 1.7547), ("recursive", 1.0)])
def test_l_diversity_of_three_kinds(kind: str, attained: float) -> None:
    """One group with counts 3 and 1: 2 values; exp(entropy) = 4 / 3^(3/4); 3 < 2 * 1 fails, so l = 1."""
    table = build(sex=["f"] * 4, ill=["a", "a", "a", "b"])
    claim = LDiversity(attained - 1e-3, "ill", ("sex",), kind)  # type: ignore[arg-type]
    assert holds(claim, table)
    assert not holds(LDiversity(attained + 1e-3, "ill", ("sex",), kind), table)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["distinct", "entropy", "recursive"])
def test_missing_is_no_value_and_adds_no_diversity(kind: str) -> None:
    """Five with flu and one unknown are one value; an unknown one beside a and b counts for whichever is worse."""
    poor = build(sex=["f"] * 6, ill=["flu"] * 5 + [None])
    assert not holds(LDiversity(2, "ill", ("sex",), kind, c=9.0), poor)  # type: ignore[arg-type]
    mixed = build(sex=["f"] * 4, ill=["a", "a", "b", None])
    attained = {"distinct": 2.0, "entropy": 4 / 3**0.75, "recursive": 2.0}[kind]  # as of a, a, a, b
    assert holds(LDiversity(attained - 1e-6, "ill", ("sex",), kind, c=4.0), mixed)  # type: ignore[arg-type]
    assert not holds(LDiversity(attained + 1e-6, "ill", ("sex",), kind, c=4.0), mixed)  # type: ignore[arg-type]
    assert not holds(LDiversity(2, "ill", ("sex",), "recursive", c=3.0), mixed)
    assert not holds(LDiversity(2, "ill", ("sex",), kind), build(sex=["f", "f"], ill=[None, None]))  # type: ignore[arg-type]


def test_unused_levels_bring_nothing_nearer() -> None:
    """A hundred declared levels, two that occur: groups of one each are as far apart as with two levels, 1/2."""
    rank = Variable(name="ill", kind="ordinal", role="confidential", levels=tuple(range(100)))
    table = Table.build({"sex": ["f", "f", "m", "m"], "ill": [4, 4, 5, 5]}, VARIABLES | {"ill": rank})
    assert not holds(TCloseness(0.49, "ill", ("sex",), "ordered"), table)
    assert holds(TCloseness(0.5, "ill", ("sex",), "ordered"), table)


def test_distances_are_refused_where_they_mean_nothing() -> None:
    """No order in a nominal column, no tree in one without, no place for a missing value on a line."""
    nominal = build(sex=["f", "m"], ill=["a", "b"])
    for distance in ("ordered", "hierarchical"):
        assert not holds(TCloseness(1.0, "ill", ("sex",), distance), nominal)  # type: ignore[arg-type]
    gap = build(sex=["f", "m"], pay=[1.0, None])
    assert not holds(TCloseness(1.0, "pay", ("sex",), "ordered"), gap)
    assert holds(TCloseness(0.5, "pay", ("sex",)), gap)


def test_reasons_for_missing_are_values_to_closeness() -> None:
    """One group lacks its values as -8, the other as -9: as far from the whole as two values."""
    pay = Variable(name="pay", kind="numeric", role="confidential", unknown=(-8, -9))
    table = Table.build({"sex": ["f", "f", "m", "m"], "pay": [-8, -8, -9, -9]}, VARIABLES | {"pay": pay})
    assert not holds(TCloseness(0.49, "pay", ("sex",)), table)


def test_unknown_kinds_and_distances_are_refused() -> None:
    """A misspelt word must not be read as another."""
    with pytest.raises(ParameterError, match="distance"):
        TCloseness(0.1, "ill", ("sex",), "bogus")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="kind"):
        LDiversity(2, "ill", ("sex",), "bogus")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="`c`"):
        LDiversity(2, "ill", ("sex",), "recursive", c=0.0)


def test_t_closeness_equal_and_ordered() -> None:
    """Two pure groups: total variation 1/2. Salaries 3 .. 11: the worked example of the paper, 0.375."""
    table = build(sex=["f", "f", "m", "m"], ill=["a", "a", "b", "b"])
    assert holds(TCloseness(0.5, "ill", ("sex",)), table)
    assert not holds(TCloseness(0.49, "ill", ("sex",)), table)
    salaries = build(sex=["f"] * 3 + ["m"] * 6, pay=list(range(3, 12)))
    assert holds(TCloseness(0.375, "pay", ("sex",), "ordered"), salaries)
    assert not holds(TCloseness(0.374, "pay", ("sex",), "ordered"), salaries)


def test_t_closeness_in_a_tree() -> None:
    """Two groups in two branches of a tree are half the tree's height away from the file."""
    tree = Taxonomy.from_edges(
        [("all", ""), ("x", "all"), ("x1", "x"), ("x2", "x"), ("y", "all"), ("y1", "y"), ("y2", "y")]
    )
    variables = {
        "sex": VARIABLES["sex"],
        "code": Variable(name="code", kind="taxonomic", role="confidential", taxonomy="t"),
    }
    cells = {"sex": ["f", "f", "m", "m"], "code": ["x1", "x2", "y1", "y2"]}
    table = Table.build(cells, variables, trees={"code": tree})
    assert holds(TCloseness(0.5, "code", ("sex",), "hierarchical"), table)
    assert not holds(TCloseness(0.49, "code", ("sex",), "hierarchical"), table)


def test_exact_moments_in_the_whole_and_in_parts() -> None:
    """Swapping pay between the sexes keeps the whole file's moments and breaks those of the parts."""
    before = build(sex=["f", "f", "m", "m"], pay=[1.0, 2.0, 5.0, 8.0])
    swapped = build(sex=["f", "f", "m", "m"], pay=[5.0, 2.0, 1.0, 8.0])
    assert holds(ExactMoments(("pay",)), swapped, original=before)
    assert not holds(ExactMoments(("pay",), by=("sex",)), swapped, original=before)
    assert holds(ExactMoments(("pay",), by=("sex",)), before)
    off = build(sex=["f", "f", "m", "m"], pay=[1.0, 2.0, 5.0, 8.0 + 1e-6])
    assert not holds(ExactMoments(("pay",)), off, original=before)


@pytest.mark.parametrize("cell", [float("inf"), float("-inf"), float("nan"), 1e308])
def test_one_cell_that_is_no_number_is_an_error_without_end(cell: float) -> None:
    """Its errors are no numbers, and a comparison with what is no number must not pass."""
    before = build(pay=[1.0, 2.0, 5.0, 8.0], age=[3.0, 1.0, 2.0, 9.0])
    wild = Column(before["pay"].variable, np.array([cell, 2.0, 5.0, 8.0]), np.zeros(4, dtype=np.uint8))
    released = before.with_columns(wild)
    claim = ExactMoments(("age", "pay"), tolerance=1e9)
    assert not holds(claim, released, original=before)
    assert claim.error(before, released) == np.inf


def test_exact_moments_need_the_groups_a_reader_forms() -> None:
    """The column that makes the groups, the one that limits the claim and the weight must be released as they were."""
    cells = {
        "sex": ["f", "f", "m", "m"],
        "ill": ["a", "a", "a", "b"],
        "pay": [1.0, 2.0, 5.0, 8.0],
        "w": [1, 1, 2, 2],
    }
    variables = VARIABLES | {"w": Variable(name="w", kind="numeric", role="weight")}
    before = Table.build(cells, variables)
    inside, among = ExactMoments(("pay",), by=("sex",)), ExactMoments(("pay",), where={"ill": ("a",)})
    other_sex = Table.build(cells | {"sex": ["f", "m", "f", "m"]}, variables)
    other_ill = Table.build(cells | {"ill": ["b", "a", "a", "b"]}, variables)
    other_weight = Table.build(cells | {"w": [1, 1, 2, 3]}, variables)
    assert holds(inside, before)
    assert holds(among, before)
    assert not holds(inside, other_sex, original=before)
    assert not holds(among, other_ill, original=before)
    assert not holds(ExactMoments(("pay",)), other_weight, original=before)
    assert holds(inside, before.drop(["sex", "w"]), original=before)
    assert holds(ExactMoments(("pay",)), other_sex, original=before)
    levels = Column.build(VARIABLES["sex"], cells["sex"], levels=("m", "f"))
    assert holds(inside, before.with_columns(levels), original=before)


def test_small_groups_count_in_the_whole() -> None:
    """A group below `min_part` is not looked at alone, but what is off in it is off in the whole; so with singles."""
    before = build(sex=["f"] * 4 + ["m"], pay=[1.0, 2.0, 5.0, 8.0, 3.0])
    off = build(sex=["f"] * 4 + ["m"], pay=[1.0, 2.0, 5.0, 8.0, 1000.0])
    assert holds(ExactMoments(("pay",), by=("sex",), min_part=2), before)
    assert not holds(ExactMoments(("pay",), by=("sex",), min_part=2), off, original=before)
    alone = build(sex=["f", "m"], pay=[1.0, 2.0])
    assert not holds(
        ExactMoments(("pay",), by=("sex",)), build(sex=["f", "m"], pay=[2.0, 1.0]), original=alone
    )


def test_exact_moments_refuses_other_gaps() -> None:
    """A release that lacks other cells cannot have the same statistics by design."""
    before, after = build(pay=[1.0, 2.0, 3.0]), build(pay=[1.0, None, 3.0])
    assert not holds(ExactMoments(("pay",)), after, original=before)


def test_equal_margins() -> None:
    """A permutation holds; one changed value does not."""
    before = build(pay=[1.0, 2.0, 2.0])
    assert holds(EqualMargins(("pay",)), build(pay=[2.0, 1.0, 2.0]), original=before)
    assert not holds(EqualMargins(("pay",)), build(pay=[2.0, 1.0, 1.0]), original=before)


def test_differential_privacy_reads_the_books() -> None:
    """The ledger must add up to the claimed epsilon, and every assumption must be true."""
    ledger = (LedgerEntry("laplace", 2, 0.5, 0.125),)
    flags = dict.fromkeys(ASSUMPTIONS, True)
    table = build(pay=[1.0])
    assert holds(DifferentialPrivacy(1.0, ledger, flags=flags), table)
    assert not holds(DifferentialPrivacy(0.9, ledger, flags=flags), table)
    for name in ASSUMPTIONS:
        verdict = DifferentialPrivacy(1.0, ledger, flags=flags | {name: False}).check(table, table, None)
        assert not verdict.holds
        assert name in verdict.attained


FLAGS = dict.fromkeys(ASSUMPTIONS, True)
SPENT = (LedgerEntry("laplace", 2, 0.5, 0.125),)


def test_differential_privacy_needs_expenses_for_its_own_neighbours() -> None:
    """An empty ledger proves nothing, and costs of adding a record are not those of replacing one."""
    table = build(pay=[1.0])
    assert not holds(DifferentialPrivacy(1.0, (), flags=FLAGS), table)
    assert not holds(DifferentialPrivacy(1.0, SPENT, flags=FLAGS, neighbours="replace"), table)
    any_change = (replace(SPENT[0], neighbours="any"),)
    assert holds(DifferentialPrivacy(1.0, any_change, flags=FLAGS, neighbours="replace"), table)


@pytest.mark.parametrize(
    "wrong",
    [
        {"epsilon": float("nan")},
        {"epsilon": float("inf")},
        {"epsilon": 0.0},
        {"delta": -1.0},
        {"delta": 1.0},
        {"delta": float("nan")},
        {"flags": dict.fromkeys(ASSUMPTIONS, "no")},
        {"flags": FLAGS | {"domain_declard": True}},
        {"neighbours": "nobody"},
        {"ledger": ("laplace",)},
    ],
)
def test_impossible_claims_of_privacy_are_refused(wrong: dict[str, Any]) -> None:
    """No budget, no probability, flags that are words, entries that are none."""
    with pytest.raises(ParameterError, match="Differential privacy"):
        DifferentialPrivacy(**{"epsilon": 1.0, "ledger": SPENT, "flags": FLAGS} | wrong)


def test_differential_privacy_of_parts() -> None:
    """Parts together cost what each does where one record is in one part; replaced ones may move from part to part."""
    claim = DifferentialPrivacy(1.0, SPENT, flags=FLAGS)
    assert claim.meet(DifferentialPrivacy(1.0, SPENT, flags=FLAGS)) == claim
    for other in (replace(claim, neighbours="replace"), replace(claim, unit="person")):
        assert other.meet(other) is None


def test_statements_say_what_is_assumed() -> None:
    """Each statement names its parameters and its limits."""
    assert "k = 4" in KAnonymity(4, ("age",)).statement
    assert "Assumes" in KAnonymity(4, ("age",)).statement
    assert "disclose" in ExactMoments(("pay",)).statement
