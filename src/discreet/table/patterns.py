"""What the values of a column look like: addresses and numbers of persons, dates, bands, steps of a scale, codes.

Every function takes texts and says what they are; none remembers or prints one. Patterns that others' values meet by
chance carry a checksum (IBAN, payment cards) or ask for more than half of the values.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from math import inf

# -- what points at a person by itself -------------------------------------------------------------------------

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[a-z]{2,}", re.I)
_URL = re.compile(r"(?:https?://|www\.)\S+\.\S+", re.I)
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.I)
_SOCIAL = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
_PHONE = re.compile(
    r"\+\d[\d ().\-/]{6,20}|\(\d{2,5}\) ?\d{3,4}[ .-]?\d{3,5}|\d{3}[ .-]\d{3}[ .-]\d{4}"
    r"|0\d{1,4}[ /-]\d{5,9}|0\d(?:[ .-]\d\d){4}"
)
_ADDRESS_CHARACTERS = re.compile(r"[0-9a-f]*[:.][0-9a-f:.]+", re.I)
_STREET = re.compile(
    r"\d+[a-z]?,? .*\b(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq"
    r"|terrace|way|rue|chemin)\b.*"
    r"|(?:rue|calle|via|viale|avenida|carrer|plaza|paseo|rua|ulica|ul\.) .*\d+.*"
    r"|.*(?:stra(?:ss|ß)e|str\.|weg|gasse|platz|allee|straat|laan|gatan|vej) ?\d+ ?[a-z]?(?:,.*)?",
    re.I,
)


def is_email(text: str) -> bool:
    return "@" in text and _EMAIL.fullmatch(text) is not None


def is_url(text: str) -> bool:
    return _URL.fullmatch(text) is not None


def is_iban(text: str) -> bool:
    """An IBAN whose check digits hold (ISO 7064, mod 97-10).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    if not _IBAN.fullmatch(plain):
        return False
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def is_card(text: str) -> bool:
    """A payment card number whose check digit holds (Luhn).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = text.replace(" ", "").replace("-", "")
    if not (13 <= len(digits) <= 19 and digits.isascii() and digits.isdigit() and len(set(digits)) > 1):
        return False
    doubled = (2 * int(digit) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(d - 9 if d > 9 else d for d in doubled)) % 10 == 0


def is_internet_address(text: str) -> bool:
    if not 7 <= len(text) <= 45 or not _ADDRESS_CHARACTERS.fullmatch(text):
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_phone(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None and 7 <= sum(c.isdigit() for c in text) <= 15


def is_street(text: str) -> bool:
    return len(text) > 6 and _STREET.fullmatch(text) is not None


@dataclass(frozen=True)
class DirectPattern:
    """A test for one text, and how many of a column's values must pass before the column is an identifier."""

    says: str
    holds: Callable[[str], bool]
    least_share: float


DIRECT_PATTERNS = (
    DirectPattern("e-mail addresses", is_email, 0.05),
    DirectPattern("web addresses", is_url, 0.05),
    DirectPattern("bank account numbers (IBAN, check digits hold)", is_iban, 0.05),
    DirectPattern("universal ids (UUID)", lambda text: _UUID.fullmatch(text) is not None, 0.5),
    DirectPattern("payment card numbers (check digits hold)", is_card, 0.5),
    DirectPattern("social security numbers", lambda text: _SOCIAL.fullmatch(text) is not None, 0.5),
    DirectPattern("internet addresses", is_internet_address, 0.5),
    DirectPattern("telephone numbers", is_phone, 0.5),
    DirectPattern("street addresses", is_street, 0.3),
)


def direct_share(texts: Sequence[str]) -> tuple[DirectPattern, float] | None:
    """The direct identifier that these texts look like most clearly, with their share; None if none does."""
    if not texts:
        return None
    suspects = [text for text in map(str.strip, texts) if "@" in text or not text.isalpha()]
    shares = [(sum(map(pattern.holds, suspects)) / len(texts), pattern) for pattern in DIRECT_PATTERNS]
    share, pattern = max(shares, key=lambda entry: entry[0] / entry[1].least_share)
    return (pattern, share) if share > 0 else None


def share_of(texts: Sequence[str], holds: Callable[[str], bool]) -> float:
    """The share of the texts that pass a test; 0 where there are none."""
    return sum(map(holds, texts)) / len(texts) if texts else 0.0


# -- numbers, missing and dates written as text ----------------------------------------------------------------

