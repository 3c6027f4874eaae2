"""Taxonomies and statistics on trees against the reference numbers of taxonomic.json.

Integers must be equal; other numbers agree to the relative tolerance the file states.
"""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from discreet.arrays import Floats
from discreet.errors import TaxonomyError
from discreet.stats.tree import (
    distances,
    edge_weights,
    greatest_depth,
    marginality,
    marginality_under,
    mean_m,
    node_counts,
    roll_up,
    subtree_counts,
    var_m,
    variance_h,
)
from discreet.stats.tree_covariance import OnTree, covar_m, hcorr, hcov
from discreet.stats.tree_order import adaptive_blocks, category_order, collisions, nearest_category
from discreet.stats.tree_semantic import semantic_distances
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_levels, from_ranges
from discreet.table.taxonomy_read import read_taxonomy

pytestmark = pytest.mark.data

TOLERANCE = 1e-9
HOSPITAL = "hospital.csv.gz, diag_1 padded to three digits, empty removed"
DIABETES = "hospital.csv.gz, diag_1 starting with 250 (values on internal nodes)"


@pytest.fixture(scope="session")
def reference(golden: Callable[[str], Any]) -> Any:
    return golden("taxonomic.json")


@pytest.fixture(scope="session")
def icd9(data_dir: Path) -> Taxonomy:
    return read_taxonomy(data_dir / "icd9.csv")


@pytest.fixture(scope="session")
def diagnoses(data_dir: Path) -> Callable[[str], Counter[str]]:
    """diagnoses(file) -> records per code of its column diag_1, as text."""

    def count(name: str) -> Counter[str]:
        path = data_dir / name
        opener = gzip.open if name.endswith(".gz") else open
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            return Counter(row["diag_1"] for row in csv.DictReader(file))

    return count


def counts_on(tree: Taxonomy, codes: Counter[str], repair: str | None = None) -> Floats:
    """Records on each node of the tree."""
    held = np.array(list(codes.values()))
    nodes = tree.resolve(list(codes), held, "diag_1", repair)
    return node_counts(nodes, len(tree), held.astype(np.float64))


def codes_of(tree: Taxonomy, nodes: Any) -> list[str]:
    return [tree.codes[node] for node in nodes]


def close(value: Any) -> Any:
    return pytest.approx(value, rel=TOLERANCE)


# ---------------------------------------------------------------------- the small tree


@pytest.fixture(scope="session")
def small(reference: Any) -> Any:
    return reference["small_tree"]


@pytest.fixture(scope="session")
def small_tree(small: Any) -> Taxonomy:
    return Taxonomy.from_edges(small["edges_child_parent"], "small")


@pytest.fixture(scope="session")
def small_counts(small: Any, small_tree: Taxonomy) -> Floats:
    return node_counts(small_tree.nodes_of(small["values"]), len(small_tree))


def test_small_tree_marginality(small: Any, small_tree: Taxonomy, small_counts: Floats) -> None:
    """Preorder, L, edge weights and the marginality of every node are those of the worked example."""
    weight = edge_weights(small_tree.parent, small_tree.depth, small_counts)
    m = marginality(small_tree.parent, small_tree.depth, small_counts)
    assert list(small_tree.codes) == small["preorder"]
    assert greatest_depth(small_tree.depth, small_counts) == small["pruned_depth_L"]
    for code, expected in small["edge_weight_above"].items():
        assert weight[small_tree.position[code]] == expected
    for code, expected in small["marginality_of_every_node"].items():
        assert m[small_tree.position[code]] == expected


def test_small_tree_statistics(small: Any, small_tree: Taxonomy, small_counts: Floats) -> None:
    """Variance, mean, tree median, orders and collisions are those of the worked example."""
    parent = small_tree.parent
    weight = edge_weights(parent, small_tree.depth, small_counts)
    m = marginality_under(parent, weight, small_counts)
    mean = mean_m(m, small_counts)
    assert var_m(m, small_counts) == close(small["Var_M"])
    assert variance_h(parent, weight, small_counts) == close(small["V_H"])
    assert codes_of(small_tree, mean.nodes) == small["mean_tied"]
    assert mean.value == small["Num_mean_M"]
    assert small_tree.codes[mean_m(m, small_counts, over="tree").nodes[0]] == small["tree_median_any_node"]
    by_m = category_order(parent, m, small_counts)
    assert codes_of(small_tree, by_m) == small["category_order_marginality_then_preorder"]
    by_family = category_order(parent, m, small_counts, by="sibling")
    assert codes_of(small_tree, by_family) == small["category_order_sibling"]
    found = collisions(parent, m, small_counts)
    assert asdict(found) | {"one_to_one": found.one_to_one} == small["collisions"]


