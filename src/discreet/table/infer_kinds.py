"""What kind of column the values make: the rules on numbers, texts, dates and truth values, one function each.

Every rule looks at the facts of one column and answers with a `Guess`, or None where it has nothing to say. `infer`
asks them in order.
"""

from __future__ import annotations

import numpy as np

from discreet.table import hints
from discreet.table.facts import Facts
from discreet.table.infer_identity import (
    ALL_DIFFERENT_NUMBERS,
    FEW_CODES,
    FEW_STEPS,
    NEARLY_DIFFERENT,
    SURELY_DIFFERENT,
    Guess,
    has_few_values,
    identifier,
)
from discreet.table.patterns import (
    code_family,
    is_date,
    is_grouped_number,
    is_number,
    is_unknown_word,
    share_of,
    sorted_bands,
    sorted_steps,
)
from discreet.table.variable import Level

LONG_TEXT, MANY_WORDS = 40, 8  # mean length and words from which a text is free text
LONG_CODE = 9  # digits from which numbers that are not quantities may be telephone or account numbers
_SENTINELS_BELOW = (-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -99, -888, -999, -9999, -99999)
_SENTINELS_ABOVE = tuple(int("9" * n) - i for n in (2, 3, 4, 5, 6) for i in (0, 1, 2))

# -- columns that say little, or nothing that can be read ---------------------------------------------------------


def nothing(facts: Facts) -> Guess | None:
    if facts.form == "nothing" or not facts.n_distinct:
        return Guess("nominal", "no value at all", "other")
    return None


def nested(facts: Facts) -> Guess | None:
    if facts.form == "nested":
        return Guess(
            "nominal", "nested values or several types in one column: flatten it or drop it", "undecided"
        )
    if facts.form == "numbers" and not len(facts.numbers):
        return Guess("nominal", "no finite number: repair it or drop it", "undecided")
    return None


def infinite(facts: Facts) -> Guess | None:
    """No code and no flag is infinite: such a column is one of numbers, which are refused until they are repaired."""
    if facts.form != "numbers" or not facts.infinite:
        return None
    return Guess("numeric", "holds infinite numbers: empty them, or declare their code under unknown")


def single_valued(facts: Facts) -> Guess | None:
    if facts.n_distinct > 1 or facts.n_records == 1:
        return None
    if not facts.has_missing:
        return Guess("nominal", "constant", "other")
    return Guess("nominal", "one value or none: a tick box")


def truth(facts: Facts) -> Guess | None:
    return Guess("nominal", "true or false") if facts.form == "truth" else None


def dates(facts: Facts) -> Guess | None:
    if facts.form != "dates":
        return _written_dates(facts)
    precision = "dates to the day" if facts.day_precise else "dates, always the first of a month"
    return Guess("numeric", f"{precision}: outsiders may know when", "quasi", 0 if facts.dates_only else None)


def _written_dates(facts: Facts) -> Guess | None:
    """Days written as text or as numbers: no quantities, whose means would be no days, and no secret either."""
    if facts.form == "texts" and not facts.written_days and share_of(facts.texts, is_date) > 0.9:
        return Guess("nominal", "may be dates without a year in full: read them as dates", "undecided")
    if not facts.written_days or (facts.form == "numbers" and hints.is_quantity(facts.name)):
        return None
    written = "text" if facts.form == "texts" or facts.written else "numbers"
    what = f"dates written as {written}: read them as dates"
    return _all_different(facts, what) or Guess("nominal", f"{what}; outsiders may know when", "quasi")


def labelled(facts: Facts) -> Guess | None:
    """A code list, where the file has a label for every value."""
    if not facts.labels or not facts.spellings or not set(facts.spellings) <= set(facts.labels):
        return None
    if facts.form == "numbers" and _rise([facts.labels[code] for code in facts.spellings]):
        return Guess("ordinal", "the file labels every value, with steps of a scale")
    return Guess("nominal", "the file labels every value: a code list")


def _rise(steps: list[str]) -> bool:
    """Whether labels, in the order of their codes, go up or down a scale."""
    order = (sorted_steps(steps) or sorted_bands(steps)) if len(set(steps)) == len(steps) else None
    return order is not None and list(order) in (steps, steps[::-1])


def declared_order(facts: Facts) -> Guess | None:
    if facts.steps is None:
        return None
    levels = tuple(level for level in facts.steps if not is_unknown_word(str(level)))
    return Guess("ordinal", "categories with a declared order", levels=levels)


