"""Schemas: what they refuse, how they change, how they survive TOML."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import ParameterError, SchemaError, TaxonomyError
from discreet.table.schema import Schema, Variable
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_intervals
from discreet.table.taxonomy_read import write_taxonomy
from discreet.table.taxonomy_source import TaxonomySource

TREE = Taxonomy.flat(["a", "b"], name="letters")


def full_schema() -> Schema:
    """Every kind and most fields."""
    return Schema(
        (
            Variable(
                name="age", kind="numeric", role="quasi", decimals=0, lower=0, upper=120, unknown=(99, "NA")
            ),
            Variable(
                name="grade", kind="ordinal", role="other", levels=("low", "high"), not_applicable=("n/a",)
            ),
            Variable(name="sex", kind="nominal", role="stratum", levels=(1, 2)),
            Variable(name="letter", kind="taxonomic", role="quasi", taxonomy="letters"),
            Variable(name='a.b "c"', kind="nominal", role="identifier", reason="all unique"),
            Variable(name="w", kind="numeric", role="weight"),
        ),
        {"letters": TREE},
    )


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"kind": "text"}, "unknown kind"),
        ({"kind": "nominal", "role": "secret"}, "unknown role"),
        ({"kind": "nominal", "decimals": 1}, "decimals and bounds are for numeric"),
        ({"kind": "ordinal", "upper": 1.0}, "decimals and bounds are for numeric"),
        ({"kind": "numeric", "lower": 2.0, "upper": 1.0}, "lower bound is above"),
        ({"kind": "nominal", "role": "weight"}, "weight must be numeric"),
        ({"kind": "taxonomic", "role": "quasi"}, "names its taxonomy"),
        ({"kind": "ordinal", "levels": ("a", "a")}, "declared twice"),
        ({"kind": "ordinal", "levels": ()}, "levels is empty"),
        ({"kind": "numeric", "lower": math.nan}, "must be finite"),
        ({"kind": "numeric", "upper": math.inf}, "must be finite"),
        ({"kind": "numeric", "unknown": (-8, 9), "not_applicable": (9,)}, "under unknown and under not_appl"),
        ({"kind": "numeric", "unknown": tuple(range(201))}, "more than 200 codes"),
        ({"kind": "numeric", "reason": 4}, "must be text"),
        ({"kind": "nominal", "taxonomy": ["a"]}, "must be text"),
    ],
)
def test_contradictions_are_refused_by_column(fields: dict[str, object], fault: str) -> None:
    """Each contradiction is an error that names the column."""
    with pytest.raises(SchemaError, match=f"Column 'x': .*{fault}"):
        Variable(name="x", **fields)  # type: ignore[arg-type]


def test_missing_codes_are_unknown_first() -> None:
    """Reasons are numbered in this order."""
    variable = Variable(name="x", kind="numeric", unknown=(8, 9), not_applicable=(7,))
    assert variable.missing_codes == (8, 9, 7)


def test_toml_round_trip_is_the_same_schema() -> None:
    """All declarations, names with dots and quotes, and trees survive as text."""
    schema = full_schema()
    again = Schema.from_toml(schema.to_toml())
    assert again == schema
    assert again.taxonomies["letters"].tree_for([]) == TREE
    assert again['a.b "c"'].reason == "all unique"
    assert Schema.from_toml(again.to_toml()).to_toml() == schema.to_toml()


def test_a_schema_file_is_read(tmp_path: Path) -> None:
    """Read from disk; a path that is not there is said."""
    path = tmp_path / "people.schema.toml"
    path.write_text(full_schema().to_toml(), encoding="utf-8")
    assert Schema.read(path) == full_schema()
    with pytest.raises(SchemaError, match="no schema file"):
        Schema.read(tmp_path / "other.toml")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = ", "not valid TOML"),
        ("x = 1", "has a table"),
        ("columns = 3", "has a table"),
        ("[columns]\nage = 3", "Column 'age'"),
        ("[columns.age]\nkind = 'numeric'\ncolour = 1", "unknown fields: colour"),
        ("[columns.age]\nrole = 'quasi'", "has no kind"),
        ("[columns.age]\nkind = 'numeric'\nlevels = 3", "Column 'age'"),
        ("[columns.age]\nkind = 'numeric'\nunknown = 'NA'", "Column 'age'"),
        ("[columns.age]\nkind = 'numeric'\nlower = 'a'", "Column 'age'"),
        ("[columns.age]\nkind = ['numeric']", "Column 'age'"),
        ("[columns.age]\nkind = 'numeric'\ndecimals = -1", "Column 'age'"),
        ("[columns.age]\nkind = 'nominal'\nlevels = [['a']]", "Column 'age'"),
        ("taxonomies = 3\n[columns.age]\nkind = 'numeric'", "taxonomies"),
        ("[columns.d]\nkind = 'taxonomic'\ntaxonomy = 'icd'", "which the schema does not have"),
        ("[columns.a]\nkind = 'numeric'\n[column.sex]\nkind = 'nominal'", "no part column"),
        ("[columns.a]\nkind = 'numeric'\nlower = nan", "must be finite"),
        ("[columns.a]\nkind = 'numeric'\nreason = 4", "must be text"),
        *(
            (f"[columns.a]\nkind = 'numeric'\n[taxonomies.t]\n{field}", f"Taxonomy 't': .*{says}")
            for field, says in {
                "file = 3": "path of a file",
                'prefixes = ["a"]': "whole numbers",
                "prefixes = [0]": "whole numbers",
                "prefixes = 2": "whole numbers",
                "sections = {A = 3}": "table of ranges",
                "ranges = 1": "true or false",
                'intervals = ["a"]': "cut points",
                'closed = "both"': "left or right",
                'repair = "pad1"': "strip, or pad2",
                "attribute = 3": "text",
                "edges = [3]": "rows of texts",
                'edges = [["a", 3]]': "rows of texts",
                "colour = 3": "no field colour",
            }.items()
        ),
    ],
)
def test_faulty_schema_files_are_one_clear_error(text: str, fault: str) -> None:
    """Whatever a person types, the answer is a SchemaError that says where."""
    with pytest.raises(SchemaError, match=fault):
        Schema.from_toml(text)


def test_a_schema_file_that_is_not_utf8_is_said(tmp_path: Path) -> None:
    """An old encoding is the user's to correct, not a fault of the program."""
    path = tmp_path / "people.schema.toml"
    path.write_bytes("[columns.größe]\nkind = 'numeric'\n".encode("latin-1"))
    with pytest.raises(SchemaError, match="not UTF-8"):
        Schema.read(path)


