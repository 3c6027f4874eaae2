"""Stages of long work, told to whoever listens. Imports nothing of ours; costs nothing when nobody does.

`with stage("grouping records"):` names what is going on; `share(0.4)` says how much of it is done, or of the part of it
that `with portion(0.5, 0.7):` bounds. The command line listens with `listen`, and draws a bar when work takes more than
two seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Listener(Protocol):
    """Hears of stages; `share` is None at the beginning of a stage."""

    def __call__(self, stage: str, share: float | None) -> None: ...


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_stage: ContextVar[str] = ContextVar("stage", default="")
_portion: ContextVar[tuple[float, float]] = ContextVar("portion", default=(0.0, 1.0))


@contextmanager
def listen(listener: Listener) -> Iterator[None]:
    """Tell `listener` of all stages begun inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Name the work done inside the block."""
    token = _stage.set(name)
    _tell(None)
    try:
        yield
        _tell(1.0)
    finally:
        _stage.reset(token)


@contextmanager
def portion(start: float, stop: float) -> Iterator[None]:
    """Shares told inside the block, also those of stages begun in it, are of this part of what they are of outside.

    >>> heard = []
    >>> with listen(lambda stage, share: heard.append(share)), portion(0.5, 1.0):
    ...     share(0.5)
    >>> heard
    [0.75]
    """
    token = _portion.set((_placed(start), _placed(stop)))
    try:
        yield
    finally:
        _portion.reset(token)


def share(done: float) -> None:
    """Say how much of the current stage is done, from 0 to 1."""
    _tell(_placed(done))


def _placed(done: float) -> float:
    start, stop = _portion.get()
    return float(start + done * (stop - start))


def _tell(done: float | None) -> None:
    listener = _listener.get()
    if listener is not None:
        listener(_stage.get(), done)
