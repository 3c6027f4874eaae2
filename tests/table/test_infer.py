"""Guessing a schema: every rule on a table of a few rows, the real tables, the libraries' agreement, no leak."""

from __future__ import annotations

import string
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import InputError, UnsuitableError
from discreet.table import hints, patterns
from discreet.table.frames import encode
from discreet.table.schema import Schema, Variable


def guess(name: str, cells, **options) -> Variable:
    """The guess for a single column."""
    return Schema.infer(pl.DataFrame({name: cells}, strict=False), **options)[name]


def is_guessed(name: str, cells) -> tuple[str, str]:
    guessed = guess(name, cells)
    return guessed.kind, guessed.role


MANY = range(1, 201)
FIRST = ["Anna", "Bob", "Carl", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jo"]
LAST = [
    "Smith",
    "Meier",
    "Garcia",
    "Kovacs",
    "Rossi",
    "Jensen",
    "Novak",
    "Silva",
    "Cohen",
    "Khan",
    "Lee",
    "Ito",
]


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("zip", [10000 + 7 * i % 900 for i in MANY], ("nominal", "quasi")),
        ("fips", [1001 + i % 60 for i in MANY], ("nominal", "quasi")),
        ("flag", [0, 1] * 100, ("nominal", "quasi")),
        ("isco", [1000 + i % 40 for i in MANY], ("nominal", "quasi")),
        ("payer_code", [100 + i % 30 for i in MANY], ("nominal", "quasi")),
        ("admission_type_id", [1 + i % 8 for i in MANY], ("nominal", "quasi")),
        ("diag_1", [150 + i % 90 + 0.5 for i in MANY], ("nominal", "confidential")),
        ("v", [1 + i % 7 for i in MANY], ("nominal", "quasi")),
        ("v", [i % 7 for i in MANY], ("numeric", "confidential")),
        ("num_visits", [1 + i % 7 for i in MANY], ("numeric", "confidential")),
        ("length_of_stay", [1 + i % 9 for i in MANY], ("numeric", "confidential")),
        ("grade", [1 + i % 9 for i in MANY], ("ordinal", "confidential")),
        ("month", [1 + i % 12 for i in MANY], ("ordinal", "quasi")),
        ("education_num", [1 + i % 16 for i in MANY], ("ordinal", "quasi")),
        ("native_country", [i % 42 for i in MANY], ("nominal", "quasi")),
        ("age", [15 + i % 3 * 10 for i in MANY], ("numeric", "quasi")),
        ("income", [1000, 2000] * 100, ("numeric", "confidential")),
        ("birth_year", [1940 + i % 60 for i in MANY], ("numeric", "quasi")),
        ("temperature", [36.5 + i % 20 / 10 for i in MANY], ("numeric", "confidential")),
    ],
)
def test_numbers_that_are_codes_are_not_quantities(name, cells, expected):
    """Codes, flags, code lists and scales are told from counts and amounts by name and range."""
    assert is_guessed(name, cells) == expected


