"""Doing a command's work: beside the main thread, so that Ctrl-C is heard while kernels compute; faults to exit codes.

Exit codes: 0 done; 1 refused or our fault; 2 something of the user's (data, schema, parameters, usage); 130 stopped by
Ctrl-C; 143 stopped by the system. Text of exceptions that are not ours may hold cell values, so it is never printed
unless asked for with --debug.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import typer

from discreet.cli.bar import Bar
from discreet.cli.options import Manner
from discreet.cli.page import Page, printable
from discreet.errors import DiscreetError, DiscreetWarning, InputError, TaxonomyError
from discreet.progress import listen
from discreet.table.files.atomic import Staged

REFUSED, WRONG_INPUT, INTERRUPTED, TERMINATED = 1, 2, 130, 143
PATIENCE = 0.5  # seconds that stopped work has to clean up after itself; kernels come back twice as often
TICK = 0.05
STACK = 64 << 20  # the compiler of kernels recurses deeper than some systems' threads allow
MOST_CODES = 100


class Answer(Protocol):
    """What a command found out or did, for machines and for people."""

    def to_dict(self) -> dict[str, Any]: ...

    def show(self, page: Page) -> None: ...


class Terminated(KeyboardInterrupt):
    """The system asked the process to end."""


def carry_out(work: Callable[[], Answer], manner: Manner, outputs: Iterable[Path] = ()) -> None:
    """Do the work, print its answer; end with an exit code where it fails or is stopped."""
    parts = Parts(outputs)
    task = Task(work)
    try:
        with terminable():
            answer = task.finish(Bar(hidden=manner.quiet))
            tell_warnings(task.warned, manner)
            give(answer, manner)
            sys.stdout.flush()
    except KeyboardInterrupt as stop:
        raise typer.Exit(end_early(task, parts, stop)) from None
    except BrokenPipeError:  # whoever read the answer has seen enough (`| head`); the work is done
        _say_no_more()
    except BaseException as fault:
        raise typer.Exit(explain(fault, manner)) from None


def give(answer: Answer, manner: Manner) -> None:
    """The answer on standard output, in the manner asked for."""
    if manner.json:
        sys.stdout.write(json.dumps(answer.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    elif not manner.quiet:
        answer.show(Page())


def tell_warnings(warned: Sequence[str], manner: Manner) -> None:
    if not manner.quiet:
        for text in dict.fromkeys(warned):
            Page(sys.stderr).line(f"Note: {text}", "look")


def _say_no_more() -> None:
    """Nobody listens: what is still to be written, at the end of the process too, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def rehearse(inputs: Iterable[Path], outputs: Iterable[Path], force: bool) -> None:
    """Refuse outputs that could not be written, before any work: by staging them and giving that up."""
    with suppress(_Rehearsed), Staged(force=force, inputs=inputs) as staged:
        for path in outputs:
            staged.add(path)
        raise _Rehearsed


class _Rehearsed(Exception):
    """All outputs could be staged; nothing is to be kept of it."""


# -- work beside the main thread ---------------------------------------------------------------------------------


class Task:
    """Work in a thread of its own. Kernels let go of the interpreter, so the main thread hears Ctrl-C meanwhile."""

    def __init__(self, work: Callable[[], Answer]) -> None:
        self._work = work
        self._thread = threading.Thread(target=self._do, name="work", daemon=True)
        self._answer: Answer | None = None
        self._fault: BaseException | None = None
        self._bar: Bar | None = None
        self.warned: list[str] = []

    def finish(self, bar: Bar) -> Answer:
        """Wait for the answer, showing how far the work is; raises what the work raised."""
        self._bar = bar
        before = threading.stack_size(STACK)
        try:
            self._thread.start()
        finally:
            threading.stack_size(before)
        with bar:
            while self._thread.is_alive():
                self._thread.join(TICK)
                bar.refresh()
        if self._fault is not None:
            raise self._fault
        assert self._answer is not None
        return self._answer

    def stop(self) -> bool:
        """Interrupt the work where it is; False if it sits in a kernel and does not hear of it in time."""
        number = self._thread.ident
        if number is None or not self._thread.is_alive():
            return True
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(number), ctypes.py_object(KeyboardInterrupt)
        )
        self._thread.join(PATIENCE)
        return not self._thread.is_alive()

    def _do(self) -> None:
        assert self._bar is not None
        try:
            with listen(self._bar.hear), warnings.catch_warnings(record=True) as caught:
                # Others' warnings may quote cells. Only ours are passed on.
                warnings.simplefilter("ignore")
                warnings.simplefilter("always", DiscreetWarning)
                self._answer = self._work()
            self.warned = [str(warning.message) for warning in caught]
        except BaseException as fault:
            self._fault = fault