def test_trees_of_every_source_survive_toml(tmp_path: Path) -> None:
    """A file, rules, intervals closed on either side and a built tree: the schema read back is the same value, also
    where the file is named in another way, and its trees are the same."""
    write_taxonomy(TREE, tmp_path / "letters.csv")
    sources = {
        "file": TaxonomySource(file=str(tmp_path / "letters.csv"), repair="strip"),
        "prefixes": TaxonomySource(prefixes=[1, 2], sections={"A": "1-2"}),
        "cuts": TaxonomySource(intervals=[[0, 5, 10], 2], whole=True),
        "right": TaxonomySource.of(from_intervals([[0, 5, 10], [0, 10]], closed="right")),
        "ranges": TaxonomySource(ranges=True),
        "tree": TREE,
    }
    schema = Schema((Variable(name="x", kind="nominal"),), sources)
    (tmp_path / "sub").mkdir()
    path = tmp_path / "sub" / "x.schema.toml"
    path.write_text(schema.to_toml(folder=path.parent), encoding="utf-8")
    again = Schema.read(path)
    assert again == schema
    assert "../letters.csv" in path.read_text()
    assert again.taxonomies["right"].interval_tree().axis.closed == "right"


def test_a_taxonomy_file_that_changed_is_refused(tmp_path: Path) -> None:
    """The hash that a schema records is checked wherever the file lies."""
    write_taxonomy(TREE, tmp_path / "letters.csv")
    schema = Schema(
        (Variable(name="x", kind="nominal"),), {"t": TaxonomySource(file=tmp_path / "letters.csv")}
    )
    text = schema.to_toml(folder=tmp_path)
    write_taxonomy(Taxonomy.flat(["a", "c"]), tmp_path / "letters.csv")
    with pytest.raises(TaxonomyError, match=r"'letters\.csv' has changed"):
        Schema.from_toml(text, folder=tmp_path)


def test_columns_are_declared_once() -> None:
    """A name twice is an error."""
    with pytest.raises(SchemaError, match="Declared twice in the schema: x"):
        Schema((Variable(name="x", kind="numeric"), Variable(name="x", kind="nominal")))


def test_changes_are_new_schemas() -> None:
    """with_variable, with_role and with_taxonomy leave the schema as it was."""
    schema = full_schema()
    changed = schema.with_variable("age", kind="ordinal", role="confidential")
    assert (changed["age"].kind, changed["age"].upper, schema["age"].upper) == ("ordinal", None, 120)
    assert schema.with_role("other", "age", "sex").names == schema.names
    assert [v.name for v in schema.with_role("other", "age", "sex").of_role("other")] == [
        "age",
        "grade",
        "sex",
    ]
    on_tree = schema.with_taxonomy("more", Taxonomy.flat(["x"]), columns=["grade"])
    assert (on_tree["grade"].kind, on_tree["grade"].taxonomy, on_tree["grade"].levels) == (
        "taxonomic",
        "more",
        None,
    )
    with pytest.raises(ParameterError, match="Not a field of a column: colour"):
        schema.with_variable("age", colour="red")
    with pytest.raises(SchemaError, match="no column 'zip'"):
        schema.with_variable("zip", role="other")


def test_leaving_a_tree_forgets_it() -> None:
    """A taxonomic column made nominal names no taxonomy any more."""
    assert full_schema().with_variable("letter", kind="nominal")["letter"].taxonomy is None


def test_check_names_is_one_error_for_both_sides() -> None:
    """Columns that lack and columns that are new, at once, and what the data have."""
    schema = Schema((Variable(name="a", kind="numeric"), Variable(name="b", kind="numeric")))
    schema.check_names(["b", "a"])
    with pytest.raises(
        SchemaError, match=r"column b is not in the data; the data's columns c, d are not in the schema"
    ):
        schema.check_names(["a", "c", "d"])


def test_printed_schema_has_a_line_per_column() -> None:
    """The printed form shows kind, role and reason."""
    lines = str(full_schema()).splitlines()
    assert len(lines) == 7
    assert lines[5].split() == ["a.b", '"c"', "nominal", "identifier", "all", "unique"]


def test_numpy_values_survive_toml() -> None:
    """Levels taken from arrays are plain values in TOML."""
    schema = Schema((Variable(name="x", kind="nominal", levels=tuple(np.array(["a", "b"]).tolist())),))
    assert Schema.from_toml(schema.to_toml())["x"].levels == ("a", "b")
