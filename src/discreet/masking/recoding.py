"""Global recoding: categories made coarser for every record, along a tree, in intervals, or by a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from discreet.base import Draft
from discreet.errors import ParameterError
from discreet.release import Method
from discreet.stats.streams import Streams
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
            - a mapping new category -> list of old ones (nominal, ordinal); others stay.

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
        if not self.columns:
            raise ParameterError("`columns` is empty; say how to recode at least one column.")
        object.__setattr__(self, "columns", {name: _frozen(how) for name, how in self.columns.items()})

    def fit(self, table: Table, streams: Streams) -> FittedRecoding:
        for name in self.columns:
            table[name]
        return FittedRecoding(self, table)


def _frozen(how: Any) -> Any:
    if isinstance(how, Mapping):
        return {new: tuple(olds) for new, olds in how.items()}
    return tuple(how) if isinstance(how, list) else how


@dataclass(frozen=True, eq=False)
class FittedRecoding:
    """Recoding decides nothing from the data."""

    method: GlobalRecoding
    table: Table

    def draw(self, streams: Streams) -> Draft:
        recoded = [recode(self.table[name], how) for name, how in self.method.columns.items()]
        return Draft(self.table.with_columns(*recoded))


def recode(column: Column, how: Any) -> Column:
    """One column made coarser."""
    if isinstance(how, Mapping):
        return _merged(column, how)
    if isinstance(how, int) and not isinstance(how, bool):
        return _raised(column, how)
    if isinstance(how, Sequence) and not isinstance(how, str):
        return _cut(column, _open_intervals(column, how), 1)
    raise ParameterError(
        f"Column '{column.name}': give a depth, a list of cut points, or a mapping new -> list of old categories."
    )


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
    if len(points) < 2:
        raise ParameterError(f"Column '{column.name}': give at least two cut points.")
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


def _merged(column: Column, groups: Mapping[Any, Sequence[Any]]) -> Column:
    if column.kind not in ("nominal", "ordinal"):
        raise ParameterError(
            f"Column '{column.name}' is {column.kind}; a mapping is for nominal and ordinal columns."
        )
    target = {old: new for new, olds in groups.items() for old in olds}
    unknown = [old for old in target if old not in column.levels]
    if unknown:
        raise ParameterError(
            f"Column '{column.name}': {len(unknown)} of the {len(target)} categories to merge do not occur in it."
        )
    renamed = [target.get(level, level) for level in column.levels]
    levels = list(dict.fromkeys(renamed))
    place = np.array([levels.index(level) for level in renamed], dtype=np.int32)
    if column.kind == "ordinal" and (np.diff(place) < 0).any():
        raise ParameterError(
            f"Column '{column.name}' is ordinal; only categories that are neighbours in its order can be merged."
        )
    recoded = column.with_levels(levels, place[column.values])
    return replace(recoded, variable=replace(recoded.variable, levels=tuple(levels)))
