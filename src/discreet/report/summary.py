"""From a release and its evidence to the plain data of a report: selection and wording, nothing computed.

The only place of the report that reads `Release` and `Evidence`, and so the only one that could let something internal
out: it takes figures in their publishable form, never a cell, a group, a seed or a hash.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from discreet.base import Aspect, Figure, Note, Part
from discreet.release import Proven, Release
from discreet.report import glossary, wording
from discreet.report.glossary import title_of
from discreet.report.guarantees import Sort, headline, promise_of
from discreet.report.making import Step, step_of
from discreet.report.wording import interval_text, listed, number_text, plain, sentence
from discreet.risk.selection import known_columns
from discreet.table.schema import Variable
from discreet.workflow.evidence import Evidence, Finding
from discreet.workflow.publishing import THRESHOLD


@dataclass(frozen=True)
class Reading:
    """A number as it is said. `value` is the same for a chart, in the unit said; None where there is none."""

    text: str
    value: float | None


@dataclass(frozen=True)
class FigureLine:
    """One figure: what it is, before and after, with its interval and the ends of its breakdown."""

    name: str
    title: str
    reading: str
    better: str
    after: Reading
    before: Reading | None = None
    interval: str = ""
    ends: tuple[float, float] | None = None
    best: str = ""
    worst: str = ""
    is_share: bool = False


@dataclass(frozen=True)
class ColumnLine:
    """A released column, and the guarantees of protection it stands under."""

    name: str
    kind: str
    role: str
    guarantees: str


@dataclass(frozen=True)
class ClaimLine:
    """A claim, what it means, what it takes for granted, and what its checker found."""

    sort: Sort
    title: str
    meaning: str
    assumes: tuple[str, ...]
    statement: str
    holds: bool
    attained: str


@dataclass(frozen=True)
class ColumnChart:
    """A figure's breakdown by column, largest first."""

    title: str
    unit: str
    entries: tuple[tuple[str, Reading], ...]


@dataclass(frozen=True)
class Measured:
    """All that the evidence says, in publishable form."""

    n_original: int
    n_protected: int
    corresponds: bool
    risks: tuple[FigureLine, ...]
    utilities: tuple[FigureLine, ...]
    charts: tuple[ColumnChart, ...]
    annex: tuple[FigureLine, ...]
    not_measured: tuple[tuple[str, str], ...]

    @property
    def top_risk(self) -> FigureLine | None:
        return _first(glossary.TOP_RISKS, self.risks)

    @property
    def top_utility(self) -> FigureLine | None:
        return _first(glossary.TOP_UTILITIES, self.utilities)

    @property
    def bars(self) -> tuple[FigureLine, ...]:
        """Risks on the scale from 0 to 100 % that were measured before and after."""
        return tuple(
            line
            for line in self.risks
            if line.is_share
            and line.better == "lower is safer"
            and line.before is not None
            and line.before.value is not None
            and line.after.value is not None
        )


def _first(names: Sequence[str], lines: Sequence[FigureLine]) -> FigureLine | None:
    """The first line of these names, else the first line."""
    found = [line for name in names for line in lines if line.name == name]
    return next(iter((*found, *lines)), None)


@dataclass(frozen=True)
class Summary:
    """The report of one release as plain data."""

    method: str
    n_records: int
    columns: tuple[ColumnLine, ...]
    withheld: tuple[str, ...]
    claims: tuple[ClaimLine, ...]
    guarantee: tuple[str, str]
    measured: Measured | None
    making: Step
    notes: tuple[str, ...]
    limits: tuple[str, ...]
    version: str
    threshold: int = THRESHOLD


# -- a release -------------------------------------------------------------------------------------------------


def summarize(release: Release, evidence: Evidence | None) -> Summary:
    """Select and word what a report says about a release."""
    recipe = release.recipe
    claims = tuple(_claim_line(proven) for proven in release.claims)
    released = release.table.names
    making = step_of(recipe.method, {variable.name for variable in recipe.schema})
    return Summary(
        method=making.title,
        n_records=release.table.n_records,
        columns=tuple(_column_line(column.variable, release.claims) for column in release.table.columns),
        withheld=tuple(plain(variable.name) for variable in recipe.schema if variable.name not in released),
        claims=claims,
        guarantee=_guarantee(release),
        measured=None if evidence is None else measured(evidence),
        making=making,
        notes=tuple(plain(_published(note, _threshold(evidence))) for note in release.notes),
        limits=_limits(release, claims, evidence),
        version=plain(recipe.version),
        threshold=_threshold(evidence),
    )


