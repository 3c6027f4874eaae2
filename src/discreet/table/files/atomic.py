"""Files that appear whole or not at all.

Every output is written under a hidden name in the folder where it will stand, brought to the disk, and renamed.
`Staged` does so for several files together: the data, the recipe and the report belong to one release.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType

from discreet.errors import FileError


class Staged:
    """Write several files all or nothing.

    Inside the block each file is written to the path that `add` gives. When the block ends well, all are renamed to
    their places; when it ends by an error or an interruption, all are removed and nothing has changed. A file that
    exists is replaced with `force` only, and a file of `inputs` never, whatever its name (links are followed).

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with Staged() as staged:
    ...     _ = staged.add(folder / "a.txt").write_text("data")
    ...     _ = staged.add(folder / "b.txt").write_text("recipe")
    >>> sorted(path.name for path in folder.iterdir())
    ['a.txt', 'b.txt']
    """

    def __init__(self, *, force: bool = False, inputs: Iterable[Path | str] = ()) -> None:
        self._force = force
        self._inputs = tuple(Path(path) for path in inputs)
        self._temporary: dict[Path, Path] = {}

    def add(self, destination: Path | str, *, private: bool = False) -> Path:
        """An empty file to write to, which will become `destination`; `private`: for its owner's eyes only."""
        target = Path(destination)
        self._check(target)
        if target in self._temporary:
            raise FileError(f"Output '{target}' is to be written twice. Give each output its own name.")
        temporary = _hidden_beside(target)
        _create(temporary, target, 0o600 if private else 0o666)
        self._temporary[target] = temporary
        return temporary

    def __enter__(self) -> Staged:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._publish()
        finally:
            for temporary in self._temporary.values():
                _remove(temporary)
            self._temporary.clear()

    def _publish(self) -> None:
        for target, temporary in self._temporary.items():
            self._check(target)
            _to_disk(temporary)
        with contextlib.ExitStack() as undo:
            replaced = [
                _place(temporary, target, undo, self._force) for target, temporary in self._temporary.items()
            ]
            undo.pop_all()
        for spare in filter(None, replaced):
            _remove(spare)
        for folder in {target.parent for target in self._temporary}:
            _folder_to_disk(folder)

    def _check(self, target: Path) -> None:
        _refuse_folders(target)
        if any(_same_file(target, source) for source in self._inputs):
            raise FileError(
                f"Output '{target}' is the input file itself. The input is never changed: choose another name."
            )
        if not self._force and os.path.lexists(target):
            raise FileError(
                f"Output '{target}' exists already. Choose another name, or allow overwriting (force)."
            )


@contextlib.contextmanager
def staged_file(
    destination: Path | str, *, force: bool = False, inputs: Iterable[Path | str] = ()
) -> Iterator[Path]:
    """Write one file whole or not at all: yields the path to write to."""
    with Staged(force=force, inputs=inputs) as staged:
        yield staged.add(destination)


def _refuse_folders(target: Path) -> None:
    if not target.parent.is_dir():
        raise FileError(f"Output '{target}': there is no folder '{target.parent}'. Create it first.")
    if target.is_dir():
        raise FileError(f"Output '{target}' is a folder. Name a file.")
    if target.exists() and not target.is_file():
        raise FileError(f"Output '{target}' is a device or a pipe. Name an ordinary file.")


def _same_file(target: Path, source: Path) -> bool:
    try:
        return os.path.samefile(target, source)
    except OSError:
        return target.absolute() == source.absolute()


def _hidden_beside(target: Path) -> Path:
    return target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")


def _create(temporary: Path, target: Path, mode: int) -> None:
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))
    except OSError as fault:
        raise FileError(f"Output '{target}' cannot be written: {fault.strerror}.") from None


def _to_disk(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as fault:
        raise FileError(
            f"Output cannot be brought to the disk in '{path.parent}': {fault.strerror}."
        ) from None


def _folder_to_disk(folder: Path) -> None:
    # Makes the renames durable. Not every system lets a folder be opened; then this is left to it.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _place(temporary: Path, target: Path, undo: contextlib.ExitStack, force: bool) -> Path | None:
    """Rename into place; what stood there is kept as a spare until all files stand, and `undo` restores it."""
    spare = _spare_of(target) if force else None
    if spare is not None:
        undo.callback(_restore, spare, target)
        os.replace(temporary, target)
    else:
        _rename_without_overwriting(temporary, target)
        undo.callback(_remove, target)
    return spare


def _rename_without_overwriting(temporary: Path, target: Path) -> None:
    # A rename would overwrite a file that appeared meanwhile; making a hard link refuses to.
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise FileError(
            f"Output '{target}' appeared while it was being written. Choose another name."
        ) from None
    except (OSError, NotImplementedError):
        os.replace(temporary, target)  # no hard links on this file system


def _spare_of(target: Path) -> Path | None:
    if not os.path.lexists(target):
        return None
    spare = _hidden_beside(target)
    try:
        os.link(target, spare, follow_symlinks=False)
    except (OSError, NotImplementedError):
        os.rename(target, spare)  # no hard links on this file system
    return spare


def _restore(spare: Path, target: Path) -> None:
    os.replace(spare, target)
    _remove(spare)  # renaming one hard link onto another of the same file leaves both names


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
