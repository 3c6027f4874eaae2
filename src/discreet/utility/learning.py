"""Does a model learned from the protected table predict real records as well as one learned from the original?

Cross-fitted: the original is cut into folds, each fold is predicted by a model learned from the other folds of the
original and by one learned from as large a share of the protected table. Folds are a seeded permutation of the
records sorted by value: the answer does not depend on their order, nor the folds on what is predicted. Tables are
cut alike only where their records correspond, or are the same; otherwise the folds of one must not tell of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from discreet.arrays import Bools, Floats
from discreet.base import Aspect, Better, Figure
from discreet.errors import ParameterError
from discreet.lazily import Lazily
from discreet.stats.weighted import checked_weights, mean, variance
from discreet.table.table import Table
from discreet.utility.columns import analysed, canonical_order
from discreet.utility.pair import check_pair, compared
from discreet.utility.propensity_trees import informative, tree_features

DecisionTreeClassifier = Lazily("sklearn.tree", "DecisionTreeClassifier")
DecisionTreeRegressor = Lazily("sklearn.tree", "DecisionTreeRegressor")
HistGradientBoostingClassifier = Lazily("sklearn.ensemble", "HistGradientBoostingClassifier")
HistGradientBoostingRegressor = Lazily("sklearn.ensemble", "HistGradientBoostingRegressor")

Learner: TypeAlias = Literal["boosted", "tree"]
FARTHEST = 1e6  # sds that a number to predict may lie from the original's mean
ROUNDING = 1e-12  # squared sds: a target that varies by less does not vary


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
    """Predicts one value: what can be learned from no features, or from a target that does not vary."""

    value: float

    @classmethod
    def of(cls, task: Task, classes: bool) -> Constant:
        if not classes:
            return cls(float(mean(task.target, task.weights)))
        values, codes = np.unique(task.target, return_inverse=True)
        return cls(float(values[np.argmax(np.bincount(codes.reshape(-1), task.weights))]))

    def fit(self, features: Floats, target: Floats, sample_weight: Floats) -> Constant:
        return self

    def predict(self, features: Floats) -> Floats:
        return np.full(len(features), self.value)


def _model(learner: Learner, classes: bool, task: Task, seed: int) -> _Model:
    if not task.features.shape[1] or len(np.unique(task.target)) < 2:
        return Constant.of(task, classes)
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
    """Loss of each test record: 1 for a wrong class, squared error of a number (in sds from its mean).

    From no records at all nothing is learned: no class is right, and the mean stands for every number.
    """
    task = task.take(task.weights > 0)
    if not len(task.target):
        return np.ones(len(test.target)) if classes else test.target**2
    known = informative(task.features)
    task = Task(task.features[:, known], task.target, task.weights)
    model = _model(learner, classes, task, seed)
    # one thread: samples are small, and sums over threads would depend on how many there are
    with threadpool_limits(1):
        model.fit(task.features, task.target, task.weights)
        predicted = model.predict(test.features[:, known])
    if classes:
        return np.asarray(predicted != test.target, dtype=np.float64)
    return np.asarray((predicted - test.target) ** 2, dtype=np.float64)


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval."""

    value: float
    error: float

    def interval(self, bounds: tuple[float, float]) -> tuple[float, float]:
        return max(self.value - 1.96 * self.error, bounds[0]), min(self.value + 1.96 * self.error, bounds[1])


@dataclass(frozen=True)
class Learned:
    """Scores (share correct, or R^2) of both models on the original, and what was lost."""

    original: Estimate
    protected: Estimate
    loss: Estimate


def cross_fitted(
    original: Task,
    protected: Task,
    *,
    classes: bool,
    learner: Learner = "boosted",
    folds: int = 3,
    seed: int = 0,
    together: bool = False,
) -> Learned:
    """Learn from each table in turn, predict the original's folds; with `together` both tables are cut alike."""
    fold = _folds(len(original.target), folds, (seed, 0))
    protected_fold = _folds(len(protected.target), folds, (seed, 0 if together else 1))
    losses = np.zeros((2, len(fold)))
    for number in range(folds):
        test = original.take(fold == number)
        if not len(test.target):
            continue
        sources = original.take(fold != number), protected.take(protected_fold != number)
        for side, source in enumerate(sources):
            losses[side, fold == number] = _losses(source, test, learner, classes, seed)
    return _compared(losses, original, classes)


def _folds(n_records: int, folds: int, seeds: tuple[int, int]) -> NDArray[np.int64]:
    """A fold for each record, drawn without regard to its values: of sorted records every third would tell of them."""
    return np.random.default_rng(seeds).permutation(np.arange(n_records) % folds)


def _compared(losses: Floats, test: Task, classes: bool) -> Learned:
    units = np.ones(len(test.target)) if classes else (test.target - mean(test.target, test.weights)) ** 2
    here, there, lost = (
        _share_lost(column, units, test.weights) for column in (*losses, losses[1] - losses[0])
    )
    return Learned(Estimate(1.0 - here.value, here.error), Estimate(1.0 - there.value, there.error), lost)


