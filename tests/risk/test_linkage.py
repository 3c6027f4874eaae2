"""Distance linkage on tables that can be linked by eye."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.risk.linkage import DistanceLinkage, link_credit
from discreet.stats.neighbours import Links
from discreet.table.schema import Variable
from discreet.table.table import Table

AGE = {"age": Variable(name="age", kind="numeric", role="quasi")}


def ages(*values):
    """A table of one column."""
    return Table.build({"age": list(values)}, AGE)


def values(measure, original, protected):
    """Figures by the last part of their name."""
    return {figure.name.split(".")[1]: figure.value for figure in measure(original, protected)}


def test_worked_example():
    """20, 30, 40 against 21, 33, 24: the first links to 21, the second to 33, the third to 33, not its 24."""
    found = values(DistanceLinkage(), ages(20, 30, 40), ages(21, 33, 24))
    assert found == pytest.approx({"distance": 200 / 3, "unique": 200 / 3, "among": 200 / 3})


def test_seekers_of_the_other_file():
    """From the protected side, 24 is nearest to 20 and not to its own 40."""
    found = values(DistanceLinkage(seeker="protected"), ages(20, 30, 40), ages(21, 33, 24))
    assert found["distance"] == pytest.approx(200 / 3)
    found = values(DistanceLinkage(seeker="protected"), ages(0, 10, 20), ages(9, 11, 100))
    assert found["distance"] == pytest.approx(
        200 / 3
    )  # 9 and 11 to 10; 100 to 20, its own; 11 is the own of 10


def test_ties_share_the_credit():
    """Three equal protected records: each original finds its own with chance 1/3, whatever the order."""
    found = values(DistanceLinkage(), ages(1, 2, 3), ages(2, 2, 2))
    assert found == pytest.approx({"distance": 100 / 3, "unique": 0, "among": 100})


def test_lowest_row_depends_on_the_order_and_shared_credit_does_not():
    """Taking the first of tied rows says 1 of 3 or none, by the order of the file alone."""
    first = DistanceLinkage(ties="first")
    assert values(first, ages(1, 1, 9), ages(1, 1, 1))["distance"] == pytest.approx(100 / 3)
    assert values(first, ages(1, 9), ages(5, 9))["distance"] == 100
    assert values(first, ages(9, 9, 1), ages(2, 2, 2))["distance"] == pytest.approx(100 / 3)


def test_second_nearest_counts_with_reach_two():
    """0: own at 2, another at 1. 50: own at 49 and one more, after one at 48: half. 99: own at 0."""
    assert values(DistanceLinkage(), ages(0, 50, 99), ages(2, 1, 99))["distance"] == pytest.approx(100 / 3)
    two = values(DistanceLinkage(reach=2), ages(0, 50, 99), ages(2, 1, 99))
    assert two["distance"] == pytest.approx(250 / 3)
    links = Links(np.array([1, 1, 2, 0]), np.array([1, 2, 1, 4]), np.zeros(4), np.zeros(4))
    assert link_credit(links, np.arange(4), reach=2).tolist() == [1.0, 0.5, 0.0, 0.5]


def test_identical_tables_link_all_distinct_records():
    """Every record of an untouched file without duplicates is linked, each of two duplicates by half."""
    assert values(DistanceLinkage(), ages(1, 2, 4), ages(1, 2, 4))["distance"] == 100
    found = values(DistanceLinkage(), ages(1, 1, 4), ages(1, 1, 4))
    assert found == pytest.approx({"distance": 200 / 3, "unique": 100 / 3, "among": 100})


def test_sampled_seekers_come_with_an_interval():
    """A sample of seekers estimates the rate of all, within its interval; all seekers leave no interval."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=2000)
    original, protected = ages(*x), ages(*(x + 0.0005 * rng.normal(size=2000)))
    everyone = DistanceLinkage()(original, protected)[0]
    some = DistanceLinkage(sample=400)(original, protected)[0]
    assert everyone.interval is None
    assert some.interval[0] <= everyone.value <= some.interval[1]
    assert "400 records" in some.note


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=20), st.randoms())
def test_microaggregated_files_link_at_most_one_in_k(pairs, random):
    """Where every protected record has k - 1 equals, the expected rate is at most 1/k."""
    variables = {n: Variable(name=n, kind="numeric", role="quasi") for n in ("x", "y")}
    original = Table.build(dict(zip("xy", map(list, zip(*pairs, strict=True)), strict=True)), variables)
    groups = [i // 2 for i in range(len(pairs))]
    groups[-1] = groups[-2]
    random.shuffle(groups)
    labels = np.array(groups)
    means = {name: [float(original[name].values[labels == g].mean()) for g in labels] for name in ("x", "y")}
    assert DistanceLinkage()(original, Table.build(means, variables))[0].value <= 50 + 1e-9


@pytest.mark.parametrize(
    "bad", [{"reach": 0}, {"sample": 0}, {"ties": "none"}, {"seeker": "me"}, {"ties": "first", "reach": 2}]
)
def test_bad_parameters(bad):
    """Refused when made, before any table is seen."""
    with pytest.raises(ParameterError):
        DistanceLinkage(**bad)
