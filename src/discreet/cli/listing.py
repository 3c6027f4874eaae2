"""`discreet methods`: each method in one line, or one with its parameters, from the classes themselves."""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, dataclass, fields
from inspect import getdoc
from typing import Any, get_type_hints

from discreet.cli.arguments import is_needed, method_named, wanted
from discreet.cli.page import Page
from discreet.release import Method
from discreet.workflow.methods import METHODS

_ENTRY = re.compile(r"^    (\w+(?:, \w+)*): (.*)$")


@dataclass(frozen=True)
class Parameter:
    """One parameter: what it takes, its default (None: needed), and what it means."""

    name: str
    takes: str
    default: str | None
    meaning: str


@dataclass(frozen=True)
class Description:
    """A method in words."""

    name: str
    summary: str
    text: str
    parameters: tuple[Parameter, ...]

    @classmethod
    def of(cls, method: type[Method]) -> Description:
        text = getdoc(method) or ""
        about, _, rest = text.partition("\nArgs:\n")
        meanings = meanings_in(rest)
        hints = get_type_hints(method)
        listed = tuple(
            Parameter(f.name, wanted(hints[f.name]), _default(f), meanings.get(f.name, ""))
            for f in fields(method)
            if f.init
        )
        return cls(method.__name__, about.partition("\n")[0], about.strip(), listed)


def _default(entry: Field[Any]) -> str | None:
    if is_needed(entry):
        return None
    value = entry.default if entry.default is not MISSING else None
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def meanings_in(section: str) -> dict[str, str]:
    """The entries of an Args section, each as one line of text; several names may share an entry.

    >>> meanings_in("    top, bottom: a bound\\n        of the file.\\n    k: size.\\nExample:\\n    x: no")
    {'top': 'a bound of the file.', 'bottom': 'a bound of the file.', 'k': 'size.'}
    """
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in section.splitlines():
        if line and not line.startswith(" "):
            break
        if found := _ENTRY.match(line):
            names = found[1].split(", ")
            meanings |= dict.fromkeys(names, found[2])
        elif line.strip():
            meanings |= {name: f"{meanings[name]} {line.strip()}" for name in names}
    return meanings


@dataclass(frozen=True)
class Listing:
    """All methods, or one in full."""

    methods: tuple[Description, ...]
    in_full: bool

    def to_dict(self) -> dict[str, Any]:
        return {
            "status": "done",
            "methods": [
                {
                    "name": method.name,
                    "summary": method.summary,
                    "parameters": [vars(parameter) for parameter in method.parameters],
                }
                for method in self.methods
            ],
        }

    def show(self, page: Page) -> None:
        if self.in_full:
            for method in self.methods:
                _show_in_full(method, page)
            return
        rows = [
            (method.name, ", ".join(_short(p) for p in method.parameters), method.summary)
            for method in self.methods
        ]
        page.table(("method", "parameters", "what it does"), rows)
        page.line()
        page.line(
            "In full: discreet methods NAME. To use one: discreet protect INPUT OUTPUT --method NAME --set KEY=VALUE"
        )


def _short(parameter: Parameter) -> str:
    return parameter.name if parameter.default in (None, "none") else f"{parameter.name}={parameter.default}"


def _show_in_full(method: Description, page: Page) -> None:
    page.line(method.name, "title")
    for paragraph in method.text.split("\n\n"):
        page.line(" ".join(paragraph.split()))
    for parameter in method.parameters:
        page.line()
        default = "needed" if parameter.default is None else f"default {parameter.default}"
        page.line(f"--set {parameter.name}=...  ({parameter.takes}; {default})", "title", indent=2)
        page.line(parameter.meaning, indent=4)


def list_methods(name: str | None) -> Listing:
    """One method by name, or all of them."""
    chosen = METHODS if name is None else (method_named(name),)
    return Listing(tuple(Description.of(method) for method in chosen), name is not None)
