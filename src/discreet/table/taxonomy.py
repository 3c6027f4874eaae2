"""A tree of categories (diagnoses, activities, places): the value that every taxonomic column refers to.

Nodes are numbered in depth-first preorder, children in the order of their file. So a parent comes before its
children, the subtree of node v is the slice v:end[v], and the node number settles ties everywhere.
Files are read in `taxonomy_read`, code systems are built in `taxonomy_build`; statistics on trees are in
`discreet.stats.tree`, which takes the arrays `parent` and `depth` alone.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np

from discreet.arrays import Bools, Codes, Ints
from discreet.errors import ParameterError, TaxonomyError
from discreet.table.taxonomy_edges import Edge, free_code, preordered

__all__ = ["REPAIR", "Nodes", "Taxonomy", "repaired"]

Nodes: TypeAlias = Ints | Codes
"""Node numbers: positions in `Taxonomy.codes`."""

REPAIR = re.compile(r"strip|pad([2-9])")


@dataclass(frozen=True, eq=False, repr=False)
class Taxonomy:
    """A rooted tree of categories; values of a column may sit on any node, also on inner ones.

    Two taxonomies are equal when they have the same codes under the same parents in the same order: that is
    what results depend on. Name and labels are for the reader.

    Parameters
    ----------
    name : what the tree is called in messages and recipes.
    codes : one text per node, in depth-first preorder; 153.10 is not 153.1 and 038 is not 38.
    labels : one text per node, possibly empty.
    parent : node number of the parent, -1 for the root (which is node 0).
    depth : edges up to the root; worked out.

    Examples
    --------
    >>> tree = Taxonomy("places", ("*", "north", "n1", "n2", "south"), ("",) * 5, np.array([-1, 0, 1, 1, 0]))
    >>> tree
    Taxonomy('places': 5 nodes, 3 leaves, height 2)
    >>> tree.nodes_of(["n2", "south"])
    array([3, 4], dtype=int32)
    >>> [tree.codes[v] for v in tree.ancestor_at_depth(tree.nodes_of(["n2", "south"]), 1)]
    ['north', 'south']
    """

    name: str
    codes: tuple[str, ...]
    labels: tuple[str, ...]
    parent: Ints
    depth: Ints = field(init=False)

    def __post_init__(self) -> None:
        parent = np.array(self.parent, dtype=np.int64)
        parent.setflags(write=False)
        object.__setattr__(self, "parent", parent)
        if not len(self.codes) == len(self.labels) == len(parent) > 0:
            raise TaxonomyError(
                f"taxonomy {self.name}: codes, labels and parents must be as many, at least one"
            )
        if len(set(self.codes)) != len(self.codes):
            raise TaxonomyError(f"taxonomy {self.name}: codes must differ from one another")
        object.__setattr__(self, "depth", _preorder_depth(self.name, parent))

    @classmethod
    def from_edges(
        cls, edges: Iterable[Edge], name: str = "taxonomy", *, join_roots: bool = False
    ) -> Taxonomy:
        """A taxonomy from rows (code, code of the parent[, label]) in any order; an empty parent makes a root.

        Several roots are an error, or with `join_roots=True` get a common one, called `*` (`<root>` where that is
        taken). Codes listed twice or under two parents, parents not listed, cycles, roots: all named at once.

        >>> Taxonomy.from_edges([("a", ""), ("a1", "a", "first"), ("b", "")], join_roots=True).codes
        ('*', 'a', 'a1', 'b')
        >>> Taxonomy.from_edges([("a", "b"), ("b", "a"), ("c", "z")], "loop")
        Traceback (most recent call last):
        discreet.errors.TaxonomyError: taxonomy loop: parents not listed as codes: 1 (z); codes on a cycle or \
