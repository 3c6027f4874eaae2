"""Global recoding: categories made coarser for every record, along a tree, in intervals, or by a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from discreet.base import Draft
from discreet.errors import ParameterError
from discreet.release import Method
from discreet.selection import by_column, listed, number, whole_number
from discreet.stats.streams import Streams
from discreet.table.cells import code_text, converted, sort_of_levels
from discreet.table.column import Column
from discreet.table.table import Table
from discreet.table.taxonomy_build import Intervals, from_intervals


@dataclass(frozen=True)
class GlobalRecoding(Method):
    """Makes columns coarser, the same way for every record.

    Loses detail and tells no untruth. Does **not** by itself give k-anonymity: count afterwards, or let
    `LocalSuppression` finish.

    Args:
        columns: column -> how:

            - a whole number: the depth of the tree to go up to (taxonomic columns, and numeric ones whose schema names
              an interval taxonomy); 0 is the root;
            - a list of cut points: a numeric column becomes intervals [a, b), open at both ends;
            - a mapping new category -> list of old ones (nominal, ordinal); others stay. Categories are told by their
              text, so that 9 and "9" are one, in Python as in a recipe; a new one is of the column's own type where its
              text can be. Listed ones that do not occur are noted.

    Example:
        >>> import polars as pl
        >>> from discreet.table.schema import Schema, Variable
        >>> schema = Schema((Variable(name="age", kind="numeric", role="quasi", decimals=0),))
        >>> GlobalRecoding({"age": [18, 65]}).protect(pl.DataFrame({"age": [3, 40, 80]}), schema).data["age"].to_list()
        ['<18', '18-64', '>=65']
    """

    strata_apart: ClassVar[bool] = False

    columns: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", by_column("columns", self.columns, _plainly))
        if not self.columns:
            raise ParameterError("`columns` is empty; say how to recode at least one column.")

    def fit(self, table: Table, streams: Streams) -> FittedRecoding:
        for name in self.columns:
            table[name]
        return FittedRecoding(self, table)


def _plainly(name: str, how: Any) -> Any:
    """A depth, cut points or a merge list in the one form that a recipe holds, so that both recode alike."""
    if isinstance(how, Mapping):
        return _merge_lists(name, how)
    if isinstance(how, (int, np.integer)):
        return whole_number(name, how, least=0)
    if isinstance(how, (str, bytes)) or not isinstance(how, Iterable):
        raise ParameterError(
            f"`{name}` must be a depth, a list of cut points, or a mapping new -> list of old categories."
        )
    cuts = tuple(number(name, cut) for cut in how)
    if len(cuts) < 2 or any(one >= other for one, other in pairwise(cuts)):
        raise ParameterError(f"`{name}` must have at least two cut points, each above the one before.")
    return cuts


def _merge_lists(name: str, groups: Mapping[Any, Any]) -> dict[str, tuple[str, ...]]:
    """New category -> old ones, as texts; an old one that stands in two lists has no place to go."""
    texts = {code_text(new): tuple(map(code_text, listed(name, olds))) for new, olds in groups.items()}
    olds = [old for group in texts.values() for old in group]
    if not olds or len(texts) < len(groups):
        raise ParameterError(f"`{name}` must map each new category to a list of old ones.")
    if doubled := len(olds) - len(set(olds)):
        raise ParameterError(
            f"`{name}` lists {doubled} categories more than once. Give each one place to go."
        )
    return texts


@dataclass(frozen=True, eq=False)
class FittedRecoding:
    """Recoding decides nothing from the data."""

    method: GlobalRecoding
    table: Table

    def draw(self, streams: Streams) -> Draft:
        recoded = [recode(self.table[name], how) for name, how in self.method.columns.items()]
        return Draft(self.table.with_columns(*recoded), notes=self._notes())

    def _notes(self) -> tuple[str, ...]:
        """Merge lists that name categories which do not occur: of another quarter, or misspelt."""
        notes = []
        for name, how in self.method.columns.items():
            wanted = {old for olds in how.values() for old in olds} if isinstance(how, Mapping) else set()
            if lacking := wanted - {code_text(level) for level in self.table[name].levels}:
                notes.append(
                    f"Column '{name}': {len(lacking)} of the {len(wanted)} categories to merge do not occur."
                )
        return tuple(notes)


def recode(column: Column, how: Any) -> Column:
    """One column made coarser."""
    if isinstance(how, Mapping):
        return _merged(column, how)
    if isinstance(how, int):
        return _raised(column, how)
    return _cut(column, _open_intervals(column, how), 1)


def _raised(column: Column, depth: int) -> Column:
    if column.tree is None:
        raise ParameterError(
            f"Column '{column.name}' has no taxonomy to go up; give cut points or a mapping, or declare a taxonomy."
        )
    if not 0 <= depth <= column.tree.height:
        raise ParameterError(
            f"The taxonomy of '{column.name}' has depths 0 to {column.tree.height}. Got {depth}."
        )
    if isinstance(column.tree, Intervals):
        return _cut(column, column.tree, depth)
    return column.with_values(column.tree.at_level(depth)[column.values])


def _open_intervals(column: Column, cuts: Sequence[float]) -> Intervals:
    if column.kind != "numeric":
        raise ParameterError(f"Column '{column.name}' is {column.kind}; cut points are for numeric columns.")
    points = [float(cut) for cut in cuts]
    is_whole = column.variable.decimals == 0 and all(point.is_integer() for point in points)
    return from_intervals([points], name=column.name, open_ends=True, whole=is_whole)


def _cut(column: Column, tree: Intervals, depth: int) -> Column:
    """Numbers as ordered intervals at a depth of an interval tree; only intervals of the tree, seen or not."""
    leaves = tree.leaves_of(np.asarray(column.values, dtype=np.float64), column.missing)
    nodes = tree.at_level(depth)[leaves]
    shown = [int(node) for node in dict.fromkeys(tree.at_level(depth)[_by_axis(tree)].tolist())]
    place = np.zeros(len(tree), dtype=np.int32)
    place[shown] = np.arange(len(shown))
    return column.with_levels([tree.codes[v] for v in shown], place[nodes], kind="ordinal")


def _by_axis(tree: Intervals) -> Any:
    """The leaves from the left end of the axis to the right."""
    cuts = tree.axis.cuts
    inside = (cuts[:-1] + cuts[1:]) / 2
    points = [cuts[0] - 1, *inside, cuts[-1] + 1] if tree.axis.open_ends else inside
    whole = np.floor(points) if tree.axis.whole else np.asarray(points)
    return tree.leaves_of(whole.astype(np.float64))


def _merged(column: Column, groups: Mapping[str, Sequence[str]]) -> Column:
    if column.kind not in ("nominal", "ordinal"):
        raise ParameterError(
            f"Column '{column.name}' is {column.kind}; a mapping is for nominal and ordinal columns."
        )
    labels = converted(list(groups), sort_of_levels(column.levels)) or list(groups)
    target = {old: label for label, olds in zip(labels, groups.values(), strict=True) for old in olds}
    renamed = [target.get(code_text(level), level) for level in column.levels]
    levels = list(dict.fromkeys(renamed))
    position = {level: i for i, level in enumerate(levels)}
    place = np.array([position[level] for level in renamed], dtype=np.int32)
    if column.kind == "ordinal" and (np.diff(place) < 0).any():
        raise ParameterError(
            f"Column '{column.name}' is ordinal; only categories that are neighbours in its order can be merged."
        )
    recoded = column.with_levels(levels, place[column.values])
    return replace(recoded, variable=replace(recoded.variable, levels=tuple(levels)))
