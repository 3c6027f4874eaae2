"""Risk measures against reference numbers: the hybrid, taxonomic and CAMP-CREST pages, and other software.

The files stand beside the real tables; their README names versions and the places where a reference is odd. What
differs on purpose is tested as a difference, with its reason.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from discreet.risk.class_mix import mean_chi_square
from discreet.risk.household import household_risk
from discreet.risk.individual import individual_risk
from discreet.risk.interval_figure import mean_hits
from discreet.risk.interval_share import inside_interval
from discreet.risk.linkage import link_credit
from discreet.risk.rank_interval import WIDTHS, rank_interval_hits
from discreet.risk.sd_interval import sd_interval_hits
from discreet.risk.suda import disclosure_scores, special_uniques
from discreet.stats.diversity import distinct_diversity, entropy_diversity, recursive_diversity
from discreet.stats.keys import Groups, Key, count_frequencies, group_records
from discreet.stats.neighbours import NumericAxis, Space, TreeAxis, find_links
from discreet.table.taxonomy_read import read_taxonomy

pytestmark = pytest.mark.data

EIA = [
    "RESREVENUE",
    "RESSALES",
    "COMREVENUE",
    "COMSALES",
    "INDREVENUE",
    "INDSALES",
    "OTHREVENUE",
    "OTHRSALES",
]
EIA += ["TOTREVENUE", "TOTSALES"]


def numeric_links(original, released, seekers="original", scale="sd", reach=1):
    """Links of one numeric file to the other, over all columns."""
    shown = np.zeros(len(original), dtype=bool)
    space = Space(tuple(NumericAxis.fit(column, shown, scale=scale) for column in original.T))
    first, second = space.place(*([(column, shown) for column in table.T] for table in (original, released)))
    own = np.arange(len(original))
    pair = (first, second) if seekers == "original" else (second, first)
    return find_links(space, *pair, own, reach), own


@pytest.fixture(scope="module")
def eia250(real_table):
    """The first 250 records of EIA's ten numeric columns."""
    return real_table("eia.csv").select(EIA).head(250).to_numpy().astype(float)


@pytest.mark.parametrize("masker", ["mic", "sw", "rn"])
def test_dld_of_the_hybrid_page(golden, eia250, masker):
    """DLD-1 .. DLD-10 with shared and with lowest-row ties, per number of columns."""
    expected = golden("hybrid.json")["eia250"]["masked"][masker]
    released = np.array(expected["values"])
    shared, first = [], []
    for i in range(1, 11):
        links, own = numeric_links(eia250[:, :i], released[:, :i])
        shared.append(100 * link_credit(links, own).mean())
        first.append(100 * link_credit(links, own, ties="first").mean())
    assert shared == pytest.approx(expected["masked"]["DLD_i"], abs=1e-6)
    assert first == pytest.approx(expected["masked"]["DLD_i_first"], abs=1e-6)


@pytest.mark.parametrize("masker", ["mic", "sw", "rn"])
@pytest.mark.parametrize(("hits", "key"), [(rank_interval_hits, "RID"), (sd_interval_hits, "SDID")])
def test_interval_disclosure_of_the_hybrid_page(golden, eia250, masker, hits, key):
    """RID and SDID for each of ten widths and ten columns, and their mean."""
    expected = golden("hybrid.json")["eia250"]["masked"][masker]
    released = np.array(expected["values"])
    found = [[100 * hits(x, y, p).mean() for x, y in zip(eia250.T, released.T, strict=True)] for p in WIDTHS]
    assert np.array(found) == pytest.approx(
        np.array(expected["masked"][f"{key}_by_width_and_column"]), abs=1e-6
    )
    means = [mean_hits(hits, x, y, WIDTHS).mean() for x, y in zip(eia250.T, released.T, strict=True)]
    assert 100 * np.mean(means) == pytest.approx(expected["masked"][key], abs=1e-6)


def group_means(table, labels):
    """Each record replaced by the mean of its group."""
    labels = np.unique(labels, return_inverse=True)[1]
    sums = np.stack([np.bincount(labels, weights=column) for column in table.T], axis=1)
    return (sums / np.bincount(labels)[:, None])[labels]