# -- numbers --------------------------------------------------------------------------------------------------------


def number_code(facts: Facts) -> Guess | None:
    """Numbers that are the names of something."""
    if facts.form != "numbers" or hints.counts(facts.name):
        return None
    if facts.name_says(hints.DIAGNOSIS_CODE):
        return Guess(
            "nominal", f"numbers under the name of {hints.DIAGNOSIS_CODE.says}: codes; give them a taxonomy"
        )
    if facts.oversized or facts.padded:
        return _digit_string(facts)
    if facts.name_says(hints.PLACE_CODE) and facts.is_whole:
        return Guess(
            "nominal", f"{_digits(facts)} under the name of {hints.PLACE_CODE.says}: a code, not a quantity"
        )
    if facts.name_says(hints.CODE) or (hints.names_an_id(facts.name) and facts.is_whole):
        family = "; give it a taxonomy" if facts.name_says(hints.COMMON_SCALES) else ""
        what = "numbers under the name of a code"
        return _all_different(facts, what) or Guess("nominal", f"{what}, not a quantity{family}")
    return None


def _digit_string(facts: Facts) -> Guess:
    """Digits that are not a number: zeros in front, or more of them than a quantity has."""
    what = (
        "whole numbers of more digits than a quantity has"
        if facts.oversized
        else "numbers with zeros in front"
    )
    if different := _all_different(facts, what):
        return different
    is_long = min(map(len, facts.spellings)) >= LONG_CODE
    if is_long and not has_few_values(facts):
        return Guess(
            "nominal", f"{what}, many different ones: may be telephone or account numbers", "undecided"
        )
    return Guess("nominal", f"{what}: codes, not quantities")


def flag(facts: Facts) -> Guess | None:
    if facts.form != "numbers" or not facts.is_whole or facts.n_distinct != 2:
        return None
    is_quantity = hints.is_quantity(facts.name) and facts.numbers[-1] > 9
    return None if is_quantity else Guess("nominal", "whole numbers with two different values: a flag")


def step_or_category(facts: Facts) -> Guess | None:
    """Whole numbers whose name says that they are steps or categories."""
    if facts.form != "numbers" or not facts.is_whole or hints.counts(facts.name):
        return None
    most = FEW_STEPS if facts.name_says(hints.EDUCATION) else FEW_CODES
    is_ordered = facts.name_says(hints.ORDERED) or facts.name_says(hints.EDUCATION)
    if is_ordered and facts.n_distinct <= most and not facts.name_says(hints.QUANTITY):
        return Guess("ordinal", "few whole numbers under the name of a scale", levels=_number_steps(facts))
    is_category = facts.name_says(hints.CATEGORY) and not (
        hints.is_quantity(facts.name) or facts.name_says(hints.YEAR)
    )
    if is_category and facts.share_distinct < 0.9:
        return Guess("nominal", "whole numbers under the name of a category: codes, not quantities")
    return None


def code_list(facts: Facts) -> Guess | None:
    if facts.form != "numbers" or not facts.is_whole or hints.is_quantity(facts.name):
        return None
    plain = facts.numbers[~np.isin(facts.numbers, _SENTINELS_BELOW)]
    in_range = len(plain) > 0 and plain[0] >= 1 and plain[-1] <= 99
    if in_range and len(plain) <= FEW_CODES and facts.share_distinct <= 0.5:
        return Guess("nominal", "few small whole numbers from one up: reads like a code list")
    return None


def numbers_all_different(facts: Facts) -> Guess | None:
    if not facts.is_whole or not facts.all_differ or facts.n_present < ALL_DIFFERENT_NUMBERS:
        return None
    if hints.is_quantity(facts.name) or facts.name_says(hints.YEAR):
        return None
    if facts.numbers[-1] - facts.numbers[0] == facts.n_distinct - 1:
        return identifier(facts, "consecutive whole numbers, all different: they number the records")
    return Guess("numeric", "whole numbers, all different: a quantity or an id", "undecided", 0)


def number(facts: Facts) -> Guess | None:
    if facts.form != "numbers":
        return None
    decimals = facts.decimals
    kind = "whole numbers" if facts.is_whole else "numbers"
    if decimals:
        kind += f" with up to {decimals} decimal{'s' if decimals > 1 else ''}"
    return Guess("numeric", f"{kind} in a text column" if facts.written else kind, decimals=decimals)


