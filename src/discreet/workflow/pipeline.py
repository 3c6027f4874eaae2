"""Several methods one after the other: recode, then suppress; top-code, then microaggregate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from discreet.base import Claim, Draft, Fitted
from discreet.errors import ParameterError
from discreet.release import Method
from discreet.stats.streams import Streams
from discreet.strata import fit_apart
from discreet.table.table import Table


@dataclass(frozen=True)
class Pipeline(Method):
    """Methods in order, each on what the one before left.

    A claim of an earlier step stays only if its checker confirms it on the final table; claims that later steps undid are
    named in the notes.

    Args:
        steps: the methods.

    Example:
        >>> import polars as pl
        >>> from discreet.masking.local_suppression import LocalSuppression
        >>> from discreet.masking.recoding import GlobalRecoding
        >>> from discreet.table.schema import Schema, Variable
        >>> schema = Schema((Variable(name="age", kind="numeric", role="quasi", decimals=0),))
        >>> plan = Pipeline((GlobalRecoding({"age": [18, 65]}), LocalSuppression(k=2)))
        >>> plan.protect(pl.DataFrame({"age": [3, 5, 40, 41, 80]}), schema, seed=1).data["age"].to_list()
        ['<18', '<18', '18-64', '18-64', None]
    """

    strata_apart: ClassVar[bool] = False  # each step decides for itself

    steps: tuple[Method, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        if not self.steps:
            raise ParameterError("`steps` is empty; name at least one method.")

    def fit(self, table: Table, streams: Streams) -> Fitted:
        first = fit_apart(self.steps[0], table, streams.at("0"))
        return FittedPipeline(self.steps, table, first)


@dataclass(frozen=True, eq=False)
class FittedPipeline:
    """The first step fitted; later ones depend on what is drawn before them."""

    steps: tuple[Method, ...]
    table: Table
    first: Fitted

    def draw(self, streams: Streams) -> Draft:
        draft = self.first.draw(streams.at("0"))
        for i, step in enumerate(self.steps[1:], start=1):
            fitted = fit_apart(step, draft.table, streams.at(str(i), "fit"))
            draft = self._after(draft, fitted.draw(streams.at(str(i), "draw")))
        return draft

    def _after(self, before: Draft, after: Draft) -> Draft:
        kept: list[Claim] = []
        notes = list(before.notes)
        for claim in before.claims:
            if claim in after.claims:
                continue
            try:
                holds = claim.check(self.table, after.table, None).holds
            except (KeyError, ValueError):
                holds = False
            if holds:
                kept.append(claim)
            else:
                notes.append(f"A later step gave up: {claim.statement}")
        return replace(
            after,
            claims=(*kept, *after.claims),
            notes=(*notes, *after.notes),
            reordered=before.reordered or after.reordered,
        )
