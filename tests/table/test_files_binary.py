"""Parquet, Arrow, Excel and the files of statistics packages: round trips, metadata, faults, same bytes."""

from __future__ import annotations

import builtins
import math
import sys
import time
from datetime import date, datetime
from pathlib import Path

import pandas as pd
import polars as pl
import pyreadstat
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from discreet.errors import FileError, ParameterError
from discreet.table.files.format import Annotation, FileFormat, kind_of
from discreet.table.files.reading import read_file
from discreet.table.files.writing import flavour_for, write_file

FRAME = pl.DataFrame(
    {
        "n": [1, None, 3],
        "x": [0.1, -2.5, None],
        "s": ["01234", None, "é,\"'\n"],
        "d": [date(2020, 2, 29), None, date(1930, 1, 1)],
        "t": [datetime(2020, 1, 1, 12, 30, 15, 250_000), None, datetime(1999, 12, 31)],
    }
)
BINARY = ["parquet", "arrow", "feather", "xlsx", "sav", "zsav", "dta", "xpt"]
SLOW_FIXTURE = [HealthCheck.function_scoped_fixture]


@pytest.mark.parametrize("ending", BINARY)
def test_the_usual_types_survive(tmp_path: Path, ending: str) -> None:
    """Integers, numbers, texts, dates and times with gaps come back; SPSS, Stata and SAS make integers numbers."""
    path = tmp_path / f"t.{ending}"
    write_file(FRAME, path)
    source = read_file(path)
    assert source.frame.cast({"n": pl.Int64}).equals(FRAME)
    assert source.n_bytes == path.stat().st_size
    assert source.as_text("n").to_list() == ["1", None, "3"]


def test_the_same_frame_is_the_same_bytes(tmp_path: Path) -> None:
    """No file contains the time of writing: writing again a second later gives the same bytes."""
    endings = [*BINARY, "csv", "csv.gz"]
    for ending in endings:
        write_file(FRAME, tmp_path / f"a.{ending}")
    time.sleep(1.05)
    for ending in endings:
        write_file(FRAME, tmp_path / f"b.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes(), ending


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14])
def test_stata_releases_are_kept_and_timeless(tmp_path: Path, version: int) -> None:
    """A Stata file is written in the release it was read in, without the year of writing in its header."""
    write_file(FRAME.select("x"), tmp_path / "t.dta", FileFormat("dta", version=version))
    source = read_file(tmp_path / "t.dta")
    assert source.format.version == version
    header = (tmp_path / "t.dta").read_bytes()[:300]
    assert b"01 Jan 1980 00:00" in header
    assert str(datetime.now().year).encode() not in header


def test_headers_hold_no_time_of_writing(tmp_path: Path) -> None:
    """The dates in SPSS and SAS headers are fixed ones."""
    year = datetime.now().year
    for ending, stamp in (("sav", b"01 Jan 8000:00:00"), ("xpt", b"01JAN80:00:00:00")):
        write_file(FRAME, tmp_path / f"t.{ending}")
        header = (tmp_path / f"t.{ending}").read_bytes()[:700]
        assert stamp in header
        assert f"{datetime.now():%b} {year % 100}".encode() not in header[80:120]


CELLS = {
    "i": st.integers(-(2**63), 2**63 - 1),
    "x": st.floats(allow_nan=False),
    "s": st.text(st.characters(codec="utf-8"), max_size=8),
    "d": st.dates(),
    "t": st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1)),
    "b": st.booleans(),
}
TYPES = {
    "i": pl.Int64,
    "x": pl.Float64,
    "s": pl.String,
    "d": pl.Date,
    "t": pl.Datetime("us"),
    "b": pl.Boolean,
}


def frames(**cells: st.SearchStrategy) -> st.SearchStrategy[pl.DataFrame]:
    """Frames of one to six records with missing cells."""
    record = st.fixed_dictionaries({name: st.none() | strategy for name, strategy in cells.items()})
    schema = {name: TYPES[name] for name in cells}
    return st.lists(record, min_size=1, max_size=6).map(lambda rows: pl.DataFrame(rows, schema=schema))


@settings(max_examples=30, deadline=None, suppress_health_check=SLOW_FIXTURE)
@given(frame=frames(**CELLS), ending=st.sampled_from(["parquet", "arrow"]))
def test_columnar_files_lose_nothing(tmp_path: Path, frame: pl.DataFrame, ending: str) -> None:
    """Any frame of plain columns comes back identical, types included."""
    write_file(frame, tmp_path / f"t.{ending}", force=True)
    assert read_file(tmp_path / f"t.{ending}").frame.equals(frame)


