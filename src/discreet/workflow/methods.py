"""The public methods by name, and the way from a recipe's plain data back to them.

An explicit list: a recipe can name nothing else, so reading one never runs foreign code. A method of your own takes part
by handing its class to `replay(..., methods=[Mine])`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from discreet.composition import Cells, Composition, Whole, Within
from discreet.errors import InputError
from discreet.masking.cholesky_hybrid import CholeskyHybrid
from discreet.masking.group_centre import GroupCentre
from discreet.masking.local_suppression import LocalSuppression
from discreet.masking.microaggregation import Microaggregation
from discreet.masking.moment_restoration import Block, MomentRestoration
from discreet.masking.noise import Noise
from discreet.masking.pram import PRAM
from discreet.masking.rank_swapping import RankSwapping
from discreet.masking.recoding import GlobalRecoding
from discreet.masking.rounding import Rounding
from discreet.masking.top_bottom_coding import TopBottomCoding
from discreet.masking.univariate_microaggregation import UnivariateMicroaggregation
from discreet.partition.mdav import MDAV
from discreet.partition.subdomains import Subdomains
from discreet.release import Method
from discreet.workflow.pipeline import Pipeline

METHODS: tuple[type[Method], ...] = (
    Microaggregation,
    UnivariateMicroaggregation,
    Noise,
    RankSwapping,
    PRAM,
    GlobalRecoding,
    TopBottomCoding,
    LocalSuppression,
    Rounding,
    CholeskyHybrid,
    Pipeline,
    Composition,
)
PARTS: tuple[type, ...] = (MDAV, Subdomains, Cells, Whole, GroupCentre, Within, MomentRestoration, Block)
DEFAULT = Microaggregation(k=5)


def build_method(spec: Mapping[str, Any], extra: Sequence[type] = ()) -> Method:
    """The method that a recipe describes.

    >>> build_method({"name": "Microaggregation", "k": 3})
    Microaggregation(k=3, columns=None, gamma=None, numeric='mean', nominal='mode', taxonomic='mode', missing='patterns')
    """
    known = {cls.__name__: cls for cls in (*METHODS, *PARTS, *extra)}
    made = _build(spec, known)
    if not isinstance(made, Method):
        names = ", ".join(cls.__name__ for cls in METHODS)
        raise InputError(f"The recipe names no method that is known. Methods: {names}.")
    return made


def _build(value: Any, known: Mapping[str, type]) -> Any:
    if isinstance(value, Mapping):
        cls = known.get(value["name"]) if isinstance(value.get("name"), str) else None
        if cls is None:
            return {key: _build(entry, known) for key, entry in value.items()}
        allowed = {f.name for f in fields(cls) if f.init}
        if unknown := sorted(set(value) - allowed - {"name"}):
            raise InputError(
                f"{cls.__name__} has no parameter {', '.join(unknown)}. It has: {', '.join(sorted(allowed))}."
            )
        return cls(**{key: _build(entry, known) for key, entry in value.items() if key != "name"})
    if isinstance(value, list):
        return tuple(_build(entry, known) for entry in value)
    return value
