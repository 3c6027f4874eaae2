"""Does a model learned from the protected table predict real records as well as one learned from the original?

Cross-fitted: the original is cut into folds, each fold is predicted by a model learned from the other folds of the
original and by one learned from as large a share of the protected table. Records are sorted by value before they
are cut, so that the answer does not depend on their order, and equal tables give equal models.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.lazily import Lazily
from discreet.stats.weighted import checked_weights, effective_size, mean
from discreet.table.table import Table
from discreet.utility.columns import analysed, canonical_order, check_pair
from discreet.utility.propensity_trees import tree_features

DecisionTreeClassifier = Lazily("sklearn.tree", "DecisionTreeClassifier")
DecisionTreeRegressor = Lazily("sklearn.tree", "DecisionTreeRegressor")
HistGradientBoostingClassifier = Lazily("sklearn.ensemble", "HistGradientBoostingClassifier")
HistGradientBoostingRegressor = Lazily("sklearn.ensemble", "HistGradientBoostingRegressor")

Learner: TypeAlias = Literal["boosted", "tree"]


class _Model(Protocol):
    def fit(self, features: Floats, target: Floats, sample_weight: Floats) -> object: ...
    def predict(self, features: Floats) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Task:
    """What is predicted from what, for the records of one table that have the target."""

    features: Floats
    target: Floats
    weights: Floats

    def take(self, rows: Bools) -> Task:
        return Task(self.features[rows], self.target[rows], self.weights[rows])


@dataclass(frozen=True)
class Constant:
    """Predicts one value: what can be learned from a target that does not vary."""

    value: float

    def fit(self, features: Floats, target: Floats, sample_weight: Floats) -> Constant:
        return self

    def predict(self, features: Floats) -> Floats:
        return np.full(len(features), self.value)


def _model(learner: Learner, classes: bool, target: Floats, seed: int) -> _Model:
    if len(np.unique(target)) < 2:
        return Constant(float(target[0]) if len(target) else float("nan"))
    if learner == "tree":
        grown: _Model = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(
            max_depth=8, min_samples_leaf=10, random_state=seed
        )
        return grown
    boosted: _Model = (HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor)(
        max_iter=60, max_leaf_nodes=15, early_stopping=False, random_state=seed
    )
    return boosted


def _losses(task: Task, test: Task, learner: Learner, classes: bool, seed: int) -> Floats:
    """Loss of each test record: 1 for a wrong class, squared error of a number."""
    model = _model(learner, classes, task.target, seed)
    weighed = task.weights > 0
    # one thread: samples are small, and sums over threads would depend on how many there are
    with threadpool_limits(1):
        model.fit(task.features[weighed], task.target[weighed], task.weights[weighed])
        predicted = model.predict(test.features)
    if classes:
        return np.asarray(predicted != test.target, dtype=np.float64)
    return np.asarray((predicted - test.target) ** 2, dtype=np.float64)


@dataclass(frozen=True)
class Learned:
    """Scores (share correct, or R^2) of both models on the original, and what was lost with its 95 % interval."""

    original: float
    protected: float
    loss: float
    interval: tuple[float, float]


def cross_fitted(
    original: Task,
    protected: Task,
    *,
    classes: bool,
    learner: Learner = "boosted",
    folds: int = 3,
    seed: int = 0,
) -> Learned:
    """Learn from each table in turn, predict the original's folds. Record i belongs to fold i modulo `folds`."""
    fold = np.arange(len(original.target)) % folds
    protected_fold = np.arange(len(protected.target)) % folds
    losses = np.zeros((2, len(fold)))
    for number in range(folds):
        test = original.take(fold == number)
        if not len(test.target):
            continue
        sources = original.take(fold != number), protected.take(protected_fold != number)
        for side, source in enumerate(sources):
            losses[side, fold == number] = _losses(source, test, learner, classes, seed)
    return _compared(losses, original, classes)


def _compared(losses: Floats, test: Task, classes: bool) -> Learned:
    scale = 1.0
    if not classes:
        scale = float(mean((test.target - mean(test.target, test.weights)) ** 2, test.weights))
    if not scale > 0:
        nan = float("nan")
        return Learned(nan, nan, nan, (nan, nan))
    average = mean(losses.T, test.weights) / scale
    difference = (losses[1] - losses[0]) / scale
    loss = float(mean(difference, test.weights))
    spread = float(mean((difference - loss) ** 2, test.weights))
    error = 1.96 * np.sqrt(spread / effective_size(test.weights))
    return Learned(1.0 - float(average[0]), 1.0 - float(average[1]), loss, (loss - error, loss + error))


