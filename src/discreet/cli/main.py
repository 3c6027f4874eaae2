"""The command `discreet`: options in, one public call, its answer out, an exit code.

This is the one place where imports stand inside functions: `discreet --help` must answer at once, and each command
loads what it needs when it runs. The work itself is in the modules beside this one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.options import (
    AsJson,
    Debug,
    Decimal,
    Delimiter,
    Encoding,
    Force,
    Format,
    Input,
    JoinRoots,
    Manner,
    NoEvidence,
    Nulls,
    Output,
    Quiet,
    Repair,
    Roles,
    SchemaFile,
    Seed,
    ShowCodes,
    Taxonomies,
    reading_of,
)

app = typer.Typer(
    name="discreet",
    rich_markup_mode=None,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="""\b
Begin with:
  discreet demo                               see it work on simulated patients
  discreet inspect patients.csv               what is in the file, what would fail, what it costs
  discreet protect patients.csv safe.csv      a file that can be published, with proof and evidence
  discreet assess patients.csv other.csv      the evidence for a file that other software made
\b
Exit codes: 0 done; 1 refused, or a fault of the program; 2 your data, parameters or usage; 130 stopped by Ctrl-C.""",
)


def run() -> None:
    """The entry point of the command."""
    app(prog_name="discreet")


def _version(asked: bool) -> None:
    if asked:
        from discreet.version import VERSION

        typer.echo(f"discreet {VERSION}")
        raise typer.Exit


@app.callback()
def discreet(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Turn confidential microdata into a file that can be published, and prove it.

    Nothing is sent anywhere, inputs are never changed, and no cell value is ever printed.
    """


