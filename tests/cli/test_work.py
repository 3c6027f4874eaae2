"""Work beside the main thread: stopping it, taking unfinished files away, telling how far it is, pages."""

from __future__ import annotations

import io
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console

from discreet.cli import work
from discreet.cli.bar import Bar
from discreet.cli.options import Manner
from discreet.cli.page import Page
from discreet.cli.work import Parts, Task, carry_out, end_early, sentence
from discreet.errors import DiscreetWarning, ParameterError
from discreet.progress import share, stage
from discreet.table.files.atomic import Staged


class Said:
    """An answer that says one thing."""

    def to_dict(self) -> dict[str, Any]:
        return {"status": "done"}

    def show(self, page: Page) -> None:
        page.line("said")


def test_stopping_lets_staged_files_clean_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Interrupted work runs its own clean-up: unfinished files go, and one line says that nothing was written."""

    def write() -> Said:
        with Staged() as staged:
            staged.add(tmp_path / "safe.csv").write_text("half")
            while True:
                time.sleep(0.01)

    task = Task(write)
    task._bar = Bar(hidden=True)
    task._thread.start()
    while not any(tmp_path.iterdir()):
        time.sleep(0.01)
    assert end_early(task, Parts([tmp_path / "safe.csv"]), KeyboardInterrupt()) == 130
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err == "Stopped before the end; no output was written.\n"


def test_work_that_hears_nothing_is_left_and_its_files_taken_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work inside a kernel cannot be stopped: its unfinished files are removed and the process ends with 130."""
    ended: list[int] = []
    monkeypatch.setattr(work.os, "_exit", ended.append)
    monkeypatch.setattr(Task, "stop", lambda self: False)
    outputs = [tmp_path / "safe.csv"]
    (tmp_path / ".safe.csv.0123456789ab.part").write_text("of another run")
    parts = Parts(outputs)
    (tmp_path / ".safe.csv.ffffffffffff.part").write_text("ours")
    (tmp_path / ".safe.recipe.toml.ffffffffffff.part").write_text("ours")
    end_early(Task(Said), parts, KeyboardInterrupt())
    assert ended == [130]
    assert [path.name for path in tmp_path.iterdir()] == [".safe.csv.0123456789ab.part"]


def test_warnings_of_ours_are_told_and_others_kept_back(capsys: pytest.CaptureFixture[str]) -> None:
    """A warning of another library may quote a cell; only ours reach the terminal."""

    def warn() -> Said:
        warnings.warn("few records in some strata", DiscreetWarning, stacklevel=1)
        warnings.warn("strange value Qaxton", UserWarning, stacklevel=1)
        return Said()

    carry_out(warn, Manner())
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("said\n", "Note: few records in some strata\n")


@pytest.mark.parametrize(
    ("fault", "code"), [(ParameterError("`k` is odd."), 2), (MemoryError(), 1), (ValueError("x"), 1)]
)
def test_exit_codes_of_faults(fault: BaseException, code: int) -> None:
    """The user's faults end with 2, all others with 1."""

    def fail() -> Said:
        raise fault

    with pytest.raises(typer.Exit) as ended:
        carry_out(fail, Manner())
    assert ended.value.exit_code == code


def test_sentences_of_foreign_faults_name_the_place_in_our_code() -> None:
    """An unexpected fault is told by its type and the place where it came up, not by its text."""
    with pytest.raises(AttributeError) as raised:
        Parts([None])  # type: ignore[list-item]
    assert "(AttributeError, work.py line" in sentence(raised.value)
    assert "NoneType" not in sentence(raised.value)


def bar_on(stream: io.StringIO, delay: float) -> Bar:
    return Bar(console=Console(file=stream, force_terminal=True, width=80), delay=delay)


def test_the_bar_shows_stage_and_share() -> None:
    """After the delay the stage and its share are drawn."""
    stream = io.StringIO()
    with bar_on(stream, 0.0) as bar:
        bar.hear("grouping records", 0.4)
        bar.refresh()
    assert "grouping records" in stream.getvalue()
    assert "40%" in stream.getvalue()


def test_short_work_shows_no_bar() -> None:
    """Before two seconds are over nothing is drawn."""
    stream = io.StringIO()
    with bar_on(stream, 2.0) as bar:
        bar.hear("grouping records", 0.4)
        bar.refresh()
    assert stream.getvalue() == ""


def test_stages_of_the_work_reach_the_bar() -> None:
    """What `discreet.progress` tells inside the thread is heard by the bar."""
    heard: list[tuple[str, float | None]] = []

    class Listening(Bar):
        def hear(self, stage: str, share: float | None) -> None:
            heard.append((stage, share))

    def tell() -> Said:
        with stage("reading"):
            share(0.5)
        return Said()

    Task(tell).finish(Listening(hidden=True))
    assert heard == [("reading", None), ("reading", 0.5), ("reading", 1.0)]


def test_pages_are_plain_away_from_terminals() -> None:
    """Into files go aligned words, no colours, and no character that steers a terminal."""
    stream = io.StringIO()
    page = Page(stream)
    page.title("Title")
    page.line("[red]name\x1b[2J", "bad")
    page.table(("column", "role"), [("a[b]", "quasi")])
    assert "\x1b" not in stream.getvalue()
    assert stream.getvalue().splitlines() == [
        "",
        "Title",
        "[red]name\ufffd[2J",
        "column  role",
        "a[b]    quasi",
    ]
