"""How a release was made: the plain data of a method as steps with named parameters, fit for publication.

Nothing here can carry a record: categories that a recoding names and matrices are counted, not shown, and what speaks of
a secret is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.report.wording import plain, sentence
from discreet.workflow.methods import METHODS, PARTS

_SECRET = ("seed", "secret", "salt", "password")
_MOST_ENTRIES = 40
_UNSAID = ("name",)


@dataclass(frozen=True)
class Step:
    """One method, or one part of a composition.

    `purpose` and `protects` are the first two paragraphs of its description; `parts` are what it is made of.
    """

    title: str
    purpose: str
    protects: str
    parameters: tuple[tuple[str, str], ...]
    parts: tuple[Step, ...] = ()
    label: str = ""


def step_of(method: Mapping[str, Any], columns: Collection[str], label: str = "") -> Step:
    """A method's parameters (`base.parameters`) as a step; `columns` are the names that may be written out.

    >>> step = step_of({"name": "Rounding", "base": 5.0, "seed": 12345}, ("age",))
    >>> step.title, step.purpose, step.parameters
    ('Rounding', 'Publishes numbers as multiples of a base.', (('base', '5'),))
    """
    name = str(method.get("name", ""))
    purpose, protects = described(name)
    shown: list[tuple[str, str]] = []
    parts: list[Step] = []
    for key, value in method.items():
        if key in _UNSAID or _is_secret(key):
            continue
        if inner := _inner(value):
            numbered = len(inner) > 1
            parts += [
                step_of(part, columns, f"{i}" if numbered else sentence(key).lower())
                for i, part in enumerate(inner, start=1)
            ]
        else:
            shown.append((key.replace("_", " "), value_text(value, columns)))
    return Step(sentence(name), purpose, protects, tuple(shown), tuple(parts), label)


def _is_secret(key: str) -> bool:
    return any(word in key.lower() for word in _SECRET)


def _inner(value: Any) -> list[Mapping[str, Any]]:
    """The methods that a parameter holds: one, or a list of them."""
    candidates = value if isinstance(value, (list, tuple)) else [value]
    named = [one for one in candidates if isinstance(one, Mapping) and isinstance(one.get("name"), str)]
    return named if len(named) == len(candidates) else []


def described(name: str) -> tuple[str, str]:
    """First and second paragraph of a known method's description, without its marks.

    >>> described("Rounding")[1].startswith("Hides exact amounts"), described("unknown")
    (True, ('', ''))
    """
    known = {cls.__name__: cls for cls in (*METHODS, *PARTS)}
    text = inspect.getdoc(known[name]) if name in known else None
    if text is None or text.startswith(f"{name}("):  # what dataclass writes where nobody did
        return "", ""
    paragraphs = [" ".join(block.split()) for block in text.split("\n\n")]
    prose = [block.replace("**", "").replace("`", "") for block in paragraphs if not _is_section(block)]
    first, second = (*prose, "", "")[:2]
    return first, second if len(paragraphs) > 1 and not _is_section(paragraphs[1]) else ""


def _is_section(block: str) -> bool:
    return block.startswith(
        ("Args:", "Example", "Parameters", "Figures", "Attributes", ">>>", "Composition(")
    )


def value_text(value: Any, columns: Collection[str]) -> str:
    """A parameter's value: options, numbers and names of columns as they are, all else as how many.

    >>> value_text([18, 65], ()), value_text(["age", "sex"], ("age", "sex")), value_text(["HIV", "flu"], ("age",))
    ('18, 65', 'age, sex', '2 entries')
    >>> value_text({"age": [18, 65]}, ("age",)), value_text({"icd": {"rare": ["A", "B"]}}, ("icd",))
    ('age: 18, 65', 'icd: 1 entry')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return f"{value:.12g}"
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, Mapping):
        return _mapping_text(value, columns)
    if isinstance(value, Sequence):
        return _list_text(value, columns)
    return "set"


def _list_text(values: Sequence[Any], columns: Collection[str]) -> str:
    numbers = all(isinstance(one, (int, float)) for one in values)
    names = all(isinstance(one, str) and one in columns for one in values)
    if not values or len(values) > _MOST_ENTRIES or not (numbers or names):
        return _amount(len(values))
    return ", ".join(value_text(one, columns) for one in values)


def _mapping_text(entries: Mapping[str, Any], columns: Collection[str]) -> str:
    if not entries or len(entries) > _MOST_ENTRIES or not all(name in columns for name in entries):
        return _amount(len(entries))
    texts = {
        name: "set" if isinstance(entry, str) else value_text(entry, columns)
        for name, entry in entries.items()
    }
    return "; ".join(f"{plain(name)}: {text}" for name, text in texts.items())


def _amount(n_entries: int) -> str:
    return {0: "none", 1: "1 entry"}.get(n_entries, f"{n_entries:,} entries")
