"""Restoration: exact means and covariances for any treatment, as a map of single records."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import BLOCK_ROWS, moment_errors
from discreet.stats.restoration import fit_restoration, in_memory, measure_pair, plan_restoration, restore
from discreet.stats.restoration_affine import restoration_from_data
from discreet.stats.restoration_maps import KINDS


def _skewed(rng, n_records, n_columns):
    return rng.lognormal(sigma=1.0, size=(n_records, n_columns)) @ rng.uniform(
        0.0, 1.0, (n_columns, n_columns)
    )


def _grouped(values, size):
    """Means of runs of records: a treatment that makes equal records."""
    starts = np.arange(0, len(values), size)
    counts = np.diff([*starts, len(values)])
    return np.repeat(np.add.reduceat(values, starts) / counts[:, None], counts, axis=0)


@st.composite
def hostile_tables(draw):
    """Small integer tables of any rank, treated in any way, perhaps weighted: ties, copies, constants, flat columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_records, n_columns = draw(st.integers(2, 40)), draw(st.integers(1, 7))
    top = draw(st.sampled_from([2, 5, 1000]))
    original = rng.integers(0, top, (n_records, n_columns)).astype(float)
    treated = rng.integers(0, top, (n_records, n_columns)).astype(float)
    if draw(st.booleans()):
        original = original[:, rng.integers(0, n_columns, n_columns)] * rng.integers(1, 4, n_columns)
    if n_columns > 2 and draw(st.booleans()):
        original[:, -1] = original[:, 0] + original[:, 1]
    if draw(st.booleans()):
        treated = treated[rng.integers(0, min(3, n_records), n_records)]
    if draw(st.booleans()):
        treated[:, rng.integers(0, n_columns)] = 1.0
    weights = rng.integers(0, 4, n_records).astype(float) if draw(st.booleans()) else None
    assume(weights is None or np.count_nonzero(weights) > 1)
    return original, treated, weights, rng


@given(table=hostile_tables(), kind=st.sampled_from(KINDS))
@settings(max_examples=150, deadline=None)
def test_moments_are_exact_whatever_the_table_and_the_treatment(table, kind):
    """Means and covariances agree to 1e-11 sd on hostile tables, of full rank or not."""
    original, treated, weights, rng = table
    restored, _ = restore(original, treated, kind=kind, weights=weights, rng=rng)
    assert moment_errors(original, restored, weights).largest < 1e-11


@given(table=hostile_tables(), kind=st.sampled_from(KINDS))
@settings(max_examples=100, deadline=None)
def test_equal_treated_records_stay_equal_to_the_bit(table, kind):
    """Unless the plan says that noise had to be drawn per record."""
    original, treated, weights, rng = table
    restored, plan = restore(original, treated, kind=kind, weights=weights, rng=rng)
    _, group = np.unique(treated, axis=0, return_inverse=True)
    kept = all((restored[group == g] == restored[group == g][0]).all() for g in np.unique(group))
    assert kept or not plan.equal_stay_equal


@pytest.mark.parametrize("kind", KINDS)
def test_treated_values_may_be_shifted_and_rescaled(kind):
    """Units of the treated table do not matter: an affine change of its columns by positive factors is undone."""
    rng = np.random.default_rng(0)
    original, noise = _skewed(rng, 200, 4), rng.normal(size=(200, 4))
    plain, _ = restore(original, original + noise, kind=kind)
    if kind == "transport":
        changed, _ = restore(original, 7.0 * (original + noise) - 3.0, kind=kind)
    else:
        changed, _ = restore(
            original, (original + noise) * [1.0, 5.0, 1e4, 1e-3] - [0.0, 1.0, 2.0, 3.0], kind=kind
        )
    np.testing.assert_allclose(changed, plain, atol=1e-11 * original.std())


@pytest.mark.parametrize("kind", KINDS)
def test_changing_units_of_both_tables_changes_units_of_the_result(kind):
    """Affine equivariance, column by column."""
    rng = np.random.default_rng(1)
    original = _skewed(rng, 200, 4)
    treated = original + rng.normal(size=(200, 4))
    units, shift = np.array([1.0, 1e-3, 1e6, 3.0]), np.array([0.0, 5.0, -1e6, 1.0])
    plain, _ = restore(original, treated, kind=kind)
    changed, _ = restore(original * units + shift, treated * units + shift, kind=kind)
    np.testing.assert_allclose((changed - shift) / units, plain, atol=1e-9)


