"""Delimited text in and out: types, dialects, faults, and round trips."""

from __future__ import annotations

import gzip
import math
import re
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.errors import FileError, ParameterError
from discreet.table.files import memory
from discreet.table.files.format import Dialect, FileFormat
from discreet.table.files.reading import iter_blocks, read_file
from discreet.table.files.structure import measure, tally
from discreet.table.files.writing import write_file


def made(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    """A file with this content."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def column(folder: Path, *cells: str, **options: object) -> pl.Series:
    """How a column of these cells is read."""
    lines = ["x,y", *(f"{cell},t" for cell in cells)]
    return read_file(made(folder, "\n".join(lines) + "\n"), **options).frame["x"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (["0", "-7", "9223372036854775807"], pl.Int64),
        (["1", "", "3"], pl.Int64),
        (["01234", "99999"], pl.String),
        (["038", "250"], pl.String),
        (["+5", "7"], pl.String),
        (["9223372036854775808", "1"], pl.String),
        (["12345678901234567890", "1.5"], pl.String),
        (["1_000", "2"], pl.String),
        (["1.5", "2"], pl.Float64),
        (["007.5", "1.5"], pl.String),
        ([".5", "5.", "1e-7"], pl.Float64),
        (["1e999", "1"], pl.String),
        (["NaN", "1", "-inf"], pl.Float64),
        (["NA", "1"], pl.String),
        ([" 1", "12"], pl.Int64),
        ([" 1.5", "12"], pl.Float64),
        ([" 01", "12"], pl.String),
        (["true", "false"], pl.Boolean),
        (["TRUE", "false"], pl.String),
        (["2020-02-29", "1850-01-01"], pl.Date),
        (["2021-02-29"], pl.String),
        (["2020-02-29T23:59:59"], pl.Datetime("us")),
        (["2020-02-29 23:59"], pl.Datetime("us")),
        (["2020-02-29 23:59", "2020-02-29"], pl.String),
        (["", ""], pl.String),
        (["0x1F", "12"], pl.String),
        (["٣", "4"], pl.String),
    ],
)
def test_only_unmistakable_columns_get_a_type(tmp_path: Path, cells: list[str], dtype: pl.DataType) -> None:
    """A column is typed only if every cell says so; codes with leading zeros, signs or too many digits stay text."""
    values = column(tmp_path, *cells)
    assert values.dtype == dtype
    if dtype == pl.String:
        assert [value or "" for value in values] == cells


def test_codes_that_look_like_numbers_can_be_had_exactly(tmp_path: Path) -> None:
    """'153.10' and '153.9' are read as numbers with a note, and as_text gives the cells back."""
    source = read_file(made(tmp_path, "dx,n\n153.10,1\n153.9,2\n,3\n"))
    assert source.frame["dx"].to_list() == [153.1, 153.9, None]
    assert "trailing zeros" in source.notes["dx"]
    assert source.as_text("dx").to_list() == ["153.10", "153.9", None]
    assert source.as_text("n").to_list() == ["1", "2", "3"]


def test_as_text_refuses_a_file_that_changed(tmp_path: Path) -> None:
    """The text of a column is not taken from another version of the file."""
    path = made(tmp_path, "a,b\n1,2\n")
    source = read_file(path)
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(FileError, match="changed"):
        source.as_text("a")


def test_as_text_names_the_columns_there_are(tmp_path: Path) -> None:
    """An unknown column is answered with the known ones."""
    with pytest.raises(FileError, match="Columns: a, b"):
        read_file(made(tmp_path, "a,b\n1,2\n")).as_text("c")


def test_types_can_be_fixed(tmp_path: Path) -> None:
    """A column asked for as text keeps its cells, one asked for as number must hold numbers."""
    path = made(tmp_path, "a,b\n1.50,2\n7,x\n")
    frame = read_file(path, types={"a": pl.String()}).frame
    assert frame["a"].to_list() == ["1.50", "7"]
    with pytest.raises(FileError, match=r"b \(1 cells, wanted Int64\)"):
        read_file(path, types={"b": pl.Int64()})
    with pytest.raises(FileError, match="Its columns: a, b"):
        read_file(path, types={"c": pl.Int64()})


def test_a_late_cell_changes_the_type_of_the_whole_column(tmp_path: Path) -> None:
    """Types hold for every cell, also when the first surprise comes after many batches."""
    n = 3_000_000
    cells = "\n".join(map(str, range(10, n % 1_000_000 + 1_000_000)))
    path = made(tmp_path, f"a\n{cells}\n01\n")
    values = read_file(path).frame["a"]
    assert values.dtype == pl.String
    assert (values[0], values[-1]) == ("10", "01")
    path = made(tmp_path, f"a\n{cells}\n1.25\n")
    source = read_file(path)
    assert source.frame["a"].dtype == pl.Float64
    assert (source.frame["a"][0], source.frame["a"][-1]) == (10.0, 1.25)
    assert source.format.spellings["a"].fewest_decimals == 0


def test_a_column_that_is_empty_for_long(tmp_path: Path) -> None:
    """Types are found although the first cells come late, and a change of mind twice loses no cell."""
    gap, n = ",\n" * 700_000, 700_000
    path = made(tmp_path, "a,b\n" + gap.replace(",", "7,") + "1,1\n" + gap.replace(",", "7,") + "2,x\n")
    frame = read_file(path).frame
    assert frame.dtypes == [pl.Int64, pl.String]
    assert (frame["b"].null_count(), frame["b"][n], frame["b"][-1]) == (2 * n, "1", "x")
    path = made(tmp_path, "a,b\n" + gap.replace(",", "7,") + "1,2020-01-01\n")
    assert read_file(path).frame["b"].to_list()[-2:] == [None, date(2020, 1, 1)]


def test_words_for_missing_are_reported_not_believed(tmp_path: Path) -> None:
    """'NA' among numbers leaves text and a note with counts; declared, it is missing."""
    path = made(tmp_path, "a,b\n1.5,NA\n?,x\n2,y\nNA,z\n")
    source = read_file(path)
    assert source.frame["a"].dtype == pl.String
    assert "2 cells" in source.notes["a"]
    assert source.suspects == {"a": ("?", "NA")}
    declared = read_file(path, null_values={"a": ["NA", "?"]})
    assert declared.frame["a"].to_list() == [1.5, None, 2.0, None]
    assert declared.frame["b"].to_list() == ["NA", "x", "y", "z"]
    assert read_file(path, null_values=["NA"]).frame["b"].to_list() == [None, "x", "y", "z"]


def test_null_values_are_checked(tmp_path: Path) -> None:
    """One text instead of a list, and unknown columns, are refused."""
    path = made(tmp_path, "a,b\n1,2\n")
    with pytest.raises(FileError, match="list of spellings"):
        read_file(path, null_values="NA")
    with pytest.raises(FileError, match="Its columns: a, b"):
        read_file(path, null_values={"c": ["NA"]})


def test_not_a_number_is_counted(tmp_path: Path) -> None:
    """NaN and infinities among numbers are values, with their number in the notes."""
    source = read_file(made(tmp_path, "a\n1\nNaN\n-inf\n"))
    assert math.isnan(source.frame["a"][1])
    assert source.notes["a"].startswith("2 cells")


def test_empty_texts_and_missing_cells_are_told_apart(tmp_path: Path) -> None:
    """Two quotation marks are an empty text, nothing is missing; in numbers, and where all is quoted, both are."""
    assert read_file(made(tmp_path, 'a,b\n"",1\n,2\nx,""\n')).frame.to_dict(as_series=False) == {
        "a": ["", None, "x"],
        "b": [1, 2, None],
    }
    assert read_file(made(tmp_path, '"a","b"\n"","1"\n"x",""\n')).frame.rows() == [(None, 1), ("x", None)]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_delimiter_and_line_ending_are_detected(tmp_path: Path, delimiter: str, ending: str) -> None:
    """The usual delimiters are found although cells contain the others, and written back the same."""
    rows = [["name", "n"], ['"a,b;c|d\te"', "1"], ['"say ""x"""', "2"], ['"two\nlines"', "3"]]
    path = made(tmp_path, "".join(delimiter.join(row) + ending for row in rows))
    source = read_file(path)
    assert source.frame.rows() == [("a,b;c|d\te", 1), ('say "x"', 2), ("two\nlines", 3)]
    dialect = source.format.dialect
    assert (dialect.delimiter, dialect.line_ending) == (delimiter, ending)
    write_file(source.frame, tmp_path / "back.csv", source.format)
    assert read_file(tmp_path / "back.csv").frame.equals(source.frame)
    assert (tmp_path / "back.csv").read_bytes().count(b"\r\n") == (4 if ending == "\r\n" else 0)


def test_decimal_comma(tmp_path: Path) -> None:
    """Comma decimals are found beside codes with points, which stay text, and written back."""
    text = "zip;code;cost\n01234;153.10;12,50\n99999;153.9;-7,25\n"
    source = read_file(made(tmp_path, text))
    assert source.frame.rows() == [("01234", "153.10", 12.5), ("99999", "153.9", -7.25)]
    write_file(source.frame, tmp_path / "back.csv", source.format)
    assert (tmp_path / "back.csv").read_text() == text
    assert read_file(tmp_path / "table.csv", decimal=".").frame["cost"].dtype == pl.String


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n12.50,x\n3.00,y\n",
        'a,b\n1,""\n,x\n',
        '"a","b"\n"1","x"\n"2","y ""z"""\n',
        '"a","b"\n1,"x"\n2,"q"\n,"with ""marks"""\n',
        "\ufeffa,b\r\n1,x\r\n2,y\r\n",
        "a;b;c\nTRUE;2020-01-01 10:00;1,5\nFALSE;;0,25\n",
        "a,t\n1,2020-01-01T10:00:00.250\n",
        "a\n1\n\n3\n",
    ],
)
def test_writing_back_gives_the_same_bytes(tmp_path: Path, text: str) -> None:
    """Reading and writing untouched data in its own flavour changes no byte."""
    source = read_file(made(tmp_path, text))
    write_file(source.frame, tmp_path / "back.csv", source.format)
    assert (tmp_path / "back.csv").read_bytes().decode() == text


