"""What a report says of a release: the guarantee at its top, and notes that count nobody exactly."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.report.render import report_html
from discreet.report.summary import summarize


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return dc.simulate_patients(300, seed=2)


def guarantee_of(release: dc.Release) -> tuple[str, str]:
    return summarize(release, None).guarantee


def test_a_guarantee_of_all_known_columns_is_the_headline(patients: pl.DataFrame) -> None:
    """One claim over all quasi-identifiers stands at the top as it is."""
    assert guarantee_of(dc.protect(patients, seed=1)) == ("5-anonymity", "checked, holds")


def test_guarantees_of_single_columns_are_said_to_be_partial(patients: pl.DataFrame) -> None:
    """Every column 3-anonymous by itself leaves people alone by all of them: no headline says 3-anonymity."""
    release = dc.UnivariateMicroaggregation(3).protect(patients, seed=1)
    said, more = guarantee_of(release)
    assert said == "partly"
    assert "together" in more
    assert "3-anonymity of age alone" in more
    assert '<span class="said">partly</span>' in report_html(release)


def test_no_guarantee_is_said_to_be_none(patients: pl.DataFrame) -> None:
    """Noise claims nothing."""
    assert guarantee_of(dc.Noise(0.5).protect(patients, seed=1))[0] == "none"
