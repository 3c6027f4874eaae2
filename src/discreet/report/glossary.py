"""What every figure is called in front of a board, and how to read it.

Texts only. `summary` decides which of them are used; a figure that has no entry here is still shown, under its own name.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.report.wording import sentence


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
    "closest.to_original": Words(
        "Nearer to the original than to strangers",
        "Share of released records that are nearer to a record of the original than to one of people who are not in it. "
        "50 %: nothing was memorised.",
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
    "propensity_cart.standardised": Words(
        "Original and release told apart, by a tree",
        "As above, by a model that finds interactions by itself.",
    ),
    "propensity_boosted.standardised": Words(
        "Original and release told apart, by many trees",
        "As above, by a model that finds finer differences.",
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


def title_of(name: str) -> str:
    """What a figure is called; its own name made readable where nobody gave it another.

    >>> title_of("moments.mean"), title_of("closest.median")
    ('Means', 'Closest: median')
    """
    if name in WORDS:
        return WORDS[name].title
    stem, _, figure = name.partition(".")
    return f"{sentence(stem)}: {figure.replace('_', ' ')}" if figure else sentence(stem)