@pytest.mark.parametrize("name", ["census", "tarragona"])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_linkage_and_interval_share_on_microaggregated_files(golden, real_table, name, k):
    """Linkage with shared ties and the interval share equal the reference on MDAV files.

    The reference's own `recordLinkage` in file order is two to three times as large: it takes the first of tied rows, and
    the first is too often the right one. With the masked rows permuted it agrees with shared ties.
    """
    original = real_table(f"{name}.csv").to_numpy().astype(float)
    released = group_means(original, golden("mdav_labels.json")["labels"][name][f"k{k}"])
    expected = golden("linkage.json")["results"][name][f"k{k}"]
    links, own = numeric_links(original, released, seekers="protected")
    linked = 100 * link_credit(links, own).mean()
    assert linked == pytest.approx(expected["nearest_neighbour_std_euclid_expected_percent"], abs=1e-9)
    unique = 100 * np.mean((links.closer == 0) & (links.tied == 1))
    assert unique == pytest.approx(expected["nearest_neighbour_std_euclid_unique_percent"], abs=1e-9)
    other = expected["recordLinkage_euclidean"]
    permuted = other["correct_percent_masked_rows_shuffled"]
    back, own = numeric_links(original, released)
    assert abs(100 * link_credit(back, own).mean() - permuted["mean"]) < 4 * permuted["sd"] * np.sqrt(
        1 + 1 / 5
    )
    assert other["correct_percent"] > 2 * permuted["mean"]
    for width in (0.01, 0.05, 0.1, 0.2):
        pairs = zip(original.T, released.T, strict=True)
        inside = np.all([inside_interval(x, y, width) for x, y in pairs], axis=0)
        assert inside.mean() == pytest.approx(expected[f"dRisk_k{width}"], abs=1e-12)


def keys_of(frame, names):
    """Key columns of a polars frame."""
    return [Key.of(frame[name].cast(pl.String).fill_null("").to_numpy().astype(str)) for name in names]


@pytest.fixture(scope="module")
def tables(real_table):
    """The files of the categorical reference by their first word."""
    return {
        "testdata": real_table("testdata.csv"),
        "free1": real_table("free1.csv"),
        "francdat": real_table("francdat.csv"),
    }


def quantiles(values):
    """Seven quantiles as the reference gives them (R's default)."""
    return np.quantile(values, [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])


@pytest.mark.parametrize("case", ["testdata7_w", "testdata5_w", "testdata7_now", "free1_w", "free1_now"])
def test_frequencies_and_individual_risk(golden, tables, case):
    """f_k, F_k and the individual risk (approximate formula) equal the reference on five cases."""
    expected = golden("categorical.json")[case]
    frame = tables[case.split("_")[0].rstrip("57")]
    weights = frame[expected["weight"]].cast(pl.Float64).to_numpy() if expected["weight"] else None
    counted = count_frequencies(keys_of(frame, expected["keys"]), len(frame), weights)
    for k, key in ((1, "n_fk_1"), (2, "n_fk_2")):
        assert np.sum(counted.sample == k) == expected[key]
    assert quantiles(counted.sample) == pytest.approx(expected["fk"]["quantiles_0_5_25_50_75_95_100"])
    assert quantiles(counted.population) == pytest.approx(expected["Fk"]["quantiles_0_5_25_50_75_95_100"])
    if weights is None:
        reference = expected["risk_1_over_fk"]
    else:
        reference = expected["indivRisk_approx"]
    risk = individual_risk(counted.sample, counted.population, "approximate")
    assert risk.sum() == pytest.approx(reference["sum"], rel=1e-9)
    assert quantiles(risk) == pytest.approx(reference["quantiles_0_5_25_50_75_95_100"], rel=1e-9)


def test_exact_individual_risk_where_the_reference_is_finite(golden, tables):
    """The exact formula agrees where the reference's is finite (free1) and is finite where that one is not."""
    case = golden("categorical.json")["free1_w"]
    counted = count_frequencies(
        keys_of(tables["free1"], case["keys"]), 4000, tables["free1"]["WEIGHT"].cast(pl.Float64).to_numpy()
    )
    risk = individual_risk(counted.sample, counted.population)
    assert risk.sum() == pytest.approx(case["indivRisk_exact"]["sum"], rel=1e-6)
    assert quantiles(risk) == pytest.approx(
        case["indivRisk_exact"]["quantiles_0_5_25_50_75_95_100"], rel=1e-6
    )
    large = individual_risk(np.array([449.0]), np.array([44900.0]))
    assert np.isfinite(large).all()
    assert large == pytest.approx(0.01 / (449 - 0.99), rel=1e-4)  # the formula for large f_k


