"""The command as a process of its own: what it loads, its exit codes, and being stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

HEAVY = ("numba", "polars", "sklearn", "numpy", "scipy", "narwhals", "rich")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "discreet", *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("arguments", ["['--help']", "['protect', '--help']", "['--version']"])
def test_help_loads_nothing_heavy(arguments: str) -> None:
    """Help answers without loading kernels, dataframes or models."""
    code = (
        "import sys\nfrom discreet.cli.main import app\n"
        f"try:\n    app({arguments})\nexcept SystemExit as end:\n    assert not end.code\n"
        f"sys.stderr.write(' '.join(sorted(set(sys.modules) & set({HEAVY!r}))))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_protecting_loads_no_library_that_it_does_not_need(tmp_path: Path) -> None:
    """Evidence included, the everyday command works without the libraries that take longest to load."""
    age = [20 + 7 * i % 61 for i in range(80)]
    frame = pl.DataFrame(
        {"age": age, "sex": ["f", "m"] * 40, "pay": [31.5 * a + i for i, a in enumerate(age)]}
    )
    frame.write_csv(tmp_path / "people.csv")
    slow = {"sklearn", "pandas", "pyarrow", "scipy.stats", "scipy.optimize"}
    code = (
        "import sys\nfrom discreet.cli.main import app\n"
        f"try:\n    app(['protect', {str(tmp_path / 'people.csv')!r}, {str(tmp_path / 'safe.csv')!r}])\n"
        f"except SystemExit as end:\n    assert not end.code\nsys.stderr.write(str(set(sys.modules) & {slow!r}))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "set()"), ended.stderr
    assert "risk" in ended.stdout


def test_help_teaches() -> None:
    """Help of the whole shows where to begin, and every command has an example or needs none."""
    assert "discreet protect patients.csv safe.csv" in run("--help").stdout
    for command in ("inspect", "protect", "recode", "replay", "methods", "taxonomy"):
        assert f"\n    discreet {command} " in run(command, "--help").stdout


@pytest.mark.parametrize(
    "arguments", [["--wrong"], ["unknown"], ["protect"], ["protect", "a.csv", "b.csv", "--k", "x"]]
)
def test_usage_faults_end_with_2(arguments: list[str]) -> None:
    """What cannot be understood ends with exit code 2 and a word on standard error."""
    ended = run(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr


def test_nothing_asked_shows_the_help() -> None:
    """The command alone answers with its help."""
    assert "Commands:" in "".join((run().stdout, run().stderr))


@pytest.mark.skipif(os.name != "posix", reason="signals as a terminal sends them")
def test_being_stopped_while_loading_is_quiet() -> None:
    """Ctrl-C before any work has begun ends the process by that signal, without a traceback."""
    code = (
        "import os, signal, sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'typer':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        "sys.argv = ['discreet', '--version']\n"
        "from discreet.__main__ import main\n"
        "main()\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.skipif(os.name != "posix", reason="pipes as a shell makes them")
def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    """`discreet inspect ... | head -1`: the pipe closes before all is written, and nothing is said of it."""
    path = tmp_path / "wide.csv"
    pl.DataFrame({f"a_column_with_a_long_name_{i}": [1, 2, 3] for i in range(2_000)}).write_csv(path)
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "discreet", "inspect", str(path), "--json"]
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that takes some seconds to protect."""
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("large") / "large.csv"
    pl.DataFrame({f"v{i}": rng.normal(size=200_000).round(3) for i in range(10)}).write_csv(path)
    return path


@pytest.mark.skipif(os.name != "posix", reason="signals as a terminal sends them")
@pytest.mark.parametrize(
    ("number", "code", "after"),
    [
        (signal.SIGINT, 130, 1.0),
        (signal.SIGINT, 130, 5.0),
        pytest.param(signal.SIGTERM, 143, 5.0, marks=pytest.mark.slow),
    ],
)
def test_being_stopped_leaves_nothing(large: Path, number: int, code: int, after: float) -> None:
    """Stopped early or late, the command answers soon, in one line, with its code, and leaves no file behind."""
    roles = [option for i in range(10) for option in ("--role", f"v{i}=quasi")]
    command = [
        sys.executable,
        "-m",
        "discreet",
        "protect",
        str(large),
        str(large.parent / "safe.csv"),
        *roles,
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after)
    assert process.poll() is None
    began = time.monotonic()
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 2.0  # one second, and room for a busy machine
    assert (process.returncode, out, err) == (code, "", "Stopped before the end; no output was written.\n")
    assert [path.name for path in large.parent.iterdir()] == ["large.csv"]
