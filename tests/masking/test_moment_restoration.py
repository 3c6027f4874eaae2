"""Restoration as a method meets it: what is claimed, what is given up, what is refused before the mask works."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.arrays import Floats
from discreet.base import Draft
from discreet.claims.exact_moments import ExactMoments
from discreet.errors import InputError, ParameterError, UnsuitableError
from discreet.stats.moments import moment_errors
from discreet.stats.streams import Streams
from discreet.table.frames import encode
from discreet.table.table import Table

NAMES = ("a", "b", "c", "d")
NOISE = dc.Noise(0.2, columns=NAMES)


def firms(n: int = 600, seed: int = 1, **more: Any) -> pl.DataFrame:
    """Four correlated columns of different scale, two categories."""
    rng = np.random.default_rng(seed)
    values = rng.gamma(2.0, size=(n, 4)) @ rng.normal(size=(4, 4)) * [1.0, 10.0, 100.0, 0.1]
    frame = pl.DataFrame(dict(zip(NAMES, values.T, strict=True)))
    return frame.with_columns(
        region=pl.Series(rng.choice(["north", "south", "west"], n)),
        half=pl.Series(rng.choice(["first", "second"], n)),
        **more,
    )


def schema_of(frame: pl.DataFrame, **changes: dict[str, Any]) -> dc.Schema:
    declared = []
    for name, kind in frame.schema.items():
        numeric = kind.is_numeric()
        variable = dc.Variable(
            name=name, kind="numeric" if numeric else "nominal", role="confidential" if numeric else "other"
        )
        declared.append(replace(variable, **changes.get(name, {})))
    return dc.Schema(tuple(declared))


def release_of(method: dc.Method, frame: pl.DataFrame, **changes: dict[str, Any]) -> dc.Release:
    return method.protect(frame, schema_of(frame, **changes), seed=5)


def exactness(release: dc.Release) -> list[tuple[tuple[str, ...], tuple[str, ...], float]]:
    """What is claimed exact: columns, by, tolerance."""
    claims = [proven.claim for proven in release.claims]
    return [(c.columns, c.by, c.tolerance) for c in claims if isinstance(c, ExactMoments)]


def said(release: dc.Release, words: str) -> bool:
    return any(words in note for note in release.notes)


def values_of(frame: pl.DataFrame, names: tuple[str, ...] = NAMES) -> Floats:
    return frame.select(names).to_numpy().astype(np.float64)


# -- claims ----------------------------------------------------------------------------------------------------------


def test_exact_release_claims_the_ninth_digit() -> None:
    """All digits, nothing clipped: 1e-9, in the whole and in every subdomain, never a looser claim."""
    release = release_of(dc.CholeskyHybrid(NOISE, by=["region"], exact=True), firms())
    assert exactness(release) == [(NAMES, (), 1e-9), (NAMES, ("region",), 1e-9)]


def test_rounding_is_told_with_its_error() -> None:
    """Whole numbers: the note says how far off moments are, and the claim is the next power of ten."""
    frame = firms(2000).with_columns(pl.col(NAMES).round(0))
    release = release_of(dc.CholeskyHybrid(NOISE), frame, **{name: {"decimals": 0} for name in NAMES})
    assert said(release, "Values were rounded: means and covariances are off by up to")
    error = moment_errors(values_of(frame), values_of(release.data)).largest
    for _, _, tolerance in exactness(release):
        assert error <= tolerance < 10 * error
    assert exactness(release) or said(release, "not claimed as exact")


def test_rounded_too_far_claims_nothing_and_says_so() -> None:
    """A column of 0 and 1 cannot keep its covariances in whole numbers: no claim, and a note with the error."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"a": rng.integers(0, 2, 300).astype(float), "b": rng.normal(size=300)})
    release = release_of(dc.CholeskyHybrid(dc.Noise(0.5, columns=("a", "b"))), frame, a={"decimals": 0})
    assert exactness(release) == []
    assert said(release, "not claimed as exact")


