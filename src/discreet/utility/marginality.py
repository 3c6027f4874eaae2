"""Variation Delta of statistics that exist for every kind of column (Domingo-Ferrer, Muralidhar, Rufian-Torrell).

Delta = |theta' - theta| / |theta|, for the mean, the variance and the covariances of the columns. Numbers (and the
positions of an ordered category) have the usual ones. A category has the marginality-based ones: Num_mean_M, the
least marginality of a category; Var_M, the mean marginality; Covar_M, the mean of sqrt(m(x) m(y)); a nominal column
counts as a tree of depth one. Covar_M hardly sees how values are paired, so hcov (any two kinds) and hcorr stand
beside it. Marginalities are taken per record, so tables of different length compare, with the edge weights of the
original: otherwise losing the deepest code would halve every number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from discreet.arrays import Bools, Floats, Ints
from discreet.base import Aspect, Better, Figure
from discreet.errors import ParameterError
from discreet.stats.tree import edge_weights, marginality_under, mean_m, node_counts, var_m
from discreet.stats.tree_covariance import OnTree, covar_m, hcov
from discreet.stats.weighted import checked_weights, mean, variance
from discreet.table.column import Column
from discreet.table.table import Table
from discreet.utility.averages import LOST, averaged, shift
from discreet.utility.columns import analysed, canonical_order
from discreet.utility.moments import relative_changes
from discreet.utility.pair import compared

LARGEST_PAIR = 20_000_000  # cells of the table of two taxonomic columns, beyond which hcov is not formed


@dataclass(frozen=True, eq=False)
class Branches:
    """A tree without its names: preorder parents and the weight of the edge above each node."""

    parent: Ints
    weight: Floats


@dataclass(frozen=True, eq=False)
class Attribute:
    """One column of one table: numbers, or nodes of a tree whose weights come from the original."""

    name: str
    values: Floats  # numbers, or node numbers
    missing: Bools
    weights: Floats
    tree: Branches | None = None

    def take(self, rows: Ints) -> Attribute:
        return Attribute(self.name, self.values[rows], self.missing[rows], self.weights[rows], self.tree)

    @property
    def usable(self) -> Bools:
        return ~self.missing & (self.weights > 0)

    @cached_property
    def nodes(self) -> Ints:
        return self.values.astype(np.int64)

    @cached_property
    def marginalities(self) -> Floats:
        """m of every node per record: divided by the number (the weight) of records."""
        assert self.tree is not None
        counts = self.counts
        return marginality_under(self.tree.parent, self.tree.weight, counts / max(counts.sum(), 1e-300))

    @cached_property
    def counts(self) -> Floats:
        assert self.tree is not None
        rows = self.usable
        return node_counts(self.nodes[rows], len(self.tree.parent), self.weights[rows])

    @cached_property
    def constant(self) -> bool:
        """Whether all values present are one: its variance is then 0, not what rounding makes of it."""
        present = self.values[self.usable]
        return bool(len(present) and present.min() == present.max())

    @property
    def centre(self) -> float:
        """Mean, or Num_mean_M per record."""
        rows = self.usable
        if not rows.any():
            return float("nan")
        if self.tree is None:
            return float(mean(self.values[rows], self.weights[rows]))
        return mean_m(self.marginalities, self.counts).value

    @property
    def spread(self) -> float:
        """Variance, or Var_M per record."""
        rows = self.usable
        if not rows.any():
            return float("nan")
        if self.constant:
            return 0.0
        if self.tree is None:
            return float(variance(self.values[rows], self.weights[rows]))
        return var_m(self.marginalities, self.counts)

    def place(self, rows: Bools) -> OnTree | Floats:
        """The values of some records as `hcov` takes them."""
        if self.tree is None:
            return self.values[rows]
        return OnTree(self.tree.parent, self.tree.weight, self.nodes[rows])


def covariation(one: Attribute, other: Attribute) -> float:
    """Covariance of two numeric columns, Covar_M of two categorical ones; nan for one of each."""
    rows = one.usable & other.usable
    if not rows.any() or (one.tree is None) != (other.tree is None):
        return float("nan")
    weights = one.weights[rows]
    if one.tree is None:
        if one.constant or other.constant:
            return 0.0
        values = np.column_stack((one.values[rows], other.values[rows]))
        centred = values - mean(values, weights)
        return float(mean(centred[:, 0] * centred[:, 1], weights))
    return covar_m(one.marginalities[one.nodes[rows]], other.marginalities[other.nodes[rows]], weights)


def association(one: Attribute, other: Attribute) -> float:
    """hcov, or nan where there are no common records or the table of the two would be too large."""
    rows = one.usable & other.usable
    if not rows.any() or _occupied(one) * _occupied(other) > LARGEST_PAIR:
        return float("nan")
    if one.constant or other.constant:
        return 0.0
    return hcov(one.place(rows), other.place(rows), one.weights[rows])


def _occupied(attribute: Attribute) -> float:
    return 1.0 if attribute.tree is None else float(np.count_nonzero(attribute.counts)) * 4.0


@dataclass(frozen=True, eq=False)
class Statistics:
    """Per column the mean and variance; per pair the covariance, hcov and hcorr (nan where not defined).

    `hcov_units` is the largest hcov a pair could have, sqrt(hcov(x, x) hcov(y, y)).
    """

    means: Floats
    variances: Floats
    covariances: Floats
    hcovs: Floats
    hcorrs: Floats
    hcov_units: Floats

    def variation(self, other: Statistics) -> dict[str, Floats]:
        """Delta of every statistic but hcorr, of which the plain difference is taken; inf where it is lost."""
        sds = np.sqrt(np.abs(self.variances))
        upper = np.triu_indices(len(sds), 1)
        units = np.outer(sds, sds)[upper]
        return {
            "mean": relative_changes(self.means, other.means, np.abs(self.means)) / 100.0,
            "variance": relative_changes(self.variances, other.variances, self.variances) / 100.0,
            "covariance": relative_changes(self.covariances, other.covariances, units) / 100.0,
            "hcov": relative_changes(self.hcovs, other.hcovs, self.hcov_units) / 100.0,
            "hcorr": shift(self.hcorrs, other.hcorrs),
        }


def statistics(attributes: Sequence[Attribute]) -> Statistics:
    """All statistics of a table's columns. O(n d^2 + nodes), pairs of trees in the product of their sizes."""
    pairs = list(combinations(attributes, 2))
    own = {attribute.name: association(attribute, attribute) for attribute in attributes}
    hcovs = np.array([association(*pair) for pair in pairs])
    units = np.sqrt([own[one.name] * own[other.name] for one, other in pairs])
    with np.errstate(divide="ignore", invalid="ignore"):
        hcorrs = np.where(units > 0, hcovs / units, np.nan)
    return Statistics(
        np.array([attribute.centre for attribute in attributes]),
        np.array([attribute.spread for attribute in attributes]),
        np.array([covariation(*pair) for pair in pairs]),
        hcovs,
        np.minimum(hcorrs, 1.0),
        units,
    )