@dataclass(frozen=True)
class LearningLoss:
    """Predictive value lost: train on the protected table, test on the original, against train on the original.

    Figures: `original` and `protected` (share correct for a category, R^2 for a number), `loss` (their difference,
    with a 95 % interval).

    Args:
        target: the column to predict; None: the first confidential column, else the last one analysed.
        learner: `boosted` (60 boosted trees of 15 leaves) or `tree` (one tree of depth 8).
        folds: parts the original is cut into.
        matched: record i of both tables is the same person's: the protected copies of the records that are
            predicted are then kept out of learning. Without it a masked file has seen a shadow of the test.
        columns: names of columns to use; None: all that are analysed.
        max_records: of each table; a larger one is sampled with `seed`.

    Cost: 2 x folds models; tens of seconds at 20,000 records.
    """

    target: str | None = None
    learner: Learner = "boosted"
    folds: int = 3
    matched: bool = False
    columns: tuple[str, ...] | None = None
    max_records: int = 20_000
    seed: int = 0
    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.learner not in ("boosted", "tree"):
            raise ParameterError(f"learner must be 'boosted' or 'tree'. Got {self.learner!r}.")
        if self.folds < 2 or self.max_records < self.folds:
            raise ParameterError("folds must be at least 2 and max_records at least as many.")

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        check_pair(original, protected, corresponds=self.matched)
        names = [column.name for column in analysed(original, self.columns)]
        target = self.target or default_target(original, names)
        features = [name for name in names if name != target]
        if target is None or not features:
            return _figures(None, "There is no column to predict, or none to predict it from.", True)
        if target not in original:
            raise ParameterError(f"No column '{target}' to predict. There are: {', '.join(original.names)}.")
        classes = not original[target].is_numeric
        rows = self._rows(original, protected, [*features, target])
        tasks = [
            _task(table, features, target, order, self.max_records, self.seed)
            for table, order in zip((original, protected), rows, strict=True)
        ]
        note = f"Predicted: {target}. {self.learner}, {self.folds} folds of {len(tasks[0].target)} records."
        if min(len(task.target) for task in tasks) < self.folds:
            return _figures(None, f"{note} Too few records have the target.", classes)
        learned = cross_fitted(
            tasks[0], tasks[1], classes=classes, learner=self.learner, folds=self.folds, seed=self.seed
        )
        return _figures(learned, note, classes)

    def _rows(
        self, original: Table, protected: Table, names: list[str]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Both tables' records that have the target, in an order that depends on values alone."""
        here, there = canonical_order(original, names), canonical_order(protected, names)
        lost, gone = original[names[-1]].missing, protected[names[-1]].missing
        if self.matched:
            kept = here[~(lost | gone)[here]]
            return kept, kept
        return here[~lost[here]], there[~gone[there]]


def default_target(table: Table, names: list[str]) -> str | None:
    """The first confidential column among those named, else the last of them."""
    confidential = [name for name in names if table[name].role == "confidential"]
    chosen = confidential[:1] or names[-1:]
    return chosen[0] if chosen else None


def _task(
    table: Table, features: list[str], target: str, rows: NDArray[np.intp], max_records: int, seed: int
) -> Task:
    if len(rows) > max_records:
        drawn = np.random.default_rng(seed).choice(len(rows), size=max_records, replace=False)
        rows = rows[np.sort(drawn)]
    weights = checked_weights(table.weights, table.n_records)[rows]
    values = np.asarray(table[target].values[rows], dtype=np.float64)
    return Task(tree_features(table, features)[rows], values, weights)


def _figures(learned: Learned | None, note: str, classes: bool) -> tuple[Figure, ...]:
    nan, infinite = float("nan"), float("inf")
    unit, bounds = ("share correct", (0.0, 1.0)) if classes else ("R2", (-infinite, 1.0))
    found = learned or Learned(nan, nan, nan, (nan, nan))
    if learned is not None and np.isnan(found.loss):
        note = f"{note} The target does not vary in the original."
    interval = None if np.isnan(found.loss) else found.interval
    if interval is not None and classes:
        interval = max(interval[0], -1.0), min(interval[1], 1.0)
    return (
        Figure("learning.original", found.original, unit, "neither", bounds, note=note),
        Figure("learning.protected", found.protected, unit, "higher", bounds, note=note),
        Figure(
            "learning.loss",
            found.loss,
            unit,
            "lower",
            (-1.0, 1.0) if classes else (-infinite, infinite),
            interval,
            note=note,
        ),
    )