def test_strata_that_round_differently_share_the_looser_claim() -> None:
    """One stratum rounds worse than the other: the release claims the worse of both, not nothing."""
    names = ("b", "c")
    factor = pl.when(pl.col("half") == "first").then(5000).otherwise(20)
    frame = firms(1200).with_columns((pl.col(names) * factor).round(0))
    changes = {name: {"decimals": 0} for name in names} | {"half": {"role": "stratum"}}
    method = dc.CholeskyHybrid(dc.Noise(0.2, columns=names), columns=names)

    def tolerances(part: pl.DataFrame) -> list[float]:
        return [tolerance for _, _, tolerance in exactness(release_of(method, part, **changes))]

    (fine,), (coarse,) = (tolerances(frame.filter(pl.col("half") == half)) for half in ("first", "second"))
    assert fine < coarse
    assert tolerances(frame) == [coarse]


def test_far_from_zero_is_claimed_to_the_digits_there_are() -> None:
    """A mean of 10^9 standard deviations leaves seven digits: the claim says so beforehand, and a note names the column."""
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"a": 1e9 + rng.normal(size=400), "b": rng.normal(size=400)})
    release = release_of(dc.CholeskyHybrid(dc.Noise(0.2, columns=("a", "b")), exact=True), frame)
    assert exactness(release) == [(("a", "b"), (), 1e-6)]
    assert said(release, "few digits for exactness: a")


def test_merged_subdomains_are_claimed() -> None:
    """Cells below the least size are merged, and exactness inside the merged ones is claimed and checked."""
    frame = firms(600).with_columns(
        region=pl.when(pl.int_range(600) < 30).then(pl.lit("tiny")).otherwise(pl.col("region"))
    )
    method = dc.CholeskyHybrid(NOISE, by=["region"], small="merge", exact=True)
    release = release_of(method, frame)
    inner = [p.claim for p in release.claims if isinstance(p.claim, ExactMoments) and p.claim.by]
    assert len(inner) == 1
    assert inner[0].parts is not None
    assert inner[0].parts.n_groups == 3
    assert "one of 3 parts" in inner[0].statement


def test_column_names_may_hold_commas() -> None:
    """The subdomains are named by columns, not by a sentence that is taken apart again."""
    frame = firms().rename({"region": "region, coast"})
    release = release_of(
        dc.CholeskyHybrid(NOISE, by=["region, coast", "half"], min_part=10, exact=True), frame
    )
    assert [by for _, by, _ in exactness(release)] == [(), ("region, coast", "half")]


def test_a_partition_can_be_given() -> None:
    """Numbers in quarters as subdomains: equal values stay together, so the checker can follow."""
    age = np.random.default_rng(4).integers(1, 90, 1000)
    frame = firms(1000, age=pl.Series(age))
    parts = dc.Subdomains(["age"], columns=NAMES, bins=4)
    release = release_of(dc.CholeskyHybrid(NOISE, columns=NAMES, by=parts, exact=True), frame)
    quarters = np.searchsorted(np.quantile(age, [0.25, 0.5, 0.75]), age)
    for part in range(4):
        inside = quarters == part
        assert moment_errors(values_of(frame)[inside], values_of(release.data)[inside]).largest < 1e-12
    assert [by for _, by, _ in exactness(release)] == [(), ("age",)]


def test_parts_that_a_reader_cannot_tell_are_not_claimed() -> None:
    """Subdomains by a column that is itself restored: exact inside the original's parts, which the release hides."""
    release = release_of(dc.CholeskyHybrid(NOISE, by=["a"], exact=True), firms(1000))
    assert [by for _, by, _ in exactness(release)] == [()]
    assert said(release, "Not claimed, because the release has changed what the statistics are by: a")


# -- claims of the mask ----------------------------------------------------------------------------------------------


def test_k_anonymity_survives_and_is_checked() -> None:
    """Equal masked records stay equal bit for bit, in the whole and in subdomains."""
    for by in ([], ["region"]):
        release = release_of(
            dc.CholeskyHybrid(dc.Microaggregation(4, columns=NAMES), by=by, exact=True), firms()
        )
        k_claims = [p.claim for p in release.claims if isinstance(p.claim, dc.KAnonymity)]
        assert [claim.k for claim in k_claims] == [4]