def _share_lost(losses: Floats, units: Floats, weights: Floats) -> Estimate:
    """Mean loss over mean unit, a ratio of two means, with its standard error."""
    unit = float(mean(units, weights))
    if not unit > ROUNDING:
        return Estimate(float("nan"), float("nan"))
    share = float(mean(losses, weights)) / unit
    spread = float((weights**2) @ ((losses - share * units) / unit) ** 2) / float(weights.sum()) ** 2
    return Estimate(share, float(np.sqrt(spread)))


@dataclass(frozen=True)
class LearningLoss:
    """Predictive value lost: train on the protected table, test on the original, against train on the original.

    Figures: `original` and `protected` (share correct for a category, R^2 for a number) and `loss` (their difference),
    each with a 95 % interval.

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

    @compared
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
        here, there, together = self._rows(original, protected, [*features, target])
        rows = self._sampled(here, 0), self._sampled(there, 0 if together else 1)
        tasks = _tasks(original, protected, features, target, rows)
        note = (
            f"Predicted: {target}. {self.learner}, {self.folds} folds of {len(tasks[0].target)} records, "
            f"{'matched' if together else 'not matched'} with those learned from."
        )
        if len(tasks[0].target) < self.folds:
            return _figures(None, f"{note} Too few records have the target.", classes)
        learned = cross_fitted(
            *tasks,
            classes=classes,
            learner=self.learner,
            folds=self.folds,
            seed=self.seed,
            together=together,
        )
        return _figures(learned, note, classes)

    def _rows(
        self, original: Table, protected: Table, names: list[str]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], bool]:
        """Both tables' records that have the target, sorted by value; and whether they stand in pairs."""
        here, there = canonical_order(original, names), canonical_order(protected, names)
        lost, gone = original[names[-1]].missing, protected[names[-1]].missing
        if self.matched:
            kept = here[~(lost | gone)[here]]
            return kept, kept, True
        # a table beside itself is the same people's
        same = original.select(names).take(here).same_as(protected.select(names).take(there))
        return here[~lost[here]], there[~gone[there]], same

    def _sampled(self, rows: NDArray[np.intp], side: int) -> NDArray[np.intp]:
        if len(rows) <= self.max_records:
            return rows
        generator = np.random.default_rng((self.seed, side))
        return rows[np.sort(generator.choice(len(rows), size=self.max_records, replace=False))]


def default_target(table: Table, names: list[str]) -> str | None:
    """The first confidential column among those named, else the last of them."""
    confidential = [name for name in names if table[name].role == "confidential"]
    chosen = confidential[:1] or names[-1:]
    return chosen[0] if chosen else None


def _tasks(
    original: Table,
    protected: Table,
    features: list[str],
    target: str,
    rows: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> tuple[Task, Task]:
    """Both tables' records as tasks; a number to predict is counted in sds from the original's mean."""
    tables = original.take(rows[0]), protected.take(rows[1])
    found = [
        Task(known, table[target].numbers, checked_weights(table.weights, table.n_records))
        for table, known in zip(tables, tree_features(*tables, features), strict=True)
    ]
    return _standardised(*found) if original[target].is_numeric else (found[0], found[1])


def _standardised(original: Task, protected: Task) -> tuple[Task, Task]:
    centre = float(mean(original.target, original.weights))
    sd = float(np.sqrt(variance(original.target, original.weights)))
    sd = sd if sd > 1e-14 * abs(centre) else 1.0
    # boosted trees add up in single precision; no model learns anything from a number that far out
    near, far = (
        replace(task, target=np.clip((task.target - centre) / sd, -FARTHEST, FARTHEST))
        for task in (original, protected)
    )
    return near, far


def _figures(learned: Learned | None, note: str, classes: bool) -> tuple[Figure, ...]:
    infinite, nothing = float("inf"), Estimate(float("nan"), float("nan"))
    unit, bounds = ("share correct", (0.0, 1.0)) if classes else ("R2", (-infinite, 1.0))
    both_ways = (-1.0, 1.0) if classes else (-infinite, infinite)
    found = learned or Learned(nothing, nothing, nothing)
    if learned is not None and np.isnan(found.loss.value):
        note = f"{note} The target does not vary in the original."

    def figure(name: str, of: Estimate, better: Better, unit: str, bounds: tuple[float, float]) -> Figure:
        interval = None if np.isnan(of.value) else of.interval(bounds)
        return Figure(f"learning.{name}", of.value, unit, better, bounds, interval, note=note)

    return (
        figure("original", found.original, "neither", unit, bounds),
        figure("protected", found.protected, "higher", unit, bounds),
        figure("loss", found.loss, "lower", unit, both_ways),
    )
