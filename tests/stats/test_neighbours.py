"""Spaces: what a distance is made of, and links and nearest records in them."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.stats.neighbours import NumericAxis, Space, TreeAxis, find_links, find_nearest, find_tied

PARENT = np.array([-1, 0, 1, 1, 1, 0, 5, 5, 0, 8, 9, 9])


def shown(n):
    """Nothing missing."""
    return np.zeros(n, dtype=bool)


def distances(space, columns):
    """All squared distances between the records of one file, one query at a time."""
    (points,) = space.place(columns)
    n = len(points)
    out = np.zeros((n, n))
    for j in range(n):
        own = np.full(n, j)
        out[:, j] = find_links(space, points, points, own).distance ** 2
    return out


def test_each_column_adds_two_on_average():
    """On the scale of deviations numbers, categories and trees weigh alike: mean squared distance 2 (4 x 1/2)."""
    rng = np.random.default_rng(0)
    n = 60
    numbers, sexes, codes = rng.lognormal(size=n), rng.integers(1, 3, n), rng.integers(1, 12, n)
    flat = np.array([-1, 0, 0])
    cases = [
        (NumericAxis.fit(numbers, shown(n)), numbers),
        (TreeAxis.fit(sexes, shown(n), flat), sexes),
        (TreeAxis.fit(codes, shown(n), PARENT), codes),
    ]
    for axis, values in cases:
        assert distances(Space((axis,)), [(values, shown(n))]).mean() == pytest.approx(2.0)


def test_tree_distance_is_the_weighted_path():
    """Nodes 2 and 3 are siblings at depth 2, 10 stands at depth 3: w = 2^(3 - depth), over V_H."""
    nodes = np.array([2, 3, 10, 10])
    found = distances(Space((TreeAxis.fit(nodes, shown(4), PARENT),)), [(nodes, shown(4))])
    # sum of w p (1 - p): edges of 1 and 8 (w 4, p 1/2), of 9 (2, 1/2), of 10 (1, 1/2), of 2 and 3 (2, 1/4)
    v_h = (4 + 4 + 2 + 1) / 4 + 2 * 2 * 3 / 16
    assert found[0, 1] == pytest.approx((2 + 2) / v_h)
    assert found[0, 2] == pytest.approx((2 + 4 + 4 + 2 + 1) / v_h)
    assert found[2, 3] == 0


@pytest.mark.parametrize("scale", ["sd", "range", "none"])
def test_edges_as_coordinates_or_on_the_path_are_the_same_distance(scale, monkeypatch):
    """However many edges become coordinates, distances do not change."""
    rng = np.random.default_rng(2)
    nodes = rng.integers(0, 12, 40)
    found = []
    for n_edges in (0, 3, 99):
        monkeypatch.setattr("discreet.stats.neighbours._COORDINATE_EDGES", n_edges)
        axis = TreeAxis.fit(nodes, shown(40), PARENT, scale=scale)
        assert axis.rest.any() == (n_edges < 10)
        found.append(distances(Space((axis,)), [(nodes, shown(40))]))
    assert found[1] == pytest.approx(found[0], abs=1e-12)
    assert found[2] == pytest.approx(found[0], abs=1e-12)


def test_range_scale_is_at_most_one():
    """Two different levels differ by 1, the extremes of a number too."""
    flat = np.array([-1, 0, 0, 0])
    levels, numbers = np.array([1, 2, 3]), np.array([10.0, 15.0, 30.0])
    axes = (
        TreeAxis.fit(levels, shown(3), flat, scale="range"),
        NumericAxis.fit(numbers, shown(3), scale="range"),
    )
    assert distances(Space(axes[:1]), [(levels, shown(3))]).max() == pytest.approx(1.0)
    assert distances(Space(axes[1:]), [(numbers, shown(3))])[0, 2] == pytest.approx(1.0)


def test_missing_numbers_stand_at_the_mean_and_apart():
    """Just one missing adds 1 (a quarter of it in delta^2); both missing adds nothing."""
    values, gap = np.array([-1.0, 1.0, 99.0, -99.0]), np.array([False, False, True, True])
    axis = NumericAxis.fit(values, gap)
    found = distances(Space((axis,)), [(values, gap)])
    assert found[2, 3] == 0
    assert found[0, 2] == pytest.approx(1.0 + 1.0)


def test_constant_and_all_missing_columns_tell_nobody_apart():
    """They add nothing to any distance, even where the other file varies."""
    five, gone = np.full(3, 5.0), np.ones(3, dtype=bool)
    space = Space((NumericAxis.fit(five, shown(3)), NumericAxis.fit(five, gone)))
    first, second = space.place(
        [(five, shown(3)), (five, gone)], [(five * [1, 2, 3], shown(3)), (five, gone)]
    )
    assert find_links(space, first, second, np.arange(3)).tied.tolist() == [3, 3, 3]


def test_units_and_shifts_change_no_link():
    """Another unit and origin of a number leaves counts and distances."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 80))
    links = []
    for scale, shift in ((1.0, 0.0), (1e6, -3e7)):
        space = Space((NumericAxis.fit(x * scale + shift, shown(80)),))
        places = space.place([(x * scale + shift, shown(80))], [(y * scale + shift, shown(80))])
        links.append(find_links(space, *places, np.arange(80), 5))
    assert (links[0].closer == links[1].closer).all()
    assert links[0].distance == pytest.approx(links[1].distance, abs=1e-7)


def test_tied_rows_are_listed():
    """Each query with all its nearest targets, by row."""
    space = Space((NumericAxis(0.0, 1.0, 1.0),))
    queries, targets = space.place(
        [(np.array([0.0, 9.0]), shown(2))], [(np.array([1.0, 5.0, -1.0]), shown(3))]
    )
    nearest = find_nearest(space, queries, targets)
    query, row = find_tied(space, queries, targets, nearest)
    assert list(zip(query.tolist(), row.tolist(), strict=True)) == [(0, 0), (0, 2), (1, 1)]
    assert nearest.tied.tolist() == [2, 1]
    assert nearest.row.tolist() == [0, 1]


def test_unknown_scale_is_refused():
    """The message lists what there is."""
    with pytest.raises(ParameterError, match="sd, range, none"):
        NumericAxis.fit(np.zeros(2), shown(2), scale="gower")


@pytest.mark.parametrize("seed", range(6))
def test_nearest_other_record_equals_all_pairs(seed):
    """Distance, number of ties and lowest row of the nearest other record, on a grid full of ties and duplicates."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3 + seed, (2, 90)).astype(float)
    space = Space((NumericAxis(0.0, 1.0, 1.0), NumericAxis(0.0, 1.0, 1.0)))
    (points,) = space.place([(column, shown(90)) for column in values])
    found = find_nearest(space, points, points, np.arange(90))
    squared = ((values.T[:, None] - values.T[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squared, np.inf)
    least = squared.min(axis=1, keepdims=True)
    assert found.distance == pytest.approx(np.sqrt(least[:, 0]))
    assert found.tied.tolist() == (squared == least).sum(axis=1).tolist()
    assert found.row.tolist() == (squared == least).argmax(axis=1).tolist()
