"""Evidence: what all measures found, before and after, as lines, as a table, as JSON; for one release or several.

The internal form holds everything. The publishable form holds no value per record, and shows counts of records below
the threshold as such. Evidence computes nothing: it was measured by `assess`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.table.polars_frame import new_frame

THRESHOLD = 10  # counts of records below this are not published

# The figures of the short form, risk first: what a board asks for. Those not measured are passed over.
HEADLINES = (
    "group_sizes.smallest",
    "group_sizes.uniques",
    "linkage.distance",
    "individual.expected",
    "diversity.homogeneous",
    "attribute.gain",
    "propensity.ratio",
    "moments.mean",
    "moments.correlation",
    "distributions.total_variation",
    "regression.overlap",
    "learning.loss",
)


@dataclass(frozen=True, eq=False)
class Finding:
    """One figure of the protected table, beside the same figure of the original against itself."""

    aspect: Aspect
    figure: Figure
    before: float | None = None


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that was measured on one pair of tables.

    Attributes:
        findings: every figure, with its value before protection where that means something.
        n_original, n_protected: numbers of records.
        columns: columns that both tables hold and that were measured.
        left_out: column -> why it was not measured.
        skipped: measure -> why it could not be taken.
        corresponds: whether record i of the protected table was taken to stem from record i of the original.
        threshold: counts of records below this are not published.
    """

    findings: tuple[Finding, ...]
    n_original: int
    n_protected: int
    columns: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    corresponds: bool = True
    threshold: int = THRESHOLD

    def __getitem__(self, name: str) -> Figure:
        for finding in self.findings:
            if finding.figure.name == name:
                return finding.figure
        raise ParameterError(f"Nothing was measured under '{name}'. There are: {', '.join(self.names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(finding.figure.name for finding in self.findings)

    def of(self, aspect: Aspect) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.aspect == aspect)

    def headlines(self) -> tuple[Finding, ...]:
        """The findings of the short form; the first of each aspect where none of the usual ones was measured."""
        chosen = [f for name in HEADLINES for f in self.findings if f.figure.name == name]
        return tuple(chosen) or (*self.of("risk")[:4], *self.of("utility")[:4])

    def __str__(self) -> str:
        lines = [
            f"{self.n_original} records -> {self.n_protected} records, {len(self.columns)} columns measured"
            + ("" if self.corresponds else ", records not taken to correspond")
        ]
        lines += [_line(finding, self.columns) for finding in self.headlines()]
        if self.left_out:
            lines.append(f"not measured: {', '.join(self.left_out)}")
        return "\n".join(lines)

    def published_before(self, finding: Finding) -> float | None:
        before = finding.before
        return None if before is None else hidden(before, finding.figure, self.threshold)

    # -- as data -----------------------------------------------------------------------------------------------

    def rows(self, *, internal: bool = False) -> list[dict[str, Any]]:
        """A row per figure and per entry of its breakdown, as plain data."""
        rows = []
        for finding in self.findings:
            shown = finding.figure if internal else publishable(finding.figure, self.threshold)
            before = finding.before if internal else self.published_before(finding)
            low, high = shown.interval or (None, None)
            rows.append(
                {
                    "aspect": finding.aspect,
                    "measure": shown.name,
                    "of": "",
                    "before": before,
                    "value": shown.value,
                    "low": low,
                    "high": high,
                    "unit": shown.unit,
                    "better": shown.better,
                    "note": shown.note,
                }
            )
            rows += [
                rows[-1]
                | {"of": ", ".join(part.of), "before": None, "value": part.value, "low": None, "high": None}
                for part in shown.parts
            ]
        return rows

    def to_frame(self, *, internal: bool = False) -> Any:
        """The rows as a polars dataframe."""
        rows = self.rows(internal=internal)
        return new_frame({key: [row[key] for row in rows] for key in rows[0]} if rows else {})

    def to_dict(self, *, internal: bool = False) -> dict[str, Any]:
        return {
            "records": {"original": self.n_original, "protected": self.n_protected},
            "corresponds": self.corresponds,
            "columns": list(self.columns),
            "left_out": dict(self.left_out),
            "skipped": dict(self.skipped),
            "figures": [
                {key: _plain(value) for key, value in row.items()} for row in self.rows(internal=internal)
            ],
        }

    def to_json(self, *, internal: bool = False) -> str:
        """JSON; numbers that are not finite become null. Publishable unless `internal`."""
        return json.dumps(self.to_dict(internal=internal), indent=1, allow_nan=False)


