"""A column as arrays: numbers, or positions in a tuple of categories, with the reasons for what is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from discreet.arrays import Bools, Codes, Floats
from discreet.errors import ParameterError, SchemaError
from discreet.table.taxonomy import Taxonomy
from discreet.table.variable import Kind, Level, Role, Variable

Absent: TypeAlias = NDArray[np.uint8]
Scalar = TypeVar("Scalar", bound=np.generic)
# Values of `absent`. FIRST_CODE + i is the variable's missing code i; a column that mixes blanks of several sorts
# (null and NaN) keeps the rarer ones apart from LAST_BLANK downwards.
PRESENT, EMPTY, FIRST_CODE, LAST_BLANK = 0, 1, 2, 255


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    `values` are numbers, or (`levels` given) int32 positions in `levels`; a taxonomic column's positions are the
    preorder nodes of its `tree`; a numeric column may have a tree of intervals to be recoded along. `absent` is 0
    where a value is present, else the reason why not: 1 empty, 2 and above the variable's declared missing codes in
    order, 255 and below another sort of empty (NaN beside null). Values under a reason mean nothing. `loose` numbers
    are released with all their digits, also where the type was whole numbers; `single` ones have those of 32 bits
    otherwise. A column is a value: arrays that somebody could still write to are copied.
    """

    variable: Variable
    values: Floats | Codes
    absent: Absent
    levels: tuple[Level, ...] = ()
    tree: Taxonomy | None = None
    loose: bool = False
    single: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _owned(self.values, np.float64 if self.is_numeric else np.int32))
        object.__setattr__(self, "absent", _owned(self.absent, np.uint8))
        if self.values.ndim != 1 or self.values.shape != self.absent.shape:
            raise SchemaError(f"Column '{self.name}': values and absent must be as many, one per record.")

    @property
    def name(self) -> str:
        return self.variable.name

    @property
    def kind(self) -> Kind:
        return self.variable.kind

    @property
    def role(self) -> Role:
        return self.variable.role

    @property
    def is_numeric(self) -> bool:
        return self.variable.kind == "numeric"

    @property
    def missing(self) -> Bools:
        missing: Bools = self.absent != PRESENT
        return missing

    @property
    def n_records(self) -> int:
        return len(self.values)

    @property
    def numbers(self) -> Floats:
        """The values as numbers: a numeric column's own, else positions."""
        return np.asarray(self.values, dtype=np.float64)

    @property
    def codes(self) -> Codes:
        """The values as positions in `levels`; not for numeric columns."""
        return np.asarray(self.values, dtype=np.int32)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Records per level, missing ones left out."""
        if self.is_numeric:
            raise ParameterError(f"Column '{self.name}' is numeric: it has no categories to count.")
        return np.bincount(self.values[~self.missing], minlength=len(self.levels)).astype(np.int64)

    def with_values(self, values: NDArray[Any], absent: Absent | None = None) -> Column:
        """The same column with other values; missing stays missing unless `absent` says otherwise."""
        absent = self.absent if absent is None else absent
        clean: NDArray[Any] = np.array(values, dtype=np.float64 if self.is_numeric else np.int32)
        clean[absent != PRESENT] = 0
        if self.single and not self.loose:
            clean = clean.astype(np.float32).astype(np.float64)
        if self.is_numeric:
            clean = _off_codes(clean, absent == PRESENT, self.variable)
        return replace(self, values=sealed(clean), absent=absent)

    def with_numbers(self, numbers: Floats, absent: Absent | None = None) -> Column:
        """Like `with_values`, after bringing numbers back to the declared support (decimals, then bounds)."""
        return self.with_values(settle(numbers, self.variable), absent)

    def loosened(self) -> Column:
        """The column without its declared support, to be released with all digits."""
        variable = replace(self.variable, decimals=None, lower=None, upper=None)
        return replace(self, variable=variable, loose=True)

    def with_levels(
        self,
        levels: Sequence[Level],
        values: Codes,
        *,
        kind: Kind | None = None,
        absent: Absent | None = None,
    ) -> Column:
        """The same column on other categories (recoding): a tree or numeric support is dropped."""
        variable = replace(
            self.variable,
            kind=kind or ("nominal" if self.kind == "taxonomic" else self.kind),
            levels=(tuple(levels) or None) if (kind or self.kind) == "ordinal" else None,
            decimals=None,
            lower=None,
            upper=None,
            taxonomy=None,
        )
        absent = self.absent if absent is None else absent
        clean = np.where(absent == PRESENT, values, 0).astype(np.int32)
        return Column(variable, sealed(clean), absent, tuple(levels))

    def take(self, rows: NDArray[Any]) -> Column:
        """Records by index or by truth value, in the order given."""
        return replace(self, values=sealed(self.values[rows]), absent=sealed(self.absent[rows]))

    def same_as(self, other: Column) -> bool:
        """Equal in name, kind and categories, in every value that is present, in what is missing and why."""
        return (
            self.name == other.name
            and self.kind == other.kind
            and self.levels == other.levels
            and np.array_equal(self.absent, other.absent)
            and np.array_equal(self.values[~self.missing], other.values[~other.missing])
        )

    @classmethod
    def build(
        cls,
        variable: Variable,
        cells: Sequence[Any],
        *,
        levels: Sequence[Level] | None = None,
        tree: Taxonomy | None = None,
    ) -> Column:
        """A column from a list with None for empty; for tests and small tables, slow for large ones."""
        codes = {code: FIRST_CODE + i for i, code in enumerate(variable.missing_codes)}
        absent = np.array([EMPTY if c is None else codes.get(c, PRESENT) for c in cells], dtype=np.uint8)
        present = [cell for cell, why in zip(cells, absent, strict=True) if why == PRESENT]
        if variable.kind == "numeric":
            numbers = np.zeros(len(cells))
            numbers[absent == PRESENT] = present
            return cls(variable, numbers, absent)
        if levels is None:
            levels = tree.codes if tree is not None else variable.levels or sorted(set(present))
        position = {level: i for i, level in enumerate(levels)}
        if any(cell not in position for cell in present):
            raise SchemaError(f"Column '{variable.name}' holds categories that are not among its levels.")
        values = np.zeros(len(cells), dtype=np.int32)
        values[absent == PRESENT] = [position[cell] for cell in present]
        return cls(variable, values, absent, tuple(levels), tree)


def sealed(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """An array that nobody else holds, closed to writing, so that a column may keep it without a copy."""
    array.flags.writeable = False
    return array


def _owned(array: NDArray[Any], dtype: type) -> NDArray[Any]:
    """The array itself where nobody can write to its memory, else a copy that nobody can."""
    base = array.base
    is_closed = not array.flags.writeable and (
        base is None or (isinstance(base, np.ndarray) and not base.flags.writeable)
    )
    if is_closed and array.dtype == dtype and array.flags.c_contiguous:
        return array
    return sealed(np.array(array, dtype=dtype, order="C"))


def _off_codes(numbers: Floats, present: Bools, variable: Variable) -> Floats:
    """Numbers that would read as a declared code for missing, moved to the next one up (or down, at the upper bound).

    One and the same move for all: equal numbers stay equal.
    """
    codes = [float(code) for code in variable.missing_codes if isinstance(code, (int, float))]
    hits = present & np.isin(numbers, codes) if codes else np.zeros(len(numbers), dtype=np.bool_)
    for code in np.unique(numbers[hits]).tolist():
        numbers[hits & (numbers == code)] = _next_to(code, variable, codes)
    return numbers


def _next_to(code: float, variable: Variable, codes: list[float]) -> float:
    """The nearest number above that is no code, or below where there is none within the bounds."""
    free = code
    for direction in (1.0, -1.0):
        free = code
        while free in codes:
            if variable.decimals is None:
                free = float(np.nextafter(free, direction * np.inf))
            else:
                free = round(free + direction * 10.0**-variable.decimals, variable.decimals)
        if settle(np.array([free]), variable)[0] == free:
            break
    return free


def settle(numbers: Floats, variable: Variable) -> Floats:
    """Round to the declared decimals and clip to the declared bounds.

    >>> settle(np.array([1.26, -3.0]), Variable(name="stay", kind="numeric", decimals=1, lower=0))
    array([1.3, 0. ])
    """
    settled = (
        numbers if variable.decimals is None else np.round(numbers, variable.decimals)
    ) + 0.0  # no -0.0
    if variable.lower is None and variable.upper is None:
        return settled
    return np.clip(settled, variable.lower, variable.upper)
