"""`discreet protect`, `recode` and `replay`: from file to file through public calls, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from discreet.base import parameters
from discreet.cli.corrections import Corrections, refuse_undecided
from discreet.cli.page import Page
from discreet.cli.work import rehearse
from discreet.errors import InputError
from discreet.progress import stage
from discreet.recipe import Recipe
from discreet.release import Method, Release, prepare
from discreet.report.render import report_html
from discreet.table.files.writing import check_writable
from discreet.table.load import Opened, open_data
from discreet.table.polars_frame import as_polars
from discreet.table.schema import WITHHELD, Role, Schema
from discreet.version import VERSION
from discreet.workflow.assess import FAILED, assess
from discreet.workflow.evidence import Evidence
from discreet.workflow.methods import build_method
from discreet.workflow.protect import Outputs, write_release
from discreet.workflow.replay import replay_opened

_ROLE_ORDER: tuple[Role, ...] = (
    "quasi",
    "confidential",
    "other",
    "stratum",
    "weight",
    "identifier",
    "cluster",
)
_WHAT = {
    "data": "the protected data",
    "report": "what is claimed and what was measured, to read",
    "public_recipe": "how they were protected, without seed",
    "recipe": "what `discreet replay` needs, with the seed",
}


@dataclass(frozen=True)
class Protected:
    """A release that was written, and what was measured on it. Internal: the figures it shows are exact."""

    source: Path
    release: Release
    method: Method
    outputs: Outputs
    evidence: Evidence | None
    guessed: bool = False
    remarks: tuple[str, ...] = ()

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
            "evidence": self.evidence.to_dict() if self.evidence else None,
            "files": {
                name: {"path": str(path), "publish": name != "recipe"}
                for name, path in _files_of(self.outputs).items()
            },
        }

    def show(self, page: Page) -> None:
        page.line(
            f"{self.source.name}: {self.release.table.n_records} records, {described(self.method)}.", "title"
        )
        self._show_claims(page)
        if self.evidence:
            show_evidence(self.evidence, page)
            show_faults(self.evidence, page)
        self._show_roles(page)
        rows = [
            (str(path), _WHAT[name] + ("; INTERNAL: do not publish" if name == "recipe" else ""))
            for name, path in _files_of(self.outputs).items()
        ]
        page.table(("file", "what it is"), rows)

    def _show_claims(self, page: Page) -> None:
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


def show_evidence(evidence: Evidence, page: Page) -> None:
    """The short form: risk before and after, then what analyses lose. Exact, for whoever sits in front of it."""
    _, heading, *lines = str(evidence).splitlines()
    page.line(f"Measured (exact, so internal): {heading}", "title")
    for line in lines:
        page.line(line, indent=2)


def show_faults(evidence: Evidence, page: Page, where: str = "") -> None:
    """Measures that failed inside: a line each, for the other figures stand."""
    for measure, reason in evidence.skipped.items():
        if reason.startswith(FAILED):
            page.line(
                f"fault: {measure} {reason}{where}. This is a fault of the program, not of your file; all other figures "
                "stand. Please report it.",
                "bad",
            )


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
    measure: bool = True,
    force: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Protected:
    """Read, guess or correct the schema, protect, prove, measure, and write all files or none."""
    rehearse([source], _files_of(Outputs.beside(output)).values(), force)
    with stage("reading"):
        opened = open_data(source, warn=False, **(reading or {}))
    check_writable(as_polars(opened.frame), output)
    schema = corrections.apply(opened)
    refuse_undecided(schema)
    release = prepare(method, opened, schema, seed).release()
    evidence, remarks = measured(opened, release, schema) if measure else (None, ())
    with stage("writing"):
        page = report_html(release, evidence)
        outputs, _ = write_release(release, output, opened=opened, report=page, force=force)
    return Protected(
        source=source,
        release=release,
        method=method,
        outputs=outputs,
        evidence=evidence,
        guessed=corrections.schema is None,
        remarks=(*(opened.source.remarks if opened.source else ()), *remarks),
    )


def measured(opened: Opened, release: Release, schema: Schema) -> tuple[Evidence | None, tuple[str, ...]]:
    """The evidence of a release; a release that cannot be measured is still one, and that is said."""
    try:
        return assess(opened, release, schema), ()
    except InputError as fault:
        return None, (f"Neither risk nor utility could be measured. {fault}",)


def _files_of(outputs: Outputs) -> dict[str, Path]:
    """All files of a release by what they are."""
    return {name: getattr(outputs, name) for name in _WHAT}


def replay_file(
    recipe: Path,
    source: Path,
    output: Path,
    *,
    seed: int | None = None,
    measure: bool = True,
    force: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Protected:
    """The recorded output from the recipe's own input; the same plan under a new seed from another file."""
    plan = Recipe.read(recipe)
    rehearse([source, recipe], _files_of(Outputs.beside(output)).values(), force)
    replayed = replay_opened(plan, source, seed=seed, **(reading or {}))
    release, opened = replayed.release, replayed.opened
    evidence, remarks = measured(opened, release, plan.schema) if measure else (None, ())
    with stage("writing"):
        page = report_html(release, evidence)
        again = plan if replayed.same_input else None
        outputs, _ = write_release(release, output, opened=opened, report=page, again=again, force=force)
    return Protected(
        source=source,
        release=release,
        method=build_method(plan.method),
        outputs=outputs,
        evidence=evidence,
        remarks=(_whose_input(replayed.same_input, seed), *remarks),
    )


def _whose_input(is_same: bool, seed: int | None) -> str:
    if is_same:
        return "The input is the recipe's own: the output is the recorded one."
    which = "new" if seed is None else "the one given"
    return f"Another input than the recipe's own: the plan is the same, the seed is {which}."
