"""Parameters that cannot be meant are refused when the method is made, under their own name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.masking.local_suppression import LocalSuppression
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.noise import Noise
from discreet.masking.pram import PRAM
from discreet.masking.rank_swapping import RankSwapping
from discreet.masking.rounding import Rounding
from discreet.masking.top_bottom_coding import TopBottomCoding
from discreet.masking.univariate_microaggregation import UnivariateMicroaggregation
from discreet.partition.mdav import MDAV

NAN, INF = float("nan"), float("inf")
BAD: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (RankSwapping, {"p": "5"}, "p"),
    (RankSwapping, {"p": True}, "p"),
    (Noise, {"sd": "5"}, "sd"),
    (Noise, {"sd": NAN}, "sd"),
    (Noise, {"sd": INF}, "sd"),
    (Noise, {"exact": "yes"}, "exact"),
    (Noise, {"columns": [1]}, "columns"),
    (Noise, {"columns": 5}, "columns"),
    (Rounding, {"base": "10"}, "base"),
    (Rounding, {"base": 0}, "base"),
    (Rounding, {"base": {}}, "base"),
    (Rounding, {"base": {"pay": "x"}}, r"base\['pay'\]"),
    (Rounding, {"base": {"pay": 1}, "columns": ["age"]}, "columns"),
    (TopBottomCoding, {"top_share": "x"}, "top_share"),
    (TopBottomCoding, {"bottom_share": 0.5}, "bottom_share"),
    (TopBottomCoding, {"top": {"pay": "x"}}, r"top\['pay'\]"),
    (TopBottomCoding, {"top": {"pay": NAN}}, r"top\['pay'\]"),
    (TopBottomCoding, {"bottom": [5]}, "bottom"),
    (Microaggregation, {"gamma": "x"}, "gamma"),
    (Microaggregation, {"gamma": NAN}, "gamma"),
    (Microaggregation, {"k": 0}, "k"),
    (UnivariateMicroaggregation, {"k": 0}, "k"),
    (UnivariateMicroaggregation, {"k": -3}, "k"),
    (MDAV, {"k": 0}, "k"),
    (MDAV, {"k": -1}, "k"),
    (LocalSuppression, {"importance": {"a": "x"}}, r"importance\['a'\]"),
    (LocalSuppression, {"importance": {"a": NAN}}, r"importance\['a'\]"),
    (LocalSuppression, {"importance": [1]}, "importance"),
    (PRAM, {"keep": "x"}, "keep"),
    (PRAM, {"depth": -1}, "depth"),
    (PRAM, {"matrices": [1]}, "matrices"),
]


@pytest.mark.parametrize(
    ("method", "given", "name"), BAD, ids=[f"{m.__name__}-{next(iter(g))}" for m, g, _ in BAD]
)
def test_refused_by_name(method: Callable[..., Any], given: dict[str, Any], name: str) -> None:
    """A text for a number, NaN, a list for a mapping: one ParameterError that says which parameter."""
    with pytest.raises(ParameterError, match=f"`{name}`"):
        method(**given)


def test_numpy_numbers_become_plain() -> None:
    """A recipe holds what Python and TOML have; equal parameters are equal methods."""
    assert type(RankSwapping(np.float64(5)).p) is float
    assert type(Noise(np.float32(0.5)).sd) is float
    assert type(Rounding({"pay": np.int64(10)}).base["pay"]) is int  # type: ignore[index]
    assert LocalSuppression(importance={"a": np.int64(2)}) == LocalSuppression(importance={"a": 2.0})
    assert Noise(columns=np.array(["a"])) == Noise(columns=("a",))  # type: ignore[arg-type]
