"""Opening files: what statistics packages declare missing is missing, never a quantity."""

from __future__ import annotations

import warnings
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

from discreet.errors import DiscreetWarning
from discreet.table.files.format import Annotation, FileFormat
from discreet.table.files.writing import write_file
from discreet.table.load import open_data
from discreet.table.schema import Schema, Variable

pyreadstat = pytest.importorskip("pyreadstat")


def guessed(path: Path) -> Schema:
    opened = open_data(path)
    return Schema.infer(opened.frame, text_of=opened.text_of, labels=opened.labels)


def codes_of(variable: Variable) -> tuple[tuple[object, ...], tuple[object, ...]]:
    return variable.unknown, variable.not_applicable


def test_missing_values_that_spss_declares_are_missing_codes(tmp_path: Path) -> None:
    """Single values are declared whether they occur or not, ranges by the values that occur, texts too."""
    notes = {
        "age": Annotation(missing=((-9.0, -7.0), (99.0, 99.0))),
        "income": Annotation(missing=((-3.4e38, 0.0),), value_labels=((-1.0, "not applicable"),)),
        "town": Annotation(missing=(("zz", "zz"),)),
    }
    frame = pl.DataFrame(
        {
            "age": [-9.0, -8.5, 20.0, 31.0, 42.0, 55.0],
            "income": [-1.0, -2.0, 0.0, 1500.5, 900.25, None],
            "town": ["a", "b", "zz", "a", "b", "a"],
        }
    )
    write_file(frame, tmp_path / "t.sav", FileFormat("sav", annotations=notes))
    schema = guessed(tmp_path / "t.sav")
    assert codes_of(schema["age"]) == ((99, -9, -8.5), ())
    assert codes_of(schema["income"]) == ((-2, 0), (-1,))
    assert codes_of(schema["town"]) == (("zz",), ())
    assert all("what the file says" in variable.reason for variable in schema)
    assert schema["age"].kind == "numeric"


def test_a_label_that_is_no_word_for_missing_does_not_undo_a_declaration(tmp_path: Path) -> None:
    """A value declared missing is missing whatever it is called; the other labels make a code list as before."""
    note = Annotation(
        missing=((3.0, 3.0),), value_labels=((1.0, "red"), (2.0, "blue"), (3.0, "see page two"))
    )
    write_file(
        pl.DataFrame({"q": [1, 2, 3, 1]}), tmp_path / "t.sav", FileFormat("sav", annotations={"q": note})
    )
    assert codes_of(guessed(tmp_path / "t.sav")["q"]) == ((3,), ())
    assert "labels every value" in guessed(tmp_path / "t.sav")["q"].reason


def test_tags_of_stata_are_missing_codes_of_a_numeric_column(tmp_path: Path) -> None:
    """Numbers beside tags are numbers; each tag is a code, apart by what its label says."""
    people = pd.DataFrame({"age": [20.0, "a", 31.0, "b", None, 44.0]}, dtype=object)
    labels = {"age": {"a": "not applicable", "b": "see page two"}}
    pyreadstat.write_dta(
        people, str(tmp_path / "t.dta"), missing_user_values={"age": ["a", "b"]}, variable_value_labels=labels
    )
    age = guessed(tmp_path / "t.dta")["age"]
    assert (age.kind, age.decimals, *codes_of(age)) == ("numeric", 0, (".b",), (".a",))


def test_what_reading_noticed_of_a_file_is_a_warning(tmp_path: Path) -> None:
    """A file that is not the UTF-8 it seemed is read, and whoever uses it is told; a caller who shows it is not."""
    path = tmp_path / "t.csv"
    path.write_bytes("age,town\n31,K\xf6ln\n".encode("latin-1"))
    with pytest.warns(DiscreetWarning, match=r"File 't\.csv': The text is not UTF-8"):
        open_data(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert open_data(path, warn=False).source.remarks
        open_data(path, encoding="latin-1")
