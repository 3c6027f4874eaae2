"""Builders: rows of levels, prefixes, ranges, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError, TaxonomyError, UnsuitableError
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_intervals, from_levels, from_prefixes, from_ranges


def parents(tree: Taxonomy) -> dict[str, str]:
    """Code -> code of the parent."""
    return {code: parent for code, parent, _ in tree.to_edge_list()}


# ---------------------------------------------------------------------- levels


def test_repeated_labels_are_one_node() -> None:
    """A value on an inner node repeats its text, and short branches have fewer nodes."""
    tree = from_levels(
        [("n1", "north", "*"), ("north", "north", "*"), ("south", "south", "*"), ("*", "*", "*")]
    )
    assert parents(tree) == {"*": "", "north": "*", "n1": "north", "south": "*"}


def test_trailing_blanks_are_ignored() -> None:
    """Rows of one table may have different numbers of levels."""
    tree = from_levels([("a", "g", "*", ""), ("b", "*", "", ""), ("c", "h", "i", "*")])
    assert parents(tree) == {"*": "", "g": "*", "a": "g", "b": "*", "i": "*", "h": "i", "c": "h"}


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([("a", "g", "*"), ("a", "h", "*")], r"two parents: 1 \(a\)"),
        ([("a", "g", "*"), ("b", "g", "h", "*")], r"two parents: 1 \(g\)"),
        ([("a", "b", "a", "*")], r"two parents: 1 \(a\)"),
        ([("a", "*"), ("*", "a")], "two parents"),
        ([("a", "", "*")], "row 1 has an empty cell"),
        ([], "no codes"),
    ],
)
def test_rows_that_make_no_tree_are_refused(rows: list[tuple[str, ...]], fault: str) -> None:
    """The same label under two parents, a gap in a row, no rows."""
    with pytest.raises(TaxonomyError, match=fault):
        from_levels(rows)


@st.composite
def trees(draw: st.DrawFn) -> Taxonomy:
    """Random trees in preorder, drawn as depths."""
    depths = [0]
    for _ in range(draw(st.integers(0, 20))):
        depths.append(draw(st.integers(1, depths[-1] + 1)))
    path: list[int] = []
    edges = []
    for node, depth in enumerate(depths):
        path[depth:] = [node]
        edges.append((f"c{node}", f"c{path[depth - 1]}" if depth else ""))
    return Taxonomy.from_edges(edges)


@given(trees())
def test_both_formats_give_equal_taxonomies(tree: Taxonomy) -> None:
    """A row of ancestors per node, filled up by repetition, is the same tree as the edge list."""
    rows = []
    for node in range(len(tree)):
        path = [node, *tree.ancestors(node)]
        rows.append([tree.codes[node]] * (tree.height + 1 - len(path)) + [tree.codes[v] for v in path])
    assert from_levels(rows) == tree


@given(trees())
def test_level_i_of_a_table_is_a_depth_of_the_tree(tree: Taxonomy) -> None:
    """Where short rows repeat the value, column i is the ancestor at depth height - i."""
    for level in range(tree.height + 1):
        mapped = tree.at_level(tree.height - level)
        for node in range(len(tree)):
            path = [node] * (tree.height - tree.depth[node]) + [node, *tree.ancestors(node)]
            assert mapped[node] == path[level]


# ---------------------------------------------------------------------- prefixes


def test_prefixes() -> None:
    """Levels a code needs are made, levels that are listed are not made twice."""
    tree = from_prefixes(["21", "211", "2111", "31"], (1, 2, 3, 4), name="isco")
    assert parents(tree) == {"*": "", "2": "*", "21": "2", "211": "21", "2111": "211", "3": "*", "31": "3"}
    assert tree.name == "isco"


def test_prefixes_below_sections() -> None:
    """NACE: letters for ranges of divisions stand above the first two digits."""
    tree = from_prefixes(["10.11", "01.1", "35"], (2, 4, 5), sections={"A": "01-03", "C": "10-33", "D": "35"})
    assert parents(tree) == {
        "*": "",
        "A": "*",
        "01": "A",
        "01.1": "01",
        "C": "*",
        "10": "C",
        "10.1": "10",
        "10.11": "10.1",
        "D": "*",
        "35": "D",
    }


def test_a_section_may_be_its_own_first_level() -> None:
    """NAICS: 42 is a sector and a prefix, 31-33 is a sector of three prefixes."""
    tree = from_prefixes(["421", "331", "311"], (2, 3), sections={"31-33": "31-33", "42": "42"})
    assert parents(tree) == {
        "*": "",
        "31-33": "*",
        "33": "31-33",
        "331": "33",
        "31": "31-33",
        "311": "31",
        "42": "*",
        "421": "42",
    }


def test_codes_of_other_lengths_are_counted_not_named() -> None:
    """The codes may be those of a data file."""
    with pytest.raises(TaxonomyError, match=r"2 codes have a length other than \[1, 3\]") as caught:
        from_prefixes(["1", "12", "123", "1234"], (1, 3))
    assert caught.value.unknown == {"12": 1, "1234": 1}
    assert "1234" not in str(caught.value)


def test_codes_in_no_section_are_refused() -> None:
    """A gap between sections is an error, and so are sections that overlap."""
    with pytest.raises(TaxonomyError, match="1 codes of the first level are in no section"):
        from_prefixes(["07"], (2,), sections={"A": "01-03"})
    with pytest.raises(TaxonomyError, match="ranges A and B overlap"):
        from_prefixes(["07"], (2,), sections={"A": "01-05", "B": "03-09"})
    with pytest.raises(ParameterError, match="sections must be ranges"):
        from_prefixes(["07"], (2,), sections={"A": "one to three"})


@pytest.mark.parametrize("lengths", [(), (0, 2), (2, 2), (3, 1)])
def test_lengths_must_rise(lengths: tuple[int, ...]) -> None:
    """Prefix lengths are rising whole numbers from 1."""
    with pytest.raises(ParameterError, match="lengths"):
        from_prefixes(["1"], lengths)


# ---------------------------------------------------------------------- ranges


def test_ranges() -> None:
    """Ranges nest by their bounds, categories go into the smallest, characters after the point one by one."""
    codes = ["001-009", "001-139", "042-042", "042", "008.45", "V01-V91", "V02.1", "E000-E999", "999"]
    assert parents(from_ranges(codes)) == {
        "*": "",
        "001-139": "*",
        "001-009": "001-139",
        "008": "001-009",
        "008.4": "008",
        "008.45": "008.4",
        "042-042": "001-139",
        "042": "042-042",
        "V01-V91": "*",
        "V02": "V01-V91",
        "V02.1": "V02",
        "E000-E999": "*",
        "999": "*",
    }


def test_ranges_over_letters() -> None:
    """ICD-10: letters are compared first, numbers second."""
    tree = from_ranges(["A00-B99", "C00-D48", "D10-D36", "B20.1", "D12", "D48.0", "D49"])
    above = parents(tree)
    assert (above["B20"], above["D12"], above["D48"], above["D49"]) == ("A00-B99", "D10-D36", "C00-D48", "*")


def test_bad_ranges_are_refused() -> None:
    """Overlaps are named as part of the taxonomy, codes of another form are counted."""
    with pytest.raises(TaxonomyError, match="ranges 001-010 and 005-020 overlap"):
        from_ranges(["001-010", "005-020"])
    with pytest.raises(TaxonomyError, match="ranges 1-9 and 5-12 overlap"):
        from_ranges(["1-9", "5-12"])
    with pytest.raises(TaxonomyError, match="6 codes are neither a range") as caught:
        from_ranges(["", "abc", "9-1", "1-2-3", "A1-2", "001-009.1", "001"])
    assert "001" not in caught.value.unknown


def test_the_root_may_be_among_the_codes() -> None:
    """A complete list of codes names its root too."""
    tree = from_ranges(["ICD9CM", "001-009", "001"], root="ICD9CM")
    assert tree.codes == ("ICD9CM", "001-009", "001")


# ---------------------------------------------------------------------- intervals


def test_intervals_of_ages() -> None:
    """Five-year leaves, ten- and twenty-year levels; a level that ends early keeps what is left."""
    ages = from_intervals([range(0, 35, 5), 2, 4], whole=True)
    assert parents(ages) == {
        "*": "",
        "0-19": "*",
        "0-9": "0-19",
        "0-4": "0-9",
        "5-9": "0-9",
        "10-19": "0-19",
        "10-14": "10-19",
        "15-19": "10-19",
        "20-29": "*",
        "20-24": "20-29",
        "25-29": "20-29",
    }


def test_bounds_belong_to_one_side() -> None:
    """[0, 5) or (0, 5]; with open ends nothing is outside."""
    numbers = np.array([-1.0, 0.0, 4.9, 5.0, 10.0])
    left = from_intervals([[0, 5, 10]], open_ends=True)
    right = from_intervals([[0, 5, 10]], open_ends=True, closed="right")
    assert [left.codes[v] for v in left.leaves_of(numbers)] == ["<0", "[0, 5)", "[0, 5)", "[5, 10)", ">=10"]
    assert [right.codes[v] for v in right.leaves_of(numbers)] == [
        "<=0",
        "<=0",
        "(0, 5]",
        "(0, 5]",
        "(5, 10]",
    ]


def test_levels_with_their_own_cut_points() -> None:
    """Cut points of a coarser level are some of the finer; an interval equal on both is one node."""
    tree = from_intervals([[0, 0.5, 1, 18, 65], [1, 18]])
    assert parents(tree) == {
        "*": "",
        "[0, 1)": "*",
        "[0, 0.5)": "[0, 1)",
        "[0.5, 1)": "[0, 1)",
        "[1, 18)": "*",
        "[18, 65)": "*",
    }


@given(
    cuts=st.lists(st.integers(-50, 50), min_size=2, max_size=12, unique=True).map(sorted),
    factor=st.integers(1, 4),
    numbers=st.lists(st.integers(-60, 60), min_size=1, max_size=20),
    open_ends=st.booleans(),
    closed=st.sampled_from(["left", "right"]),
)
def test_numbers_fall_into_their_interval(
    cuts: list[int], factor: int, numbers: list[int], open_ends: bool, closed: Any
) -> None:
    """A naive search over the intervals finds the same leaf, and leaves stand in the order of the axis."""
    tree = from_intervals([cuts, factor], open_ends=open_ends, closed=closed)
    bounds = [-np.inf, *cuts, np.inf] if open_ends else cuts
    assert len(tree.leaves) == len(bounds) - 1
    if closed == "left":
        inside = [x for x in numbers if bounds[0] <= x < bounds[-1]]
        holder = [sum(x >= bound for bound in bounds) - 1 for x in inside]
    else:
        inside = [x for x in numbers if bounds[0] < x <= bounds[-1]]
        holder = [sum(x > bound for bound in bounds) - 1 for x in inside]
    found = tree.leaves_of(np.array(inside, dtype=np.float64))
    assert found.tolist() == tree.leaves[holder].tolist()


def test_numbers_that_fit_nowhere_are_counted() -> None:
    """Outside, not whole, not a number; missing ones are left alone."""
    ages = from_intervals([[0, 10, 20]], whole=True)
    numbers = np.array([3.0, 25.0, np.nan])
    for given_numbers, missing, fault in (
        (numbers, np.array([False, False, True]), "1 of 3 numbers lie outside"),
        (numbers, np.array([False, True, False]), "1 of 3 numbers are not a number"),
        (np.array([3.5, 4.0]), None, "1 of 2 numbers are not whole"),
    ):
        with pytest.raises(UnsuitableError, match=fault):
            ages.leaves_of(given_numbers, missing)
    assert ages.leaves_of(numbers, np.array([False, True, True])).tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("levels", "options"),
    [
        ([], {}),
        ([[1.0]], {}),
        ([[1.0, 1.0]], {}),
        ([[1.0, np.inf]], {}),
        ([[0, 1, 2, 3, 4, 5, 6], 2, 3], {}),
        ([[0, 1, 2], [1.5]], {}),
        ([[0, 1, 2], -1, 5], {"closed": "middle"}),
        ([[0, 0.5]], {"whole": True}),
        ([[0, 1]], {"whole": True, "closed": "right"}),
    ],
)
def test_bad_intervals_are_refused(levels: Any, options: dict[str, Any]) -> None:
    """Cut points rise, levels nest, whole intervals have whole bounds."""
    with pytest.raises(ParameterError):
        from_intervals(levels, **options)


def test_intervals_are_a_taxonomy() -> None:
    """Negative whole numbers are readable, and equality is that of trees."""
    tree = from_intervals([[-10, -5, 0, 1]], whole=True, name="balance")
    assert tree.codes == ("*", "-10 to -6", "-5 to -1", "0")
    assert tree == Taxonomy.flat(["-10 to -6", "-5 to -1", "0"])
    assert tree.name == "balance"