_NUMBER = re.compile(r"\s*(?:-|\+(?!\d{8}))?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*", re.I)
_PADDED = re.compile(r"\s*0\d+\s*")
_GROUPED = re.compile(r"\s*[+-]?\d{1,3}(?:[., ']\d{3})*(?:[.,]\d+)?\s*")
_DATE = re.compile(
    r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?:[ T]\d.*)?|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})(?: \d.*)?"
    r"|\d{1,2}[ .-]{1,2}[a-zé]{3,10}\.?[ -,]{1,2}\d{2,4}|[a-z]{3,9}\.? \d{1,2},? \d{4}",
    re.I,
)
_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d{2}|(?<=[-/.])\d)\2(\d{2}|(?<=[-/.])\d)(?:[ T]\d.*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?: \d.*)?")
_PARTICLES = frozenset({
    "de", "da", "do", "dos", "das", "del", "della", "di", "du", "la", "le", "les", "van", "von", "vom", "zu",
    "zur", "der", "den", "ter", "ten", "bin", "ibn", "al", "el", "y", "e", "and", "und", "et",
})  # fmt: skip
_UNKNOWN_WORDS = frozenset({
    "?", "??", ".", "..", "*", "unknown", "unk", "missing", "refused", "refusal", "undefined", "unspecified", "dk",
    "d.k.", "k.a.", "n.k.", "not known", "not stated", "not available", "no answer", "no data", "don't know",
    "dont know", "don’t know", "do not know", "prefer not to say", "prefer not to answer", "keine angabe",
    "weiss nicht", "weiß nicht", "no sabe", "ns/nc", "desconocido", "inconnu",
})  # fmt: skip
_EMPTY_WORDS = _UNKNOWN_WORDS | {
    "", "na", "n/a", "#n/a", "n.a.", "nan", "null", "none", "nil", "-", "--", "---",
}  # fmt: skip
_NOT_APPLICABLE_WORDS = frozenset({
    "not applicable", "does not apply", "inapplicable", "inap", "niu", "not in universe", "trifft nicht zu",
    "no aplica", "legitimate skip", "valid skip",
})  # fmt: skip


def is_number(text: str) -> bool:
    """True for plain numbers; not for 1_000, nan or inf, which Python would read, nor for +49171234567."""
    return _NUMBER.fullmatch(text) is not None


def is_padded(text: str) -> bool:
    """True for whole numbers with a zero in front, which quantities do not have."""
    return _PADDED.fullmatch(text) is not None


def is_grouped_number(text: str) -> bool:
    """True for numbers as people write them: 1,234.50 or 12,5."""
    return _GROUPED.fullmatch(text) is not None


def is_date(text: str) -> bool:
    return _DATE.fullmatch(text.strip()) is not None


def day_of(text: str) -> date | None:
    """The day that a text names, with its year in full; None where it names none.

    >>> day_of("19620522"), day_of("22.5.1962"), day_of("05/22/1962"), day_of("19621322"), day_of("22.5.62")
    (datetime.date(1962, 5, 22), datetime.date(1962, 5, 22), datetime.date(1962, 5, 22), None, None)
    """
    if found := _YEAR_FIRST.fullmatch(text.strip()):
        year, month, day = int(found[1]), int(found[3]), int(found[4])
    elif found := _YEAR_LAST.fullmatch(text.strip()):
        year, month, day = int(found[4]), int(found[3]), int(found[1])
        month, day = (day, month) if month > 12 else (month, day)
    else:
        return None
    try:
        return date(year, month, day) if 1800 <= year <= 2100 else None
    except ValueError:
        return None


def is_full_name(text: str) -> bool:
    """True for two to four capitalised words, as names of persons and firms are written.

    >>> [is_full_name(text) for text in ("Anna Khan", "de Groot, J.", "O'NEILL & Sons", "Anna", "low back pain")]
    [True, True, True, False, False]
    """
    words = [word for word in re.split(r"[\s,&]+", text.strip()) if word and word.lower() not in _PARTICLES]
    return 2 <= len(words) <= 4 and len(text) <= 60 and all(map(_is_capitalised, words))


def _is_capitalised(word: str) -> bool:
    return word[0].isupper() and all(letter.isalpha() or letter in "'’.-" for letter in word)


def is_empty_word(text: str) -> bool:
    """True for what files write in numeric columns where there is no number."""
    return text.strip().lower() in _EMPTY_WORDS or is_unknown_word(text) or is_not_applicable_word(text)