PACKAGE_CELLS = {
    "i": st.integers(-(2**53), 2**53),
    "x": st.floats(-1e70, 1e70).filter(lambda x: x == 0 or abs(x) > 1e-70),
    "s": st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8),
    "d": st.dates(date(1700, 1, 1), date(2200, 1, 1)),
    "t": CELLS["t"].map(lambda t: t.replace(microsecond=t.microsecond // 1000 * 1000)),
}


@settings(max_examples=40, deadline=None, suppress_health_check=SLOW_FIXTURE)
@given(frame=frames(**PACKAGE_CELLS), ending=st.sampled_from(["sav", "zsav", "dta", "xpt"]))
def test_packages_keep_what_they_can_hold(tmp_path: Path, frame: pl.DataFrame, ending: str) -> None:
    """Numbers within their range, texts, dates and milliseconds come back exactly."""
    write_file(frame, tmp_path / f"t.{ending}", force=True)
    back = read_file(tmp_path / f"t.{ending}").frame
    assert back.cast({"i": pl.Int64, "d": pl.Date, "t": pl.Datetime("us"), "s": pl.String}).equals(frame)


EXCEL_CELLS = {
    "i": st.integers(-(10**15), 10**15),
    "s": st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8),
    "d": st.dates(date(1900, 3, 1), date(2200, 1, 1)),
    "b": st.booleans(),
}


@settings(max_examples=25, deadline=None, suppress_health_check=SLOW_FIXTURE)
@given(frame=frames(**EXCEL_CELLS))
def test_excel_keeps_what_it_can_hold(tmp_path: Path, frame: pl.DataFrame) -> None:
    """Integers of 15 digits, texts (also such as look like formulas), dates and truth values come back."""
    frame = frame.with_columns(k=pl.lit(1, pl.Int64))
    assume(all(frame[name].null_count() < frame.height for name in frame.columns))
    write_file(frame, tmp_path / "t.xlsx", force=True)
    assert read_file(tmp_path / "t.xlsx").frame.equals(frame)


def test_excel_keeps_codes_and_sixteen_digits(tmp_path: Path) -> None:
    """Leading zeros, formulas and links stay texts; floats come back to sixteen digits."""
    frame = pl.DataFrame({"c": ["007", "=1+1", "http://a.b", "1e5"], "x": [0.1 + 0.2, 1e300, -1e-300, 1 / 3]})
    write_file(frame, tmp_path / "t.xlsx")
    back = read_file(tmp_path / "t.xlsx").frame
    assert back["c"].to_list() == frame["c"].to_list()
    assert all(math.isclose(a, b, rel_tol=1e-15) for a, b in zip(back["x"], frame["x"], strict=True))


def test_excel_tells_of_other_sheets_and_faults(tmp_path: Path) -> None:
    """Only the first sheet is read, with a remark; empty sheets, bad headers and damaged files are refused."""
    import xlsxwriter

    def book(*rows: list[str], sheets: int = 1) -> Path:
        with xlsxwriter.Workbook(tmp_path / "b.xlsx") as workbook:
            for number in range(sheets):
                sheet = workbook.add_worksheet()
                for line, cells in enumerate(rows if number == 0 else ()):
                    sheet.write_row(line, 0, cells)
        return tmp_path / "b.xlsx"

    source = read_file(book(["a", "b"], ["1", "x"], sheets=2))
    assert "2 sheets" in source.remarks[0]
    assert source.frame.rows() == [("1", "x")]
    with pytest.raises(FileError, match="no records"):
        read_file(book(["a", "b"]))
    with pytest.raises(FileError, match="'a' stands more than once"):
        read_file(book(["a", "a"], ["1", "2"]))
    with pytest.raises(FileError, match="column 2 has no name"):
        read_file(book(["a", "", "c"], ["1", "2", "3"]))
    (tmp_path / "c.xlsx").write_bytes(b"PK\x03\x04 no")
    with pytest.raises(FileError, match="not a whole Excel workbook"):
        read_file(tmp_path / "c.xlsx")


SPSS = FileFormat(
    "sav",
    label="A survey",
    annotations={
        "age": Annotation(
            label="Age in years", missing=((98.0, 99.0),), number_format="F3.0", measure="scale"
        ),
        "sex": Annotation(
            label="Sex",
            value_labels=((1.0, "male"), (2.0, "female"), (9.0, "refused")),
            missing=((9.0, 9.0),),
            number_format="F1.0",
            measure="nominal",
        ),
        "code": Annotation(value_labels=(("a", "first"),), missing=(("zz", "zz"),), measure="nominal"),
        "born": Annotation(number_format="SDATE10"),
    },
)
SURVEY = pl.DataFrame(
    {
        "age": [41, 99, None],
        "sex": [1, 2, 9],
        "code": ["a", "zz", None],
        "born": [date(1980, 1, 1), None, date(1999, 9, 9)],
        "pay": [1.5, 2.25, None],
    }
)


