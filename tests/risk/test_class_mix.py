"""X^2 of groups."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.risk.class_mix import ClassMix, mean_chi_square
from discreet.table.schema import Variable
from discreet.table.table import Table


def test_worked_example():
    """Groups (2 a, 0 b) and (1 a, 3 b) of 3 a and 3 b: expected 1, 1 and 2, 2, so X^2 = (2 + 1) / 2."""
    assert mean_chi_square(np.array([0, 0, 1, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])) == pytest.approx(1.5)


@pytest.mark.statistical
def test_chance_gives_about_one_less_than_the_classes():
    """Random groups of 20 records with 4 classes: C - 1 = 3, mean over 500 groups within 4 standard errors."""
    rng = np.random.default_rng(0)
    labels, codes = np.repeat(np.arange(500), 20), rng.integers(0, 4, 10_000)
    assert abs(mean_chi_square(labels, codes) - 3) < 4 * np.sqrt(6 / 500)


def test_figure_names_the_chance_level():
    """The note says what random groups would have."""
    variables = {
        "town": Variable(name="town", kind="nominal", role="quasi"),
        "illness": Variable(name="illness", kind="nominal", role="confidential"),
    }
    table = Table.build({"town": list("AABB"), "illness": list("abcc")}, variables)
    (figure,) = ClassMix()(table, table)
    assert figure.value == pytest.approx(2.0)
    assert "by chance about 2" in figure.note
