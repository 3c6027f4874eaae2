"""A fitted restoration: plain arrays that map treated records, one at a time, to the same bits in any block.

Fitting is in restoration.py; here is what comes of it, which can be applied, saved and read again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from discreet.arrays import Floats, Ints
from discreet.errors import ParameterError
from discreet.kernels.affine import map_records, record_draws
from discreet.stats.moments import STRIP_ROWS, Blocks
from discreet.stats.restoration_maps import ColumnKinds, Kind


@dataclass(frozen=True)
class AffineMap:
    """out[:, targets] = offset + (values[:, sources] - centre) @ matrix."""

    sources: Ints
    centre: Floats
    matrix: Floats
    offset: Floats
    targets: Ints

    def write(self, values: Floats, out: Floats) -> None:
        """Maps every record of `values` into `out`."""
        map_records(values, self.sources, self.centre, self.matrix, self.offset, self.targets, out)


@dataclass(frozen=True)
class NoiseFill:
    """Which working columns are standard normal noise: a keyed hash of the treated record's content.

    Equal treated records get equal noise, in whatever block they stand. `per_record` adds the record's number to what
    is hashed, where there are too few distinct records to carry so many columns: then equal records do not stay equal.
    The key is a secret: who has it can take the noise off.
    """

    positions: Ints
    key: NDArray[np.uint64]
    per_record: bool

    def write(self, treated: Floats, start: int, out: Floats) -> None:
        """Fills the columns of `out`; `start` is the number of the first record."""
        draws = record_draws(treated, self.key, len(self.positions), start if self.per_record else -1)
        out[:, self.positions] = ndtri(draws)


@dataclass(frozen=True)
class Restoration:
    """A fitted restoration: plain arrays, saved with `as_data`. It holds the original means and covariances.

    `steps` lead from treated records to working columns of mean 0 and covariance I, one for each free column: the
    first from the treated columns, the others (corrections) from the working columns to themselves. `assembly` makes of
    them the free columns and the `followers`, `identities` the other dependent columns. `gain` is the most by which the
    first map multiplies the variance of a direction, and with it the rounding of the moments it was made from.
    `filled` and `equal_stay_equal` say what a release has to admit.
    """

    kind: Kind
    columns: ColumnKinds
    mean: Floats
    deviations: Floats
    gain: float
    steps: tuple[AffineMap, ...]
    noise: NoiseFill | None
    assembly: Floats
    followers: tuple[int, ...]
    identities: AffineMap | None

    @property
    def filled(self) -> tuple[int, ...]:
        """Positions of the near columns whose own part is noise."""
        return () if self.noise is None else tuple(self.columns.free[i] for i in self.noise.positions)

    @property
    def equal_stay_equal(self) -> bool:
        """Whether equal treated records are equal in the restored table, as k-anonymity needs."""
        return self.noise is None or not self.noise.per_record

    @property
    def far_from_zero(self) -> tuple[int, ...]:
        """Positions of columns with a mean above a million deviations: their numbers hold few digits of variation."""
        far = ~(np.abs(self.mean) <= 1e6 * self.deviations)
        return tuple(column for column in np.flatnonzero(far).tolist() if column not in self.columns.constant)

    def apply(self, treated: Floats, start: int = 0) -> Floats:
        """The restored records; `start` is the number of the first of them in the whole table."""
        if treated.ndim != 2 or treated.shape[1] != len(self.mean):
            raise ParameterError(f"Expected {len(self.mean)} columns: got an array of shape {treated.shape}.")
        values = np.ascontiguousarray(treated, dtype=np.float64)
        restored = np.empty(values.shape)
        last, constant = self._last_step(), list(self.columns.constant)

        def restore_strip(rows: slice) -> None:
            out = restored[rows]
            last.write(self._after(self.steps[:-1], values[rows], start + rows.start), out)
            if self.identities is not None:
                self.identities.write(out, out)
            out[:, constant] = self.mean[constant]

        _for_each_strip(restore_strip, len(values))
        return restored

    def apply_blocks(self, blocks: Blocks) -> Iterator[Floats]:
        """Restored records of a source of (original, treated, ...) pieces, piece by piece."""
        start = 0
        for piece in blocks():
            yield self.apply(piece[1], start)
            start += len(piece[1])

    def working(self, treated: Floats, start: int = 0) -> Floats:
        """The working columns after all steps: what a correction round measures."""
        values = np.ascontiguousarray(treated, dtype=np.float64)
        return self._after(self.steps, values, start)

    def as_data(self) -> dict[str, Any]:
        """The restoration as lists, numbers and strings, from which `restoration_from_data` makes it again."""
        return {
            "kind": self.kind,
            "columns": {name: list(positions) for name, positions in vars(self.columns).items()},
            "mean": self.mean.tolist(),
            "deviations": self.deviations.tolist(),
            "gain": self.gain,
            "steps": [_as_lists(step) for step in self.steps],
            "assembly": self.assembly.tolist(),
            "followers": list(self.followers),
            "noise": None if self.noise is None else _as_lists(self.noise),
            "identities": None if self.identities is None else _as_lists(self.identities),
        }

    def _last_step(self) -> AffineMap:
        """The last step, carried on to the free columns and followers in their own units and about their own means."""
        last = self.steps[-1]
        targets = np.array([*self.columns.free, *self.followers], dtype=np.int64)
        matrix = last.matrix @ self.assembly[last.targets] * self.deviations[targets]
        return replace(last, matrix=matrix, offset=self.mean[targets], targets=targets)

    def _after(self, steps: tuple[AffineMap, ...], values: Floats, start: int) -> Floats:
        work = values
        for number, step in enumerate(steps):
            after = np.empty((len(values), len(self.columns.free)))
            step.write(work, after)
            if number == 0 and self.noise is not None:
                self.noise.write(values, start, after)
            work = after
        return work


def restoration_from_data(data: dict[str, Any]) -> Restoration:
    """The restoration that `Restoration.as_data` wrote down, to the last bit."""
    noise, identities = data["noise"], data["identities"]
    return Restoration(
        kind=data["kind"],
        columns=ColumnKinds(**{name: tuple(positions) for name, positions in data["columns"].items()}),
        mean=np.array(data["mean"], dtype=np.float64),
        deviations=np.array(data["deviations"], dtype=np.float64),
        assembly=_matrix(data["assembly"], len(data["assembly"])),
        followers=tuple(data["followers"]),
        gain=float(data["gain"]),
        steps=tuple(_map_from_data(step) for step in data["steps"]),
        noise=None
        if noise is None
        else NoiseFill(
            np.array(noise["positions"], dtype=np.int64),
            np.array(noise["key"], dtype=np.uint64),
            noise["per_record"],
        ),
        identities=None if identities is None else _map_from_data(identities),
    )


def _for_each_strip(work: Callable[[slice], None], n_records: int) -> None:
    """Does the work strip by strip, on all cores: strips are written apart, so their order does not matter."""
    strips = [slice(start, min(start + STRIP_ROWS, n_records)) for start in range(0, n_records, STRIP_ROWS)]
    n_workers = max(1, min(_n_cores(), len(strips)))

    def work_through(worker: int) -> None:
        for rows in strips[worker::n_workers]:
            work(rows)

    if n_workers <= 1:
        work_through(0)
        return
    with ThreadPoolExecutor(n_workers) as pool:
        for _ in pool.map(work_through, range(n_workers)):
            pass


def _n_cores() -> int:
    """Cores this process may use; where the system does not say, those of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _as_lists(record: AffineMap | NoiseFill) -> dict[str, Any]:
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in vars(record).items()
    }


def _map_from_data(data: dict[str, Any]) -> AffineMap:
    return AffineMap(
        sources=np.array(data["sources"], dtype=np.int64),
        centre=np.array(data["centre"], dtype=np.float64),
        matrix=_matrix(data["matrix"], len(data["sources"])),
        offset=np.array(data["offset"], dtype=np.float64),
        targets=np.array(data["targets"], dtype=np.int64),
    )


def _matrix(rows: list[list[float]], n_rows: int) -> Floats:
    return np.array(rows, dtype=np.float64).reshape(n_rows, -1)