def test_small_tree_distances(small: Any, small_tree: Taxonomy, small_counts: Floats) -> None:
    """Path weights between the listed pairs."""
    weight = edge_weights(small_tree.parent, small_tree.depth, small_counts)
    for pair, expected in small["distances"].items():
        x, y = small_tree.nodes_of(pair.split())
        assert distances(small_tree.parent, weight, x, y) == expected


def small_columns(small: Any, small_tree: Taxonomy, small_counts: Floats) -> dict[str, Any]:
    """X on the tree, G flat, A numeric."""
    flat = Taxonomy.flat(sorted(set(small["G"])))
    groups = flat.nodes_of(small["G"])
    group_weight = edge_weights(flat.parent, flat.depth, node_counts(groups, len(flat)))
    weight = edge_weights(small_tree.parent, small_tree.depth, small_counts)
    return {
        "X": OnTree(small_tree.parent, weight, small_tree.nodes_of(small["values"])),
        "G": OnTree(flat.parent, group_weight, groups),
        "A": np.array(small["A"], dtype=np.float64),
    }


def m_of_records(column: OnTree) -> Floats:
    counts = node_counts(column.nodes, len(column.parent))
    return marginality_under(column.parent, column.weight, counts)[column.nodes]


def test_small_tree_covariances(small: Any, small_tree: Taxonomy, small_counts: Floats) -> None:
    """Covar_M, centred and not, and hcov with hcorr for tree, flat and numeric columns."""
    columns = small_columns(small, small_tree, small_counts)
    m_x, m_g = m_of_records(columns["X"]), m_of_records(columns["G"])
    expected = [small["G_marginality"][group] for group in small["G"]]
    np.testing.assert_array_equal(m_g, expected)
    assert covar_m(m_x, m_g) == close(small["Covar_M_X_G"])
    assert covar_m(m_x, m_g, centred=True) == close(small["Covar_M_centred_X_G"])
    assert covar_m(m_x, m_x) == close(small["Covar_M_X_X_equals_Var_M"])
    for pair, (covariance, correlation) in small["hcov"].items():
        x, y = (columns[name] for name in pair.split())
        assert hcov(x, y) == close(covariance)
        assert hcorr(x, y) == close(correlation)


def test_small_tree_s_distance(small: Any, small_tree: Taxonomy, small_counts: Floats) -> None:
    """Scaled path weights and squared differences add up to the listed balanced S-distances."""
    columns = small_columns(small, small_tree, small_counts)
    x, g, a = columns["X"], columns["G"], columns["A"]
    scales = [
        1.0 / (4.0 * a.var()),
        *(1.0 / (4.0 * variance_h(c.parent, c.weight, node_counts(c.nodes, len(c.parent)))) for c in (g, x)),
    ]
    assert scales == close(small["scales_balanced_A_G_X"])
    for pair, expected in small["s_distance_balanced"].items():
        i, j = map(int, pair.split())
        squared = scales[0] * (a[i] - a[j]) ** 2 + sum(
            scale * distances(c.parent, c.weight, c.nodes[i], c.nodes[j])
            for scale, c in zip(scales[1:], (g, x), strict=True)
        )
        assert np.sqrt(squared) == close(expected)


def test_level_table_gives_the_same_marginality(small: Any) -> None:
    """The same values in a level table have the same marginality as in the edge list."""
    tree = from_levels(small["arx_rows"])
    m = marginality(tree.parent, tree.depth, node_counts(tree.nodes_of(small["values"]), len(tree)))
    for code, expected in small["arx_same_marginality"].items():
        assert m[tree.position[code]] == expected


# ---------------------------------------------------------------------- ICD-9 and real diagnoses


