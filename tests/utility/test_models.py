"""Regressions, cell-wise loss, eigenvalues, learning and marginality on tables worked by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.stats.regression import Coefficients
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.utility.cellwise import CellLoss
from discreet.utility.columns import Numbers
from discreet.utility.eigenvalues import EigenvalueLoss, eigenvalues
from discreet.utility.formula import Factor, Formula, regressions
from discreet.utility.learning import LearningLoss
from discreet.utility.marginality import SubsampleVariation, Variation, attributes_of, statistics
from discreet.utility.regression import RegressionChange, changes, interval_overlaps, mostly_complete


def by_name(figures: Any) -> dict[str, Any]:
    return {figure.name.split(".")[1]: figure for figure in figures}


# -- regressions -----------------------------------------------------------------------------------------------


def coefficients(estimates: list[float], errors: list[float]) -> Coefficients:
    return Coefficients(np.array(estimates), np.array(errors), 10.0)


def test_overlap_of_intervals_by_hand() -> None:
    """Equal, half over, apart, and a term that is lost."""
    before = coefficients([1.0, 0.0, 0.0, 5.0], [0.1, 1.0, 1.0, 1.0])
    after = coefficients([1.0, 1.96, 10.0, np.nan], [0.1, 1.0, 1.0, np.nan])
    assert interval_overlaps(before, after).tolist() == pytest.approx([1.0, 0.5, 0.0, 0.0])
    found = changes(before, after)
    assert found.lost == 1
    assert found.shifts[:3] == pytest.approx([0.0, 1.96, 10.0])
    assert np.isnan(found.estimates).tolist() == [False, True, True, False]  # 0 has no relative change
    assert found.estimates[3] == found.errors[3] == found.shifts[3] == np.inf


def test_interval_inside_another() -> None:
    """Half as wide about the same centre: all of one, half of the other."""
    assert interval_overlaps(coefficients([0.0], [1.0]), coefficients([0.0], [0.5]))[0] == pytest.approx(0.75)


def test_formula_is_parsed() -> None:
    """Logarithms, powers, products, and the star for both."""
    formula = Formula.parse("log(income) ~ age * sex + height^2 + age:sex")
    assert formula.response == Factor("income", logged=True)
    assert [tuple(factor.column for factor in term) for term in formula.terms] == [
        ("age",),
        ("sex",),
        ("age", "sex"),
        ("height",),
    ]
    assert formula.terms[3][0].power == 2
    assert Formula.parse("smoke=YES ~ age").event == "YES"


@pytest.mark.parametrize("text", ["income", "a ~ b ~ c", "a ~ b + ", "a ~ b*c*d"])
def test_bad_formulas(text: str) -> None:
    """What is no formula is refused when the measure is made."""
    with pytest.raises(ParameterError):
        RegressionChange(formulas=(text,))


def test_design_of_a_formula(mixed: Callable[..., Table]) -> None:
    """Dummies against the first level the original holds, products of all pairs, complete records only."""
    table = mixed(40, 1, 0.2)
    before, _ = regressions(Formula.parse("stay ~ age:work + sex"), table, table)
    rows = ~(table["age"].missing | table["work"].missing | table["sex"].missing)
    age, work, sex = (table[name].values[rows] for name in ("age", "work", "sex"))
    expected = np.column_stack((np.ones(rows.sum()), age * (work == 1), age * (work == 2), sex == 1))
    np.testing.assert_array_equal(before.design, expected)
    np.testing.assert_array_equal(before.response, table["stay"].values[rows])
    assert not before.logistic


def test_logistic_formula(mixed: Callable[..., Table]) -> None:
    """The event given, or the last of two levels; both models are the same here."""
    original, protected = mixed(200, 1), mixed(200, 2)
    named = by_name(RegressionChange(formulas=("sex=m ~ age",))(original, protected))
    plain = by_name(RegressionChange(formulas=("sex ~ age",))(original, protected))
    assert named["shift"].value == plain["shift"].value > 0
    assert 0 < named["overlap"].value < 1


def test_regressions_say_how_many_records_they_use(numeric: Callable[..., Table]) -> None:
    """A column that is mostly empty is left out by name; of the others the complete records are counted."""
    generator = np.random.default_rng(6)
    cells: dict[str, list[float | None]] = {name: generator.normal(size=100).tolist() for name in "abc"}
    cells["rare"] = [*[None] * 60, *generator.normal(size=40).tolist()]
    cells["c"][:10] = [None] * 10
    table, plain = numeric(cells), {name: cells[name] for name in "abc"}
    for figure in RegressionChange()(table, table):
        assert "On the complete records: 90 of 100 original and 90 of 100 protected ones." in figure.note
        assert "fewer than half of the records were complete: rare." in figure.note
    noisy = {name: [None if v is None else v + 0.1 for v in column] for name, column in cells.items()}
    found, expected = (
        [
            f.value
            for f in RegressionChange()(
                numeric({n: cells[n] for n in names}), numeric({n: noisy[n] for n in names})
            )
        ]
        for names in (cells, plain)
    )
    assert found == expected


def test_columns_empty_by_turns_are_left_out_one_by_one() -> None:
    """Three columns that are each a third empty, elsewhere: without the last of them two thirds are complete."""
    missing = np.zeros((90, 4), dtype=np.bool_)
    for column in range(3):
        missing[30 * column : 30 * column + 30, column] = True
    table = Numbers.of(np.ones((90, 4)), missing)
    assert mostly_complete(table, ["a", "b", "c", "d"]) == ("a", "d")


def test_formulas_say_how_many_records_they_use(mixed: Callable[..., Table]) -> None:
    """The least of all models, in each table."""
    original, protected = mixed(40, 1, 0.2), mixed(50, 2)
    used = 40 - np.count_nonzero(original["age"].missing | original["cost"].missing)
    note = RegressionChange(formulas=("age ~ stay", "cost ~ age"))(original, protected)[0].note
    assert f"{used} of 40 original and 50 of 50 protected" in note


def test_formulas_name_what_is_wrong(mixed: Callable[..., Table]) -> None:
    """Unknown columns, too many categories for a logistic model, powers of categories."""
    table = mixed(20)
    for text, fault in (
        ("age ~ height", "does not have: height"),
        ("work ~ age", "has 3 categories"),
        ("age ~ sex^2", "not numeric"),
        ("age=3 ~ stay", "is numeric"),
        ("sex=x ~ stay", "no category of the name"),
    ):
        with pytest.raises(ParameterError, match=fault):
            RegressionChange(formulas=(text,))(table, table)


# -- cells and eigenvalues -------------------------------------------------------------------------------------


def test_cell_loss_by_hand(numeric: Callable[..., Table]) -> None:
    """0, 2, 4, 6 with everybody moved by one: sd^2 = 20/3, SSE/SST = 4/20."""
    figures = by_name(CellLoss()(numeric({"a": [0.0, 2, 4, 6]}), numeric({"a": [1.0, 1, 5, 5]})))
    assert figures["il1s"].value == pytest.approx(1 / (np.sqrt(2) * np.sqrt(20 / 3)))
    assert figures["il1s_sum"].value == pytest.approx(4 * figures["il1s"].value)
    assert figures["sse"].value == figures["sse_raw"].value == pytest.approx(20.0)


def test_emptied_cells_count_as_the_mean(numeric: Callable[..., Table]) -> None:
    """A column emptied whole has lost all its squares; a cell already empty loses nothing."""
    original = numeric({"a": [0.0, 2, 4, 6, None]})
    assert by_name(CellLoss()(original, numeric({"a": [None] * 5})))["sse"].value == pytest.approx(100.0)
    assert by_name(CellLoss()(original, numeric({"a": [0.0, 2, 4, 6, 99]})))["sse"].value == 0.0


def test_large_units_rule_raw_squares(numeric: Callable[..., Table]) -> None:
    """One column kept, one lost: half of the standardised squares, nearly all of the raw ones."""
    original = numeric({"a": [1.0, 2, 3], "b": [1000.0, 2000, 3000]})
    figures = by_name(CellLoss()(original, numeric({"a": [1.0, 2, 3], "b": [2000.0, 2000, 2000]})))
    assert figures["sse"].value == pytest.approx(50.0)
    assert figures["sse_raw"].value > 99.9


def test_eigenvalues_by_hand(numeric: Callable[..., Table]) -> None:
    """Two columns with r = 1/2 against r = 0: 1.5, 0.5 -> 1, 1, so 1/3 + 1."""
    assert eigenvalues(Numbers.of(np.array([[1.0, 1], [2, 2], [3, 3]]))) == pytest.approx([2.0, 0.0])
    original = numeric({"a": [0.0, 1, 0, 1, 0, 1, 0, 1], "b": [0.0, 1, 0, 1, 0, 1, 1, 0]})
    protected = numeric({"a": [0.0, 0, 1, 1, 0, 0, 1, 1], "b": [0.0, 1, 0, 1, 0, 1, 0, 1]})
    figures = by_name(EigenvalueLoss()(original, protected))
    assert figures["sum"].value == pytest.approx(1 / 3 + 1)
    assert figures["mean"].value == pytest.approx(2 / 3)


def test_zero_eigenvalues_are_left_out(numeric: Callable[..., Table]) -> None:
    """A column twice: one eigenvalue is zero, and its ratio would be noise."""
    original = numeric({"a": [1.0, 2, 4], "b": [1.0, 2, 4]})
    figures = by_name(EigenvalueLoss()(original, numeric({"a": [1.0, 2, 4], "b": [4.0, 2, 1]})))
    assert "1 of 2 are not defined" in figures["sum"].note


# -- learning --------------------------------------------------------------------------------------------------


def labelled(n_records: int, seed: int, known: bool) -> Table:
    """A class that follows a number, or (known=False) does not."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=n_records)
    shown = x if known else generator.normal(size=n_records)
    variables = {
        "x": Variable(name="x", kind="numeric"),
        "label": Variable(name="label", kind="nominal", role="confidential", levels=("n", "p")),
        "noise": Variable(name="noise", kind="numeric"),
    }
    cells = {
        "x": x.tolist(),
        "label": ["p" if v > 0 else "n" for v in shown],
        "noise": generator.normal(size=n_records).tolist(),
    }
    return Table.build(cells, variables)