# -- from tables -----------------------------------------------------------------------------------------------


def flat_tree(n_levels: int) -> tuple[Ints, Ints]:
    """Parents and depths of a nominal column's tree: a root, and the levels below it."""
    parent, depth = np.zeros(n_levels + 1, dtype=np.int64), np.ones(n_levels + 1, dtype=np.int64)
    parent[0], depth[0] = -1, 0
    return parent, depth


def attributes_of(
    original: Table, protected: Table, names: Sequence[str]
) -> tuple[list[Attribute], list[Attribute]]:
    """The named columns of both tables, trees weighted by the original."""
    found: tuple[list[Attribute], list[Attribute]] = ([], [])
    for name in names:
        tree = _branches(original[name], original)
        for side, table in zip(found, (original, protected), strict=True):
            shifted = 1 if table[name].kind == "nominal" else 0  # node 0 of a flat tree is its root
            values = np.asarray(table[name].values, dtype=np.float64) + shifted
            weights = checked_weights(table.weights, table.n_records)
            side.append(Attribute(name, values, table[name].missing, weights, tree))
    return found


def _branches(column: Column, table: Table) -> Branches | None:
    if column.kind in ("numeric", "ordinal"):
        return None
    if column.tree is not None:
        parent, depth, shift = column.tree.parent, column.tree.depth, 0
    else:
        (parent, depth), shift = flat_tree(len(column.levels)), 1
    rows = ~column.missing
    weights = checked_weights(table.weights, table.n_records)[rows]
    counts = node_counts(column.values[rows].astype(np.int64) + shift, len(parent), weights)
    return Branches(parent, edge_weights(parent, depth, counts))


