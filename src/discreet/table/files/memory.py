"""How much memory there is, and the refusal of files that would not fit.

Reading is refused before it starts; a machine that starts swapping, or a process killed half way, is worse
than a sentence which says how much is needed.
"""

from __future__ import annotations

import os
from pathlib import Path

from discreet.errors import FileError

GIGABYTE = 1e9
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Bytes this process may still use, or None where the system does not tell."""
    known = [bytes_ for bytes_ in (_free_memory(), _container_memory()) if bytes_ is not None]
    return min(known) if known else None


def _free_memory() -> int | None:
    try:
        for line in _MEMINFO.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _unused_pages()


def _unused_pages() -> int | None:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _container_memory() -> int | None:
    # A container's limit is lower than the machine's memory and is enforced by killing the process.
    try:
        limit = (_CGROUP / "memory.max").read_text(encoding="ascii").strip()
        used = (_CGROUP / "memory.current").read_text(encoding="ascii").strip()
        return None if limit == "max" else max(int(limit) - int(used), 0)
    except (OSError, ValueError):
        return None


def demand_memory(needed: float, where: str) -> None:
    """Refuse what needs more memory than there is."""
    available = available_memory()
    if available is not None and needed > available:
        raise FileError(
            f"{where} needs about {needed / GIGABYTE:.1f} GB of memory to be read; {available / GIGABYTE:.1f} GB are "
            "available. Use a machine with more memory, fewer columns, or a method that works block by block."
        )