@pytest.mark.parametrize("learner", ["tree", "boosted"])
def test_learning_from_a_table_without_the_relation(learner: Any) -> None:
    """The original teaches the class nearly perfectly, a table that broke the relation teaches nothing."""
    figures = by_name(LearningLoss(learner=learner)(labelled(300, 1, True), labelled(300, 2, False)))
    assert figures["original"].value > 0.95
    assert 0.3 < figures["protected"].value < 0.7
    low, high = figures["loss"].interval
    assert 0.2 < low < figures["loss"].value < high < 0.7
    assert "Predicted: label" in figures["loss"].note


def test_learning_from_a_good_table() -> None:
    """A fresh table with the same relation teaches as well: the interval holds zero."""
    figures = by_name(LearningLoss(learner="tree")(labelled(400, 1, True), labelled(500, 2, True)))
    low, high = figures["loss"].interval
    assert low <= 0.0 <= high or abs(figures["loss"].value) < 0.03


def test_matched_tables_keep_the_copies_out() -> None:
    """A masked file that carries each record's own random label: unmatched it seems to teach it."""
    generator = np.random.default_rng(4)
    keys = generator.permutation(400).astype(float)
    labels = generator.choice(["n", "p"], 400).tolist()
    variables = {
        "key": Variable(name="key", kind="numeric"),
        "label": Variable(name="label", kind="nominal", role="confidential", levels=("n", "p")),
    }
    original = Table.build({"key": keys.tolist(), "label": labels}, variables)
    protected = Table.build(
        {"key": (keys + 0.3 * generator.random(400)).tolist(), "label": labels}, variables
    )
    matched = by_name(LearningLoss(learner="tree", matched=True)(original, protected))
    assert 0.4 < matched["protected"].value < 0.6
    assert " matched with" in matched["loss"].note
    plain = by_name(LearningLoss(learner="tree")(original, protected))
    assert plain["protected"].value > matched["protected"].value + 0.05
    assert "not matched with" in plain["loss"].note