@app.command(
    short_help="What is in a file, what would fail, what it costs.",
    epilog="""\b
Examples:
  discreet inspect patients.csv
  discreet inspect survey.sav --write-schema survey.schema.toml
  discreet inspect patients.csv --schema patients.schema.toml --k 10 --json""",
)
def inspect(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="The file to look at.")],
    schema: SchemaFile = None,
    write_schema: Annotated[
        Path | None,
        typer.Option(
            "--write-schema", metavar="OUT.toml", help="Write the schema to a file, to correct it there."
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", metavar="NUMBER", help="The group size to plan for.")] = 5,
    role: Roles = None,
    taxonomy: Taxonomies = None,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Say what each column seems to be and why, what would fail, how alone records stand, and what protecting costs.

    Nothing is protected. The counts are exact, so what is printed is internal; no cell value is in it.
    """
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.corrections import Corrections
        from discreet.cli.inspecting import inspect_file

        return inspect_file(
            file,
            Corrections(schema, role or (), taxonomy or ()),
            k,
            write_schema,
            force=force,
            reading=reading,
        )

    _carry_out(
        work, Manner(quiet, as_json, debug, show_codes), *(() if write_schema is None else (write_schema,))
    )


@app.command(
    short_help="Protect a file and prove it.",
    epilog="""\b
Examples:
  discreet protect patients.csv safe.csv
  discreet protect patients.csv safe.csv --k 10 --role charge=quasi
  discreet protect patients.csv safe.csv --taxonomy icd=icd10.csv:diagnosis,second_diagnosis
  discreet protect patients.csv safe.csv --taxonomy icd9=icd9.csv:diag_1,diag_2:repair=pad3
  discreet protect patients.csv safe.csv --method Noise --set sd=0.2 --columns charge,days
  discreet protect patients.csv safe.csv --method plan.toml
\b
Written together, or not at all:
  safe.csv                  the protected data
  safe.report.html          what is claimed and what was measured, as a page; may be published
  safe.public-recipe.toml   how they were protected; may be published
  safe.recipe.toml          for `discreet replay`; INTERNAL: it holds the seed""",
)
def protect(
    input: Input,
    output: Output,
    method: Annotated[
        str,
        typer.Option(metavar="NAME", help="What to do (see `discreet methods`), or a plan in a .toml file."),
    ] = "Microaggregation",
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="NUMBER", show_default=False, help="Smallest group; 5 by default."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", show_default=False, help="Columns to treat; the quasi-identifiers by default."
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the method; may be repeated."),
    ] = None,
    schema: SchemaFile = None,
    role: Roles = None,
    taxonomy: Taxonomies = None,
    seed: Seed = None,
    no_evidence: NoEvidence = False,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Protect a file and prove it.

    Without options: roles are guessed and printed, identifiers are left out, and the quasi-identifiers are made
    alike in groups of at least 5 (microaggregation). Every claim is checked by code that knows nothing of the
    method; where one does not hold, nothing is written. Then risk before and after, and what analyses lose, are
    measured and shown.
    """
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.arguments import method_from, names_in, seed_from, settings_from
        from discreet.cli.corrections import Corrections
        from discreet.cli.protecting import protect_file

        given: dict[str, Any] = dict(settings_from(settings or ()))
        given |= {"k": str(k)} if k is not None else {}
        given |= {"columns": names_in(columns)} if columns is not None else {}
        return protect_file(
            input,
            output,
            method_from(method, given),
            Corrections(schema, role or (), taxonomy or ()),
            seed=seed_from(seed),
            measure=not no_evidence,
            force=force,
            reading=reading,
        )

    _carry_out(work, Manner(quiet, as_json, debug, show_codes), output)


@app.command(
    short_help="Make columns coarser for every record.",
    epilog="""\b
Examples:
  discreet recode patients.csv coarse.csv --to age=18,40,65
  discreet recode patients.csv coarse.csv --taxonomy icd=icd10.csv:diagnosis --to diagnosis=2
  discreet recode patients.csv coarse.csv --to 'race={other = ["asian", "native"]}'""",
)
def recode(
    input: Input,
    output: Output,
    to: Annotated[
        list[str],
        typer.Option(
            "--to",
            metavar="COLUMN=HOW",
            help="HOW is a depth of the column's tree (0 is the root), cut points between commas, or "
            '{new = ["old", "old"]}; may be repeated.',
        ),
    ],
    schema: SchemaFile = None,
    role: Roles = None,
    taxonomy: Taxonomies = None,
    no_evidence: NoEvidence = False,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Make columns coarser, the same way for every record: a shorthand of `protect --method GlobalRecoding`.

    Recoding alone proves nothing: see how many records are still alone, then let LocalSuppression finish.
    """
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.arguments import recoding_from
        from discreet.cli.corrections import Corrections
        from discreet.cli.protecting import protect_file
        from discreet.masking.recoding import GlobalRecoding

        method = GlobalRecoding(recoding_from(to))
        corrections = Corrections(schema, role or (), taxonomy or ())
        return protect_file(
            input, output, method, corrections, measure=not no_evidence, force=force, reading=reading
        )

    _carry_out(work, Manner(quiet, as_json, debug, show_codes), output)


@app.command(
    short_help="The same bytes again, or the same plan on another file.",
    epilog="""\b
Examples:
  discreet replay safe.recipe.toml patients.csv again.csv
  discreet replay safe.recipe.toml patients-2026.csv safe-2026.csv""",
)
def replay(
    recipe: Annotated[
        Path,
        typer.Argument(metavar="RECIPE", show_default=False, help="The internal *.recipe.toml of a release."),
    ],
    input: Input,
    output: Output,
    seed: Seed = None,
    no_evidence: NoEvidence = False,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Do the same again: the same bytes from the same input, or the same plan on another file.

    On the file that the recipe was made from, the output is compared with the recorded one; where a byte differs,
    nothing is written. On another file the seed is a new one, because two files under one noise can be subtracted.
    """
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.arguments import seed_from
        from discreet.cli.protecting import replay_file

        return replay_file(
            recipe,
            input,
            output,
            seed=seed_from(seed),
            measure=not no_evidence,
            force=force,
            reading=reading,
        )

    _carry_out(work, Manner(quiet, as_json, debug, show_codes), output)


@app.command(
    short_help="Risk and utility of any protected file, whoever made it.",
    epilog="""\b
Examples:
  discreet assess patients.csv safe.csv
  discreet assess patients.csv safe.csv --level full --output evidence.csv --report evidence.html
  discreet assess patients.csv synthetic.csv --no-corresponds --control others.csv --level full
  discreet assess patients.csv safe.csv --known age,sex,zip --secret diagnosis --by region
  discreet assess patients.csv safe.csv --formula 'charge ~ age + sex' --threshold 20
  discreet assess patients.csv ours.csv theirs.csv --report comparison.html

How to read a line: `risk  linkage.distance  81 -> 13 %` says that of 100 records an intruder who looks for the
nearest one found 81 before and finds 13 now.""",
)
def assess(
    original: Annotated[
        Path,
        typer.Argument(metavar="ORIGINAL", show_default=False, help="The file that was to be protected."),
    ],
    protected: Annotated[
        list[Path],
        typer.Argument(
            metavar="PROTECTED...", show_default=False, help="What was made of it; several are compared."
        ),
    ],
    level: Annotated[
        str,
        typer.Option(
            metavar="standard|full",
            help="`full` adds what fits models and repeats attacks: minutes, not seconds.",
        ),
    ] = "standard",
    corresponds: Annotated[
        bool | None,
        typer.Option(
            "--corresponds/--no-corresponds",
            show_default=False,
            help="Whether record i was made from record i; found out where both files have equally many. Say "
            "--no-corresponds for synthetic or reordered files.",
        ),
    ] = None,
    control: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="People of the same population whom the method never saw: what an attack learns of them too, the "
            "file did not give away.",
        ),
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            show_default=False,
            help="Columns an intruder knows; the quasi-identifiers by default.",
        ),
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            show_default=False,
            help="Columns an intruder wants; the confidential ones by default.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="A,B",
            show_default=False,
            help="Also measure inside each part that the values of these columns make.",
        ),
    ] = None,
    formula: Annotated[
        list[str] | None,
        typer.Option(
            "--formula",
            metavar="'Y ~ X + Z'",
            help="A regression to compare, in place of each number on all others; may be repeated.",
        ),
    ] = None,
    threshold: Annotated[
        int,
        typer.Option(
            metavar="NUMBER", help="What stands for fewer records than this is not published as it is."
        ),
    ] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="Write all figures: .json, or a table by its ending (.csv, .xlsx ...).",
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="PAGE.html", help="Write them as a page that may be published.")
    ] = None,
    internal: Annotated[
        bool,
        typer.Option(
            "--internal", help="Exact figures in --output and --json, small counts too. Not for publication."
        ),
    ] = False,
    schema: SchemaFile = None,
    role: Roles = None,
    taxonomy: Taxonomies = None,
    force: Force = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Measure risk and utility of any protected file against its original, whoever made it.

    Risk is shown before -> after: what a release without protection would show, and what is left. Files written hold
    no cell value, and mark what stands for fewer than 10 records (--threshold), unless --internal is given.
    """
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.arguments import names_in
        from discreet.cli.assessing import Wanted, assess_files
        from discreet.cli.corrections import Corrections

        wanted = Wanted(
            level=level,
            corresponds=corresponds,
            control=control,
            known=None if known is None else names_in(known),
            secret=None if secret is None else names_in(secret),
            by=names_in(by or ""),
            formulas=tuple(formula or ()),
            threshold=threshold,
            output=output,
            report=report,
            internal=internal,
            force=force,
        )
        return assess_files(
            original, protected, Corrections(schema, role or (), taxonomy or ()), wanted, reading
        )

    _carry_out(
        work,
        Manner(quiet, as_json, debug, show_codes),
        *(path for path in (output, report) if path is not None),
    )


@app.command(
    short_help="Which subdomains to restore apart, and at what risk.",
    epilog="""\b