@pytest.mark.parametrize(
    "entry",
    [
        "neoplasm.csv",
        "circulatory.csv",
        "neoplasm_nhds.csv",
        "circulatory_nhds.csv",
        HOSPITAL,
        DIABETES,
    ],
)
def test_icd9_statistics(
    reference: Any, icd9: Taxonomy, diagnoses: Callable[[str], Counter[str]], entry: str
) -> None:
    """Every statistic of diagnoses of real files, with and without levelled leaves."""
    expected = reference["icd9"][entry]
    codes = diagnoses(entry.split(",")[0])
    codes.pop("", None)
    if entry == DIABETES:
        codes = Counter({code: n for code, n in codes.items() if code.startswith("250")})
    counts = counts_on(icd9, codes, repair="pad3")
    parent, depth = icd9.parent, icd9.depth
    weight = edge_weights(parent, depth, counts)
    m = marginality(parent, depth, counts)
    mean = mean_m(m, counts)
    order = category_order(parent, m, counts)
    assert counts.sum() == expected["n"]
    assert greatest_depth(depth, counts) == expected["L"]
    assert np.count_nonzero(subtree_counts(parent, counts)) == expected["nodes_pruned"]
    assert var_m(m, counts) == close(expected["Var_M"])
    assert variance_h(parent, weight, counts) == close(expected["V_H"])
    assert (icd9.codes[mean.nodes[0]], mean.value) == (expected["Mean_M"], expected["Num_mean_M"])
    assert icd9.codes[mean_m(m, counts, over="tree").nodes[0]] == expected["tree_median_any_node"]
    for code, listed in expected["marginality"].items():
        node = icd9.position[code]
        assert (counts[node], m[node]) == (listed["records"], listed["m"])
    found = collisions(parent, m, counts)
    assert asdict(found) | {"one_to_one": found.one_to_one} == expected["collisions"]
    assert codes_of(icd9, order[:5]) == expected["order_first_5"]
    assert codes_of(icd9, order[-5:]) == expected["order_last_5"]
    levelled = edge_weights(parent, depth, counts, level_leaves=True)
    central = mean_m(marginality_under(parent, levelled, counts), counts)
    assert variance_h(parent, levelled, counts) == close(expected["level_leaves"]["V_H"])
    assert icd9.codes[central.nodes[0]] == expected["level_leaves"]["Mean_M"]
    assert central.value == expected["level_leaves"]["Num_mean_M"]


def test_range_builder_gives_back_icd9(reference: Any, icd9: Taxonomy) -> None:
    """From its codes alone the whole tree comes back, no parent different, whatever their order."""
    expected = reference["range_builder"]
    built = from_ranges(icd9.codes[1:], root="ICD9CM")
    assert len(built) == expected["nodes"]
    assert built == icd9
    shuffled = np.random.default_rng(4).permutation(icd9.codes[1:]).tolist()
    theirs = {code: parent for code, parent, _ in icd9.to_edge_list()}
    different = [c for c, p, _ in from_ranges(shuffled, root="ICD9CM").to_edge_list() if theirs[c] != p]
    assert len(different) == expected["parents_that_differ_from_file"]


def test_unknown_codes(reference: Any, icd9: Taxonomy, diagnoses: Callable[[str], Counter[str]]) -> None:
    """Codes that lost their zeros are counted in the message, listed on the exception, repaired when asked."""
    expected = reference["unknown_codes"]
    codes = diagnoses(expected["file"])
    assert codes.pop("") == expected["empty"]
    held = np.array(list(codes.values()))
    with pytest.raises(TaxonomyError) as caught:
        icd9.resolve(list(codes), held, expected["column"])
    assert str(caught.value).startswith(
        "column diag_1: 2646 of 101745 records hold 37 codes the taxonomy lacks; "
        "37 exist with leading zeros (read as numbers?)"
    )
    assert sum(caught.value.unknown.values()) == expected["unknown_records"]
    assert len(caught.value.unknown) == expected["unknown_codes"]
    assert dict(Counter(caught.value.unknown).most_common(5)) == expected["five_most_frequent"]
    assert len(icd9.resolve(list(codes), held, repair="pad3")) == len(codes)


def test_roll_up(reference: Any, icd9: Taxonomy, diagnoses: Callable[[str], Counter[str]]) -> None:
    """Rare diagnoses move to their parents until none is rare."""
    expected = reference["roll_up"]
    counts = counts_on(icd9, diagnoses(expected["file"]))
    target = roll_up(icd9.parent, counts, expected["min_count"])
    after = node_counts(target, len(icd9), counts)
    moved = target != np.arange(len(icd9))
    weight = edge_weights(icd9.parent, icd9.depth, counts)
    used = np.flatnonzero(after)
    smallest = used[np.argsort(after[used], kind="stable")[:3]]
    assert np.count_nonzero(counts) == expected["categories_before"]
    assert len(used) == expected["categories_after"]
    assert counts[moved].sum() == expected["records_changed"]
    assert after[used].min() == expected["smallest_count_after"]
    assert after[~icd9.is_leaf].sum() == expected["on_internal_nodes_after"]
    assert greatest_depth(icd9.depth, after) == expected["L_after"]
    assert variance_h(icd9.parent, weight, counts) == close(expected["V_H_before"])
    assert variance_h(icd9.parent, weight, after) == close(expected["V_H_after_same_L"])
    assert [[icd9.codes[v], after[v]] for v in smallest] == expected["three_smallest_nodes_after"]