@pytest.mark.parametrize(
    "method",
    [
        dc.CholeskyHybrid(dc.Microaggregation(3, columns=("a", "b")), columns=NAMES, exact=True),
        dc.CholeskyHybrid(columns=NAMES, blend=0.9, exact=True),
        dc.Composition(
            dc.Cells(("half",)),
            dc.Within(dc.Microaggregation(3, columns=NAMES)),
            dc.MomentRestoration(columns=NAMES, exact=True, kind="printed"),
        ),
    ],
    ids=["columns the mask left alone", "blend", "printed"],
)
def test_k_anonymity_that_cannot_survive_is_given_up_with_a_word(method: dc.Method) -> None:
    """Untreated columns enter the map, records are mixed, or single records are solved for: no claim, but a release."""
    release = release_of(method, firms())
    assert not any(isinstance(p.claim, dc.KAnonymity) for p in release.claims)
    assert said(release, "Restoration gave up: k-anonymity")


def test_equal_margins_are_given_up() -> None:
    """Rank swapping keeps margins; restoration moves them."""
    release = release_of(dc.CholeskyHybrid(dc.RankSwapping(10, columns=NAMES), exact=True), firms())
    assert said(release, "Restoration gave up: equal margins")


def test_a_step_before_is_not_a_mask() -> None:
    """After noise as a step of its own, the hybrid restores what noise left: not claimed, and the way out is told."""
    release = release_of(dc.Pipeline((NOISE, dc.CholeskyHybrid(NOISE, exact=True))), firms())
    assert exactness(release) == []
    assert said(release, "give the earlier step as the mask of this one")


# -- missing cells ---------------------------------------------------------------------------------------------------


def with_gaps(frame: pl.DataFrame, name: str, rows: range) -> pl.DataFrame:
    gone = pl.int_range(pl.len()).is_between(rows.start, rows.stop - 1)
    return frame.with_columns(pl.when(gone).then(None).otherwise(pl.col(name)).alias(name))


def test_rare_patterns_are_left_and_the_claim_leaves_them_out() -> None:
    """30 records lack one column: treated, not restored; the others' moments are claimed to 1e-9 all the same."""
    frame = with_gaps(firms(900), "b", range(30))
    release = release_of(dc.CholeskyHybrid(NOISE, exact=True), frame)
    (claim,) = [p.claim for p in release.claims]
    assert (claim.tolerance, claim.min_pattern) == (1e-9, 100)
    assert said(release, "30 records have patterns of missing cells that fewer than 100 share")
    rest = slice(30, None)
    assert moment_errors(values_of(frame)[rest], values_of(release.data)[rest]).largest < 1e-12
    assert not np.array_equal(values_of(frame)[:30, 0], values_of(release.data)[:30, 0])


def test_frequent_patterns_are_restored_each() -> None:
    """200 lack a column: means and available-case covariances of each pattern come back."""
    frame = with_gaps(firms(900), "b", range(200))
    release = release_of(dc.CholeskyHybrid(NOISE, exact=True), frame)
    assert exactness(release) == [(NAMES, (), 1e-9)]
    for rows, names in ((slice(200), ("a", "c", "d")), (slice(200, None), NAMES)):
        assert (
            moment_errors(values_of(frame, names)[rows], values_of(release.data, names)[rows]).largest < 1e-12
        )


@dataclass(frozen=True)
class Fill(dc.Method):
    """Fills every gap with a number; draws nothing else."""

    number: float

    def fit(self, table: Table, streams: Streams) -> Fill:
        object.__setattr__(self, "_table", table)
        return self

    def draw(self, streams: Streams) -> Draft:
        table: Table = self._table  # type: ignore[attr-defined]
        filled = [
            table[name].with_values(
                np.where(table[name].missing, self.number, table[name].values + 0.1),
                np.zeros(table.n_records, dtype=np.uint8),
            )
            for name in NAMES
        ]
        return Draft(table.with_columns(*filled))


def test_a_mask_that_fills_gaps_never_passes_for_an_original() -> None:
    """Cells that the original lacks are restored to nothing: its mean is not dragged to 0, and a note says so."""
    frame = with_gaps(firms(900), "a", range(200))
    release = release_of(dc.CholeskyHybrid(Fill(3.0), columns=NAMES, exact=True), frame)
    assert exactness(release) == []
    assert said(release, "Not claimed, because the release lacks other cells than the original")
    before, after = frame["a"].drop_nulls().to_numpy(), release.data["a"].to_numpy()
    np.testing.assert_allclose(after[200:].mean(), before.mean(), rtol=1e-12)
    assert (after[:200] == 3.0).all()