Examples:
  discreet subdomains firms.csv
  discreet subdomains firms.csv --columns wages,sales --method Noise --set sd=0.2
  discreet protect firms.csv safe.csv --method CholeskyHybrid --set by=region --set small=merge""",
)
def subdomains(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="The file to look at.")],
    method: Annotated[
        str,
        typer.Option(metavar="NAME", help="The mask (see `discreet methods`), or a plan in a .toml file."),
    ] = "Microaggregation",
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="NUMBER", show_default=False, help="Smallest group of the mask."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="A,B", show_default=False, help="Columns to restore; numeric ones by default."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="A parameter of the mask; may be repeated."),
    ] = None,
    schema: SchemaFile = None,
    role: Roles = None,
    taxonomy: Taxonomies = None,
    seed: Seed = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Weigh the subdomains that a Cholesky hybrid could keep exact: what each would save, and what it would cost in risk.

    Nothing is protected. Candidates are the categorical columns, their pairs, and numeric columns in fifths.
    """
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.arguments import method_from, names_in, seed_from, settings_from
        from discreet.cli.corrections import Corrections
        from discreet.cli.suggesting import suggest_for_file

        names = None if columns is None else names_in(columns)
        given: dict[str, Any] = dict(settings_from(settings or ()))
        given |= {"k": str(k)} if k is not None else {}
        given |= {"columns": names} if names is not None else {}
        mask = method_from(method, given) if given or method != "Microaggregation" else None
        corrections = Corrections(schema, role or (), taxonomy or ())
        return suggest_for_file(file, corrections, mask, names, seed=seed_from(seed), reading=reading)

    _carry_out(work, Manner(quiet, as_json, debug, show_codes))


