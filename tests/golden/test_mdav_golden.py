"""MDAV against the reference program's groups and losses, and against the oracle of the S-distance."""

from __future__ import annotations

import hashlib
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from discreet.kernels.mdav import mdav, mdav_mixed, mdav_packed, mdav_tree

pytestmark = pytest.mark.data
naive = SimpleNamespace(**runpy.run_path(str(Path(__file__).resolve().parents[1] / "reference_mdav.py")))

FILES = {"census": "census.csv", "tarragona": "tarragona.csv", "eia": "eia.csv", "eia11": "eia.csv"}
CASES = [(name, k) for name in FILES for k in (3, 5, 10)]


@pytest.fixture(scope="module")
def z_scores(golden, real_table):
    """z_scores(name) -> the columns that the reference program was given, standardised."""
    columns = golden("mdav.json")["data"]

    def load(name):
        points = real_table(FILES[name]).select(columns[name]["columns"]).to_numpy().astype(float)
        return (points - points.mean(axis=0)) / points.std(axis=0, ddof=1)

    return load


def masked(points, labels):
    """Each record replaced by the mean of its group."""
    _, labels = np.unique(labels, return_inverse=True)
    sizes = np.bincount(labels)
    return np.column_stack([(np.bincount(labels, column) / sizes)[labels] for column in points.T])


def sorted_rows(points):
    """The rows of a table in a fixed order, to compare tables as multisets."""
    return points[np.lexsort(points.round(9).T)]


@pytest.mark.parametrize(("name", "k"), CASES)
@pytest.mark.parametrize("algorithm", [mdav, mdav_packed, mdav_tree])
def test_information_loss(name, k, algorithm, golden, z_scores):
    """The loss of the reference program to 1e-6, by each algorithm."""
    points = z_scores(name)
    loss = ((points - masked(points, algorithm(points, k))) ** 2).sum()
    expected = golden("mdav.json")["results"][name][f"k{k}"]["mdav"]["IL_percent"]
    assert 100 * loss / (points.shape[1] * (len(points) - 1)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("name", "k"), CASES)
def test_masked_file(name, k, golden, z_scores):
    """The masked files agree row for row; only which of several identical rows stands where may differ."""
    points = z_scores(name)
    theirs = masked(points, np.array(golden("mdav_labels.json")["labels"][name][f"k{k}"]))
    ours = masked(points, mdav(points, k))
    np.testing.assert_allclose(sorted_rows(ours), sorted_rows(theirs), atol=1e-9)
    differ = np.flatnonzero((np.abs(ours - theirs) > 1e-9).any(axis=1))
    _, number, copies = np.unique(points, axis=0, return_inverse=True, return_counts=True)
    assert (copies[number.ravel()[differ]] > 1).all()


@pytest.mark.parametrize(
    ("name", "k"),
    [pytest.param(*case, marks=pytest.mark.slow if case[0].startswith("eia") else []) for case in CASES],
)
def test_groups_follow_the_textbook(name, k, z_scores):
    """Where labels differ from the reference program's, recomputing every step from the definition gives ours."""
    points = z_scores(name)
    expected = naive.textbook_mdav(len(points), k, naive.numeric_distances(points))
    np.testing.assert_array_equal(mdav(points, k), expected)


def preorder(edges):
    """Nodes of an edge list (code, parent) in depth-first preorder: codes, parent positions, depths."""
    children = {}
    for code, parent in edges:
        children.setdefault(parent or "", []).append(code)
    codes, parents, depths = [], [], []
    pending = [(root, -1, 0) for root in reversed(children[""])]
    while pending:
        code, parent, depth = pending.pop()
        position = len(codes)
        codes.append(code)
        parents.append(parent)
        depths.append(depth)
        pending += [(child, position, depth + 1) for child in reversed(children.get(code, []))]
    return codes, np.array(parents, dtype=np.int32), np.array(depths)


def flat_column(values):
    """A nominal column as nodes of a tree of depth one."""
    levels, position = np.unique(values, return_inverse=True)
    parents = np.array([-1] + [0] * len(levels), dtype=np.int32)
    return position.astype(np.int32) + 1, parents, np.ones(len(levels) + 1)


def hierarchical_variance(nodes, parents, weights):
    """V_H = sum over edges of w_e p_e (1 - p_e), p_e the share of records below e."""
    below = np.bincount(nodes, minlength=len(parents)).astype(float)
    for v in range(len(parents) - 1, 0, -1):
        below[parents[v]] += below[v]
    share = below[1:] / len(nodes)
    return float((weights[1:] * share * (1 - share)).sum())


@pytest.fixture(scope="module")
def neoplasm(real_table, data_dir):
    """AGE, LOS and the trees of SEX, RACE, DIAG of the first 2000 records, with scales 1 / (4 V)."""
    table = pl.read_csv(data_dir / "neoplasm_nhds.csv", infer_schema_length=0).head(2000)
    taxonomy = pl.read_csv(data_dir / "icd9.csv", infer_schema_length=0)
    codes, parents, depths = preorder(taxonomy.select("code", "parent").rows())
    position = {code: v for v, code in enumerate(codes)}
    diagnosis = np.array([position[code] for code in table["diag_1"]], dtype=np.int32)
    weights = 2.0 ** (depths[diagnosis].max() - depths)
    trees = [flat_column(table["sex"]), flat_column(table["race"]), (diagnosis, parents, weights)]
    numeric = np.column_stack([table["age"].cast(float), table["care_days"].cast(float)])
    variances = [*numeric.var(axis=0), *(hierarchical_variance(*tree) for tree in trees)]
    return numeric, trees, 1 / (4 * np.array(variances))


@pytest.mark.parametrize("k", [5, 10])
def test_s_distance(k, golden, neoplasm):
    """MDAV under the S-distance gives the oracle's group of every record (hash of the labels)."""
    numeric, trees, scales = neoplasm
    nodes, parents, weights = zip(*trees, strict=True)
    labels = mdav_mixed(numeric, np.column_stack(nodes), parents, weights, scales, k)
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    appearance = np.argsort(np.argsort(first))[number]
    expected = golden("taxonomic.json")["mdav"][f"k{k}"]
    assert appearance[:40].tolist() == expected["labels_first_40"]
    text = ",".join(map(str, appearance.tolist()))
    assert hashlib.sha256(text.encode()).hexdigest() == expected["labels_first_appearance_sha256"]
