"""The documentation runs: every Python block, every output it shows, every method and parameter, the site itself."""

from __future__ import annotations

import doctest
import io
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from benchmarks.papers import agreement
from benchmarks.papers.sheet import as_text
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.main import app
from discreet.workflow.methods import METHODS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
METHOD_PAGES = {
    "Microaggregation": "microaggregation",
    "UnivariateMicroaggregation": "individual-ranking",
    "Noise": "noise",
    "RankSwapping": "rank-swapping",
    "PRAM": "pram",
    "GlobalRecoding": "recoding",
    "TopBottomCoding": "top-bottom-coding",
    "LocalSuppression": "local-suppression",
    "Rounding": "rounding",
    "CholeskyHybrid": "cholesky-hybrid",
}
ELSEWHERE = {"Pipeline", "Composition"}  # explained in composition.md
HEADINGS = (
    "What it protects against, and what not",
    "The formula",
    "Six records by hand",
    "Parameters",
    "Missing cells, weights, strata, ties, small files",
    "When to choose another",
    "Reference",
)
FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<body>.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
OUTPUT = 'text title="Output"'
RUN_IN_ORDER = ("python", "bash")  # a page's commands are run where it says that they follow its Python


@dataclass(frozen=True)
class Block:
    """A fenced block of a page, the line it starts on, and the output that the page shows right after it."""

    info: str
    body: str
    line: int
    shown: str | None


def blocks_of(text: str) -> list[Block]:
    """All fenced blocks of a page in order."""
    found = list(FENCE.finditer(text))
    blocks = []
    for i, fence in enumerate(found):
        after = found[i + 1] if i + 1 < len(found) else None
        follows = after is not None and not text[fence.end() : after.start()].strip()
        shown = after["body"] if after is not None and follows and after["info"].strip() == OUTPUT else None
        blocks.append(
            Block(fence["info"].strip(), fence["body"], text.count("\n", 0, fence.start()) + 2, shown)
        )
    return blocks


def run_python(block: Block, namespace: dict[str, object], page: Path) -> str:
    """What a block prints; tracebacks name the page and its line."""
    code = compile("\n" * (block.line - 1) + block.body, str(page), "exec", dont_inherit=True)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def run_commands(block: Block, page: Path) -> str:
    """What the `discreet` commands of a block print, each run in this process."""
    printed = []
    for line in block.body.splitlines():
        words = shlex.split(line, comments=True)
        if words:
            assert words[0] == "discreet", f"{page.name}:{block.line}: only discreet commands can be tested"
            result = CliRunner().invoke(app, words[1:], prog_name="discreet")
            assert result.exit_code == 0, f"{page.name}:{block.line}: {line}\n{result.output}"
            printed.append(result.stdout)
    return "".join(printed)


def agrees(shown: str, printed: str) -> bool:
    """Equal line by line; `...` stands for anything, blanks at the ends of lines do not count."""
    want, got = ("\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (shown, printed))
    return doctest.OutputChecker().check_output(want + "\n", got + "\n", doctest.ELLIPSIS)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_wrong_output_is_noticed():
    """The runner sees a block with its output, and tells a right output from a wrong one."""
    (block, output) = blocks_of(f"```python\nprint(1 + 1)\n```\n\n```{OUTPUT}\n2\n```\n")
    printed = run_python(block, {}, Path("page.md"))
    assert (block.line, block.shown, output.shown) == (2, "2\n", None)
    assert agrees("2\n", printed)
    assert agrees("...\n", printed)
    assert not agrees("3\n", printed)


def test_every_command_is_on_the_page_of_the_command_line():
    """A command that nobody reads of does not exist."""
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert [name for name in names if f"discreet {name}" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page_runs(page, tmp_path, monkeypatch):
    """The Python of a page runs from top to bottom in an empty folder and prints what the page shows.

    On the tutorial the commands between run too.
    """
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.info == "python":
            printed = run_python(block, namespace, page)
        elif block.info == "bash" and page.name == "tutorial.md":
            printed = run_commands(block, page)
        else:
            continue
        if block.shown is not None:
            assert agrees(block.shown, printed), f"{name_of(page)}:{block.line} prints\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_python_escapes(page):
    """Every fence is seen by the runner, under one spelling, and every shown output has a block that prints it."""
    text = page.read_text(encoding="utf-8")
    blocks = blocks_of(text)
    assert text.count("```") == 2 * len(blocks)
    assert {block.info for block in blocks} <= {"python", "bash", "toml", "text", "", OUTPUT}
    outputs = sum(block.info == OUTPUT for block in blocks)
    assert outputs == sum(block.shown is not None for block in blocks if block.info in RUN_IN_ORDER)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_toml_blocks_are_toml(page):
    """Schemas, recipes and plans shown are valid TOML."""
    for block in blocks_of(page.read_text(encoding="utf-8")):
        if block.info == "toml":
            tomllib.loads(block.body)


def test_every_method_has_a_page():
    """A method that is added is documented: on a page of its own, or in composition.md."""
    assert {method.__name__ for method in METHODS} == set(METHOD_PAGES) | ELSEWHERE


@pytest.mark.parametrize("name", METHOD_PAGES)
def test_method_page_is_complete(name):
    """Every method page has the same headings in the same order, and tells every parameter with its default."""
    text = (DOCS / "methods" / f"{METHOD_PAGES[name]}.md").read_text(encoding="utf-8")
    places = [text.find(f"\n## {heading}") for heading in HEADINGS]
    assert -1 not in places, HEADINGS[places.index(-1)]
    assert places == sorted(places)
    table = text[places[HEADINGS.index("Parameters")] : places[HEADINGS.index("Parameters") + 1]]
    rows = {
        row.split("|")[1].strip().strip("`"): row.split("|")[2] for row in table.splitlines() if "| `" in row
    }
    parameters = {entry.name: entry for entry in fields(getattr(dc, name))}
    assert set(rows) == set(parameters)
    for parameter, entry in parameters.items():
        if isinstance(entry.default, (int, float, str)):
            assert str(entry.default) in rows[parameter], parameter


def test_prose_stays_readable():
    """No page has lines for machines: nothing longer than a table row or an output needs."""
    for page in PAGES:
        prose = FENCE.sub("", page.read_text(encoding="utf-8"))
        long = [line for line in prose.splitlines() if len(line) > 130 and not line.lstrip().startswith("|")]
        assert not long, f"{name_of(page)}: {long[0]}"


def test_site_builds_and_loads_nothing_from_elsewhere(tmp_path):
    """`mkdocs build --strict` succeeds, and no page fetches a script, a style, a font or an image from outside."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > 20
    fetched = re.compile(
        r"<(?:script|img|iframe)[^>]*\ssrc=[\"']?https?:|<link[^>]*rel=[\"']?stylesheet[^>]*https?:"
    )
    assert not [page.name for page in pages if fetched.search(page.read_text(encoding="utf-8"))]


@pytest.mark.data
def test_agreement_page_shows_what_is_measured(data_dir):
    """Every table of the page is what the program prints today, and every table of the program is on the page."""
    shown = {block.body.strip() for block in blocks_of((DOCS / "agreement.md").read_text(encoding="utf-8"))}
    assert {as_text(make(data_dir)) for make in (*agreement.EXACT, *agreement.DRAWN)} == shown
