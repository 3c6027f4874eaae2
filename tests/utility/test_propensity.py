"""The propensity score: what it answers where the answer is known, and its null distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.table.column import Column
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.utility.propensity import Propensity, logistic_null, weighted_null
from discreet.utility.propensity_terms import numeric_terms
from discreet.utility.propensity_trees import TreePropensity

YES_NO = Variable(name="smokes", kind="nominal", levels=("no", "yes"))


def smokers(n_yes: int, n_no: int) -> Table:
    return Table.build({"smokes": ["yes"] * n_yes + ["no"] * n_no}, {"smokes": YES_NO})


def by_name(figures: Any) -> dict[str, float]:
    return {figure.name.split(".")[1]: figure.value for figure in figures}


def arrays_table(**columns: np.ndarray) -> Table:
    present = np.zeros(len(next(iter(columns.values()))), dtype=np.uint8)
    return Table(
        tuple(
            Column(Variable(name=name, kind="numeric"), values.astype(np.float64), present.copy())
            for name, values in columns.items()
        ),
        len(present),
    )


def test_one_binary_column_by_hand() -> None:
    """6 of 10 against 2 of 10 smokers: p is 1/4 for smokers (8 of them) and 2/3 for the others (12)."""
    found = by_name(Propensity(order=1)(smokers(6, 4), smokers(2, 8)))
    expected = (8 * (1 / 4) ** 2 + 12 * (1 / 6) ** 2) / 20
    assert found["pmse"] == pytest.approx(expected)
    assert found["scaled"] == pytest.approx(2 * 20 * expected)
    assert found["ratio"] == pytest.approx(expected / (1 / (8 * 20)))


def test_unequal_sizes_compare_with_their_share() -> None:
    """The same shares of smokers in tables of 10 and 30 records cannot be told apart: c is 3/4, not 1/2."""
    assert by_name(Propensity(order=1)(smokers(6, 4), smokers(18, 12)))["pmse"] == pytest.approx(
        0.0, abs=1e-15
    )


def test_null_of_the_logistic_model() -> None:
    """(k - 1) (1 - c)^2 c / N and its sd, for a third of protected records."""
    expected, sd = logistic_null(4, 1 / 3, 900)
    assert expected == pytest.approx(3 * (2 / 3) ** 2 / 3 / 900)
    assert sd == pytest.approx(np.sqrt(6) * (2 / 3) ** 2 / 3 / 900)


@pytest.mark.statistical
@pytest.mark.parametrize("n_protected", [400, 1200])
def test_right_synthesizer_has_ratio_one(n_protected: int) -> None:
    """Resampled records have mean S_pMSE 1 and sd sqrt(2 / 3); 100 runs, within four standard errors."""
    generator = np.random.default_rng(12)
    values = generator.normal(size=(400, 3))
    original = arrays_table(a=values[:, 0], b=values[:, 1], c=values[:, 2])
    ratios = []
    for _ in range(100):
        drawn = values[generator.integers(0, 400, n_protected)]
        protected = arrays_table(a=drawn[:, 0], b=drawn[:, 1], c=drawn[:, 2])
        ratios.append(by_name(Propensity(order=1)(original, protected))["ratio"])
    assert np.mean(ratios) == pytest.approx(1.0, abs=4 * np.sqrt(2 / 3) / 10)


def weighted_table(values: np.ndarray, weights: np.ndarray) -> Table:
    plain = arrays_table(a=values[:, 0], b=values[:, 1], c=values[:, 2])
    present = np.zeros(len(values), dtype=np.uint8)
    weight = Column(Variable(name="weight", kind="numeric", role="weight"), weights, present)
    return Table((*plain.columns, weight), len(values))


@pytest.mark.statistical
@pytest.mark.parametrize("follows", [0.0, 0.8])
def test_right_synthesizer_has_ratio_one_with_weights(follows: float) -> None:
    """Records resampled with their weights (design effect about 3.3): mean S_pMSE 1, 100 runs, four standard errors.

    Weights that have nothing to do with the columns (0) and that grow with one of them (0.8). With the null of equal
    weights the mean would be about the design effect.
    """
    generator = np.random.default_rng(15)
    ratios, standardised = [], []
    for _ in range(100):
        values = generator.normal(size=(1000, 3))
        weights = np.exp(follows * values[:, 0] + np.sqrt(1.2 - follows**2) * generator.normal(size=1000))
        rows = generator.integers(0, 1000, 1000)
        pair = weighted_table(values, weights), weighted_table(values[rows], weights[rows])
        found = by_name(Propensity(order=1)(*pair))
        ratios.append(found["ratio"])
        standardised.append(found["standardised"])
    error = np.std(ratios, ddof=1) / 10
    assert abs(np.mean(ratios) - 1.0) < 4 * error
    assert error < 0.15
    assert 0.7 < np.std(standardised) < 1.6


def test_null_with_weights_is_the_plain_one_for_equal_weights() -> None:
    """Weights of one: (k - 1) (1 - c)^2 c / N and its sd, also where the protected table is far from the original."""
    design = np.column_stack((np.ones(90), np.random.default_rng(2).normal(size=(90, 3))))
    design[60:, 1] = 5.0
    found = weighted_null(design, np.repeat([0.0, 1.0], (60, 30)), np.ones(90))
    assert found == pytest.approx(logistic_null(4, 1 / 3, 90))


@pytest.mark.statistical
def test_records_drawn_by_their_weights_are_a_right_synthesizer() -> None:
    """A table drawn in proportion to the weights, with weights of one: mean S_pMSE 1, 100 runs, four errors."""
    generator = np.random.default_rng(19)
    ratios = []
    for _ in range(100):
        values, weights = generator.normal(size=(1000, 3)), np.exp(1.1 * generator.normal(size=1000))
        rows = generator.choice(1000, 1000, p=weights / weights.sum())
        pair = weighted_table(values, weights), weighted_table(values[rows], np.ones(1000))
        ratios.append(by_name(Propensity(order=1)(*pair))["ratio"])
    assert abs(np.mean(ratios) - 1.0) < 4 * np.std(ratios, ddof=1) / 10


@pytest.mark.statistical
@pytest.mark.parametrize("shift", [0.0, 0.4])
@pytest.mark.parametrize("trees", [False, True])
def test_interval_of_a_sampled_score(shift: float, trees: bool) -> None:
    """Of 60 samples of 2,000 of 8,000 records, the intervals of at least 51 hold the mean over all (level 1e-4)."""
    generator = np.random.default_rng(16)
    values = generator.normal(size=(2, 4000, 2)) + np.array([[[0.0]], [[shift]]])
    original, protected = (arrays_table(a=side[:, 0], b=side[:, 1]) for side in values)
    figures = [
        (
            TreePropensity(max_records=2000, permutations=5, seed=seed)
            if trees
            else Propensity(order=1, max_cells=1, seed=seed)
        )(original, protected)[0]
        for seed in range(60)
    ]
    mean = np.mean([figure.value for figure in figures])
    held = [
        figure.interval is not None and figure.interval[0] <= mean <= figure.interval[1] for figure in figures
    ]
    assert sum(held) >= 51
    widths = [figure.interval[1] - figure.interval[0] for figure in figures if figure.interval]
    assert np.mean(widths) < 10 * np.std([figure.value for figure in figures])  # not by being wide


def test_whole_tables_have_no_interval(mixed: Callable[..., Table]) -> None:
    """A score that is taken on all records estimates nothing."""
    for measure in (Propensity(order=1), TreePropensity(permutations=2)):
        assert all(figure.interval is None for figure in measure(mixed(60, 1), mixed(60, 2)))


@pytest.mark.parametrize("learner", ["cart", "boosted"])
@pytest.mark.parametrize("offset", [2e7, 1e15, 1e60])
def test_trees_see_order_alone(learner: Any, offset: float) -> None:
    """Values that single precision cannot tell apart, or cannot hold, give the score of small ones."""
    generator = np.random.default_rng(17)
    before, after = generator.integers(0, 2, 200).astype(float), (generator.random(200) < 0.2).astype(float)
    step = max(1.0, np.spacing(offset))
    measure = TreePropensity(learner=learner, permutations=2)
    small = measure(arrays_table(a=before), arrays_table(a=after))
    large = measure(arrays_table(a=offset + step * before), arrays_table(a=offset + step * after))
    assert by_name(small)["pmse"] > 0.01
    assert by_name(small) == by_name(large)


@pytest.mark.statistical
@pytest.mark.parametrize("learner", ["cart", pytest.param("boosted", marks=pytest.mark.slow)])
def test_trees_have_ratio_near_one_under_the_null(learner: Any) -> None:
    """Resampled records against the permuted null scaled by 1 - c: the mean ratio of 8 runs is near 1.

    Unscaled it would be near 1/2; records that are copied make trees see more than chance, hence the wide band.
    """
    generator = np.random.default_rng(13)
    values = generator.normal(size=(600, 3))
    original = arrays_table(a=values[:, 0], b=values[:, 1], c=values[:, 2])
    ratios = []
    for seed in range(8):
        drawn = values[generator.integers(0, 600, 600)]
        protected = arrays_table(a=drawn[:, 0], b=drawn[:, 1], c=drawn[:, 2])
        measure = TreePropensity(learner=learner, permutations=6, seed=seed)
        ratios.append(by_name(measure(original, protected))["ratio"])
    assert 0.75 < np.mean(ratios) < 1.35


def test_interaction_needs_its_term() -> None:
    """Only the product of two columns differs: invisible to main effects, plain to order two and to trees."""
    generator = np.random.default_rng(14)
    x, y = generator.normal(size=(2, 2000))
    original = arrays_table(x=x, y=np.where(generator.random(2000) < 0.5, np.abs(y) * np.sign(x), y))
    protected = arrays_table(x=x, y=y)
    assert by_name(Propensity(order=1)(original, protected))["ratio"] < 5
    assert by_name(Propensity(order=2)(original, protected))["ratio"] > 20
    assert by_name(TreePropensity(permutations=5)(original, protected))["standardised"] > 5


def test_told_apart_for_certain() -> None:
    """Tables without a common value: U_p is 1/4, its most, and separation is said."""
    figures = Propensity(order=1)(arrays_table(a=np.arange(30.0)), arrays_table(a=np.arange(100.0, 130.0)))
    assert figures[0].value == pytest.approx(0.25, abs=1e-6)
    assert "60 records can be told for certain" in figures[0].note


def test_missing_tells_tables_apart(numeric: Callable[..., Table]) -> None:
    """Emptied numbers are a level of their own: half of them gone is seen though the rest is as it was."""
    values = np.arange(40.0).tolist()
    emptied = [None if row % 2 else value for row, value in enumerate(values)]
    found = by_name(Propensity(order=1)(numeric({"a": values}), numeric({"a": emptied})))
    assert found["pmse"] > 0.05


@pytest.mark.parametrize(
    ("reading", "counts"), [("cubic", (55, 20)), ("literal", (25, 15)), ("tensor", (105, 50))]
)
def test_numbers_of_terms(reading: Any, counts: tuple[int, int]) -> None:
    """Terms of five columns at order three and two, all different."""
    for order, count in zip((3, 2), counts, strict=True):
        terms = numeric_terms(5, reading, order)
        assert len(terms) == len(set(terms)) == count


def test_terms_of_the_third_order_enter(mixed: Callable[..., Table]) -> None:
    """Three categories, three numbers, and each mixture of them: all eight kinds of products of a small table.

    Numbers age, stay and cost (d = 3) and dummies m, mid, high and three places: main effects 3 + 6; second order
    6 + 18 + 11 pairs of dummies of different columns; third order 10 + 6 x 6 + 3 x 11 + 6 triples.
    """
    table = mixed(2000, 1)
    counts = {
        order: int(Propensity(order=order, least_joint=1)(table, mixed(2000, 2))[0].note.split()[0])
        for order in (1, 2, 3)
    }
    assert counts == {1: 9, 2: 9 + 6 + 18 + 11, 3: 9 + 35 + 10 + 36 + 33 + 6}


@pytest.mark.parametrize("reading", ["cubic", "literal", "tensor"])
def test_categories_alone_differ_in_three_at_once(reading: Any) -> None:
    """Parity of three coins differs and no pair does: plain to products of three, which `tensor` does not have."""
    generator = np.random.default_rng(3)
    coins = generator.integers(0, 2, (4000, 3))
    even = coins.copy()
    even[:, 2] = (coins[:, 0] + coins[:, 1]) % 2
    variables = {name: Variable(name=name, kind="nominal", levels=("0", "1")) for name in "abc"}
    original, protected = (
        Table.build({name: [str(v) for v in side[:, j]] for j, name in enumerate("abc")}, variables)
        for side in (coins, even)
    )
    ratios = {
        order: by_name(Propensity(reading=reading, order=order)(original, protected))["ratio"]
        for order in (2, 3)
    }
    assert ratios[2] < 10
    assert (ratios[3] > 100) == (reading != "tensor")


def test_too_many_terms_are_left_out_and_said(mixed: Callable[..., Table]) -> None:
    """Orders fill up kind by kind: what is too large is left out whole from its order on, and named."""
    tables = mixed(200, 1), mixed(200, 2)
    full, some, less, none = (
        Propensity(least_joint=5, max_terms=most)(*tables)[0].note for most in (600, 60, 30, 3)
    )
    assert "Left out" not in full
    assert "from order 2" not in some
    assert "numbers with categories from order 3" in some
    assert "products of numbers with categories from order 2" in less
    assert "products of numbers from order 2" not in less
    assert all(f"{kind} from order 2" in none for kind in ("of numbers", "with categories", "of categories"))


def test_variants_have_names_of_their_own(mixed: Callable[..., Table]) -> None:
    """All readings and learners can be asked for at once: no two figures share a name."""
    tables = mixed(60, 1), mixed(60, 2)
    measures = [Propensity(reading=reading, order=1) for reading in ("cubic", "literal", "tensor")]
    trees = [TreePropensity(learner=learner, permutations=2) for learner in ("cart", "boosted")]
    names = [figure.name for measure in (*measures, *trees) for figure in measure(*tables)]
    assert len(names) == len(set(names)) == 20
    assert names[0] == "propensity.pmse"
    assert names[12] == "propensity_trees.pmse"


def test_rare_levels_are_pooled() -> None:
    """Beyond max_levels the rarest levels share one dummy."""
    levels = tuple(f"v{j}" for j in range(30))
    variable = Variable(name="code", kind="nominal", levels=levels)
    cells = [level for place, level in enumerate(levels) for _ in range(place + 1)]
    table = Table.build({"code": cells}, {"code": variable})
    assert Propensity(order=1)(table, table)[0].note.startswith("29 terms")
    assert Propensity(order=1, max_levels=10)(table, table)[0].note.startswith("10 terms")


@pytest.mark.parametrize("bad", [{"order": 4}, {"reading": "quartic"}, {"max_levels": 1}])
def test_bad_parameters(bad: dict[str, Any]) -> None:
    """Parameters out of range are refused before any data."""
    with pytest.raises(ParameterError):
        Propensity(**bad)
    with pytest.raises(ParameterError):
        TreePropensity(learner="forest")  # type: ignore[arg-type]


@pytest.mark.data
def test_pairs_of_rare_conditions_in_thyroid(real_table: Any) -> None:
    """Section 7 of the paper: of 15 binary columns 6 pairs have at least 20 joint positives."""
    data = real_table("thyroid.csv").drop_nulls(["age", "sex", "TSH", "T3", "TT4", "T4U", "FTI"])
    names = data.columns[data.columns.index("sex") : data.columns.index("psych") + 1]
    variables = {name: Variable(name=name, kind="nominal") for name in names}
    table = Table.build({name: [str(v) for v in data[name]] for name in names}, variables)
    n_binary = sum(len(set(data[name])) == 2 for name in names)
    assert n_binary == 15
    note = Propensity(order=2)(table, table)[0].note
    assert note.startswith(f"{n_binary + 6} terms")
