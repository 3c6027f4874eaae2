"""The words of the report: numbers as text, figures with how to read them, kinds and roles in plain English.

Texts only. `summary` decides which of them are used; a figure that has no entry here is still shown, under its own name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """What a figure is called in front of a board, and how to read it."""

    title: str
    reading: str


# In the order of the report. What is measured and stands here is shown in the main part; the annex shows everything.
RISKS: dict[str, Words] = {
    "group_sizes.smallest": Words(
        "Smallest group of look-alikes",
        "How many records share the columns that outsiders may know, at the least. 1 means that somebody stands alone.",
    ),
    "group_sizes.uniques": Words(
        "Records that stand alone",
        "Share of records that nobody else resembles in the columns that outsiders may know.",
    ),
    "linkage.distance": Words(
        "Records linked to their own",
        "An intruder who holds the original values of the known columns picks the nearest record of the file: how "
        "often it is the right one. Equally near records share the credit.",
    ),
    "individual.mean": Words(
        "Records re-identified on average",
        "Chance that a record is recognised by somebody who meets the person in the population, averaged over records.",
    ),
    "diversity.homogeneous": Words(
        "Records whose group gives a secret away",
        "Share of records in groups of look-alikes that all have the same value of some confidential column: there, "
        "finding the group is enough.",
    ),
    "attribute.gain": Words(
        "Secrets learnt from known columns",
        "How much better confidential values are guessed with the file and the known columns than with the file's "
        "totals alone. 0: nothing learnt; 100 %: everything; below 0: misled.",
    ),
    "linkability.rate": Words(
        "Two halves of a record joined",
        "How often an attack joins two sets of columns of the same person through the file.",
    ),
    "singling_out.rate": Words(
        "Successful singling out",
        "Share of guessed descriptions, made from the file, that fit exactly one person of the original.",
    ),
    "inference.rate": Words(
        "Secrets read off the nearest record",
        "How often the nearest record of the file carries the right confidential value.",
    ),
    "inference.excess": Words(
        "Secrets read off, beyond chance",
        "The same attack on people of the file less its success on people who are not in it: what the file adds.",
    ),
    "copies.identical": Words(
        "Records equal to an original one",
        "Share of released records that equal an original one in all columns.",
    ),
    "copies.uniques": Words(
        "Unique records copied",
        "Share of released records, alone with their values, that equal an original record alone with them.",
    ),
    "membership.area": Words(
        "Taking part can be told",
        "How well somebody can tell who was in the original. 50 %: not better than by tossing a coin; 100 %: always.",
    ),
    "rank_interval.mean": Words(
        "Numbers near the true ones, by rank",
        "Share of numeric values that lie within 1 to 10 % of the ranks around the released one.",
    ),
}

UTILITIES: dict[str, Words] = {
    "propensity.standardised": Words(
        "Original and release told apart",
        "How far a model tells released from original records, in standard deviations of what chance gives. Up to "
        "about 3: hardly; above 10: easily.",
    ),
    "propensity_trees.standardised": Words(
        "Original and release told apart, by trees",
        "As above, by a model that finds interactions by itself.",
    ),
    "distributions.total_variation": Words(
        "Categories moved",
        "Share of records that would have to change category for the counts of a column to agree, averaged over columns.",
    ),
    "distributions.kolmogorov": Words(
        "Numbers shifted",
        "Largest gap between the cumulative distributions of a number before and after, averaged over columns.",
    ),
    "distributions.missing": Words(
        "Cells emptied or filled", "Change in the share of empty cells, averaged over columns."
    ),
    "crosstables.tvd2": Words(
        "Cross tables of two columns",
        "Share of records that would have to move for a table of two columns to agree, averaged over pairs.",
    ),
    "crosstables.tvd3": Words(
        "Cross tables of three columns",
        "Share of records that would have to move for a table of three columns to agree, averaged over triples.",
    ),
    "moments.mean": Words(
        "Means", "Change of a column's mean in its standard deviations, averaged over columns."
    ),
    "moments.variance": Words("Variances", "Relative change of a column's variance, averaged over columns."),
    "moments.correlation": Words(
        "Correlations",
        "Change of the correlation of two numbers, averaged over pairs; it lies between 0 and 2.",
    ),
    "regression.overlap": Words(
        "Regressions",
        "Overlap of the 95 % intervals of coefficients before and after, averaged over models that explain one number "
        "by all other columns. 100 %: the same answer.",
    ),
    "learning.loss": Words(
        "Predictive value lost",
        "How much worse a model learnt from the release predicts original records than one learnt from the original.",
    ),
    "pil.q": Words(
        "Quantiles", "Probability that a quantile has moved by more than a sample of this size would move it."
    ),
}

WORDS = RISKS | UTILITIES

# What is said on one line at the top: the first that was measured.
TOP_RISKS = ("linkage.distance", "group_sizes.uniques", "individual.mean", "copies.identical")
TOP_UTILITIES = ("regression.overlap", "distributions.total_variation", "distributions.kolmogorov")

# Breakdowns by single columns that are drawn, as far as they were measured: figure, what a bar shows.
COLUMN_CHARTS: dict[str, str] = {
    "distributions.total_variation": "Categories: share of records in another category",
    "distributions.kolmogorov": "Numbers: largest gap between the distributions",
}
# Axes of the map: the first figure that all candidates have.
MAP_RISKS = (
    "linkage.distance",
    "group_sizes.uniques",
    "individual.mean",
    "attribute.gain",
    "copies.identical",
)
MAP_LOSSES = (
    "crosstables.tvd2",
    "distributions.total_variation",
    "distributions.kolmogorov",
    "moments.correlation",
)

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


def title_of(name: str) -> str:
    """What a figure is called; its own name made readable where nobody gave it another.

    >>> title_of("moments.mean"), title_of("closest.to_original")
    ('Means', 'Closest: to original')
    """
    if name in WORDS:
        return WORDS[name].title
    stem, _, figure = name.partition(".")
    return f"{sentence(stem)}: {figure.replace('_', ' ')}" if figure else sentence(stem)


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
        shown = f"{size:.{2 - math.floor(math.log10(size))}f}".rstrip("0").rstrip(".")
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