below one: 2 (a, b); there is no root, that is a code with an empty parent
        """
        codes, labels, parent = preordered(edges, name, join_roots)
        return cls(name, codes, labels, np.array(parent))

    @classmethod
    def flat(cls, levels: Iterable[object], name: str = "flat") -> Taxonomy:
        """Categories without a hierarchy as a tree of depth 1: level i becomes node i + 1.

        >>> Taxonomy.flat(["f", "m"], name="sex").codes
        ('*', 'f', 'm')
        """
        texts = [str(level) for level in levels]
        codes = (free_code(texts), *texts)
        parent = np.zeros(len(codes), dtype=np.int64)
        parent[0] = -1
        return cls(name, codes, ("",) * len(codes), parent)

    # ------------------------------------------------------------------ identity

    def __len__(self) -> int:
        return len(self.codes)

    def __contains__(self, code: object) -> bool:
        return code in self.position

    def __repr__(self) -> str:
        return f"Taxonomy({self.name!r}: {len(self)} nodes, {len(self.leaves)} leaves, height {self.height})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Taxonomy):
            return NotImplemented
        return self is other or (self.codes == other.codes and np.array_equal(self.parent, other.parent))

    def __hash__(self) -> int:
        return hash(self.sha256)

    @cached_property
    def sha256(self) -> str:
        """Hash of the canonical edge list: the lines `code,parent` in preorder, as UTF-8."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            (code, above) for code, above, _ in self.to_edge_list()
        )
        return hashlib.sha256(text.getvalue().encode()).hexdigest()

    def to_edge_list(self) -> tuple[tuple[str, str, str], ...]:
        """(code, code of the parent, label) of every node in preorder; the root's parent is empty.

        >>> Taxonomy.flat(["f", "m"]).to_edge_list()
        (('*', '', ''), ('f', '*', ''), ('m', '*', ''))
        """
        above = ("", *(self.codes[p] for p in self.parent[1:]))
        return tuple(zip(self.codes, above, self.labels, strict=True))

    # ------------------------------------------------------------------ shape

    @cached_property
    def position(self) -> Mapping[str, int]:
        """Code -> node."""
        return {code: node for node, code in enumerate(self.codes)}

    @cached_property
    def end(self) -> Ints:
        """One past the last node of each subtree: the subtree of v is v:end[v]."""
        size = [1] * len(self)
        parent = self.parent.tolist()
        for node in range(len(self) - 1, 0, -1):
            size[parent[node]] += size[node]
        return _sealed(np.arange(len(self)) + np.array(size))

    @cached_property
    def is_leaf(self) -> Bools:
        """True for nodes without children."""
        leaf: Bools = self.end == np.arange(1, len(self) + 1)
        leaf.setflags(write=False)
        return leaf

    @cached_property
    def leaves(self) -> Ints:
        """The nodes without children, in preorder."""
        return _sealed(np.flatnonzero(self.is_leaf))

    @property
    def height(self) -> int:
        """Greatest depth of any node."""
        return int(self.depth.max())

    def subtree(self, node: int) -> slice:
        """The node and everything below it."""
        return slice(node, int(self.end[node]))

    def children(self, node: int) -> Ints:
        """The nodes directly below, in file order."""
        below = self.subtree(node)
        return np.flatnonzero(self.parent[below] == node) + np.int64(node)

    def ancestors(self, node: int) -> Ints:
        """The nodes above, nearest first, the root last; none for the root."""
        return np.array(list(self._upward(node)), dtype=np.int64)

    def _upward(self, node: int) -> Iterator[int]:
        above = int(self.parent[node])
        while above >= 0:
            yield above
            above = int(self.parent[above])

    def lowest_common_ancestor(self, nodes: Iterable[int]) -> int:
        """The deepest node whose subtree holds all of `nodes` (a node is in its own subtree).

        In preorder that is the nearest one above the first of them whose slice reaches the last of them.
        """
        members = [int(node) for node in nodes]
        if not members:
            raise ParameterError("nodes must not be empty: no node is common to none")
        first, last = min(members), max(members)
        return next(node for node in (first, *self._upward(first)) if last < self.end[node])

    # ------------------------------------------------------------------ generalisation

    def at_level(self, depth: int) -> Codes:
        """For every node its ancestor at `depth`; nodes not deeper than that stand for themselves.

        `at_level(height - i)` is generalisation level i of a level table.
        """
        if depth < 0:
            raise ParameterError(f"depth must be 0 (everything is the root) or more. Got depth={depth}")
        chosen = np.arange(len(self), dtype=np.int32)
        while (deep := self.depth[chosen] > depth).any():
            chosen[deep] = self.parent[chosen[deep]]
        return chosen

    def ancestor_at_depth(self, nodes: Nodes, depth: int) -> Codes:
        """The ancestor of each of `nodes` at `depth`; nodes not deeper than that stay."""
        return self.at_level(depth)[nodes]

    def roll_up(self, nodes: Nodes, steps: int = 1) -> Codes:
        """Each node moved `steps` edges towards the root, where it stops."""
        if steps < 0:
            raise ParameterError(f"steps must be 0 or more. Got steps={steps}")
        moved = np.array(nodes, dtype=np.int32)
        for _ in range(min(steps, self.height)):
            moved = np.maximum(self.parent[moved], 0).astype(np.int32)
        return moved

    def cut(self, depth: int) -> Taxonomy:
        """The tree without its nodes deeper than `depth`."""
        if depth < 0:
            raise ParameterError(f"depth must be 0 (the root alone) or more. Got depth={depth}")
        kept = np.flatnonzero(self.depth <= depth)
        renumbered = np.full(len(self), -1, dtype=np.int64)
        renumbered[kept] = np.arange(len(kept))
        above = np.where(kept == 0, -1, renumbered[np.maximum(self.parent[kept], 0)])
        return Taxonomy(
            self.name, tuple(self.codes[v] for v in kept), tuple(self.labels[v] for v in kept), above
        )

    def with_category(self, code: str, label: str = "") -> Taxonomy:
        """The tree with one more child of the root, after all others: the numbers of the other nodes stay.

        This is how a missing value is made a category of its own.
        """
        if code in self:
            raise TaxonomyError(f"taxonomy {self.name}: code {code} is there already")
        return Taxonomy(self.name, (*self.codes, code), (*self.labels, label), np.append(self.parent, 0))

    # ------------------------------------------------------------------ codes of data

    def nodes_of(self, codes: Iterable[str]) -> Codes:
        """The node of each code; a code the tree lacks is an error that counts without naming them."""
        sought = list(codes)
        found = np.array([self.position.get(code, -1) for code in sought], dtype=np.int32)
        if (found < 0).any():
            self._refuse(sought, found, np.ones(len(sought), dtype=np.int64), column=None)
        return found

    def resolve(
        self, codes: Sequence[str], counts: Ints | None = None, column: str = "", repair: str | None = None
    ) -> Codes:
        """The node of each distinct code of a column, where counts[i] records hold codes[i].

        `repair` is applied to codes the tree lacks, and only when asked for: "pad3" (or pad2 ... pad9) fills
        the digits before the point with leading zeros up to three, leaving codes that begin with a letter;
        "strip" removes blanks around a code. What stays unknown is an error: its message counts, its
        `.unknown` maps each code to its number of records, and a repair that would help is named.

        >>> tree = Taxonomy.flat(["008", "038", "V10"], name="icd")
        >>> tree.resolve(["8", "V10"], np.array([5, 2]), column="diag", repair="pad3")
        array([1, 3], dtype=int32)
        >>> tree.resolve(["8", "V10"], np.array([5, 2]), column="diag")
        Traceback (most recent call last):
        discreet.errors.TaxonomyError: column diag: 5 of 7 records hold 1 code the taxonomy lacks; \
1 exists with leading zeros (read as numbers?). Ask for repair='pad3' \
(on the command line --taxonomy NAME=FILE:COLUMNS:repair=pad3), or read the codes as text
        """
        held = np.ones(len(codes), dtype=np.int64) if counts is None else np.asarray(counts)
        if len(held) != len(codes):
            raise ParameterError(f"counts must have one entry per code: {len(held)} for {len(codes)} codes")
        found = np.array([self._node_after(repair, code) for code in codes], dtype=np.int32)
        if (found < 0).any():
            self._refuse(codes, found, held, column)
        return found

    def _node_after(self, repair: str | None, code: str) -> int:
        node = self.position.get(code, -1)
        return node if node >= 0 or repair is None else self.position.get(repaired(code, repair), -1)

    def _refuse(self, codes: Sequence[str], found: Codes, counts: Ints, column: str | None) -> None:
        """Raise for the codes with found < 0: counts in the message, codes on the exception alone."""
        unknown: dict[str, int] = {}
        for i in np.flatnonzero(found < 0).tolist():
            unknown[codes[i]] = unknown.get(codes[i], 0) + int(counts[i])
        where = f"column {column}" if column else f"taxonomy {self.name}"
        word = "code" if len(unknown) == 1 else "codes"
        message = (
            f"{where}: {sum(unknown.values())} of {int(counts.sum())} records hold {len(unknown)} {word} "
            "the taxonomy lacks"
        )
        raise TaxonomyError(message + self._advice(list(unknown)), unknown)

    def _advice(self, unknown: list[str]) -> str:
        """Which repair would make most of the unknown codes known, and how many."""
        helped = {repair: self._known_after(repair, unknown) for repair in _REPAIRS}
        best = max(helped, key=lambda repair: helped[repair])
        if helped[best] == 0:
            return ". Correct them, or give the taxonomy they come from"
        exist = f"; {helped[best]} {'exists' if helped[best] == 1 else 'exist'}"
        if best == "strip":
            return f"{exist} without the blanks around. Ask for repair='strip'{_typed(best)}"
        return (
            f"{exist} with leading zeros (read as numbers?). Ask for repair='{best}'{_typed(best)}, or read the codes "
            "as text"
        )

    def _known_after(self, repair: str, codes: list[str]) -> int:
        return sum(repaired(code, repair) in self.position for code in codes)


