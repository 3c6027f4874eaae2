"""From a comparison to the plain data of its report: the figures of several protected tables side by side.

Reads evidence only through `summary.measured`, in publishable form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from discreet.report import glossary
from discreet.report.glossary import title_of
from discreet.report.summary import FigureLine, Reading, measured
from discreet.report.wording import plain
from discreet.workflow.evidence import Comparison
from discreet.workflow.publishing import THRESHOLD

Lines = Mapping[str, FigureLine]  # by the figure's name


@dataclass(frozen=True)
class Candidate:
    """One of the compared tables, by the number it has on the map."""

    number: int
    label: str
    n_records: int


@dataclass(frozen=True)
class ComparisonRow:
    """One figure of all candidates, in their order; empty where a candidate lacks it."""

    line: FigureLine
    before: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class MapPoint:
    """A candidate on the map, with the interval of its risk where there is one."""

    candidate: Candidate
    loss: Reading
    risk: Reading
    risk_ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class RiskUtilityMap:
    """Two figures that all candidates have."""

    risk_title: str
    loss_title: str
    risk_unit: str
    loss_unit: str
    points: tuple[MapPoint, ...]


@dataclass(frozen=True)
class ComparisonSummary:
    """The report of several tables side by side as plain data."""

    candidates: tuple[Candidate, ...]
    risks: tuple[ComparisonRow, ...]
    utilities: tuple[ComparisonRow, ...]
    map: RiskUtilityMap | None
    not_measured: tuple[tuple[str, str], ...]
    version: str
    threshold: int = THRESHOLD

    @property
    def has_before(self) -> bool:
        return any(row.before for row in self.risks)


def summarize_comparison(comparison: Comparison, version: str) -> ComparisonSummary:
    """Select and word what a report says about several tables."""
    found = [measured(evidence) for evidence in comparison.evidence.values()]
    candidates = tuple(
        Candidate(number, plain(label), one.n_protected)
        for number, (label, one) in enumerate(zip(comparison.evidence, found, strict=True), start=1)
    )
    lines = [{line.name: line for line in one.annex} for one in found]
    return ComparisonSummary(
        candidates=candidates,
        risks=_rows([one.risks for one in found], lines),
        utilities=_rows([one.utilities for one in found], lines),
        map=_map(candidates, lines),
        not_measured=tuple(
            (f"{candidate.label}: {what}", why)
            for candidate, one in zip(candidates, found, strict=True)
            for what, why in one.not_measured
        ),
        version=version,
        threshold=min([one.threshold for one in comparison.evidence.values()], default=THRESHOLD),
    )


def _rows(chosen: Sequence[Sequence[FigureLine]], lines: Sequence[Lines]) -> tuple[ComparisonRow, ...]:
    by_name = {line.name: line for some in chosen for line in some}
    usual = list(glossary.WORDS)
    names = sorted(by_name, key=lambda name: usual.index(name) if name in usual else len(usual))
    return tuple(
        ComparisonRow(
            line=by_name[name],
            before=_common_before([some[name] for some in lines if name in some]),
            values=tuple(some[name].after.text if name in some else "" for some in lines),
        )
        for name in names
    )


def _common_before(found: Sequence[FigureLine]) -> str:
    """What the original shows, where all candidates were made from the same one."""
    texts = {line.before.text for line in found if line.before is not None}
    return texts.pop() if len(texts) == 1 else ""


def _map(candidates: Sequence[Candidate], lines: Sequence[Lines]) -> RiskUtilityMap | None:
    risk, loss = _common(glossary.MAP_RISKS, lines), _common(glossary.MAP_LOSSES, lines)
    if not lines or risk is None or loss is None:
        return None
    points = tuple(
        MapPoint(candidate, some[loss].after, some[risk].after, some[risk].ends)
        for candidate, some in zip(candidates, lines, strict=True)
    )
    return RiskUtilityMap(
        title_of(risk), title_of(loss), _unit(lines[0][risk]), _unit(lines[0][loss]), points
    )


def _common(names: Sequence[str], lines: Sequence[Lines]) -> str | None:
    """The first of these figures that every candidate has."""
    for name in names:
        if all(name in some and some[name].after.value is not None for some in lines):
            return name
    return None


def _unit(line: FigureLine) -> str:
    return "%" if line.is_share else ""
