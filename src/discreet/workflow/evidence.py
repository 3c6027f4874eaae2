"""Evidence: what all measures found, before and after, as lines, as a table, as JSON; for one release or several.

The internal form holds everything. The publishable form holds no value per record and no internal note; a value that
stands for fewer records than the threshold is shown as the threshold and marked as being below it. Evidence computes
nothing: it was measured by `assess`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from discreet.base import Aspect, Figure, Part
from discreet.errors import ParameterError
from discreet.table.native import frame_of
from discreet.workflow.publishing import THRESHOLD, published

_LINES = 10  # of the short form

# The figures of the short form: what a board asks for, the most important first. Those not measured are passed over.
_OF_STRANGERS = ("copies.uniques", "closest.to_original", "closest.ratio", "membership.area")
_OF_RECORDS = (
    "group_sizes.smallest",
    "group_sizes.uniques",
    "linkage.distance",
    "linkage.distance_in_parts",
    "diversity.homogeneous",
    "attribute.gain",
    "individual.expected",
)
_UTILITIES = (
    "propensity.ratio",
    "moments.mean",
    "moments.correlation",
    "distributions.total_variation",
    "regression.overlap",
    "learning.loss",
    "pil.q_in_parts",
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
        remarks: what whoever reads the figures must know of how they were taken.
        library: dataframe library of the original, that `to_frame` answers in.
    """

    findings: tuple[Finding, ...]
    n_original: int
    n_protected: int
    columns: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    corresponds: bool = True
    threshold: int = THRESHOLD
    remarks: tuple[str, ...] = ()
    library: str = "polars"

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
        """At most ten findings, risk first; the first ones of an aspect of which no usual one was measured."""
        usual = (*_OF_RECORDS, *_OF_STRANGERS) if self.corresponds else (*_OF_STRANGERS, *_OF_RECORDS)
        risk, utility = self._chosen("risk", usual), self._chosen("utility", _UTILITIES)
        n_risk = max(_LINES // 2, _LINES - len(utility))
        return (*risk[:n_risk], *utility[: _LINES - len(risk[:n_risk])])

    def _chosen(self, aspect: Aspect, usual: Sequence[str]) -> tuple[Finding, ...]:
        found = {finding.figure.name: finding for finding in self.of(aspect)}
        chosen = tuple(found[name] for name in usual if name in found)
        return chosen or self.of(aspect)[: _LINES // 2]

    def __str__(self) -> str:
        taken = "taken" if self.corresponds else "not taken"
        lines = [
            "Exact figures: internal, not for publication.",
            f"{self.n_original} records -> {self.n_protected} records, {taken} to correspond; "
            f"{len(self.columns)} columns measured",
        ]
        lines += [_line(finding, self.columns) for finding in self.headlines()]
        if self.left_out:
            lines.append(f"not measured: {', '.join(self.left_out)}")
        lines += [f"note: {remark}" for remark in self.remarks]
        return "\n".join(lines)

    # -- what may be published ---------------------------------------------------------------------------------

    def published(self) -> tuple[Finding, ...]:
        """The findings in publishable form."""
        shown = self._published([finding.figure for finding in self.findings])
        return tuple(replace(f, figure=figure) for f, figure in zip(self.findings, shown, strict=True))

    def published_before(self, finding: Finding) -> Part | None:
        """A finding's value before protection as it may be published."""
        return None if finding.before is None else self._published_before[finding.figure.name, finding.before]

    @cached_property
    def _published_before(self) -> dict[tuple[str, float], Part]:
        """By the figure's name and its exact value."""
        known = [(f.figure, f.before) for f in self.findings if f.before is not None]
        shown = self._published([replace(figure, value=before, parts=()) for figure, before in known])
        return {
            (figure.name, before): Part(("before",), one.value, below=one.below)
            for (figure, before), one in zip(known, shown, strict=True)
        }

    def _published(self, figures: Sequence[Figure]) -> tuple[Figure, ...]:
        return published(figures, self.threshold, min(self.n_original, self.n_protected))

    # -- as data -----------------------------------------------------------------------------------------------

    def rows(self, *, internal: bool = False) -> list[dict[str, Any]]:
        """A row per figure and per entry of its breakdown, as plain data.

        Where `below` (`before_below`) is True, the value (before) is what the true one is at most.
        """
        rows = []
        for finding in self.findings if internal else self.published():
            shown = finding.figure
            before = _exact_before(finding) if internal else self.published_before(finding)
            low, high = shown.interval or (None, None)
            rows.append(
                {
                    "aspect": finding.aspect,
                    "measure": shown.name,
                    "of": "",
                    "before": before.value if before else None,
                    "before_below": before.below if before else False,
                    "value": shown.value,
                    "below": shown.below,
                    "low": low,
                    "high": high,
                    "unit": shown.unit,
                    "better": shown.better,
                    "note": shown.note,
                }
            )
            common = rows[-1] | {"before": None, "before_below": False, "low": None, "high": None}
            rows += [
                common | {"of": ", ".join(part.of), "value": part.value, "below": part.below}
                for part in shown.parts
            ]
        return rows

    def to_frame(self, *, internal: bool = False) -> Any:
        """The rows as a dataframe of the original's library (polars where it was a file)."""
        return _as_frame(self.rows(internal=internal), self.library)

    def to_dict(self, *, internal: bool = False) -> dict[str, Any]:
        return {
            "records": {"original": self.n_original, "protected": self.n_protected},
            "corresponds": self.corresponds,
            "columns": list(self.columns),
            "left_out": dict(self.left_out),
            "skipped": dict(self.skipped),
            "remarks": list(self.remarks),
            "internal": internal,
            "threshold": self.threshold,
            "figures": [
                {key: _plain(value) for key, value in row.items()} for row in self.rows(internal=internal)
            ],
        }

    def to_json(self, *, internal: bool = False) -> str:
        """JSON; numbers that are not finite become null. Publishable unless `internal`."""
        return json.dumps(self.to_dict(internal=internal), indent=1, allow_nan=False)


def _exact_before(finding: Finding) -> Part | None:
    return None if finding.before is None else Part(("before",), finding.before)


def _as_frame(rows: Sequence[Mapping[str, Any]], library: str) -> Any:
    return frame_of({key: [row[key] for row in rows] for key in rows[0]} if rows else {}, library)


def _line(finding: Finding, columns: Sequence[str]) -> str:
    figure = finding.figure
    value = _number(figure.value)
    before = f"{_number(finding.before)} -> " if finding.before is not None else ""
    interval = f" [{_number(figure.interval[0])}, {_number(figure.interval[1])}]" if figure.interval else ""
    unit = "" if figure.unit in ("share", "index") else f" {figure.unit}"
    return f"{finding.aspect:7}  {figure.name:32} {before}{value}{unit}{interval}{_extremes(figure, columns)}"


def _extremes(figure: Figure, columns: Sequence[str]) -> str:
    """The best and the worst of the breakdown: columns by name, parts of the table by number."""
    named = (
        set(columns) if not figure.name.endswith("_in_parts") else {of for p in figure.parts for of in p.of}
    )
    parts = [part for part in figure.parts if not math.isnan(part.value) and set(part.of) <= named]
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
    return f"{value:.0f}" if abs(value) >= 1000 and value % 1 == 0 else f"{value:.4g}"


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _bounded(value: float | None, below: bool, bounds: tuple[float, float]) -> str:
    """A published value as text; what it is at most where it is marked so.

    >>> _bounded(5.0, True, (0.0, 100.0)), _bounded(100.0, True, (0.0, 100.0)), _bounded(5.0, False, (0.0, 100.0))
    ('< 5', '<= 100', '5')
    """
    if below and value is not None and not math.isfinite(value):
        return "withheld"
    sign = "" if not below or value is None else "<= " if value >= bounds[1] else "< "
    return f"{sign}{_number(value)}"


@dataclass(frozen=True, eq=False)
class Comparison:
    """Evidence of several protected tables side by side, in publishable form."""

    evidence: Mapping[str, Evidence]

    def _found(self) -> dict[str, dict[str, Finding]]:
        """Figure -> label of the table -> finding, in the order in which they were measured."""
        found: dict[str, dict[str, Finding]] = {}
        for label, one in self.evidence.items():
            for finding in one.published():
                found.setdefault(finding.figure.name, {})[label] = finding
        return found

    def rows(self) -> list[dict[str, Any]]:
        """A row per figure, and per table a column with its value and one that says whether it is below that."""
        rows = []
        for found in self._found().values():
            row = _heading(found)
            for label in self.evidence:
                figure = found[label].figure if label in found else None
                row |= {label: figure and figure.value, f"{label} below": figure is not None and figure.below}
            rows.append(row)
        return rows

    def to_frame(self) -> Any:
        """The rows as a dataframe of the original's library."""
        libraries = {one.library for one in self.evidence.values()}
        return _as_frame(self.rows(), libraries.pop() if len(libraries) == 1 else "polars")

    def to_dict(self) -> dict[str, Any]:
        figures = []
        for found in self._found().values():
            values = {
                label: {"value": _plain(finding.figure.value), "below": finding.figure.below}
                for label, finding in found.items()
            }
            figures.append(_heading(found) | {"values": values})
        return {"tables": list(self.evidence), "figures": figures}

    def to_json(self) -> str:
        """JSON; numbers that are not finite become null."""
        return json.dumps(self.to_dict(), indent=1, allow_nan=False)

    def __str__(self) -> str:
        labels = list(self.evidence)
        wide = max([12, *(len(label) for label in labels)])
        lines = [" " * 42 + "  ".join(label.rjust(wide) for label in labels)]
        found = self._found()
        for name in _headlines_of(self.evidence.values()):
            cells = []
            for label in labels:
                figure = found[name][label].figure if label in found[name] else None
                cells.append(_bounded(figure.value, figure.below, figure.bounds) if figure else "n/a")
            aspect = _heading(found[name])["aspect"]
            lines.append(f"{aspect:7}  {name:32} {'  '.join(cell.rjust(wide) for cell in cells)}")
        return "\n".join(lines)


def _heading(found: Mapping[str, Finding]) -> dict[str, Any]:
    first = next(iter(found.values()))
    figure = first.figure
    return {"aspect": first.aspect, "measure": figure.name, "unit": figure.unit, "better": figure.better}


def _headlines_of(evidence: Iterable[Evidence]) -> list[str]:
    """Figures of the short form of any of these, risk first."""
    named = {f.figure.name: f.aspect for one in evidence for f in one.headlines()}
    usual = (*_OF_RECORDS, *_OF_STRANGERS, *_UTILITIES)
    place = {name: i for i, name in enumerate(usual)}
    return sorted(named, key=lambda name: (named[name], place.get(name, len(usual))))


def compare(evidence: Mapping[str, Evidence] | Sequence[Evidence]) -> Comparison:
    """Evidence of several releases on one scale, named by the mapping's keys or numbered."""
    if isinstance(evidence, Mapping):
        return Comparison(dict(evidence))
    return Comparison({f"release {i + 1}": one for i, one in enumerate(evidence)})