def test_new_decimals_are_not_rounded_away(tmp_path: Path) -> None:
    """A value that needs more decimals than the file had is written in full."""
    source = read_file(made(tmp_path, "a\n1.50\n2.25\n"))
    write_file(pl.DataFrame({"a": [1.125, 7.0, 1e30]}), tmp_path / "new.csv", source.format)
    assert (tmp_path / "new.csv").read_text() == "a\n1.125\n7.00\n1e+30\n"


@pytest.mark.parametrize(
    ("raw", "encoding"),
    [
        ("name,n\nJosé,1\n".encode("cp1252"), "cp1252"),
        (b"name,n\nJos\x8d\xe9,1\n", "latin-1"),
        ("name,n\nJosé,1\n".encode("utf-16"), "utf-16-le"),
        ("\ufeffname,n\nJosé,1\n".encode("utf-16-be"), "utf-16-be"),
        ("\ufeffname,n\nJosé,1\n".encode(), "utf-8"),
    ],
)
def test_encodings_are_detected_and_kept(tmp_path: Path, raw: bytes, encoding: str) -> None:
    """Marked and unmarked encodings are read rightly and written back byte for byte."""
    source = read_file(made(tmp_path, raw))
    assert source.frame["name"][0].replace("\x8d", "") == "José"
    assert source.format.dialect.encoding == encoding
    assert bool(source.remarks) == (encoding in ("cp1252", "latin-1"))
    write_file(source.frame, tmp_path / "back.csv", source.format)
    assert (tmp_path / "back.csv").read_bytes() == raw