def _guarantee(release: Release) -> tuple[str, str]:
    """What stands at the top of the page: the guarantee, and how far it goes."""
    title, more = headline(release.claims, known_columns(release.table))
    return plain(title), plain(more)


def _column_line(variable: Variable, claims: Sequence[Proven]) -> ColumnLine:
    promises = [
        promise.title
        for proven in claims
        if variable.name in getattr(proven.claim, "columns", ())
        and (promise := promise_of(proven.claim)).sort == "protection"
    ]
    return ColumnLine(
        name=plain(variable.name),
        kind=wording.KINDS[variable.kind],
        role=wording.ROLES.get(variable.role, variable.role),
        guarantees=", ".join(plain(title) for title in dict.fromkeys(promises)),
    )


def _claim_line(proven: Proven) -> ClaimLine:
    promise = promise_of(proven.claim)
    return ClaimLine(
        sort=promise.sort,
        title=plain(promise.title),
        meaning=plain(promise.meaning),
        assumes=tuple(plain(one) for one in promise.assumes),
        statement=plain(proven.claim.statement),
        holds=proven.verdict.holds,
        attained=plain(proven.verdict.attained),
    )


def _limits(release: Release, claims: Iterable[ClaimLine], evidence: Evidence | None) -> tuple[str, ...]:
    quasi = tuple(plain(column.name) for column in release.table.of_role("quasi"))
    protected = any(line.sort != "accuracy" for line in claims)
    limits = [
        "No guarantee of protection stands behind this release: it rests on the measured risk alone."
        if not protected
        else "",
        f"Outsiders are taken to know at most {listed(quasi)}. If they know more, the risk is higher than said here."
        if quasi
        else "No column was declared as known to outsiders: where a risk needs such columns, all were taken.",
        "Risk was measured by the attacks named in this report. Others may do better.",
        "Another release of the same people, by anybody, can be combined with this one. This report does not see it.",
        "" if evidence is None else _correspondence(evidence),
        f"Figures are rounded. Where one stands for fewer than {_threshold(evidence)} records, this report says only "
        "that.",
        "Whether the risk that is left may be taken is a decision of the publisher and of the law, not of a measure.",
    ]
    if evidence is None:
        limits.insert(
            0, "Neither risk nor utility was measured for this report: only the claims were checked."
        )
    return tuple(limit for limit in limits if limit)


def _published(note: str, threshold: int) -> str:
    return note.published(threshold) if isinstance(note, Note) else note


def _threshold(evidence: Evidence | None) -> int:
    return THRESHOLD if evidence is None else evidence.threshold


def _correspondence(evidence: Evidence) -> str:
    if evidence.corresponds:
        return ""
    return "Records of the release were not taken to stem from single records: risks that need this were not measured."


# -- evidence --------------------------------------------------------------------------------------------------


def measured(evidence: Evidence) -> Measured:
    """The evidence as lines, in publishable form."""
    defined = [finding for finding in evidence.published() if not math.isnan(finding.figure.value)]
    lines = {finding.figure.name: (finding.aspect, figure_line(finding, evidence)) for finding in defined}
    return Measured(
        n_original=evidence.n_original,
        n_protected=evidence.n_protected,
        corresponds=evidence.corresponds,
        risks=_main("risk", lines, evidence),
        utilities=_main("utility", lines, evidence),
        charts=tuple(_column_charts(defined, evidence)),
        annex=tuple(line for _, line in lines.values()),
        not_measured=tuple(_not_measured(evidence)),
    )


def _main(
    aspect: Aspect, lines: dict[str, tuple[Aspect, FigureLine]], evidence: Evidence
) -> tuple[FigureLine, ...]:
    """The figures a board reads, in the report's order; the evidence's own short form where none of them was taken."""
    usual = glossary.RISKS if aspect == "risk" else glossary.UTILITIES
    chosen = [name for name in usual if name in lines]
    if not chosen:
        chosen = [
            f.figure.name for f in evidence.headlines() if f.aspect == aspect and f.figure.name in lines
        ]
    return tuple(lines[name][1] for name in chosen)


