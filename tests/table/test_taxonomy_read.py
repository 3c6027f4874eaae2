"""Readers: both formats, their variants, and files that are neither."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from discreet.errors import FileError, ParameterError, TaxonomyError
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_read import read_taxonomies, read_taxonomy, write_taxonomy

EDGES = "code,parent,label\nall,,Everything\nn,all,North\nn1,n,One\nn2,n,Two\ns,all,South\n"
LEVELS = "n1,n,all\nn2,n,all\ns,s,all\n"


@pytest.fixture
def saved(tmp_path: Path):
    """saved(text) -> a file with this text."""

    def save(text: str, name: str = "places.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode() if not name.endswith(".gz") else gzip.compress(text.encode()))
        return path

    return save


@pytest.mark.parametrize(
    "text",
    [
        EDGES,
        LEVELS,
        LEVELS.replace(",", ";"),
        LEVELS.replace(",", "\t"),
        "value,region,level_2\n" + LEVELS,
        LEVELS.replace("\n", ",,\n"),
        LEVELS.replace("\n", "\r\n"),
        "\ufeff" + EDGES,
        EDGES.replace(",", " , "),
        EDGES + "\n,,\n",
        "parent,title,code\n,Everything,all\nall,North,n\nn,One,n1\nn,Two,n2\nall,South,s\n",
        "Code;Parent\nall;\nn;all\nn1;n\nn2;n\ns;all\n",
        "code,parent\nall\nn,all\nn1,n\nn2,n\ns,all\n",
    ],
    ids=[
        "edges",
        "levels",
        "semicolons",
        "tabs",
        "levels with header",
        "trailing commas",
        "CRLF",
        "byte order mark",
        "blanks",
        "blank lines",
        "other column order",
        "no labels",
        "short root line",
    ],
)
def test_all_spellings_of_a_tree_are_equal(saved, text: str) -> None:
    """The format is found by looking at the file, and every variant gives the same tree."""
    tree = read_taxonomy(saved(text))
    assert tree == Taxonomy.from_edges([("all", ""), ("n", "all"), ("n1", "n"), ("n2", "n"), ("s", "all")])
    assert tree.name == "places"


def test_labels_come_from_the_column_that_says_so(saved) -> None:
    """label or description by name, else the first column that is neither code nor parent."""
    assert read_taxonomy(saved(EDGES)).labels[:2] == ("Everything", "North")
    named = "code,parent,level,description,short\na,,root,Long text,x\n"
    assert read_taxonomy(saved(named)).labels == ("Long text",)
    assert read_taxonomy(saved("code,parent,rank\na,,first\n")).labels == ("first",)
    assert read_taxonomy(saved("code,parent\na,\n")).labels == ("",)


def test_everything_stays_text(saved) -> None:
    """Leading and trailing zeros are part of a code."""
    tree = read_taxonomy(saved("038,0-99,*\n153.10,100-199,*\n153.1,100-199,*\n"))
    assert tree.codes == ("*", "0-99", "038", "100-199", "153.10", "153.1")


def test_gzip_is_recognised_by_content(saved) -> None:
    """Compressed files read like others and lose both suffixes in the name."""
    assert read_taxonomy(saved(EDGES, "places.csv.gz")) == read_taxonomy(saved(EDGES))
    assert read_taxonomy(saved(EDGES, "places.csv.gz")).name == "places"


def test_quoted_separators(saved) -> None:
    """A label with commas does not make the comma look like the separator, or a cell end."""
    tree = read_taxonomy(saved('a, b;"c; d";*\ne;"c; d";*\n'))
    assert tree.codes == ("*", "c; d", "a, b", "e")


def test_write_and_read_again(saved, tmp_path: Path) -> None:
    """The file written is read back as the same tree, labels included."""
    tree = Taxonomy.from_edges([("*", "", "all, really"), ("ü", "*", 'say "yes"'), (" x", "ü", "")])
    tree = tree.cut(1)
    write_taxonomy(tree, tmp_path / "out.csv")
    again = read_taxonomy(tmp_path / "out.csv")
    assert again == tree
    assert again.labels == tree.labels


ATTRIBUTES = "attribute,value,level_1,level_2\nsex,f,*,\nsex,m,*,\nage,1,0-4,*\nage,2,0-4,*\nage,7,5-9,*\n"


def test_several_attributes_in_one_file(saved) -> None:
    """Each attribute has its own tree, so the same label may stand in several."""
    path = saved(ATTRIBUTES)
    trees = read_taxonomies(path)
    assert list(trees) == ["sex", "age"]
    assert trees["sex"].codes == ("*", "f", "m")
    assert trees["age"].codes == ("*", "0-4", "1", "2", "5-9", "7")
    assert read_taxonomy(path, attribute="age") == trees["age"]
    assert read_taxonomy(path, attribute="age").name == "age"
    for attribute in (None, "race"):
        with pytest.raises(TaxonomyError, match="2 attributes: sex, age"):
            read_taxonomy(path, attribute=attribute)


def test_what_is_said_is_not_guessed(saved) -> None:
    """format, header, delimiter and name override what the file looks like."""
    bare = saved("all,\nn,all\n")
    edges = read_taxonomy(bare, format="edges", header=False, name="mine")
    assert (edges.name, edges.codes) == ("mine", ("all", "n"))
    assert read_taxonomy(saved("x,top\ny,other\n"), header=True).codes == ("other", "y")
    assert read_taxonomy(saved("x,top\ny,other\n"), header=False).codes == ("*", "top", "x", "other", "y")
    assert read_taxonomy(saved("a;b,*\nc;d,*\n"), delimiter=",").codes == ("*", "a;b", "c;d")
    assert read_taxonomy(saved("code,parent\nc,parent\n"), format="levels", header=False).codes[0] == "parent"


def test_several_roots(saved) -> None:
    """In an edge list an error that names them, joined when asked for; rows of levels may end below the root."""
    path = saved("code,parent\na,\nb,\n")
    with pytest.raises(TaxonomyError, match=r"taxonomy places: roots where there should be one: 2 \(a, b\)"):
        read_taxonomy(path)
    assert read_taxonomy(path, join_roots=True).codes == ("*", "a", "b")
    levels = saved("a,A\nb,B\n")
    assert read_taxonomy(levels, header=False).codes == ("*", "A", "a", "B", "b")
    with pytest.raises(TaxonomyError, match="roots where there should be one"):
        read_taxonomy(levels, header=False, join_roots=False)


def test_ragged_rows_of_levels_are_called_that(saved) -> None:
    """A row that ends before the root is named by its place, not as a code with two parents."""
    with pytest.raises(
        TaxonomyError, match=r"1 rows end before the root.*\(rows 3 of the levels\)"
    ) as caught:
        read_taxonomy(saved("leaf,l1,l2\na,A,*\nc,A,*\nb,A\n"), header=True)
    assert "two parents" not in str(caught.value)


def test_files_that_are_no_tables(saved, tmp_path: Path) -> None:
    """Absent, empty, not text, half a gzip: one clear error each."""
    (tmp_path / "latin.csv").write_bytes("é,*\n".encode("latin-1"))
    (tmp_path / "half.gz").write_bytes(gzip.compress(EDGES.encode())[:-12])
    for path, fault in (
        (tmp_path / "absent.csv", "cannot be read: No such file"),
        (saved(""), "holds no lines"),
        (tmp_path / "latin.csv", "not UTF-8"),
        (tmp_path / "half.gz", "cannot be read"),
    ):
        with pytest.raises(FileError, match=fault):
            read_taxonomy(path)


def test_unknown_format_is_refused_first(tmp_path: Path) -> None:
    """Parameters are checked before the file is touched."""
    with pytest.raises(ParameterError, match="format must be"):
        read_taxonomy(tmp_path / "absent.csv", format="xml")


@pytest.mark.data
def test_real_hierarchies(data_dir: Path) -> None:
    """The nine trees of the adult table hold what the file says."""
    trees = read_taxonomies(data_dir / "adult_hierarchies.csv")
    shapes = {name: (len(tree.leaves), tree.height) for name, tree in trees.items()}
    assert shapes == {
        "age": (100, 4),
        "native_country": (41, 2),
        "education": (16, 3),
        "occupation": (14, 2),
        "workclass": (8, 2),
        "marital_status": (7, 2),
        "race": (5, 1),
        "sex": (2, 1),
        "income": (2, 1),
    }
    education = trees["education"]
    masters = education.nodes_of(["Masters"])
    assert [education.codes[education.roll_up(masters, i)[0]] for i in range(4)] == [
        "Masters",
        "Graduate",
        "Higher education",
        "*",
    ]


@pytest.mark.data
def test_icd9_labels(data_dir: Path) -> None:
    """The long description is the label, and codes keep their zeros."""
    tree = read_taxonomy(data_dir / "icd9.csv")
    assert tree.labels[tree.position["001"]] == "Cholera"
    assert [tree.codes[v] for v in tree.ancestors(tree.position["250.83"])] == [
        "250.8",
        "250",
        "249-259",
        "240-279",
        "ICD9CM",
    ]
