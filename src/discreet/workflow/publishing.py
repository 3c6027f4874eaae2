"""What of all figures may be published: values that stand for few records become bounds, and with them what tells them.

The decision is taken once, over all figures together: a figure that says the same of a column in another unit, an
average, or a difference would undo what was decided for one figure alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from discreet.base import Figure, Part

THRESHOLD = 10  # counts of records below this are not published

Of = tuple[str, ...]  # what an entry of a breakdown is of

_WHOLE = {"%": 100.0, "share": 1.0}
_NOTHING = 1e-9  # shares below this are rounding errors of none, or of all


@dataclass(frozen=True)
class _Family:
    """Figures that tell the same of a column. Averages of `leads` stand over different columns, so no two of them can be
    set against each other; `others` lose theirs as soon as a column is withheld.
    """

    leads: tuple[str, ...]
    others: tuple[str, ...] = ()


_FAMILIES = (
    _Family(
        ("distributions.total_variation", "distributions.kolmogorov"),
        (
            "distributions.mae",
            "distributions.mse",
            "distributions.hellinger",
            "distributions.wasserstein",
            "crosstables.tvd1",
            "crosstables.tvd1_worst",
        ),
    ),
    _Family(("crosstables.conditional_mae",), ("crosstables.conditional_mse",)),
)


def published(
    figures: Sequence[Figure], threshold: int = THRESHOLD, n_records: int | None = None
) -> tuple[Figure, ...]:
    """The figures in publishable form, in their order.

    A share that does not say of how many records it is, is taken as one of `n_records`.
    """
    entries = [_Entries(_sized(figure, n_records), threshold) for figure in figures]
    for family in _FAMILIES:
        _settle(
            [entry for entry in entries if entry.name in family.leads],
            [entry for entry in entries if entry.name in family.others],
        )
    for entry in entries:
        if entry.name not in _IN_FAMILIES:
            _settle([entry], [])
    told = [entry for entry in entries if _gives_away(entry, entries)]
    return tuple(entry.shown(entry.withheld or entry in told) for entry in entries)


_IN_FAMILIES = frozenset(name for family in _FAMILIES for name in (*family.leads, *family.others))


def publishable(figure: Figure, threshold: int = THRESHOLD, n_records: int | None = None) -> Figure:
    """One figure in publishable form, with no other beside it."""
    return published([figure], threshold, n_records)[0]


def _sized(figure: Figure, n_records: int | None) -> Figure:
    is_share = figure.unit == "share" and figure.bounds == (0.0, 1.0)
    return replace(figure, people=n_records) if figure.people is None and is_share else figure


class _Entries:
    """What is withheld so far of a figure: entries of its breakdown, and the value over them. Grows."""

    def __init__(self, figure: Figure, threshold: int) -> None:
        self.figure = figure
        self.threshold = threshold
        self.value, self.below = raised(figure.value, figure, figure.people, threshold)
        self.own = {part.of: bound for part in figure.parts if (bound := self._own(part)) is not None}
        self.hidden: set[Of] = set(self.own)
        self.withheld = False

    @property
    def name(self) -> str:
        return self.figure.name

    def _own(self, part: Part) -> float | None:
        value, below = raised(part.value, self.figure, self._people(part), self.threshold)
        return value if below else None

    def _people(self, part: Part) -> int | None:
        return self.figure.people if part.people is None else part.people

    def hide(self, columns: set[Of]) -> None:
        """Withhold what is said of these columns, unless it is that nothing changed."""
        self.hidden |= {p.of for p in self.figure.parts if p.of in columns and abs(p.value) > 0}

    def hide_companions(self) -> bool:
        """Withhold the least of the others too, until the average does not tell the hidden ones; False where it does.

        Something that stands for many has to be among the hidden, and they must have room together.
        """
        if not self.hidden:
            return True
        parts = sorted(self.figure.parts, key=lambda part: part.value)
        rooms = {part.of: self._room(part) for part in parts}
        others = [part.of for part in parts if part.of not in self.hidden and rooms[part.of] > 0]
        while not (told := self._have_room([rooms[of] for of in self.hidden])) and others:
            self.hidden.add(others.pop(0))
        return told

    def _have_room(self, rooms: Sequence[float]) -> bool:
        return max(rooms) >= self.threshold and sum(rooms) >= 2 * self.threshold

    def _room(self, part: Part) -> float:
        """Records that an entry stands for, or that its rest does, whichever are fewer."""
        whole, people = _WHOLE.get(self.figure.unit), self._people(part)
        if math.isnan(part.value):
            return 0.0
        if whole is None or not people:
            return abs(part.value)
        return people * min(abs(part.value), whole - abs(part.value)) / whole

    def shown(self, withheld: bool) -> Figure:
        """The publishable form: bounds instead of what is hidden; no values per record, no internal note."""
        most = self.figure.bounds[1]
        below = self.below or withheld
        return replace(
            self.figure,
            value=self.value if self.below else most if withheld else self.figure.value,
            below=below,
            parts=tuple(
                replace(part, value=self.own.get(part.of, most), below=True, people=None)
                if part.of in self.hidden
                else replace(part, people=None)
                for part in self.figure.parts
            ),
            records=None,
            interval=None if below else self.figure.interval,
            note=self.figure.public_note,
            people=None,
        )


def _settle(leads: Sequence[_Entries], others: Sequence[_Entries]) -> None:
    """Withhold columns in all figures of a family alike, and the averages that would tell them."""
    family = (*leads, *others)
    columns: set[Of] = set()
    while columns != (columns := {of for one in family for of in one.hidden}):
        for one in family:
            one.hide(columns)
        for one in leads:
            one.withheld = not one.below and not one.hide_companions()
    for one in others:
        one.withheld = bool(columns)


def _gives_away(entry: _Entries, entries: Sequence[_Entries]) -> bool:
    """Whether what is hidden could be worked out from this figure: a rate from its excess over a control, an entry
    from the worst of all.
    """
    stem, _, last = entry.name.rpartition(".")
    if last == "excess":
        return any(
            (one.below or one.withheld) and one.name in (f"{stem}.rate", f"{stem}.control") for one in entries
        )
    worst_of = entry.name.removesuffix("_worst") if last.endswith("_worst") else None
    return any(
        part.of in one.hidden and part.value >= entry.figure.value
        for one in entries
        if one.name == worst_of
        for part in one.figure.parts
    )


def raised(value: float, figure: Figure, people: int | None, threshold: int) -> tuple[float, bool]:
    """The value and False; or what it is at most, and True, where it, or its rest, stands for too few records.

    None of the records stays none, and all of many stay all. Of fewer than twice the threshold no share is told. A
    difference of two shares (it may be negative) counts nobody.
    """
    if figure.unit == "records":
        least = min(float(threshold), figure.bounds[1])
        return (least, True) if 0 < value < threshold else (value, False)
    whole = _WHOLE.get(figure.unit)
    if whole is None or not people or math.isnan(value) or figure.bounds[0] < 0:
        return value, False
    rest = whole - abs(value)
    least, nothing = whole * threshold / people * (1 - 1e-9), _NOTHING * whole
    if abs(value) < nothing:
        return value, False
    if people < 2 * threshold or nothing <= rest < least:
        return whole, True
    return (whole * threshold / people, True) if abs(value) < least else (value, False)
