"""What the simulated attacks share: whom they attack, and how success is reported against a control.

An attack that also succeeds on people who are not in the original has learnt about the population, not
about the file. So each rate stands beside the rate on a control: records like the original's that the
method never saw. The excess (original minus control) is the risk that the release adds.
"""

from __future__ import annotations

from discreet.arrays import Floats
from discreet.base import Figure, Part
from discreet.errors import ParameterError
from discreet.risk.rates import excess_interval, percent_figure
from discreet.table.table import Table


def refuse_frame(control: object) -> None:
    """A measure's control is a table whose levels are the original's; whoever has a dataframe goes through `assess`."""
    if control is not None and not isinstance(control, Table):
        raise ParameterError(
            f"A measure's `control` is a Table aligned with the original; got {type(control).__name__}. Give dataframes "
            "and paths to discreet.assess(..., control=...), which aligns them for every measure that takes one."
        )


def check_control(original: Table, control: Table | None) -> None:
    """Refuse a control whose columns or categories are not the original's."""
    if control is None:
        return
    if control.names != original.names:
        raise ParameterError("The control must have the columns of the original, in the same order.")
    other = [c.name for c, d in zip(original.columns, control.columns, strict=True) if c.levels != d.levels]
    if other:
        raise ParameterError(
            f"The control has other categories in: {', '.join(other)}. Align the tables first."
        )
    if not control.n_records:
        raise ParameterError(
            "The control has no records. Leave it out, or give records the method never saw."
        )


def attack_figures(
    stem: str,
    hits: Floats,
    control: Floats | None,
    parts: tuple[Part, ...] = (),
    note: str = "",
    counted: str = "",
) -> tuple[Figure, ...]:
    """The rate of success; with a control also its rate and the excess, each with its 95 % interval."""
    rate = percent_figure(f"{stem}.rate", hits, estimate=True, parts=parts, note=note, counted=counted)
    if control is None or not len(control) or not len(hits):
        return (rate,)
    found = excess_interval((float(hits.sum()), len(hits)), (float(control.sum()), len(control)))
    excess, low, high = (100.0 * number for number in found)
    return (
        rate,
        percent_figure(f"{stem}.control", control, estimate=True, better=False, note=note),
        Figure(
            f"{stem}.excess",
            excess,
            "%",
            "lower",
            (-100.0, 100.0),
            interval=(low, high),
            note=note,
            people=len(hits),
            public_note=note,
        ),
    )
