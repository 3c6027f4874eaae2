"""Suggested subdomains: the loss where means really differ, risk inside the parts, and that a suggestion can be used."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.claims.exact_moments import ExactMoments
from discreet.stats.streams import Streams
from discreet.table.frames import encode

NAMES = ("wages", "sales")


def firms(n: int = 900) -> tuple[pl.DataFrame, dc.Schema]:
    """Regions differ in level; seasons do not."""
    rng = np.random.default_rng(1)
    region, season = rng.choice(["n", "s", "w"], n), rng.choice(["summer", "winter"], n)
    level = {"n": 1.0, "s": 3.0, "w": 9.0}
    common = np.array([level[r] for r in region]) * rng.gamma(4.0, size=n)
    frame = pl.DataFrame(
        {
            "region": region,
            "season": season,
            "wages": common + rng.gamma(2.0, size=n),
            "sales": common * rng.gamma(9.0, size=n),
        }
    )
    schema = dc.Schema(
        tuple(
            dc.Variable(
                name=name,
                kind="numeric" if name in NAMES else "nominal",
                role="confidential" if name in NAMES else "other",
            )
            for name in frame.columns
        )
    )
    return frame, schema


def suggested(**more: Any) -> dict[tuple[str, ...], Any]:
    frame, schema = firms()
    return {one.by: one for one in dc.suggest_subdomains(frame, schema, seed=1, **more)}


def test_where_parts_differ_the_loss_is_large() -> None:
    """Regions with other levels lose more of their means than seasons, which are alike and are no subdomains at all."""
    found = suggested(mask=dc.RankSwapping(20, columns=NAMES))
    assert found[("region",)].loss > 10
    assert ("season",) not in found
    assert [one.loss for one in found.values()] == sorted((one.loss for one in found.values()), reverse=True)


def test_a_suggestion_can_be_used_as_it_is() -> None:
    """Its partition goes into the hybrid, which is then exact inside it."""
    frame, schema = firms()
    one = suggested()[("region",)]
    release = dc.CholeskyHybrid(columns=NAMES, by=one.subdomains, exact=True).protect(frame, schema, seed=2)
    inner = [p.claim for p in release.claims if isinstance(p.claim, ExactMoments) and p.claim.by]
    assert [claim.by for claim in inner] == [("region",)]
    assert release.recipe.method["by"]["name"] == "Subdomains"


def test_numbers_with_gaps_are_weighed() -> None:
    """Missing cells are no reason to refuse: the method restores patterns, and so does its draft."""
    frame, schema = firms()
    gaps = frame.with_columns(
        wages=pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col("wages"))
    )
    found = dc.suggest_subdomains(gaps, schema, seed=1)
    assert any(one.by == ("region",) for one in found)


def test_risk_is_that_inside_the_parts() -> None:
    """Linkage of the draft of the whole is measured inside each region, where an intruder who knows it would look."""
    frame, schema = firms()
    mask = dc.Microaggregation(3, columns=NAMES)
    one = suggested(mask=mask)[("region",)]
    release = dc.CholeskyHybrid(mask, columns=NAMES, exact=True).protect(frame, schema, seed=1)
    original, parts = encode(frame, schema)[0], one.subdomains.partition(encode(frame, schema)[0], Streams(1))
    linkage = dc.PrefixLinkage(known=NAMES)
    inside = [linkage(original.take(rows), release.table.take(rows))[0].value for rows in parts.members()]
    assert one.linkage == pytest.approx(np.average(inside, weights=parts.sizes), abs=1e-9)
    assert one.linkage != pytest.approx(linkage(original, release.table)[0].value, abs=1e-3)


def test_the_command_prints_them(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """`discreet subdomains`: a page of figures without a cell value in it."""
    from discreet.cli.main import app

    firms()[0].write_csv(tmp_path / "firms.csv")
    with pytest.raises(SystemExit) as ended:
        app(["subdomains", str(tmp_path / "firms.csv"), "--seed", "1"], prog_name="discreet")
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert "region" in shown
    assert "summer" not in shown
