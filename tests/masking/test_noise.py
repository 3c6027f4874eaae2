"""Noise: what each kind keeps, in expectation or exactly."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError, UnsuitableError
from discreet.masking.noise import FittedNoise, Noise, orthogonal_noise
from discreet.stats.streams import BLOCK_ROWS, block_slices
from discreet.table.schema import Schema, Variable


def schema(*names: str, **more: object) -> Schema:
    return Schema(tuple(Variable(name=n, kind="numeric", role="confidential", **more) for n in names))  # type: ignore[arg-type]


def correlated(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) @ np.array([[1, 0.5, 0.2], [0, 1, 0.7], [0, 0, 2.0]]) + np.array(
        [1e4, -3, 0]
    )


def frame_of(values: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame(values, schema=["a", "b", "c"], orient="row")


@pytest.mark.statistical
@pytest.mark.parametrize(("kind", "factor"), [("independent", None), ("correlated", 1.25), ("rescaled", 1.0)])
def test_covariance_in_expectation(kind: str, factor: float | None) -> None:
    """Covariances become S + c diag(S), (1 + c) S or S; each entry within 5 standard errors (level 1e-5)."""
    n = 100_000
    values = correlated(n)
    after = Noise(0.5, kind=kind).protect(frame_of(values), schema("a", "b", "c"), seed=3).data.to_numpy()  # type: ignore[arg-type]
    before = np.cov(values.T, bias=True)
    wanted = before + 0.25 * np.diag(np.diag(before)) if factor is None else factor * before
    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    assert np.abs(np.cov(after.T, bias=True) - wanted).max() < 5 * np.sqrt(2 / n) * scale.max()
    assert np.abs((after.mean(0) - values.mean(0)) / values.std(0)).max() < 5 * np.sqrt(0.25 / n)


@settings(deadline=None, max_examples=25)
@given(st.integers(10, 60), st.integers(0, 2**32), st.booleans())
def test_exact_noise_keeps_moments(n: int, seed: int, has_weights: bool) -> None:
    """With exact=True means and covariances are the original's to 1e-9, weighted where a weight is declared."""
    rng = np.random.default_rng(seed)
    frame = frame_of(correlated(n, seed))
    plan = schema("a", "b", "c")
    if has_weights:
        frame = frame.with_columns(w=pl.Series(rng.integers(0, 4, n).astype(float) + (np.arange(n) < 9)))
        plan = Schema((*plan, Variable(name="w", kind="numeric", role="weight")))
    release = Noise(0.3, kind="rescaled", exact=True).protect(frame, plan, seed=seed)
    assert release.claims[0].verdict.holds
    assert not np.allclose(release.data["a"].to_numpy(), frame["a"].to_numpy())


def test_exact_noise_on_whole_numbers_is_released_with_its_digits() -> None:
    """A column of whole numbers gets a type that holds the noise, or its moments would be lost in rounding."""
    frame = pl.DataFrame({"a": np.arange(40) ** 2, "b": pl.Series(np.arange(40) % 7, dtype=pl.Int8)})
    release = Noise(0.3, kind="rescaled", exact=True).protect(frame, schema("a", "b"), seed=1)
    assert release.data.schema == {"a": pl.Float64, "b": pl.Float64}
    assert release.claims[0].verdict.holds
    assert not np.allclose(release.data["a"], release.data["a"].round())


