"""The options that several commands share, each with its help text. Imports nothing that takes time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

Output = Annotated[
    Path,
    typer.Argument(metavar="OUTPUT", show_default=False, help="The file to write; its ending says its kind."),
]
Input = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        show_default=False,
        help="The file to protect (CSV, TSV, Parquet, Arrow, Excel, SPSS, Stata, SAS). Never changed.",
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option("--schema", metavar="FILE", help="What each column is, as TOML; guessed when left out."),
]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        metavar="COLUMN=ROLE",
        help="Correct a guessed role: identifier (dropped), quasi, confidential, weight, stratum, cluster, other.",
    ),
]
Taxonomies = Annotated[
    list[str] | None,
    typer.Option(
        "--taxonomy",
        metavar="NAME=FILE:COLUMN,...",
        help="A tree of categories from a file, for these columns. :repair=pad3 after it puts back leading zeros that "
        "codes have lost, :join-roots gives several roots a common one.",
    ),
]
Repair = Annotated[
    str | None,
    typer.Option(
        metavar="HOW",
        help="Repair codes of --data that the tree lacks: pad3 (leading zeros) or strip (blanks).",
    ),
]
JoinRoots = Annotated[
    bool, typer.Option("--join-roots", help="Give the several roots of an edge list a common one.")
]
Seed = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        show_default=False,
        help="A secret whole number (decimal or 0x...). Left out: 128 bits from the system, which is safer.",
    ),
]
NoEvidence = Annotated[
    bool, typer.Option("--no-evidence", help="Do not measure risk and utility; the report then says so.")
]
Force = Annotated[bool, typer.Option("--force", help="Replace output files that exist.")]
Delimiter = Annotated[
    str | None, typer.Option(metavar="CHAR", help="What stands between cells (detected); 'tab' for a tab.")
]
Encoding = Annotated[
    str | None, typer.Option(metavar="NAME", help="Encoding of the text (detected), such as cp1252.")
]
Decimal = Annotated[str | None, typer.Option(metavar="CHAR", help="Decimal mark, . or , (detected).")]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="Kind of the input where its ending does not say: delimited, parquet, arrow, excel, sav, dta, xpt or "
        "sas7bdat.",
    ),
]
Nulls = Annotated[
    list[str] | None,
    typer.Option(
        "--null", metavar="TEXT", help="A spelling of a missing cell besides the empty one, such as NA."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="A summary for machines on standard output, and nothing else there.")
]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug",
        help="On an unexpected fault, show all of it. May show cell values: look before you send it.",
    ),
]
ShowCodes = Annotated[
    bool, typer.Option("--show-codes", help="List the codes that a taxonomy lacks. They are cell values.")
]


@dataclass(frozen=True)
class Manner:
    """How a command speaks."""

    quiet: bool = False
    json: bool = False
    debug: bool = False
    show_codes: bool = False


def reading_of(
    delimiter: str | None,
    encoding: str | None,
    decimal: str | None,
    format: str | None,
    nulls: list[str] | None,
) -> dict[str, Any]:
    """The arguments of reading that were given.

    >>> reading_of("tab", None, None, None, ["NA"])
    {'delimiter': '\\t', 'null_values': ['', 'NA']}
    """
    given = {"delimiter": delimiter, "encoding": encoding, "decimal": decimal, "format": format}
    stated: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if delimiter in ("tab", "\\t"):
        stated["delimiter"] = "\t"
    if nulls:
        stated["null_values"] = ["", *nulls]
    return stated