def test_no_pattern_large_enough_is_an_error() -> None:
    """Nothing would be restored: refused instead of released as it is."""
    frame = with_gaps(firms(150), "a", range(75))
    with pytest.raises(UnsuitableError, match="nothing can be restored"):
        release_of(dc.CholeskyHybrid(NOISE, exact=True), frame)


# -- identities, bounds, rounding ------------------------------------------------------------------------------------


def totals(n: int = 800) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    parts = np.round(rng.gamma(1.5, 20, size=(n, 2)))
    return pl.DataFrame(
        {"a": parts[:, 0], "b": parts[:, 1], "c": parts.sum(axis=1), "q": rng.choice(["x", "y"], n)}
    )


@pytest.mark.parametrize(
    "way",
    [
        {},
        {"by": ["q"]},
        {"blocks": (dc.Block(["q"], ["a", "b"]),), "bounded": False},
        {"families": (("q",),), "bounded": False},
    ],
    ids=["whole", "by", "blocks", "families"],
)
@pytest.mark.parametrize("lower", [None, 0.0])
def test_totals_stay_totals(way: dict[str, Any], lower: float | None) -> None:
    """Rounded, clipped, in any way: a total is the sum of the parts beside it, to the last bit."""
    frame, names = totals(), ("a", "b", "c")
    changes = {name: {"decimals": 0, "lower": lower} for name in names}
    method = dc.CholeskyHybrid(dc.Noise(0.2, columns=names), columns=names, **way)
    after = release_of(method, frame, **changes).data
    assert (after["a"] + after["b"] == after["c"]).all()
    if lower is not None and "bounded" not in way:
        assert after.select(pl.min_horizontal(pl.col(names).min())).item() >= 0


@pytest.mark.parametrize(
    "way", [{"blocks": (dc.Block(["q"], ["a"]),)}, {"families": (("q",),)}, {"kind": "printed"}]
)
def test_bounds_are_never_silently_lost(way: dict[str, Any]) -> None:
    """Blocks, families and the printed algorithm keep no bounds: declared ones are refused until they are given up."""
    frame, names = totals().with_columns(b=pl.col("b") ** 1.1), ("a", "b")
    with pytest.raises(UnsuitableError, match="bounded=False"):
        release_of(
            dc.CholeskyHybrid(dc.Noise(0.2, columns=names), columns=names, **way), frame, a={"lower": 0.0}
        )


# -- what is refused, and when ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unreached(dc.Method):
    """A mask that must never be asked."""

    def fit(self, table: Table, streams: Streams) -> Any:
        raise AssertionError("the mask worked")


@pytest.mark.parametrize(
    ("way", "frame", "words"),
    [
        ({"by": ["region"], "min_part": 250}, firms(), "fewer than 250 records"),
        ({"by": dc.Cells(("region",)), "min_part": 250}, firms(), "fewer than 250 records"),
        ({"blocks": (dc.Block(["region"], ["a"]),), "min_part": 250}, firms(), "fewer than 250 records"),
        ({"blocks": (dc.Block(["region"], ["z"]),)}, firms(), "not restored: z"),
        ({"families": (("region",), ("half",)), "min_part": 250}, firms(), "fewer than 250 records"),
        ({"families": (("half",),)}, with_gaps(firms(), "a", range(3)), "complete columns"),
        ({"kind": "printed"}, with_gaps(firms(), "a", range(3)), "complete columns"),
        ({}, firms(4), "too few to restore"),
        ({}, firms(5), "too few to restore"),
        ({"by": ["half"], "min_part": 2}, firms(8), "too few to restore"),
    ],
)
def test_what_cannot_be_restored_is_refused_before_the_mask_works(
    way: dict[str, Any], frame: pl.DataFrame, words: str
) -> None:
    """Small parts, unknown columns, gaps, too few records: an error at once."""
    with pytest.raises(InputError, match=words):
        release_of(dc.CholeskyHybrid(Unreached(), columns=NAMES, exact=True, **way), frame)