def test_letters_that_the_encoding_lacks_are_refused(tmp_path: Path) -> None:
    """Writing a Greek letter in cp1252 fails and leaves nothing behind."""
    format = FileFormat("delimited", dialect=Dialect(encoding="cp1252"))
    with pytest.raises(FileError, match="cp1252 lacks"):
        write_file(pl.DataFrame({"a": ["λ"]}), tmp_path / "out.csv", format)
    assert list(tmp_path.iterdir()) == []


def test_old_line_ends_and_wide_gaps(tmp_path: Path) -> None:
    """Carriage returns alone end lines too; blank lines at the very end are no records."""
    assert read_file(made(tmp_path, "a,b\r1,2\r3,4\r")).frame.rows() == [(1, 2), (3, 4)]
    assert read_file(made(tmp_path, "a,b\n1,2\n3,\n\n\n")).frame.rows() == [(1, 2), (3, None)]
    assert read_file(made(tmp_path, 'a,b\r\n1,x\r\n3,"y"\r\n\r\n')).frame.rows() == [(1, "x"), (3, "y")]
    assert read_file(made(tmp_path, "a,b\n1,2\n3,4")).frame.rows() == [(1, 2), (3, 4)]


def test_marks_inside_cells_are_letters_when_none_quotes(tmp_path: Path) -> None:
    """Inches do not quote: a file whose marks never open a field is read without quoting, and says so."""
    source = read_file(made(tmp_path, 'size,n\n5" pipe,1\n7" pipe,2\n3" x 4",3\n'))
    assert source.frame["size"].to_list() == ['5" pipe', '7" pipe', '3" x 4"']
    assert "ordinary letters" in source.remarks[0]
    write_file(source.frame, tmp_path / "back.csv", source.format)
    assert (tmp_path / "back.csv").read_text() == (tmp_path / "table.csv").read_text()
    with pytest.raises(FileError, match="quotation marks: 'size'"):
        write_file(pl.DataFrame({"size": ["a,b"]}), tmp_path / "bad.csv", source.format)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,b\n", "no records"),
        ("a,b", "no records"),
        ("a,b\n\n\n", "no records"),
        ("a,b,a\n1,2,3\n", "'a' stands more than once"),
        ("a,,c, \n1,2,3,4\n", "column 2, 4 has no name"),
        ("\na,b\n1,2\n", "first line is blank"),
        ("a,b\n1,2\n3\n4,5,6\n7,8\n", r"2 fields, but 2 lines have .*line 3 \(1\), line 4 \(3\)"),
        ("a,b\n1,2\n\n3,4\n", r"line 3 \(blank\)"),
        ('a,b\n1,"x\n2,y\n', "record that begins on line 2"),
        ('a,b\n"1",x\n2,x"y\n2,"z"\n', "line 3: a quotation mark stands inside a cell"),
        ('a,b\n"1",x\n"2"z,y\n', "line 3: a quotation mark stands inside a cell"),
        (b"a,b\n1,\x00\n", "zero bytes"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (b"PAR1rest", "Parquet"),
        (b"\x1f\x8brest", "gzip"),
    ],
)
def test_faults_are_told_in_one_sentence(tmp_path: Path, text: str | bytes, message: str) -> None:
    """Each fault has its own message with line numbers or column names."""
    with pytest.raises(FileError, match=message):
        read_file(made(tmp_path, text))


