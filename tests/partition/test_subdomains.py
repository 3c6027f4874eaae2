"""Subdomains: cells, bins, merging, on tables where the right partition is known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from discreet.arrays import Floats
from discreet.base import Partition
from discreet.errors import UnsuitableError
from discreet.partition.subdomains import RIDGE, Cellwise, Subdomains, binned_cells, merge_cells
from discreet.stats.streams import Streams
from discreet.table.schema import Variable
from discreet.table.table import Table

VARIABLES = {
    "x": Variable(name="x", kind="numeric", role="quasi"),
    "y": Variable(name="y", kind="numeric", role="quasi"),
    "g": Variable(name="g", kind="nominal", role="other"),
    "w": Variable(name="w", kind="numeric", role="weight"),
}
STREAMS = Streams(1)


def table_of(group: list[str], centres: dict[str, float], seed: int = 1, **more: list[float | None]) -> Table:
    """Two columns about the centre of each group."""
    rng = np.random.default_rng(seed)
    at = np.array([centres[name] for name in group])
    cells = {
        "x": (at + rng.normal(size=len(at))).tolist(),
        "y": rng.normal(size=len(at)).tolist(),
        "g": group,
    }
    return Table.build(cells | more, VARIABLES)


def groups_of(table: Table, plan: Subdomains) -> dict[str, set[int]]:
    labels = plan.partition(table, STREAMS).labels
    names = np.array(table["g"].levels)[table["g"].codes]
    return {name: set(labels[names == name].tolist()) for name in np.unique(names)}


def test_large_cells_stay() -> None:
    """Nothing is merged where every cell is large enough; the partition says what it is made of."""
    table = table_of(["a"] * 120 + ["b"] * 130, {"a": 0, "b": 9})
    cells = Subdomains(["g"]).partition(table, STREAMS)
    assert sorted(cells.sizes.tolist()) == [120, 130]
    assert cells.by == ("g",)


def test_small_cells_are_refused_or_merged_with_the_most_alike() -> None:
    """A cell of 20 near to b joins b, not a, which is far off."""
    table = table_of(["a"] * 150 + ["b"] * 150 + ["c"] * 20, {"a": 0, "b": 9, "c": 9})
    with pytest.raises(UnsuitableError, match="1 of 3 subdomains by g have fewer than 100 records"):
        Subdomains(["g"]).partition(table, STREAMS)
    groups = groups_of(table, Subdomains(["g"], small="merge"))
    assert groups["c"] == groups["b"] != groups["a"]


def test_alike_cells_are_merged_while_it_pays() -> None:
    """Two cells of one distribution become one; a third, two deviations off, does not."""
    table = table_of(["a"] * 300 + ["b"] * 300 + ["c"] * 300, {"a": 0, "b": 0, "c": 2})
    groups = groups_of(table, Subdomains(["g"], alike=True))
    assert groups["a"] == groups["b"] != groups["c"]


def test_weightless_records_do_not_count() -> None:
    """150 records of which 90 weigh nothing are 60: too few."""
    weights: list[float | None] = [0.0] * 90 + [1.0] * 260
    table = table_of(["a"] * 150 + ["b"] * 200, {"a": 0, "b": 0}, w=weights)
    with pytest.raises(UnsuitableError, match="smallest: 60"):
        Subdomains(["g"]).partition(table, STREAMS)
    assert Subdomains(["g"], small="merge").partition(table, STREAMS).n_groups == 1


def test_a_cell_without_any_weight_is_merged() -> None:
    """No statistic is there to compare it by, and no warning: it joins one of the others."""
    table = table_of(["a"] * 30 + ["b"] * 200, {"a": 0, "b": 0}, w=[0.0] * 30 + [1.0] * 200)
    assert Subdomains(["g"], small="merge").partition(table, STREAMS).n_groups == 1


def test_numbers_are_cut_into_bins_of_equal_records() -> None:
    """Equal values stay together; missing is a part of its own."""
    cells: dict[str, list[float | None]] = {"x": [1, 1, 1, 2, 3, 4, 5, 6, None, None]}
    table = Table.build(cells, VARIABLES)
    labels = binned_cells(table, ("x",), 4).labels.tolist()
    assert labels[:3] == [labels[0]] * 3
    assert labels[8] == labels[9]
    assert len(set(labels)) == 5
    assert labels[8] not in labels[:8]


def test_columns_with_gaps_are_compared_by_complete_records() -> None:
    """A gap is no number: cells are alike or not by what is there."""
    table = table_of(["a"] * 150 + ["b"] * 150 + ["c"] * 20, {"a": 0, "b": 9, "c": 9})
    values: list[float | None] = table["x"].values.tolist()
    values[0] = values[200] = values[305] = None
    gaps = Table.build(
        {"x": values, "y": table["y"].values.tolist(), "g": ["a"] * 150 + ["b"] * 150 + ["c"] * 20}, VARIABLES
    )
    groups = groups_of(gaps, Subdomains(["g"], small="merge"))
    assert groups["c"] == groups["b"] != groups["a"]


def naive_merge(values: Floats, labels: np.ndarray, least: int, saving: float | None) -> list[int]:
    """The same by the book: records of merged cells are put together and measured anew."""
    z = (values - values.mean(axis=0)) / values.std(axis=0)
    groups = {cell: z[labels == cell] for cell in range(labels.max() + 1)}
    home = list(range(len(groups)))

    def spread(rows: Floats) -> float:
        covariance = np.cov(rows.T, bias=True) + RIDGE * np.eye(rows.shape[1])
        return len(rows) * float(np.linalg.slogdet(covariance)[1])

    def cost(pair: tuple[int, int]) -> float:
        a, b = (groups[cell] for cell in pair)
        return spread(np.vstack([a, b])) - spread(a) - spread(b)

    while len(groups) > 1:
        small = min(groups, key=lambda cell: (len(groups[cell]), cell))
        pairs = list(combinations(sorted(groups), 2))
        if len(groups[small]) < least:
            pairs = [pair for pair in pairs if small in pair]
        elif saving is None:
            break
        best = min(pairs, key=cost)
        if len(groups[small]) >= least and cost(best) >= (saving or 0.0):
            break
        groups[best[0]] = np.vstack([groups[best[0]], groups.pop(best[1])])
        home = [best[0] if h == best[1] else h for h in home]
    return home


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("bic", [False, True])
def test_merging_agrees_with_the_book(seed: int, bic: bool) -> None:
    """Sums of cells, merged without looking at records again, end in the same groups as records measured anew."""
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.integers(0, 12, 400))
    labels = np.unique(labels, return_inverse=True)[1]
    centres = rng.normal(size=(12, 3)) * rng.choice([0.1, 1.0])
    values = centres[labels] + rng.normal(size=(400, 3)) @ rng.normal(size=(3, 3))
    names = ("x", "y", "z")
    variables = {name: Variable(name=name, kind="numeric", role="quasi") for name in names}
    table = Table.build(dict(zip(names, values.T.tolist(), strict=True)), variables)
    cells = Partition(labels.astype(np.int64))
    found = merge_cells(Cellwise.of(table.columns, cells, None), 40, while_bic_gains=bic)
    saving = (3 + 6) * np.log(400) if bic else None
    assert found.tolist() == naive_merge(values, labels, 40, saving)
