"""Attribute disclosure and correct attribution on a table that can be worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.attribute import AttributeDisclosure
from discreet.risk.attribution import CorrectAttribution
from discreet.table.schema import Variable
from discreet.table.table import Table

VARIABLES = {
    "town": Variable(name="town", kind="nominal", role="quasi", levels=("A", "B", "C")),
    "illness": Variable(name="illness", kind="nominal", role="confidential", levels=("flu", "gout", "hiv")),
    "charge": Variable(name="charge", kind="numeric", role="confidential"),
}
ORIGINAL = Table.build(
    {"town": list("AABBC"), "illness": ["flu", "hiv", "gout", "gout", "flu"], "charge": [0.0, 2, 4, 8, 6]},
    VARIABLES,
)
PROTECTED = Table.build(
    {"town": list("AAABB"), "illness": ["flu", "flu", "hiv", "gout", "gout"], "charge": [1.0, 1, 1, 7, 5]},
    VARIABLES,
)


def figures(measure, original=ORIGINAL, protected=PROTECTED):
    """Figures by name."""
    return {figure.name: figure for figure in measure(original, protected)}


def test_mode_and_mean_of_the_same_known_values():
    """A: flu, charge 1; B: gout, charge 6; C is not in the release: mode of the file flu or gout, mean 3."""
    found = figures(AttributeDisclosure())
    wrong = np.mean([0, 1, 0, 0, 0.5])
    assert found["attribute.misclassified"].value == pytest.approx(100 * wrong)
    sd = np.std([0, 2, 4, 8, 6])
    far = np.mean([1, 1, 2, 2, 3]) / sd
    assert found["attribute.error"].value == pytest.approx(far)
    # Knowing the whole file only: flu or gout by turns, charge 3.
    blind = np.mean([0.5, 1, 0.5, 0.5, 0.5]), np.mean([3, 1, 1, 5, 3]) / sd
    assert found["attribute.gain"].value == pytest.approx(np.mean([1 - wrong / blind[0], 1 - far / blind[1]]))


def test_shuffled_release_teaches_nothing():
    """A release without relation between known and secret has a gain of about 0; the original itself a large one."""
    rng = np.random.default_rng(0)
    towns = rng.choice(3, 3000, p=[0.6, 0.3, 0.1])
    illness = np.where(rng.random(3000) < 0.8, towns, rng.integers(0, 3, 3000))
    names = [("A", "B", "C"), ("flu", "gout", "hiv")]
    cells = {
        "town": [names[0][i] for i in towns],
        "illness": [names[1][i] for i in illness],
        "charge": (illness + rng.normal(size=3000)).tolist(),
    }
    original = Table.build(cells, VARIABLES)
    order = rng.permutation(3000)
    shuffled = original.with_columns(original["town"].take(order))
    assert abs(figures(AttributeDisclosure(), original, shuffled)["attribute.gain"].value) < 0.05
    assert figures(AttributeDisclosure(), original, original)["attribute.gain"].value > 0.3


def test_attribution_counts_one_value_groups():
    """B is all gout, and both of B have gout: DiSCO 2 of 5, TCAP 2 of 2; A is mixed, C is not there."""
    found = figures(CorrectAttribution(secret=("illness",)))
    assert found["attribution.disco"].value == 40
    assert found["attribution.tcap"].value == 100
    assert found["attribution.any"].records.tolist() == [0, 0, 1, 1, 0]
    # A random protected record: flu 2/5 (asked twice), gout 2/5 (twice), hiv 1/5 (once).
    assert found["attribution.baseline"].value == pytest.approx(100 * np.mean([0.4, 0.2, 0.4, 0.4, 0.4]))


def test_wrong_attribution_is_told_apart():
    """When the release says hiv of all of B, it discloses nothing true: TCAP 0."""
    wrong = PROTECTED.with_columns(PROTECTED["illness"].with_values(np.array([0, 0, 2, 2, 2])))
    found = figures(CorrectAttribution(secret=("illness",)), protected=wrong)
    assert found["attribution.tcap"].value == 0
    assert found["attribution.disco"].value == 0


def test_missing_secrets_are_not_asked_for():
    """An empty illness leaves the error over the others."""
    original = Table.build({"town": list("AB"), "illness": [None, "gout"], "charge": [None, None]}, VARIABLES)
    found = figures(AttributeDisclosure(), original)
    assert found["attribute.misclassified"].value == 0
    assert np.isnan(found["attribute.error"].value)


def test_infinite_numbers_leave_their_column_out_with_the_reason():
    """One infinite charge: the gain is that of the other secret, and the note names what was left out and why."""
    endless = PROTECTED.with_columns(PROTECTED["charge"].with_values(np.array([1.0, 1, 1, 7, np.inf])))
    found = figures(AttributeDisclosure(), ORIGINAL, endless)
    assert found["attribute.gain"].value == pytest.approx(
        figures(AttributeDisclosure(secret=("illness",)))["attribute.gain"].value
    )
    assert "infinite numbers: charge" in found["attribute.gain"].note
    assert "infinite numbers: charge" in found["attribute.error"].note
    assert np.isnan(found["attribute.error"].value)