@pytest.mark.parametrize("text", ["a,b\nSECRET\n1,2\n", 'a,b\n1,"SECRET\n', "a,b\n1,SECRET,SECRET\n"])
def test_faults_never_show_a_cell(tmp_path: Path, text: str) -> None:
    """No message, nor anything chained to it, contains what stands in the file."""
    with pytest.raises(FileError) as caught:
        read_file(made(tmp_path, text))
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_many_ragged_lines_are_counted(tmp_path: Path) -> None:
    """The first five lines are named, the others counted; lines inside quotation marks count as lines."""
    text = 'a,b\n"x\ny",1\n' + "1\n" * 9
    with pytest.raises(
        FileError, match=re.escape("line 4 (1), line 5 (1), line 6 (1), line 7 (1), line 8 (1) and 4 more")
    ):
        read_file(made(tmp_path, text))


def test_undecodable_bytes_are_located(tmp_path: Path) -> None:
    """A given encoding that does not fit is refused with offset and line, never with content."""
    path = made(tmp_path, b"a,b\n1,x\n2,\xff\n")
    with pytest.raises(FileError, match=r"byte 10 \(line 3\)"):
        read_file(path, encoding="utf-8")
    with pytest.raises(FileError, match="no encoding 'klingon'"):
        read_file(path, encoding="klingon")
    with pytest.raises(FileError, match="marked as utf-8"):
        read_file(made(tmp_path, "\ufeffa\n1\n"), encoding="cp1252")
    with pytest.raises(FileError, match="utf-16-le"):
        read_file(made(tmp_path, "abc,b\n1,2\n".encode("utf-16-le")))
    assert read_file(tmp_path / "table.csv", encoding="utf-16-le").frame.rows() == [(1, 2)]