STATISTICS = ("mean", "variance", "covariance", "hcov", "hcorr")


@dataclass(frozen=True)
class Variation:
    """Delta of means, variances, covariances and hcov over columns of all kinds, and the shift of hcorr.

    Each figure is the average over the columns (pairs) for which it is defined; Delta of a statistic near zero is
    ruled by it, so look at the parts.

    Args:
        columns: names of columns to use; None: all that are analysed.

    Example:
        >>> from discreet.table.schema import Variable
        >>> sex = {"sex": Variable(name="sex", kind="nominal", levels=("f", "m"))}
        >>> tables = Table.build({"sex": list("ffmm")}, sex), Table.build({"sex": list("fffm")}, sex)
        >>> [(figure.name, figure.value) for figure in Variation()(*tables)][:2]
        [('marginality.mean', 0.5), ('marginality.variance', 0.25)]
    """

    columns: tuple[str, ...] | None = None
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = [column.name for column in analysed(original, self.columns)]
        before, after = attributes_of(original, protected, names)
        changes = statistics(before).variation(statistics(after))
        return tuple(_figure(f"marginality.{key}", changes[key], names, key) for key in STATISTICS)


@dataclass(frozen=True)
class SubsampleVariation:
    """The same Delta in subsamples: mean over samples of the same records of both tables, beside its floor.

    A subsample says what a user of a part of the file would see. The floor is the Delta between two independent
    samples of the original: a figure near it is sampling, not protection.

    Args:
        samples: number of samples.
        share: of the records in each.
        columns: names of columns to use; None: all that are analysed.
        seed: of the samples.
    """

    samples: int = 100
    share: float = 0.1
    columns: tuple[str, ...] | None = None
    seed: int = 0
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.samples < 2 or not 0 < self.share <= 1:
            raise ParameterError("samples must be at least 2 and share in (0, 1].")

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = [column.name for column in analysed(original, self.columns)]
        before, after = attributes_of(original, protected, names)
        order = canonical_order(original, names)
        size = max(int(self.share * len(order)), 1)
        if len(order) < 2:
            size = len(order)
        found: dict[str, list[Floats]] = {key: [] for key in STATISTICS}
        floor: dict[str, list[Floats]] = {key: [] for key in STATISTICS}
        generator = np.random.default_rng(self.seed)
        for _ in range(self.samples):
            rows, others = (np.sort(generator.choice(len(order), size, replace=False)) for _ in range(2))
            sampled = statistics([attribute.take(order[rows]) for attribute in before])
            released = statistics([attribute.take(order[rows]) for attribute in after])
            second = statistics([attribute.take(order[others]) for attribute in before])
            for key, values in sampled.variation(released).items():
                found[key].append(values)
            for key, values in sampled.variation(second).items():
                floor[key].append(values)
        return tuple(
            _figure(
                f"marginality.{key}_{kind}", _over_samples(values[key]), names, key, self._note(size, kind)
            )
            for kind, values in (("subsamples", found), ("floor", floor))
            for key in STATISTICS
        )

    def _note(self, size: int, kind: str) -> str:
        what = "the same records of both tables" if kind == "subsamples" else "two samples of the original"
        return f"Mean over {self.samples} samples of {size} records, {what}, seed {self.seed}."


def _over_samples(values: list[Floats]) -> Floats:
    """Mean over samples, of each statistic, where it is defined; lost only where every sample has lost it."""
    stacked = np.array(values)
    defined = np.isfinite(stacked)
    counts = defined.sum(axis=0)
    sums = np.where(defined, stacked, 0.0).sum(axis=0)
    without = np.where((stacked == LOST).any(axis=0), LOST, np.nan)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), without), dtype=np.float64)


def _figure(name: str, values: Floats, names: Sequence[str], key: str, note: str = "") -> Figure:
    single: list[tuple[str, ...]] = [(column,) for column in names]
    labels = single if key in ("mean", "variance") else list(combinations(names, 2))
    upper, unit = (1.0, "index") if key == "hcorr" else (float("inf"), "ratio")
    better: Better = "neither" if name.endswith("_floor") else "lower"
    return averaged(name, values, labels, unit, (0.0, upper), better=better, note=note)
