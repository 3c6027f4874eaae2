"""Every utility measure against numbers made by other software, by the papers, or by exact enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from discreet.stats.logistic import fit_logistic
from discreet.table.column import Column
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.table.taxonomy_read import read_taxonomy
from discreet.utility.bias import AbsoluteBias, biases
from discreet.utility.cellwise import CellLoss
from discreet.utility.columns import Categories, Numbers
from discreet.utility.crosstables import TableDistance, conditional_differences, crossed
from discreet.utility.distributions import (
    MarginalDistance,
    kendall,
    mean_absolute_difference,
    mean_squared_difference,
    shares,
    spearman,
)
from discreet.utility.eigenvalues import EigenvalueLoss
from discreet.utility.marginality import Variation, attributes_of, statistics
from discreet.utility.moments import moment_changes, shifts
from discreet.utility.pil import loss, probabilistic_losses, subdomain_losses
from discreet.utility.propensity import Propensity
from discreet.utility.propensity_terms import numeric_terms
from discreet.utility.regression import RegressionChange

pytestmark = pytest.mark.data

Loader = Callable[[str], Any]
EIA = [
    *("RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE"),
    *("INDSALES", "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES"),
]


def numeric_table(matrix: Any, names: list[str] | None = None) -> Table:
    """A table of numeric columns."""
    matrix = np.asarray(matrix, dtype=np.float64)
    names = names or [f"c{j}" for j in range(matrix.shape[1])]
    present = np.zeros(len(matrix), dtype=np.uint8)
    return Table(
        tuple(
            Column(Variable(name=name, kind="numeric"), np.array(matrix[:, j]), present.copy())
            for j, name in enumerate(names)
        ),
        len(matrix),
    )


def group_means(matrix: np.ndarray, labels: Any) -> np.ndarray:
    """Each record replaced by the mean of its group."""
    numbers = np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)
    sums = np.zeros((numbers.max() + 1, matrix.shape[1]))
    np.add.at(sums, numbers, matrix)
    return (sums / np.bincount(numbers)[:, None])[numbers]


def mdav_labels(matrix: np.ndarray, k: int) -> np.ndarray:
    """Fixed-size MDAV on z-scores, ties to the lower row."""
    scores = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0, ddof=1)
    labels = np.full(len(scores), -1)

    def group(reference: int) -> None:
        left = np.flatnonzero(labels < 0)
        distances = ((scores[left] - scores[reference]) ** 2).sum(axis=1)
        distances[left == reference] = -1.0
        labels[left[np.argsort(distances, kind="stable")[:k]]] = labels.max() + 1

    def farthest(point: np.ndarray) -> int:
        left = np.flatnonzero(labels < 0)
        return int(left[np.argmax(((scores[left] - point) ** 2).sum(axis=1))])

    while (labels < 0).sum() >= 2 * k:
        two = (labels < 0).sum() >= 3 * k
        reference = farthest(scores[labels < 0].mean(axis=0))
        group(reference)
        if two:
            group(farthest(scores[reference]))
    labels[labels < 0] = labels.max() + 1
    return labels


def by_name(figures: Any) -> dict[str, Any]:
    return {figure.name: figure for figure in figures}


# -- probabilistic information loss ----------------------------------------------------------------------------


def test_pil_of_single_statistics(golden: Loader) -> None:
    """pil of an estimate, a parameter and a variance, with and without variance."""
    for case in golden("hybrid.json")["pil_values"]:
        found = loss(case["estimate"], case["parameter"], case["variance"])
        assert found == pytest.approx(case["pil"], abs=1e-10)


@pytest.mark.parametrize("treatment", ["mic", "sw", "rn"])
@pytest.mark.parametrize("density", ["range", "kde"])
def test_pil_of_every_statistic_of_250_records(
    golden: Loader, real_table: Loader, treatment: str, density: Any
) -> None:
    """Each mean, variance, covariance, correlation and quantile, in both readings of the density."""
    block = golden("hybrid.json")["eia250"]
    original = real_table("eia.csv").select(block["columns"]).to_numpy()[:250]
    case = block["masked"][treatment]
    found = probabilistic_losses(Numbers.of(original), Numbers.of(np.array(case["values"])), density)
    expected = case["masked"]
    for name, key in (("m1", "pil_m1"), ("m2", "pil_m2"), ("m11", "pil_m11"), ("r", "pil_r")):
        np.testing.assert_allclose(getattr(found, name), expected[key], atol=1e-7)
    np.testing.assert_allclose(found.quantiles, expected[f"pil_Q_{density}"], atol=1e-7)


@pytest.fixture(scope="session")
def eia_mic(golden: Loader, real_table: Loader) -> tuple[np.ndarray, np.ndarray]:
    """EIA and its microaggregation with k = 3."""
    original = real_table("eia.csv").select(EIA).to_numpy().astype(np.float64)
    return original, group_means(original, golden("mdav_labels.json")["labels"]["eia"]["k3"])


def test_pil_of_the_papers_microaggregated_file(golden: Loader, eia_mic: Any) -> None:
    """The row X'(mic) of Table 1.2, 4,092 records."""
    expected = golden("hybrid.json")["eia"]["mic"]["masked"]
    original, masked = (Numbers.of(side) for side in eia_mic)
    found = probabilistic_losses(original, masked).percentages()
    smooth = probabilistic_losses(original, masked, "kde").percentages()["quantiles"]
    assert smooth == pytest.approx(expected["Q_kde"]["mean"], abs=1e-3)
    for key, name in (("quantiles", "Q_range"), ("m1", "m1"), ("m2", "m2"), ("m11", "m11"), ("r", "r")):
        assert found[key] == pytest.approx(expected[name]["mean"], abs=1e-3)


