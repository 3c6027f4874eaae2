"""Print the tables of the papers: `python -m benchmarks.papers [--quick] [name ...]`.

Needs the real tables ($DISCREET_DATA, or ../shared/data); says so and stops where they are not there.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import cast

from benchmarks.papers import agreement, hybrid
from benchmarks.papers.sheet import PaperModule, as_text, data_home

MODULES = {module.PAPER.name: cast(PaperModule, module) for module in (hybrid, agreement)}


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="Print the tables of the papers, made anew.")
    parser.add_argument("names", nargs="*", metavar="name", help=f"papers: {', '.join(MODULES)}; default all")
    parser.add_argument("--quick", action="store_true", help="fewer seeds and sizes: under a minute a paper")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in MODULES]
    if unknown:
        parser.error(f"no such paper: {', '.join(unknown)}. There are: {', '.join(MODULES)}")
    for name in options.names or MODULES:
        show(MODULES[name], data_home(), options.quick)


def show(module: PaperModule, data: Path | None, quick: bool) -> None:
    """Print one paper's tables as they come, or what is lacking."""
    paper = module.PAPER
    print(f"{paper.title}\n{'=' * len(paper.title)}", flush=True)
    lacking = [name for name in paper.files if data is None or not (data / name).is_file()]
    if data is None or lacking:
        print(
            f"Skipped: {', '.join(lacking)} not found. Set DISCREET_DATA to the folder that holds the real tables."
        )
        return
    start = time.perf_counter()
    for sheet in module.sheets(data, quick):
        print(f"\n{as_text(sheet)}", flush=True)
    print(f"\n{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
