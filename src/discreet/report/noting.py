"""Notes of a release as they may be published: small numbers of records and cells are said to be small.

Methods write notes for the one who releases, who may know the counts. These are the forms in which they count.
"""

from __future__ import annotations

import re

_PLACE = re.compile(r"(?:In (?:part \d+|\d+ parts) of \d+: )*")  # the strata that a note is about

# How a note that counts begins -> where its counts stand.
_COUNTS = {
    re.compile(begins): re.compile(counts)
    for begins, counts in {
        r"\d+ (?:cells|records) ": r"^\d+",
        r"Cells emptied: ": r"(?<=: )\d+(?=[,.])",
        r"Of \d+ records that show their whole key, ": r"(?<=^Of )\d+|(?<=, )\d+(?= are alone)",
        r"Records whose category has no weight ": r"(?<=\()\d+(?=\))",
    }.items()
}


def noted(note: str, threshold: int) -> str:
    """The note with counts below the threshold said to be that; none stays none.

    >>> noted("Cells emptied: age: 5, sex: 0, region: 31.", 10)
    'Cells emptied: age: fewer than 10, sex: 0, region: 31.'
    >>> noted("In part 2 of 4: 3 cells were emptied, because others of their group lack them.", 10)
    'In part 2 of 4: Fewer than 10 cells were emptied, because others of their group lack them.'
    """
    place = _PLACE.match(note)
    start = place.end() if place else 0
    said = note[start:]
    for begins, counts in _COUNTS.items():
        if begins.match(said):
            said = counts.sub(lambda found: _count(found, threshold), said)
    return note[:start] + said


def _count(found: re.Match[str], threshold: int) -> str:
    if not 0 < int(found[0]) < threshold:
        return found[0]
    return f"{'F' if found.start() == 0 else 'f'}ewer than {threshold}"
