"""`discreet subdomains`: the suggestions as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.cli.corrections import Corrections
from discreet.cli.page import Page
from discreet.progress import stage
from discreet.release import Method
from discreet.table.load import open_data
from discreet.workflow.suggest import Suggestion, suggest_opened


@dataclass(frozen=True)
class Suggested:
    """What was weighed for a file, the most useful first."""

    source: Path
    found: tuple[Suggestion, ...]

    def to_dict(self) -> dict[str, Any]:
        listed = [{"by": list(one.by)} | _numbers(one) for one in self.found]
        return {"status": "done", "input": str(self.source), "suggestions": listed}

    def show(self, page: Page) -> None:
        if not self.found:
            page.line("No column makes subdomains that are large enough to be restored apart.", "look")
            return
        page.line(f"{self.source.name}: subdomains to restore apart", "title")
        page.line(
            "Internal: figures are exact. Percent; risk restored as a whole -> restored apart.", "faint"
        )
        page.line()
        page.table(
            ("by", "cells", "loss", "subdomains", "smallest", "linked", "intervals"),
            list(map(_row, self.found)),
        )
        page.line()
        page.line(
            "loss: what means, variances and covariances inside the cells lose (PIL) when the file is restored as a "
            "whole. Restoring apart makes it 0. Numeric columns are cut into fifths; cells that are alike are merged."
        )


def _numbers(one: Suggestion) -> dict[str, Any]:
    return {name: value for name, value in vars(one).items() if name != "subdomains"}


def _row(one: Suggestion) -> tuple[str, ...]:
    return (
        " x ".join(one.by),
        str(one.cells),
        f"{one.loss:.1f}",
        str(one.groups),
        str(one.smallest),
        f"{one.linkage:.1f} -> {one.linkage_apart:.1f}",
        f"{one.interval:.1f} -> {one.interval_apart:.1f}",
    )


def suggest_for_file(
    source: Path,
    corrections: Corrections,
    mask: Method | None,
    columns: Sequence[str] | None,
    *,
    seed: int | None = None,
    reading: Mapping[str, Any] | None = None,
) -> Suggested:
    """Open a file, correct what was guessed, and weigh its subdomains."""
    with stage("reading"):
        opened = open_data(source, **(reading or {}))
    schema = corrections.apply(opened)
    return Suggested(source, suggest_opened(opened, schema, mask=mask, columns=columns, seed=seed))
