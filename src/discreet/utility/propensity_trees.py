"""The propensity score by a classification tree or by boosted trees, which find interactions by themselves.

Trees adapt to the records they are grown on, so U_p has no formula under the null. It is found by permuting T and
growing again. A permutation makes both tables random where synthesis makes one, which enlarges U_p by 1 / (1 - c)
(c the share of protected records); the expectation and sd reported are scaled back by that factor, so that S_pMSE
means the same as for the logistic model. Trees are grown and read on the same records: a held-out score would be
fooled by masked files, in which a record's twin stands on the other side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from discreet.arrays import Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.lazily import Lazily
from discreet.table.table import Table
from discreet.utility.columns import analysed, check_pair
from discreet.utility.propensity import (
    Score,
    mean_squared_error,
    sampled,
    score_figures,
    stacked_weights,
)

DecisionTreeClassifier = Lazily("sklearn.tree", "DecisionTreeClassifier")
HistGradientBoostingClassifier = Lazily("sklearn.ensemble", "HistGradientBoostingClassifier")

Learner: TypeAlias = Literal["cart", "boosted"]


class _Classifier(Protocol):
    def fit(self, features: Floats, target: Floats, sample_weight: Floats | None = None) -> object: ...
    def predict_proba(self, features: Floats) -> Floats: ...


def tree_features(table: Table, names: list[str]) -> Floats:
    """Numbers as they are and categories by position (a taxonomic one in preorder, so subtrees are intervals).

    Missing is nan, which the trees branch on as they find best.
    """
    features = np.empty((table.n_records, len(names)))
    for place, name in enumerate(names):
        features[:, place] = np.where(table[name].missing, np.nan, table[name].values)
    return features


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
    features, target, heavy = features[order], target[order], heavy[order]
    generator = np.random.default_rng(seed)

    def grown(labels: Floats) -> float:
        if not 0 < labels.sum() < n_records:
            return 0.0
        model = _classifier(learner, least_leaf, seed)
        # one thread: samples are small, and sums over threads would depend on how many there are
        with threadpool_limits(1):
            model.fit(features, labels, None if weights is None else heavy)
            return mean_squared_error(model.predict_proba(features)[:, 1], share, heavy)

    null = np.array([grown(generator.permutation(target)) for _ in range(permutations)])
    scale = 1.0 - share
    expected = scale * float(null.mean()) if permutations else float("nan")
    sd = scale * float(null.std(ddof=1)) if permutations > 1 else float("nan")
    return Score(grown(target), share, n_records, expected, sd)


@dataclass(frozen=True)
class TreePropensity:
    """Propensity score by a classification tree (`cart`) or by gradient-boosted trees (`boosted`).

    Figures as for `Propensity`, named `propensity_trees.*`; `ratio` and `standardised` come from permutations.

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

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_pair(original, protected)
        names = [column.name for column in analysed(original, self.columns)]
        stem = "propensity_trees"
        if not names or not original.n_records or not protected.n_records:
            return score_figures(stem, None, "There is nothing to tell the tables apart by.")
        note = f"{self.learner}, {self.permutations} permutations."
        if original.n_records + protected.n_records > self.max_records:
            original, protected, said = sampled(original, protected, names, self.max_records, self.seed)
            note = f"{note} {said}"
        score = tree_score(
            np.vstack([tree_features(table, names) for table in (original, protected)]),
            original.n_records,
            stacked_weights(original, protected),
            learner=self.learner,
            least_leaf=self.least_leaf,
            permutations=self.permutations,
            seed=self.seed,
        )
        return score_figures(stem, score, note)