@pytest.mark.statistical
@pytest.mark.parametrize("learner", ["tree", "boosted"])
def test_nothing_is_learned_from_noise(learner: Any) -> None:
    """A coin beside a number, 1,000 records, 20 runs: both scores 1/2 and no loss, within four standard errors.

    The error of one score is sqrt(1/4 / 1000), so that of 20 runs is .0035. Folds that follow the target (every third
    record of a sorted table) would show .6; sorted tables that are cut alike .48 for the protected one.
    """
    generator = np.random.default_rng(18)
    runs = []
    for _ in range(20):
        pair = (labelled(1000, int(generator.integers(1 << 30)), False) for _ in range(2))
        runs.append([figure.value for figure in LearningLoss(learner=learner, columns=("x", "label"))(*pair)])
    original, protected, loss = np.mean(runs, axis=0)
    error = np.sqrt(0.25 / 1000 / 20)
    assert abs(original - 0.5) < 4 * error
    assert abs(protected - 0.5) < 4 * error
    assert abs(loss) < 4 * np.sqrt(2) * error


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["label", "noise"])
def test_intervals_of_learning_hold_the_truth(target: str) -> None:
    """A coin and a number that nothing predicts, a constant that is learned: 1/2 and R^2 0 in 40 of 50 intervals.

    No column is left to learn from, so the models are the majority class and the mean; binomial, level 1e-4.
    """
    truth, held = {"label": 0.5, "noise": 0.0}[target], [0, 0]
    for seed in range(50):
        pair = (labelled(600, 2 * seed + side, False) for side in (0, 1))
        tables = [table.with_columns(table["x"].with_values(np.zeros(600))) for table in pair]
        figures = LearningLoss(target=target, columns=("x", target))(*tables)
        for place, figure in enumerate(figures[:2]):
            assert figure.interval is not None
            held[place] += figure.interval[0] <= truth <= figure.interval[1]
    assert min(held) >= 40