def test_records_without_weight_get_noise_of_their_own() -> None:
    """Exact noise of a record of weight 0 is an ordinary normal: undoing the known map does not give the value back."""
    n = 4_000
    values = np.random.default_rng(3).normal(50, 10, n)
    frame = pl.DataFrame({"a": values, "w": np.repeat([0.0, 1.0], n // 2)})
    plan = Schema((*schema("a"), Variable(name="w", kind="numeric", role="weight")))
    release = Noise(0.3, kind="rescaled", exact=True).protect(frame, plan, seed=1)
    centre, deviation = values[n // 2 :].mean(), values[n // 2 :].std()
    undone = centre + (release.data["a"].to_numpy() - centre) * np.sqrt(1.09)
    left = ((undone - values) / deviation)[: n // 2]
    assert left.std() == pytest.approx(0.3, rel=0.08)  # 5 standard errors
    assert (np.abs(left) < 1e-6).sum() == 0


def test_exact_noise_counts_records_with_weight() -> None:
    """Room for exactness is records that enter the moments; too few are refused with their number, not by a claim."""
    frame = pl.DataFrame({"a": np.arange(9.0), "w": [1.0] * 3 + [0.0] * 6})
    plan = Schema((*schema("a"), Variable(name="w", kind="numeric", role="weight")))
    with pytest.raises(UnsuitableError, match=r"at least 4 records with a weight above 0 .* Got 3"):
        Noise(0.3, kind="rescaled", exact=True).protect(frame, plan, seed=1)


def test_rescaled_noise_says_where_the_support_moves_moments() -> None:
    """Clipping at 0 lifts the mean of a column that lies there; a column with room, and the other kinds, get no note."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.integers(0, 2, 2000), "b": rng.normal(1e3, 9, 2000)})
    plan = Schema((*schema("a", decimals=0, lower=0), *schema("b", lower=0)))
    notes = Noise(0.5, kind="rescaled").protect(frame, plan, seed=1).notes
    assert [note.endswith("of a standard deviation: a.") for note in notes] == [True]
    assert Noise(0.5).protect(frame, plan, seed=1).notes == ()


def test_orthogonal_noise_is_exactly_white() -> None:
    """Mean 0, covariance I, no covariance with the data, also where columns of the data are collinear."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 3))
    values[:, 2] = values[:, 0] + values[:, 1]
    noise = orthogonal_noise(rng.normal(size=(50, 2)), values, None)
    np.testing.assert_allclose(noise.mean(0), 0, atol=1e-13)
    np.testing.assert_allclose(noise.T @ noise / 50, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(noise.T @ values / 50, 0, atol=1e-13)


def test_zero_noise_changes_nothing() -> None:
    """sd = 0 is the identity for every kind."""
    frame = frame_of(correlated(20))
    for kind in ("independent", "correlated", "rescaled"):
        after = Noise(0.0, kind=kind).protect(frame, schema("a", "b", "c"), seed=1).data  # type: ignore[arg-type]
        np.testing.assert_allclose(after.to_numpy(), frame.to_numpy(), rtol=1e-12)


def test_support_and_gaps_are_kept() -> None:
    """Whole numbers stay whole, bounds hold, missing stays missing."""
    frame = pl.DataFrame({"a": [1, None, 3, 900, 5, 2]})
    plan = schema("a", decimals=0, lower=0, upper=900)
    after = Noise(1.0).protect(frame, plan, seed=2).data["a"]
    assert after.dtype == pl.Int64
    assert after.is_null().to_list() == frame["a"].is_null().to_list()
    assert after.min() >= 0
    assert after.max() <= 900


def test_gaps_do_not_disturb_correlated_noise() -> None:
    """The noise of incomplete columns has the variances of their present cells."""
    values = correlated(40_000)
    frame = frame_of(values).with_columns(
        b=pl.when(pl.Series(np.arange(40_000) % 3 == 0)).then(None).otherwise("b")
    )
    after = Noise(1.0, kind="correlated").protect(frame, schema("a", "b", "c"), seed=9).data
    shift = (after["b"] - frame["b"]).drop_nulls().to_numpy()
    assert shift.std() == pytest.approx(values[:, 1].std(), rel=0.05)


def test_constant_columns_stay() -> None:
    """Noise in standard deviations of a constant column is none."""
    frame = pl.DataFrame({"a": [5.0] * 8, "b": [7.0] * 8, "c": np.arange(8.0)})
    for kind in ("independent", "correlated", "rescaled"):
        after = Noise(0.5, kind=kind).protect(frame, schema("a", "b", "c"), seed=1).data  # type: ignore[arg-type]
        assert after["a"].to_list() == [5.0] * 8


def test_what_cannot_be_exact_is_refused() -> None:
    """Exact noise needs room (records), complete columns, and the kind that keeps variances."""
    with pytest.raises(ParameterError, match="rescaled"):
        Noise(0.5, exact=True)
    with pytest.raises(UnsuitableError, match="at least 8 records"):
        Noise(0.5, kind="rescaled", exact=True).protect(frame_of(correlated(5)), schema("a", "b", "c"))
    gaps = frame_of(correlated(50)).with_columns(a=pl.when(pl.col("a") > 1e4).then("a"))
    with pytest.raises(UnsuitableError, match="complete"):
        Noise(0.5, kind="rescaled", exact=True).protect(gaps, schema("a", "b", "c"))
    with pytest.raises(ParameterError, match="sd"):
        Noise(-0.1)


def test_noise_is_the_same_whole_or_in_blocks() -> None:
    """A map of single records with a stream per block of rows: a file taken in pieces gets the same noise."""
    n = BLOCK_ROWS + 1000
    prepared = Noise(0.3, kind="rescaled").prepare(frame_of(correlated(n)), schema("a", "b", "c"), seed=4)
    whole = prepared.release().table
    fitted, streams = prepared.fitted, prepared.streams.at("draw", "0")
    assert isinstance(fitted, FittedNoise)
    values = np.column_stack([prepared.table[name].numbers for name in fitted.names])
    for rows in block_slices(n):
        size = rows.stop - rows.start
        normals = [streams.normals("noise", name, n=size, first=rows.start) for name in fitted.names]
        block = fitted.apply(values[rows], np.column_stack(normals))
        np.testing.assert_array_equal(block[:, 0], whole["a"].numbers[rows])
