"""t attained, by the kind of the secret column."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.closeness import Closeness
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.table.taxonomy import Taxonomy

TOWN = Variable(name="town", kind="nominal", role="quasi")


def attained(secret, cells, tree=None):
    """Worst and mean t of two towns of two records."""
    variables = {"town": TOWN, "secret": secret}
    trees = {"secret": tree} if tree else None
    table = Table.build({"town": list("AABB"), "secret": cells}, variables, trees=trees)
    return [figure.value for figure in Closeness(known=("town",), secret=("secret",))(table, table)]


def test_distance_follows_the_kind():
    """a a | b b: nominal 1/2; as 1, 2 of three declared grades 1/4; as 10, 1000 on the line of what occurs 1/2."""
    nominal = Variable(name="secret", kind="nominal")
    assert attained(nominal, list("aabb")) == [0.5, 0.5]
    ordinal = Variable(name="secret", kind="ordinal", levels=("a", "b", "c"))
    assert attained(ordinal, list("aabb")) == [0.25, 0.25]
    assert attained(Variable(name="secret", kind="numeric"), [10.0, 10, 1000, 1000]) == [0.5, 0.5]


def test_taxonomic_secrets_use_the_tree():
    """Siblings at depth 2 are half as far as members of different branches."""
    tree = Taxonomy("t", ("*", "n", "n1", "n2", "s", "s1"), ("",) * 6, np.array([-1, 0, 1, 1, 0, 4]))
    secret = Variable(name="secret", kind="taxonomic", taxonomy="t")
    assert attained(secret, ["n1", "n1", "n2", "n2"], tree) == [0.25, 0.25]
    assert attained(secret, ["n1", "n1", "s1", "s1"], tree) == [0.5, 0.5]
    assert attained(secret, ["n1", None, "n1", None], tree) == [0.0, 0.0]


def test_groups_like_the_file_attain_zero():
    """Exactly 0, so that a claim of t = 0 can hold."""
    assert attained(Variable(name="secret", kind="nominal"), list("abab")) == [0.0, 0.0]


def test_mean_weighs_groups_by_their_records():
    """A town of one that differs counts once among five."""
    variables = {"town": TOWN, "secret": Variable(name="secret", kind="nominal")}
    table = Table.build({"town": list("AAAAB"), "secret": list("aaaab")}, variables)
    worst, mean = Closeness(known=("town",), secret=("secret",))(table, table)
    assert worst.value == pytest.approx(0.8)
    assert mean.value == pytest.approx((4 * 0.2 + 0.8) / 5)
