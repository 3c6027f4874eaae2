"""How the report writes: numbers with their units, names, lists, kinds and roles, in plain English."""

from __future__ import annotations

import math

KINDS = {
    "numeric": "number",
    "ordinal": "ordered categories",
    "nominal": "categories",
    "taxonomic": "categories in a tree",
}
ROLES = {
    "quasi": "outsiders may know it",
    "confidential": "confidential",
    "weight": "survey weight",
    "stratum": "stratum",
    "other": "other",
    "undecided": "undecided",
}

_HUNDREDFOLD = {"share": "%", "share correct": "% correct"}
_BARE = ("index", "ratio")
_SINGULAR = {
    "records": "record",
    "categories": "category",
    "index": "",
    "ratio": "",
    "share": "%",
    "bits": "bit",
}


def sentence(name: str) -> str:
    """A name of the code as words.

    >>> sentence("DistanceLinkage"), sentence("pil"), sentence("PRAM")
    ('Distance linkage', 'Pil', 'PRAM')
    """
    if name.isupper():
        return name
    apart = "".join(f" {c.lower()}" if c.isupper() else c for c in name).replace("_", " ").strip()
    return apart[:1].upper() + apart[1:]


def plain(text: str) -> str:
    """One line without characters that would steer a page or a reader's eye: names of columns come from files.

    >>> plain("pay\\u202e\\nroll\\x00")
    'pay\ufffd roll\ufffd'
    """
    return "".join(" " if c.isspace() else c if c.isprintable() else "\ufffd" for c in text)


def scaled(value: float, unit: str) -> float:
    """The number as it is said: shares in per cent."""
    return 100.0 * value if unit in _HUNDREDFOLD else value


def unit_text(unit: str) -> str:
    """The unit as it is said; nothing for an index.

    >>> unit_text("share"), unit_text("sd"), unit_text("index")
    ('%', 'sd', '')
    """
    if unit in _BARE:
        return ""
    return _HUNDREDFOLD.get(unit, unit)


def number_text(value: float, unit: str = "index") -> str:
    """Three digits that count, with the unit, which never comes to stand on another line.

    >>> said = number_text(0.13449, "share"), number_text(2000.0, "records"), number_text(1.0, "records")
    >>> [one.replace("\xa0", " ") for one in said]
    ['13.4 %', '2,000 records', '1 record']
    >>> number_text(float("nan"), "sd"), number_text(0.00002314)
    ('not defined', '0.0000231')
    """
    if math.isnan(value):
        return "not defined"
    said = digits(scaled(value, unit))
    named = _SINGULAR.get(unit, unit) if said == "1" else unit_text(unit)
    return f"{said}\xa0{named}" if named else said


def digits(value: float) -> str:
    """A number with three digits that count, without powers of ten unless it is beyond all bounds.

    >>> digits(0.9645), digits(-81.0), digits(1234567.8), digits(0.0), digits(float("inf"))
    ('0.965', '−81', '1,234,568', '0', 'unbounded')
    """
    if math.isinf(value):
        return "unbounded"
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-7:
        shown = f"{size:.2e}"
    elif size >= 100 or size == round(size):
        shown = f"{round(size):,}"
    else:
        shown = f"{size:.{max(0, 2 - math.floor(math.log10(size)))}f}"
        shown = shown.rstrip("0").rstrip(".") if "." in shown else shown  # the zeros of 100 are its size
    return f"−{shown}" if value < 0 else shown


def interval_text(interval: tuple[float, float], unit: str) -> str:
    """
    >>> interval_text((39.7456, 44.066), "%").replace("\xa0", " ")
    '39.7 to 44.1 %'
    """
    low, high = (float(end) for end in interval)
    return f"{digits(scaled(low, unit))} to {number_text(high, unit)}"


def listed(names: tuple[str, ...]) -> str:
    """
    >>> listed(("age",)), listed(("age", "sex", "zip"))
    ('age', 'age, sex and zip')
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