def test_spss_labels_and_missing_ranges_survive(tmp_path: Path) -> None:
    """Labels, measures, formats and declared missing values are read, written and read again the same."""
    write_file(SURVEY, tmp_path / "t.sav", SPSS)
    first = read_file(tmp_path / "t.sav")
    assert first.frame.equals(SURVEY)  # missing codes stay values: the schema gives them their meaning
    assert first.format.label == "A survey"
    age, sex, code = (first.format.annotations[name] for name in ("age", "sex", "code"))
    assert (age.label, age.missing, age.number_format, age.measure) == (
        "Age in years",
        ((98.0, 99.0),),
        "F3.0",
        "scale",
    )
    assert sex.value_labels == ((1.0, "male"), (2.0, "female"), (9.0, "refused"))
    assert sex.missing == ((9.0, 9.0),)
    assert (code.value_labels, code.missing) == ((("a", "first"),), (("zz", "zz"),))
    assert first.format.annotations["born"].number_format == "SDATE10"
    write_file(first.frame, tmp_path / "u.sav", first.format)
    assert (tmp_path / "u.sav").read_bytes() == (tmp_path / "t.sav").read_bytes()


TAGGED = FileFormat(
    "dta",
    annotations={
        "q": Annotation(
            label="Question",
            value_labels=((1.0, "yes"), ("a", "refused")),
            letters=("a", "z"),
            storage="double",
        )
    },
)


def test_stata_tags_survive(tmp_path: Path) -> None:
    """Tagged missing values are cells like any other, and tagged missing values again when written, with labels."""
    frame = pl.DataFrame({"q": ["1", ".a", None, ".z", "2.5"], "k": [1, 2, 3, 4, 5]})
    write_file(frame, tmp_path / "t.dta", TAGGED)
    raw, _ = pyreadstat.read_dta(str(tmp_path / "t.dta"), user_missing=True)
    assert [cell for cell in raw["q"] if cell == cell] == [1.0, "a", "z", 2.5]
    source = read_file(tmp_path / "t.dta")
    assert source.frame.equals(frame)
    note = source.format.annotations["q"]
    assert (note.label, dict(note.value_labels), note.letters) == (
        "Question",
        {1: "yes", "a": "refused"},
        ("a", "z"),
    )
    write_file(source.frame, tmp_path / "u.dta", source.format)
    assert (tmp_path / "u.dta").read_bytes() == (tmp_path / "t.dta").read_bytes()


def test_a_column_that_had_tags_and_became_something_else_is_written(tmp_path: Path) -> None:
    """Without tags the column is plain numbers, in SPSS empty cells stand for tags, and bands of numbers stay text."""
    for cells, ending, expected in (
        (["1", "3"], "dta", [1.0, 3.0]),
        (["1", ".a"], "sav", [1.0, None]),
        (["[1-3)", ".a"], "dta", ["[1-3)", ".a"]),
    ):
        write_file(pl.DataFrame({"q": cells}), tmp_path / f"t.{ending}", TAGGED, force=True)
        assert read_file(tmp_path / f"t.{ending}").frame["q"].to_list() == expected


def test_tags_beside_dates_become_empty_cells_with_a_remark(tmp_path: Path) -> None:
    """Where the package for reading knows no tags, the dates are still read, and what was lost is said."""
    dates = pd.DataFrame({"d": [date(2020, 1, 1), "a", None]}, dtype=object)
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(dates, str(path), missing_user_values={"d": ["a"]}, variable_format={"d": "%td"})
    source = read_file(path)
    assert source.frame["d"].to_list() == [date(2020, 1, 1), None, None]
    assert "tags were read as empty" in source.remarks[0]


def test_labels_cross_from_spss_to_stata(tmp_path: Path) -> None:
    """Another ending keeps the labels that have a meaning there."""
    write_file(SURVEY.select("age", "sex"), tmp_path / "t.dta", SPSS)
    note = read_file(tmp_path / "t.dta").format.annotations["sex"]
    assert note.label == "Sex"
    assert dict(note.value_labels)[2] == "female"
    write_file(SURVEY, tmp_path / "t.csv", SPSS)
    assert (tmp_path / "t.csv").read_text().startswith("age,sex,code,born,pay\n41,1,a,1980-01-01,1.5\n")
    write_file(SURVEY.select("age", "sex"), tmp_path / "t.xpt", SPSS)
    assert read_file(tmp_path / "t.xpt").format.annotations["age"].label == "Age in years"