def is_unknown_word(text: str) -> bool:
    """True for words that are no category of any scale ('none' may be one).

    >>> [is_unknown_word(text) for text in ("?", "Don't know / refused", "Other/unknown", "none")]
    [True, True, False, False]
    """
    return _consists_of(text, _UNKNOWN_WORDS)


def is_not_applicable_word(text: str) -> bool:
    return _consists_of(text, _NOT_APPLICABLE_WORDS)


def _consists_of(text: str, words: frozenset[str]) -> bool:
    plain = text.strip().lower()
    if plain in words:
        return True
    parts = re.split(r" *(?:[/,;()]| or ) *", plain)
    return len(parts) > 1 and any(parts) and all(part in words for part in parts if part)


# -- bands and scales ------------------------------------------------------------------------------------------

_BOUND = r"[$€£]?\s*(-?\d+(?:\.\d+)?)\s*([km])?"
_UNIT = r"\s*(?:%|years?(?: old)?|yrs?|y|jahre|anos|años|ans|months?|days?|kg|lbs?|cm|persons?|employees)?"
_BRACKETED = re.compile(rf"[\[(]\s*{_BOUND}\s*[-,;:–]\s*{_BOUND}\s*[\])]{_UNIT}")
_FROM_TO = re.compile(rf"{_BOUND}\s*(?:-|–|—|\.\.|to|bis|a|à)\s*(?:<|under|below)?\s*{_BOUND}{_UNIT}")
_BELOW = re.compile(
    rf"(?:<=?|≤|under|below|less than|up to|unter|bis|hasta|menos de|moins de)\s*{_BOUND}{_UNIT}"
    rf"|{_BOUND}{_UNIT}\s*(?:or|and)\s*(?:less|under|below|younger|fewer)"
)
_ABOVE = re.compile(
    rf"(?:>=?|≥|over|above|more than|at least|über|ab|mehr als|más de|mas de|plus de)\s*{_BOUND}{_UNIT}"
    rf"|{_BOUND}{_UNIT}\s*(?:\+|(?:or|and|und)\s*(?:more|over|above|older|up|mehr|älter))"
)
_SINGLE = re.compile(rf"{_BOUND}{_UNIT}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_SCALE_OF = {"k": 1e3, "m": 1e6, None: 1.0}


def band_start(text: str) -> tuple[float, float] | None:
    """Where a band starts and ends, to sort by; None for a text that is no band.

    >>> band_start("[10-20)"), band_start("65+"), band_start("<30"), band_start("20,000 to 100,000")
    ((10.0, 20.0), (65.0, inf), (-inf, 30.0), (20000.0, 100000.0))
    """
    plain = text.strip().lower()
    if found := _BRACKETED.fullmatch(plain):
        return _interval(found.groups())
    plain = _THOUSANDS.sub("", plain)
    if found := _FROM_TO.fullmatch(plain):
        return _interval(found.groups())
    if found := _BELOW.fullmatch(plain):
        return -inf, _first_bound(found.groups())
    if found := _ABOVE.fullmatch(plain):
        return _first_bound(found.groups()), inf
    return None


def _interval(groups: Sequence[str | None]) -> tuple[float, float] | None:
    low, high = _bound(groups[0], groups[1] or groups[3]), _bound(groups[2], groups[3])
    return (low, high) if low <= high else None


def _bound(number: str | None, multiple: str | None) -> float:
    return float(number or 0) * _SCALE_OF[multiple]


def _first_bound(groups: Sequence[str | None]) -> float:
    at = next(i for i, group in enumerate(groups) if group and i % 2 == 0)
    return _bound(groups[at], groups[at + 1])


def sorted_bands(texts: Sequence[str]) -> tuple[str, ...] | None:
    """The texts in the order of their bands (single numbers may stand among them); None if one is no band."""
    places = {}
    n_bands = 0
    for text in texts:
        place = band_start(text)
        n_bands += place is not None
        if place is None and (single := _SINGLE.fullmatch(_THOUSANDS.sub("", text.strip().lower()))):
            place = (_first_bound(single.groups()),) * 2
        if place is None:
            return None
        places[text] = place
    if n_bands < 2 or len(set(places.values())) < len(places):
        return None
    return tuple(sorted(texts, key=lambda text: places[text]))


_SCALES = [
    [frozenset(word.strip() for word in step.split("/")) for step in line.split("<")]
    for line in (
        "none<very low/lowest<low/lower<medium/moderate/middle/average/normal/mid<high/upper/higher<very high/highest",
        "terrible<very poor/very bad<poor/bad<fair/average/mediocre/ok<good<very good<excellent/outstanding",
        "terrible<unhappy<mostly dissatisfied<mixed<mostly satisfied<pleased<delighted",
        "never<rarely/seldom/hardly ever<sometimes/occasionally<often/frequently<usually/very often<always",
        "strongly disagree<disagree/somewhat disagree<neutral/neither/neither agree nor disagree/undecided"
        "<agree/somewhat agree<strongly agree",
        "very dissatisfied<dissatisfied<neutral/neither<satisfied<very satisfied",
        "very unhappy<unhappy/not too happy<neutral/pretty happy<happy<very happy",
        "none/no<minimal/slight/mild/light/minor<moderate/medium<severe/strong/major<critical/very severe/extreme",
        "xxs<xs<s<m<l<xl<xxl<xxxl",
        "tiny<small<medium<large<very large/huge",
        "none/no education<primary/elementary<secondary<tertiary/higher",
        "first<second<third<fourth<fifth<sixth",
        "novice/beginner/basic<intermediate<advanced<expert/fluent",
        "none<passive<active",
        "not at all<slightly/a little<somewhat/moderately<very/very much/quite a bit<extremely",
        "infant<child<adolescent/teenager<adult<senior/elderly",
        "young<middle aged<old",
        "bronze<silver<gold<platinum",
        "cold<cool<mild<warm<hot",
        "january/jan<february/feb<march/mar<april/apr<may<june/jun<july/jul<august/aug<september/sep/sept<october/oct"
        "<november/nov<december/dec",
        "monday/mon<tuesday/tue<wednesday/wed<thursday/thu<friday/fri<saturday/sat<sunday/sun",
        "sehr niedrig<niedrig/gering<mittel<hoch<sehr hoch",
        "sehr schlecht<schlecht<mittel/mittelmäßig<gut<sehr gut",
        "nie<selten<manchmal<oft/häufig<immer",
        "muy bajo<bajo<medio<alto<muy alto",
        "faible<moyen<élevé",
    )
]


def sorted_steps(texts: Sequence[str]) -> tuple[str, ...] | None:
    """The texts in the order of a well-known scale that has them all, one text a step, three steps or more.

    >>> sorted_steps(["poor", "Excellent", "average"])
    ('poor', 'average', 'Excellent')
    """
    if not 3 <= len(texts) <= 12:
        return None
    plain = {text: re.sub(r"[\s_-]+", " ", text.strip().lower()) for text in texts}
    for scale in _SCALES:
        steps = {text: next((i for i, s in enumerate(scale) if plain[text] in s), -1) for text in texts}
        if min(steps.values()) >= 0 and len(set(steps.values())) == len(texts):
            return tuple(sorted(texts, key=steps.__getitem__))
    return None


# -- codes -----------------------------------------------------------------------------------------------------

_ICD9 = re.compile(r"\d{1,3}(?:\.\d{1,2})?|V\d{2}(?:\.\d{1,2})?|E\d{3}(?:\.\d)?", re.I)
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?", re.I)
_NUTS = re.compile(r"[A-Z]{2}[0-9A-Z]{1,3}")
_LETTER_DIGITS = re.compile(r"[A-Z]{1,3}[.-]?\d{1,5}(?:\.\d{1,4})?[A-Z]?", re.I)
_DOTTED = re.compile(r"\d{1,4}(?:\.\d{1,2}){1,3}")


def code_family(texts: Sequence[str]) -> str | None:
    """The classification that nearly all texts look like codes of; None for anything else.

    >>> code_family(["250.83", "V57", "428"]), code_family(["C50.1", "E11", "I25.10"]), code_family(["red", "blue"])
    ('ICD-9', 'ICD-10', None)
    """
    plain = [text.strip() for text in texts]
    lettered = sum(text[:1].isalpha() for text in plain)
    has_supplements = any(text[:1].isalpha() and _ICD9.fullmatch(text) for text in plain)
    families = (
        ("ICD-9", _ICD9, has_supplements and lettered < len(plain)),
        ("ICD-10", _ICD10, lettered == len(plain)),
        ("NUTS", _NUTS, lettered == len(plain) and len({text[:2] for text in plain}) > 1),
        ("classification", _LETTER_DIGITS, True),
        ("classification", _DOTTED, True),
    )
    for family, pattern, fits in families:
        if fits and sum(pattern.fullmatch(text) is not None for text in plain) >= 0.9 * len(plain):
            return family
    return None
