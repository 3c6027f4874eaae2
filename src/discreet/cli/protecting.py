"""`discreet protect`, `recode` and `replay`: from file to file through public calls, and the evidence to print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from discreet.base import parameters
from discreet.cli.arguments import split_pair, taxonomy_from
from discreet.cli.page import Page
from discreet.errors import ClaimError, ParameterError, SchemaError
from discreet.progress import stage
from discreet.recipe import Recipe
from discreet.release import Method, Release, prepare
from discreet.table.files.atomic import Staged
from discreet.table.files.writing import check_writable
from discreet.table.frames import as_frame
from discreet.table.load import Opened, open_data
from discreet.table.polars_frame import as_polars
from discreet.table.schema import ROLES, WITHHELD, Role, Schema
from discreet.version import VERSION
from discreet.workflow.inspect import Exposure, exposure_of
from discreet.workflow.methods import build_method
from discreet.workflow.protect import Outputs, write_release
from discreet.workflow.replay import check_same_output, replay_opened

_ROLE_ORDER: tuple[Role, ...] = (
    "quasi",
    "confidential",
    "other",
    "stratum",
    "weight",
    "identifier",
    "cluster",
)


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
                schema = Schema.infer(opened.frame, text_of=opened.text_of, labels=opened.labels)
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


@dataclass(frozen=True)
class Evidence:
    """What a run did and what it proves. Internal: exact counts, but no cell value and no seed."""

    source: Path
    release: Release
    method: Method
    outputs: Outputs
    before: Exposure | None
    after: Exposure | None
    guessed: bool
    remarks: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": "done",
            "discreet": VERSION,
            "input": str(self.source),
            "n_records": self.release.table.n_records,
            "method": parameters(self.method),
            "roles_guessed": self.guessed,
            "columns": {v.name: {"kind": v.kind, "role": v.role} for v in self.release.recipe.schema},
            "claims": [
                {"statement": p.claim.statement, "holds": p.verdict.holds, "attained": p.verdict.attained}
                for p in self.release.claims
            ],
            "notes": [*self.remarks, *self.release.notes],
            "exposure": {
                "internal": True,
                "before": self.before.to_dict() if self.before else None,
                "after": self.after.to_dict() if self.after else None,
            },
            "files": {name: {"path": str(path), "publish": publish} for name, path, publish in self._files()},
        }

    def show(self, page: Page) -> None:
        page.line(
            f"{self.source.name}: {self.release.table.n_records} records, {described(self.method)}.", "title"
        )
        for proven in self.release.claims:
            page.line(f"holds: {proven.claim.statement}", "good")
            page.line(f"checked: {proven.verdict.attained}", indent=7)
        if not self.release.claims:
            page.line(
                "claims: none. This method proves nothing by itself; look at the risk before publishing.",
                "look",
            )
        for note in (*self.remarks, *self.release.notes):
            page.line(f"note: {note}", "look")
        self._show_exposure(page)
        self._show_roles(page)
        page.table(
            ("file", "what it is"),
            [
                (str(path), _WHAT[name] if publish else f"{_WHAT[name]}; INTERNAL: do not publish")
                for name, path, publish in self._files()
            ],
        )

    def _show_exposure(self, page: Page) -> None:
        was = f"{_exposed(self.before)} -> " if self.before else ""
        page.line(f"alone by quasi-identifiers (internal): {was}{_exposed(self.after)}")

    def _show_roles(self, page: Page) -> None:
        variables = tuple(self.release.recipe.schema)
        for role in _ROLE_ORDER:
            names = [v.name for v in variables if v.role == role]
            if names:
                dropped = " (left out)" if role in WITHHELD else ""
                page.line(f"{role}{dropped}: {', '.join(names)}")
        if self.guessed:
            page.line(
                "Roles were guessed: `discreet inspect` says why, --role and --schema correct them.", "look"
            )

    def _files(self) -> list[tuple[str, Path, bool]]:
        found = [
            ("data", self.outputs.data, True),
            ("public_recipe", self.outputs.public_recipe, True),
            ("recipe", self.outputs.recipe, False),
        ]
        return found


_WHAT = {
    "data": "the protected data",
    "public_recipe": "how they were protected, without seed",
    "recipe": "what `discreet replay` needs, with the seed",
}


def _exposed(exposure: Exposure | None) -> str:
    if exposure is None:
        return "no quasi-identifier is left"
    return f"{exposure.n_unique} records alone, smallest group {exposure.smallest_group}"


def described(method: Method) -> str:
    """A method in a few words: its first parameter, and those that differ from their defaults.

    >>> from discreet.masking.noise import Noise
    >>> described(Noise(kind="correlated"))
    'Noise (sd=0.1, kind=correlated)'
    """
    told = [f.name for i, f in enumerate(fields(method)) if i == 0 or getattr(method, f.name) != f.default]
    plain = [
        f"{name}={getattr(method, name)}"
        for name in told
        if isinstance(getattr(method, name), (int, float, str))
    ]
    return f"{type(method).__name__} ({', '.join(plain)})" if plain else type(method).__name__


# -- from file to file -------------------------------------------------------------------------------------------


def protect_file(
    source: Path,
    output: Path,
    method: Method,
    corrections: Corrections,
    *,
    seed: int | None = None,
    force: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Evidence:
    """Read, guess or correct the schema, protect, prove, and write all files or none."""
    rehearse([source], output, force)
    with stage("reading"):
        opened = open_data(source, **(reading or {}))
    check_writable(as_polars(opened.frame), output)
    schema = corrections.apply(opened)
    _refuse_undecided(schema)
    prepared = prepare(method, opened, schema, seed)
    release = prepared.release()
    with stage("writing"):
        outputs, _ = written(release, opened, output, force)
    return Evidence(
        source=source,
        release=release,
        method=method,
        outputs=outputs,
        before=exposure_of(prepared.table),
        after=exposure_of(release.table),
        guessed=corrections.schema is None,
        remarks=opened.source.remarks if opened.source else (),
    )


def written(release: Release, opened: Opened, output: Path, force: bool) -> tuple[Outputs, Recipe]:
    """Write a release beside its recipes. The report is handed over here too."""
    return write_release(release, output, opened=opened, force=force)


def rehearse(inputs: Sequence[Path], output: Path, force: bool) -> None:
    """Refuse outputs that could not be written, before any work: by staging them and giving that up."""
    outputs = Outputs.beside(output)
    with suppress(_Rehearsed), Staged(force=force, inputs=inputs) as staged:
        for path in (outputs.data, outputs.recipe, outputs.public_recipe):
            staged.add(path)
        raise _Rehearsed


class _Rehearsed(Exception):
    """All outputs could be staged; nothing is to be kept of it."""


def _refuse_undecided(schema: Schema) -> None:
    undecided = schema.of_role("undecided")
    if undecided:
        listed = "; ".join(f"{v.name} ({v.reason})" if v.reason else v.name for v in undecided)
        raise SchemaError(
            f"Nobody has decided what outsiders do with these columns: {listed}. Say it with "
            f"--role {undecided[0].name}=identifier (dropped), =quasi, =confidential or =other, or in a schema file."
        )


def replay_file(
    recipe: Path,
    source: Path,
    output: Path,
    *,
    seed: int | None = None,
    force: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Evidence:
    """The recorded bytes from the recipe's own input; the same plan under a new seed from another file."""
    plan = Recipe.read(recipe)
    rehearse([source, recipe], output, force)
    replayed = replay_opened(plan, source, seed=seed, **(reading or {}))
    release, opened = replayed.release, replayed.opened
    if replayed.same_input:
        _check_bytes(plan, release, opened, output)
        remark = "The input is the recipe's own: the output has the recorded bytes."
    elif seed is None:
        remark = "Another input than the recipe's own: the plan is the same, the seed is new."
    else:
        remark = "Another input than the recipe's own: the plan is the same, the seed is the one given."
    with stage("writing"):
        outputs, _ = written(release, opened, output, force)
    return Evidence(
        source=source,
        release=release,
        method=build_method(plan.method),
        outputs=outputs,
        before=None,
        after=exposure_of(release.table),
        guessed=False,
        remarks=(remark,),
    )


def _check_bytes(plan: Recipe, release: Release, opened: Opened, output: Path) -> None:
    """Write the data to a hidden place and compare before anything appears under the output's name."""
    if not plan.output_sha256:
        return
    prefix = f".{output.name[:100]}."
    with (
        stage("comparing bytes"),
        TemporaryDirectory(dir=output.parent, prefix=prefix, suffix=".part") as folder,
    ):
        _, recipe = write_release(release, Path(folder) / output.name, opened=opened)
    try:
        check_same_output(plan, recipe.output_sha256)
    except ClaimError as fault:
        raise ClaimError(
            f"{fault} The bytes also differ where OUTPUT has another ending than the recorded file."
        ) from None
