"""The propensity score by a classification tree or by boosted trees, which find interactions by themselves.

Trees adapt to the records they are grown on, so U_p has no formula under the null. It is found by permuting T and
growing again. A permutation makes both tables random where synthesis makes one, which enlarges U_p by 1 / (1 - c)
(c the share of protected records); the expectation and sd reported are scaled back by that factor, so that S_pMSE
means the same as for the logistic model. Trees are grown and read on the same records: a held-out score would be
fooled by masked files, in which a record's twin stands on the other side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.lazily import Lazily
from discreet.table.column import Column
from discreet.table.table import Table
from discreet.utility.columns import analysed
from discreet.utility.pair import compared
from discreet.utility.propensity import (
    Score,
    mean_squared_error,
    sampled,
    score_figures,
    score_of,
    stacked_weights,
)

DecisionTreeClassifier = Lazily("sklearn.tree", "DecisionTreeClassifier")
HistGradientBoostingClassifier = Lazily("sklearn.ensemble", "HistGradientBoostingClassifier")

Learner: TypeAlias = Literal["cart", "boosted"]


class _Classifier(Protocol):
    def fit(self, features: Floats, target: Floats, sample_weight: Floats | None = None) -> object: ...
    def predict_proba(self, features: Floats) -> Floats: ...


def tree_features(original: Table, protected: Table, names: Sequence[str]) -> tuple[Floats, Floats]:
    """Every column of both tables by the rank of its values (a taxonomic one in preorder: subtrees are intervals).

    Trees see nothing but the order of values, and they see it in single precision: large numbers that lie close
    together (dates as YYYYMMDD, long codes) would tie, ranks never do. Missing is nan, which the trees branch on as
    they find best.
    """
    pairs = [_ranked(original[name], protected[name]) for name in names]
    sides = [np.column_stack([pair[side] for pair in pairs]) for side in (0, 1)]
    return sides[0], sides[1]


def _ranked(before: Column, after: Column) -> tuple[Floats, Floats]:
    missing = np.concatenate((before.missing, after.missing))
    ranks = np.full(len(missing), np.nan)
    values = np.concatenate((before.numbers, after.numbers))[~missing]
    ranks[~missing] = np.unique(values, return_inverse=True)[1].reshape(-1)
    return ranks[: len(before.values)], ranks[len(before.values) :]


def informative(features: Floats) -> Bools:
    """Which features hold any value: trees refuse those that do not, and learn nothing from them."""
    return np.asarray(~np.isnan(features).all(axis=0))


def _classifier(learner: Learner, least_leaf: int, seed: int) -> _Classifier:
    if learner == "cart":
        tree: _Classifier = DecisionTreeClassifier(
            max_depth=8, min_samples_leaf=least_leaf, random_state=seed
        )
        return tree
    boosted: _Classifier = HistGradientBoostingClassifier(
        max_iter=50, max_leaf_nodes=15, min_samples_leaf=least_leaf, early_stopping=False, random_state=seed
    )
    return boosted


def _stack_order(features: Floats, target: Floats, weights: Floats) -> NDArray[np.intp]:
    return np.lexsort((weights, target, *features.T))


def tree_score(
    features: Floats,
    n_original: int,
    weights: Floats | None = None,
    *,
    learner: Learner = "cart",
    least_leaf: int = 20,
    permutations: int = 20,
    seed: int = 0,
) -> Score:
    """Score of trees grown on the stacked tables, original first; the order of records does not matter."""
    n_records = len(features)
    share = (n_records - n_original) / n_records
    target = np.repeat([0.0, 1.0], (n_original, n_records - n_original))
    heavy = np.ones(n_records) if weights is None else weights
    order = _stack_order(features, target, heavy)
    features, target, heavy = features[order][:, informative(features)], target[order], heavy[order]
    generator = np.random.default_rng(seed)

    def grown(labels: Floats) -> Floats:
        if not 0 < labels.sum() < n_records or not features.shape[1]:
            return np.full(n_records, share)
        model = _classifier(learner, least_leaf, seed)
        # one thread: samples are small, and sums over threads would depend on how many there are
        with threadpool_limits(1):
            model.fit(features, labels, None if weights is None else heavy)
            return model.predict_proba(features)[:, 1]

    permuted = (grown(generator.permutation(target)) for _ in range(permutations))
    null = np.array([mean_squared_error(probabilities, share, heavy) for probabilities in permuted])
    expected = (1.0 - share) * float(null.mean()) if permutations else float("nan")
    sd = (1.0 - share) * float(null.std(ddof=1)) if permutations > 1 else float("nan")
    return score_of(grown(target), target, heavy, (expected, sd))


@dataclass(frozen=True)
class TreePropensity:
    """Propensity score by a classification tree (`cart`) or by gradient-boosted trees (`boosted`).

    Figures as for `Propensity`, named `propensity_trees.*` for a tree and `propensity_boosted.*` for boosted ones;
    `ratio` and `standardised` come from permutations.

    Args:
        learner: `cart` (depth 8) or `boosted` (50 trees of 15 leaves).
        least_leaf: fewest records in a leaf.
        permutations: how often T is permuted to find the null value.
        columns: names of columns to use; None: all that are analysed.
        max_records: records of both tables together; beyond it both are sampled in proportion.
        seed: of the sample and the permutations.
    """

    learner: Learner = "cart"
    least_leaf: int = 20
    permutations: int = 20
    columns: tuple[str, ...] | None = None
    max_records: int = 20_000
    seed: int = 0
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.learner not in ("cart", "boosted"):
            raise ParameterError(f"learner must be 'cart' or 'boosted'. Got {self.learner!r}.")
        if self.least_leaf < 1 or self.permutations < 0 or self.max_records < 2:
            raise ParameterError("least_leaf must be at least 1, permutations 0 and max_records 2.")

    @compared
    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        names = [column.name for column in analysed(original, self.columns)]
        stem = "propensity_trees" if self.learner == "cart" else "propensity_boosted"
        if not names or not original.n_records or not protected.n_records:
            return score_figures(stem, None, "There is nothing to tell the tables apart by.")
        note, said = f"{self.learner}, {self.permutations} permutations.", ""
        if original.n_records + protected.n_records > self.max_records:
            original, protected, said = sampled(original, protected, names, self.max_records, self.seed)
        score = tree_score(
            np.vstack(tree_features(original, protected, names)),
            original.n_records,
            stacked_weights(original, protected),
            learner=self.learner,
            least_leaf=self.least_leaf,
            permutations=self.permutations,
            seed=self.seed,
        )
        return score_figures(stem, score, f"{note} {said}".strip(), estimated=bool(said))
