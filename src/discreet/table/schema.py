"""The schema of a table: what each of its columns is.

A schema is a value: guessed by `Schema.infer`, corrected by a person (`with_variable`, or by editing the TOML), kept
beside the data. It holds declarations; of the file it holds at most the decimals of its numbers, the steps of a scale
and conventional words for missing that were found in it, and the reasons for the guess, in words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from discreet.errors import ParameterError, SchemaError
from discreet.table.infer import infer_variables
from discreet.table.native import Frame, TextOf
from discreet.table.taxonomy import Taxonomy
from discreet.table.taxonomy_source import TaxonomySource
from discreet.table.variable import KINDS, ROLES, WITHHELD, Kind, Level, Role, Variable

__all__ = ["KINDS", "ROLES", "WITHHELD", "Kind", "Level", "Role", "Schema", "Variable"]


@dataclass(frozen=True)
class Schema:
    """What every column of a table is.

    Example:
        >>> schema = Schema((Variable(name="age", kind="numeric", role="quasi", decimals=0),
        ...                  Variable(name="sex", kind="nominal", role="quasi")))
        >>> schema.with_variable("sex", role="stratum")["sex"].role
        'stratum'
        >>> Schema.from_toml(schema.to_toml()) == schema
        True
    """

    variables: tuple[Variable, ...]
    taxonomies: Mapping[str, TaxonomySource] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", tuple(self.variables))
        sources = {name: TaxonomySource.of(tree) for name, tree in self.taxonomies.items()}
        object.__setattr__(self, "taxonomies", sources)
        names = self.names
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise SchemaError(f"Declared twice in the schema: {', '.join(twice)}.")
        for variable in self.variables:
            if variable.taxonomy and variable.taxonomy not in self.taxonomies:
                known = ", ".join(self.taxonomies) or "none"
                raise SchemaError(
                    f"Column '{variable.name}' names the taxonomy '{variable.taxonomy}', which the schema does not "
                    f"have. Known taxonomies: {known}. Add it under [taxonomies]."
                )

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __getitem__(self, name: str) -> Variable:
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise SchemaError(f"The schema has no column '{name}'. It has: {', '.join(self.names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(variable.name for variable in self.variables)

    @classmethod
    def infer(
        cls,
        data: Frame,
        *,
        text_of: TextOf | None = None,
        labels: Mapping[str, Mapping[Any, str]] | None = None,
    ) -> Schema:
        """Guess kind and role of every column of a dataframe, with the reason in words.

        >>> import polars as pl
        >>> people = pl.DataFrame({"email": ["a@b.org", "c@d.org"], "age": [31, 47], "sex": ["f", "m"]})
        >>> print(Schema.infer(people))
        column  kind     role        why
        email   nominal  identifier  a name that speaks of an e-mail address: never released
        age     numeric  quasi       whole numbers; age: outsiders may know it
        sex     nominal  quasi       text with few different values; sex or gender: outsiders may know it
        """
        return cls(infer_variables(data, text_of=text_of, labels=labels))

    def of_role(self, *roles: Role) -> tuple[Variable, ...]:
        return tuple(variable for variable in self.variables if variable.role in roles)

    def with_variable(self, name: str, **changes: Any) -> Schema:
        """The same schema with fields of one column changed, and its guessed reason dropped."""
        allowed = {f.name for f in fields(Variable)} - {"name"}
        if unknown := sorted(set(changes) - allowed):
            raise ParameterError(
                f"Not a field of a column: {', '.join(unknown)}. Fields: {', '.join(sorted(allowed))}."
            )
        if changes.get("kind", "numeric") != "numeric":
            changes = {"decimals": None, "lower": None, "upper": None} | changes
        if changes.get("kind", "taxonomic") != "taxonomic":
            changes = {"taxonomy": None} | changes
        changed = replace(self[name], **({"reason": ""} | changes))
        return replace(self, variables=tuple(changed if v.name == name else v for v in self.variables))

    def with_role(self, role: Role, *names: str) -> Schema:
        """The same schema with one role given to several columns."""
        schema = self
        for name in names:
            schema = schema.with_variable(name, role=role)
        return schema

    def with_taxonomy(
        self, name: str, tree: Taxonomy | TaxonomySource, *, columns: Iterable[str] = ()
    ) -> Schema:
        """The same schema with a tree added, and the named columns made taxonomic under it."""
        schema = replace(self, taxonomies={**self.taxonomies, name: TaxonomySource.of(tree)})
        for column in columns:
            schema = schema.with_variable(column, kind="taxonomic", taxonomy=name, levels=None)
        return schema

    def check_names(self, found: Iterable[str]) -> None:
        """One error for all columns that the data lack or the schema does not know."""
        found = list(found)
        lacking = [name for name in self.names if name not in found]
        unknown = [name for name in found if name not in self.names]
        parts = []
        if lacking:
            parts.append(f"the schema's {_listed(lacking)} not in the data")
        if unknown:
            parts.append(f"the data's {_listed(unknown)} not in the schema")
        if parts:
            raise SchemaError(
                f"The schema is for another file: {'; '.join(parts)}. The data have: {', '.join(found)}."
            )

    # -- TOML --------------------------------------------------------------------------------------------------

    def to_dict(self, *, folder: Path | None = None) -> dict[str, Any]:
        document: dict[str, Any] = {"columns": {v.name: v.to_dict() for v in self.variables}}
        if self.taxonomies:
            document["taxonomies"] = {
                name: source.to_dict(folder=folder) for name, source in self.taxonomies.items()
            }
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, folder: Path | None = None) -> Schema:
        columns = document.get("columns")
        if not isinstance(columns, Mapping):
            raise SchemaError(
                "A schema has a table [columns] with one entry per column; none was found. "
                "Write one with `discreet inspect FILE --write-schema FILE.schema.toml`."
            )
        if unknown := sorted(set(document) - {"columns", "taxonomies"}):
            raise SchemaError(
                f"A schema has no part {', '.join(unknown)}. It has [columns.NAME] for each column and "
                "[taxonomies.NAME] for each taxonomy."
            )
        allowed = {f.name for f in fields(Variable)} - {"name"}
        variables = []
        for name, entry in columns.items():
            if not isinstance(entry, Mapping):
                raise SchemaError(f"Column '{name}' must be a table: [columns.{name}] with a kind.")
            if unknown := sorted(set(entry) - allowed):
                raise SchemaError(
                    f"Column '{name}' has unknown fields: {', '.join(unknown)}. "
                    f"Fields: {', '.join(sorted(allowed))}."
                )
            if "kind" not in entry:
                raise SchemaError(f"Column '{name}' has no kind; use one of {', '.join(KINDS)}.")
            variables.append(Variable(name=name, **entry))
        trees = document.get("taxonomies", {})
        if not isinstance(trees, Mapping) or not all(isinstance(entry, Mapping) for entry in trees.values()):
            raise SchemaError(
                "taxonomies must be tables: [taxonomies.NAME] with file, prefixes, edges or the like."
            )
        sources = {name: _source(name, entry, folder) for name, entry in trees.items()}
        return cls(tuple(variables), sources)

    def to_toml(self, *, folder: str | Path | None = None) -> str:
        """The schema as TOML text, to read and to edit.

        Taxonomy files are named as they are found from `folder`, where the text is to be written; None: from the
        working directory.
        """
        return tomli_w.dumps(self.to_dict(folder=Path(folder) if folder is not None else None))

    @classmethod
    def from_toml(cls, text: str, *, folder: Path | None = None) -> Schema:
        try:
            document = tomllib.loads(text)
        except tomllib.TOMLDecodeError as fault:
            raise SchemaError(f"The schema is not valid TOML: {fault}.") from None
        return cls.from_dict(document, folder=folder)

    @classmethod
    def read(cls, path: str | Path) -> Schema:
        """Read a schema file; taxonomy files it names are looked for beside it."""
        path = Path(path)
        if not path.is_file():
            raise SchemaError(f"There is no schema file '{path}'.")
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise SchemaError(f"The schema file '{path}' is not UTF-8 text. Save it as UTF-8.") from None
        return cls.from_toml(text, folder=path.parent)

    def __str__(self) -> str:
        rows = [("column", "kind", "role", "why")]
        rows += [(v.name, v.kind, v.role, v.reason) for v in self.variables]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = ("  ".join([*(row[i].ljust(widths[i]) for i in range(3)), row[3]]).rstrip() for row in rows)
        return "\n".join(lines)


def _source(name: str, entry: Mapping[str, Any], folder: Path | None) -> TaxonomySource:
    try:
        return TaxonomySource.from_dict(entry, folder=folder)
    except SchemaError as fault:
        raise SchemaError(f"Taxonomy '{name}': {fault}") from None


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"column{'s' if len(names) > 1 else ''} {shown} {'are' if len(names) > 1 else 'is'}"