@app.command(
    short_help="List the methods, or explain one.",
    epilog="""\b
Examples:
  discreet methods
  discreet methods microaggregation""",
)
def methods(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", show_default=False, help="One method, in full.")
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """List the methods, or explain one with its parameters."""

    def work() -> Any:
        from discreet.cli.listing import list_methods

        return list_methods(name)

    _carry_out(work, Manner(quiet, as_json, debug))


@app.command(
    short_help="Check a file that holds a tree of categories.",
    epilog="""\b
Examples:
  discreet taxonomy icd10.csv
  discreet taxonomy icd10.csv --data patients.csv --column diagnosis --show-codes
  discreet taxonomy icd9.csv --data patients.csv --column diagnosis --repair pad3""",
)
def taxonomy(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", show_default=False, help="An edge list or a level table, as CSV."),
    ],
    attribute: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which tree, where the file holds several.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also see whether the tree holds all codes of a column."),
    ] = None,
    column: Annotated[str | None, typer.Option(metavar="NAME", help="The column of --data.")] = None,
    repair: Repair = None,
    join_roots: JoinRoots = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    format: Format = None,
    null: Nulls = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
    show_codes: ShowCodes = False,
) -> None:
    """Say whether a file is a tree of categories, and what shape it has."""
    reading = reading_of(delimiter, encoding, decimal, format, null)

    def work() -> Any:
        from discreet.cli.taxonomies import Wanted, check_taxonomy

        return check_taxonomy(file, Wanted(attribute, data, column, repair, join_roots), reading)

    _carry_out(work, Manner(quiet, as_json, debug, show_codes))


@app.command(
    short_help="See it work on simulated patients.",
)
def demo(
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where to put the files.")] = Path(
        "discreet-demo"
    ),
    quiet: Quiet = False,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write a simulated file of hospital patients, protect it, and show the evidence."""

    def work() -> Any:
        from discreet.cli.demonstrating import demonstrate

        return demonstrate(folder)

    _carry_out(work, Manner(quiet, as_json, debug), folder / "safe.csv", folder / "patients.csv")


def _carry_out(work: Any, manner: Manner, *outputs: Path) -> None:
    from discreet.cli.work import carry_out

    carry_out(work, manner, outputs)


if __name__ == "__main__":
    run()
