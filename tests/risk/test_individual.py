"""Individual risk against the integral that defines it, and against simulation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from discreet.errors import ParameterError
from discreet.risk.individual import (
    IndividualRisk,
    correct_match_chance,
    individual_risk,
    population_unique_chance,
)
from discreet.table.schema import Variable
from discreet.table.table import Table


@pytest.mark.parametrize("f", [1.0, 1.5, 2, 3, 7, 14.9, 15, 40, 449])
@pytest.mark.parametrize("share", [1e-4, 0.01, 0.3, 0.9, 1.0])
def test_risk_is_the_defining_integral(f, share):
    """E[1/F | f] over the negative binomial law, for small and large, whole and broken f."""
    q = 1 - share
    steps = [
        0.0,
        *(share / f * np.logspace(0, 9, 10)).clip(max=60),
    ]  # the integrand decays like exp(-t f / p)

    def integrand(t):
        return (share * np.exp(-t) / (1 - q * np.exp(-t))) ** f

    pieces = (quad(integrand, a, b, epsabs=1e-300, epsrel=1e-10)[0] for a, b in pairwise(steps))
    assert individual_risk(np.array([f]), np.array([f / share]))[0] == pytest.approx(sum(pieces), rel=1e-8)


def test_risk_is_the_mean_of_one_over_f():
    """Directly: sum over F of 1/F times the negative binomial probability."""
    f, share = 2, 0.4
    sizes = np.arange(f, 400)
    law = (sizes - 1) * share**f * (1 - share) ** (sizes - f)
    assert law.sum() == pytest.approx(1)
    assert individual_risk(np.array([2.0]), np.array([5.0]))[0] == pytest.approx((law / sizes).sum())


def test_a_file_that_is_the_population_has_one_over_f():
    """Without weights, or with weights below one, the risk is 1 / f and never above."""
    sizes = np.array([1.0, 2.0, 30.0])
    assert individual_risk(sizes, sizes) == pytest.approx(1 / sizes)
    assert individual_risk(sizes, sizes / 2) == pytest.approx(1 / sizes)


def test_population_uniques_and_unique_matches():
    """1/F for records alone; Skinner and Elliot's chance between f and 1."""
    assert population_unique_chance(np.array([1.0, 1, 2]), np.array([1.0, 5, 2])).tolist() == [1.0, 0.2, 0.0]
    assert correct_match_chance(np.array([1.0, 1, 1, 2, 2]), 0.5) == pytest.approx(3 / 5)
    assert correct_match_chance(np.array([1.0, 1]), 0.01) == 1.0
    assert np.isnan(correct_match_chance(np.array([3.0]), 0.5))


def test_figures_use_the_weight_column():
    """Two alike with weights 10 and 20, one alone with weight 4."""
    variables = {
        "town": Variable(name="town", kind="nominal", role="quasi"),
        "w": Variable(name="w", kind="numeric", role="weight"),
    }
    table = Table.build({"town": list("AAB"), "w": [10.0, 20.0, 4.0]}, variables)
    found = {f.name: f.value for f in IndividualRisk()(table, table)}
    pair, lone = individual_risk(np.array([2.0, 1.0]), np.array([30.0, 4.0]))
    assert found["individual.expected"] == pytest.approx(2 * pair + lone)
    assert found["individual.worst"] == pytest.approx(100 * lone)
    assert found["individual.population_uniques"] == pytest.approx(0.25)


def test_bad_parameters():
    """A sampling fraction outside (0, 1] and an unknown formula."""
    with pytest.raises(ParameterError, match="sampling_fraction"):
        IndividualRisk(sampling_fraction=0)
    with pytest.raises(ParameterError, match="formula"):
        IndividualRisk(formula="poisson")