@pytest.mark.parametrize("alpha", ["1", "0.5", "0.1", "0"])
def test_missing_keys_as_wildcards(golden, tables, alpha):
    """f_k and F_k with five empty cells as wildcards, for four alpha."""
    expected = golden("categorical.json")["francdat"]["with_missing"][f"alpha{alpha}"]
    frame = tables["francdat"]
    names = ["Key1", "Key2", "Key3", "Key4"]
    cells = frame.select(names).to_numpy()
    gaps = np.zeros(cells.shape, dtype=bool)
    for row, column in ((3, "Key3"), (4, "Key1"), (4, "Key2"), (5, "Key4"), (6, "Key1")):
        gaps[row - 1, names.index(column)] = True
    keys = [Key.of(cells[:, j], gaps[:, j]) for j in range(4)]
    weights = frame["w"].to_numpy().astype(float)
    counted = count_frequencies(keys, 8, weights, missing="wildcard", alpha=float(alpha))
    assert counted.sample == pytest.approx(expected["fk"])
    assert counted.population == pytest.approx(expected["Fk"])
    reference = np.array(expected["risk_approx"])
    risk = individual_risk(counted.sample, counted.population, "approximate")
    # The reference answers 0 for f_k between 1 and 2, which says "no risk" of the riskiest records; ours does not.
    odd = (counted.sample % 1 != 0) & (counted.sample < 2)
    assert (reference[odd] == 0).all()
    assert (risk[odd] > 0).all()
    # ... and between 2 and 3 it takes its formula for 3 and more.
    whole = counted.sample % 1 == 0
    assert risk[whole] == pytest.approx(reference[whole], rel=1e-9)


def test_household_risk(golden, tables):
    """Expected re-identifications through households on testdata."""
    expected = golden("categorical.json")
    frame = tables["testdata"]
    weights = frame["sampling_weight"].cast(pl.Float64).to_numpy()
    counted = count_frequencies(keys_of(frame, expected["testdata5_w"]["keys"]), len(frame), weights)
    risk = individual_risk(counted.sample, counted.population, "approximate")
    households = group_records(keys_of(frame, ["ori_hid"]), len(frame))
    reference = expected["testdata5_household"]
    assert risk.sum() == pytest.approx(reference["global_risk_ER"], rel=1e-9)
    assert household_risk(risk, households.labels).sum() == pytest.approx(reference["hier_risk_ER"], rel=1e-9)


@pytest.mark.parametrize("name", ["testdata5", "testdata7", "free1", "francdat"])
@pytest.mark.parametrize("scoring", ["original", "ihsn"])
@pytest.mark.parametrize("fraction", [0.01, 0.1])
def test_suda_scores(golden, tables, name, scoring, fraction):
    """SUDA scores, DIS scores and contributions of columns in four cases, both scorings, two fractions."""
    expected = golden("categorical.json")["suda2"][name][f"f{fraction}_{scoring}"]
    codes = [
        key.with_gaps
        for key in keys_of(tables[name.rstrip("57") if name != "free1" else name], expected["keys"])
    ]
    found = special_uniques(codes, len(codes), "elliot" if scoring == "original" else "ihsn")
    assert np.sum(found.scores > 0) == expected["n_score_gt_0"]
    assert found.scores.sum() == pytest.approx(expected["score"]["sum"], rel=1e-9)
    sizes = Groups(*_labels(codes)).record_sizes
    chance = disclosure_scores(found.scores, int(np.sum(sizes == 2)), len(codes), fraction)
    assert chance.sum() == pytest.approx(expected["disScore"]["sum"], rel=1e-6)
    assert quantiles(chance) == pytest.approx(expected["disScore"]["quantiles_0_5_25_50_75_95_100"], rel=1e-6)
    assert 100 * found.contributions == pytest.approx(
        list(expected["attribute_contributions"].values()), rel=1e-9
    )


