"""Households: one recognised member gives all away."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.risk.household import HouseholdRisk, household_risk
from discreet.table.schema import Variable
from discreet.table.table import Table

VARIABLES = {
    "home": Variable(name="home", kind="nominal", role="cluster"),
    "town": Variable(name="town", kind="nominal", role="quasi"),
}


def test_worked_example():
    """A household with a unique member is recognised; one whose members hide among two has 3/4."""
    table = Table.build({"home": [1, 1, 2, 2], "town": ["A", "B", "B", "C"]}, VARIABLES)
    mean, expected = HouseholdRisk()(table, table)
    assert mean.records.tolist() == [1.0] * 4  # A and C are alone
    assert expected.value == 4
    table = Table.build({"home": [1, 1, 2, 2], "town": ["A", "B", "B", "A"]}, VARIABLES)
    assert HouseholdRisk()(table, table)[0].value == pytest.approx(75)


def test_household_risk_is_at_least_the_own_risk():
    """And at most the sum over the members."""
    rng = np.random.default_rng(0)
    risk, labels = rng.random(50) * 0.2, rng.integers(0, 12, 50)
    labels[:12] = np.arange(12)
    whole = household_risk(risk, labels)
    sums = np.bincount(labels, weights=risk)[labels]
    assert (whole >= risk - 1e-12).all()
    assert (whole <= sums + 1e-12).all()


def test_household_column_must_exist():
    """The message lists the columns."""
    table = Table.build({"home": [1], "town": ["A"]}, VARIABLES)
    with pytest.raises(ParameterError, match="home, town"):
        HouseholdRisk(household="hid")(table, table)