def figure_line(finding: Finding, evidence: Evidence) -> FigureLine:
    """A published figure as it is said. Notes stay inside: they may count records."""
    figure = finding.figure
    best, worst = _extremes(figure, evidence)
    return FigureLine(
        name=plain(figure.name),
        title=plain(title_of(figure.name)),
        reading=glossary.WORDS[figure.name].reading if figure.name in glossary.WORDS else "",
        better=_better(finding.aspect, figure),
        after=_reading(figure.value, figure.below, figure),
        before=_before(finding, evidence),
        interval=interval_text(figure.interval, figure.unit) if figure.interval else "",
        ends=_ends(figure),
        best=best,
        worst=worst,
        is_share=figure.unit == "%" or (figure.unit == "share" and figure.bounds == (0.0, 1.0)),
    )


def _better(aspect: Aspect, figure: Figure) -> str:
    if figure.better == "neither":
        return ""
    return f"{figure.better} is {'safer' if aspect == 'risk' else 'better'}"


def _before(finding: Finding, evidence: Evidence) -> Reading | None:
    before = evidence.published_before(finding)
    return None if before is None else _reading(before.value, before.below, finding.figure)


def _reading(shown: float, below: bool, figure: Figure) -> Reading:
    """What may be shown; that it stands for few records, where it does."""
    if math.isnan(shown):
        return Reading("not defined", None)
    if below and math.isinf(shown):
        return Reading("withheld", None)
    text = number_text(shown, figure.unit)
    value = wording.scaled(shown, figure.unit)
    bound = "" if not below else "at most " if shown >= figure.bounds[1] else "below "
    return Reading(f"{bound}{text}", value if math.isfinite(value) else None)


def _ends(shown: Figure) -> tuple[float, float] | None:
    if shown.interval is None or not all(math.isfinite(end) for end in shown.interval):
        return None
    return wording.scaled(float(shown.interval[0]), shown.unit), wording.scaled(
        float(shown.interval[1]), shown.unit
    )


def _extremes(figure: Figure, evidence: Evidence) -> tuple[str, str]:
    """The entries of a breakdown by columns that came out best and worst; no best where only bad ones are listed."""
    entries = _by_columns(figure, evidence)
    if len(entries) < 2 or figure.better == "neither":
        return "", ""
    ordered = sorted(entries, key=lambda part: part.value, reverse=figure.better == "higher")
    best, worst = ordered[0], ordered[-1]
    if best.value == worst.value:
        return "", ""
    lists_all = best.value >= figure.value if figure.better == "higher" else best.value <= figure.value
    return _entry_text(best, figure) if lists_all else "", _entry_text(worst, figure)


def _entry_text(part: Part, figure: Figure) -> str:
    return f"{plain(' × '.join(part.of))} ({_reading(part.value, part.below, figure).text})"


def _by_columns(figure: Figure, evidence: Evidence) -> list[Part]:
    """Entries of columns alone, of which something is told: other labels may come from the data."""
    return [
        part
        for part in figure.parts
        if not math.isnan(part.value)
        and not (part.below and part.value >= figure.bounds[1])
        and all(name in evidence.columns for name in part.of)
    ]


def _column_charts(defined: Sequence[Finding], evidence: Evidence) -> Iterable[ColumnChart]:
    for name, title in glossary.COLUMN_CHARTS.items():
        for finding in defined:
            figure = finding.figure
            if figure.name != name:
                continue
            ordered = sorted(_by_columns(figure, evidence), key=lambda part: -part.value)
            if ordered:
                shown = tuple(
                    (plain(" × ".join(part.of)), _reading(part.value, part.below, figure)) for part in ordered
                )
                yield ColumnChart(title, wording.unit_text(figure.unit), shown)


def _not_measured(evidence: Evidence) -> Iterable[tuple[str, str]]:
    for column, reason in evidence.left_out.items():
        yield f"Column {plain(column)}", plain(reason)
    for measure, reason in evidence.skipped.items():
        yield sentence(plain(measure)), plain(reason)
    for remark in evidence.remarks:
        yield "How it was measured", plain(remark)
    for finding in evidence.published():
        if math.isnan(finding.figure.value):
            yield (
                plain(title_of(finding.figure.name)),
                plain(finding.figure.note) or "Not defined on this file.",
            )