def test_weightless_records_do_not_make_a_part_large() -> None:
    """A part of 200 with three positive weights has exact statistics of three records: refused."""
    weight = np.ones(600)
    weight[3:200] = 0.0
    frame = firms(600, w=pl.Series(weight)).with_columns(
        region=pl.when(pl.int_range(600) < 200).then(pl.lit("light")).otherwise(pl.lit("heavy"))
    )
    with pytest.raises(UnsuitableError, match="smallest: 3"):
        release_of(dc.CholeskyHybrid(NOISE, columns=NAMES, by=["region"]), frame, w={"role": "weight"})


def test_a_small_stratum_is_a_small_part() -> None:
    """Strata are restored apart, so their exact statistics disclose as much as those of subdomains."""
    frame = firms(300).with_columns(
        half=pl.when(pl.int_range(300) < 20).then(pl.lit("few")).otherwise(pl.lit("many"))
    )
    with pytest.raises(UnsuitableError, match="A stratum has 20 records, fewer than 100"):
        release_of(dc.CholeskyHybrid(NOISE, columns=NAMES), frame, half={"role": "stratum"})


@pytest.mark.parametrize(
    "build",
    [
        lambda: dc.CholeskyHybrid(mask="Noise"),
        lambda: dc.CholeskyHybrid(mask=dc.Noise),
        lambda: dc.Block("region", ["a"]),
        lambda: dc.Block(["region"], []),
        lambda: dc.Block(["region"], ["a"], where={"half": "first"}),
        lambda: dc.CholeskyHybrid(blocks=[{"by": ["region"]}]),
        lambda: dc.CholeskyHybrid(families=["region", "half"]),
        lambda: dc.CholeskyHybrid(by=["region"], families=[["half"]]),
        lambda: dc.CholeskyHybrid(by=["region"], blocks=[dc.Block(["half"], ["a"])]),
        lambda: dc.CholeskyHybrid(kind="printed", blocks=[dc.Block(["half"], ["a"])]),
        lambda: dc.MomentRestoration(tol_dep=-1.0),
        lambda: dc.MomentRestoration(tol_near=2.0),
        lambda: dc.CholeskyHybrid(by="region"),
    ],
)
def test_bad_parameters_are_parameter_errors(build: Any) -> None:
    """One clear sentence when the method is made, never a stray exception."""
    with pytest.raises(ParameterError):
        build()


# -- blocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [("a", "b"), ("c", "d"), ("b", "d"), ("d", "a")])
def test_blocks_of_any_columns(columns: tuple[str, ...]) -> None:
    """Wherever the frozen columns stand in the file: exact inside the blocks and in the whole."""
    frame = firms()
    release = release_of(dc.CholeskyHybrid(NOISE, blocks=[dc.Block(["region"], columns)], exact=True), frame)
    assert exactness(release) == [(NAMES, (), 1e-9), (columns, ("region",), 1e-9)]


def test_blocks_of_some_records() -> None:
    """A block of the north alone: its cells are exact, those elsewhere are free, and the whole is exact."""
    frame, names = firms(900), ("a", "b", "c")
    blocks = [
        dc.Block([], names, where={"region": ["north"]}),
        dc.Block(["half"], ("c", "d"), where={"region": ["south"]}),
    ]
    release = release_of(dc.CholeskyHybrid(NOISE, blocks=blocks, exact=True), frame)
    assert len(exactness(release)) == 3
    north = (frame["region"] == "north").to_numpy()
    assert (
        moment_errors(values_of(frame, names)[north], values_of(release.data, names)[north]).largest < 1e-12
    )
    assert moment_errors(values_of(frame), values_of(release.data)).largest < 1e-12


def test_where_must_name_categories() -> None:
    """A value that the column does not have is an error without the value in it."""
    with pytest.raises(InputError) as fault:
        release_of(
            dc.CholeskyHybrid(NOISE, blocks=[dc.Block([], ["a"], where={"region": ["atlantis"]})]), firms()
        )
    assert "atlantis" not in str(fault.value)


def test_blocks_without_room_name_the_column() -> None:
    """All cells of two unrelated blocks frozen: their covariance cannot be had, and the error says of which column."""
    blocks = [dc.Block(["region"], ["a", "b"]), dc.Block(["half"], ["c", "d"])]
    with pytest.raises(UnsuitableError, match=r"column '[cd]' no room"):
        release_of(dc.CholeskyHybrid(NOISE, blocks=blocks, exact=True), firms())


