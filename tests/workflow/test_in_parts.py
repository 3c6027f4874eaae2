"""A measure inside the parts of a table: worked by hand, and what happens at the edges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from discreet.base import Aspect, Figure
from discreet.errors import ParameterError
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.linkage import DistanceLinkage
from discreet.table.schema import Variable
from discreet.table.table import Table
from discreet.utility.moments import MomentChange
from discreet.workflow.in_parts import InParts, part_numbers
from discreet.workflow.publishing import publishable

VARIABLES = {
    "town": Variable(name="town", kind="nominal", levels=("b", "a")),
    "age": Variable(name="age", kind="numeric", role="quasi"),
}


def table(towns: str, ages: list[float]) -> Table:
    return Table.build({"town": [None if t == "." else t for t in towns], "age": ages}, VARIABLES)


ORIGINAL = table("aabbb.", [20, 30, 20, 60, 70, 5])
PROTECTED = table("aabbb.", [25, 25, 21, 58, 71, 6])


def test_the_mean_counts_records_and_the_worst_part_is_named() -> None:
    """Towns in the order of their levels, no town last: all of b and the one are found, half of a: 5 of 6."""
    (figure, *_) = InParts(DistanceLinkage(), by=("town",))(ORIGINAL, PROTECTED)
    assert figure.name == "linkage.distance_in_parts"
    assert [part.value for part in figure.parts] == [100.0, 50.0, 100.0]
    assert [part.people for part in figure.parts] == [3, 2, 1]
    assert figure.value == pytest.approx(100 * 5 / 6)
    assert figure.people == 1
    assert "worst: part 1" in figure.public_note
    assert figure.bounds == (0.0, 100.0)


def test_it_asks_the_measure_on_each_part_alone() -> None:
    """The figures of a part are those of its records by themselves."""
    rows = np.array([2, 3, 4])
    (alone, *_) = MomentChange()(ORIGINAL.take(rows), PROTECTED.take(rows))
    (figure, *_) = InParts(MomentChange(), by=("town",))(ORIGINAL, PROTECTED)
    assert figure.parts[0].value == pytest.approx(alone.value)


def test_parts_of_a_file_that_does_not_correspond_have_the_same_values() -> None:
    """Reordered records are found by their town; by rows they are where they stand."""
    order = np.array([4, 2, 0, 3, 1, 5])
    apart = InParts(MomentChange(), by=("town",), matched=False)
    (here, *_), (moved, *_) = apart(ORIGINAL, PROTECTED), apart(ORIGINAL, PROTECTED.take(order))
    assert [p.value for p in moved.parts] == pytest.approx([p.value for p in here.parts], nan_ok=True)
    (rows, *_) = InParts(MomentChange(), by=("town",))(ORIGINAL, PROTECTED.take(order))
    assert rows.value != pytest.approx(here.value)


def test_numbers_of_parts_are_common_to_both_tables() -> None:
    """A town that the protected table alone has is no part of the original."""
    here, there = part_numbers(table("aa", [1, 2]), table("ba", [1, 2]), ("town",))
    assert (here.tolist(), there.tolist()) == ([1, 1], [0, 1])


@dataclass(frozen=True)
class Pairs:
    """Undefined for one record, refused for two, else the number of records."""

    aspect: ClassVar[Aspect] = "utility"
    corresponds: ClassVar[bool] = True

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]:
        n = original.n_records
        if n == 2:
            raise ParameterError("Two records are no file.")
        return (Figure("pairs.number", math.nan if n == 1 else float(n), "index", "lower", (0.0, math.inf)),)


def test_an_undefined_part_is_left_out_of_the_mean() -> None:
    """One part is undefined, one refused: the mean is that of the third; where none is defined, it is undefined."""
    (figure,) = InParts(Pairs(), by=("town",))(ORIGINAL, PROTECTED)
    assert [part.value for part in figure.parts] == pytest.approx([3.0, math.nan, math.nan], nan_ok=True)
    assert figure.value == 3.0
    assert "1 of 3 parts" in figure.note
    (figure,) = InParts(Pairs(), by=("age",))(ORIGINAL, PROTECTED)
    assert math.isnan(figure.value)
    assert "Not defined" in figure.note


def test_a_sample_in_each_part_has_an_interval_around_the_mean() -> None:
    """Drawn apart in two parts: the interval holds the mean of all, and is narrower than either part's."""
    rng = np.random.default_rng(0)
    ages = rng.normal(50, 10, 400)
    original, protected = (
        table("ab" * 200, (ages + shift).tolist()) for shift in (0, rng.normal(0, 0.3, 400))
    )
    (whole, *_), (drawn, *_) = (
        InParts(DistanceLinkage(sample=n), by=("town",))(original, protected) for n in (None, 100)
    )
    assert whole.interval is None
    assert drawn.interval is not None
    low, high = drawn.interval
    assert low < whole.value < high
    assert high - low < 20


def test_small_parts_hide_the_figure_in_its_publishable_form() -> None:
    """The smallest part has one record: nothing but a bound is published."""
    (figure, *_) = InParts(DistanceLinkage(), by=("town",))(ORIGINAL, PROTECTED)
    shown = publishable(figure)
    assert shown.below
    assert all(part.below for part in shown.parts)


def test_what_cannot_make_parts_is_refused() -> None:
    """No column, a text, an unknown column, too many parts."""
    for by in ((), "town"):
        with pytest.raises(ParameterError, match="tuple"):
            InParts(GroupSizes(), by=by)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="region"):
        InParts(GroupSizes(), by=("region",))(ORIGINAL, PROTECTED)
    many = table("a" * 300, list(range(300)))
    with pytest.raises(ParameterError, match="300 parts"):
        InParts(GroupSizes(), by=("age",))(many, many)
