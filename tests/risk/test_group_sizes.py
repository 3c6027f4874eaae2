"""k and uniques of small tables."""

from __future__ import annotations

from discreet.risk.group_sizes import GroupSizes
from discreet.table.schema import Variable
from discreet.table.table import Table

SEX_TOWN = {n: Variable(name=n, kind="nominal", role="quasi") for n in ("sex", "town")}


def test_worked_example():
    """f/A f/A m/A m/B m/B: sizes 2 2 1 2 2, k = 1, one unique in five."""
    table = Table.build({"sex": list("ffmmm"), "town": list("AAABB")}, SEX_TOWN)
    smallest, uniques, mean = GroupSizes()(table, table)
    assert smallest.value == 1
    assert smallest.records.tolist() == [2, 2, 1, 2, 2]
    assert uniques.value == 20
    assert {p.of[0]: p.value for p in uniques.parts} == {
        "below 2": 20,
        "below 3": 100,
        "below 5": 100,
        "below 10": 100,
    }
    assert mean.value == 1.8


def test_gaps_are_seen_by_default_and_match_anything_as_wildcards():
    """A record with an empty town is alone; as a wildcard it hides among both towns, and hides others."""
    table = Table.build({"sex": list("fff"), "town": ["A", "B", None]}, SEX_TOWN)
    assert GroupSizes()(table, table)[0].records.tolist() == [1, 1, 1]
    assert GroupSizes(missing="wildcard")(table, table)[0].records.tolist() == [2, 2, 3]


def test_the_protected_table_is_measured():
    """After suppression of the town all share a key, whatever the original shows."""
    original = Table.build({"sex": list("ff"), "town": ["A", "B"]}, SEX_TOWN)
    protected = Table.build({"sex": list("ff"), "town": [None, None]}, SEX_TOWN)
    smallest = GroupSizes()(original, protected)[0]
    assert smallest.value == 2
    assert smallest.note == "2 key columns, missing as category."


def test_declared_codes_for_missing_tell_records_apart() -> None:
    """-8 and -9 are both missing, and both stand in the file: two records that differ in them are two uniques."""
    variable = Variable(name="age", kind="numeric", role="quasi", unknown=(-8, -9))
    table = Table.build({"age": [-8, -9, 30, 30]}, {"age": variable})
    figures = {figure.name: figure.value for figure in GroupSizes()(table, table)}
    assert figures["group_sizes.smallest"] == 1
    assert figures["group_sizes.uniques"] == 50.0