# -- blend -----------------------------------------------------------------------------------------------------------


def test_blend_stays_inside_parts_and_patterns() -> None:
    """Records are mixed with others of their own part: far-off parts do not drag each other's values."""
    frame = firms(800).with_columns(
        half=pl.when(pl.int_range(800) < 400).then(pl.lit("near")).otherwise(pl.lit("far")),
    )
    frame = frame.with_columns(
        **{
            name: pl.when(pl.col("half") == "far").then(pl.col(name) + 1e4).otherwise(pl.col(name))
            for name in NAMES
        }
    )
    small = dc.Noise(1e-6, columns=NAMES)
    release = release_of(dc.CholeskyHybrid(small, columns=NAMES, by=["half"], blend=0.9, exact=True), frame)
    alone = release_of(
        dc.CholeskyHybrid(small, columns=NAMES, blend=0.9, exact=True), frame.filter(pl.col("half") == "near")
    )
    near = (frame["half"] == "near").to_numpy()
    before = frame["a"].to_numpy()[near]
    inside = np.corrcoef(before, release.data["a"].to_numpy()[near])[0, 1]
    apart = np.corrcoef(before, alone.data["a"].to_numpy())[0, 1]
    assert abs(inside - apart) < 0.1
    assert inside > 0.8


# -- invariants ------------------------------------------------------------------------------------------------------

MASKS: list[dc.Method] = [
    dc.Microaggregation(3, columns=NAMES),
    dc.UnivariateMicroaggregation(4, columns=NAMES),
    dc.Noise(0.5, columns=NAMES),
    dc.Noise(0.5, columns=NAMES, kind="correlated"),
    dc.RankSwapping(20, columns=NAMES),
    dc.Rounding(1.0, columns=NAMES),
    dc.TopBottomCoding(top_share=0.1, columns=NAMES),
]


@given(
    seed=st.integers(0, 10_000),
    mask=st.sampled_from(MASKS),
    kind=st.sampled_from(["transport", "triangular", "nearest"]),
    rank=st.integers(1, 4),
    constant=st.booleans(),
    weighted=st.booleans(),
    n=st.integers(130, 300),
)
@settings(max_examples=40, deadline=None)
def test_any_mask_any_table(
    seed: int, mask: dc.Method, kind: str, rank: int, constant: bool, weighted: bool, n: int
) -> None:
    """Any mask, any rank, with constants and weights: weighted means and covariances are back, and claimed."""
    rng = np.random.default_rng(seed)
    values = rng.gamma(1.0, size=(n, rank)) @ rng.normal(size=(rank, 4)) + rng.normal(size=4) * 10
    if constant:
        values[:, 2] = 7.25
    weights = rng.gamma(1.0, size=n) if weighted else np.ones(n)
    frame = pl.DataFrame(dict(zip(NAMES, values.T, strict=True))).with_columns(w=pl.Series(weights))
    release = release_of(
        dc.CholeskyHybrid(mask, columns=NAMES, kind=kind, exact=True), frame, w={"role": "weight"}
    )
    assert moment_errors(values, values_of(release.data), weights).largest < 1e-9
    assert [tolerance for _, _, tolerance in exactness(release)] == [1e-9]


def test_a_recipe_says_blocks_families_and_partitions() -> None:
    """Blocks with `where`, families and a partition come back from the recipe's text, to the same table."""
    frame = firms()
    schema = schema_of(frame)
    for method in (
        dc.CholeskyHybrid(
            NOISE, blocks=[dc.Block(["half"], ["a"], where={"region": ["north", "west"]})], min_part=20
        ),
        dc.CholeskyHybrid(NOISE, families=[["region"], ["half"]]),
        dc.CholeskyHybrid(NOISE, columns=NAMES, by=dc.Subdomains(["a"], columns=NAMES, alike=True)),
    ):
        release = method.protect(frame, schema, seed=9)
        again = dc.replay(dc.Recipe.from_toml(release.recipe.to_toml()), frame)
        assert encode(again.data, schema)[0].same_as(encode(release.data, schema)[0])