def test_features_without_a_value_are_passed_over(numeric: Callable[..., Table]) -> None:
    """A column that is empty in one table or in both teaches nothing, and the other columns teach what they did."""
    generator = np.random.default_rng(7)
    cells: dict[str, list[float | None]] = {"x": generator.normal(size=90).tolist()}
    cells["y"] = [None if v is None else 2 * v for v in cells["x"]]
    gone: dict[str, list[float | None]] = {"gone": [None] * 90}
    there: dict[str, list[float | None]] = {"gone": generator.normal(size=90).tolist()}
    for learner in ("boosted", "tree"):
        measure = LearningLoss(target="y", learner=learner)  # type: ignore[arg-type]
        plain = [f.value for f in measure(numeric(cells), numeric(cells))]
        assert plain[0] > 0.7
        assert [f.value for f in measure(numeric(gone | cells), numeric(gone | cells))] == plain
        assert measure(numeric(there | cells), numeric(gone | cells))[1].value > 0.7
        nothing = numeric({"gone": [None] * 90, "y": cells["y"]})
        assert abs(measure(nothing, nothing)[0].value) < 0.1


@pytest.mark.parametrize("learner", ["boosted", "tree"])
def test_one_record_with_weight(mixed: Callable[..., Table], learner: Any) -> None:
    """All weights 0 but one, or but two: what one record teaches is a constant, and that is measured."""
    for heavy in (1, 2):
        weights = [1.0] * heavy + [0.0] * (40 - heavy)
        tables = mixed(40, 1, weights=weights), mixed(40, 2, weights=weights[::-1])
        for target in ("work", "age"):
            figures = LearningLoss(target=target, learner=learner)(*tables)
            assert np.isfinite(figures[0].value) or "does not vary" in figures[0].note


