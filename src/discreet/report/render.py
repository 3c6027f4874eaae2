"""From plain data to one HTML file that needs nothing else: no script, no font, no picture, no address.

Escaping is on for everything; the drawings alone go in as they are, and escape for themselves. The same release gives
the same bytes.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from discreet.release import Release
from discreet.report import chart
from discreet.report.comparing import ComparisonSummary, RiskUtilityMap, summarize_comparison
from discreet.report.summary import ColumnChart, Measured, Summary, summarize
from discreet.version import VERSION
from discreet.workflow.evidence import Comparison, Evidence


def report_html(release: Release, evidence: Evidence | None = None) -> str:
    """The report of a release as one HTML file that may be published with it.

    Args:
        release: what is to be published.
        evidence: what `assess` measured on it; None: the report says that nothing was.

    Example:
        >>> import discreet as dc
        >>> page = report_html(dc.protect(dc.simulate_patients(200), seed=1), None)
        >>> page.startswith("<!doctype html>"), "5-anonymity" in page
        (True, True)
    """
    return render(summarize(release, evidence))


def comparison_html(comparison: Comparison) -> str:
    """The evidence of several protected tables side by side, with their map of risk and utility, as one HTML file."""
    return render_comparison(summarize_comparison(comparison, VERSION))


def render(summary: Summary) -> str:
    """The page of one release."""
    measured = summary.measured
    return _template("report.html").render(
        summary=summary,
        measured=measured,
        risk_chart=_risk_chart(measured) if measured and measured.bars else "",
        column_charts=[_column_chart(one, i) for i, one in enumerate(measured.charts)] if measured else [],
    )


def render_comparison(summary: ComparisonSummary) -> str:
    """The page of a comparison."""
    return _template("comparison.html").render(summary=summary, map=_map(summary.map) if summary.map else "")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("discreet.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _template(name: str) -> Template:
    return _environment().get_template(name)


def _risk_chart(measured: Measured) -> Markup:
    pairs = [
        chart.BarPair(
            line.title, line.before.value, line.after.value, line.before.text, line.after.text, line.ends
        )
        for line in measured.bars
        if line.before is not None and line.before.value is not None and line.after.value is not None
    ]
    return Markup(chart.risk_bars(pairs, "risk"))


def _column_chart(one: ColumnChart, number: int) -> Markup:
    bars = [
        chart.Bar(label, entry.value, entry.text) for label, entry in one.entries if entry.value is not None
    ]
    return Markup(chart.column_bars(one.title, bars, one.unit, f"columns-{number}"))


def _map(drawn: RiskUtilityMap) -> Markup:
    points = [
        chart.Point(one.candidate.number, one.candidate.label, one.loss.value, one.risk.value, one.risk_ends)
        for one in drawn.points
        if one.loss.value is not None and one.risk.value is not None
    ]
    units = (drawn.loss_unit, drawn.risk_unit)
    return Markup(chart.risk_utility_map(points, drawn.loss_title, drawn.risk_title, units, "map"))
