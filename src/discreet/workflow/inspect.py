"""What a file seems to be, what would go wrong with it, and what protecting it will cost; nothing is protected.

`inspect` answers with plain data and without a single cell value. It is internal all the same: counts are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from discreet.arrays import Ints
from discreet.errors import InputError, UnsuitableError
from discreet.keys import equal_records
from discreet.partition.mdav import MDAV
from discreet.progress import stage
from discreet.release import refuse_faulty
from discreet.selection import whole_number
from discreet.stats.streams import Streams
from discreet.strata import cells_by
from discreet.table.column import Column
from discreet.table.files.memory import available_memory
from discreet.table.frames import Frame, as_frame, encode_column
from discreet.table.load import Opened, open_data
from discreet.table.schema import WITHHELD, Kind, Role, Schema, Variable
from discreet.table.table import Table

THRESHOLD = 10  # counts below it are not published
SMALLEST_PART = 2_000  # records of the first run that the time is worked out from
TELLING = 0.4  # seconds of a run that tells enough
WRITING = 1.0  # seconds to treat, check and write a file per second it took to read and encode it

# Bytes: the peak of reading, protecting and writing text files of 10^5 and 4 x 10^5 records, ten columns of one kind
# each, on Linux. Texts of a file that are much longer than 10 letters need their length on top.
LIBRARIES = 260e6
BYTES_OF_CELL = 65.0
BYTES_OF_WITHHELD_CELL = 30.0


@dataclass(frozen=True)
class ColumnView:
    """What one column seems to be. Counts are None where the column was not read: withheld, undecided or faulty."""

    name: str
    kind: Kind
    role: Role
    reason: str = ""
    n_missing: int | None = None
    n_different: int | None = None


@dataclass(frozen=True)
class Finding:
    """Something to know of some columns, or of the file where none is named. `fails`: protecting would be refused."""

    columns: tuple[str, ...]
    text: str
    fails: bool


@dataclass(frozen=True)
class Exposure:
    """How alone records stand by their quasi-identifiers: the k attained, and sample uniques."""

    columns: tuple[str, ...]
    n_records: int
    smallest_group: int
    n_unique: int

    @property
    def share_unique(self) -> float:
        return self.n_unique / self.n_records

    def to_dict(self, *, publishable: bool = False) -> dict[str, Any]:
        counted = asdict(self) | {"columns": list(self.columns)}
        if publishable:
            counted |= {key: _shown(counted[key]) for key in ("smallest_group", "n_unique")}
        return counted


def _shown(count: int) -> int | str:
    return count if count >= THRESHOLD else f"<{THRESHOLD}"


@dataclass(frozen=True)
class Cost:
    """What the default method will need on this file and this machine.

    `seconds`, without those of starting up, were measured where `measured`; else worked out from parts of the file.
    `available_bytes` is None where the system does not tell.
    """

    seconds: float
    measured: bool
    n_bytes: float
    available_bytes: int | None
    n_records: int

    @property
    def fits(self) -> bool:
        return self.available_bytes is None or self.n_bytes <= self.available_bytes

    @property
    def seconds_per_thousand(self) -> float:
        """Unit cost: seconds for a thousand records, at this size."""
        return 1_000 * self.seconds / self.n_records

    @property
    def bytes_per_record(self) -> float:
        """Unit cost: bytes that one more record needs."""
        return (self.n_bytes - LIBRARIES) / self.n_records

    def to_dict(self) -> dict[str, Any]:
        units = {
            "seconds_per_thousand_records": self.seconds_per_thousand,
            "bytes_per_record": self.bytes_per_record,
        }
        return asdict(self) | {"fits": self.fits} | units


@dataclass(frozen=True)
class Inspection:
    """What was found. Internal unless asked for as publishable: counts are exact."""

    n_records: int
    columns: tuple[ColumnView, ...]
    findings: tuple[Finding, ...]
    k: int
    exposure: Exposure | None
    cost: Cost | None
    schema: Schema = field(repr=False)

    @property
    def would_fail(self) -> bool:
        """Whether the default method would refuse this file."""
        return any(finding.fails for finding in self.findings)

    def to_dict(self, *, publishable: bool = False) -> dict[str, Any]:
        """As plain data; `publishable` gives counts below ten as '<10'."""
        columns = [asdict(column) for column in self.columns]
        if publishable:
            counts = ("n_missing", "n_different")
            columns = [
                {
                    key: _shown(value) if key in counts and value is not None else value
                    for key, value in entry.items()
                }
                for entry in columns
            ]
        return {
            "internal": not publishable,
            "n_records": self.n_records,
            "columns": columns,
            "findings": [asdict(finding) | {"columns": list(finding.columns)} for finding in self.findings],
            "would_fail": self.would_fail,
            "k": self.k,
            "exposure": self.exposure.to_dict(publishable=publishable) if self.exposure else None,
            "cost": self.cost.to_dict() if self.cost else None,
        }


def inspect(
    data: Frame | str | Path, schema: Schema | str | Path | None = None, *, k: int = 5, **reading: Any
) -> Inspection:
    """Look at a dataframe or a file without protecting it.

    Args:
        data: a pandas or polars dataframe, an Arrow table, or the path of a file.
        schema: what each column is, or the path of a schema file; guessed where None.
        k: the group size that `protect` would be asked for.
        reading: how to read a file (`delimiter`, `encoding`, `decimal`, `format`, `null_values`).

    Example:
        >>> import polars as pl
        >>> seen = inspect(pl.DataFrame({"age": [30, 30, 41, 58], "sex": ["f", "f", "m", "f"]}), k=2)
        >>> [(column.name, column.role) for column in seen.columns]
        [('age', 'quasi'), ('sex', 'quasi')]
        >>> seen.exposure
        Exposure(columns=('age', 'sex'), n_records=4, smallest_group=1, n_unique=2)
    """
    whole_number("k", k, least=1)
    started = perf_counter()
    with stage("reading"):
        opened = open_data(data, warn=False, **reading)
    if isinstance(schema, (str, Path)):
        schema = Schema.read(schema)
    if schema is None:
        with stage("guessing what the columns are"):
            schema = opened.guessed_schema()
    return inspect_opened(opened, schema, k, started)


def inspect_opened(opened: Opened, schema: Schema, k: int, started: float) -> Inspection:
    """The same for data already opened; `started` (perf_counter) is when reading began."""
    frame = as_frame(opened.frame)
    schema.check_names(frame.columns)
    with stage("encoding"):
        columns, faults = _encoded(frame, schema, opened)
    table = Table(tuple(columns), len(frame))
    reading = perf_counter() - started
    unfit = tuple(_unfit(table, schema, k))
    return Inspection(
        n_records=len(frame),
        columns=tuple(_view(variable, table) for variable in schema),
        findings=(*_undecided(schema), *faults, *unfit, *_remarks(opened)),
        k=k,
        exposure=exposure_of(table),
        cost=None if unfit else _cost(table, schema, k, reading),
        schema=schema,
    )


def exposure_of(table: Table) -> Exposure | None:
    """The smallest group of equal quasi-identifiers, and how many records are alone in theirs."""
    names = tuple(column.name for column in table.of_role("quasi"))
    if not names:
        return None
    sizes = equal_records(table, names).sizes
    return Exposure(names, table.n_records, int(sizes.min()), int(np.count_nonzero(sizes == 1)))


# -- what the columns are --------------------------------------------------------------------------------------


def _encoded(frame: Any, schema: Schema, opened: Opened) -> tuple[list[Column], list[Finding]]:
    """The columns that can be read under the schema, and why others cannot."""
    columns, faults = [], []
    for name in frame.columns:
        variable = schema[name]
        if variable.role in (*WITHHELD, "undecided"):
            continue
        try:
            columns.append(encode_column(frame, variable, schema.taxonomies, opened.text_of)[0])
        except InputError as fault:
            faults.append(Finding((name,), str(fault), fails=True))
    return columns, faults


def _view(variable: Variable, table: Table) -> ColumnView:
    view = ColumnView(variable.name, variable.kind, variable.role, variable.reason)
    if variable.name not in table:
        return view
    column = table[variable.name]
    present = column.values[~column.missing]
    return ColumnView(
        view.name, view.kind, view.role, view.reason, int(column.missing.sum()), len(np.unique(present))
    )


# -- what would go wrong ---------------------------------------------------------------------------------------


def _undecided(schema: Schema) -> Iterator[Finding]:
    for variable in schema.of_role("undecided"):
        why = f" ({variable.reason})" if variable.reason else ""
        yield Finding(
            (variable.name,),
            f"Nobody has decided what outsiders do with it{why}. Give it a role: identifier (dropped), quasi, "
            "confidential or other.",
            fails=True,
        )


def _unfit(table: Table, schema: Schema, k: int) -> Iterator[Finding]:
    """What the default method would refuse although every column can be read."""
    try:
        refuse_faulty(table)
    except InputError as fault:
        yield Finding((), str(fault), fails=True)
    if table.n_records < k:
        yield Finding((), f"There are fewer records than k={k}. Lower k.", fails=True)
    if not schema.of_role("quasi"):
        yield Finding(
            (),
            "No column has the role quasi, so there is nothing to make records alike in. Give that role to what an "
            "intruder may know.",
            fails=True,
        )
    strata = tuple(column.name for column in table.of_role("stratum"))
    if strata and (small := int((cells_by(table, strata).sizes < k).sum())):
        yield Finding(
            strata, f"Strata with fewer records than k={k}: {small}. Merge them, or lower k.", fails=True
        )


def _remarks(opened: Opened) -> Iterator[Finding]:
    """What reading noticed: no fault, but worth a look."""
    source = opened.source
    if source is None:
        return
    yield from (Finding((), remark, fails=False) for remark in source.remarks)
    yield from (Finding((name,), note, fails=False) for name, note in source.notes.items())
    for name in source.suspects:
        yield Finding(
            (name,),
            "Would be numbers but for words that usually mean missing. Declare those words as missing "
            "(null_values), or keep the column as text.",
            fails=False,
        )


# -- what it costs ---------------------------------------------------------------------------------------------


def _cost(table: Table, schema: Schema, k: int, reading: float) -> Cost | None:
    """What protecting will need; None where the columns that can be read cannot be grouped."""
    if not table.of_role("quasi"):
        return None
    with stage("measuring the time of a part"):
        try:
            grouping, measured = _grouping_seconds(table, k)
        except UnsuitableError:
            return None
    return Cost(
        seconds=reading * (1 + WRITING) + grouping,
        measured=measured,
        n_bytes=_bytes_needed(table, schema),
        available_bytes=available_memory(),
        n_records=table.n_records,
    )


def _grouping_seconds(table: Table, k: int) -> tuple[float, bool]:
    """Seconds that grouping all records takes, and whether that was measured.

    Parts of the file are grouped, each twice the size of the one before, until one takes long enough to say something.
    MDAV compares every record that is left with each of n / k groups, fewer where a search tree helps: its time grows
    like n^p with p from 1 to 2, and the last two runs give p.
    """
    strata = [column.name for column in table.of_role("stratum")]
    sizes = cells_by(table, strata).sizes if strata else np.array([table.n_records])
    most = int(sizes.max())
    size = min(SMALLEST_PART, most)
    _timed(table, k, min(table.n_records, 4 * k))  # compiles, or loads what was compiled
    seconds, power = _timed(table, k, size), 2.0
    while size < most and seconds < TELLING:
        larger = min(2 * size, most)
        longer = _timed(table, k, larger)
        power = float(np.clip(np.log(longer / seconds) / np.log(larger / size), 1.0, 2.0))
        size, seconds = larger, longer
    return seconds * float(((sizes / size) ** power).sum()), size == most and len(sizes) == 1


def _timed(table: Table, k: int, n_records: int) -> float:
    """Seconds of grouping some records, evenly spread over the file."""
    part = table if n_records >= table.n_records else table.take(_spread_rows(table.n_records, n_records))
    started = perf_counter()
    MDAV(min(k, part.n_records)).partition(part, Streams(0))
    return max(perf_counter() - started, 1e-6)


def _spread_rows(n_records: int, wanted: int) -> Ints:
    return np.linspace(0, n_records - 1, wanted).astype(np.int64)


def _bytes_needed(table: Table, schema: Schema) -> float:
    n_unread = len(schema.variables) - len(table.columns)
    return LIBRARIES + table.n_records * (
        BYTES_OF_CELL * len(table.columns) + BYTES_OF_WITHHELD_CELL * n_unread
    )
