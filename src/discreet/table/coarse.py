"""Cells that protection puts where numbers were: intervals, open ends, and marks for what is withheld.

`span_of` reads one as the ends of an interval, `midpoint` makes a number of it; `is_mark` knows the marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MARKS = frozenset(
    ("", "?", "-", ".", "na", "n/a", "nan", "null", "none", "missing", "unknown", "suppressed")
)
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_END = rf"(?:{_NUMBER}|[-+]?(?:inf|infinity|∞))?"
_BRACKETED = re.compile(
    rf"([\[\](])\s*({_END})\s*(?:,|;|\.\.|–|—| - |to)\s*({_END})\s*([\])\[])", re.IGNORECASE
)
_BETWEEN = re.compile(rf"({_NUMBER})\s*(?:-|–|—|\.\.+|~|:|to)\s*({_NUMBER})", re.IGNORECASE)
_BELOW = re.compile(rf"(<=|≤|<|under|below|less than|at most|up to)\s*({_NUMBER})", re.IGNORECASE)
_ABOVE = re.compile(rf"(>=|≥|>|over|above|more than|at least)\s*({_NUMBER})", re.IGNORECASE)
_AND_UP = re.compile(rf"({_NUMBER})\s*(?:\+|(?:and|or) (?:over|above|more|older|up))", re.IGNORECASE)
_AND_DOWN = re.compile(rf"({_NUMBER})\s*(?:and|or) (?:under|below|less|fewer|younger)", re.IGNORECASE)


@dataclass(frozen=True)
class Span:
    """An interval: ends that are None are the ends of the file; `open_low` and `open_high` do not belong to it."""

    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False


def is_mark(cell: object) -> bool:
    """Whether a cell says no more than that something is withheld.

    >>> [is_mark(cell) for cell in ("*", "**", " ? ", "n/a", "14*", 0)]
    [True, True, True, True, False, False]
    """
    return isinstance(cell, str) and (cell.strip().lower() in _MARKS or not cell.strip(" *"))


def span_of(cell: object) -> Span | None:
    """A cell as an interval of numbers, None where it is none.

    >>> span_of("20-29"), span_of("90+")
    (Span(low=20.0, high=29.0, open_low=False, open_high=False), Span(low=90.0, high=None, open_low=False, \
open_high=False))
    >>> span_of("[20,30)").open_high, span_of("<18").high, span_of(">= 65").low, span_of("young")
    (True, 18.0, 65.0, None)
    """
    if not isinstance(cell, str) and type(cell).__name__ != "Interval":  # pandas.cut makes these
        return None
    text = str(cell).strip()
    if found := _BRACKETED.fullmatch(text):
        left, low, high, right = found.groups()
        return _ordered(Span(_end(low), _end(high), left in "(]", right in ")["))
    if found := _BETWEEN.fullmatch(text):
        return _ordered(Span(float(found[1]), float(found[2])))
    if found := _BELOW.fullmatch(text):
        return Span(high=float(found[2]), open_high=found[1].lower() in ("<", "under", "below", "less than"))
    if found := _ABOVE.fullmatch(text):
        return Span(low=float(found[2]), open_low=found[1].lower() in (">", "over", "above", "more than"))
    if found := _AND_UP.fullmatch(text):
        return Span(low=float(found[1]))
    found = _AND_DOWN.fullmatch(text)
    return Span(high=float(found[1])) if found else None


def _end(text: str) -> float | None:
    return float(text) if re.fullmatch(_NUMBER, text) else None


def _ordered(span: Span) -> Span | None:
    """The interval, None where its ends are the wrong way round."""
    return None if span.low is not None and span.high is not None and span.low > span.high else span


def midpoint(span: Span, least: float, most: float, *, whole: bool) -> float:
    """The middle of an interval inside a file whose numbers reach from `least` to `most`.

    An end that does not belong to it is one short where all numbers are whole.

    >>> midpoint(Span(20, 30, open_high=True), 0, 90, whole=True), midpoint(Span(low=65), 0, 95, whole=True)
    (24.5, 80.0)
    """
    step = 1.0 if whole else 0.0
    low = span.low + step * span.open_low if span.low is not None else None
    high = span.high - step * span.open_high if span.high is not None else None
    if low is None:
        low = least if high is None else min(least, high)
    if high is None:
        high = max(most, low)
    return (low + high) / 2