def publishable(figure: Figure, threshold: int = THRESHOLD) -> Figure:
    """The figure without values per record, and with small counts raised to the threshold and said to be below it."""
    value = hidden(figure.value, figure, threshold)
    parts = tuple(Part(part.of, hidden(part.value, figure, threshold)) for part in figure.parts)
    shown, found = (
        [value, *(part.value for part in parts)],
        [figure.value, *(part.value for part in figure.parts)],
    )
    if np.array_equal(shown, found, equal_nan=True):
        return replace(figure, records=None)
    note = (
        f"{figure.note} Values standing for fewer than {threshold} records are shown as {threshold}.".strip()
    )
    return replace(figure, value=value, parts=parts, records=None, interval=None, note=note)


def hidden(value: float, figure: Figure, threshold: int = THRESHOLD) -> float:
    """The value, raised to what `threshold` records are where it stands for fewer; none stays none."""
    if not figure.people or math.isnan(value):
        return value
    least = min(100.0 * threshold / figure.people, 100.0)
    return least if 0 < value < least else value


def _line(finding: Finding, columns: Sequence[str]) -> str:
    figure = finding.figure
    value = _number(figure.value)
    before = f"{_number(finding.before)} -> " if finding.before is not None else ""
    interval = f" [{_number(figure.interval[0])}, {_number(figure.interval[1])}]" if figure.interval else ""
    unit = "" if figure.unit in ("share", "index") else f" {figure.unit}"
    return f"{finding.aspect:7}  {figure.name:32} {before}{value}{unit}{interval}{_extremes(figure, columns)}"


def _extremes(figure: Figure, columns: Sequence[str]) -> str:
    """The best and the worst column, or pair of columns, of the breakdown, by name."""
    parts = [part for part in figure.parts if not math.isnan(part.value) and set(part.of) <= set(columns)]
    if len(parts) < 2 or figure.better == "neither":
        return ""
    ordered = sorted(parts, key=lambda part: part.value, reverse=figure.better == "higher")
    best, worst = ordered[0], ordered[-1]
    if best.value == worst.value:
        return ""
    return f"  (best {'/'.join(best.of)} {_number(best.value)}, worst {'/'.join(worst.of)} {_number(worst.value)})"


def _number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "n/a"
    return f"{value:.0f}" if abs(value) >= 1000 and value == round(value) else f"{value:.4g}"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True, eq=False)
class Comparison:
    """Evidence of several protected tables side by side."""

    evidence: Mapping[str, Evidence]

    def rows(self) -> list[dict[str, Any]]:
        """A row per figure, a column per table."""
        names = list(dict.fromkeys(name for one in self.evidence.values() for name in one.names))
        found = {
            label: {f.figure.name: publishable(f.figure, one.threshold) for f in one.findings}
            for label, one in self.evidence.items()
        }
        aspects = {f.figure.name: f.aspect for one in self.evidence.values() for f in one.findings}
        rows = []
        for name in names:
            shown = next(figures[name] for figures in found.values() if name in figures)
            values = {
                label: figures[name].value if name in figures else None for label, figures in found.items()
            }
            rows.append(
                {"aspect": aspects[name], "measure": name, "unit": shown.unit, "better": shown.better}
                | values
            )
        return rows

    def to_frame(self) -> Any:
        """The rows as a polars dataframe."""
        rows = self.rows()
        return new_frame({key: [row[key] for row in rows] for key in rows[0]} if rows else {})

    def __str__(self) -> str:
        labels = list(self.evidence)
        wide = max([12, *(len(label) for label in labels)])
        lines = [" " * 42 + "  ".join(label.rjust(wide) for label in labels)]
        for row in self.rows():
            if row["measure"] in HEADLINES:
                values = "  ".join(_number(row[label]).rjust(wide) for label in labels)
                lines.append(f"{row['aspect']:7}  {row['measure']:32} {values}")
        return "\n".join(lines)


def compare(evidence: Mapping[str, Evidence] | Sequence[Evidence]) -> Comparison:
    """Evidence of several releases on one scale, named by the mapping's keys or numbered."""
    if isinstance(evidence, Mapping):
        return Comparison(dict(evidence))
    return Comparison({f"release {i + 1}": one for i, one in enumerate(evidence)})
