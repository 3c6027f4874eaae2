"""Taxonomies from files: level tables (one row per value) and edge lists, as text, plain or gzipped.

The `csv` module reads every cell as text: 038 stays 038, and 153.10 is not 153.1. These files are small.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from discreet.errors import FileError, ParameterError, TaxonomyError
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_build import from_intervals, from_levels, from_prefixes, from_ranges

# The builders are named here too: whoever needs a tree finds all ways to one in this module.
__all__ = [
    "from_intervals",
    "from_levels",
    "from_prefixes",
    "from_ranges",
    "read_taxonomies",
    "read_taxonomy",
    "write_taxonomy",
]

Format: TypeAlias = Literal["edges", "levels"]
Rows: TypeAlias = list[list[str]]

_CODE_NAMES = ("code", "child", "id")
_PARENT_NAMES = ("parent", "parent_code", "parent_id")
_LABEL_NAMES = ("label", "description", "name", "title")


def read_taxonomy(
    path: str | Path,
    format: Format | None = None,
    *,
    attribute: str | None = None,
    name: str | None = None,
    header: bool | None = None,
    delimiter: str | None = None,
    join_roots: bool | None = None,
) -> Taxonomy:
    """Read one taxonomy from a CSV file (UTF-8, also gzipped).

    Formats, told apart by the first line unless `format` says:

    - "edges": columns code, parent and perhaps a label (the column label, description, name or title, else
      the first of the others). An empty parent makes a root.
    - "levels": a row per value, from the value up to the root (often `*`), as ARX writes them; no header
      needed. A first column called `attribute` makes it several taxonomies: `attribute` picks one of them.

    Parameters
    ----------
    name : what to call it; by default the attribute, else the name of the file.
    header : whether the first line is one; by default edge lists have one, and level tables where the last
        cell of the first line differs from that of all others.
    delimiter : `;`, `,` or a tab; by default the one that gives all lines equally many cells.
    join_roots : give several roots a common one, or refuse them; by default level tables get one, whose rows may end
        below the root, and in an edge list several roots are an error.
    """
    trees = _read(path, format, name, header, delimiter, join_roots)
    if attribute is None and len(trees) == 1:
        return next(iter(trees.values()))
    if attribute not in trees:
        raise TaxonomyError(
            f"{path} holds the taxonomies of {len(trees)} attributes: {', '.join(trees)}. "
            "Name one of them as attribute, or use read_taxonomies"
        )
    return trees[attribute]


def read_taxonomies(
    path: str | Path,
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    join_roots: bool | None = None,
) -> dict[str, Taxonomy]:
    """Read all taxonomies of a file: attribute -> taxonomy; a file of one is called after the file."""
    return _read(path, None, None, header, delimiter, join_roots)


def write_taxonomy(tree: Taxonomy, path: str | Path) -> None:
    """Write an edge list `code,parent,label`, which `read_taxonomy` reads back as the same tree."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("code", "parent", "label"))
        writer.writerows(tree.to_edge_list())


def _read(
    path: str | Path,
    format: Format | None,
    name: str | None,
    header: bool | None,
    delimiter: str | None,
    join_roots: bool | None,
) -> dict[str, Taxonomy]:
    """Attribute -> taxonomy for either format."""
    if format not in (None, "edges", "levels"):
        raise ParameterError(f'format must be "edges", "levels" or None (look at the file). Got {format!r}')
    rows = _rows(Path(path), delimiter)
    called = name or Path(path).name.removesuffix(".gz").removesuffix(".csv")
    if format == "edges" or (format is None and _are_edges(rows[0])):
        edges = _edges(rows, header is not False)
        return {called: Taxonomy.from_edges(edges, called, join_roots=bool(join_roots))}
    join_roots = join_roots is not False
    if _lower(rows[0])[0] == "attribute":
        return {
            attribute: from_levels(levels, name=name or attribute, join_roots=join_roots)
            for attribute, levels in _by_attribute(rows[1:]).items()
        }
    has_header = _has_header(rows) if header is None else header
    levels = rows[1:] if has_header else rows
    return {called: from_levels(levels, name=called, join_roots=join_roots)}


def _rows(path: Path, delimiter: str | None) -> Rows:
    """The cells of all lines that hold any, blanks around them removed."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as fault:
        raise FileError(f"{path} cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    except UnicodeDecodeError as fault:
        raise FileError(f"{path} is not UTF-8 text. Save it as UTF-8 and read it again") from fault
    rows = _split(text, delimiter) if delimiter else max(_splits(text), key=_regularity)
    if not rows:
        raise FileError(f"{path} holds no lines")
    return rows


def _splits(text: str) -> list[Rows]:
    return [_split(text, delimiter) for delimiter in (",", ";", "\t")]


def _split(text: str, delimiter: str) -> Rows:
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as fault:
        raise FileError(f"this is not a table of text: {fault}. Check its quotes") from fault
    rows = [[cell.strip() for cell in line] for line in lines]
    return [row for row in rows if any(row)]


def _regularity(rows: Rows) -> tuple[bool, int]:
    """How table-like a way to split the lines is: equally many cells, then as many as possible."""
    widths = {len(row) for row in rows}
    narrowest = min(widths, default=0)
    return (len(widths) == 1 and narrowest > 1, narrowest)


def _lower(row: Sequence[str]) -> list[str]:
    return [cell.lower() for cell in row]


def _are_edges(first: list[str]) -> bool:
    return len(first) > 1 and any(name in _PARENT_NAMES for name in _lower(first))


def _edges(rows: Rows, has_header: bool) -> list[tuple[str, ...]]:
    """(code, parent, label) of each line; a line that ends early has no parent or no label."""
    places = _places(_lower(rows[0])) if has_header else (0, 1, 2)
    padding = [""] * (max(places) + 1)
    return [tuple([*row, *padding][i] for i in places) for row in rows[has_header:]]


def _places(names: list[str]) -> tuple[int, int, int]:
    """Where code, parent and label stand: by name, else first, second, and first of the others."""
    code = next((names.index(name) for name in _CODE_NAMES if name in names), 0)
    parent = next((names.index(name) for name in _PARENT_NAMES if name in names), 1)
    others = [i for i in range(len(names) + 1) if i not in (code, parent)]
    return code, parent, next((names.index(name) for name in _LABEL_NAMES if name in names), others[0])


def _has_header(rows: Rows) -> bool:
    """True if all lines but the first end in the same text: rows end in the root, headers do not."""
    ends = [next(cell for cell in reversed(row) if cell) for row in rows]
    return len(set(ends[1:])) == 1 and ends[0] != ends[1]


def _by_attribute(rows: Rows) -> dict[str, Rows]:
    levels: dict[str, Rows] = {}
    for row in rows:
        levels.setdefault(row[0], []).append(row[1:])
    return levels
