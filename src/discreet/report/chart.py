"""The only plotting: small drawings as inline SVG, written from numbers.

Every drawing has a title and a description for those who cannot see it, takes its colours from the page's style (so
that it follows dark mode and print), tells before and after apart by shape as well as by colour, and runs no script.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH = 640
_LABEL_CHARS = 26
_MOST_COLUMNS = 20


@dataclass(frozen=True)
class BarPair:
    """A risk before and after, on the scale from 0 to 100."""

    label: str
    before: float
    after: float
    before_text: str
    after_text: str
    ends: tuple[float, float] | None = None


@dataclass(frozen=True)
class Bar:
    """One value of a breakdown."""

    label: str
    value: float
    text: str


@dataclass(frozen=True)
class Point:
    """A candidate on the map of two losses; both are better the smaller they are."""

    number: int
    label: str
    across: float
    up: float
    ends: tuple[float, float] | None = None


# -- risks, before and after -----------------------------------------------------------------------------------

_LEFT, _RIGHT = 4, 136  # room for the text behind the longest bar
_PAIR = 58


def risk_bars(pairs: Sequence[BarPair], name: str) -> str:
    """Two bars per risk under its label, from 0 to 100 %; the interval as a line over the second."""
    height = _PAIR * len(pairs) + 26
    drawn = [_scale(0, height - 22)]
    for i, pair in enumerate(pairs):
        drawn.append(_pair(pair, 4 + _PAIR * i))
    told = "; ".join(f"{pair.label}: before {pair.before_text}, after {pair.after_text}" for pair in pairs)
    return _svg(name, "Risk before and after protection, in per cent", told, height, drawn)


def _place(share: float) -> float:
    """Where a percentage lies across the drawing."""
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * min(max(share, 0.0), 100.0) / 100.0


def _scale(top: float, bottom: float) -> str:
    lines = []
    for share in (0, 25, 50, 75, 100):
        across = _place(share)
        lines.append(_line(across, top, across, bottom, "grid"))
        lines.append(_text(across, bottom + 16, f"{share} %", "tick", "start" if share == 0 else "middle"))
    return "".join(lines)


def _pair(pair: BarPair, top: float) -> str:
    before, after = _place(pair.before), _place(pair.after)
    behind = max(after, _place(pair.ends[1])) if pair.ends else after
    return (
        _text(_LEFT + 4, top + 11, pair.label, "label halo")
        + _rect(_LEFT, top + 18, before - _LEFT, 12, "before")
        + _text(before + 7, top + 28, pair.before_text, "value faint halo")
        + _rect(_LEFT, top + 33, after - _LEFT, 12, "after")
        + (_whisker(_place(pair.ends[0]), _place(pair.ends[1]), top + 39) if pair.ends else "")
        + _text(behind + 7, top + 43, pair.after_text, "value strong halo")
    )


def _whisker(low: float, high: float, height: float) -> str:
    ends = "".join(_line(end, height - 4, end, height + 4, "whisker") for end in (low, high))
    return _line(low, height, high, height, "under") + _line(low, height, high, height, "whisker") + ends


# -- loss by column --------------------------------------------------------------------------------------------

_NAMES = 190
_ROW = 22


def column_bars(title: str, bars: Sequence[Bar], unit: str, name: str) -> str:
    """One bar per column, the largest loss first; the twenty largest where there are more."""
    shown = bars[:_MOST_COLUMNS]
    top = nice_ceiling(max((bar.value for bar in shown), default=0.0))
    height = _ROW * len(shown) + 26
    reach = WIDTH - _NAMES - 90
    drawn = []
    for tick in (0.0, top / 2, top):
        across = _NAMES + reach * tick / top
        drawn.append(_line(across, 0, across, height - 22, "grid"))
        drawn.append(_text(across, height - 6, f"{tick:g} {unit}".rstrip(), "tick", "middle"))
    for i, bar in enumerate(shown):
        length = reach * max(bar.value, 0.0) / top
        baseline = 15 + _ROW * i
        drawn.append(_text(_NAMES - 8, baseline, shortened(bar.label), "label", "end", whole=bar.label))
        drawn.append(_rect(_NAMES, baseline - 11, length, 14, "after"))
        drawn.append(_text(_NAMES + length + 7, baseline, bar.text, "value halo"))
    told = "; ".join(f"{bar.label}: {bar.text}" for bar in shown)
    return _svg(name, title, told, height, drawn)


def nice_ceiling(value: float) -> float:
    """The least of 1, 2, 2.5, 5 times a power of ten that is not below the value; 1 for nothing.

    >>> nice_ceiling(0.0), nice_ceiling(6.9), nice_ceiling(0.021), nice_ceiling(100.0)
    (1.0, 10.0, 0.025, 100.0)
    """
    if value <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    step = next(step for step in (1, 2, 2.5, 5, 10, 20) if step * power >= value * (1 - 1e-12))
    return float(f"{step * power:.6g}")


def shortened(label: str) -> str:
    """A label that fits beside a bar.

    >>> shortened("age"), len(shortened("a" * 80))
    ('age', 26)
    """
    return label if len(label) <= _LABEL_CHARS else label[: _LABEL_CHARS - 1] + "…"


# -- the map of risk and utility -------------------------------------------------------------------------------

_MAP_HEIGHT = 420
_FRAME = (64, 16, WIDTH - 24, _MAP_HEIGHT - 56)  # left, top, right, bottom


@dataclass(frozen=True)
class _Axes:
    across: float
    up: float

    def place(self, point: Point) -> tuple[float, float]:
        return self.x(point.across), self.y(point.up)

    def x(self, value: float) -> float:
        left, _, right, _ = _FRAME
        return left + (right - left) * max(value, 0.0) / self.across

    def y(self, value: float) -> float:
        _, top, _, bottom = _FRAME
        return bottom - (bottom - top) * max(value, 0.0) / self.up


def risk_utility_map(
    points: Sequence[Point], across_title: str, up_title: str, units: tuple[str, str], name: str
) -> str:
    """Candidates by loss of utility (across) and risk (up): the nearer to the corner below left, the better."""
    highest = max((max(point.up, point.ends[1] if point.ends else 0.0) for point in points), default=0.0)
    axes = _Axes(nice_ceiling(max((point.across for point in points), default=0.0)), nice_ceiling(highest))
    drawn = [_frame(axes, across_title, up_title, units)]
    drawn += [_interval(point, axes) for point in points if point.ends]
    drawn += [_mark(*axes.place(point)) for point in points]
    for point, (x, y, label_y) in zip(points, label_places([axes.place(p) for p in points]), strict=True):
        drawn.append(_line(x, y, x + 11, label_y, "leader") if label_y != y else "")
        drawn.append(_text(x + 12, label_y + 5, str(point.number), "number halo", whole=point.label))
    told = "; ".join(
        f"{point.number} {point.label}: {across_title} {point.across:.3g} {units[0]}, {up_title} {point.up:.3g} {units[1]}"
        for point in points
    )
    return _svg(name, f"{up_title} against {across_title}", told, _MAP_HEIGHT, drawn)


def label_places(
    places: Sequence[tuple[float, float]], apart: float = 17.0
) -> list[tuple[float, float, float]]:
    """(x, y, height of the label) of each point: labels of neighbours are moved down until they are apart.

    >>> label_places([(10.0, 50.0), (12.0, 50.0), (300.0, 50.0)])
    [(10.0, 50.0, 50.0), (12.0, 50.0, 67.0), (300.0, 50.0, 50.0)]
    """
    taken: list[tuple[float, float]] = []
    heights: dict[int, float] = {}
    for i in sorted(range(len(places)), key=lambda i: (places[i][1], places[i][0], i)):
        x, height = places[i]
        while any(abs(x - other) < 24 and abs(height - used) < apart for other, used in taken):
            height += apart
        taken.append((x, height))
        heights[i] = height
    return [(x, y, heights[i]) for i, (x, y) in enumerate(places)]


def _frame(axes: _Axes, across_title: str, up_title: str, units: tuple[str, str]) -> str:
    left, top, right, bottom = _FRAME
    lines = []
    for i in range(5):
        across, up = axes.across * i / 4, axes.up * i / 4
        lines.append(_line(left, axes.y(up), right, axes.y(up), "grid"))
        lines.append(_line(axes.x(across), top, axes.x(across), bottom, "grid"))
        lines.append(_text(left - 8, axes.y(up) + 4, f"{up:.3g} {units[1]}".rstrip(), "tick", "end"))
        lines.append(
            _text(axes.x(across), bottom + 18, f"{across:.3g} {units[0]}".rstrip(), "tick", "middle")
        )
    middle = (top + bottom) / 2
    lines.append(
        _text((left + right) / 2, _MAP_HEIGHT - 10, f"{across_title} → less useful", "label", "middle")
    )
    lines.append(
        f'<text class="label" text-anchor="middle" transform="translate(13 {middle:g}) rotate(-90)">'
        f"{escape(up_title)} → less safe</text>"
    )
    lines.append(_text(left + 8, bottom - 8, "best", "tick"))
    return "".join(lines)


def _interval(point: Point, axes: _Axes) -> str:
    assert point.ends is not None
    x, low, high = axes.x(point.across), axes.y(point.ends[0]), axes.y(point.ends[1])
    caps = "".join(_line(x - 4, end, x + 4, end, "whisker") for end in (low, high))
    return _line(x, low, x, high, "whisker") + caps


def _mark(x: float, y: float) -> str:
    return f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="5.5"/>'


# -- pieces ----------------------------------------------------------------------------------------------------


def _svg(name: str, title: str, told: str, height: float, drawn: Sequence[str]) -> str:
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="{name}-title {name}-desc">'
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-desc">{escape(told)}</desc>'
        f"{''.join(drawn)}</svg>"
    )


def _text(x: float, y: float, text: str, style: str, anchor: str = "start", *, whole: str = "") -> str:
    hint = f"<title>{escape(whole)}</title>" if whole and whole != text else ""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{hint}{escape(text)}</text>'


def _rect(x: float, y: float, width: float, height: float, style: str) -> str:
    if width <= 0:
        return ""
    return f'<rect class="{style}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 1.0):.1f}" height="{height:g}" rx="1.5"/>'


def _line(x: float, y: float, to_x: float, to_y: float, style: str) -> str:
    return f'<line class="{style}" x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"/>'