def transported(original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """The masked file mapped to the original's means and covariances by the symmetric map."""

    def root(matrix: np.ndarray, power: float) -> np.ndarray:
        values, vectors = np.linalg.eigh(matrix)
        return (vectors * values**power) @ vectors.T

    sds = original.std(axis=0)
    scores, others = (original - original.mean(axis=0)) / sds, (masked - masked.mean(axis=0)) / sds
    before, after = scores.T @ scores / len(scores), others.T @ others / len(others)
    half, inverse = root(after, 0.5), root(after, -0.5)
    return others @ (inverse @ root(half @ before @ half, 0.5) @ inverse) * sds + original.mean(axis=0)


@pytest.mark.parametrize("n_parts", [2, 5])
def test_pil_averaged_over_subdomains(golden: Loader, eia_mic: Any, n_parts: int) -> None:
    """Table 1.3, mic, restored as a whole and measured inside parts of equal size by RESREVENUE."""
    original, masked = eia_mic
    expected = golden("hybrid.json")["eia_subdomains"]["top_down"]["transport"]["mic"][str(n_parts)]
    labels = np.empty(len(original), dtype=np.int64)
    for part, rows in enumerate(np.array_split(np.argsort(original[:, 0], kind="stable"), n_parts)):
        labels[rows] = part
    pair = Numbers.of(original), Numbers.of(transported(original, masked))
    parts = [losses.percentages() for _, _, losses in subdomain_losses(*pair, labels, labels)]
    for key, name in (("quantiles", "Q_range"), ("m1", "m1"), ("m2", "m2"), ("m11", "m11"), ("r", "r")):
        assert np.mean([part[key] for part in parts]) == pytest.approx(expected[name]["mean"], abs=0.05)


# -- local synthesis: propensity, regressions, moments ---------------------------------------------------------


@pytest.fixture(scope="session")
def thyroid(real_table: Loader) -> np.ndarray:
    table = real_table("thyroid.csv").drop_nulls(["age", "sex", "TSH", "T3", "TT4", "T4U", "FTI"])
    return table.select("age", "TSH", "T3", "T4U", "FTI").to_numpy().astype(np.float64)


@pytest.fixture(scope="session")
def micro(thyroid: np.ndarray) -> Callable[[int], np.ndarray]:
    return lambda k: group_means(thyroid, mdav_labels(thyroid, k))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_moments_and_regressions_of_microaggregated_thyroid(
    golden: Loader, thyroid: np.ndarray, micro: Any, place: int
) -> None:
    """Raw moments (the paper's 1.39 and 1.60 at k = 20), coefficients and standard errors, in percent."""
    expected = golden("local_synthesis.json")["measures"]["thyroid"][place]
    masked = micro(expected["k"])
    original, protected = Numbers.of(thyroid), Numbers.of(masked)
    for order, reading, key in (
        (3, "distinct_raw", "distinct_raw_moments_3_pct"),
        (4, "distinct_raw", "distinct_raw_moments_4_pct"),
        (3, "raw", "all_raw_moments_3_pct"),
        (4, "raw", "all_raw_moments_4_pct"),
    ):
        found = np.mean(moment_changes(original, protected, order, reading))
        assert found == pytest.approx(expected[key], rel=1e-6)
    figures = by_name(RegressionChange()(numeric_table(thyroid), numeric_table(masked)))
    assert figures["regression.coefficient"].value == pytest.approx(expected["coef_pct"], rel=1e-6)
    assert figures["regression.standard_error"].value == pytest.approx(expected["se_pct"], rel=1e-6)


@pytest.mark.parametrize(
    ("k", "reading"), [(20, "literal"), (20, "cubic"), (60, "literal"), (60, "cubic"), (324, "literal")]
)
def test_propensity_of_microaggregated_thyroid(
    golden: Loader, thyroid: np.ndarray, micro: Any, k: int, reading: Any
) -> None:
    """2 N U_p in the two readings whose likelihood has a maximum here."""
    cases = {case["k"]: case for case in golden("local_synthesis.json")["measures"]["thyroid"]}
    figures = by_name(Propensity(reading=reading)(numeric_table(thyroid), numeric_table(micro(k))))
    expected = cases[k][f"propensity_{reading}"]
    stem = "propensity" if reading == "cubic" else "propensity_literal"
    assert figures[f"{stem}.scaled"].value == pytest.approx(expected, rel=1e-3)


def tensor_design(original: np.ndarray, masked: np.ndarray) -> np.ndarray:
    """The 105 terms of the tensor reading on both tables, standardised, with an intercept."""
    stacked = (np.vstack((original, masked)) - original.mean(axis=0)) / original.std(axis=0)
    terms = [np.prod(stacked[:, list(term)], axis=1) for term in numeric_terms(5, "tensor")]
    design = np.column_stack([(term - term.mean()) / term.std() for term in terms])
    return np.column_stack((np.ones(len(design)), design))


@pytest.mark.slow
def test_tensor_reading_is_carried_to_its_maximum(golden: Loader, thyroid: np.ndarray, micro: Any) -> None:
    """The reference value of the tensor reading belongs to a fit that stopped early.

    129 records can be told for certain, and the likelihood still rises a long way after the iteration at which
    N U_p passes the reference; where it stops, the gradient is zero.
    """
    expected = golden("local_synthesis.json")["measures"]["thyroid"][0]["propensity_tensor"]
    design = tensor_design(thyroid, micro(20))
    target = np.repeat([0.0, 1.0], len(thyroid))
    early = fit_logistic(design, target, max_iterations=30)
    final = fit_logistic(design, target)
    assert float(((early.probabilities - 0.5) ** 2).sum()) == pytest.approx(expected, rel=0.02)
    assert early.deviance - final.deviance > 200
    assert final.converged
    assert np.abs(design.T @ (target - expit(design @ final.coefficients))).max() < 1e-6
    assert float(((final.probabilities - 0.5) ** 2).sum()) == pytest.approx(307.70, rel=1e-3)


# -- absolute biases (CAMP-CREST) ------------------------------------------------------------------------------


def test_biases_of_the_papers_benchmark(golden: Loader, real_table: Loader) -> None:
    """ABIM, ABISD, ABICO, ABICO over |r| >= .05 and mean |change of r| of five microaggregations of Pima."""
    original = real_table("pima.csv").drop("diabetes").to_numpy().astype(np.float64)
    for case in golden("camp_crest.json")["pima"]["benchmark"]:
        masked = numeric_table(group_means(original, case["labels"]))
        figures = by_name(AbsoluteBias()(numeric_table(original), masked))
        assert figures["bias.abim"].value == pytest.approx(0.0, abs=1e-9)
        assert figures["bias.abisd"].value == pytest.approx(100.0 * case["abisd"], rel=1e-9)
        assert figures["bias.abico"].value == pytest.approx(100.0 * case["abico"], rel=1e-9)
        assert figures["bias.abico_clear"].value == pytest.approx(100.0 * case["abico_r_above_005"], rel=1e-9)
        assert figures["bias.correlation"].value == pytest.approx(case["mean_abs_dr"], rel=1e-9)


def test_smallest_correlations_rule_abico(real_table: Loader) -> None:
    """Medicare has 32 of 210 pairs below .01, the smallest .00011."""
    table = real_table("medicare_01.csv").drop("numchron").to_numpy().astype(np.float64)
    found = biases(Numbers.of(table), Numbers.of(table))
    assert len(found.before) == 210
    assert np.count_nonzero(np.abs(found.before) < 0.01) == 32
    assert np.abs(found.before).min() == pytest.approx(0.00011, abs=5e-6)
    assert np.nanmax(found.correlations) == 0.0


# -- sdcMicro's measures ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["census", "tarragona", "eia", "eia11"])
@pytest.mark.parametrize("k", ["k3", "k5", "k10"])
def test_cell_and_eigenvalue_loss_of_microaggregation(
    golden: Loader, real_table: Loader, name: str, k: str
) -> None:
    """IL1s as sdcMicro's unnormalised sum, SSE / SST in both scalings, and its eigenvalue loss."""
    data = real_table("eia.csv" if name == "eia11" else f"{name}.csv")
    if name.startswith("eia"):
        data = data.select([*(["UTILITYID"] if name == "eia11" else []), *EIA])
    original = data.to_numpy().astype(np.float64)
    masked = group_means(original, golden("mdav_labels.json")["labels"][name][k])
    expected = golden("mdav.json")["results"][name][k]["mdav"]
    pair = numeric_table(original), numeric_table(masked)
    figures = by_name(CellLoss()(*pair))
    assert figures["cellwise.sse"].value == pytest.approx(expected["IL_percent"], rel=1e-9)
    assert figures["cellwise.sse_raw"].value == pytest.approx(expected["IL_percent_raw_units"], rel=1e-9)
    assert figures["cellwise.il1s_sum"].value == pytest.approx(expected["IL1s"], rel=1e-9)
    assert figures["cellwise.il1s"].value == pytest.approx(expected["IL1s"] / original.size, rel=1e-9)
    if expected["eigen"] is not None:
        assert by_name(EigenvalueLoss()(*pair))["eigenvalues.sum"].value == pytest.approx(
            expected["eigen"], rel=1e-6
        )


@pytest.mark.statistical
def test_cell_and_correlation_loss_under_additive_noise(golden: Loader, real_table: Loader) -> None:
    """Twenty noisy files of ours against twenty of sdcMicro, means within four standard errors."""
    reference = golden("noise.json")["results"]["tarragona"]["additive_10"]
    original = real_table("tarragona.csv").to_numpy().astype(np.float64)
    generator = np.random.default_rng(20240229)
    found: dict[str, list[float]] = {"IL1s": [], "eigen": [], "IL_percent": [], "pearson_dev_mean": []}
    for _ in range(20):
        noise = generator.normal(size=original.shape) * original.std(axis=0, ddof=1) * 0.1
        pair = numeric_table(original), numeric_table(original + noise)
        cells = by_name(CellLoss()(*pair))
        found["IL1s"].append(cells["cellwise.il1s_sum"].value)
        found["IL_percent"].append(cells["cellwise.sse"].value)
        found["eigen"].append(by_name(EigenvalueLoss()(*pair))["eigenvalues.sum"].value)
        moved = shifts(Numbers.of(original), Numbers.of(original + noise))
        found["pearson_dev_mean"].append(float(moved.correlations.mean()))
    for key, values in found.items():
        expected = reference[key]
        assert abs(np.mean(values) - expected["mean"]) < 4.0 * expected["sd"] * np.sqrt(2 / 20), key


# -- categories ------------------------------------------------------------------------------------------------


def test_marginal_conditional_and_rank_measures(golden: Loader) -> None:
    """The hand-made pair of tables of the perturbed Gibbs samplers' page."""
    case = golden("pegs_exact.json")["measures"]
    sizes = tuple(case["domain"])
    original = Categories(np.array(case["original"], dtype=np.int32), sizes)
    synthetic = Categories(np.array(case["synthetic"], dtype=np.int32), sizes)
    pairs = [(shares(original, j), shares(synthetic, j)) for j in (0, 1)]
    assert [mean_absolute_difference(*pair) for pair in pairs] == pytest.approx(
        case["marginal_mae"], abs=1e-15
    )
    assert [mean_squared_difference(*pair) for pair in pairs] == pytest.approx(
        case["marginal_mse"], abs=1e-15
    )
    given, column = case["conditional_on"], case["conditional_column"]
    found = conditional_differences(crossed(original, synthetic, (given, column)), sizes[column])
    assert found == pytest.approx((case["conditional_mae"], case["conditional_mse"]), abs=1e-15)
    ranked = pairs[case["column_for_ranks"]]
    assert kendall(*ranked) == pytest.approx((case["kendall_tau_b"], case["kendall_tau_a"]), abs=1e-15)
    assert spearman(*ranked) == pytest.approx(case["spearman_average_ranks"], abs=1e-12)


# -- taxonomic columns -----------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def neoplasm(data_dir: Path) -> tuple[Table, Table]:
    """The first 2,000 records of neoplasm_nhds, and the same with each column moved down some rows."""
    names = {"age": "AGE", "sex": "SEX", "race": "RACE", "care_days": "LOS", "diag_1": "DIAG"}
    data = pl.read_csv(data_dir / "neoplasm_nhds.csv", schema_overrides={"diag_1": pl.String})
    data = data.rename(names).select(list(names.values())).head(2000)
    tree = read_taxonomy(data_dir / "icd9.csv")
    kinds: dict[str, Any] = {"AGE": "numeric", "LOS": "numeric", "SEX": "nominal", "RACE": "nominal"}
    variables = {name: Variable(name=name, kind=kind) for name, kind in kinds.items()}
    variables["DIAG"] = Variable(name="DIAG", kind="taxonomic", taxonomy="icd9")
    original = Table.build(
        {name: data[name].to_list() for name in data.columns}, variables, trees={"DIAG": tree}
    )
    down = {"AGE": 1, "SEX": 0, "RACE": 2, "LOS": 3, "DIAG": 5}
    moved = [column.with_values(np.roll(column.values, down[column.name])) for column in original.columns]
    return original, original.with_columns(*moved)


def test_variation_of_taxonomic_statistics(golden: Loader, neoplasm: Any) -> None:
    """Statistics of the original per record, their Delta on all rows, and hcov with hcorr on both files."""
    reference = golden("taxonomic.json")["measures"]
    original, protected = neoplasm
    assert reference["shift_down_rows"] == {"AGE": 1, "SEX": 0, "RACE": 2, "LOS": 3, "DIAG": 5}
    before, after = (statistics(side) for side in attributes_of(original, protected, original.names))
    expected = reference["statistics_original"]
    for place, name in enumerate(original.names):
        size = 1 if original[name].is_numeric else 2000  # marginalities are taken per record
        assert before.means[place] * size == pytest.approx(expected[f"mean/{name}"], rel=1e-9)
        assert before.variances[place] * size == pytest.approx(expected[f"variance/{name}"], rel=1e-9)
    for place, pair in enumerate(combinations(original.names, 2)):
        key = " ".join(pair) if " ".join(pair) in reference["hcov_original"] else " ".join(reversed(pair))
        for side, found in (("hcov_original", before), ("hcov_masked", after)):
            assert (found.hcovs[place], found.hcorrs[place]) == pytest.approx(reference[side][key], rel=1e-9)


@pytest.mark.parametrize(("rows", "block"), [(2000, "variation_all_rows"), (200, "variation_first_200_rows")])
def test_delta_of_means_variances_covariances(golden: Loader, neoplasm: Any, rows: int, block: str) -> None:
    """Delta of the paper's table, on the whole file and on a part of it."""
    expected = golden("taxonomic.json")["measures"][block]
    pair = tuple(table.take(np.arange(rows)) for table in neoplasm)
    figures = by_name(Variation()(*pair))
    found = {
        f"{key}/{'/'.join(part.of)}": part.value
        for key in ("mean", "variance", "covariance")
        for part in figures[f"marginality.{key}"].parts
    }
    for key, value in expected.items():
        if key not in found:
            kind, one, other = key.split("/")
            key = f"{kind}/{other}/{one}"
        assert found[key] == pytest.approx(value, rel=1e-7, abs=1e-12), key


# -- synthpop --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def social(real_table: Loader) -> pl.DataFrame:
    """The complete cases synthpop was run on."""
    names = ["sex", "age", "edu", "marital", "ls", "smoke", "income"]
    data = real_table("sd2011.csv").select(names)
    return data.filter(pl.col("income").is_null() | (pl.col("income") >= 0)).drop_nulls()


# in the order of the R file, so that the regression's dummies stand against the same category
LEVELS: dict[str, tuple[str, ...]] = {
    "sex": ("MALE", "FEMALE"),
    "edu": ("PRIMARY/NO EDUCATION", "VOCATIONAL/GRAMMAR", "SECONDARY", "POST-SECONDARY OR HIGHER"),
    "marital": ("SINGLE", "MARRIED", "WIDOWED", "DIVORCED", "LEGALLY SEPARATED", "DE FACTO SEPARATED"),
    "ls": (
        *("DELIGHTED", "PLEASED", "MOSTLY SATISFIED", "MIXED"),
        *("MOSTLY DISSATISFIED", "UNHAPPY", "TERRIBLE"),
    ),
    "smoke": ("YES", "NO"),
}


def social_table(data: pl.DataFrame) -> Table:
    """The survey as a table."""
    columns = []
    for name in data.columns:
        present = np.zeros(len(data), dtype=np.uint8)
        if name in LEVELS:
            place = {level: number for number, level in enumerate(LEVELS[name])}
            codes = np.array([place[level] for level in data[name]], dtype=np.int32)
            columns.append(Column(Variable(name=name, kind="nominal"), codes, present, LEVELS[name]))
        else:
            values = data[name].to_numpy().astype(np.float64)
            columns.append(Column(Variable(name=name, kind="numeric"), values, present))
    return Table(tuple(columns), len(data))


def synthpop_figures(original: Table, synthetic: Table) -> dict[str, float]:
    """Our figures under synthpop.json's names."""
    factors = ("edu", "marital", "ls", "smoke")
    tables = by_name(TableDistance(ways=2, columns=factors)(original, synthetic))
    marginal = by_name(MarginalDistance(columns=("age", "income"))(original, synthetic))
    distances = {part.of[0]: part.value for part in marginal["distributions.kolmogorov"].parts}
    numbers = [
        Numbers.of(np.column_stack([t["age"].values, t["income"].values])) for t in (original, synthetic)
    ]
    model = by_name(
        RegressionChange(formulas=("log(income) ~ sex + age + edu + marital",))(original, synthetic)
    )
    propensity = by_name(Propensity(order=1)(original, synthetic))
    return {
        "tv_1way_mean": tables["crosstables.tvd1"].value,
        "tv_2way_mean": tables["crosstables.tvd2"].value,
        "ks_age": distances["age"],
        "ks_income": distances["income"],
        "spearman_age_income_dev": float(shifts(*numbers).rank_correlations[0]),
        "lm_coef_mean_abs_std_diff": model["regression.shift"].value,
        "pMSE_main_effects": propensity["propensity.pmse"].value,
        "pMSE_ratio_main_effects": propensity["propensity.ratio"].value,
    }


@pytest.mark.statistical
def test_measures_of_independently_resampled_columns(golden: Loader, social: pl.DataFrame) -> None:
    """Twenty tables of our own made as `syn(method = "sample")` makes them, within four standard errors of its."""
    reference = golden("synthpop.json")["results"]["sample"]
    assert len(social) == golden("synthpop.json")["n"]
    original = social_table(social)
    generator = np.random.default_rng(7)
    runs = []
    for _ in range(20):
        drawn = {
            name: social[name].gather(generator.integers(0, len(social), len(social)))
            for name in social.columns
        }
        runs.append(synthpop_figures(original, social_table(pl.DataFrame(drawn))))
    for key in runs[0]:
        expected = reference[key]
        found = float(np.mean([run[key] for run in runs]))
        assert abs(found - expected["mean"]) < 4.0 * expected["sd"] * np.sqrt(2 / 20), (key, found)
