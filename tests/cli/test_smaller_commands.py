"""`discreet methods`, `taxonomy` and `demo`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

from discreet.cli.listing import Description
from discreet.workflow.methods import METHODS

Command = Callable[..., Result]
TREE = "code,parent\nall,\nnorth,all\nQaxton,north\nWyzzle,north\nVubbick,all\n"


def test_every_method_is_listed_and_described(discreet: Command) -> None:
    """Each public method has a line, and every parameter says what it takes."""
    printed = discreet("methods").stdout
    for method in METHODS:
        description = Description.of(method)
        assert method.__name__ in printed
        assert description.summary
        assert all(parameter.takes for parameter in description.parameters)


def test_one_method_in_full(discreet: Command) -> None:
    """A method by name shows its parameters with what they mean and their defaults."""
    printed = " ".join(discreet("methods", "local-suppression").stdout.split())
    assert "--set k=... (a whole number; default 3)" in printed
    assert "smallest number of records that agree" in printed


def test_methods_as_json(discreet: Command) -> None:
    """The list for machines names every parameter once."""
    listed = json.loads(discreet("methods", "--json").stdout)["methods"]
    noise = next(entry for entry in listed if entry["name"] == "Noise")
    assert [parameter["name"] for parameter in noise["parameters"]] == ["sd", "columns", "kind", "exact"]


def test_the_shape_of_a_taxonomy(discreet: Command, tmp_path: Path) -> None:
    """Nodes, leaves, height and nodes by depth, counted by hand."""
    (tmp_path / "towns.csv").write_text(TREE)
    (tree,) = json.loads(discreet("taxonomy", tmp_path / "towns.csv", "--json").stdout)["taxonomies"]
    assert (tree["n_nodes"], tree["n_leaves"], tree["height"], tree["n_nodes_at_depth"]) == (
        5,
        3,
        2,
        [1, 2, 2],
    )


def test_what_is_no_tree_is_refused(discreet: Command, tmp_path: Path) -> None:
    """A cycle is exit code 2 and a sentence."""
    (tmp_path / "loop.csv").write_text("code,parent\na,b\nb,a\n")
    result = discreet("taxonomy", tmp_path / "loop.csv")
    assert result.exit_code == 2
    assert "cycle" in result.stderr


def test_codes_of_a_column_against_a_tree(discreet: Command, people: Path) -> None:
    """All codes known: said with counts. Some unknown: refused; listed with --show-codes only."""
    tree = people.parent / "towns.csv"
    tree.write_text(TREE)
    arguments = ("taxonomy", tree, "--data", people, "--column", "town")
    assert "all 60 codes of 60 records" in discreet(*arguments).stdout
    tree.write_text(TREE.replace("Qaxton", "Elsewhere"))
    refused = discreet(*arguments)
    assert refused.exit_code == 2
    assert "Qaxton" not in refused.stdout + refused.stderr
    listed = discreet(*arguments, "--show-codes").stderr
    assert ["Qaxton", "20"] in [line.split() for line in listed.splitlines()]


def test_lost_zeros_are_put_back_when_asked_for(discreet: Command, tmp_path: Path) -> None:
    """The way out that the refusal names can be typed, for the check of a tree and for protecting."""
    rows = "".join(f"{i % 9},{20 + i % 13}\n" for i in range(60))
    (tmp_path / "visits.csv").write_text(f"ward,age\n{rows}")
    (tmp_path / "wards.csv").write_text("code,parent\nall,\n" + "".join(f"00{i},all\n" for i in range(9)))
    taxonomy = f"wards={tmp_path}/wards.csv:ward"
    protect = ("protect", tmp_path / "visits.csv", tmp_path / "safe.csv", "--no-evidence", "--taxonomy")
    refused = discreet(*protect, taxonomy)
    assert refused.exit_code == 2
    assert "--taxonomy NAME=FILE:COLUMNS:repair=pad3" in " ".join(refused.stderr.split())
    assert discreet(*protect, f"{taxonomy}:repair=pad3").exit_code == 0
    check = ("taxonomy", tmp_path / "wards.csv", "--data", tmp_path / "visits.csv", "--column", "ward")
    assert discreet(*check).exit_code == 2
    assert discreet(*check, "--repair", "pad3").exit_code == 0
    assert discreet(*protect, f"{taxonomy}:repair=magic").exit_code == 2


def test_two_roots_are_refused_unless_joined(discreet: Command, people: Path) -> None:
    """An edge list with two roots is named as faulty; a common root can be asked for in either command."""
    tree = people.parent / "towns.csv"
    tree.write_text("code,parent\nnorth,\nQaxton,north\nWyzzle,north\nsouth,\nVubbick,south\n")
    assert "roots where there should be one" in " ".join(discreet("taxonomy", tree).stderr.split())
    assert discreet("taxonomy", tree, "--join-roots").exit_code == 0
    inspect = ("inspect", people, "--taxonomy")
    assert discreet(*inspect, f"towns={tree}:town").exit_code == 2
    assert discreet(*inspect, f"towns={tree}:town:repair=strip:join-roots").exit_code == 0


def test_the_demo_runs_twice_and_spares_other_files(discreet: Command, tmp_path: Path) -> None:
    """The demo protects its file end to end, can be repeated, and never replaces a file that is not its own."""
    folder = tmp_path / "demo"
    first = discreet("demo", "--folder", folder)
    assert first.exit_code == 0, first.stderr
    assert "holds: k-anonymity" in first.stdout
    assert "linkage.distance" in first.stdout
    files = sorted(path.name for path in folder.iterdir())
    assert files == [
        "diagnosis.csv",
        "patients.csv",
        "safe.csv",
        "safe.public-recipe.toml",
        "safe.recipe.toml",
        "safe.report.html",
    ]
    assert discreet("demo", "--folder", folder).exit_code == 0
    (folder / "patients.csv").write_text("mine")
    assert discreet("demo", "--folder", folder).exit_code == 2
    assert (folder / "patients.csv").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == files
