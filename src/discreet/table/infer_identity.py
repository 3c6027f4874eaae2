"""Which columns point at a record or belong to the sampling design: the first thing that is asked of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.table import hints
from discreet.table.facts import Facts
from discreet.table.patterns import direct_share, is_date, is_full_name, share_of
from discreet.table.variable import Kind, Level, Role

FEW_CODES = 12  # whole numbers with at most as many values may be a code list
FEW_STEPS = 50  # and with at most as many the steps of education, which registers code finely
SURELY_DIFFERENT, NEARLY_DIFFERENT = 10, 50  # records from which (nearly) all different says something
ALL_DIFFERENT_NUMBERS = 30
LIFETIME = 40.0  # years from which days may be those of births
FINE_DEGREES = 3  # decimals of a degree that tell one street from the next
MOSTLY_NAMES = 0.7
_FLAG_WORDS = frozenset({
    "yes", "no", "y", "n", "t", "f", "true", "false", "ja", "nein", "j", "si", "sí", "s", "oui", "non", "o", "x",
    "0", "1", "2", "9", "-1", "unknown",
})  # fmt: skip


@dataclass(frozen=True)
class Guess:
    """What a rule answers. Without a role, the name decides it."""

    kind: Kind
    reason: str
    role: Role | None = None
    decimals: int | None = None
    levels: tuple[Level, ...] | None = None


# -- columns that must not get out ------------------------------------------------------------------------------


def direct_identifier(facts: Facts) -> Guess | None:
    """Direct identifiers, by their name or by what the values look like."""
    if facts.form in ("nothing", "nested", "truth") or not facts.n_distinct or _is_flag(facts):
        return None
    if guess := _birth_day(facts) or _like_birth_days(facts):
        return guess
    if facts.form == "dates":
        return None
    is_quantity = facts.form == "numbers" and not facts.is_whole
    if not is_quantity and (idea := hints.direct_identifier(facts.name)):
        return identifier(facts, f"a name that speaks of {idea}: never released" + _repeated(facts, idea))
    return _coordinate(facts) or _names(facts) or _direct_by_content(facts)


def identifier(facts: Facts, reason: str) -> Guess:
    kind: Kind = "numeric" if facts.form == "dates" else "nominal"
    return Guess(kind, reason, "identifier")


def _repeated(facts: Facts, idea: str) -> str:
    if idea != hints.PERSONAL_NAME.says or facts.share_distinct > 0.9:
        return ""
    return "; values repeat, but they still say who or which firm a record is about"


def _birth_day(facts: Facts) -> Guess | None:
    if not facts.name_says(hints.BIRTH):
        return None
    if facts.form == "dates":
        return identifier(facts, "dates of birth to the day: never released") if facts.day_precise else None
    written = share_of(facts.texts, is_date) > 0.5
    long_numbers = facts.is_whole and len(facts.numbers) > 0 and bool(np.median(np.abs(facts.numbers)) > 9999)
    if written or (long_numbers and facts.name_says(hints.BIRTH_DAY)):
        return identifier(
            facts, "a name that speaks of a date of birth, and values to the day: never released"
        )
    return None


def _like_birth_days(facts: Facts) -> Guess | None:
    """Days over as many years as people live, whatever the column is called and however the days are written."""
    days = facts.written_days
    precise = facts.day_precise or any(day.day != 1 for day in days)
    years = facts.years if not days else (max(days) - min(days)).days / 365.25
    if not precise or years < LIFETIME or (facts.form == "numbers" and hints.is_quantity(facts.name)):
        return None
    return identifier(facts, "dates to the day over decades, as dates of birth are: never released")


def _coordinate(facts: Facts) -> Guess | None:
    """Exact to a house, or on a map's grid of metres; coarser ones tell a region."""
    if facts.form != "numbers" or not facts.name_says(hints.COORDINATE) or has_few_values(facts):
        return None
    if facts.name_says(hints.NOT_DIRECT) or not len(facts.numbers):
        return None
    on_grid = float(np.abs(facts.numbers[[0, -1]]).max()) > 360
    if not on_grid and facts.decimals is not None and facts.decimals < FINE_DEGREES:
        return Guess("numeric", "coarse coordinates: outsiders may know them", "quasi", facts.decimals)
    return identifier(facts, "exact coordinates, which are an address: never released")


def _names(facts: Facts) -> Guess | None:
    """Names of persons and firms, by what they look like and by whom the column's name speaks of."""
    if facts.form != "texts" or not facts.texts or has_few_values(facts):
        return None
    share = share_of(facts.texts, is_full_name)
    if hints.PERSON.ends(facts.name) and not hints.counts(facts.name):
        if share > 0.5:
            return identifier(facts, "full names under the name of a person or a firm: never released")
        if not (facts.all_differ and _numbers_records(facts)):
            reason = "texts under the name of a person or a firm, many different ones: may be names or ids"
            return Guess("nominal", reason, "undecided")
    if share < MOSTLY_NAMES or facts.n_distinct < SURELY_DIFFERENT or _names_a_thing(facts.name):
        return None
    if facts.share_distinct > 0.5:
        return identifier(facts, "most of the values look like names of persons or firms: never released")
    if facts.n_distinct > FEW_STEPS:
        return Guess("nominal", "many values that look like names of persons, firms or places", "undecided")
    return None