def test_short_floats_are_claimed_to_the_digits_they_keep() -> None:
    """A column of 32-bit floats stays one: the error of that rounding is told, and claimed to."""
    frame = firms().with_columns(pl.col("a").cast(pl.Float32))
    release = release_of(dc.CholeskyHybrid(NOISE), frame)
    assert release.data.schema["a"] == pl.Float32
    (_, _, tolerance), *_ = exactness(release)
    assert 1e-8 <= tolerance <= 1e-6
    digits = release_of(dc.CholeskyHybrid(NOISE, exact=True), frame)
    assert digits.data.schema["a"] == pl.Float64
    assert exactness(digits)[0][2] == 1e-9


def test_notes_of_strata_say_where() -> None:
    """What one stratum has to say is said of it; what all say is said once; a claim that cannot be joined is told."""
    frame = with_gaps(firms(600).sort("half"), "b", range(30))
    release = release_of(dc.CholeskyHybrid(NOISE, exact=True), frame, half={"role": "stratum"})
    assert said(release, "In part 1 of 2: 30 records have patterns of missing cells")
    assert said(
        release, "Holds inside parts, and is not claimed of all together: exact means and covariances"
    )


def test_exact_noise_in_strata_keeps_its_digits() -> None:
    """Parts that are released with all digits are put together with all digits."""
    frame = firms(600).with_columns(pl.col("a").cast(pl.Float32))
    method = dc.Noise(0.3, columns=NAMES, kind="rescaled", exact=True)
    release = release_of(method, frame, half={"role": "stratum"})
    assert exactness(release) == [(NAMES, (), 1e-9)]


# -- what a second look found ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", [(), ("region",)])
def test_a_pattern_of_two_records_is_never_restored(by: tuple[str, ...]) -> None:
    """However small `min_part`: the exact statistics of two records in two columns are the records."""
    frame = with_gaps(firms(60).sort("region"), "a", range(2))
    method = dc.CholeskyHybrid(NOISE, columns=NAMES, by=by, min_part=2, exact=True)
    after = release_of(method, frame).data
    assert (np.abs(values_of(after)[:2, 1:] / values_of(frame)[:2, 1:] - 1) > 1e-6).any()


@pytest.mark.parametrize(
    ("mask", "way"),
    [
        (dc.Noise(0.2, columns=("a", "b", "size")), {"by": ["size"]}),
        (dc.Pipeline((NOISE, dc.PRAM(0.5, columns=("region",)))), {"blocks": [dc.Block(["region"], ["a"])]}),
        (dc.Pipeline((NOISE, dc.PRAM(0.5, columns=("half",)))), {"families": [["region"], ["half"]]}),
        (dc.Noise(0.2, columns=("a", "b", "w")), {}),
    ],
    ids=["by a number", "blocks", "families", "weight"],
)
def test_what_the_statistics_are_by_may_change_and_then_claims_nothing(
    mask: dc.Method, way: dict[str, Any]
) -> None:
    """A mask that also changes a column of `by`, or the weight: a release, a note, and no claim about it."""
    rng = np.random.default_rng(6)
    frame = firms(900, size=pl.Series(rng.gamma(2.0, size=900)), w=pl.Series(rng.gamma(2.0, size=900) + 0.5))
    method = dc.CholeskyHybrid(mask, columns=("a", "b"), exact=True, **way)
    release = release_of(method, frame, w={"role": "weight" if not way else "other"})
    assert said(release, "because the release has changed what the statistics are by")


@pytest.mark.parametrize("by", [dc.MDAV(200, columns=("a",)), dc.Subdomains(("a",), NAMES, bins=3)])
def test_rare_patterns_in_parts_without_a_name(by: Any) -> None:
    """Parts that no claim speaks of, with records left: nothing is claimed of the whole that does not hold."""
    frame = with_gaps(firms(900), "b", range(130))
    release = release_of(dc.CholeskyHybrid(NOISE, columns=NAMES, by=by, exact=True), frame)
    assert exactness(release) == []
    assert said(release, "rare patterns" if isinstance(by, dc.MDAV) else "Not claimed, because")


