"""The patients whom the tests of evidence share, and a release of them."""

from __future__ import annotations

import polars as pl
import pytest

import discreet as dc
from discreet.workflow.evidence import Evidence


@pytest.fixture(scope="module")
def patients() -> pl.DataFrame:
    return dc.simulate_patients(400, seed=3)


@pytest.fixture(scope="module")
def evidence(patients: pl.DataFrame) -> Evidence:
    return dc.assess(patients, dc.protect(patients, seed=1))