@pytest.mark.parametrize("kind", ["transport", "nearest"])
def test_untreated_records_come_back(kind):
    """A treatment that does nothing is restored to nothing but rounding."""
    original = _skewed(np.random.default_rng(2), 300, 5)
    restored, _ = restore(original, original, kind=kind)
    np.testing.assert_allclose(restored, original, rtol=1e-11)


def test_two_columns_by_hand():
    """Uncorrelated treated columns of the wrong sizes are only stretched about the original means."""
    original = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 2.0], [4.0, 2.0]])
    treated = np.array([[1.0, 11.0], [2.0, 11.0], [1.0, 15.0], [2.0, 15.0]])
    restored, plan = restore(original, treated)
    np.testing.assert_allclose(restored, original, atol=1e-14)
    assert plan.columns.core == (0, 1)


@pytest.mark.parametrize("treatment", ["noise", "permuted", "grouped"])
def test_totals_hold_to_one_rounding(treatment):
    """The total of four parts and their mean of two stay what they were, even after noise in every column."""
    rng = np.random.default_rng(3)
    parts = np.round(_skewed(rng, 600, 4) * 1e4)
    original = np.column_stack([parts, parts.sum(axis=1), (parts[:, 0] + parts[:, 1]) / 2, parts[:, 2]])
    treated = {
        "noise": original + rng.normal(size=original.shape) * 1e3,
        "permuted": np.column_stack([rng.permutation(column) for column in original.T]),
        "grouped": _grouped(original, 3),
    }[treatment]
    restored, plan = restore(original, treated)
    assert plan.columns.dependent == (4, 5, 6)
    np.testing.assert_allclose(restored[:, 4], restored[:, :4].sum(axis=1), rtol=4e-16 * 4, atol=1e-9)
    np.testing.assert_array_equal(restored[:, 5], (restored[:, 0] + restored[:, 1]) / 2)
    np.testing.assert_array_equal(restored[:, 6], restored[:, 2])
    assert moment_errors(original, restored).largest < 1e-13


def test_constants_are_written_to_the_bit():
    """A constant column of the original, however treated."""
    rng = np.random.default_rng(4)
    original = np.column_stack([_skewed(rng, 100, 2), np.full(100, 0.1)])
    restored, plan = restore(original, rng.normal(size=(100, 3)))
    assert plan.columns.constant == (2,)
    assert (restored[:, 2] == 0.1).all()


def test_only_constants():
    """A table without variation is restored to its constants."""
    restored, plan = restore(np.tile([1.0, 2.0], (5, 1)), np.random.default_rng(0).normal(size=(5, 2)))
    assert restored.tolist() == [[1.0, 2.0]] * 5
    assert plan.columns.free == ()


def _hostile(name):
    """Tables on which naive restoration fails, each named for what is wrong with it."""
    rng = np.random.default_rng(5)
    original = _skewed(rng, 4_000, 6)
    noisy = original + rng.normal(size=original.shape) * original.std(axis=0) * 0.2
    if name == "rounded total":
        original[:, 5] = original[:, :4].sum(axis=1) * 1e4 + rng.integers(-1, 2, 4_000)
        return original, noisy
    if name == "flat treated columns":
        return original, np.column_stack([_grouped(noisy, 5)[:, :4], np.zeros(4_000), np.full(4_000, 5.0)])
    if name == "all columns flat":
        return original, np.full(original.shape, 3.0)
    if name == "four distinct records":
        return original, noisy[np.arange(4_000) % 4]
    if name == "condition 1e12":
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        original = rng.normal(size=(4_000, 6)) @ (turn * np.logspace(0, -6, 6)) @ turn.T
        return original, original @ np.diag(rng.uniform(0.5, 2.0, 6))
    if name == "nearly collinear treated columns":
        return rng.normal(size=(4_000, 6)), noisy[:, [0]] + 1e-2 * rng.normal(size=(4_000, 6))
    if name == "one record more than columns":
        return original[:7], rng.normal(size=(7, 6))
    return original * 1e-9 * original.std(axis=0) + 1.0, noisy


