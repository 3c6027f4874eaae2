"""Where a schema's taxonomy comes from: a file with its hash, a rule over the codes, or a tree already built.

A schema must survive TOML without carrying 17 000 nodes, and a rule such as prefix lengths needs the codes of the
file before it is a tree. `tree_for` makes the tree; nothing else of the library needs to know how.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from discreet.errors import SchemaError, TaxonomyError
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import Intervals, from_intervals, from_prefixes, from_ranges
from discreet.table.taxonomy_read import read_taxonomy

Level: TypeAlias = tuple[float, ...] | int


@dataclass(frozen=True, kw_only=True)
class TaxonomySource:
    """One way to a tree, as it stands in a schema.

    Args:
        file: a taxonomy file (`attribute` picks one of several in it); `sha256` of the tree guards against changes.
        prefixes: lengths of the codes' prefixes, one a level; `sections` maps a top letter to a range of them.
        ranges: True builds ICD-like nested ranges from the codes themselves.
        intervals: levels of an interval tree on a number line, finest first; `whole`, `open_ends` as in
            `from_intervals`.
        tree: a tree already built; written into TOML as `edges`.
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
    tree: Taxonomy | None = field(default=None, repr=False)
    repair: str | None = None

    @classmethod
    def of(cls, source: TaxonomySource | Taxonomy | str | Path) -> TaxonomySource:
        """A source from whatever a person hands over: a tree, or the path of a file."""
        if isinstance(source, TaxonomySource):
            return source
        if isinstance(source, Intervals):
            axis = source.axis
            return cls(intervals=_levels_of(source), whole=axis.whole, open_ends=axis.open_ends, tree=source)
        if isinstance(source, Taxonomy):
            return cls(tree=source, sha256=source.sha256)
        return cls(file=Path(source)).loaded()

    def loaded(self, folder: Path | None = None) -> TaxonomySource:
        """The same source with its file read and its hash checked."""
        if self.file is None:
            return self
        path = self.file
        if not path.is_absolute() and folder is not None and (folder / path).is_file():
            path = folder / path
        tree = read_taxonomy(path, attribute=self.attribute)
        if self.sha256 and self.sha256 != tree.sha256:
            raise TaxonomyError(
                f"The taxonomy in '{path.name}' has changed since the schema was written (its hash differs). "
                "Check the file; remove sha256 from the schema to accept it."
            )
        return replace(self, file=path, tree=tree, sha256=tree.sha256)

    def tree_for(self, codes: Iterable[str]) -> Taxonomy:
        """The tree; `codes` are the distinct codes of the column, which a rule builds on."""
        if self.tree is not None:
            return self.tree
        if self.file is not None:
            tree = self.loaded().tree
            assert tree is not None
            return tree
        if self.prefixes:
            return from_prefixes(sorted(codes), self.prefixes, sections=self.sections)
        if self.ranges:
            return from_ranges(sorted(codes))
        if self.intervals:
            return self.interval_tree()
        raise SchemaError("A taxonomy needs one of: file, prefixes, ranges, intervals, edges.")

    def interval_tree(self) -> Intervals:
        """The tree of an interval source; an error for any other."""
        if isinstance(self.tree, Intervals):
            return self.tree
        if not self.intervals:
            raise SchemaError("Numbers are placed on intervals only; this taxonomy has none.")
        return from_intervals(self.intervals, whole=self.whole, open_ends=self.open_ends)

    def to_dict(self) -> dict[str, Any]:
        """As plain data for TOML; fields at their default are left out."""
        entry: dict[str, Any] = {
            "file": str(self.file) if self.file is not None else None,
            "attribute": self.attribute,
            "sha256": self.sha256,
            "prefixes": list(self.prefixes),
            "sections": dict(self.sections or {}),
            "ranges": self.ranges,
            "intervals": [list(level) if isinstance(level, tuple) else level for level in self.intervals],
            "whole": self.whole,
            "open_ends": self.open_ends,
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
        fields = {key: _frozen(value) for key, value in entry.items() if key != "edges"}
        if "file" in fields:
            fields["file"] = Path(fields["file"])
        if "edges" in entry:
            fields["tree"] = Taxonomy.from_edges([tuple(edge) for edge in entry["edges"]])
        return cls(**fields).loaded(folder)


def _frozen(value: Any) -> Any:
    return (
        tuple(_frozen(item) for item in value)
        if isinstance(value, Sequence) and not isinstance(value, str)
        else value
    )


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
