"""What one column is: kind, role, support, missing codes, taxonomy. The smallest noun; a schema is made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args

from discreet.errors import SchemaError

Kind: TypeAlias = Literal["numeric", "ordinal", "nominal", "taxonomic"]
Role: TypeAlias = Literal[
    "identifier", "quasi", "confidential", "weight", "stratum", "cluster", "other", "undecided"
]
Level: TypeAlias = Any  # a category: text, whole number, truth value, number or date

KINDS: tuple[Kind, ...] = get_args(Kind)
ROLES: tuple[Role, ...] = get_args(Role)
WITHHELD: tuple[Role, ...] = ("identifier", "cluster")  # never reach an output


@dataclass(frozen=True, kw_only=True)
class Variable:
    """One column of a schema.

    Args:
        name: the column's name.
        kind: `numeric`, `ordinal` (has an order), `nominal`, or `taxonomic` (values are nodes of a tree).
        role: what an intruder does with it. `identifier` and `cluster` never reach an output; `undecided` must be
            given a role before anything is protected.
        decimals: digits after the point that released numbers keep; None: as many as the machine has.
        lower, upper: bounds that released numbers hold.
        levels: declared categories, in order where the kind is ordinal. None: those found in the file.
        taxonomy: name of the tree, of a taxonomic column.
        unknown, not_applicable: codes that stand for missing values, kept apart.
        reason: why this was guessed, in words.
    """

    name: str
    kind: Kind
    role: Role = "undecided"
    decimals: int | None = None
    lower: float | None = None
    upper: float | None = None
    levels: tuple[Level, ...] | None = None
    taxonomy: str | None = None
    unknown: tuple[Level, ...] = ()
    not_applicable: tuple[Level, ...] = ()
    reason: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        for name in ("levels", "unknown", "not_applicable"):
            value = getattr(self, name)
            if isinstance(value, str) or not (value is None or isinstance(value, Iterable)):
                raise SchemaError(f"Column '{self.name}': {name} must be a list.")
            if value is not None:
                object.__setattr__(self, name, tuple(value))
        if fault := _fault(self):
            raise SchemaError(f"Column '{self.name}': {fault}")

    @property
    def missing_codes(self) -> tuple[Level, ...]:
        """Declared codes for missing, unknown first: code i is reason i + 2 in `Column.absent`."""
        return self.unknown + self.not_applicable

    def to_dict(self) -> dict[str, Any]:
        """Only what is said: fields at their default are left out."""
        entries = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "name"}
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in entries.items()
            if value not in (None, (), "")
        }


MOST_CODES = 200  # reasons for missing that a column can keep apart


def _fault(variable: Variable) -> str | None:
    return _fault_of_type(variable) or _fault_of_codes(variable) or _fault_of_support(variable)


def _fault_of_type(variable: Variable) -> str | None:
    numeric_only = (variable.decimals, variable.lower, variable.upper)
    if variable.kind not in KINDS:
        return f"unknown kind {variable.kind!r}; use one of {', '.join(KINDS)}."
    if variable.role not in ROLES:
        return f"unknown role {variable.role!r}; use one of {', '.join(ROLES)}."
    if variable.kind != "numeric" and any(value is not None for value in numeric_only):
        return "decimals and bounds are for numeric columns; remove them or set kind = 'numeric'."
    if any(isinstance(value, bool) or not isinstance(value, (Real, NoneType)) for value in numeric_only):
        return "decimals and bounds must be numbers."
    if any(isinstance(value, Real) and not math.isfinite(value) for value in numeric_only):
        return "decimals and bounds must be finite; leave out a bound that there is none of."
    if variable.decimals is not None and (
        variable.decimals < 0 or not isinstance(variable.decimals, Integral)
    ):
        return "decimals must be a whole number, 0 or more."
    if any(isinstance(cell, (list, dict)) for cell in (*(variable.levels or ()), *variable.missing_codes)):
        return "levels and missing codes must be plain values, not lists or tables."
    if not isinstance(variable.reason, str) or not isinstance(variable.taxonomy, (str, NoneType)):
        return "reason and taxonomy must be text."
    return None


def _fault_of_codes(variable: Variable) -> str | None:
    if variable.levels is not None and not variable.levels:
        return "levels is empty. List the categories, or leave it out to take those of the file."
    if variable.levels is not None and len(set(variable.levels)) != len(variable.levels):
        return "a level is declared twice."
    if set(variable.unknown) & set(variable.not_applicable):
        return "a code stands under unknown and under not_applicable. Keep it under one."
    if len(variable.missing_codes) > MOST_CODES:
        return f"more than {MOST_CODES} codes for missing values. Give those that mean the same one code in the file."
    return None


def _fault_of_support(variable: Variable) -> str | None:
    if variable.lower is not None and variable.upper is not None and variable.lower > variable.upper:
        return "the lower bound is above the upper bound."
    if variable.role == "weight" and variable.kind != "numeric":
        return "a weight must be numeric."
    if variable.kind == "taxonomic" and not variable.taxonomy and variable.role not in WITHHELD:
        return "a taxonomic column names its taxonomy (taxonomy = '...')."
    return None