@pytest.mark.parametrize("dtype", [pl.UInt32, pl.UInt8, pl.Int16, pl.Decimal(10, 2)])
@pytest.mark.parametrize("exact", [False, True])
def test_types_that_hold_less_than_a_float(dtype: Any, exact: bool) -> None:
    """Unsigned, narrow and decimal columns: what the type cannot hold is a bound or a rounding, never a failed claim."""
    rng = np.random.default_rng(8)
    frame = pl.DataFrame(
        {"a": pl.Series(rng.integers(0, 200, 600)).cast(dtype), "b": rng.normal(size=600) * 100}
    )
    for mask in (dc.Noise(0.9, columns=("a", "b")), dc.Microaggregation(3, columns=("a", "b"))):
        release = release_of(dc.CholeskyHybrid(mask, columns=("a", "b"), exact=exact), frame)
        if exact:
            assert exactness(release) == [(("a", "b"), (), 1e-9)] or said(release, "clipped")
        else:
            assert release.data.schema["a"] == frame.schema["a"]
    noise = dc.Noise(0.3, columns=("a", "b"), kind="rescaled", exact=True)
    assert exactness(release_of(noise, frame)) == [(("a", "b"), (), 1e-9)]


def test_a_total_that_stands_first_keeps_bounds_identity_and_moments() -> None:
    """total, part, part, none below 0: parts are clipped, the total follows, and all is exact."""
    frame = totals().select("c", "a", "b")
    names = ("c", "a", "b")
    changes = {name: {"lower": 0.0} for name in names}
    release = release_of(
        dc.CholeskyHybrid(dc.Noise(0.2, columns=names), columns=names, exact=True), frame, **changes
    )
    after = release.data
    np.testing.assert_allclose(after["c"], after["a"] + after["b"], rtol=1e-9, atol=1e-9)
    assert min(after[name].min() for name in names) >= 0
    assert exactness(release) == [(names, (), 1e-9)]


def test_far_off_parts_are_claimed_to_their_own_digits() -> None:
    """Two parts at plus and minus 1e9 standard deviations: the whole has digits, the parts have not."""
    frame = firms(600).with_columns(
        a=pl.when(pl.col("half") == "first").then(1e9).otherwise(-1e9) + pl.col("a") / pl.col("a").std()
    )
    release = release_of(dc.CholeskyHybrid(NOISE, columns=NAMES, by=["half"], exact=True), frame)
    assert {tolerance for _, _, tolerance in exactness(release)} == {1e-6}


def test_the_printed_algorithm_far_from_zero() -> None:
    """A mean of 1e5 standard deviations: as exact as anywhere."""
    frame = firms(300).with_columns(pl.col(NAMES) + 1e5 * pl.col(NAMES).std())
    release = release_of(dc.CholeskyHybrid(NOISE, columns=NAMES, kind="printed", exact=True), frame)
    assert exactness(release)[0][2] <= 1e-8


def test_blocks_touch_no_frozen_cell_where_nothing_is_rounded() -> None:
    """A total that stands first, blocks on its parts, no decimals declared: frozen cells stay exact."""
    frame = totals().select("c", "a", "b", "q")
    method = dc.CholeskyHybrid(
        dc.Noise(0.2, columns=("a", "b", "c")), columns=("c", "a", "b"), blocks=[dc.Block(["q"], ["a", "b"])]
    )
    assert exactness(release_of(method, frame))[1] == (("a", "b"), ("q",), 1e-9)


def test_subdomains_that_all_merge_are_told() -> None:
    """No cell is large enough: one part is left, and a note says that it is the whole file."""
    release = release_of(
        dc.CholeskyHybrid(NOISE, columns=NAMES, by=["region"], small="merge", min_part=400, exact=True),
        firms(),
    )
    assert said(release, "were merged into one")


def test_a_protected_value_is_never_a_code_for_missing() -> None:
    """Counts near 0 with -1 for unknown: noise that would say -1 says 0, and nobody becomes unknown."""
    rng = np.random.default_rng(9)
    frame = pl.DataFrame({"a": rng.poisson(1.0, 900), "b": rng.normal(size=900)})
    changes = {"a": {"decimals": 0, "unknown": (-1, -2)}}
    released = release_of(dc.Noise(2.0, columns=("a",)), frame, **changes).data["a"]
    assert not released.is_in([-1, -2]).any()
    assert (released < -2).any()
    for seed in range(6):
        method = dc.CholeskyHybrid(dc.Noise(0.8, columns=("a", "b")), columns=("a", "b"))
        method.protect(frame, schema_of(frame, **changes), seed=seed)