@pytest.mark.parametrize(
    ("frame", "ending", "message"),
    [
        (pl.DataFrame({"a": [2**53 + 1]}), "sav", "integers are larger.*'a'"),
        (pl.DataFrame({"a": [10**15 + 1]}), "xlsx", "15 digits.*'a'"),
        (pl.DataFrame({"a": [math.inf]}), "dta", "infinite.*'a'"),
        (pl.DataFrame({"a": [math.nan]}), "xlsx", "not a number.*'a'"),
        (pl.DataFrame({"a": [1e80]}), "xpt", "range.*'a'"),
        (pl.DataFrame({"a": ["x" * 3000]}), "dta", "longer.*'a'"),
        (pl.DataFrame({"a b": [1]}), "sav", "'a b'"),
        (pl.DataFrame({"a" * 33: [1]}), "dta", "rules"),
        (pl.DataFrame({"a": [1], "A": [2]}), "sav", "upper and lower"),
        (pl.DataFrame({"a": [[1]]}), "sav", "no such type.*'a'"),
        (pl.DataFrame({"a": [[1]]}), "parquet", "lists.*'a'"),
        (pl.DataFrame({"a": [[1]]}), "xlsx", "type.*'a'"),
        (pl.DataFrame({"a": [b"x"]}), "arrow", "bytes.*'a'"),
        (pl.DataFrame({"a": [datetime(2020, 1, 1, 0, 0, 0, 7)]}), "dta", "finer.*'a'"),
        (pl.DataFrame({"a": [date(1900, 1, 1)]}), "xlsx", "dates.*'a'"),
        (pl.DataFrame({"a": [1]}), "sas7bdat", "not written.*xpt"),
        (pl.DataFrame({"": [1]}), "parquet", "column 1 has no name"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(
    tmp_path: Path, frame: pl.DataFrame, ending: str, message: str
) -> None:
    """Nothing is changed in silence: the column is named, and nothing is left behind."""
    with pytest.raises(FileError, match=message):
        write_file(frame, tmp_path / f"t.{ending}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", BINARY + ["sas7bdat"])
def test_damaged_files_are_told(tmp_path: Path, ending: str) -> None:
    """Half a file, and a file of something else, get one error that names the kind."""
    path = tmp_path / f"t.{ending}"
    if ending != "sas7bdat":
        write_file(FRAME, path)
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(FileError, match="not a whole"):
            read_file(path)
    path.write_bytes(b"something else, SECRET " * 50)
    with pytest.raises(FileError, match="not a whole") as caught:
        read_file(path)
    assert "SECRET" not in str(caught.value)


def test_nested_parquet_columns_are_named(tmp_path: Path) -> None:
    """Lists and structures in cells are refused by column name."""
    pl.DataFrame({"ok": [1], "bad": [[1]], "worse": [{"a": 1}]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(FileError, match="'bad', 'worse'"):
        read_file(tmp_path / "t.parquet")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "sav", "dta"])
def test_files_without_records_are_refused(tmp_path: Path, ending: str) -> None:
    """Columns alone are no data."""
    write_file(FRAME.clear(), tmp_path / f"t.{ending}")
    with pytest.raises(FileError, match="no records"):
        read_file(tmp_path / f"t.{ending}")


@pytest.mark.parametrize(
    ("package", "ending", "extra"),
    [("pyreadstat", "sav", "stats-packages"), ("fastexcel", "xlsx", "excel")],
)
def test_missing_packages_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, ending: str, extra: str
) -> None:
    """Without the optional package the message says what to install."""
    write_file(FRAME, tmp_path / f"t.{ending}")
    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == package:
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(FileError, match=rf"{package}.*discreet\[{extra}\]"):
        read_file(tmp_path / f"t.{ending}")


@pytest.mark.parametrize("ending", BINARY)
def test_neither_pandas_nor_pyarrow_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    """All kinds are written and read where pandas and pyarrow are not installed."""
    for package in ("pandas", "pyarrow"):
        for module in [name for name in sys.modules if name.split(".")[0] == package]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, package, None)
    write_file(FRAME, tmp_path / f"t.{ending}")
    assert read_file(tmp_path / f"t.{ending}").frame.cast({"n": pl.Int64}).equals(FRAME)


def test_types_are_for_text_only(tmp_path: Path) -> None:
    """Files that know their types do not take others."""
    write_file(FRAME, tmp_path / "t.parquet")
    with pytest.raises(ParameterError, match="delimited text"):
        read_file(tmp_path / "t.parquet", types={"n": pl.String()})


def test_kinds_and_flavours() -> None:
    """Endings say the kind; text flavours keep a source's delimiter unless the ending fixes another."""
    assert kind_of(Path("a.CSV.GZ")) == "delimited"
    with pytest.raises(FileError, match=r"\.gz"):
        kind_of(Path("a.sav.gz"))
    source = flavour_for(Path("a.psv"), None)
    assert source.dialect.delimiter == "|"
    assert flavour_for(Path("b.csv"), source).dialect.delimiter == "|"
    assert flavour_for(Path("b.tsv"), source).dialect.delimiter == "\t"
    assert flavour_for(Path("b.sav"), source).kind == "sav"
