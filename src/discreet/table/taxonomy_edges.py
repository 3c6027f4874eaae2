"""From edges (code, code of the parent) to a tree in depth-first preorder; the one place where edges are checked.

Messages name codes, for a taxonomy is public. `Taxonomy.from_edges` calls this, and so does every builder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from discreet.errors import TaxonomyError

__all__ = ["Edge", "free_code", "preordered"]

Edge: TypeAlias = Sequence[str]
"""(code, code of the parent[, label]); an empty parent makes a root."""

_SHOWN = 5  # codes named per fault
_TOP = ""  # what stands above roots


def preordered(
    edges: Iterable[Edge], name: str, join_roots: bool
) -> tuple[tuple[str, ...], tuple[str, ...], list[int]]:
    """(codes, labels, parents as node numbers, -1 for the root) of the tree, or an error naming every fault."""
    rows = [tuple(edge) for edge in edges]
    above: dict[str, list[str]] = {}
    for code, parent, *_ in rows:
        if code:
            above.setdefault(code, []).append(parent)
    if faults := _faults(above, len(rows) - sum(map(len, above.values())), join_roots):
        raise TaxonomyError(f"taxonomy {name}: " + "; ".join(faults))
    codes, parents = _depth_first({code: parents[0] for code, parents in above.items()})
    labels = {row[0]: row[2] for row in rows if len(row) > 2}
    return tuple(codes), tuple(labels.get(code, "") for code in codes), parents


def free_code(taken: Iterable[str]) -> str:
    """A code for a root nobody named: *, or where that is taken <root>, <<root>> ..."""
    used, code = set(taken), "*"
    while code in used:
        code = "<root>" if code == "*" else f"<{code}>"
    return code


def _depth_first(above: Mapping[str, str]) -> tuple[list[str], list[int]]:
    """Codes in preorder, children in the order given, and the node number of each one's parent."""
    children: dict[str, list[str]] = {}
    for code, parent in above.items():
        children.setdefault(parent, []).append(code)
    if len(children[_TOP]) > 1:
        root = free_code(above)
        children[root], children[_TOP] = children[_TOP], [root]
    codes: list[str] = []
    parents: list[int] = []
    waiting = [(children[_TOP][0], -1)]
    while waiting:
        code, parent_idx = waiting.pop()
        waiting.extend((child, len(codes)) for child in reversed(children.get(code, ())))
        codes.append(code)
        parents.append(parent_idx)
    return codes, parents


def _faults(above: Mapping[str, Sequence[str]], n_nameless: int, join_roots: bool) -> list[str]:
    """What is wrong with the edges, a clause per kind of fault; `above` has all parents given for a code."""
    if not above:
        return ["there are no codes"]
    repeated = [code for code, parents in above.items() if len(parents) > 1]
    torn = [code for code in repeated if len(set(above[code])) > 1]
    twice = [code for code in repeated if len(set(above[code])) == 1]
    named = {parent: None for parents in above.values() for parent in parents if parent != _TOP}
    unlisted = [parent for parent in named if parent not in above]
    roots = [code for code, parents in above.items() if parents[0] == _TOP]
    circling = _endless({code: parents[0] for code, parents in above.items()})
    clauses = [
        (n_nameless, f"{n_nameless} rows have no code"),
        (twice, f"codes listed more than once: {_some(twice)}"),
        (torn, f"codes with two parents: {_some(torn)}"),
        (unlisted, f"parents not listed as codes: {_some(unlisted)}"),
        (circling, f"codes on a cycle or below one: {_some(circling)}"),
        (not roots, "there is no root, that is a code with an empty parent"),
        (
            len(roots) > 1 and not join_roots,
            f"roots where there should be one: {_some(roots)}. Leave one, or ask for a common one (join_roots=True, on "
            "the command line the word join-roots)",
        ),
    ]
    return [clause for present, clause in clauses if present]


def _endless(above: Mapping[str, str]) -> list[str]:
    """Codes from which going up never ends: on a cycle or below one."""
    ends: dict[str, bool] = {}
    for start in above:
        walk: dict[str, None] = {}
        code = start
        while code in above and code not in ends and code not in walk:
            walk[code] = None
            code = above[code]
        ends.update(dict.fromkeys(walk, ends.get(code, code not in above)))
    return [code for code, ended in ends.items() if not ended]


def _some(codes: Sequence[str]) -> str:
    """How many, and the first of them."""
    more = ", ..." if len(codes) > _SHOWN else ""
    return f"{len(codes)} ({', '.join(codes[:_SHOWN])}{more})"
