"""All ratios, one program after the other, each in a process of its own (`make bench`; `--full` adds the long ones)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = ("mdav", "restoration", "linkage")
LONGER = ("mdav",)  # those that know --full


def main(full: bool) -> int:
    """Runs all programs; the first failure is the answer, after the others have run."""
    faults = 0
    for name in PROGRAMS:
        print(f"\n== {name}", flush=True)
        asked = ["--full"] if full and name in LONGER else []
        faults = (
            faults or subprocess.run([sys.executable, HERE / f"{name}.py", *asked], check=False).returncode
        )
    return faults


if __name__ == "__main__":
    sys.exit(main("--full" in sys.argv[1:]))
