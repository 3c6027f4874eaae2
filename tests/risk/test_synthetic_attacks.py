"""Attacks on releases whose risk is known: the original itself, and fresh records of the same population."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from discreet.risk.closest import ClosestRecord
from discreet.risk.copies import Copies
from discreet.risk.inference import Inference
from discreet.risk.linkability import Linkability
from discreet.risk.membership import Membership
from discreet.risk.selection import drawn_rows
from discreet.risk.singling_out import Condition, SinglingOut, n_fitting
from discreet.table.schema import Variable
from discreet.table.table import Table

NUMBERS = ("a", "b", "c", "d")
VARIABLES = {n: Variable(name=n, kind="numeric", role="quasi") for n in NUMBERS} | {
    "secret": Variable(name="secret", kind="nominal", role="confidential", levels=("x", "y", "z")),
    "town": Variable(name="town", kind="nominal", role="quasi", levels=tuple("ABCD")),
}


def population(seed, n=400):
    """Correlated numbers, a town, and a secret that depends a little on them."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    cells = {name: (shared + rng.normal(size=n)).tolist() for name in NUMBERS}
    cells["town"] = rng.choice(list("ABCD"), n).tolist()
    cells["secret"] = np.array(["x", "y", "z"])[((shared > 0) + (rng.random(n) < 0.3)).astype(int)].tolist()
    return Table.build(cells, VARIABLES)


ORIGINAL, CONTROL, FRESH = population(1), population(2), population(3)
ATTACKS = {
    "inference": Inference(control=CONTROL),
    "linkability": Linkability(control=CONTROL),
    "singling_out": SinglingOut(control=CONTROL, attacks=200, width=2),
}


def figures(measure, protected):
    """Figures by name."""
    return {figure.name: figure for figure in measure(ORIGINAL, protected)}


@pytest.mark.parametrize("name", ATTACKS)
def test_the_original_released_is_all_excess(name):
    """Releasing the original itself is attacked with far more success than the control."""
    found = figures(ATTACKS[name], ORIGINAL)
    assert found[f"{name}.rate"].value > 95
    assert found[f"{name}.excess"].interval[0] > 25


@pytest.mark.statistical
@pytest.mark.parametrize("name", ATTACKS)
def test_fresh_records_leave_no_excess(name):
    """Releases of other people of the same population: of twelve 95 % intervals of the excess at most three miss 0.

    Four or more would have a chance of 0.2 %.
    """
    missed = 0
    for seed in range(10, 46, 3):
        attack = replace(ATTACKS[name], control=population(seed + 1))
        found = {f.name: f for f in attack(population(seed), population(seed + 2))}
        low, high = found[f"{name}.excess"].interval
        missed += not low <= 0 <= high
    assert missed <= 3


def test_distances_tell_a_copy_from_fresh_records():
    """Copies: distance 0, always nearer to the original, members caught. Fresh: like a control."""
    copy = figures(ClosestRecord(control=CONTROL), ORIGINAL)
    assert (copy["closest.median"].value, copy["closest.ratio"].value) == (0, 0)
    assert copy["closest.to_original"].value == 100
    fresh = figures(ClosestRecord(control=CONTROL), FRESH)
    assert fresh["closest.to_original"].interval[0] < 50 < fresh["closest.to_original"].interval[1]
    assert 0.8 < fresh["closest.ratio"].value < 1.25


def test_membership_of_a_copy_and_of_fresh_records():
    """Area 1 and all members caught; area about one half and about the false alarms caught."""
    copy = figures(Membership(control=CONTROL), ORIGINAL)
    assert copy["membership.area"].value == 1
    assert copy["membership.caught"].value == 100
    fresh = figures(Membership(control=CONTROL), FRESH)
    assert fresh["membership.area"].interval[0] < 0.5 < fresh["membership.area"].interval[1]
    assert fresh["membership.caught"].interval[0] < 5 < fresh["membership.caught"].interval[1]


