"""What is typed behind an option, as values: KEY=VALUE for a method, COLUMN=ROLE, NAME=FILE:COLUMNS, COLUMN=HOW."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from discreet.errors import InputError, ParameterError
from discreet.release import Method
from discreet.table.taxonomy_read import read_taxonomies
from discreet.table.taxonomy_source import TaxonomySource
from discreet.workflow.methods import METHODS, build_method

YES, NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def split_pair(text: str, option: str, form: str) -> tuple[str, str]:
    """The two sides of the first equals sign.

    >>> split_pair("age=18,65", "--to", "COLUMN=HOW")
    ('age', '18,65')
    """
    key, sign, value = text.partition("=")
    if not sign or not key.strip() or not value.strip():
        raise ParameterError(f"{option} has the form {form}. Got '{text}'.")
    return key.strip(), value.strip()


def names_in(text: str) -> tuple[str, ...]:
    """Names between commas.

    >>> names_in("age, sex")
    ('age', 'sex')
    """
    return tuple(name.strip() for name in text.split(",") if name.strip())


# -- methods -----------------------------------------------------------------------------------------------------


def method_named(name: str) -> type[Method]:
    """The class of a method, however its name is spelled.

    >>> method_named("rank-swapping").__name__
    'RankSwapping'
    """
    known = {_folded(cls.__name__): cls for cls in METHODS}
    if _folded(name) in known:
        return known[_folded(name)]
    near = difflib.get_close_matches(_folded(name), known, n=1)
    hint = f" Did you mean {known[near[0]].__name__}?" if near else ""
    raise ParameterError(
        f"There is no method '{name}'.{hint} Methods: {', '.join(cls.__name__ for cls in METHODS)}. `discreet methods` "
        "says what they do; a plan of several stands in a .toml file."
    )


def _folded(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")


def method_from(name: str, settings: Mapping[str, Any]) -> Method:
    """A method from its name, or from a plan in a .toml file, with parameters as typed."""
    if name.lower().endswith(".toml"):
        if settings:
            raise ParameterError("A plan from a file takes no further parameters. Set them in the file.")
        return plan_in(Path(name))
    cls = method_named(name)
    known = {f.name: f for f in fields(cls) if f.init}
    hints = get_type_hints(cls)
    for key in settings:
        if key not in known:
            raise ParameterError(_no_parameter(cls, key, known))
    lacking = [key for key, entry in known.items() if is_needed(entry) and key not in settings]
    if lacking:
        raise ParameterError(
            f"{cls.__name__} needs {' and '.join(f'--set {key}=...' for key in lacking)}. "
            f"`discreet methods {cls.__name__}` says what they mean."
        )
    return cls(**{key: parsed(value, hints[key], key) for key, value in settings.items()})


def is_needed(entry: Field[Any]) -> bool:
    """Whether a parameter has no default."""
    return entry.default is MISSING and entry.default_factory is MISSING


def _no_parameter(cls: type[Method], key: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{cls.__name__} has no parameter '{key}'.{hint} It has: {', '.join(known) or 'none'}."


def plan_in(path: Path) -> Method:
    """A method written as TOML, as in the [method] table of a recipe; for pipelines and compositions."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no plan '{path}'.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise InputError(f"The plan '{path.name}' is not valid TOML: {fault}.") from None
    spec = document.get("method", document)
    if not isinstance(spec, Mapping) or not isinstance(spec.get("name"), str):
        raise InputError(f"The plan '{path.name}' names no method: write name = \"...\" and its parameters.")
    return build_method(spec)


def parsed(text: Any, hint: Any, key: str) -> Any:
    """What was typed as the value a parameter wants, by its annotation.

    >>> parsed("5", int, "k"), parsed("none", float | None, "gamma"), parsed("age:90", Mapping[str, float], "top")
    (5, None, {'age': 90.0})
    """
    if not isinstance(text, str):
        return text
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    if NoneType in options and text.lower() == "none":
        return None
    if text[:1] in "[{":
        return from_toml(text, key)
    for option in options:
        if option is not NoneType and (value := _as(option, text)) is not None:
            return value
    raise ParameterError(f"`{key}` must be {wanted(hint)}. Got '{text}'.")


def _as(option: Any, text: str) -> Any:
    """The text as one type, None where it is not that."""
    try:
        if option is bool:
            return True if text.lower() in YES else False if text.lower() in NO else None
        if option in (int, float):
            return option(text)
    except ValueError:
        return None
    if get_origin(option) is Literal:
        return text if text in get_args(option) else None
    if get_origin(option) is tuple:
        return _as_list(get_args(option)[0], text)
    if get_origin(option) is not None and issubclass(get_origin(option), Mapping):
        return _as_mapping(text)
    return text if option in (str, Any) else None


def _as_list(item: Any, text: str) -> tuple[Any, ...] | None:
    values = tuple(_as(item, part) for part in names_in(text))
    return None if None in values else values


