"""Linkage averaged over columns known."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.risk.linkage import DistanceLinkage
from discreet.risk.prefix_linkage import PrefixLinkage, SubsetLinkage, draw_subsets
from discreet.table.schema import Variable
from discreet.table.table import Table

NAMES = ("a", "b", "c")
VARIABLES = {n: Variable(name=n, kind="numeric", role="quasi") for n in NAMES}


def tables():
    """A file and a noisy one."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(60, 3))
    y = x + 0.3 * rng.normal(size=x.shape)
    return tuple(Table.build(dict(zip(NAMES, t.T.tolist(), strict=True)), VARIABLES) for t in (x, y))


def test_prefixes_are_linkages_by_the_first_columns():
    """Part i is the rate of the first i columns, the figure their mean."""
    original, protected = tables()
    (figure,) = PrefixLinkage()(original, protected)
    single = [DistanceLinkage(known=NAMES[: i + 1])(original, protected)[0].value for i in range(3)]
    assert [part.value for part in figure.parts] == pytest.approx(single)
    assert figure.value == pytest.approx(np.mean(single))
    assert len(PrefixLinkage(most=2)(original, protected)[0].parts) == 2


def test_subsets_average_over_what_an_intruder_might_know():
    """Each part is the rate of its columns; the mean over all subsets by size is within four standard errors."""
    original, protected = tables()
    (figure,) = SubsetLinkage(subsets=200)(original, protected)
    rate = {p.of: p.value for p in figure.parts}
    assert len(rate) == 7
    expected = np.mean([np.mean([v for s, v in rate.items() if len(s) == size]) for size in (1, 2, 3)])
    half = (figure.interval[1] - figure.interval[0]) / 2
    assert abs(figure.value - expected) < 2 * half  # about four standard errors


def test_drawn_subsets_keep_file_order():
    """Sizes from 1 to the most, columns in file order, none twice."""
    drawn = draw_subsets(NAMES, 50, 2, np.random.default_rng(0))
    assert {len(s) for s in drawn} == {1, 2}
    assert all(list(s) == sorted(set(s)) for s in drawn)


def test_one_subset_has_no_interval():
    """Fewer than two subsets are refused."""
    with pytest.raises(ParameterError, match="subsets"):
        SubsetLinkage(subsets=1)


@pytest.mark.parametrize("measure", [PrefixLinkage, SubsetLinkage])
def test_a_sample_of_seekers_estimates_the_whole(measure):
    """Twenty of sixty seekers: the interval holds the figure of all, and no value per record is kept."""
    original, protected = tables()
    (whole,), (sampled,) = (measure(sample=n)(original, protected) for n in (None, 20))
    low, high = sampled.interval
    assert low <= whole.value <= high
    assert sampled.value != whole.value
    assert (sampled.records, sampled.people) == (None, 20)
    assert "20 records drawn" in sampled.note
    assert "drawn at random looked" not in whole.note
    with pytest.raises(ParameterError, match="sample"):
        measure(sample=0)
