"""`discreet inspect`: the inspection as a page, and the schema as a file to correct."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from discreet.cli.corrections import Corrections
from discreet.cli.page import Page, amount_of_bytes, amount_of_time
from discreet.progress import stage
from discreet.table.files.atomic import staged_file
from discreet.table.load import open_data
from discreet.workflow.inspect import ColumnView, Cost, Exposure, Inspection, inspect_opened


@dataclass(frozen=True)
class Inspected:
    """An inspection of a file, and where its schema was written."""

    source: Path
    seen: Inspection
    schema_file: Path | None

    def to_dict(self) -> dict[str, Any]:
        written = {"schema_file": str(self.schema_file)} if self.schema_file else {}
        return {"status": "done", "input": str(self.source)} | self.seen.to_dict() | written

    def show(self, page: Page) -> None:
        seen = self.seen
        page.line(f"{self.source.name}: {seen.n_records} records, {len(seen.columns)} columns", "title")
        page.line("Internal: counts are exact. No cell value is shown.", "faint")
        page.line()
        page.table(("column", "kind", "role", "missing", "different", "why"), [_row(c) for c in seen.columns])
        self._show_findings(page)
        if seen.exposure:
            _show_exposure(seen.exposure, page)
        if seen.cost:
            _show_cost(seen.cost, seen.k, page)
        if self.schema_file:
            page.title(f"Schema written to {self.schema_file}: correct it, then use it with --schema.")

    def _show_findings(self, page: Page) -> None:
        fails = [finding for finding in self.seen.findings if finding.fails]
        looks = [finding for finding in self.seen.findings if not finding.fails]
        page.title("What would fail" if fails else "What would fail: nothing")
        for finding in (*fails, *looks):
            of = f"{', '.join(finding.columns)}: " if finding.columns else ""
            page.line(
                f"{'fails' if finding.fails else 'note'}  {of}{finding.text}",
                "bad" if finding.fails else "look",
            )


def _row(column: ColumnView) -> tuple[str, ...]:
    counts = [str(count) if count is not None else "" for count in (column.n_missing, column.n_different)]
    return (column.name, column.kind, column.role, *counts, column.reason)


def _show_exposure(exposure: Exposure, page: Page) -> None:
    page.title("As it is now")
    page.line(f"over the quasi-identifiers {', '.join(exposure.columns)}:")
    page.line(
        f"k attained: {exposure.smallest_group} (records in the smallest group of equal ones)", indent=2
    )
    page.line(
        f"sample uniques: {exposure.n_unique} of {exposure.n_records} records ({exposure.share_unique:.0%}) "
        "are alone in theirs",
        indent=2,
    )


def _show_cost(cost: Cost, k: int, page: Page) -> None:
    page.title(f"What `discreet protect` with k={k} needs here")
    how = "measured" if cost.measured else "worked out from a part"
    page.line(f"time: {amount_of_time(cost.seconds)} ({how}; starting up comes on top)", indent=2)
    room = "" if cost.available_bytes is None else f"; {amount_of_bytes(cost.available_bytes)} are available"
    page.line(f"memory: about {amount_of_bytes(cost.n_bytes)}{room}", "" if cost.fits else "bad", indent=2)
    page.line(
        f"unit costs: {1000 * cost.seconds_per_thousand:.0f} ms per 1000 records, "
        f"{cost.bytes_per_record:.0f} bytes per record",
        indent=2,
    )


def inspect_file(
    source: Path,
    corrections: Corrections,
    k: int,
    write_schema: Path | None,
    *,
    force: bool = False,
    reading: Mapping[str, Any] | None = None,
) -> Inspected:
    """Look at a file; write its schema where asked to."""
    started = perf_counter()
    with stage("reading"):
        opened = open_data(source, warn=False, **(reading or {}))
    schema = corrections.apply(opened)
    seen = inspect_opened(opened, schema, k, started)
    if write_schema is not None:
        with staged_file(write_schema, force=force, inputs=[source]) as temporary:
            temporary.write_text(seen.schema.to_toml(folder=write_schema.parent), encoding="utf-8")
    return Inspected(source, seen, write_schema)