def _as_mapping(text: str) -> dict[str, float] | None:
    pairs = [part.rpartition(":") for part in names_in(text)]
    try:
        return (
            {key: float(value) for key, _, value in pairs if key} if all(key for key, *_ in pairs) else None
        )
    except ValueError:
        return None


def from_toml(text: str, key: str) -> Any:
    """A list or a table as TOML writes them inside a line."""
    try:
        return _frozen(tomllib.loads(f"value = {text}")["value"])
    except tomllib.TOMLDecodeError as fault:
        raise ParameterError(f"`{key}` is not a TOML value: {fault}.") from None


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _frozen(entry) for key, entry in value.items()}
    return tuple(_frozen(entry) for entry in value) if isinstance(value, list) else value


def wanted(hint: Any) -> str:
    """What a parameter takes, in words.

    >>> wanted(float | None), wanted(tuple[str, ...] | None)
    ('a number or none', 'names between commas or none')
    """
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return " or ".join(dict.fromkeys(_word(option) for option in options))


def _word(option: Any) -> str:
    words = {bool: "true or false", int: "a whole number", float: "a number", str: "text", NoneType: "none"}
    if option in words:
        return words[option]
    if get_origin(option) is Literal:
        return " | ".join(str(choice) for choice in get_args(option))
    if get_origin(option) is tuple:
        item = get_args(option)[0]
        return {str: "names between commas", float: "numbers between commas"}.get(item, "a plan file")
    if get_origin(option) is not None and issubclass(get_origin(option), Mapping):
        is_number = get_args(option)[-1] is float
        return "column:number between commas" if is_number else "a TOML table {column = ...}"
    return "a plan file"


# -- schema and recoding -------------------------------------------------------------------------------------------


def taxonomy_from(text: str) -> tuple[str, TaxonomySource, tuple[str, ...]]:
    """NAME=FILE:COLUMN,COLUMN as name, source and columns; after another colon what is asked of the codes or the tree:
    repair=pad3, repair=strip, join-roots."""
    form = "NAME=FILE:COLUMN,COLUMN, and after it perhaps :repair=pad3 or :join-roots"
    name, rest = split_pair(text, "--taxonomy", form)
    rest, asked = _split_wishes(rest)
    file, sign, columns = rest.rpartition(":")
    if not sign or not file or not names_in(columns):
        raise ParameterError(f"--taxonomy has the form {form}. Got '{text}'.")
    several = len(read_taxonomies(file, join_roots=asked.get("join_roots"))) > 1
    source = TaxonomySource(file=Path(file), attribute=name if several else None, **asked).loaded()
    return name, source, names_in(columns)


def _split_wishes(text: str) -> tuple[str, dict[str, Any]]:
    """What stands before the words that follow the columns, and those words as parameters of a source."""
    wishes: dict[str, Any] = {}
    rest, _, word = text.rpartition(":")
    while word == "join-roots" or word.startswith("repair="):
        wishes |= {"join_roots": True} if word == "join-roots" else {"repair": word.removeprefix("repair=")}
        text, (rest, _, word) = rest, rest.rpartition(":")
    return text, wishes


def recoding_from(texts: Iterable[str]) -> dict[str, Any]:
    """COLUMN=HOW, ... as the parameter of a recoding: a depth, cut points, or a table of merged categories.

    >>> recoding_from(["age=18,65", "diagnosis=2", 'race={other = ["asian", "native"]}'])
    {'age': (18.0, 65.0), 'diagnosis': 2, 'race': {'other': ('asian', 'native')}}
    """
    plan: dict[str, Any] = {}
    for text in texts:
        column, how = split_pair(text, "--to", "COLUMN=DEPTH or COLUMN=CUT,CUT,...")
        if column in plan:
            raise ParameterError(f"--to names the column '{column}' twice.")
        plan[column] = _how(how, column)
    if not plan:
        raise ParameterError(
            "Say how to recode at least one column: --to COLUMN=DEPTH or --to COLUMN=CUT,CUT,..."
        )
    return plan


def _how(how: str, column: str) -> Any:
    if how[:1] in "[{":
        return from_toml(how, column)
    if how.isdecimal():
        return int(how)
    cuts = _as_list(float, how)
    if cuts is None:
        raise ParameterError(
            f"Column '{column}': give a depth of its tree (a whole number), cut points between commas, or merged "
            'categories as {new = ["old", "old"]}.'
        )
    return cuts


def settings_from(texts: Sequence[str]) -> dict[str, str]:
    """KEY=VALUE, ... by key."""
    settings: dict[str, str] = {}
    for text in texts:
        key, value = split_pair(text, "--set", "KEY=VALUE")
        if key in settings:
            raise ParameterError(f"--set names '{key}' twice.")
        settings[key] = value
    return settings


def seed_from(text: str | None) -> int | None:
    """A seed as typed; the text is a secret and is not repeated in the message.

    >>> seed_from("0x10"), seed_from(None)
    (16, None)
    """
    if text is None:
        return None
    try:
        seed = int(text, 0)
    except ValueError:
        seed = -1
    if seed < 0:
        raise ParameterError("--seed must be a whole number, 0 or more, decimal or 0x...")
    return seed
