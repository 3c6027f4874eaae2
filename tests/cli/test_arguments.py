"""What is typed behind options, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pytest

from discreet.cli.arguments import (
    method_from,
    method_named,
    names_in,
    parsed,
    plan_in,
    recoding_from,
    split_pair,
)
from discreet.errors import InputError, ParameterError
from discreet.masking.noise import Noise
from discreet.masking.rounding import Rounding
from discreet.masking.top_bottom_coding import TopBottomCoding
from discreet.workflow.methods import METHODS


@pytest.mark.parametrize(
    ("text", "hint", "value"),
    [
        ("5", int, 5),
        ("0.5", float, 0.5),
        ("yes", bool, True),
        ("False", bool, False),
        ("none", int | None, None),
        ("7", int | None, 7),
        ("a, b", tuple[str, ...] | None, ("a", "b")),
        ("1,2.5", tuple[float, ...], (1.0, 2.5)),
        ("mean", Literal["mean", "median"], "mean"),
        ("age:90,days:30", Mapping[str, float], {"age": 90.0, "days": 30.0}),
        ("a:b:1", Mapping[str, float], {"a:b": 1.0}),
        ('{"a, b" = 3}', Mapping[str, float], {"a, b": 3}),
        ("100", float | Mapping[str, float], 100.0),
        ('["a,b"]', tuple[str, ...], ("a,b",)),
    ],
)
def test_text_becomes_what_the_annotation_says(text: str, hint: Any, value: Any) -> None:
    """Each form of parameter has a spelling; TOML serves for names with commas."""
    assert parsed(text, hint, "key") == value


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x", int),
        ("1.5", int),
        ("maybe", bool),
        ("mode", Literal["mean"]),
        ("age", Mapping[str, float]),
        ("{a", Any),
    ],
)
def test_text_that_does_not_fit_is_refused(text: str, hint: Any) -> None:
    """What cannot be read as the parameter's type is an error that names the parameter."""
    with pytest.raises(ParameterError, match="`key`"):
        parsed(text, hint, "key")


@pytest.mark.parametrize("method", METHODS)
def test_methods_are_found_by_any_spelling(method: type) -> None:
    """Upper case, hyphens and underscores do not matter."""
    assert method_named(method.__name__.upper()) is method


def test_methods_from_text() -> None:
    """Parameters as typed make the same method as in Python."""
    assert method_from("noise", {"sd": "0.2", "columns": ("pay",)}) == Noise(0.2, columns=("pay",))
    assert method_from("Rounding", {"base": "pay:100"}) == Rounding({"pay": 100.0})
    assert method_from("TopBottomCoding", {"top": "age:90"}) == TopBottomCoding(top={"age": 90.0})


def test_pairs_and_names() -> None:
    """Only the first equals sign divides; blanks around names do not count."""
    assert split_pair("a=b=c", "--set", "KEY=VALUE") == ("a", "b=c")
    assert names_in(" a ,, b") == ("a", "b")
    for text in ("a", "=b", "a="):
        with pytest.raises(ParameterError, match="--set has the form KEY=VALUE"):
            split_pair(text, "--set", "KEY=VALUE")


def test_recodings_refuse_doubles_and_nothing() -> None:
    """A column twice, or no column at all, is refused."""
    with pytest.raises(ParameterError, match="twice"):
        recoding_from(["age=1", "age=2"])
    with pytest.raises(ParameterError, match="at least one"):
        recoding_from([])


def test_plans_must_name_a_known_method(tmp_path: Any) -> None:
    """A plan file that is no TOML, names nothing, or names something unknown is refused."""
    plan = tmp_path / "plan.toml"
    for text, says in (
        ("name =", "not valid TOML"),
        ("k = 3", "names no method"),
        ('name = "Magic"', "no method"),
    ):
        plan.write_text(text)
        with pytest.raises(InputError, match=says):
            plan_in(plan)
