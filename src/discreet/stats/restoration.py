"""Restoration: an affine map of treated records which gives them the means and covariances of the original ones.

After Algorithm 1 of Domingo-Ferrer, Mateo-Sanz and Sebe (Cholesky hybrid), with the correction shared by all records
in place of its Algorithm 2. It is a list of passes over the records, each a reduction (moments), a plan (m x m algebra)
and a map (record by record): the moments of both tables give a first map; the moments of what it yields, where
rounding asks for it, a correction; and so on. A fitted restoration is small arrays, and maps records one at a time,
so it serves tables in memory and files read in pieces alike, to the same bits, and equal records stay equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from discreet.arrays import Floats
from discreet.errors import ParameterError, UnsuitableError
from discreet.stats.moments import (
    Blocks,
    MergeTree,
    Moments,
    block_moments,
    check_weights,
    in_blocks,
    merge_in_order,
)
from discreet.stats.restoration_affine import AffineMap, NoiseFill, Restoration
from discreet.stats.restoration_maps import (
    KINDS,
    ColumnKinds,
    Identities,
    Kind,
    among,
    assembly,
    classify_columns,
    correlation,
    find_identities,
    flat_columns,
    guarded_cholesky,
    rotation,
    scaled,
)

TOL_DEPENDENT = 1e-13
"""A column with no more of its own variance than this follows from the others exactly."""

TOL_NEAR = 1e-6
"""A column with no more of its own variance than this is near to following from the others."""

SAFE_GAIN = 100.0
"""Up to this gain one map is exact to 1e-13 sd: its error is about 3 eps times the gain, and never below some eps."""

GOOD_ENOUGH = 1e-13
"""An error of the moments, in sd, which no correction round is made for."""

LAST_ROUND = 1e-6
"""A round that corrects an error this small leaves rounding only, and needs no check."""

WEAK_PIVOT = 1e-8
"""A near column whose residual has less of its own than this is filled with noise instead."""

MAX_ROUNDS = 8


@dataclass(frozen=True)
class MomentsPair:
    """Moments of the original and the treated records; `cross` = cov(treated, original), if it was asked for."""

    original: Moments
    treated: Moments
    cross: Floats | None = None


def restore(
    original: Floats,
    treated: Floats,
    *,
    kind: Kind = "transport",
    weights: Floats | None = None,
    tol_dep: float = TOL_DEPENDENT,
    tol_near: float = TOL_NEAR,
    correct: bool | None = None,
    rng: np.random.Generator | None = None,
) -> tuple[Floats, Restoration]:
    """The treated records with the means and covariances of the original ones, and the restoration that did it.

    >>> rng = np.random.default_rng(1)
    >>> original = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))
    >>> restored, plan = restore(original, original + rng.normal(size=(50, 3)))
    >>> bool(np.allclose(np.cov(restored.T), np.cov(original.T), rtol=1e-12))
    True
    """
    plan = fit_restoration(
        in_memory(original, treated, weights),
        kind=kind,
        tol_dep=tol_dep,
        tol_near=tol_near,
        correct=correct,
        rng=rng,
    )
    return plan.apply(treated), plan


def in_memory(original: Floats, treated: Floats, weights: Floats | None = None) -> Blocks:
    """Two arrays as a source of blocks."""
    arrays = tuple(
        np.ascontiguousarray(array, dtype=np.float64)
        for array in ((original, treated) if weights is None else (original, treated, weights))
    )
    return lambda: [arrays]


def fit_restoration(
    blocks: Blocks,
    *,
    kind: Kind = "transport",
    tol_dep: float = TOL_DEPENDENT,
    tol_near: float = TOL_NEAR,
    correct: bool | None = None,
    rng: np.random.Generator | None = None,
) -> Restoration:
    """Fits a restoration to a source of pieces (original, treated) or (original, treated, weights).

    `correct` forces correction rounds on or off; None makes them where the first map's gain asks for it. Near
    columns need them in any case. `rng` gives the key of noise fill; None takes it from the system's entropy.
    """
    generator = np.random.default_rng() if rng is None else rng
    key = generator.integers(0, 2**64, size=2, dtype=np.uint64)
    pair = measure_pair(blocks, cross=kind == "nearest")
    plan = plan_restoration(pair, kind=kind, tol_dep=tol_dep, tol_near=tol_near, key=key)
    wanted = plan.gain > SAFE_GAIN if correct is None else correct
    if not plan.columns.free or not (wanted or plan.columns.near):
        return plan
    for _ in range(MAX_ROUNDS):
        moments = measure_working(plan, blocks)
        weak = weak_columns(plan, moments)
        if len(weak):
            plan = plan_with_noise(pair, plan, weak, tol_dep=tol_dep, tol_near=tol_near, key=key)
            continue
        error = working_error(plan, moments)
        if error > (0.0 if correct else GOOD_ENOUGH):
            plan = corrected(plan, moments)
        if error <= LAST_ROUND:
            return plan
    raise UnsuitableError(
        f"The moments are still wrong after {MAX_ROUNDS} rounds of correction: the treated columns are too nearly "
        "dependent on each other. Treat them less, or restore fewer columns."
    )


def measure_pair(blocks: Blocks, *, cross: bool = False) -> MomentsPair:
    """Moments of both tables from one pass; refuses tables that do not fit each other or are not all numbers."""
    if cross:
        return _measure_jointly(blocks)
    original, treated = MergeTree(), MergeTree()
    for piece in in_blocks(_checked(blocks)):
        weights = piece[2] if len(piece) > 2 else None
        original.add(block_moments(piece[0], weights))
        treated.add(block_moments(piece[1], weights))
    return _usable(MomentsPair(original.total(), treated.total()))


def plan_restoration(
    pair: MomentsPair,
    *,
    kind: Kind = "transport",
    tol_dep: float = TOL_DEPENDENT,
    tol_near: float = TOL_NEAR,
    key: NDArray[np.uint64] | None = None,
    fill: frozenset[int] = frozenset(),
    per_record: bool = False,
) -> Restoration:
    """The first map, from the moments of both tables alone.

    Near columns stand in it for their residuals on the treated columns before them or (those in `fill`, and those
    without a residual) for noise, which is uncorrelated with the rest from the first correction on.
    """
    if kind not in KINDS:
        raise ParameterError(f"kind must be one of {', '.join(KINDS)}: got {kind!r}.")
    original, treated = pair.original, pair.treated
    columns = classify_columns(original, treated, tol_dep, tol_near)
    if original.n_records <= len(columns.free):
        raise UnsuitableError(
            f"{original.n_records} records cannot carry the {len(columns.free)} independent columns: restoration needs "
            "more records than that. Merge parts, or restore fewer columns."
        )
    flat = np.flatnonzero(flat_columns(original, treated)).tolist()
    real = [column for column in columns.near if column not in fill and column not in flat]
    _, weak = guarded_cholesky(among(correlation(treated), [*columns.core, *real]), tol_dep)
    kept = [column for column, gone in zip(real, weak[len(columns.core) :], strict=True) if not gone]
    noisy = [column in columns.near and column not in kept for column in columns.free]
    rules = find_identities(original, columns, tol_dep)
    plan = Restoration(
        kind=kind,
        columns=columns,
        mean=original.mean,
        deviations=original.deviations,
        gain=1.0,
        steps=(_first_step(pair, columns, kept, kind, tol_dep),),
        noise=NoiseFill(np.flatnonzero(noisy), _key(key), per_record) if any(noisy) else None,
        assembly=assembly(correlation(original), columns.free, rules.followers),
        followers=rules.followers,
        identities=_identity_map(columns, rules),
    )
    return replace(plan, gain=_gain(plan, treated))


def measure_working(plan: Restoration, blocks: Blocks) -> Moments:
    """Moments of the working columns as the plan now yields them: the reduction of a correction round."""

    def parts() -> Iterator[Moments]:
        start = 0
        for piece in in_blocks(_checked(blocks)):
            yield block_moments(plan.working(piece[1], start), piece[2] if len(piece) > 2 else None)
            start += len(piece[1])

    return merge_in_order(parts())


def working_error(plan: Restoration, moments: Moments) -> float:
    """Largest error of the means and covariances of the working columns."""
    covariance = np.abs(moments.covariance - np.eye(len(plan.columns.free))).max(initial=0.0)
    return float(max(covariance, np.abs(moments.mean).max(initial=0.0)))


def weak_columns(plan: Restoration, moments: Moments) -> tuple[int, ...]:
    """Near columns whose working values have (almost) nothing of their own."""
    _, weak = guarded_cholesky(correlation(moments), WEAK_PIVOT)
    near = set(plan.columns.near)
    return tuple(
        column for column, gone in zip(plan.columns.free, weak, strict=True) if gone and column in near
    )


def plan_with_noise(
    pair: MomentsPair,
    plan: Restoration,
    weak: tuple[int, ...],
    *,
    tol_dep: float = TOL_DEPENDENT,
    tol_near: float = TOL_NEAR,
    key: NDArray[np.uint64] | None = None,
) -> Restoration:
    """The plan anew, with noise in the weak columns; where noise itself is weak, drawn per record."""
    exhausted = any(column in plan.filled for column in weak)
    if exhausted and not plan.equal_stay_equal:
        raise UnsuitableError(
            f"{pair.original.n_records} records are too few to restore {len(plan.columns.free)} columns of which "
            f"{len(plan.filled)} have to be filled with noise. Merge parts, or restore fewer columns."
        )
    return plan_restoration(
        pair,
        kind=plan.kind,
        tol_dep=tol_dep,
        tol_near=tol_near,
        key=key,
        fill=frozenset(plan.filled) | frozenset(weak),
        per_record=exhausted or not plan.equal_stay_equal,
    )


def corrected(plan: Restoration, moments: Moments) -> Restoration:
    """The plan with one more step, which takes off the means and covariances that the working columns still have.

    On core columns it is the identity but for rounding; a near column's residual is made orthogonal to all before it.
    """
    lower, _ = guarded_cholesky(correlation(moments), WEAK_PIVOT)
    places = np.arange(len(lower))
    white = solve_triangular(lower, np.eye(len(lower)), lower=True, trans="T")
    matrix = white / moments.deviations[:, None]
    step = AffineMap(places, moments.mean, matrix, np.zeros(len(lower)), places)
    return replace(plan, steps=(*plan.steps, step))


def _first_step(
    pair: MomentsPair, columns: ColumnKinds, kept: list[int], kind: Kind, tol_dep: float
) -> AffineMap:
    """Treated columns to working ones: L^-T, and Q on the core; near columns without a residual are left out."""
    core, sources = list(columns.core), [*columns.core, *kept]
    n_core = len(core)
    own_units, units = pair.treated.deviations[sources], pair.original.deviations
    lower, _ = guarded_cholesky(among(correlation(pair.treated), sources), tol_dep)
    white = solve_triangular(lower, np.eye(len(sources)), lower=True, trans="T")
    if n_core:
        cross = None if pair.cross is None else scaled(among(pair.cross, core), units[core])
        core_lower = lower[:n_core, :n_core] * (own_units[:n_core] / units[core])[:, None]
        wanted = among(correlation(pair.original), core)
        white[:n_core, :n_core] = white[:n_core, :n_core] @ rotation(wanted, core_lower, kind, cross)
    return AffineMap(
        sources=np.array(sources, dtype=np.int64),
        centre=pair.treated.mean[sources],
        matrix=white / own_units[:, None],
        offset=np.zeros(len(sources)),
        targets=np.array([columns.free.index(column) for column in sources], dtype=np.int64),
    )


def _gain(plan: Restoration, treated: Moments) -> float:
    """The squared norm of the core's map, from treated columns of variance 1 to original ones of variance 1."""
    n_core = len(plan.columns.core)
    first = plan.steps[0]
    units = treated.deviations[first.sources[:n_core]]
    core = (first.matrix[:n_core, :n_core] * units[:, None]) @ plan.assembly[:n_core, :n_core]
    return float(np.linalg.norm(core, 2) ** 2) if n_core else 1.0