def _names_a_thing(name: str) -> bool:
    """True for a name that says what its capitalised words are: towns, occupations, schools."""
    things = (hints.NAME_OF_THING, hints.NAME_OF_PLACE, hints.COARSE, hints.CATEGORY)
    return any(concept.is_in(name) for concept in things) or hints.tendency_of(name) is not None


def _direct_by_content(facts: Facts) -> Guess | None:
    found = direct_share(facts.spellings) if facts.form == "texts" or _may_be_cards(facts) else None
    if not found:
        return None
    pattern, share = found
    if share >= pattern.least_share and facts.n_distinct * share >= min(3, facts.n_distinct):
        how_many = "most" if share > 0.5 else "many"
        return identifier(facts, f"{how_many} of the values look like {pattern.says}: never released")
    if pattern.least_share < 0.5:
        return Guess(
            "nominal", f"some values look like {pattern.says}: clean the column, or drop it", "undecided"
        )
    return None


def _may_be_cards(facts: Facts) -> bool:
    return facts.is_whole and len(facts.numbers) > 2 and bool(facts.numbers[0] >= 1e12)


def _is_flag(facts: Facts) -> bool:
    """Few values that say yes or no about the thing which the name speaks of."""
    return facts.n_distinct <= 3 and all(text.strip().lower() in _FLAG_WORDS for text in facts.spellings)


def record_id(facts: Facts) -> Guess | None:
    """Ids: all different under the name of a record, or many different ones under a name that ends in an id."""
    if not (facts.is_whole or facts.form == "texts") or _is_flag(facts):
        return None
    named = hints.names_an_id(facts.name)
    many = not has_few_values(facts) and not facts.name_says(hints.COARSE)
    if facts.all_differ and facts.n_present > 1 and (named or _numbers_records(facts)):
        return identifier(facts, "all different under the name of an id: says which record it is")
    if named and many:
        return identifier(facts, "many different values under the name of an id: links records")
    return None


def _numbers_records(facts: Facts) -> bool:
    enough = facts.n_present >= (ALL_DIFFERENT_NUMBERS if facts.form == "numbers" else SURELY_DIFFERENT)
    return enough and hints.numbers_records(facts.name)


def has_few_values(facts: Facts) -> bool:
    """Few enough different values to be classes of records rather than records."""
    return (facts.n_distinct <= FEW_CODES and facts.share_distinct <= 0.5) or (
        facts.n_distinct <= FEW_STEPS and facts.share_distinct <= 0.2
    )


# -- the sampling design ----------------------------------------------------------------------------------------


def weights_among(all_facts: Sequence[Facts]) -> dict[str, Guess]:
    """The one column that is taken for the weight, and the others that look like one."""
    has_body = any(hints.BODY.is_in(facts.name) for facts in all_facts)
    ranks = {facts.name: _weight_rank(facts, has_body) for facts in all_facts}
    named = sorted(
        (rank, at, facts) for at, facts in enumerate(all_facts) if (rank := ranks[facts.name]) >= 0
    )
    guesses = {}
    for place, (rank, _, facts) in enumerate(named):
        idea = hints.WEIGHTS[rank].says
        reason = f"positive numbers under a name that speaks of {idea}"
        if place:
            reason += ", but a better named column already is the weight"
        guesses[facts.name] = Guess("numeric", reason, "other" if place else "weight", facts.decimals)
    return guesses


def _weight_rank(facts: Facts, has_body: bool) -> int:
    """Place of the name among the names of weights; -1 where the column cannot be one."""
    rank = next((i for i, concept in enumerate(hints.WEIGHTS) if concept.ends(facts.name)), -1)
    if rank < 0 or facts.form != "numbers" or facts.unknown or not len(facts.numbers):
        return -1
    is_plain = rank == len(hints.WEIGHTS) - 1
    if is_plain and (has_body or facts.name_says(hints.BODY_WEIGHT)):
        return -1
    lowest, highest = facts.numbers[0], facts.numbers[-1]
    return rank if highest > 0 and (lowest > 0 or (lowest == 0 and not is_plain)) else -1


def weights_of_nothing(facts: Facts) -> Guess | None:
    """Zeros alone under the name of a weight: usable for nothing, and worth a word."""
    if facts.form != "numbers" or facts.numbers.any() or not any(c.ends(facts.name) for c in hints.WEIGHTS):
        return None
    return Guess(
        "numeric", "a name that speaks of a weight, but every number is zero: not taken for one", "other", 0
    )


def cluster(facts: Facts) -> Guess | None:
    if not hints.CLUSTER.ends(facts.name) or hints.counts(facts.name) or facts.all_differ:
        return None
    if not (facts.is_whole or facts.form == "texts") or (
        has_few_values(facts) and "household" in hints.tokens_of(facts.name)
    ):
        return None
    reason = f"groups of records under the name of {hints.CLUSTER.says}: links records"
    return Guess("nominal", reason, "cluster")


def stratum(facts: Facts) -> Guess | None:
    if not hints.STRATUM.ends(facts.name) or facts.all_differ:
        return None
    if not (facts.is_whole or facts.form == "texts"):
        return None
    return Guess("nominal", f"a name that speaks of {hints.STRATUM.says}", "stratum")
