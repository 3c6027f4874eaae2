"""Where a schema's taxonomy comes from: a file with its hash, a rule over the codes, or a tree already built.

A schema must survive TOML without carrying 17 000 nodes, and a rule such as prefix lengths needs the codes of the
file before it is a tree. `tree_for` makes the tree; nothing else of the library needs to know how.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, TypeAlias

from discreet.errors import SchemaError, TaxonomyError
from discreet.table.taxonomy import REPAIR, Taxonomy
from discreet.table.taxonomy_build import Intervals, from_intervals, from_prefixes, from_ranges
from discreet.table.taxonomy_read import read_taxonomy

Level: TypeAlias = tuple[float, ...] | int


@dataclass(frozen=True, kw_only=True)
class TaxonomySource:
    """One way to a tree, as it stands in a schema.

    Args:
        file: a taxonomy file (`attribute` picks one of several in it); kept as a full path, written relative to where
            the schema is written. `sha256` of the tree guards against changes.
        prefixes: lengths of the codes' prefixes, one a level; `sections` maps a top letter to a range of them.
        ranges: True builds ICD-like nested ranges from the codes themselves.
        intervals: levels of an interval tree on a number line, finest first; `whole`, `open_ends` and `closed` as in
            `from_intervals`.
        tree: a tree already built; written into TOML as `edges`.
        join_roots: whether several roots of a file or of edges get a common one; else they are an error.
        repair: the one repair of codes that was asked for (see `Taxonomy.resolve`).
    """

    file: Path | None = None
    attribute: str | None = None
    sha256: str | None = None
    prefixes: tuple[int, ...] = ()
    sections: Mapping[str, str] | None = None
    ranges: bool = False
    intervals: tuple[Level, ...] = ()
    whole: bool = False
    open_ends: bool = False
    closed: Literal["left", "right"] = "left"
    tree: Taxonomy | None = field(default=None, repr=False)
    join_roots: bool = False
    repair: str | None = None

    def __post_init__(self) -> None:
        for name in ("prefixes", "intervals"):
            object.__setattr__(self, name, _frozen(getattr(self, name)))
        for name, (holds, wanted) in _FIELDS.items():
            if getattr(self, name) is not None and not holds(getattr(self, name)):
                raise SchemaError(f"A taxonomy's {name} must be {wanted}.")
        if self.file is not None:
            object.__setattr__(self, "file", Path(self.file).parent.resolve() / Path(self.file).name)

    @classmethod
    def of(cls, source: TaxonomySource | Taxonomy | str | Path) -> TaxonomySource:
        """A source, with its tree where that needs no codes, from whatever a person hands over."""
        if isinstance(source, TaxonomySource):
            return source.loaded()
        if isinstance(source, Intervals):
            axis = source.axis
            return cls(
                intervals=_levels_of(source),
                whole=axis.whole,
                open_ends=axis.open_ends,
                closed=axis.closed,
                tree=source,
            )
        if isinstance(source, Taxonomy):
            return cls(tree=source)
        return cls(file=Path(source)).loaded()

    def loaded(self) -> TaxonomySource:
        """The same source with its tree: the file read and its hash checked, or the intervals built."""
        if self.tree is not None or (self.file is None and not self.intervals):
            return self
        if self.file is None:
            return replace(self, tree=self.interval_tree())
        tree = read_taxonomy(self.file, attribute=self.attribute, join_roots=self.join_roots or None)
        if self.sha256 and self.sha256 != tree.sha256:
            raise TaxonomyError(
                f"The taxonomy in '{self.file.name}' has changed since the schema was written (its hash differs). "
                "Check the file; remove sha256 from the schema to accept it."
            )
        return replace(self, tree=tree, sha256=tree.sha256)

    def tree_for(self, codes: Iterable[str]) -> Taxonomy:
        """The tree; `codes` are the distinct codes of the column, which a rule builds on."""
        if (tree := self.loaded().tree) is not None:
            return tree
        if self.prefixes:
            return from_prefixes(sorted(codes), self.prefixes, sections=self.sections)
        if self.ranges:
            return from_ranges(sorted(codes))
        raise SchemaError("A taxonomy needs one of: file, prefixes, ranges, intervals, edges.")

    def interval_tree(self) -> Intervals:
        """The tree of an interval source; an error for any other."""
        if isinstance(self.tree, Intervals):
            return self.tree
        if not self.intervals:
            raise SchemaError("Numbers are placed on intervals only; this taxonomy has none.")
        return from_intervals(self.intervals, whole=self.whole, open_ends=self.open_ends, closed=self.closed)

    def to_dict(self, *, folder: Path | None = None) -> dict[str, Any]:
        """As plain data for TOML that is written into `folder` (None: the working directory); defaults left out."""
        entry: dict[str, Any] = {
            "file": _seen_from(self.file, folder or Path()) if self.file is not None else None,
            "attribute": self.attribute,
            "sha256": self.sha256,
            "prefixes": list(self.prefixes),
            "sections": dict(self.sections or {}),
            "ranges": self.ranges,
            "intervals": [list(level) if isinstance(level, tuple) else level for level in self.intervals],
            "whole": self.whole,
            "open_ends": self.open_ends,
            "closed": self.closed if self.closed != "left" else None,
            "join_roots": self.join_roots,
            "repair": self.repair,
        }
        if self.tree is not None and self.file is None and not self.intervals:
            entry["edges"] = [list(edge) for edge in self.tree.to_edge_list()]
        return {key: value for key, value in entry.items() if value not in (None, [], {}, False)}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any], *, folder: Path | None = None) -> TaxonomySource:
        allowed = set(cls.__dataclass_fields__) - {"tree"} | {"edges"}
        if unknown := sorted(set(entry) - allowed):
            raise SchemaError(
                f"A taxonomy has no field {', '.join(unknown)}; use {', '.join(sorted(allowed))}."
            )
        fields = {key: value for key, value in entry.items() if key != "edges"}
        if isinstance(entry.get("file"), str) and folder is not None and (folder / entry["file"]).is_file():
            fields["file"] = folder / entry["file"]
        if "edges" in entry:
            join_roots = bool(entry.get("join_roots"))
            fields["tree"] = Taxonomy.from_edges(_edges(entry["edges"]), join_roots=join_roots)
        return cls(**fields).loaded()


def _seen_from(file: Path, folder: Path) -> str:
    """The path of a file as it is written down in a folder, so that both can be moved together."""
    try:
        return Path(os.path.relpath(file, folder.resolve())).as_posix()
    except ValueError:  # another drive
        return str(file)


def _edges(rows: Any) -> list[tuple[str, ...]]:
    if not isinstance(rows, list) or not all(_is_edge(row) for row in rows):
        raise SchemaError(
            "A taxonomy's edges must be rows of texts: [code, parent] or [code, parent, label]."
        )
    return [tuple(row) for row in rows]


def _is_edge(row: Any) -> bool:
    return isinstance(row, list) and len(row) in (2, 3) and all(isinstance(cell, str) for cell in row)


def _frozen(value: Any) -> Any:
    """Lists and arrays inside one another as tuples."""
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        return tuple(_frozen(item) for item in value)
    return value


# -- what a field may be ---------------------------------------------------------------------------------------


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_level(value: Any) -> bool:
    cuts = value if isinstance(value, tuple) else (value,)
    numbers = all(isinstance(cut, Real) and not isinstance(cut, bool) for cut in cuts)
    return numbers and (isinstance(value, tuple) or _is_whole(value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_repair(value: Any) -> bool:
    return isinstance(value, str) and REPAIR.fullmatch(value) is not None


_FIELDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "file": (lambda value: isinstance(value, (str, Path)), "the path of a file"),
    "attribute": (_is_text, "text"),
    "sha256": (_is_text, "text"),
    "prefixes": (
        lambda value: isinstance(value, tuple) and all(_is_whole(n) and n > 0 for n in value),
        "a list of whole numbers, 1 or more",
    ),
    "sections": (
        lambda value: isinstance(value, Mapping) and all(_is_text(text) for text in value.values()),
        'a table of ranges, like {A = "01-03"}',
    ),
    "ranges": (_is_truth, "true or false"),
    "intervals": (
        lambda value: isinstance(value, tuple) and all(map(_is_level, value)),
        "a list of cut points, then lists of them or whole numbers",
    ),
    "whole": (_is_truth, "true or false"),
    "open_ends": (_is_truth, "true or false"),
    "closed": (lambda value: value in ("left", "right"), "left or right"),
    "tree": (lambda value: isinstance(value, Taxonomy), "a Taxonomy"),
    "join_roots": (_is_truth, "true or false"),
    "repair": (_is_repair, "strip, or pad2 to pad9 (pad3 for ICD-9)"),
}


def _levels_of(tree: Intervals) -> tuple[Level, ...]:
    """The cut points of every level of an interval tree, finest first, from the leaves each inner node holds."""
    cuts = tree.axis.cuts
    place = {int(leaf): i for i, leaf in enumerate(tree.leaves)}
    shift = 1 if tree.axis.open_ends else 0
    levels: list[Level] = [tuple(float(cut) for cut in cuts)]
    for depth in range(tree.height - 1, 0, -1):
        tops = [
            v
            for v in range(1, len(tree))
            if tree.depth[v] <= depth and (tree.depth[v] == depth or tree.is_leaf[v])
        ]
        firsts = sorted(
            min(place[int(leaf)] for leaf in tree.leaves if v <= leaf < tree.end[v]) - shift for v in tops
        )
        inner = [float(cuts[i]) for i in firsts if 0 <= i < len(cuts)]
        levels.append(tuple(sorted({*inner, float(cuts[0]), float(cuts[-1])})))
    return tuple(levels)
