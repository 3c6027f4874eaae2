"""Every exception and warning of the library. Imports nothing of ours.

    DiscreetError
    ├── InputError            the user's data, schema or parameters: says what, where, what to do
    │   ├── FileError         a file cannot be read, written or recognised
    │   ├── SchemaError       a schema does not fit its data, or itself
    │   ├── TaxonomyError     a tree is not a tree, or values are not in it (`.unknown`)
    │   ├── ParameterError    a parameter is out of its range
    │   └── UnsuitableError   this method cannot hold its promise on this data
    └── ClaimError            a release does not hold what it claims: nothing is released
    DiscreetWarning           a result still worth having, with a reservation

No message ever contains a cell value, a key or a record: counts and names of columns only. What a person may
have to see in order to repair the data (unknown codes, say) is an attribute of the exception, printed on request.
"""

from __future__ import annotations

from collections.abc import Mapping


class DiscreetError(Exception):
    """Base of all errors raised on purpose."""


class InputError(DiscreetError, ValueError):
    """The data, the schema or a parameter is not fit for what was asked."""


class FileError(InputError):
    """A file cannot be read, written or recognised."""


class SchemaError(InputError):
    """A schema does not fit its data, or contradicts itself."""


class TaxonomyError(InputError):
    """A tree is not a tree, or values are missing from it.

    `unknown` maps codes to their number of records. They are cell values: never printed unless asked for.
    """

    def __init__(self, message: str, unknown: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.unknown: dict[str, int] = dict(unknown or {})


class ParameterError(InputError):
    """A parameter is out of its range."""


class UnsuitableError(InputError):
    """The method cannot hold its promise on this data."""


class ClaimError(DiscreetError):
    """A release does not hold what it claims; nothing is released."""


class DiscreetWarning(UserWarning):
    """A result still worth having, with a reservation."""