def _typed(repair: str) -> str:
    return f" (on the command line --taxonomy NAME=FILE:COLUMNS:repair={repair})"


# Most usual first: of two repairs that help equally the first is proposed.
_REPAIRS = ("pad3", "pad2", "pad4", "pad5", "pad6", "pad7", "pad8", "pad9", "strip")


def repaired(code: str, repair: str) -> str:
    """One code after a repair: "strip", or "pad<width>" for the digits before the point.

    >>> [repaired(code, "pad3") for code in ("8", "38.1", "250.83", "V1", "E9.1")]
    ['008', '038.1', '250.83', 'V1', 'E9.1']
    """
    asked = REPAIR.fullmatch(repair)
    if asked is None:
        raise ParameterError(f"repair must be 'strip' or 'pad2' to 'pad9' ('pad3' for ICD-9). Got {repair!r}")
    if asked[1] is None:
        return code.strip()
    whole, point, rest = code.partition(".")
    return whole.zfill(int(asked[1])) + point + rest if whole.isdecimal() else code


def _preorder_depth(name: str, parent: Ints) -> Ints:
    """Depth of every node; refuses numbers that are not those of a depth-first preorder."""
    path: list[int] = []
    depth = np.zeros(len(parent), dtype=np.int64)
    for node, above in enumerate(parent.tolist()):
        while path and path[-1] != above:
            path.pop()
        misplaced = not path if node else above != -1
        if misplaced:
            raise TaxonomyError(
                f"taxonomy {name}: nodes are not one tree in depth-first preorder. Use Taxonomy.from_edges"
            )
        depth[node] = len(path)
        path.append(node)
    return _sealed(depth)


def _sealed(numbers: Ints) -> Ints:
    numbers.setflags(write=False)
    return numbers