@pytest.mark.parametrize(
    ("name", "cells", "expected"),
    [
        ("case", [7 * i for i in MANY], "identifier"),
        ("patient_nbr", [i // 2 * 17 for i in MANY], "identifier"),
        ("UTILITYID", [i // 3 * 17 for i in MANY], "identifier"),
        ("medicaid", [i // 3 * 17 for i in MANY], "quasi"),
        ("paid", [i // 3 * 17 for i in MANY], "confidential"),
        ("region_id", [i // 3 for i in MANY], "quasi"),
        ("x", list(MANY), "identifier"),
        ("x", [i * i for i in MANY], "undecided"),
        ("income", [i * i for i in MANY], "confidential"),
        ("customer_income", [i * i for i in MANY], "confidential"),
        ("year", [1900 + i for i in range(100)], "quasi"),
        ("hhid", [i // 4 for i in MANY], "cluster"),
        ("psu", [i // 50 for i in MANY], "cluster"),
        ("household_size", [1 + i % 5 for i in MANY], "quasi"),
        ("strata", [1 + i % 20 for i in MANY], "stratum"),
        ("n", [9_007_199_254_740_993 + i // 2 for i in MANY], "undecided"),
    ],
)
def test_ids_are_told_by_name_and_by_counting(name, cells, expected):
    """All different, many different and consecutive numbers become what their names allow."""
    assert guess(name, cells).role == expected


def test_decimals_are_the_fewest_that_reproduce_the_numbers():
    """Whole numbers have none, prices two, measurements of the machine have no number of decimals."""
    frame = pl.DataFrame({"a": [1.0, 3.0, 8.0], "b": [0.25, 1.5, 2.75], "c": [1 / 3, 0.1, 2.0]})
    assert [variable.decimals for variable in Schema.infer(frame)] == [0, 2, None]
    single = Schema.infer(pl.DataFrame({"b": [0.1, 0.25, 2.5]}, schema={"b": pl.Float32}))
    assert single["b"].decimals == 2


def test_bounds_and_nominal_levels_are_never_taken_from_records():
    """Nothing but decimals, steps of a scale and conventional words is derived from the data."""
    frame = pl.DataFrame({"a": range(40, 60), "c": ["u", "v"] * 10, "z": [0, 1] * 10})
    for variable in Schema.infer(frame):
        assert (variable.lower, variable.upper, variable.levels) == (None, None, None)


@pytest.mark.parametrize(
    ("cells", "code"),
    [([-8, 3, 15, 40, 60, 77], "-8"), ([9, 8, 20, 17, 31, 999], "999"), ([-9, -8, *range(1, 90)], "-9, -8")],
)
def test_possible_missing_codes_are_said_and_not_decided(cells, code):
    """A conventional code far from the other numbers is named in the reason; unknown stays empty."""
    variable = guess("income", cells * 3)
    assert f"possible missing code ({code})" in variable.reason
    assert variable.unknown == ()


def test_top_of_the_range_is_no_missing_code():
    """99 among numbers up to 98 is one of them."""
    assert "missing" not in guess("hours", list(range(100)) * 2).reason


def test_words_for_missing_in_numeric_text_are_declared():
    """A text column of numbers is numeric under the words that files write for missing, as it spells them."""
    variable = guess("income", ["1200", "?", "800.5", "N/A", "not applicable", "950", "1200"])
    assert (variable.kind, variable.decimals) == ("numeric", 1)
    assert (variable.unknown, variable.not_applicable) == (("?", "N/A"), ("not applicable",))


def test_other_words_in_numeric_text_are_not_declared():
    """One word that is no convention keeps the column text; the reason says how to make it numeric."""
    variable = guess("income", [str(100 + i % 25) for i in MANY] + ["plenty"])
    assert (variable.kind, variable.unknown) == ("nominal", ())
    assert "numbers but for a few texts" in variable.reason


def test_zeros_in_front_make_a_code():
    """Text with zeros in front, or a file that spells a number so, is no quantity."""
    assert guess("v", [f"{i % 90:04d}" for i in MANY]).kind == "nominal"
    frame = pl.DataFrame({"v": [i % 90 for i in MANY]})
    texts = {"v": [f"{i % 90:04d}" for i in MANY]}
    assert Schema.infer(frame)["v"].kind == "numeric"
    assert Schema.infer(frame, text_of=texts.__getitem__)["v"].kind == "nominal"


def test_long_digit_strings_are_left_to_a_person():
    """Telephone numbers without punctuation look like numbers; nothing with so many digits passes unseen."""
    assert guess("v", [f"0171{1234567 + i // 2}" for i in MANY]).role == "undecided"
    assert guess("v", [f"+49171{1234567 + i}" for i in MANY]).role == "identifier"


def test_steps_in_text_are_ordered_as_numbers():
    """'10' comes after '2' where the numbers of a scale were read as text."""
    variable = guess("grade", [str(1 + i % 11) for i in MANY])
    assert variable.levels == tuple(map(str, range(1, 12)))


# -- texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "levels"),
    [
        (["[10-20)", "[0-10)", "[20-30)"], ("[0-10)", "[10-20)", "[20-30)")),
        (["65+", "45-59", "16-24", "60-64"], ("16-24", "45-59", "60-64", "65+")),
        ([">200", "<30", "30-200"], ("<30", "30-200", ">200")),
        (
            ["1,000 to 5,000", "under 1,000", "5,000 or more"],
            ("under 1,000", "1,000 to 5,000", "5,000 or more"),
        ),
        (["0", "1-5", "6-10", "over 10"], ("0", "1-5", "6-10", "over 10")),
        (["high", "low", "medium"], ("low", "medium", "high")),
        (["poor", "excellent", "average"], ("poor", "average", "excellent")),
        (["agree", "strongly agree", "disagree"], ("disagree", "agree", "strongly agree")),
    ],
)
def test_bands_and_well_known_scales_are_ordered(cells, levels):
    """Levels stand in the order of lower bounds or of the scale, however the file is sorted."""
    variable = guess("v", cells * 10)
    assert (variable.kind, variable.levels) == ("ordinal", levels)


@pytest.mark.parametrize(
    "cells",
    [
        ["none", ">200", ">300"],
        ["low", "high", "blue"],
        ["0-10", "0 to 10", "11-20"],
        ["<=50", ">50"],
        ["s", "m", "d"],
    ],
)
def test_no_order_is_made_up(cells):
    """Partly bands, partly steps, the same band twice, or two values: nominal, without levels."""
    variable = guess("v", cells * 10)
    assert (variable.kind, variable.levels) == ("nominal", None)


def test_words_for_missing_have_no_place_in_an_order():
    """'unknown' beside bands is declared as a missing code, and so is no level."""
    variable = guess("v", ["10-19", "20-29", "unknown", "0-9"] * 5)
    assert variable.levels == ("0-9", "10-19", "20-29")
    assert variable.unknown == ("unknown",)


@pytest.mark.parametrize(
    ("name", "cells", "words"),
    [
        ("v", [f"word{chr(97 + i)}x" for i in range(12)], "all different"),
        (
            "v",
            [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}" for i in range(95)] + ["wax"] * 5,
            "nearly all different",
        ),
        (
            "v",
            [f"The patient of ward {chr(97 + i)} was seen and sent home later" for i in range(20)] * 3,
            "free text",
        ),
    ],
)
def test_text_that_tells_records_apart_is_undecided(name, cells, words):
    """All different, nearly all different and free text wait for a person's decision."""
    variable = guess(name, cells)
    assert variable.role == "undecided"
    assert words in variable.reason


def test_long_answers_of_a_questionnaire_are_not_free_text():
    """Few categories stay categories however long their words are."""
    answers = [f"Yes, I have been thinking about this {word} for a long time" for word in ("a", "b", "c")]
    assert is_guessed("v", answers * 20) == ("nominal", "quasi")


def test_codes_of_a_classification_ask_for_a_taxonomy():
    """ICD-9, ICD-10 and other codes are nominal with the advice; ordinary words are not advised."""
    icd = [f"{chr(65 + i % 20)}{i % 10}{i % 5}.{i % 2}" for i in MANY]
    assert "ICD-10 codes: give it a taxonomy" in guess("v", icd).reason
    mixed = ["250.83", "V57", "428", "E909", "780"] * 20
    assert "ICD-9 codes: give it a taxonomy" in guess("diagnosis", mixed).reason
    assert "taxonomy" not in guess("colour", ["red", "blue", "green"] * 20).reason


def test_dates():
    """Dates are numeric and known outside; text dates are not read; a date of birth to the day never gets out."""
    days = [date(2020, 1, 1) + timedelta(days=3 * i) for i in MANY]
    assert is_guessed("visit", days) == ("numeric", "quasi")
    assert guess("visit", days).decimals == 0
    assert is_guessed("visit", [datetime(2020, 1, 1, i % 24) for i in MANY]) == ("numeric", "quasi")
    assert guess("geburtsdatum", days).role == "identifier"
    assert guess("birth_date", [date(1950 + i % 40, 1, 1) for i in MANY]).role == "quasi"
    assert guess("dob", [day.isoformat() for day in days]).role == "identifier"
    assert guess("dob", [int(day.strftime("%Y%m%d")) for day in days]).role == "identifier"
    assert "read them as dates" in guess("visit", [day.isoformat() for day in days[:20]] * 10).reason


BIRTHS = [date(1930, 1, 1) + timedelta(days=113 * i) for i in MANY]
VISITS = [date(2019, 3, 1) + timedelta(days=5 * i % 300) for i in MANY]
WAYS = {
    "date": lambda day: day,
    "moment": lambda day: datetime(day.year, day.month, day.day, 7, 30),
    "iso": lambda day: day.isoformat(),
    "german": lambda day: day.strftime("%d.%m.%Y"),
    "american": lambda day: f"{day.month}/{day.day}/{day.year}",
    "digits": lambda day: day.strftime("%Y%m%d"),
    "number": lambda day: int(day.strftime("%Y%m%d")),
}


@pytest.mark.parametrize("way", WAYS)
def test_days_over_a_lifetime_are_dates_of_birth(way):
    """Under a name that says nothing, and however they are written, days over decades are never released; years alone
    and the first of each year may be."""
    assert guess("v7", [WAYS[way](day) for day in BIRTHS]).role == "identifier"
    assert guess("v7", [WAYS[way](date(day.year, 1, 1)) for day in BIRTHS]).role != "identifier"
    assert guess("v7", [day.year for day in BIRTHS]).role != "identifier"


@pytest.mark.parametrize("way", WAYS)
def test_other_days_are_known_outside_and_never_averaged_as_digits(way):
    """Days of a year or two are quasi-identifiers; written as digits or text they are no quantities."""
    variable = guess("v7", [WAYS[way](day) for day in VISITS])
    assert variable.role == "quasi"
    assert (variable.kind == "numeric") == (way in ("date", "moment"))
    assert "outsiders may know when" in variable.reason


def test_days_without_a_full_year_are_not_decided():
    """22.05.62 may be a date of birth or of last month: a person has to say."""
    assert guess("v7", [day.strftime("%d.%m.%y") for day in VISITS[:20]] * 10).role == "undecided"


def test_quantities_are_not_taken_for_days():
    """Eight digits that are no days, or an amount that happens to look like one, stay numbers."""
    assert is_guessed("v7", [19_990_000 + 7 * i for i in MANY] * 2)[0] == "numeric"
    assert guess("turnover", [20_200_101 + i % 28 for i in MANY]).kind == "numeric"


@pytest.mark.parametrize(
    "name",
    [
        "dateofbirth", "bday", "birthdt", "BRTHDTC", "geb", "geb_dt", "DATN", "fechanac", "dt_nasc", "datanascita",
        "birth_dt", "DateOfBirth",
    ],
)  # fmt: skip
def test_dates_of_birth_by_name(name):
    """Abbreviations of registers are found, for days of any span and as digits."""
    assert guess(name, VISITS).role == "identifier"
    assert guess(name, [int(day.strftime("%Y%m%d")) for day in VISITS]).role == "identifier"


FULL_NAMES = [f"{first} {last}" for first in FIRST for last in LAST]


@pytest.mark.parametrize(
    "name", ["patient", "person", "client", "contact", "customer", "owner", "respondent", "doctor", "insured"]
)
def test_full_names_under_the_name_of_a_person(name):
    """Full names are never released, though they repeat; single words are not decided; a few categories are kept."""
    assert guess(name, FULL_NAMES * 3).role == "identifier"
    assert guess(name, [text.replace(" ", ", ").upper() for text in FULL_NAMES] * 3).role == "identifier"
    assert guess(name, [f"{a}{b.lower()}" for a in FIRST for b in LAST] * 3).role == "undecided"
    assert guess(name, ["Walk In", "By Phone", "By Mail"] * 60).role not in ("identifier", "undecided")


def test_full_names_under_any_name():
    """Capitalised words that mostly differ are names; where many repeat a person decides; towns, occupations and a few
    categories are what their column says."""
    assert guess("v7", FULL_NAMES).role == "identifier"
    assert guess("v7", FULL_NAMES * 4).role == "undecided"
    assert guess("city", FULL_NAMES * 4).role == "quasi"
    assert guess("occupation", FULL_NAMES * 4).role == "quasi"
    assert guess("v7", ["Never Married", "Now Married", "Living Apart"] * 30).role == "quasi"
    assert guess("v7", [f"low {a.lower()} pain {b.lower()}" for a in FIRST for b in LAST] * 4).role == "quasi"


@pytest.mark.parametrize("name", ["lat", "lon", "x_coord", "YCOORD", "gps_lat", "easting"])
def test_exact_coordinates_are_an_address(name):
    """Degrees to a house and metres on a grid are never released; degrees to a tenth tell a region."""
    assert guess(name, [47.12345 + 0.0137 * i for i in MANY]).role == "identifier"
    assert guess(name, [412_345 + 17 * i for i in MANY]).role == "identifier"
    assert is_guessed(name, [round(40 + 0.1 * i, 1) for i in MANY]) == ("numeric", "quasi")


# -- direct identifiers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "name", "Surname", "first_name", "LastName", "vorname", "apellidos", "Prénom", "e-mail", "E_Mail", "phone2",
        "telefon", "mobile", "ssn", "NHS_number", "passport_no", "national_id", "iban", "card_number",
        "license_plate", "home_address", "calle", "ip", "mrn", "UTILNAME", "patient_name", "company_name", "DNI",
    ],
)  # fmt: skip
def test_direct_identifiers_by_name(name):
    """The hints of several languages are found whatever the values look like."""
    assert guess(name, ["Xa", "Xb", "Xc", "Xd"] * 5).role == "identifier"


@pytest.mark.parametrize(
    "name",
    [
        "filename", "number", "hospital_name", "phone_type", "address_city", "num_names", "brand_name", "Renamed",
        "classname", "enamel", "hotel", "skip", "tellers", "covid", "country_name", "username_length",
    ],
)  # fmt: skip
def test_names_that_only_sound_like_direct_identifiers(name):
    """A property of an identifier, the name of a thing, or a word that contains one is kept."""
    assert guess(name, ["Xa", "Xb", "Xc", "Xd"] * 5).role != "identifier"


def test_a_flag_about_an_identifier_is_no_identifier():
    """Whether somebody has a telephone does not say which one."""
    assert guess("phone", ["yes", "no"] * 10).role == "quasi"
    assert guess("email", [0, 1] * 10).role == "quasi"
    assert guess("mobile", [True, False] * 10).role == "quasi"


def _card(number: int) -> str:
    return next(text for digit in range(10) if patterns.is_card(text := f"4111{number:011d}{digit}"))


def _iban(number: int) -> str:
    check = 98 - int(f"{number:018d}131400") % 97
    return f"DE{check:02d}{number:018d}"


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([f"p{i}@mail{i % 3}.org" for i in range(30)], "e-mail"),
        ([_iban(3 * i) for i in range(30)], "IBAN"),
        ([_card(17 * i) for i in range(30)], "payment card"),
        ([int(_card(17 * i)) for i in range(30)], "payment card"),
        ([f"{100 + i}-45-{6789 - i}" for i in range(30)], "social security"),
        ([f"10.0.{i}.{i + 7}" for i in range(30)], "internet"),
        ([f"(0171) 555 {1000 + i}" for i in range(30)], "telephone"),
        ([f"+44 20 7946 0{100 + i}" for i in range(30)], "telephone"),
        ([f"https://example.org/people/{i}" for i in range(30)], "web"),
        ([f"{i} Elm Street" for i in range(1, 31)], "street"),
        ([f"Lindenstraße {i}" for i in range(1, 31)], "street"),
    ],
)
def test_direct_identifiers_by_content(cells, words):
    """Values speak for themselves under a name that says nothing, also with a third of them missing."""
    variable = guess("v", [*cells, *[None] * 15])
    assert variable.role == "identifier"
    assert words in variable.reason


def test_wrong_check_digits_are_no_cards():
    """Long digit strings that fail the checksum are not called card numbers (one in ten passes by chance)."""
    cells = [str(int(_card(17 * i)) // 10) + str((int(_card(17 * i)) + 3) % 10) for i in range(30)]
    assert "card" not in guess("v", cells).reason


def test_a_few_addresses_in_a_column_are_reported():
    """One e-mail address among remarks does not pass as a category."""
    variable = guess("remark", ["fine", "none", "late"] * 30 + ["a.b@c.org"])
    assert variable.role == "undecided"
    assert "e-mail" in variable.reason


def test_a_certain_pattern_is_not_hidden_by_a_commoner_one():
    """E-mail addresses in every fourth record count, though more records look like telephone numbers."""
    cells = (
        [f"p{i}@mail.org" for i in range(8)]
        + [f"(0171) 555 {1000 + i}" for i in range(12)]
        + ["by post"] * 12
    )
    variable = guess("v", cells)
    assert variable.role == "identifier"
    assert "e-mail" in variable.reason


def test_identifying_beats_everything_else():
    """A constant or a well-ordered column of names is still a column of names."""
    assert guess("name", ["Xa"] * 20).role == "identifier"
    assert guess("surname", ["low", "medium", "high"] * 5).role == "identifier"


# -- the sampling design and columns without content --------------------------------------------------------------


def test_one_weight_the_best_named():
    """One column becomes the weight, other candidates are told why not."""
    frame = pl.DataFrame(
        {"weight": [1.5, 2.5], "household_weights": [2.0, 3.0], "sampling_weight": [9.0, 9.0]}
    )
    schema = Schema.infer(frame)
    assert [variable.role for variable in schema] == ["other", "other", "weight"]
    assert "better named" in schema["weight"].reason


def test_weights_of_bodies_are_no_sampling_weights():
    """Beside a height, in kilograms, in bands, or not positive: no sampling weight."""
    body = pl.DataFrame({"weight": [61.5, 80.0, 72.5], "height": [160, 180, 171]})
    assert Schema.infer(body)["weight"].role == "quasi"
    assert guess("weight", [61.5, 80.0, 72.5]).role == "weight"
    assert guess("birth_weight", [3.1, 2.9, 3.5]).role != "weight"
    assert guess("weight_kg", [61.5, 80.0, 72.5]).role != "weight"
    assert guess("weight", ["[0-50)", "[50-75)", "[75-100)"]).role != "weight"
    assert guess("weight", [-1.0, 2.0, 3.5]).role != "weight"


def test_columns_without_content():
    """Empty and constant columns are 'other'; one value or none is a tick box; nested values are undecided."""
    frame = pl.DataFrame(
        {"a": [None] * 4, "b": ["x"] * 4, "c": ["x", None, "x", None], "d": [[1], [2], [], [3]]}
    )
    schema = Schema.infer(frame)
    assert [variable.role for variable in schema] == ["other", "other", "quasi", "undecided"]
    assert [variable.reason.split(";")[0] for variable in schema][:2] == ["no value at all", "constant"]
    assert "flatten it or drop it" in schema["d"].reason


def test_mixed_objects_of_pandas():
    """Objects of one type are read as what they are, numbers beside '?' as numbers, anything else is undecided."""
    frame = pd.DataFrame(
        {
            "text": pd.Series(["a", "b", "a"], dtype=object),
            "money": pd.Series([Decimal("1.50"), Decimal("2.25"), None], dtype=object),
            "truth": pd.Series([True, None, False], dtype=object),
            "income": pd.Series([1500, "?", 2500], dtype=object),
            "mixed": pd.Series([1, "a", date(2020, 1, 1)], dtype=object),
            "lists": pd.Series([[1], [2], [3]], dtype=object),
        }
    )
    schema = Schema.infer(frame)
    assert [variable.kind for variable in schema][:4] == ["nominal", "numeric", "nominal", "numeric"]
    assert schema["income"].unknown == ("?",)
    assert schema["money"].decimals == 2
    assert [schema[name].role for name in ("mixed", "lists")] == ["undecided", "undecided"]


def test_declared_orders_are_kept():
    """An ordered categorical keeps its order in pandas and Arrow; one without order is nominal."""
    steps = pd.CategoricalDtype(["zeta", "alpha", "mu"], ordered=True)
    frame = pd.DataFrame({"v": pd.Series(["mu", "zeta", "alpha", "mu"], dtype=steps)})
    assert Schema.infer(frame)["v"].levels == ("zeta", "alpha", "mu")
    assert Schema.infer(pa.Table.from_pandas(frame))["v"].levels == ("zeta", "alpha", "mu")
    loose = frame.astype({"v": pd.CategoricalDtype(["zeta", "alpha", "mu"])})
    assert (Schema.infer(loose)["v"].kind, Schema.infer(loose)["v"].levels) == ("nominal", None)


def test_labels_of_statistics_packages():
    """Fully labelled columns are code lists or scales; labels for missing make missing codes of their values."""
    frame = pl.DataFrame(
        {"age": [31, 44, -9, 70, 52], "health": [1, 2, 3, 2, 8], "job": [4, 7, 4, 9, 7]},
    )
    labels = {
        "age": {-9.0: "Refused / don't know"},
        "health": {1.0: "Good", 2.0: "Fair", 3.0: "Bad", 8.0: "Not applicable"},
        "job": {4.0: "Clerk", 7.0: "Farmer", 9.0: "Other"},
    }
    schema = Schema.infer(frame, labels=labels)
    assert [variable.kind for variable in schema] == ["numeric", "ordinal", "nominal"]
    assert (schema["age"].unknown, schema["health"].not_applicable) == ((-9,), (8,))
    table, _ = encode(frame, schema)
    assert table["age"].missing.tolist() == [False, False, True, False, False]
    assert table["health"].levels == (1, 2, 3)


@pytest.mark.parametrize(
    "cells",
    [
        pl.Series([1, 2, 9, None]),
        pl.Series([1.0, 2.5, 9.0, None]),
        pl.Series(["1", "2", "9", None]),
        pd.Series([1, 2, 9, None], dtype=object),
        pd.Series([1.0, 2.0, 9.0, None]),
    ],
)
def test_labelled_missing_codes_are_found_in_every_type(cells):
    """A label such as 'refused' makes a missing code of its value, in whole numbers, floats, texts and objects alike."""
    frame = pl.DataFrame({"v": cells}) if isinstance(cells, pl.Series) else pd.DataFrame({"v": cells})
    for code in (9, 9.0):
        schema = Schema.infer(frame, labels={"v": {code: "refused"}})
        assert schema["v"].unknown == (9,)
        table, _ = encode(frame, schema)
        assert table["v"].missing.tolist() == [False, False, True, True]


@pytest.mark.parametrize(
    "cells",
    [[1], ["x"], [None], [1.5, None], [True], [""], [float("inf")] * 3, [float("nan")] * 2, ["?", "NA"]],
)
def test_tiny_and_odd_columns_have_an_answer(cells):
    """One record, nothing, blanks and infinities are guessed without an error and with a reason."""
    assert guess("v", cells).reason


@pytest.mark.parametrize("name", ["v", "zip", "grade", "sex", "flag", "diag_1"])
@pytest.mark.parametrize("library", [pl.Series, pd.Series])
def test_infinite_numbers_are_no_category(name, library):
    """Whatever the name says, a column with an infinite number is numeric, so that no method takes it; declared as
    categories all the same, it is refused when read."""
    cells = library([1.0, float("inf"), 1.0, 1.0])
    frame = pl.DataFrame({name: cells}) if library is pl.Series else pd.DataFrame({name: cells})
    variable = Schema.infer(frame)[name]
    assert (variable.kind, "infinite numbers" in variable.reason) == ("numeric", True)
    for kind in ("nominal", "ordinal"):
        with pytest.raises(UnsuitableError, match=f"Column '{name}' holds infinite numbers"):
            encode(frame, Schema((Variable(name=name, kind=kind, role="quasi"),)))
    declared = Schema((Variable(name=name, kind="nominal", role="quasi", unknown=(float("inf"),)),))
    assert encode(frame, declared)[0][name].missing.tolist() == [False, True, False, False]


def test_a_weight_of_zeros_is_said():
    """A column named as a weight that holds zeros alone is not silently a constant."""
    variable = guess("weight", [0] * 20)
    assert variable.role == "other"
    assert "every number is zero" in variable.reason
    assert guess("constant", [0] * 20).reason == "constant"


def test_columns_of_missing_codes_alone():
    """Where labels or infinities leave no value at all, a name that asks for a date of birth finds none."""
    frame = pl.DataFrame({"dob": [-9, -9, -8], "birth_date": [float("inf")] * 3, "weight": [-9, -9, -8]})
    labels = {name: {-9.0: "refused", -8.0: "unknown"} for name in ("dob", "weight")}
    roles = [variable.role for variable in Schema.infer(frame, labels=labels)]
    assert roles[0] == "other"
    assert roles[2] == "other"


def test_unsuited_types_are_undecided():
    """Durations, times, bytes and records inside cells are no plain columns, in polars and in Arrow."""
    frame = pl.DataFrame(
        {
            "a": [timedelta(hours=i) for i in range(3)],
            "b": [b"x", b"y", None],
            "c": [{"u": 1}, {"u": 2}, None],
        }
    )
    for data in (frame, frame.to_arrow()):
        assert {variable.role for variable in Schema.infer(data)} == {"undecided"}


def test_no_column_and_no_record_are_refused():
    """Empty tables are refused as everywhere else."""
    with pytest.raises(InputError):
        Schema.infer(pl.DataFrame({"v": []}))


# -- real tables -------------------------------------------------------------------------------------------------------

EXPECTED = {
    "hospital.csv.gz": """encounter_id nominal identifier | patient_nbr nominal identifier | race nominal quasi
        gender nominal quasi | age ordinal quasi | weight ordinal quasi | admission_type_id nominal quasi
        discharge_disposition_id nominal quasi | admission_source_id nominal quasi | time_in_hospital numeric quasi
        payer_code nominal quasi | num_lab_procedures numeric confidential | number_inpatient numeric confidential
        diag_1 nominal confidential | diag_2 nominal confidential | diag_3 nominal confidential
        num_procedures numeric confidential | examide nominal other | citoglipton nominal other
        metformin nominal quasi | A1Cresult nominal confidential""",
    "adult.csv.gz": """age numeric quasi | workclass nominal quasi | fnlwgt numeric weight | education nominal quasi
        education_num ordinal quasi | marital_status nominal quasi | occupation nominal quasi | sex nominal quasi
        capital_gain numeric confidential | hours_per_week numeric confidential | native_country nominal quasi
        income nominal confidential""",
    "eia.csv": """UTILITYID nominal identifier | UTILNAME nominal identifier | STATE nominal quasi
        YEAR nominal other | MONTH ordinal quasi | RESREVENUE numeric confidential | INDSALES numeric confidential
        TOTREVENUE numeric confidential | TOTSALES numeric confidential""",
    "free1.csv": """REGION nominal quasi | SEX nominal quasi | AGE numeric quasi | MARSTAT nominal quasi
        KINDPERS nominal quasi | NUMYOUNG numeric quasi | AGEYOUNG numeric quasi | EDUC1 ordinal quasi
        EDUC2 ordinal quasi | ETNI nominal quasi | COMPCODE nominal quasi | OCCUCODE nominal quasi
        KINDFACT nominal quasi | WEIGHT numeric weight | INCOME numeric confidential | MONEY numeric confidential
        ASSETS numeric confidential | DEBTS numeric confidential""",
    "testdata.csv": """urbrur nominal quasi | roof nominal quasi | relat nominal quasi | sex nominal quasi
        age numeric quasi | hhcivil nominal quasi | expend numeric confidential | income numeric confidential
        savings numeric confidential | ori_hid nominal cluster | sampling_weight numeric weight
        household_weights numeric other""",
    "thyroid.csv": """age numeric quasi | sex nominal quasi | sick nominal confidential | TSH numeric confidential
        T3 numeric confidential | TT4 numeric confidential | T4U numeric confidential | FTI numeric confidential
        TBG nominal other | TBG_measured nominal other | referral_source nominal quasi""",
    "pima.csv": "pregnant numeric confidential | mass numeric confidential | age numeric quasi "
    "| diabetes nominal confidential",
    "medicare.csv": """visits numeric confidential | emergency numeric confidential | hospital numeric quasi
        health ordinal confidential | chronic numeric confidential | age numeric quasi | school numeric quasi
        income numeric confidential | married nominal quasi | insurance nominal quasi | medicaid nominal quasi""",
    "neoplasm_nhds.csv": """age numeric quasi | sex nominal quasi | care_days numeric confidential
        weighting numeric weight | payor_primary nominal quasi | adm_type nominal quasi | region nominal quasi
        diag_1 nominal confidential""",
    "sd2011.csv": """sex nominal quasi | age numeric quasi | agegr ordinal quasi | placesize nominal quasi
        edu nominal quasi | unempdur numeric confidential | income numeric confidential | ymarr numeric quasi
        ls ordinal quasi | depress numeric confidential | englang ordinal quasi | height numeric quasi
        weight numeric quasi | bmi numeric confidential""",
    "census.csv": """AFNLWGT numeric weight | AGI numeric confidential | EMCONTRB numeric confidential
        FEDTAX numeric confidential | PTOTVAL numeric confidential | STATETAX numeric confidential
        FICA numeric confidential | ERNVAL numeric confidential""",
    "tarragona.csv": """FIXED.ASSETS numeric confidential | PAID.UP.CAPITAL numeric confidential
        SALES numeric confidential | NET.PROFIT numeric confidential""",
}


def _expected(name: str) -> dict[str, tuple[str, str]]:
    entries = (entry.split() for line in EXPECTED[name].splitlines() for entry in line.split("|"))
    return {column: (kind, role) for column, kind, role in (entry for entry in entries if entry)}


@pytest.fixture(scope="module")
def guessed(real_table):
    """guessed(name) -> a real table and its guessed schema, made once."""
    return cache(lambda name: (frame := real_table(name), Schema.infer(frame)))


@pytest.mark.data
@pytest.mark.parametrize("name", EXPECTED)
def test_real_tables(guessed, name):
    """Columns of public tables get the kind and role that their documentation gives them."""
    _, schema = guessed(name)
    expected = _expected(name)
    assert {column: (schema[column].kind, schema[column].role) for column in expected} == expected


@pytest.mark.data
@pytest.mark.parametrize("name", EXPECTED)
def test_guesses_fit_their_data(guessed, name):
    """A guessed schema reads the table it was guessed from, survives TOML, and says why for every column."""
    frame, schema = guessed(name)
    table, _ = encode(frame, schema)
    assert len(table.columns) == len(schema.names) - len(schema.of_role("identifier", "cluster"))
    assert Schema.from_toml(schema.to_toml()) == schema
    assert all(variable.reason for variable in schema)


@pytest.mark.data
def test_missing_codes_of_a_real_survey_are_noticed(guessed):
    """-8 of Social Diagnosis 2011 is named for exactly the columns whose documentation names it."""
    _, schema = guessed("sd2011.csv")
    noticed = {variable.name for variable in schema if "missing code (-8)" in variable.reason}
    assert noticed == {"unempdur", "income", "nofriend", "nociga", "wkabdur"}


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["eia.csv", "sd2011.csv", "thyroid.csv", "neoplasm_nhds.csv", "testdata.csv"]
)
def test_libraries_agree_on_real_tables(real_table, name):
    """polars, pandas and Arrow give the same schema, word for word."""
    frame = real_table(name)
    schemas = [Schema.infer(data) for data in (frame, frame.to_pandas(), frame.to_arrow())]
    assert str(schemas[0]) == str(schemas[1]) == str(schemas[2])


# -- properties --------------------------------------------------------------------------------------------------------


def test_libraries_agree_on_awkward_columns():
    """Nulls, dates, truth values, categories and words for missing make no difference between libraries."""
    frame = pl.DataFrame(
        {
            "whole": [1, None, 3, 40],
            "half": [0.5, None, 1.5, 2.5],
            "day": [date(2020, 5, 17), None, date(2021, 2, 3), date(2021, 2, 4)],
            "truth": [True, None, False, True],
            "cat": pl.Series(["u", "v", None, "u"], dtype=pl.Categorical),
            "text": ["1", "?", "3", None],
            "none": pl.Series([None] * 4, dtype=pl.String),
        }
    )
    schemas = [Schema.infer(data) for data in (frame, frame.to_pandas(), frame.to_arrow())]
    assert [(v.kind, v.role) for v in schemas[0]] == [(v.kind, v.role) for v in schemas[2]]
    assert [(v.kind, v.role) for v in schemas[0]] == [(v.kind, v.role) for v in schemas[1]]


MARKED = st.text(alphabet="ZQXJKV#§~7", min_size=4, max_size=9).map(lambda text: f"Z{text}Q")
CELLS = st.one_of(
    st.lists(MARKED, min_size=1, max_size=60),
    st.lists(st.integers(7_310_000, 7_319_999), min_size=1, max_size=60),
    st.lists(st.floats(7.31e6, 7.32e6, allow_nan=False), min_size=1, max_size=60),
    st.lists(MARKED.map(lambda text: f"{text}@{text}.org"), min_size=1, max_size=60),
    st.lists(st.integers(731, 739).map(lambda n: f"{n}-{n + 9000}"), min_size=3, max_size=60),
)
NAMES = st.sampled_from(
    ["v", "name", "zip", "age", "income", "diag", "weight", "hid", "score", "birth_date", "email"]
)


@given(name=NAMES, cells=CELLS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_cell_value_is_in_a_reason(name, cells):
    """Whatever the cells are, the reason is made of other words."""
    reason = guess(name, cells).reason
    assert not [cell for cell in cells if str(cell) in reason]
    assert "731" not in reason


@given(name=st.text(string.printable, min_size=1, max_size=12), cells=CELLS)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_name_has_an_answer(name, cells):
    """No name, however odd, stops the guess; a guess for records that are read back fits them."""
    frame = pl.DataFrame({name: cells})
    schema = Schema.infer(frame)
    if schema[name].role != "undecided":
        encode(frame, schema)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_order_of_records_does_not_matter(seed):
    """Shuffling the records changes nothing that is guessed."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "v": rng.integers(0, 15, 80),
            "w": rng.choice(["[0-10)", "[10-20)", "[20-30)"], 80).tolist(),
            "x": rng.choice(["3", "8", "?"], 80).tolist(),
            "y": rng.normal(size=80).round(2),
        }
    )
    shuffled = frame[rng.permutation(80).tolist()]
    assert str(Schema.infer(frame)) == str(Schema.infer(shuffled))


def test_input_is_not_changed():
    """Looking at a dataframe leaves it as it was."""
    frame = pd.DataFrame({"income": ["1", "?", "3"], "age": [1.0, np.nan, 3.0]})
    before = frame.copy(deep=True)
    Schema.infer(frame)
    pd.testing.assert_frame_equal(frame, before)


# -- hints and patterns ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["wage", "paged", "stage", "language", "mileage", "marriage"])
def test_hints_are_whole_tokens(name):
    """A hint inside another word is no hint."""
    assert hints.tendency_of(name) is None or hints.tendency_of(name)[1] != "age"


@pytest.mark.parametrize(
    "text", ["12:30", "1.2", "10-19", "2020-01-31", "140-239", "250.83", "A12.3", "x@y", "1 of 2"]
)
def test_ordinary_values_are_no_direct_identifiers(text):
    """Times, decimals, bands, dates and codes are not taken for addresses, telephones or numbers of persons."""
    assert not any(pattern.holds(text) for pattern in patterns.DIRECT_PATTERNS)


@given(st.integers(0, 10**11 - 1), st.integers(0, 14), st.integers(1, 9))
def test_one_wrong_digit_is_no_card(number, place, shift):
    """The check digit notices every single wrong digit."""
    card = _card(number)
    wrong = card[:place] + str((int(card[place]) + shift) % 10) + card[place + 1 :]
    assert patterns.is_card(card)
    assert not patterns.is_card(wrong)