@pytest.mark.parametrize(
    "name",
    [
        "rounded total",
        "flat treated columns",
        "all columns flat",
        "four distinct records",
        "condition 1e12",
        "nearly collinear treated columns",
        "one record more than columns",
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_hostile_tables_are_exact(name, kind):
    """1e-12 sd where sums of squares, plain inverses or plain Cholesky factors break down."""
    original, treated = _hostile(name)
    restored, _ = restore(original, treated, kind=kind, rng=np.random.default_rng(1))
    assert moment_errors(original, restored).largest < 1e-12


def test_mean_of_a_billion_deviations():
    """Nothing is lost beyond what such numbers can hold: 16 digits less 9."""
    original, treated = _hostile("mean of a billion deviations")
    restored, plan = restore(original, treated)
    errors = moment_errors(original, restored)
    assert plan.far_from_zero == tuple(range(6))
    assert errors.mean < 1e-6
    assert errors.covariance < 1e-7


def test_near_columns_keep_their_own_small_part():
    """A rounded total, off its parts by up to 1, is neither made exact nor blown up."""
    rng = np.random.default_rng(6)
    parts = np.round(_skewed(rng, 800, 3) * 1e5)
    total = parts.sum(axis=1) + rng.integers(-1, 2, 800)
    original = np.column_stack([parts, total])
    restored, plan = restore(original, original + rng.normal(size=original.shape) * 1e4)
    assert plan.columns.near == (3,)
    assert plan.filled == ()
    off, was = restored[:, 3] - restored[:, :3].sum(axis=1), total - parts.sum(axis=1)
    assert off.std() == pytest.approx(was.std(), rel=1e-3)


def test_flat_columns_are_filled_with_noise_per_distinct_record():
    """Equal treated records get equal noise; another generator gives other noise; the same one the same."""
    rng = np.random.default_rng(7)
    original = _skewed(rng, 900, 3)
    treated = _grouped(original, 3)
    treated[:, 1] = 0.0
    first, plan = restore(original, treated, rng=np.random.default_rng(1))
    again, _ = restore(original, treated, rng=np.random.default_rng(1))
    other, _ = restore(original, treated, rng=np.random.default_rng(2))
    assert plan.filled == (1,)
    assert plan.equal_stay_equal
    assert len(np.unique(first, axis=0)) == len(np.unique(treated, axis=0)) == 300
    np.testing.assert_array_equal(first, again)
    assert not np.allclose(first[:, 1], other[:, 1])


def test_too_few_distinct_records_are_admitted():
    """Two distinct records cannot carry three columns: noise per record, and equal records do not stay equal."""
    original = _skewed(np.random.default_rng(8), 100, 3)
    restored, plan = restore(original, original[np.arange(100) % 2], rng=np.random.default_rng(0))
    assert not plan.equal_stay_equal
    assert moment_errors(original, restored).largest < 1e-12


def test_records_keep_their_ranks_in_the_first_column_of_a_triangular_map():
    """It is only rescaled."""
    rng = np.random.default_rng(9)
    original, treated = _skewed(rng, 100, 3), rng.normal(size=(100, 3))
    restored, _ = restore(original, treated, kind="triangular")
    assert (np.argsort(restored[:, 0]) == np.argsort(treated[:, 0])).all()


def test_correction_rounds_can_be_forced():
    """Forced on, rounding of the first map is measured and corrected; off, there is one step."""
    rng = np.random.default_rng(10)
    original = rng.normal(size=(5_000, 5))
    treated = rng.normal(size=(5_000, 1)) + 1e-2 * rng.normal(size=(5_000, 5))
    blocks = in_memory(original, treated)
    once, auto = (fit_restoration(blocks, correct=correct) for correct in (False, None))
    assert (len(once.steps), len(auto.steps)) == (1, 2)
    errors = [moment_errors(original, plan.apply(treated)).largest for plan in (once, auto)]
    assert errors[1] < 1e-14 < errors[0]


def _as_pieces(original, treated, weights, size):
    arrays = (original, treated) if weights is None else (original, treated, weights)

    def read():
        starts = range(0, len(original), size)
        return (tuple(array[start : start + size] for array in arrays) for start in starts)

    return read


@pytest.mark.parametrize("case", ["plain", "nearest", "weighted", "noise", "noise per record"])
def test_a_file_in_pieces_gives_the_bits_of_the_whole(case):
    """Fit and map in pieces of 7,001 records, through more than one block, against all at once."""
    rng = np.random.default_rng(11)
    n_records = BLOCK_ROWS + 20_000
    original = rng.normal(size=(n_records, 3)) @ rng.normal(size=(3, 3)) + 5.0
    treated = original + rng.normal(size=original.shape)
    weights = rng.uniform(size=n_records) if case == "weighted" else None
    if case == "noise":
        treated = np.column_stack([_grouped(treated[:, :2], 4), np.zeros(n_records)])
    if case == "noise per record":
        treated = np.zeros_like(treated)
    kind = "nearest" if case == "nearest" else "transport"
    whole, plan = restore(original, treated, kind=kind, weights=weights, rng=np.random.default_rng(0))
    pieces = _as_pieces(original, treated, weights, 7_001)
    streamed = fit_restoration(pieces, kind=kind, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(np.concatenate(list(streamed.apply_blocks(pieces))), whole)
    assert plan.equal_stay_equal == (case != "noise per record")
    assert moment_errors(original, whole, weights).largest < 1e-12


def test_a_restoration_is_data():
    """Written as JSON and read again it gives the same bits."""
    rng = np.random.default_rng(12)
    original = _skewed(rng, 300, 4)
    original = np.column_stack([original, original.sum(axis=1), np.ones(300)])
    treated = original + rng.normal(size=original.shape)
    treated[:, 1] = 0.0
    restored, plan = restore(original, treated, rng=rng)
    again = restoration_from_data(json.loads(json.dumps(plan.as_data())))
    np.testing.assert_array_equal(again.apply(treated), restored)
    assert (again.columns, again.filled, again.gain) == (plan.columns, plan.filled, plan.gain)


def test_arguments_are_left_alone():
    """Neither table is written to, also when it cannot be."""
    rng = np.random.default_rng(13)
    original, treated = _skewed(rng, 50, 3), rng.normal(size=(50, 3))
    copies = original.copy(), treated.copy()
    original.flags.writeable = treated.flags.writeable = False
    restore(original, treated)
    np.testing.assert_array_equal(original, copies[0])
    np.testing.assert_array_equal(treated, copies[1])


@pytest.mark.parametrize("spoil", [np.inf, -np.inf, np.nan, 1e200])
@pytest.mark.parametrize("which", [0, 1])
def test_values_that_are_no_numbers_are_refused(spoil, which):
    """Infinite, missing or overflowing cells of either table: the column is named by position, the value is not."""
    tables = [np.random.default_rng(14).normal(size=(20, 3)) for _ in range(2)]
    tables[which][4, 1] = spoil
    with pytest.raises(ParameterError, match=r"positions \[1\]"):
        restore(*tables)


def test_tables_that_do_not_fit_are_refused():
    """Different shapes, no second dimension, one record, weights that are all 0 or negative."""
    table = np.random.default_rng(15).normal(size=(20, 3))
    with pytest.raises(ParameterError, match="same records and columns"):
        restore(table, table[:, :2])
    with pytest.raises(ParameterError, match="same records and columns"):
        restore(table[:, 0], table[:, 0])
    with pytest.raises(UnsuitableError, match="One record"):
        restore(table[:1], table[:1])
    with pytest.raises(ParameterError, match="All weights are 0"):
        restore(table, table, weights=np.zeros(20))
    with pytest.raises(ParameterError, match="negative"):
        restore(table, table, weights=-np.ones(20))
    with pytest.raises(ParameterError, match="kind must be"):
        restore(table, table, kind="sideways")
    with pytest.raises(ParameterError, match="3 columns"):
        restore(table, table)[1].apply(table[:, :2])


def test_records_must_exceed_the_rank():
    """Moments of as many records as free columns, as a foreign reduction may hand them in."""
    pair = measure_pair(in_memory(*np.random.default_rng(16).normal(size=(2, 20, 4))))
    few = type(pair)(
        type(pair.original)(4, 20.0, pair.original.mean, pair.original.scatter),
        pair.treated,
    )
    with pytest.raises(UnsuitableError, match="4 records cannot carry the 4"):
        plan_restoration(few)


def test_distance_to_the_treated_records_grows_from_transport_outwards():
    """Transport moves treated records least; nearest comes closest to the original ones."""
    rng = np.random.default_rng(17)
    original = _skewed(rng, 500, 4)
    original /= original.std(axis=0)
    treated = original + rng.normal(size=original.shape)
    values = {kind: restore(original, treated, kind=kind)[0] for kind in KINDS}
    to_treated = {kind: np.square(table - treated).mean() for kind, table in values.items()}
    to_original = {kind: np.square(table - original).mean() for kind, table in values.items()}
    assert min(to_treated, key=to_treated.get) == "transport"
    assert min(to_original, key=to_original.get) == "nearest"
    assert all(a != b for a, b in pairwise(to_treated.values()))