def test_undecodable_bytes_in_a_late_block(tmp_path: Path) -> None:
    """The offset counts from the start of the file, also across blocks and cut characters."""
    start = b"a,b\n" + "é,1\n".encode() * 600_000
    path = made(tmp_path, start + b"\xff,2\n")
    with pytest.raises(FileError, match=rf"byte {len(start)} \(line 600002\)"):
        read_file(path, encoding="utf-8")


def test_gzip(tmp_path: Path) -> None:
    """Gzipped text is read and written, the same data as the same bytes; a cut archive is refused."""
    path = made(tmp_path, gzip.compress(b"a,b\n1,x\n2,y\n"), "t.csv.gz")
    source = read_file(path)
    assert source.frame.rows() == [(1, "x"), (2, "y")]
    assert source.as_text("a").to_list() == ["1", "2"]
    for name in ("u.csv.gz", "v.csv.gz"):
        write_file(source.frame, tmp_path / name, source.format)
    assert (tmp_path / "u.csv.gz").read_bytes() == (tmp_path / "v.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "u.csv.gz").read_bytes()) == b"a,b\n1,x\n2,y\n"
    with pytest.raises(FileError, match="gzip"):
        read_file(made(tmp_path, path.read_bytes()[:-9], "cut.csv.gz"))
    with pytest.raises(FileError, match="gzip"):
        read_file(made(tmp_path, b"a,b\n1,2\n", "plain.csv.gz"))


def test_what_is_no_file(tmp_path: Path) -> None:
    """Folders, missing files, unknown endings and wrong options are told apart."""
    with pytest.raises(FileError, match="folder"):
        read_file(tmp_path, format="delimited")
    with pytest.raises(FileError, match="no file"):
        read_file(tmp_path / "none.csv")
    with pytest.raises(FileError, match=r"\.csv"):
        read_file(made(tmp_path, "a\n1\n", "table.xyz"))
    assert read_file(tmp_path / "table.xyz", format="delimited").frame.rows() == [(1,)]
    for options in (
        {"delimiter": ",,"},
        {"delimiter": "é"},
        {"decimal": "x"},
        {"delimiter": ",", "decimal": ","},
    ):
        with pytest.raises(FileError, match="must"):
            read_file(tmp_path / "table.xyz", format="delimited", **options)  # type: ignore[arg-type]


def test_files_too_large_for_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says how much memory is needed and how much there is."""
    path = made(tmp_path, "a,b\n" + "1,2\n" * 1000)
    monkeypatch.setattr("discreet.table.files.memory.available_memory", lambda: 1000)
    with pytest.raises(FileError, match=r"GB of memory .* available"):
        read_file(path)


def test_memory_is_judged_by_types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number takes 8 bytes, a text 16 and its length; the refusal comes just below what is needed."""
    path = made(tmp_path, "a,b\n" + "1,a text of more than twelve letters\n" * 1000)
    needed = 1000 * (8 + 16 + 34) + path.stat().st_size
    monkeypatch.setattr("discreet.table.files.memory.available_memory", lambda: needed)
    assert read_file(path).frame.height == 1000
    monkeypatch.setattr("discreet.table.files.memory.available_memory", lambda: needed - 1)
    with pytest.raises(FileError, match="GB of memory"):
        read_file(path)


def test_available_memory_is_plausible() -> None:
    """Between a megabyte and what no machine has."""
    available = memory.available_memory()
    assert available is None or 1e6 < available < 1e15


@pytest.mark.parametrize("rows", [1, 7, 1000, 5000])
@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_blocks_are_the_whole_in_pieces(tmp_path: Path, rows: int, ending: str) -> None:
    """Blocks have exactly the wanted rows, file order, and the types of the whole reading."""
    n = 2003
    frame = pl.DataFrame({"a": range(n), "b": [f"s{i}" for i in range(n)], "c": [i / 8 for i in range(n)]})
    path = tmp_path / f"t.{ending}"
    write_file(frame, path)
    source = read_file(path)
    blocks = list(iter_blocks(path, source.frame.schema, rows, format=source.format))
    assert [len(block) for block in blocks[:-1]] == [rows] * (len(blocks) - 1)
    assert pl.concat(blocks).equals(frame)
    some = list(iter_blocks(path, {"c": pl.Float64(), "a": pl.Int64()}, rows))
    assert pl.concat(some).equals(frame.select("c", "a"))


def test_blocks_refuse_what_does_not_fit(tmp_path: Path) -> None:
    """Cells of another type, unknown columns, bad sizes and kinds without blocks are refused."""
    path = made(tmp_path, "a,b\n1,x\n")
    with pytest.raises(FileError, match="wanted type"):
        list(iter_blocks(path, {"b": pl.Int64()}))
    with pytest.raises(FileError, match="Its columns: a, b"):
        list(iter_blocks(path, {"z": pl.Int64()}))
    with pytest.raises(ParameterError, match="rows=0"):
        list(iter_blocks(path, {"a": pl.Int64()}, 0))
    with pytest.raises(FileError, match="Parquet first"):
        list(iter_blocks(made(tmp_path, "x", "t.sav"), {"a": pl.Int64()}))


def test_nested_columns_have_no_place_in_text(tmp_path: Path) -> None:
    """Lists and bytes are refused by name."""
    with pytest.raises(FileError, match="'a'"):
        write_file(pl.DataFrame({"a": [[1]]}), tmp_path / "t.csv")
    with pytest.raises(FileError, match="no columns"):
        write_file(pl.DataFrame(), tmp_path / "t.csv")


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6) | st.sampled_from(
    [
        '"',
        '""',
        "\r\n",
        "\r",
        "\n",
        ",",
        ";",
        "NA",
        "01",
        "1,5",
        " x ",
        "'",
        "é",
        "\ufeff",
        "=1+1",
        "-",
        "1.50",
        "nan",
    ]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.none() | TEXTS, min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t"]),
    quoting=st.sampled_from(["necessary", "text"]),
    ending=st.sampled_from(["\n", "\r\n"]),
    compressed=st.booleans(),
)
def test_texts_survive_exactly(
    tmp_path: Path, texts: list[str | None], delimiter: str, quoting: str, ending: str, compressed: bool
) -> None:
    """Any text, missing or empty, comes back exactly, whatever stands in it."""
    frame = pl.DataFrame({"n": range(len(texts)), "s": texts}, schema={"n": pl.Int64, "s": pl.String})
    dialect = Dialect(delimiter=delimiter, quoting=quoting, line_ending=ending)  # type: ignore[arg-type]
    path = tmp_path / ("t.csv.gz" if compressed else "t.csv")
    format = FileFormat("delimited", dialect=dialect)
    write_file(frame, path, format, force=True)
    assert read_file(path, types={"s": pl.String()}, delimiter=delimiter).frame.equals(frame)
    alone = frame.select("s")
    write_file(alone, path, format, force=True)
    assert read_file(path, types={"s": pl.String()}, format=format).frame.equals(alone)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    floats=st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8),
    decimal=st.sampled_from([".", ","]),
)
def test_floats_survive_exactly(tmp_path: Path, floats: list[float | None], decimal: str) -> None:
    """Every finite float, tiny or huge, comes back with all its bits, with decimal point and comma."""
    frame = pl.DataFrame(
        {"x": [0.5, *floats], "n": range(len(floats) + 1)}, schema={"x": pl.Float64, "n": pl.Int64}
    )
    dialect = Dialect(delimiter=";", decimal=decimal)
    write_file(frame, tmp_path / "t.csv", FileFormat("delimited", dialect=dialect), force=True)
    assert read_file(tmp_path / "t.csv", delimiter=";", decimal=decimal).frame.equals(frame)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ints=st.lists(st.none() | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6),
    dates=st.lists(st.none() | st.dates(), min_size=1, max_size=6),
    times=st.lists(st.none() | st.datetimes(datetime(1000, 1, 1)), min_size=1, max_size=6),
    truths=st.lists(st.none() | st.booleans(), min_size=1, max_size=6),
)
def test_other_types_survive_exactly(
    tmp_path: Path, ints: list, dates: list, times: list, truths: list
) -> None:
    """Integers to the limits, dates, times to the microsecond and truth values come back with their types."""
    firsts = {"i": 1, "d": date(2020, 1, 1), "t": datetime(2020, 1, 1, 1, 2, 3, 4), "b": True}
    for name, cells in (("i", ints), ("d", dates), ("t", times), ("b", truths)):
        frame = pl.DataFrame({name: [firsts[name], *cells], "k": "x"})
        write_file(frame, tmp_path / "t.csv", force=True)
        assert read_file(tmp_path / "t.csv").frame.equals(frame)


