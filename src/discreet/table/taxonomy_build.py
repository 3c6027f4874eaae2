"""Taxonomies from what describes them: rows of levels, lengths of codes, nested ranges, intervals of numbers.

Each builder turns its description into edges and leaves the rest to `Taxonomy.from_edges`. Code systems may
be built from the codes of a data file, so messages about such codes count; the exception holds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np

from discreet.arrays import Bools, Codes, Floats, Ints
from discreet.errors import ParameterError, TaxonomyError, UnsuitableError
from discreet.table.taxonomy import Taxonomy

__all__ = ["Axis", "Intervals", "from_intervals", "from_levels", "from_prefixes", "from_ranges"]

# ---------------------------------------------------------------------- rows of levels


def from_levels(
    rows: Iterable[Sequence[str]], *, name: str = "taxonomy", join_roots: bool = True
) -> Taxonomy:
    """A taxonomy from one row per value: the value, then its ever coarser levels up to the root.

    Empty cells at the end of a row are ignored. A text repeated along a row is one node, so a value on an
    inner node, or a branch with fewer levels, repeats its text. A text under two parents is an error.

    >>> tree = from_levels([("n1", "north", "*"), ("n2", "north", "*"), ("south", "south", "*")])
    >>> tree.to_edge_list()
    (('*', '', ''), ('north', '*', ''), ('n1', 'north', ''), ('n2', 'north', ''), ('south', '*', ''))
    """
    paths = [_path(row, number, name) for number, row in enumerate(rows, start=1)]
    _refuse_short(paths, name)
    edges: dict[tuple[str, str], None] = {}  # a set that keeps its order
    for path in paths:
        edges.update(dict.fromkeys(zip(path[::-1], ["", *path[:0:-1]], strict=True)))
    return Taxonomy.from_edges(edges, name, join_roots=join_roots)


def _refuse_short(paths: Sequence[Sequence[str]], name: str) -> None:
    """Rows that end where other rows go on: ragged rows, or an inner node that lacks its levels up to the root."""
    inner = {code for path in paths for code in path[:-1]}
    short = [number for number, path in enumerate(paths, start=1) if path and path[-1] in inner]
    if short and len(short) < len(paths):
        first = ", ".join(map(str, short[:5])) + (", ..." if len(short) > 5 else "")
        raise TaxonomyError(
            f"taxonomy {name}: {len(short)} rows end before the root, at a category that stands below another one in "
            f"other rows (rows {first} of the levels). Give every row all its levels"
        )


def _path(row: Sequence[str], number: int, name: str) -> list[str]:
    """The different texts of a row, value first."""
    cells = list(row)
    while cells and not cells[-1]:
        cells.pop()
    if not all(cells):
        raise TaxonomyError(f"taxonomy {name}: row {number} has an empty cell before its last level. Fill it")
    return [cell for i, cell in enumerate(cells) if i == 0 or cell != cells[i - 1]]


# ---------------------------------------------------------------------- systems of codes


def from_prefixes(
    codes: Iterable[str],
    lengths: Sequence[int],
    *,
    name: str = "taxonomy",
    root: str = "*",
    sections: Mapping[str, str] | None = None,
) -> Taxonomy:
    """A taxonomy of codes whose first characters are its levels: NUTS (2, 3, 4, 5), ISCO-08 (1, 2, 3, 4).

    Levels a code needs are made where they are not among `codes`. Siblings stand in the order of `codes`.
    Systems whose top level is not a prefix need `sections`, code -> range of first levels: NACE has letters
    for ranges of divisions ({"A": "01-03", "B": "05-09", ...} over lengths (2, 4, 5)), NAICS merges sectors
    ({"31-33": "31-33", "42": "42", ...}). Without it the prefixes make another tree than the official one.

    >>> from_prefixes(["2111", "2120", "31"], (1, 2, 3, 4)).codes
    ('*', '2', '21', '211', '2111', '212', '2120', '3', '31')
    >>> nace = from_prefixes(["01.1", "02"], (2, 4, 5), sections={"A": "01-03", "B": "05-09"})
    >>> nace.codes
    ('*', 'A', '01', '01.1', '02', 'B')
    """
    wanted = list(lengths)
    if not wanted or wanted[0] < 1 or any(b <= a for a, b in pairwise(wanted)):
        raise ParameterError(f"lengths must be one or more rising whole numbers from 1. Got {tuple(lengths)}")
    listed = list(dict.fromkeys(codes))
    _refuse_codes([c for c in listed if len(c) not in wanted], name, f"have a length other than {wanted}")
    paths = [[code[:length] for length in wanted if length <= len(code)] for code in listed]
    section_of = _sections(list(dict.fromkeys(path[0] for path in paths)), sections, root, name)
    edges = {root: ""} | dict.fromkeys(sections or (), root)
    for path in paths:
        for piece, above in zip(path, [section_of[path[0]], *path], strict=False):
            edges.setdefault(piece, above)
    return Taxonomy.from_edges(edges.items(), name)


def _sections(heads: list[str], sections: Mapping[str, str] | None, root: str, name: str) -> dict[str, str]:
    """What stands above each code of the first level: its section, or the root where there are none."""
    if sections is None:
        return dict.fromkeys(heads, root)
    ranges = {code: _span(extent) for code, extent in sections.items()}
    if any(span is None for span in ranges.values()):
        raise ParameterError('sections must be ranges of first-level codes, like {"A": "01-03", "42": "42"}')
    around = _smallest_range(ranges, {head: _span(head) for head in heads}, name)
    _refuse_codes(
        [head for head in heads if not around.get(head)], name, "of the first level are in no section"
    )
    return around


def from_ranges(codes: Iterable[str], *, name: str = "taxonomy", root: str = "*") -> Taxonomy:
    """A taxonomy of ICD-like codes: nested ranges `lo-hi`, categories, a level per character after the point.

    A range holds the categories between its bounds (inclusive, letters compared first: V01-V91, A00-B99)
    and the ranges inside it; codes with another number of letters are outside. What is in no range hangs
    under the root. Levels a code needs are made where they are not among `codes`. Ranges that overlap
    without one holding the other are an error.

    >>> from_ranges(["001-139", "001-009", "008.41", "042"]).to_edge_list()[1:]
    (('001-139', '*', ''), ('001-009', '001-139', ''), ('008', '001-009', ''), ('008.4', '008', ''), \
('008.41', '008.4', ''), ('042', '001-139', ''))
    """
    listed = [code for code in dict.fromkeys(codes) if code != root]
    spans = {code: _span(code.partition(".")[0]) for code in listed}
    _refuse_codes(
        [code for code, span in spans.items() if span is None or ("-" in code and "." in code)],
        name,
        "are neither a range (001-139), nor a category (042, V01) with or without characters after a point",
    )
    ranges = {code: span for code, span in spans.items() if "-" in code}
    points = {code.partition(".")[0]: span for code, span in spans.items() if "-" not in code}
    around = _smallest_range(ranges, points, name)
    edges = {root: ""}
    for code in listed:
        category, _, rest = code.partition(".")
        path = [category, *(f"{category}.{rest[:i]}" for i in range(1, len(rest) + 1))]
        for piece, above in zip(path, [around[category] or root, *path], strict=False):
            edges.setdefault(piece, above)
    return Taxonomy.from_edges(edges.items(), name)


# Number of letters, letters, number: codes with another number of letters lie on another axis.
_Bound: TypeAlias = tuple[int, str, int]
_Span: TypeAlias = tuple[_Bound, _Bound]
_CATEGORY = re.compile(r"([^\W\d_]*)(\d+)")


def _span(text: str) -> _Span | None:
    """First and last category of a range `lo-hi` or of one category; None if the text is neither."""
    bounds = [_CATEGORY.fullmatch(side) for side in text.split("-")]
    if len(bounds) > 2 or None in bounds:
        return None
    low, high = ((len(b[1]), b[1], int(b[2])) for b in (bounds[0], bounds[-1]) if b)
    return (low, high) if low <= high and low[0] == high[0] else None


def _smallest_range(
    ranges: Mapping[str, _Span | None], points: Mapping[str, _Span | None], name: str
) -> dict[str, str]:
    """For each range and each point the smallest range around it, "" where there is none.

    One sweep along the axis with a stack of the ranges not yet over: what starts is inside the last of them.
    """
    spans = [(text, span, False) for text, span in ranges.items() if span]
    spans += [(text, span, True) for text, span in points.items() if span]
    spans.sort(key=lambda item: item[1][1], reverse=True)  # the wider first of those that start together
    spans.sort(key=lambda item: item[1][0])
    around: dict[str, str] = {}
    unfinished: list[tuple[str, _Span]] = []
    for text, span, is_point in spans:
        while unfinished and unfinished[-1][1][1] < span[0]:
            unfinished.pop()
        if unfinished and unfinished[-1][1][1] < span[1]:
            raise TaxonomyError(
                f"taxonomy {name}: ranges {unfinished[-1][0]} and {text} overlap; nest or part them"
            )
        around[text] = unfinished[-1][0] if unfinished else ""
        if not is_point:
            unfinished.append((text, span))
    return around


def _refuse_codes(misfits: list[str], name: str, fault: str) -> None:
    """Count codes that do not fit; they may stem from a data file, so only the exception holds them."""
    if misfits:
        raise TaxonomyError(f"taxonomy {name}: {len(misfits)} codes {fault}", dict.fromkeys(misfits, 1))


# ---------------------------------------------------------------------- intervals of numbers


@dataclass(frozen=True)
class Axis:
    """A numeric axis cut into intervals, and how their codes are written."""

    cuts: Floats
    open_ends: bool = False
    whole: bool = False
    closed: Literal["left", "right"] = "left"

    @property
    def n_intervals(self) -> int:
        return len(self.cuts) + (1 if self.open_ends else -1)

    def place(self, numbers: Floats) -> Ints:
        """The interval of each number from the left; -1 or n_intervals outside, where the ends are not open."""
        side: Literal["left", "right"] = "right" if self.closed == "left" else "left"
        return np.searchsorted(self.cuts, numbers, side=side) - (0 if self.open_ends else 1)

    def codes_of_level(self, level: Floats) -> list[str]:
        """For each interval of the axis the code of the interval between cut points `level` that holds it."""
        holder = np.searchsorted(level, self.cuts[:-1], side="right") - 1
        codes = [self._code(level[i], level[i + 1]) for i in holder.tolist()]
        if not self.open_ends:
            return codes
        below, above = ("<", ">=") if self.closed == "left" else ("<=", ">")
        return [f"{below}{_number(self.cuts[0])}", *codes, f"{above}{_number(self.cuts[-1])}"]

    def _code(self, low: float, high: float) -> str:
        if not self.whole:
            left, right = "[)" if self.closed == "left" else "(]"
            return f"{left}{_number(low)}, {_number(high)}{right}"
        last = high - 1
        dash = "-" if self.cuts[0] >= 0 else " to "  # -5--1 is hard to read
        return _number(low) if low == last else f"{_number(low)}{dash}{_number(last)}"


@dataclass(frozen=True, eq=False, repr=False)
class Intervals(Taxonomy):
    """A taxonomy whose leaves are intervals of a numeric axis, with the way from numbers to leaves.

    Made by `from_intervals`. Interval i of the axis, from the left, is node `leaves[i]`.
    """

    axis: Axis

    def leaves_of(self, numbers: Floats, missing: Bools | None = None) -> Codes:
        """The leaf of each number; 0 where `missing`.

        Refuses, with their count, numbers outside the cut points (unless the ends are open) and numbers that
        are not whole where the intervals are of whole numbers.
        """
        values = np.asarray(numbers, dtype=np.float64)
        present = np.ones(values.shape, dtype=np.bool_) if missing is None else ~missing
        place = self.axis.place(values)
        outside = (place < 0) | (place >= self.axis.n_intervals)
        self._refuse_numbers(present & np.isnan(values), "are not a number. Give their mask as missing")
        self._refuse_numbers(
            present & outside, "lie outside the cut points. Add cut points or use open_ends=True"
        )
        if self.axis.whole:
            self._refuse_numbers(present & (values != np.floor(values)), "are not whole. Use whole=False")
        return np.where(present, self.leaves[np.where(present, place, 0)], 0).astype(np.int32)

    def _refuse_numbers(self, misfits: Bools, fault: str) -> None:
        if misfits.any():
            raise UnsuitableError(f"taxonomy {self.name}: {misfits.sum()} of {misfits.size} numbers {fault}")


def from_intervals(
    levels: Sequence[Sequence[float] | int],
    *,
    name: str = "intervals",
    open_ends: bool = False,
    whole: bool = False,
    closed: Literal["left", "right"] = "left",
) -> Intervals:
    """Nested intervals of a numeric axis as a taxonomy.

    Parameters
    ----------
    levels : finest first. The first is a list of rising cut points; the leaves are the intervals between
        neighbours. Each further level is a list of its own cut points, all of them cut points of the level
        below, or a whole number m that joins m leaves at a time from the left. The first and the last cut
        point belong to every level. An interval that is the same on two levels is one node.
    open_ends : also everything below the first and above the last cut point, each a leaf under the root.
    whole : the numbers are whole (ages, say): intervals are written 0-4, or 7 if they hold one number.
    closed : which end belongs to an interval, "left" as in [0, 5) or "right" as in (0, 5].

    Examples
    --------
    >>> ages = from_intervals([[0, 5, 10, 15], 2], whole=True)
    >>> ages.codes
    ('*', '0-9', '0-4', '5-9', '10-14')
    >>> [ages.codes[v] for v in ages.leaves_of(np.array([3.0, 14.0]))]
    ['0-4', '10-14']
    """
    cuts = np.array(levels[0], dtype=np.float64) if levels else np.zeros(0)
    if cuts.ndim != 1 or len(cuts) < 2 or not np.isfinite(cuts).all() or (np.diff(cuts) <= 0).any():
        raise ParameterError("levels[0] must be two or more finite numbers, each greater than the one before")
    if closed not in ("left", "right"):
        raise ParameterError(f'closed must be "left" or "right". Got {closed!r}')
    if whole and (closed == "right" or (cuts != np.floor(cuts)).any()):
        raise ParameterError('whole=True needs whole cut points and closed="left": 0-4 is [0, 5)')
    axis = Axis(cuts, open_ends, whole, closed)
    columns = [axis.codes_of_level(level) for level in _nested_cuts(cuts, levels[1:])]
    tree = from_levels([(*row, "*") for row in zip(*columns, strict=True)], name=name)
    return Intervals(tree.name, tree.codes, tree.labels, tree.parent, axis)


def _nested_cuts(cuts: Floats, coarser: Sequence[Sequence[float] | int]) -> list[Floats]:
    """Cut points of every level, finest first; the outermost two belong to all."""
    nested = [cuts]
    for i, asked in enumerate(coarser, start=1):
        inner = cuts[:: max(asked, 1)] if isinstance(asked, int) else np.array(asked, dtype=np.float64)
        level = np.union1d(inner, cuts[[0, -1]])
        if not np.isin(level, nested[-1]).all():
            raise ParameterError(
                f"levels[{i}]: each cut point must also be one of levels[{i - 1}], and a whole number must be a "
                "multiple of the one before"
            )
        nested.append(level)
    return nested


def _number(value: float) -> str:
    """The shortest text that reads back as the same number, without a point if whole."""
    return repr(float(value)).removesuffix(".0")