@pytest.mark.parametrize("scale", [1e-60, 1e60])
def test_units_of_the_target_do_not_matter(numeric: Callable[..., Table], scale: float) -> None:
    """R^2 of a number counted in other units is the same, however large or small they are."""
    generator = np.random.default_rng(8)
    x = generator.normal(size=(2, 90))
    y = x + 0.3 * generator.normal(size=(2, 90))
    sides = [{"x": x[i].tolist(), "y": y[i].tolist()} for i in (0, 1)]
    large = [{"x": side["x"], "y": [scale * v for v in side["y"]]} for side in sides]
    plain = [f.value for f in LearningLoss(target="y")(numeric(sides[0]), numeric(sides[1]))]
    assert plain[0] > 0.5
    found = [f.value for f in LearningLoss(target="y")(numeric(large[0]), numeric(large[1]))]
    assert found == pytest.approx(plain, rel=1e-6)


def test_target_that_does_not_vary(numeric: Callable[..., Table]) -> None:
    """R^2 of a constant is not defined, and that is said."""
    table = numeric({"a": [1.0, 2, 3, 4, 5, 6], "b": [2.0] * 6})
    figures = by_name(LearningLoss(target="b")(table, table))
    assert np.isnan(figures["loss"].value)
    assert "does not vary" in figures["loss"].note


# -- marginality -----------------------------------------------------------------------------------------------


def test_nominal_column_by_hand() -> None:
    """f f f m: m(f) = 2 (4 - 3) / 4, m(m) = 2 (4 - 1) / 4 per record, so 0.5 and Var_M = 0.75 = 2 (1 - sum p^2)."""
    variable = {"sex": Variable(name="sex", kind="nominal", levels=("f", "m"))}
    table = Table.build({"sex": list("fffm")}, variable)
    found = statistics(attributes_of(table, table, ["sex"])[0])
    assert found.means[0] == pytest.approx(0.5)
    assert found.variances[0] == pytest.approx(2 * (1 - (0.75**2 + 0.25**2)))


def test_original_gives_the_edge_weights(mixed: Callable[..., Table]) -> None:
    """A table that lost the deepest codes is measured with the original's weights: no halving of everything."""
    table = mixed(60, 1)
    tree = table["place"].tree
    assert tree is not None
    top = table["place"].with_values(
        np.where(
            tree.depth[table["place"].values] > 1, tree.parent[table["place"].values], table["place"].values
        )
    )
    rolled = table.with_columns(top)
    before, after = attributes_of(table, rolled, ["place"])
    assert after[0].tree is before[0].tree
    own = attributes_of(rolled, rolled, ["place"])[0]
    assert own[0].spread == pytest.approx(after[0].spread / 2)  # what its own weights would have said


def test_number_of_records_does_not_matter(mixed: Callable[..., Table]) -> None:
    """A table against itself twice over: every statistic is per record."""
    table = mixed(40, 1)
    twice = table.take(np.tile(np.arange(40), 2))
    for figure in Variation()(table, twice):
        assert figure.value == pytest.approx(0.0, abs=1e-9), figure.name


def test_subsamples_stand_beside_their_floor(mixed: Callable[..., Table]) -> None:
    """A table against itself has no variation in any subsample, and the floor of its sample size."""
    table = mixed(100, 1)
    figures = by_name(SubsampleVariation(samples=5, share=0.2)(table, table))
    assert figures["mean_subsamples"].value == 0.0
    assert figures["mean_floor"].value > 0.01
    assert "5 samples of 20 records" in figures["mean_floor"].note
