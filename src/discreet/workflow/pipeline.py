"""Several methods one after the other: recode, then suppress; top-code, then microaggregate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from discreet.base import Draft, Fitted
from discreet.errors import ParameterError
from discreet.release import Method, confirmed
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
        earlier = tuple(claim for claim in before.claims if claim not in after.claims)
        kept, undone = confirmed(earlier, self.table, after.table)
        # A step's claim about its own input says nothing of the original, unless it holds there too.
        own = tuple(claim for claim in after.claims if claim.of_pair)
        held, unheld = confirmed(own, self.table, after.table)
        notes = [f"A later step gave up: {claim.statement}" for claim in undone]
        notes += [
            f"Holds against what an earlier step left, not against the original, so it is not claimed: {claim.statement} "
            "To have it, give the earlier step as the mask of this one."
            for claim in unheld
        ]
        return replace(
            after,
            claims=(*kept, *(claim for claim in after.claims if not claim.of_pair or claim in held)),
            notes=(*before.notes, *notes, *after.notes),
            reordered=before.reordered or after.reordered,
        )
