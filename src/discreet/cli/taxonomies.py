"""`discreet taxonomy`: is a file a tree, what shape has it, and does it hold the codes of a column?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.cli.page import Page
from discreet.errors import ParameterError
from discreet.table.frames import as_frame, encode_column
from discreet.table.load import open_data
from discreet.table.schema import Variable
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_read import read_taxonomies
from discreet.table.taxonomy_source import TaxonomySource


@dataclass(frozen=True)
class Coverage:
    """A column whose codes are all in the tree; how many records have none."""

    column: str
    n_records: int
    n_missing: int


@dataclass(frozen=True)
class Shape:
    """The trees of a file, and how one of them covers a column of data."""

    source: Path
    trees: Mapping[str, Taxonomy]
    coverage: Coverage | None

    def to_dict(self) -> dict[str, Any]:
        trees = [
            {
                "name": name,
                "n_nodes": len(tree),
                "n_leaves": len(tree.leaves),
                "height": tree.height,
                "n_nodes_at_depth": nodes_at_depths(tree),
                "sha256": tree.sha256,
            }
            for name, tree in self.trees.items()
        ]
        covers = {"covers": vars(self.coverage)} if self.coverage else {}
        return {"status": "done", "file": str(self.source), "taxonomies": trees} | covers

    def show(self, page: Page) -> None:
        rows = [
            (
                name,
                str(len(tree)),
                str(len(tree.leaves)),
                str(tree.height),
                " ".join(map(str, nodes_at_depths(tree))),
            )
            for name, tree in self.trees.items()
        ]
        page.table(("taxonomy", "nodes", "leaves", "height", "nodes at depth 0, 1, ..."), rows)
        if self.coverage:
            filled = self.coverage.n_records - self.coverage.n_missing
            page.line(
                f"column {self.coverage.column}: all {filled} codes of {self.coverage.n_records} records are in the "
                f"tree; {self.coverage.n_missing} are missing"
            )


def nodes_at_depths(tree: Taxonomy) -> list[int]:
    """How many nodes lie at each depth, the root first."""
    counts: list[int] = np.bincount(tree.depth).tolist()
    return counts


@dataclass(frozen=True)
class Wanted:
    """Which tree of the file, whether it covers a column of data, and what may be done to make it so."""

    attribute: str | None = None
    data: Path | None = None
    column: str | None = None
    repair: str | None = None
    join_roots: bool = False


def check_taxonomy(source: Path, wanted: Wanted, reading: Mapping[str, Any] | None = None) -> Shape:
    """Read and describe the trees of a file; with data and column, see that the tree holds all of its codes."""
    trees = _trees(source, wanted)
    if (wanted.data is None) != (wanted.column is None):
        raise ParameterError("To check a column, give both --data FILE and --column NAME.")
    if wanted.data is None or wanted.column is None:
        return Shape(source, trees, None)
    if len(trees) > 1:
        raise ParameterError(f"Say which tree to check with --attribute: {', '.join(trees)}.")
    (tree,) = trees.values()
    covering = TaxonomySource(tree=tree, repair=wanted.repair)
    return Shape(source, trees, _coverage(covering, wanted.data, wanted.column, reading or {}))


def _trees(source: Path, wanted: Wanted) -> dict[str, Taxonomy]:
    trees = read_taxonomies(source, join_roots=wanted.join_roots or None)
    if wanted.attribute is None:
        return trees
    if wanted.attribute not in trees:
        raise ParameterError(
            f"'{source.name}' has no taxonomy '{wanted.attribute}'. It has: {', '.join(trees)}."
        )
    return {wanted.attribute: trees[wanted.attribute]}


def _coverage(source: TaxonomySource, data: Path, name: str, reading: Mapping[str, Any]) -> Coverage:
    """Raises where codes are not in the tree."""
    opened = open_data(data, **reading)
    frame = as_frame(opened.frame)
    if name not in frame.columns:
        raise ParameterError(f"'{data.name}' has no column '{name}'. It has: {', '.join(frame.columns)}.")
    variable = Variable(name=name, kind="taxonomic", role="other", taxonomy="tree")
    column, _ = encode_column(frame, variable, {"tree": source}, opened.text_of)
    return Coverage(name, column.n_records, int(column.missing.sum()))