def test_copies_are_counted_in_all_columns():
    """All of the original, none of fresh numbers; a value moved in one column ends the identity."""
    assert [f.value for f in Copies(control=CONTROL)(ORIGINAL, ORIGINAL)] == [100, 100, 0]
    assert [f.value for f in Copies()(ORIGINAL, FRESH)] == [0, 0]
    moved = ORIGINAL["a"].values.copy()
    moved[:100] += 1
    part = ORIGINAL.with_columns(ORIGINAL["a"].with_values(moved))
    assert Copies()(ORIGINAL, part)[0].value == 75


def test_replicated_uniques_are_alone_in_both_files():
    """x is alone in both, y twice in the original, z twice in the release."""
    variables = {"v": Variable(name="v", kind="nominal", levels=("x", "y", "z"))}
    original = Table.build({"v": list("xyyz")}, variables)
    protected = Table.build({"v": list("xyzz")}, variables)
    identical, uniques = Copies()(original, protected)
    assert identical.value == 100
    assert uniques.value == 25


def test_equally_near_records_are_picked_at_random():
    """A victim with two equally near records, one with its secret: half a success. Order plays no part."""
    variables = {
        "k": Variable(name="k", kind="numeric", role="quasi"),
        "s": Variable(name="s", kind="nominal", role="confidential", levels=("x", "y")),
    }
    original = Table.build({"k": [0.0, 10.0], "s": ["x", "y"]}, variables)
    for secrets in (["x", "y", "y"], ["y", "x", "y"]):
        protected = Table.build({"k": [1.0, -1.0, 9.0], "s": secrets}, variables)
        assert Inference()(original, protected)[0].value == 75


def test_halves_are_linked_when_one_record_is_nearest_in_both():
    """By A record 0, by B record 0 or 1 (equally near): picked the same with chance 1/2."""
    variables = {n: Variable(name=n, kind="numeric", role="quasi") for n in ("a", "b")}
    original = Table.build({"a": [0.0, 9.0], "b": [0.0, 9.0]}, variables)
    protected = Table.build({"a": [0.0, 5.0, 9.0], "b": [1.0, -1.0, 9.0]}, variables)
    (rate,) = Linkability(first=("a",), second=("b",))(original, protected)
    assert rate.value == pytest.approx(100 * (0.5 + 1) / 2)


def test_conditions_and_their_count():
    """At least, at most, is, missing; a missing value fits nothing but "missing"."""
    variables = {
        "n": Variable(name="n", kind="numeric"),
        "t": Variable(name="t", kind="nominal", levels=("A", "B")),
    }
    table = Table.build({"n": [1.0, 2.0, None], "t": ["A", "B", "B"]}, variables)
    assert n_fitting(table, (Condition("n", "at least", 0.0),)) == 2
    assert n_fitting(table, (Condition("n", "at most", 1.0), Condition("t", "is", 0))) == 1
    assert n_fitting(table, (Condition("n", "missing", 0.0), Condition("t", "is", 1))) == 1


def test_drawn_rows_are_all_or_a_sample():
    """Fewer than wanted: all, in order; more: as many as wanted, none twice, the same records in any order."""
    numbers = np.random.default_rng(1).permutation(1000).astype(float)
    variable = {"a": VARIABLES["a"]}
    table = Table.build({"a": numbers.tolist()}, variable)
    assert drawn_rows([table.take(np.arange(4))], 9, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]
    rows = drawn_rows([table], 50, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 50
    turned = table.take(np.arange(1000)[::-1])
    again = drawn_rows([turned], 50, np.random.default_rng(0))
    assert table["a"].values[rows].tolist() == turned["a"].values[again].tolist()


def test_sampled_distances_are_estimates_with_an_interval():
    """Of all records there is nothing to estimate; of 100 of 400 the intervals hold what all of them give."""
    whole, sampled = ({f.name: f for f in ClosestRecord(sample=n)(ORIGINAL, FRESH)} for n in (5_000, 100))
    for name in ("closest.median", "closest.ratio"):
        assert whole[name].interval is None
        low, high = sampled[name].interval
        assert low < whole[name].value < high
        assert low < sampled[name].value < high
