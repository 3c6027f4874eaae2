"""Kernels that run long can be interrupted, and say how far they are; cut into turns they do the same work."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numba.core.registry import CPUDispatcher

import discreet.kernels
from discreet.kernels import mdav_packed, mdav_tree, mdav_variable, suppression, turns
from discreet.kernels.mdav import mdav, mdav_mixed, vmdav
from discreet.kernels.mdav import mdav_packed as packed
from discreet.kernels.mdav import mdav_tree as tree
from discreet.kernels.suppression import suppress
from discreet.progress import listen

MODULES = [module.name for module in pkgutil.iter_modules(discreet.kernels.__path__)]
LONGEST_SILENCE = 0.5


@pytest.mark.parametrize("name", MODULES)
def test_kernels_let_go_of_the_interpreter(name: str) -> None:
    """A kernel that held on to it would make the process deaf to Ctrl-C and to the system."""
    found = vars(importlib.import_module(f"discreet.kernels.{name}")).values()
    deaf = [
        kernel.__name__
        for kernel in found
        if isinstance(kernel, CPUDispatcher) and not kernel.targetoptions.get("nogil")
    ]
    assert deaf == []


def groupings() -> list[tuple[str, Callable[[], np.ndarray]]]:
    """Each loop that works in turns, on data that need many of them."""
    rng = np.random.default_rng(5)
    points = rng.normal(size=(900, 3)).round(1)
    nodes, flat = rng.integers(1, 5, (900, 1)), np.array([-1, 0, 0, 0, 0])
    keys = rng.integers(0, 4, (200, 4))
    alone = np.arange(200)
    return [
        ("tree", lambda: tree(points, 3)),
        ("packed", lambda: packed(points, 3)),
        ("mixed", lambda: mdav_mixed(points, nodes, [flat], [np.ones(5)], np.ones(4), 3)),
        ("variable", lambda: vmdav(points, 3, 0.8)),
        (
            "suppression",
            lambda: suppress(keys, np.ones(200, int), np.ones(200, int), 3, np.arange(16.0), alone),
        ),
    ]


@pytest.mark.parametrize("name", [name for name, _ in groupings()])
def test_turns_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step at a time or all at once, the result is the same, and the shares told rise to the end."""
    work = dict(groupings())[name]
    results, shares = [], []
    for steps in (1, 7, 10**9):
        told: list[float] = []
        for module in (mdav_tree, mdav_packed, mdav_variable, suppression):
            monkeypatch.setattr(module, "turns", lambda steps=steps: itertools.repeat(steps))
        with listen(lambda stage, share, told=told: told.append(share)):
            results.append(work())
        shares.append(told)
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()
    assert len(shares[0]) > 6 * len(shares[2])
    for told in shares:
        assert told == sorted(told)
        assert 0.9 < told[-1] <= 1


def test_turns_last_about_as_long_as_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps are doubled while a turn is short and halved where one is long, never below one."""
    clock = iter(itertools.accumulate([0.0, 0.01, 0.0, 0.02, 0.0, 0.1, 0.0, 0.3, 0.0, 9.0, 0.0, 9.0, 0.0]))
    monkeypatch.setattr(turns, "perf_counter", lambda: next(clock))
    assert list(itertools.islice(turns.turns(), 7)) == [1, 2, 4, 4, 2, 1, 1]


def ticks(stop: threading.Event) -> Iterator[float]:
    while not stop.is_set():
        yield time.perf_counter()
        time.sleep(0.01)


@pytest.mark.slow
def test_long_grouping_is_heard_of() -> None:
    """While MDAV works in a thread of its own the main thread never waits, and hears of it twice a second."""
    points = np.random.default_rng(1).normal(size=(150_000, 10))
    mdav(points[:2_000], 5)
    tree(points[:2_000], 5)
    told, over = [time.perf_counter()], threading.Event()

    def work() -> None:
        with listen(lambda stage, share: told.append(time.perf_counter())):
            mdav(points, 5)
        over.set()

    threading.Thread(target=work).start()
    awake = list(ticks(over))
    longest = min(LONGEST_SILENCE, 0.35 * (awake[-1] - awake[0]))  # half of it was one piece once
    assert np.diff(awake).max() < longest
    assert np.diff(told).max() < longest
