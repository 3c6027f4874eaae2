"""How far long work is: the stage and its share, on a terminal's standard error, once two seconds have gone by."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

DELAY = 2.0


class Bar:
    """A line of progress. `hear` is called by the work in its thread, `refresh` by whoever waits."""

    def __init__(self, *, hidden: bool = False, console: Console | None = None, delay: float = DELAY) -> None:
        self._shown = not hidden and (console is not None or sys.stderr.isatty())
        self._console = console
        self._begun = monotonic()
        self._delay = delay
        self._told: tuple[str, float | None] = ("starting", None)
        self._progress: Progress | None = None
        self._line: TaskID | None = None

    def hear(self, stage: str, share: float | None) -> None:
        """A stage began, or this share of it is done; after its end comes something that has no name."""
        self._told = ("working", None) if share == 1.0 else (stage or "working", share)

    def refresh(self) -> None:
        if not self._shown or monotonic() - self._begun < self._delay:
            return
        if self._progress is None:
            self._open()
        assert self._progress is not None
        assert self._line is not None
        stage, share = self._told
        self._progress.update(
            self._line,
            description=f"{stage}, {monotonic() - self._begun:.0f} s",
            total=None if share is None else 1.0,
            completed=share or 0.0,
        )
        self._progress.refresh()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            console=self._console or Console(stderr=True),
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._progress.start()
        self._line = self._progress.add_task("", total=None)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()
