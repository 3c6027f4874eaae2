"""The nouns that methods, claims and measures share, as frozen values and protocols; no algorithms.

    Method.fit(table, streams)  -> Fitted          reads the data, decides
    Fitted.draw(streams)        -> Draft           makes a protected table; as often as wanted
    Draft (table, claims, partition)               not yet checked, never leaves the library
    Claim.check(original, released, partition)     -> Verdict
    Measure(original, protected)                   -> Figures

A `Treatment` is what is done inside the groups of a `Partition`; a `Restoration` corrects a treated table. How a
draft becomes a release is in `release`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from discreet.arrays import Floats, Ints
from discreet.stats.streams import Streams
from discreet.table.table import Table

Aspect: TypeAlias = Literal["risk", "utility"]
Better: TypeAlias = Literal["lower", "higher", "neither"]


# -- groups of records -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Partition:
    """Records in groups. Internal: labels say who was grouped with whom, and never reach an output.

    Args:
        labels: group of each record, 0 to n_groups - 1.
        holds: what the partition was asked to hold, in words.
        by: the columns whose equal values the groups are, or are made of, where that is how they came about.
    """

    labels: Ints = field(repr=False)
    holds: str = ""
    by: tuple[str, ...] = ()

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.labels).astype(np.int64)

    @property
    def n_groups(self) -> int:
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    def members(self) -> list[Ints]:
        """Record numbers of each group, ascending."""
        order = np.argsort(self.labels, kind="stable")
        return [rows.astype(np.int64) for rows in np.split(order, np.cumsum(self.sizes)[:-1])]

    def within(self, coarser: Partition) -> bool:
        """Whether every group of this partition lies inside one group of `coarser`."""
        return _n_pairs(self.labels, coarser.labels) == self.n_groups


def _n_pairs(one: Ints, other: Ints) -> int:
    return len(np.unique(one * (int(other.max(initial=0)) + 1) + other))


def whole(n_records: int) -> Partition:
    """All records in one group."""
    return Partition(np.zeros(n_records, dtype=np.int64), "the whole table")


# -- claims ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Outcome of one check: whether the claim holds, and what was attained, in words without values."""

    holds: bool
    attained: str


class Claim(Protocol):
    """A guarantee in checkable form. Its checker knows nothing of the method that claims it.

    `of_procedure`: it rests on how the release was made, and not on the released table alone. `of_pair`: it compares
    with the table that the method was given, so it may fail against an earlier one.
    """

    of_procedure: ClassVar[bool] = False
    of_pair: ClassVar[bool] = False

    def meet(self, other: Claim) -> Claim | None:
        """What holds for two tables put together, where this holds for the one and `other` for the other."""
        return self if self == other else None

    @property
    def statement(self) -> str:
        """The guarantee and what it assumes, in one or two sentences."""

    def check(self, original: Table, released: Table, partition: Partition | None) -> Verdict: ...


# -- notes -----------------------------------------------------------------------------------------------------


class Note(str):
    """What the one who releases has to read, exactly; its whole numbers of records or cells are known apart.

    Made of pieces, of which the ints are such counts: `published` says of few only that they are few. A note that
    counts nobody is a plain text.

    >>> note = Note(3, " cells were emptied.")
    >>> str(note), note.published(10)
    ('3 cells were emptied.', 'Fewer than 10 cells were emptied.')
    """

    pieces: tuple[str | int, ...]

    def __new__(cls, *pieces: str | int) -> Note:
        note = super().__new__(cls, "".join(map(str, pieces)))
        note.pieces = pieces
        return note

    @classmethod
    def about(cls, where: str, note: str) -> Note:
        """A note with the part that it is about in front."""
        return cls(where, *(note.pieces if isinstance(note, Note) else (note,)))

    def published(self, threshold: int) -> str:
        said = "".join(
            f"fewer than {threshold}" if isinstance(piece, int) and 0 < piece < threshold else str(piece)
            for piece in self.pieces
        )
        return said[:1].upper() + said[1:]


# -- methods ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Draft:
    """A protected table before its claims are checked.

    `reordered` is True where record i of the table no longer stems from record i of the original; `notes` are
    findings that the person who releases must read.
    """

    table: Table
    claims: tuple[Claim, ...] = ()
    partition: Partition | None = None
    notes: tuple[str, ...] = ()
    reordered: bool = False


class Fitted(Protocol):
    """What a method decided about one table; draws as many protected tables as wanted."""

    def draw(self, streams: Streams) -> Draft: ...


class Partitioner(Protocol):
    """Cuts records into groups."""

    def partition(self, table: Table, streams: Streams) -> Partition: ...


class Treatment(Protocol):
    """Changes values inside each group; also says which claims follow from the groups."""

    def treat(self, table: Table, partition: Partition, streams: Streams) -> Draft: ...


class Restoration(Protocol):
    """Gives a treated table back what the treatment lost, inside each part."""

    def refuse(self, original: Table, parts: Partition) -> None:
        """Raises where this table cannot be restored in these parts: before the treatment has done any work."""

    def restore(self, original: Table, draft: Draft, parts: Partition, streams: Streams) -> Draft: ...


def parameters(value: Any) -> Any:
    """A method's parameters as plain data, defaults included: dataclasses become tables that name their class."""
    if is_dataclass(value) and not isinstance(value, type):
        entries = {f.name: parameters(getattr(value, f.name)) for f in fields(value) if f.init}
        return {"name": type(value).__name__} | {k: v for k, v in entries.items() if v is not None}
    if isinstance(value, Mapping):
        return {str(key): parameters(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [parameters(entry) for entry in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


# -- measures --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """One entry of a breakdown: what it is of (column names, or a label) and its value.

    `people` where they are others than the figure's; `below` as in `Figure`.
    """

    of: tuple[str, ...]
    value: float
    people: int | None = None
    below: bool = False


@dataclass(frozen=True, eq=False)
class Figure:
    """One number of evidence, with all that is needed to read it.

    `value` is NaN where the figure is not defined on these tables; `note` then says why. `records` holds a value per
    record: internal, left out of everything that may be published. `people` is the number of records that 100 % are,
    where the value is a share of records (1 where it is the value of a single one, 0 where it is a share of something
    else): what stands for few of them is not published as it is. `note` is internal, for it may count records;
    `public_note` is what of it may be published. `below` marks a value of the publishable form that is only known to be
    no greater than this.
    """

    name: str
    value: float
    unit: str
    better: Better
    bounds: tuple[float, float]
    interval: tuple[float, float] | None = None
    parts: tuple[Part, ...] = ()
    records: Floats | None = field(default=None, repr=False)
    note: str = ""
    people: int | None = None
    public_note: str = ""
    below: bool = False


@runtime_checkable
class Measure(Protocol):
    """A figure, or a few that belong together, of how two tables differ. A frozen value that can be called."""

    @property
    def aspect(self) -> Aspect: ...

    @property
    def corresponds(self) -> bool: ...

    def __call__(self, original: Table, protected: Table) -> tuple[Figure, ...]: ...
