"""Outputs appear whole or not at all, and never in the place of an input."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from discreet.errors import FileError
from discreet.table.files import atomic
from discreet.table.files.atomic import Staged
from discreet.table.files.writing import write_file, write_onto

FRAME = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})


def contents(folder: Path) -> dict[str, str]:
    """Names and texts of all files, hidden ones too."""
    return {path.name: path.read_text() for path in folder.iterdir()}


def stage(folder: Path, names: str, fault: BaseException | None = None, force: bool = True) -> None:
    """Write "new" to files of these names together, and fail at the end if so asked."""
    with Staged(force=force) as staged:
        for name in names:
            staged.add(folder / name).write_text("new")
        if fault:
            raise fault


def test_all_files_appear_together(tmp_path: Path) -> None:
    """Nothing stands in its place until the block ends; afterwards all does and no temporary file is left."""
    with Staged() as staged:
        staged.add(tmp_path / "a").write_text("1")
        staged.add(tmp_path / "b").write_text("2")
        assert not (tmp_path / "a").exists()
    assert contents(tmp_path) == {"a": "1", "b": "2"}


@pytest.mark.parametrize("fault", [ValueError(), KeyboardInterrupt(), SystemExit()])
def test_nothing_appears_after_a_fault(tmp_path: Path, fault: BaseException) -> None:
    """An error or an interruption removes what was begun and leaves what was there."""
    (tmp_path / "a").write_text("old")
    with pytest.raises(type(fault)):
        stage(tmp_path, "ab", fault)
    assert contents(tmp_path) == {"a": "old"}


@pytest.mark.parametrize("fault", [OSError("disk"), KeyboardInterrupt()])
def test_a_failing_rename_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    """When the second of three files cannot be placed, the first gets its old content back."""
    for name in "abc":
        (tmp_path / name).write_text("old")
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if (
            Path(target).name == "b"
            and Path(target).read_text() == "old"
            and Path(source).read_text() == "new"
        ):
            raise fault
        real(source, target)

    monkeypatch.setattr(atomic.os, "replace", replace)
    with pytest.raises(type(fault)):
        stage(tmp_path, "abc")
    assert contents(tmp_path) == {"a": "old", "b": "old", "c": "old"}


def test_a_file_that_appears_at_the_last_moment_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even between the last check and the rename nothing is overwritten, and what was placed is taken back."""
    real = os.link

    def link(source: Path, target: Path, **options: bool) -> None:
        if Path(target).name == "b":
            Path(target).write_text("other")
        real(source, target, **options)

    monkeypatch.setattr(atomic.os, "link", link)
    with pytest.raises(FileError, match="appeared"):
        stage(tmp_path, "abc", force=False)
    assert contents(tmp_path) == {"b": "other"}


def test_file_systems_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no hard links can be made, files are placed and taken back by renaming alone."""

    def link(*_: object, **__: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(atomic.os, "link", link)
    stage(tmp_path, "a", force=False)
    stage(tmp_path, "ab")
    assert contents(tmp_path) == {"a": "new", "b": "new"}


def test_existing_files_need_force(tmp_path: Path) -> None:
    """An existing output, even a link to nowhere, is kept unless overwriting is allowed."""
    path = tmp_path / "t.csv"
    path.write_text("old")
    with pytest.raises(FileError, match="force"):
        write_file(FRAME, path)
    assert contents(tmp_path) == {"t.csv": "old"}
    write_file(FRAME, path, force=True)
    assert contents(tmp_path) == {"t.csv": "a,b\n1,x\n2,y\n"}
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileError, match="force"):
        write_file(FRAME, tmp_path / "link.csv")


@pytest.mark.parametrize("how", ["same", "dotted", "symlink", "hardlink", "link to folder"])
def test_the_input_is_never_the_output(tmp_path: Path, how: str) -> None:
    """Not by its own name, another spelling, a symbolic or a hard link, and not with force either."""
    (tmp_path / "d").mkdir()
    source = tmp_path / "d" / "in.csv"
    source.write_text("a\n1\n")
    target = {
        "same": source,
        "dotted": tmp_path / "d" / ".." / "d" / "in.csv",
        "symlink": tmp_path / "s.csv",
        "hardlink": tmp_path / "h.csv",
        "link to folder": tmp_path / "e" / "in.csv",
    }[how]
    if how == "symlink":
        target.symlink_to(source)
    elif how == "hardlink":
        os.link(source, target)
    elif how == "link to folder":
        (tmp_path / "e").symlink_to(tmp_path / "d")
    with pytest.raises(FileError, match="input file itself"):
        write_file(FRAME, target, force=True, inputs=[source])
    assert source.read_text() == "a\n1\n"


def test_bad_places(tmp_path: Path) -> None:
    """No folder, a folder, a device, or the same name twice are refused."""
    with pytest.raises(FileError, match="no folder"):
        write_file(FRAME, tmp_path / "none" / "t.csv")
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        write_file(FRAME, tmp_path / "t.csv", force=True)
    with pytest.raises(FileError, match="device"), Staged(force=True) as staged:
        staged.add("/dev/null")
    with pytest.raises(FileError, match="twice"):
        stage(tmp_path, "xx")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_private_files_are_for_their_owner(tmp_path: Path) -> None:
    """A private output can be read by nobody else, an ordinary one by whom the system's mask allows."""
    old = os.umask(0o022)
    try:
        with Staged() as staged:
            staged.add(tmp_path / "recipe", private=True).write_text("seed")
            staged.add(tmp_path / "data").write_text("data")
    finally:
        os.umask(old)
    assert (tmp_path / "recipe").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o644


def test_several_outputs_of_a_run(tmp_path: Path) -> None:
    """Frames can be written into staged places, in the kind of their destination."""
    with Staged() as staged:
        for name in ("t.csv", "t.parquet"):
            write_onto(FRAME, staged.add(tmp_path / name), tmp_path / name)
    assert (tmp_path / "t.csv").read_text() == "a,b\n1,x\n2,y\n"
    assert pl.read_parquet(tmp_path / "t.parquet").equals(FRAME)
