"""`discreet assess`: any protected files beside their original, as evidence on the screen, in a file, as a page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from discreet.cli.corrections import Corrections
from discreet.cli.page import Page
from discreet.cli.protecting import show_evidence, show_faults
from discreet.cli.work import rehearse
from discreet.errors import ParameterError
from discreet.progress import stage
from discreet.report.render import comparison_html
from discreet.table.files.atomic import Staged
from discreet.table.files.format import kind_of
from discreet.table.files.writing import write_onto
from discreet.table.load import open_data
from discreet.table.polars_frame import new_frame
from discreet.workflow.assess import FAILED, Level, assess
from discreet.workflow.evidence import Evidence, compare
from discreet.workflow.publishing import THRESHOLD


@dataclass(frozen=True)
class Wanted:
    """What is to be measured, and where it is to be written; `internal` writes exact figures."""

    level: str = "standard"
    corresponds: bool | None = None
    control: Path | None = None
    known: tuple[str, ...] | None = None
    secret: tuple[str, ...] | None = None
    by: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    threshold: int = THRESHOLD
    output: Path | None = None
    report: Path | None = None
    internal: bool = False
    force: bool = False

    @property
    def files(self) -> dict[str, Path]:
        named = {"evidence": self.output, "report": self.report}
        return {name: path for name, path in named.items() if path is not None}


@dataclass(frozen=True)
class Assessed:
    """The evidence of each protected file, by its name."""

    source: Path
    evidence: Mapping[str, Evidence]
    wanted: Wanted = field(default_factory=Wanted)

    def document(self) -> dict[str, Any]:
        """All figures as plain data, in publishable form unless the internal one was asked for."""
        internal = self.wanted.internal
        found = [{"protected": name} | one.to_dict(internal=internal) for name, one in self.evidence.items()]
        return {"original": self.source.name, "internal": internal, "assessed": found}

    def to_dict(self) -> dict[str, Any]:
        files = {name: str(path) for name, path in self.wanted.files.items()}
        return {"status": "done"} | self.document() | {"files": files}

    def rows(self) -> list[dict[str, Any]]:
        """A row per file, figure and entry of its breakdown."""
        internal = self.wanted.internal
        return [
            {"protected": name} | row
            for name, one in self.evidence.items()
            for row in one.rows(internal=internal)
        ]

    def show(self, page: Page) -> None:
        if len(self.evidence) > 1:
            self._show_comparison(page)
        for name, one in self.evidence.items():
            if len(self.evidence) == 1:
                page.line(f"{self.source.name} -> {name}", "title")
                show_evidence(one, page)
            if self.wanted.level == "full":
                _show_all(name, one, page)
            _show_skipped(name, one, page)
        self._show_files(page)

    def _show_comparison(self, page: Page) -> None:
        page.line(f"{self.source.name} -> {len(self.evidence)} files", "title")
        for line in str(compare(self.evidence)).splitlines():
            page.line(line, indent=2)
        for name, one in self.evidence.items():
            taken = "taken" if one.corresponds else "not taken"
            page.line(f"{name}: records {taken} to correspond", indent=2)
            for remark in one.remarks:
                page.line(f"note: {name}: {remark}", "look", indent=2)

    def _show_files(self, page: Page) -> None:
        notice = "INTERNAL: do not publish" if self.wanted.internal else "may be published"
        rows = {"evidence": f"all figures; {notice}", "report": "the main figures to read; may be published"}
        if self.wanted.files:
            listed = [(str(path), rows[name]) for name, path in self.wanted.files.items()]
            page.table(("file", "what it is"), listed)
        else:
            page.line(
                "All figures, with their breakdowns: --output evidence.csv; as a page: --report.", "faint"
            )


def _show_skipped(name: str, evidence: Evidence, page: Page) -> None:
    show_faults(evidence, page, f" on {name}")
    for measure, reason in evidence.skipped.items():
        if not reason.startswith(FAILED):
            page.line(f"note: {measure} was not taken of {name}: {reason}", "look")


def _show_all(name: str, evidence: Evidence, page: Page) -> None:
    page.title(f"All figures of {name} (exact, so internal)")
    rows = [
        (
            f.aspect,
            f.figure.name,
            "" if f.before is None else f"{f.before:.4g}",
            f"{f.figure.value:.4g}",
            f.figure.unit,
        )
        for f in evidence.findings
    ]
    page.table(("", "figure", "before", "after", "unit"), rows)


def assess_files(
    original: Path,
    protected: Sequence[Path],
    corrections: Corrections,
    wanted: Wanted,
    reading: Mapping[str, Any] | None = None,
) -> Assessed:
    """Measure every protected file against the original, and write what was asked for."""
    inputs = (original, *protected, *([] if wanted.control is None else [wanted.control]))
    _rehearse(inputs, wanted)
    with stage("reading"):
        opened = open_data(original, **(reading or {}))
        control = None if wanted.control is None else open_data(wanted.control, **(reading or {}))
    schema = corrections.apply(opened)
    found: dict[str, Evidence] = {}
    for name, path in _named(protected).items():
        with stage(f"reading {name}"):
            other = open_data(path, **(reading or {}))
        found[name] = assess(
            opened,
            other,
            schema,
            level=cast("Level", wanted.level),
            control=control,
            known=wanted.known,
            secret=wanted.secret,
            by=wanted.by,
            formulas=wanted.formulas,
            corresponds=wanted.corresponds,
            threshold=wanted.threshold,
        )
    assessed = Assessed(original, found, wanted)
    _write(assessed, inputs)
    return assessed


def _named(protected: Sequence[Path]) -> dict[str, Path]:
    """Files by their names, or by their paths where two have the same name."""
    by_name = {path.name: path for path in protected}
    return by_name if len(by_name) == len(protected) else {str(path): path for path in protected}


def _rehearse(inputs: Sequence[Path], wanted: Wanted) -> None:
    """Refuse what could not be written, before any work."""
    if wanted.output is not None and wanted.output.suffix.lower() != ".json":
        kind_of(wanted.output)
    if wanted.level not in ("standard", "full"):
        raise ParameterError(f"--level is standard or full. Got '{wanted.level}'.")
    rehearse(inputs, wanted.files.values(), wanted.force)


def _write(assessed: Assessed, inputs: Sequence[Path]) -> None:
    wanted = assessed.wanted
    with Staged(force=wanted.force, inputs=inputs) as staged:
        if wanted.output is not None:
            _write_figures(assessed, staged.add(wanted.output, private=wanted.internal), wanted.output)
        if wanted.report is not None:
            page = comparison_html(compare(assessed.evidence))
            staged.add(wanted.report).write_text(page, encoding="utf-8")


def _without_infinities(row: dict[str, Any]) -> dict[str, Any]:
    """A row that every kind of file can hold: undefined numbers are empty, and the note says of which kind."""
    strange = {
        key: value for key, value in row.items() if isinstance(value, float) and not math.isfinite(value)
    }
    if not math.isinf(strange.get("value", 0.0)):
        return row | dict.fromkeys(strange)
    return row | dict.fromkeys(strange) | {"note": f"The value is infinite. {row['note']}".strip()}


def _write_figures(assessed: Assessed, temporary: Path, output: Path) -> None:
    if output.suffix.lower() == ".json":
        text = json.dumps(assessed.document(), indent=1, ensure_ascii=False, allow_nan=False)
        temporary.write_text(text + "\n", encoding="utf-8")
        return
    rows = [_without_infinities(row) for row in assessed.rows()]
    write_onto(new_frame({key: [row[key] for row in rows] for key in rows[0]}), temporary, output)