def naive_shape(text: str, delimiter: str) -> list[int]:
    """Fields of each record, letter by letter."""
    fields, inside, counts, seen = 1, False, [], False
    for letter in text:
        seen = True
        if letter == '"':
            inside = not inside
        elif letter == delimiter and not inside:
            fields += 1
        elif letter == "\n" and not inside:
            counts.append(fields)
            fields, seen = 1, False
    return [*counts, fields] if seen else counts


@settings(max_examples=200, deadline=None)
@given(text=st.text('a,"\n\r', max_size=40), cut=st.integers(1, 7))
def test_measuring_agrees_with_walking(text: str, cut: int) -> None:
    """The block-wise measure finds the records and uneven ones that a letter-by-letter walk finds."""
    raw = text.encode()
    blocks = [raw[start : start + cut] for start in range(0, len(raw), cut)]
    shape = measure(blocks, ",", '"', 2)
    counts = naive_shape(text, ",")
    assert shape.records == len(counts)
    assert shape.uneven == sum(count != 2 for count in counts)
    assert shape.open_at_end == (text.count('"') % 2 == 1)
    assert measure([raw] if raw else [], ",", '"', 2) == shape
    assert tally(blocks, b",", b'"').delimiters == text.count(",")


README_ROW = re.compile(
    r"^\| `(?P<file>\S+)` \| (?P<rows>[\d,]+) \| (?P<columns>\d+) \| `(?P<sha>[0-9a-f]{64})` \|", re.M
)


@pytest.mark.data
def test_real_tables(data_dir: Path) -> None:
    """All real tables have the rows, columns and hashes their README states."""
    listed = list(README_ROW.finditer((data_dir / "README.md").read_text(encoding="utf-8")))
    assert len(listed) == len(list(data_dir.glob("*.csv*")))
    for row in listed:
        source = read_file(data_dir / row["file"])
        assert source.frame.shape == (int(row["rows"].replace(",", "")), int(row["columns"])), row["file"]
        assert source.sha256 == row["sha"], row["file"]


@pytest.mark.data
@pytest.mark.parametrize(
    "name", ["eia.csv", "census.csv", "neoplasm_nhds.csv", "sd2011.csv", "medicare.csv", "testdata.csv"]
)
def test_real_tables_are_written_back_the_same(data_dir: Path, tmp_path: Path, name: str) -> None:
    """A real table, read and written untouched, holds the same cells: as text wherever it is kept as text."""
    source = read_file(data_dir / name)
    write_file(source.frame, tmp_path / name, source.format, inputs=[data_dir / name])
    assert read_file(tmp_path / name).frame.equals(source.frame)
    assert read_file(tmp_path / name).format == source.format