@pytest.mark.parametrize(
    "kind", ["path", "wu_palmer", "leacock_chodorow", "sanchez", "lin", "jiang_conrath", "S_tree"]
)
def test_semantic_distances(
    reference: Any, icd9: Taxonomy, diagnoses: Callable[[str], Counter[str]], kind: Any
) -> None:
    """Six pairs of diagnoses under each semantic distance; S_tree is the path weight of Algorithm 1."""
    counts = counts_on(icd9, diagnoses(reference["semantic"]["file"]))
    for pair, expected in reference["semantic"][kind].items():
        nodes = icd9.nodes_of(pair.split())
        if kind == "S_tree":
            found = distances(icd9.parent, edge_weights(icd9.parent, icd9.depth, counts), nodes[0], nodes[1])
        else:
            found = semantic_distances(kind, icd9.parent, icd9.depth, nodes, counts)[0, 1]
        assert found == close(expected)


def test_reverse_marginality(
    reference: Any, icd9: Taxonomy, diagnoses: Callable[[str], Counter[str]]
) -> None:
    """A perturbed marginality goes back to the nearest category, anywhere and inside the adaptive block."""
    expected = reference["reverse_marginality"]
    counts = counts_on(icd9, diagnoses(expected["file"]))
    parent = icd9.parent
    weight = edge_weights(parent, icd9.depth, counts)
    m = marginality_under(parent, weight, counts)
    sampled = np.flatnonzero(counts)
    block = adaptive_blocks(parent, counts, expected["least_categories_per_block"])
    assert len(np.unique(block[sampled])) == expected["n_blocks"]
    for case in expected["cases"]:
        node = icd9.position[case["category"]]
        inside = sampled[block[sampled] == block[node]]
        assert icd9.codes[block[node]] == case["block"]
        anywhere = nearest_category(parent, weight, m, sampled, node, case["perturbed"])
        within = nearest_category(parent, weight, m, inside, node, case["perturbed"])
        assert codes_of(icd9, [anywhere, within]) == [case["nearest_anywhere"], case["nearest_in_block"]]
        assert distances(parent, weight, np.array(node), np.array(anywhere)) == case["tree_distance_anywhere"]
        assert distances(parent, weight, np.array(node), np.array(within)) == case["tree_distance_in_block"]


# ---------------------------------------------------------------------- statistics of a table


@pytest.fixture(scope="session")
def neoplasm(data_dir: Path, icd9: Taxonomy) -> dict[str, Any]:
    """The first 2000 records: numbers, and values on trees weighted by these records."""
    table = pl.read_csv(data_dir / "neoplasm_nhds.csv", infer_schema=False).head(2000)
    columns: dict[str, Any] = {
        "AGE": table["age"].cast(pl.Float64).to_numpy(),
        "LOS": table["care_days"].cast(pl.Float64).to_numpy(),
    }
    trees = {
        "SEX": Taxonomy.flat(table["sex"].unique().sort().to_list()),
        "RACE": Taxonomy.flat(table["race"].unique().sort().to_list()),
        "DIAG": icd9,
    }
    for name, tree in trees.items():
        nodes = tree.nodes_of(table["diag_1" if name == "DIAG" else name.lower()])
        weight = edge_weights(tree.parent, tree.depth, node_counts(nodes, len(tree)))
        columns[name] = OnTree(tree.parent, weight, nodes)
    return columns


def statistic(name: str, columns: dict[str, Any]) -> float:
    """mean/X, variance/X or covariance/X/Y of the paper: of marginality unless the column is numeric."""
    what, *of = name.split("/")
    if isinstance(columns[of[0]], OnTree):
        m = [m_of_records(columns[column]) for column in of]
        return {"mean": m[0].min(), "variance": m[0].mean(), "covariance": covar_m(m[0], m[-1])}[what]
    x, y = columns[of[0]], columns[of[-1]]
    return {"mean": x.mean(), "variance": x.var(), "covariance": np.mean(x * y) - x.mean() * y.mean()}[what]


def test_statistics_of_a_table(reference: Any, neoplasm: dict[str, Any]) -> None:
    """Means, variances and covariances of the paper on 2000 real records."""
    for name, expected in reference["measures"]["statistics_original"].items():
        assert statistic(name, neoplasm) == close(expected)


@pytest.mark.parametrize(("entry", "shifted"), [("hcov_original", False), ("hcov_masked", True)])
def test_hcov_of_a_table(reference: Any, neoplasm: dict[str, Any], entry: str, shifted: bool) -> None:
    """hcov and hcorr of every pair of columns, before and after each column is shifted down by some rows."""
    columns = dict(neoplasm)
    for name, rows in (reference["measures"]["shift_down_rows"] if shifted else {}).items():
        column = columns[name]
        columns[name] = (
            OnTree(column.parent, column.weight, np.roll(column.nodes, rows))
            if isinstance(column, OnTree)
            else np.roll(column, rows)
        )
    for pair, (covariance, correlation) in reference["measures"][entry].items():
        x, y = (columns[name] for name in pair.split())
        assert hcov(x, y) == close(covariance)
        assert hcorr(x, y) == close(correlation)