class Parts:
    """Unfinished files beside the outputs: those that appeared since are ours to take away."""

    def __init__(self, outputs: Iterable[Path]) -> None:
        self._outputs = tuple(outputs)
        self._before = set(self._found())

    def sweep(self) -> None:
        for path in set(self._found()) - self._before:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _found(self) -> Iterator[Path]:
        for output in self._outputs:
            if output.parent.is_dir():
                start = f".{output.name.partition('.')[0][:100]}"  # the recipes stand beside the data
                yield from (
                    path
                    for path in output.parent.iterdir()
                    if path.name.startswith(start) and path.suffix == ".part"
                )


@contextmanager
def terminable() -> Iterator[None]:
    """Inside the block, Ctrl-C and being terminated by the system are heard, so that both clean up."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    signal.signal(signal.SIGTERM, _terminate)
    if before[signal.SIGINT] is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def end_early(task: Task, parts: Parts, stop: KeyboardInterrupt) -> int:
    """Stop the work, leave nothing behind, say so in one line."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = TERMINATED if isinstance(stop, Terminated) else INTERRUPTED
    heard = task.stop()
    parts.sweep()
    sys.stderr.write("Stopped before the end; no output was written.\n")
    if not heard:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # the kernel cannot be stopped otherwise
    return code


# -- faults ------------------------------------------------------------------------------------------------------


def explain(fault: BaseException, manner: Manner) -> int:
    """Say what went wrong, in one or two sentences without cell values; the exit code."""
    if manner.debug:
        traceback.print_exception(fault, file=sys.stderr)
    text = sentence(fault)
    page = Page(sys.stderr)
    page.line(f"Error: {text}", "bad")
    if isinstance(fault, TaxonomyError) and fault.unknown:
        show_codes(fault, page, manner)
    if manner.json:
        own = type(fault).__name__ if isinstance(fault, DiscreetError) else "unexpected"
        sys.stdout.write(
            json.dumps({"status": "failed", "error": own, "message": text}, ensure_ascii=False) + "\n"
        )
    return WRONG_INPUT if isinstance(fault, InputError) else REFUSED


def sentence(fault: BaseException) -> str:
    """What may be said of a fault. Only exceptions of ours are known to hold no cell value."""
    if isinstance(fault, DiscreetError):
        return str(fault)
    if isinstance(fault, MemoryError):
        return "There is not enough memory. `discreet inspect` says how much is needed."
    if isinstance(fault, OSError) and fault.strerror:
        return f"The system refused to read or write: {fault.strerror}."
    return (
        f"Something went wrong inside discreet ({type(fault).__name__}{_place(fault)}). This is a fault of the "
        "program, not of your file. Please report it. With --debug all of it is shown: cell values may stand in that, "
        "so look before you send it."
    )


def _place(fault: BaseException) -> str:
    """Where in our own code the fault came up."""
    frames = [
        frame
        for frame in traceback.extract_tb(fault.__traceback__)
        if "discreet" in Path(frame.filename).parts
    ]
    if not frames:
        return ""
    return f", {Path(frames[-1].filename).name} line {frames[-1].lineno}"


def show_codes(fault: TaxonomyError, page: Page, manner: Manner) -> None:
    """The codes that a tree lacks, if they were asked for."""
    if not manner.show_codes:
        page.line("With --show-codes these codes are listed. They are cell values.", "faint")
        return
    ranked = sorted(fault.unknown.items(), key=lambda entry: (-entry[1], entry[0]))
    page.table(("code", "records"), [(printable(code), str(count)) for code, count in ranked[:MOST_CODES]])
    if len(ranked) > MOST_CODES:
        page.line(f"and {len(ranked) - MOST_CODES} more")