def _digits(facts: Facts) -> str:
    lengths = {len(str(abs(int(end)))) for end in facts.numbers[[0, -1]]}
    return f"whole numbers of always {lengths.pop()} digits" if len(lengths) == 1 else "whole numbers"


def _number_steps(facts: Facts) -> tuple[Level, ...] | None:
    """Numbers in a text column would sort as text, so their order is declared."""
    if not facts.written:
        return None
    return tuple(sorted(facts.texts, key=float))


# -- texts ----------------------------------------------------------------------------------------------------------


def ordered_text(facts: Facts) -> Guess | None:
    if facts.form != "texts" or not 3 <= facts.n_distinct <= 200:
        return None
    texts = [text for text in facts.texts if not is_unknown_word(text)]
    if levels := sorted_bands(texts) if len(texts) > 2 else None:
        return Guess("ordinal", "bands of numbers, in the order of their lower bounds", levels=levels)
    if levels := sorted_steps(texts):
        return Guess("ordinal", "steps of a well-known scale", levels=levels)
    return None


def coded_text(facts: Facts) -> Guess | None:
    if facts.form != "texts" or _all_different(facts, ""):
        return None
    family = code_family(facts.texts) if facts.n_distinct > 2 else None
    diagnosis = facts.name_says(hints.DIAGNOSIS_CODE)
    if diagnosis or (family in ("ICD-9", "ICD-10") and facts.n_distinct > FEW_CODES):
        name = family if family in ("ICD-9", "ICD-10") else "diagnosis"
        return Guess("nominal", f"looks like {name} codes: give it a taxonomy")
    if facts.name_says(hints.COMMON_SCALES) or family in ("NUTS", "classification"):
        return Guess("nominal", "looks like codes of a classification: give it a taxonomy if there is one")
    return None


def plain_text(facts: Facts) -> Guess:
    if different := _all_different(facts, ""):
        return different
    how_many = "few" if facts.n_distinct <= FEW_STEPS else "many"
    found = [f"text with {how_many} different values", _conversion(facts)]
    return Guess("nominal", "; ".join(filter(None, found)))


def _all_different(facts: Facts, what: str) -> Guess | None:
    """Texts and codes that tell records apart, or that say anything: a person has to decide."""
    found = [what] if what else []
    if facts.all_differ and facts.n_present >= SURELY_DIFFERENT:
        found.append("all different")
    elif facts.share_distinct > 0.9 and facts.n_present >= NEARLY_DIFFERENT:
        found.append("nearly all different")
    elif _is_free_text(facts):
        found.append("free text")
    else:
        return None
    if advice := _conversion(facts):
        found.append(advice)
    return Guess("nominal", "; ".join(found), "undecided")


def _is_free_text(facts: Facts) -> bool:
    if facts.form != "texts" or not (facts.n_distinct > FEW_STEPS or facts.share_distinct > 0.2):
        return False
    mean_length = sum(map(len, facts.texts)) / len(facts.texts)
    mean_words = sum(len(text.split()) for text in facts.texts) / len(facts.texts)
    return mean_length > LONG_TEXT or mean_words >= MANY_WORDS


def _conversion(facts: Facts) -> str:
    """Texts that would be better read as something else."""
    if facts.form != "texts" or facts.categorical:
        return ""
    n_numbers = sum(map(is_number, facts.texts))
    if 0.9 * len(facts.texts) < n_numbers < len(facts.texts):
        return "numbers but for a few texts: declare these under unknown to make it numeric"
    if not n_numbers and len(facts.texts) > FEW_CODES and share_of(facts.texts, is_grouped_number) > 0.9:
        return "numbers with a decimal comma or thousands marks: convert them to plain numbers"
    return ""


def missing_codes_among(facts: Facts) -> tuple[int, ...]:
    """Conventional missing codes that stand apart from all other numbers."""
    if facts.form != "numbers" or len(facts.numbers) < 3:
        return ()
    below = facts.numbers[facts.numbers < 0]
    if 0 < len(below) < len(facts.numbers) and np.isin(below, _SENTINELS_BELOW).all():
        return tuple(int(code) for code in below)
    top = facts.numbers[-3:]
    codes = [int(number) for number in top if number in _SENTINELS_ABOVE]
    rest = facts.numbers[: len(facts.numbers) - len(codes)]
    if not codes or list(top[-len(codes) :]) != codes or len(rest) < 2:
        return ()
    return tuple(codes) if codes[0] - rest[-1] > rest[-1] - rest[0] else ()
