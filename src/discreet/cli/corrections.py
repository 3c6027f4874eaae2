"""What a person says about the columns of a file: a schema, roles, taxonomies; laid over what was guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from discreet.cli.arguments import split_pair, taxonomy_from
from discreet.errors import ParameterError, SchemaError
from discreet.progress import stage
from discreet.table.frames import as_frame
from discreet.table.load import Opened
from discreet.table.schema import ROLES, Schema


@dataclass(frozen=True)
class Corrections:
    """What a person says about the columns: a schema file, roles, taxonomies."""

    schema: Path | None = None
    roles: Sequence[str] = ()
    taxonomies: Sequence[str] = ()

    def apply(self, opened: Opened) -> Schema:
        """The schema of a file: read or guessed, then corrected."""
        if self.schema is not None:
            schema = Schema.read(self.schema)
            schema.check_names(as_frame(opened.frame).columns)
        else:
            with stage("guessing what the columns are"):
                schema = opened.guessed_schema()
        for text in self.taxonomies:
            name, source, columns = taxonomy_from(text)
            schema = schema.with_taxonomy(name, source, columns=columns)
        for text in self.roles:
            schema = _with_role(schema, text)
        return schema


def _with_role(schema: Schema, text: str) -> Schema:
    form = "COLUMN=ROLE"
    split_pair(text, "--role", form)
    column, _, role = text.rpartition("=")
    if role not in ROLES:
        raise ParameterError(
            f"--role: there is no role '{role}'. Roles: {', '.join(r for r in ROLES if r != 'undecided')}."
        )
    return schema.with_role(role, column)


def refuse_undecided(schema: Schema) -> None:
    undecided = schema.of_role("undecided")
    if undecided:
        listed = "; ".join(f"{v.name} ({v.reason})" if v.reason else v.name for v in undecided)
        raise SchemaError(
            f"Nobody has decided what outsiders do with these columns: {listed}. Say it with "
            f"--role {undecided[0].name}=identifier (dropped), =quasi, =confidential or =other, or in a schema file."
        )