def _identity_map(columns: ColumnKinds, rules: Identities) -> AffineMap | None:
    if not rules.dependent:
        return None
    sources, targets = (np.array(kind, dtype=np.int64) for kind in (columns.free, rules.dependent))
    return AffineMap(sources, np.zeros(len(sources)), rules.matrix, rules.offset, targets)


def _measure_jointly(blocks: Blocks) -> MomentsPair:
    """Both tables side by side, for their covariances with each other."""
    parts = (
        block_moments(np.hstack(piece[:2]), piece[2] if len(piece) > 2 else None)
        for piece in in_blocks(_checked(blocks))
    )
    joint = merge_in_order(parts)
    n_columns = len(joint.mean) // 2
    left, right = np.arange(n_columns), np.arange(n_columns, 2 * n_columns)
    cross = joint.covariance[n_columns:, :n_columns]
    return _usable(MomentsPair(joint.select(left), joint.select(right), cross))


def _checked(blocks: Blocks) -> Iterator[tuple[Floats, ...]]:
    """The pieces, all in one order of memory: sums over another order would differ in their last bits."""
    for given in blocks():
        piece = tuple(np.ascontiguousarray(array, dtype=np.float64) for array in given)
        if piece[0].ndim != 2 or piece[0].shape != piece[1].shape:
            raise ParameterError(
                "Original and treated tables must have the same records and columns: got shapes "
                f"{piece[0].shape} and {piece[1].shape}."
            )
        if len(piece) > 2:
            check_weights(piece[2], len(piece[0]))
        yield piece


def _usable(pair: MomentsPair) -> MomentsPair:
    """Refuses moments that are not finite, which is how infinite and missing values show, and empty weights."""
    if pair.original.weight == 0.0:
        raise ParameterError("All weights are 0: there is nothing to restore. Give some record a weight.")
    for name, moments in (("original", pair.original), ("treated", pair.treated)):
        bad = np.flatnonzero(~(np.isfinite(moments.mean) & np.isfinite(np.diag(moments.scatter))))
        if len(bad):
            raise ParameterError(
                f"The {name} table has infinite, missing or too large values (above 1e150) in the columns at positions "
                f"{bad.tolist()}. Restore inside each pattern of missing values, or mend them."
            )
    if pair.original.n_records < 2:
        raise UnsuitableError(
            "One record has no covariances to restore, and its means are the record itself."
        )
    return pair


def _key(key: NDArray[np.uint64] | None) -> NDArray[np.uint64]:
    return np.random.default_rng().integers(0, 2**64, size=2, dtype=np.uint64) if key is None else key
