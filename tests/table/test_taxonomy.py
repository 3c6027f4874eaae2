"""The value: invariants, shape, generalisation, codes of data."""

from __future__ import annotations

import copy
import hashlib
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError, TaxonomyError
from discreet.table.taxonomy import Taxonomy, repaired


@pytest.fixture
def places() -> Taxonomy:
    """* > north > n1, n2 > n2a; * > south; * > west > w1."""
    return Taxonomy.from_edges(
        [
            ("*", ""),
            ("north", "*", "the north"),
            ("n1", "north"),
            ("n2", "north"),
            ("n2a", "n2"),
            ("south", "*"),
            ("west", "*"),
            ("w1", "west"),
        ],
        "places",
    )


@st.composite
def edge_lists(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Edges of a random tree, parents not always before their children, all with a label."""
    above = [draw(st.integers(0, max(v - 1, 0))) for v in range(draw(st.integers(1, 25)))]
    edges = [(f"c{v}", f"c{p}" if v else "", f"label {v}") for v, p in enumerate(above)]
    return draw(st.permutations(edges))


def test_nodes_are_numbered_in_preorder(places: Taxonomy) -> None:
    """Children follow their parent in file order, and depth and subtree ends fit them."""
    assert places.codes == ("*", "north", "n1", "n2", "n2a", "south", "west", "w1")
    assert places.parent.tolist() == [-1, 0, 1, 1, 3, 0, 0, 6]
    assert places.depth.tolist() == [0, 1, 2, 2, 3, 1, 1, 2]
    assert places.end.tolist() == [8, 5, 3, 5, 5, 6, 8, 8]
    assert places.labels[1] == "the north"


def test_a_code_may_come_before_its_parent() -> None:
    """The order of lines settles the order of siblings and nothing else."""
    tree = Taxonomy.from_edges([("b1", "b"), ("a1", "a"), ("a", "*"), ("*", ""), ("b", "*")])
    assert tree.codes == ("*", "a", "a1", "b", "b1")


def test_shape(places: Taxonomy) -> None:
    """Leaves, children, ancestors, subtree and height of a small tree."""
    assert [places.codes[v] for v in places.leaves] == ["n1", "n2a", "south", "w1"]
    assert places.is_leaf.tolist() == [v in places.leaves for v in range(8)]
    assert [places.codes[v] for v in places.children(1)] == ["n1", "n2"]
    assert places.children(2).tolist() == []
    assert [places.codes[v] for v in places.ancestors(4)] == ["n2", "north", "*"]
    assert places.ancestors(0).tolist() == []
    assert places.codes[places.subtree(1)] == ("north", "n1", "n2", "n2a")
    assert places.height == 3


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["n1", "n2a"], "north"),
        (["n2a"], "n2a"),
        (["n2", "n2a"], "n2"),
        (["south", "w1", "w1"], "*"),
        (["w1", "west"], "west"),
    ],
)
def test_lowest_common_ancestor(places: Taxonomy, codes: list[str], expected: str) -> None:
    """A node counts as its own ancestor."""
    assert places.codes[places.lowest_common_ancestor(places.nodes_of(codes))] == expected


def test_lowest_common_ancestor_of_none_is_refused(places: Taxonomy) -> None:
    """There is no answer for an empty set."""
    with pytest.raises(ParameterError, match="empty"):
        places.lowest_common_ancestor([])


@given(edge_lists())
def test_common_ancestor_is_the_deepest_shared_one(edges: list[tuple[str, str, str]]) -> None:
    """The slice trick finds the same node as intersecting the sets of ancestors."""
    tree = Taxonomy.from_edges(edges)
    lines = [{v, *tree.ancestors(v).tolist()} for v in range(len(tree))]
    for x in range(len(tree)):
        for y in range(len(tree)):
            assert tree.lowest_common_ancestor([x, y]) == max(lines[x] & lines[y])


def test_generalisation(places: Taxonomy) -> None:
    """By depth from the top, and by steps from the value."""
    nodes = places.nodes_of(["n2a", "south", "w1", "*"])
    assert [places.codes[v] for v in places.ancestor_at_depth(nodes, 1)] == ["north", "south", "west", "*"]
    assert [places.codes[v] for v in places.ancestor_at_depth(nodes, 0)] == ["*"] * 4
    assert [places.codes[v] for v in places.roll_up(nodes)] == ["n2", "*", "west", "*"]
    assert [places.codes[v] for v in places.roll_up(nodes, 2)] == ["north", "*", "*", "*"]
    assert places.roll_up(nodes, 0).tolist() == nodes.tolist()
    assert places.at_level(9).tolist() == list(range(8))


def test_generalisation_refuses_negative_levels(places: Taxonomy) -> None:
    """A negative depth or number of steps means nothing."""
    for ask in (
        lambda: places.at_level(-1),
        lambda: places.roll_up(places.leaves, -1),
        lambda: places.cut(-1),
    ):
        with pytest.raises(ParameterError, match="must be 0"):
            ask()


def test_cut_keeps_what_is_not_deeper(places: Taxonomy) -> None:
    """The cut tree has the same codes, labels and parents down to the depth."""
    expected = [row for row in places.to_edge_list() if row[0] not in ("n2a", "n1", "n2", "w1")]
    assert list(places.cut(1).to_edge_list()) == expected
    assert places.cut(3) == places


def test_a_new_category_leaves_the_numbers_of_the_others(places: Taxonomy) -> None:
    """A category for missing values is a last child of the root."""
    grown = places.with_category("<missing>")
    assert grown.codes == (*places.codes, "<missing>")
    assert grown.parent[:-1].tolist() == places.parent.tolist()
    assert grown.depth[-1] == 1
    with pytest.raises(TaxonomyError, match="there already"):
        grown.with_category("<missing>")


def test_flat() -> None:
    """Level i is node i + 1, and the root's code keeps out of the way of the categories."""
    assert Taxonomy.flat(["x", "y"]).nodes_of(["x", "y"]).tolist() == [1, 2]
    assert Taxonomy.flat(["*", "<root>"]).codes[0] == "<<root>>"
    assert Taxonomy.flat([]).codes == ("*",)


def test_equality_is_of_codes_and_parents(places: Taxonomy) -> None:
    """Name and labels do not matter, the order of siblings does; hashes follow."""
    bare = Taxonomy("other", places.codes, ("",) * 8, places.parent)
    swapped = Taxonomy.from_edges([("*", ""), ("b", "*"), ("a", "*")])
    assert bare == places
    assert (hash(bare), bare.sha256) == (hash(places), places.sha256)
    assert swapped != Taxonomy.from_edges([("*", ""), ("a", "*"), ("b", "*")])
    assert swapped.sha256 != Taxonomy.from_edges([("*", ""), ("a", "*"), ("b", "*")]).sha256
    assert places != "places"


def test_the_hash_stays_over_versions() -> None:
    """Recipes hold this hash: it is that of the lines code,parent in preorder."""
    expected = hashlib.sha256(b'*,\nf,*\n"m, x",*\n').hexdigest()
    assert Taxonomy.flat(["f", "m, x"]).sha256 == expected


def test_arrays_cannot_be_changed(places: Taxonomy) -> None:
    """A taxonomy is a value: its arrays are sealed, and the caller's array is not sealed with them."""
    given_parent = np.array([-1, 0])
    tree = Taxonomy("t", ("*", "a"), ("", ""), given_parent)
    given_parent[1] = 5
    assert tree.parent.tolist() == [-1, 0]
    for array in (places.parent, places.depth, places.end, places.leaves, places.is_leaf):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_copies_and_pickles_are_equal(places: Taxonomy) -> None:
    """Also after the lookup has been used."""
    places.nodes_of(["n1"])
    assert copy.deepcopy(places) == places
    assert pickle.loads(pickle.dumps(places)) == places


@pytest.mark.parametrize(
    "parent",
    [[0, 0, 0], [-1, -1, 0], [-1, 2, 0], [-1, 0, 5], [-1, 1, 0]],
    ids=["no root", "two roots", "parent later", "parent outside", "own parent"],
)
def test_only_preorders_of_one_tree_are_accepted(parent: list[int]) -> None:
    """Numbers that are no preorder would give wrong subtrees in silence."""
    with pytest.raises(TaxonomyError, match="preorder"):
        Taxonomy("t", ("a", "b", "c"), ("", "", ""), np.array(parent))


def test_breadth_first_numbers_are_refused() -> None:
    """Parents come first there too, but subtrees are not slices."""
    with pytest.raises(TaxonomyError, match="preorder"):
        Taxonomy("t", tuple("abcd"), ("",) * 4, np.array([-1, 0, 0, 1]))


@pytest.mark.parametrize(("codes", "labels"), [(("a", "a"), ("", "")), (("a",), ("",)), (("a", "b"), ("",))])
def test_codes_and_labels_must_fit(codes: tuple[str, ...], labels: tuple[str, ...]) -> None:
    """As many codes and labels as nodes, no code twice."""
    with pytest.raises(TaxonomyError):
        Taxonomy("t", codes, labels, np.array([-1, 0]))


# ---------------------------------------------------------------------- edges


@given(edge_lists())
def test_edge_list_round_trip(edges: list[tuple[str, str, str]]) -> None:
    """A tree is what its own edge list says, labels included, and no edge is lost on the way in."""
    tree = Taxonomy.from_edges(edges)
    again = Taxonomy.from_edges(tree.to_edge_list())
    assert again == tree
    assert again.labels == tree.labels
    assert sorted(tree.to_edge_list()) == sorted(edges)


def test_several_roots_get_a_common_one() -> None:
    """Its code is * unless a category is called so."""
    assert Taxonomy.from_edges([("a", ""), ("b", "")], join_roots=True).codes == ("*", "a", "b")
    assert Taxonomy.from_edges([("*", ""), ("b", "")], join_roots=True).codes == ("<root>", "*", "b")


@pytest.mark.parametrize(
    ("edges", "fault"),
    [
        ([], "there are no codes"),
        ([("a", ""), ("", "a"), ("", "a")], "2 rows have no code"),
        ([("a", ""), ("b", "a"), ("b", "a")], r"codes listed more than once: 1 \(b\)"),
        ([("a", ""), ("b", "a"), ("c", "a"), ("b", "c")], r"codes with two parents: 1 \(b\)"),
        ([("a", ""), ("b", "z")], r"parents not listed as codes: 1 \(z\)"),
        ([("a", ""), ("b", "c"), ("c", "b"), ("d", "b")], r"on a cycle or below one: 3 \(b, c, d\)"),
        ([("a", ""), ("b", "b")], r"on a cycle or below one: 1 \(b\)"),
        ([("a", "a")], "there is no root"),
        ([("a", ""), ("b", "")], r"roots where there should be one: 2 \(a, b\)"),
    ],
)
def test_faults_of_edges_are_named(edges: list[tuple[str, str]], fault: str) -> None:
    """Each kind of fault has its clause, with how many codes and which."""
    with pytest.raises(TaxonomyError, match=fault):
        Taxonomy.from_edges(edges, "t")


def test_all_faults_are_named_at_once() -> None:
    """One run shows everything there is to correct."""
    with pytest.raises(TaxonomyError) as caught:
        Taxonomy.from_edges(
            [("a", ""), ("a", ""), ("b", "a"), ("b", ""), ("c", "z"), ("d", "e"), ("e", "d"), ("f", "")], "t"
        )
    message = str(caught.value)
    assert message.startswith("taxonomy t: ")
    for clause in (
        "more than once: 1 (a)",
        "two parents: 1 (b)",
        "not listed as codes: 1 (z)",
        "cycle",
        "roots",
    ):
        assert clause in message


def test_long_lists_of_codes_are_cut() -> None:
    """The number of faulty codes is always exact, the first five are shown."""
    with pytest.raises(TaxonomyError, match=r"7 \(a0, a1, a2, a3, a4, \.\.\.\)"):
        Taxonomy.from_edges([(f"a{i}", "") for i in range(7)])


# ---------------------------------------------------------------------- codes of data


def test_unknown_codes_are_counted_not_named(places: Taxonomy) -> None:
    """Codes of data are cell values: they are on the exception only, with their records."""
    with pytest.raises(TaxonomyError) as caught:
        places.resolve(["n1", "secret", "hidden"], np.array([4, 2, 1]), "region")
    assert str(caught.value).startswith("column region: 3 of 7 records hold 2 codes the taxonomy lacks. ")
    assert "secret" not in str(caught.value)
    assert caught.value.unknown == {"secret": 2, "hidden": 1}


def test_nodes_of_counts_every_occurrence(places: Taxonomy) -> None:
    """Codes of single records may repeat."""
    with pytest.raises(TaxonomyError, match=r"3 of 4 records hold 2 codes") as caught:
        places.nodes_of(["x", "n1", "x", "y"])
    assert caught.value.unknown == {"x": 2, "y": 1}


def test_codes_are_text() -> None:
    """038 is not 38 and 153.10 is not 153.1."""
    tree = Taxonomy.flat(["038", "38", "153.1", "153.10"])
    assert tree.nodes_of(["153.10", "38", "038", "153.1"]).tolist() == [4, 2, 1, 3]


@pytest.mark.parametrize(
    ("code", "repair", "expected"),
    [
        ("8", "pad3", "008"),
        ("38.10", "pad3", "038.10"),
        ("1234", "pad3", "1234"),
        ("V1", "pad3", "V1"),
        ("E9.1", "pad3", "E9.1"),
        ("1.1", "pad2", "01.1"),
        ("", "pad3", ""),
        ("-5", "pad3", "-5"),
        (" a b ", "strip", "a b"),
    ],
)
def test_repair_of_one_code(code: str, repair: str, expected: str) -> None:
    """Only digits before the point are padded."""
    assert repaired(code, repair) == expected


def test_repair_is_only_for_codes_the_tree_lacks() -> None:
    """A code that is known stays itself, also where its padded form is another category."""
    tree = Taxonomy.flat(["8", "008", "009"])
    assert tree.resolve(["8", "9"], repair="pad3").tolist() == [1, 3]


def test_the_repair_that_helps_most_is_proposed() -> None:
    """Padding widths and blanks are tried; the message asks for nothing that would not help."""
    nace = Taxonomy.flat(["01.1", "02.2", "10"])
    with pytest.raises(TaxonomyError, match=r"2 exist with leading zeros .*repair='pad2'"):
        nace.resolve(["1.1", "2.2", "99"])
    with pytest.raises(TaxonomyError, match=r"1 exists without the blanks around.*repair='strip'"):
        nace.resolve([" 10"])
    assert nace.resolve([" 10"], repair="strip").tolist() == [3]
    with pytest.raises(TaxonomyError, match=r"1 of 1 records hold 1 code the taxonomy lacks\. Correct them"):
        nace.resolve(["99"], repair="pad2")


def test_bad_arguments_of_resolve_are_refused() -> None:
    """An unknown repair, and counts that do not fit the codes."""
    tree = Taxonomy.flat(["a"])
    with pytest.raises(ParameterError, match="repair must be"):
        tree.resolve(["b"], repair="guess")
    with pytest.raises(ParameterError, match="one entry per code"):
        tree.resolve(["a"], np.array([1, 2]))