def _labels(codes):
    table = np.stack(codes, axis=1)
    _, labels = np.unique(table, axis=0, return_inverse=True)
    return labels.reshape(-1), int(labels.max()) + 1


@pytest.mark.parametrize("case", ["testdata5_electcon", "testdata5_relat"])
def test_diversity_of_groups(golden, tables, case):
    """Distinct, entropy and recursive l per record."""
    expected = golden("categorical.json")["ldiversity"][case]
    frame = tables["testdata"]
    groups = group_records(keys_of(frame, expected["keys"]), len(frame))
    codes = keys_of(frame, [expected["sensitive"]])[0].codes
    found = {
        "Distinct_Ldiversity": distinct_diversity(groups, codes),
        "Entropy_Ldiversity": entropy_diversity(groups, codes),
        "Recursive_Ldiversity": recursive_diversity(groups, codes, 2.0),
    }
    for key, values in found.items():
        records = values[groups.labels]
        assert records.sum() == pytest.approx(expected[key]["sum"], rel=1e-9), key
        assert quantiles(records) == pytest.approx(expected[key]["quantiles_0_5_25_50_75_95_100"])


def test_linkage_of_the_taxonomic_page(golden, data_dir):
    """The S-distance over numbers, nominal and taxonomic columns links the records that the page says."""
    expected = golden("taxonomic.json")["measures"]
    frame = pl.read_csv(data_dir / "neoplasm_nhds.csv", schema_overrides={"diag_1": pl.String}).head(2000)
    tree = read_taxonomy(data_dir / "icd9.csv")
    source = {"AGE": "age", "SEX": "sex", "RACE": "race", "LOS": "care_days", "DIAG": "diag_1"}
    shown = np.zeros(2000, dtype=bool)
    axes, original, masked = [], [], []
    for name, column in source.items():
        values = frame[column]
        if name == "DIAG":
            codes, parent = tree.nodes_of(values.to_list()), tree.parent
        elif values.dtype == pl.String:
            codes = np.unique(values.to_numpy().astype(str), return_inverse=True)[1] + 1
            parent = np.where(np.arange(codes.max() + 1) == 0, -1, 0)
        else:
            codes, parent = values.to_numpy().astype(float), None
        fit = NumericAxis.fit(codes, shown) if parent is None else TreeAxis.fit(codes, shown, parent)
        axes.append(fit)
        original.append((codes, shown))
        masked.append((np.roll(codes, expected["shift_down_rows"][name]), shown))
    space = Space(tuple(axes))
    targets, seekers = space.place(original, masked)
    own = np.arange(2000)
    links = find_links(space, seekers, targets, own)
    reference = expected["linkage_balanced"]
    assert link_credit(links, own).sum() == pytest.approx(reference["expected"], abs=1e-9)
    assert np.sum(links.closer == 0) == reference["among"]
    assert np.sum((links.closer == 0) & (links.tied == 1)) == reference["unique"]


def test_linkage_and_class_mix_of_the_camp_crest_page(golden, real_table):
    """Closest and closest two under three scalings, and X^2, on Pima's groups replaced by their means."""
    frame = real_table("pima.csv")
    original = frame.drop("diabetes").to_numpy().astype(float)
    classes = np.unique(frame["diabetes"].to_numpy().astype(str), return_inverse=True)[1]
    for case in golden("camp_crest.json")["pima"]["benchmark"]:
        if "labels" not in case:
            continue
        released = group_means(original, case["labels"])
        assert mean_chi_square(np.array(case["labels"]), classes) == pytest.approx(case["x2"], rel=1e-9)
        for scale, name in (("range", "range"), ("sd", "sd"), ("none", "raw")):
            expected = case["linked_records"][name]
            links, own = numeric_links(original, released, "protected", scale, reach=2)
            assert np.sum(links.closer == 0) == expected["closest"]
            assert np.sum(links.closer < 2) == expected["closest_two"]
            shared = link_credit(links, own, reach=2).sum()
            assert shared == pytest.approx(expected["closest_two_expected"], abs=1e-6)
