"""The table: columns as arrays, of equal length, with the layout of the dataframe they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Floats
from discreet.errors import SchemaError
from discreet.table.column import Column
from discreet.table.schema import Kind, Role, Schema, Variable
from discreet.table.taxonomy import Taxonomy


@dataclass(frozen=True, eq=False)
class Table:
    """Records as columns. Frozen: every change is a new table that shares the untouched columns.

    Example:
        >>> table = Table.build({"age": [31, None, 64]}, {"age": Variable(name="age", kind="numeric")})
        >>> table.n_records, table["age"].missing.tolist()
        (3, [False, True, False])
    """

    columns: tuple[Column, ...]
    n_records: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        if any(column.n_records != self.n_records for column in self.columns):
            raise SchemaError("The columns of a table must be equally long.")
        if len(self._by_name) != len(self.columns):
            raise SchemaError("The columns of a table must differ in name.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Column:
        if name not in self._by_name:
            raise SchemaError(f"The table has no column '{name}'. It has: {', '.join(self.names)}.")
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.columns}

    def of_role(self, *roles: Role) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.role in roles)

    def of_kind(self, *kinds: Kind) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.kind in kinds)

    @property
    def weights(self) -> Floats | None:
        """Values of the weight column, None where none is declared."""
        declared = self.of_role("weight")
        return cast("Floats", declared[0].values) if declared else None

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Which records carry weight: all, where none is declared."""
        weights = self.weights
        return np.ones(self.n_records, dtype=np.bool_) if weights is None else weights > 0

    def select(self, names: Iterable[str]) -> Table:
        return replace(self, columns=tuple(self[name] for name in names))

    def drop(self, names: Iterable[str]) -> Table:
        left_out = set(names)
        return replace(self, columns=tuple(c for c in self.columns if c.name not in left_out))

    def take(self, rows: NDArray[Any]) -> Table:
        """Records by index or by truth value, in the order given."""
        chosen = np.arange(self.n_records)[rows]
        return Table(tuple(column.take(chosen) for column in self.columns), len(chosen))

    def rows_where(self, where: Mapping[str, Sequence[Any]]) -> NDArray[np.bool_]:
        """Which records have one of the given categories in each of the named columns; all, where none is named."""
        chosen = np.ones(self.n_records, dtype=np.bool_)
        for name, wanted in where.items():
            column = self[name]
            if column.is_numeric or any(level not in column.levels for level in wanted):
                raise SchemaError(
                    f"`where` names values that column '{name}' does not have; it must be a list of its categories."
                )
            codes = [column.levels.index(level) for level in wanted]
            chosen &= np.isin(column.values, codes) & ~column.missing
        return chosen

    def with_columns(self, *columns: Column) -> Table:
        """The same table with columns of the same names replaced."""
        changed = {column.name: column for column in columns}
        for name in changed:
            self[name]
        return replace(self, columns=tuple(changed.get(c.name, c) for c in self.columns))

    def same_as(self, other: Table) -> bool:
        """Equal in every column, and in their order."""
        return self.names == other.names and all(
            mine.same_as(theirs) for mine, theirs in zip(self.columns, other.columns, strict=True)
        )

    @classmethod
    def build(
        cls,
        cells: Mapping[str, Sequence[Any]],
        variables: Mapping[str, Variable] | Schema,
        *,
        trees: Mapping[str, Taxonomy] | None = None,
    ) -> Table:
        """A table from lists with None for empty cells: for tests, examples and small tables."""
        columns = tuple(
            Column.build(variables[name], values, tree=(trees or {}).get(name))
            for name, values in cells.items()
        )
        return cls(columns, columns[0].n_records if columns else 0)
