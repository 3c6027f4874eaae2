"""Additive noise: independent, correlated, or rescaled so that means and covariances stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from discreet.arrays import Floats
from discreet.base import Claim, Draft, Fitted
from discreet.claims.exact_moments import ExactMoments, attainable
from discreet.errors import ParameterError, UnsuitableError
from discreet.release import Method
from discreet.selection import chosen, flag, name_list, names_of, number
from discreet.stats.streams import Streams
from discreet.stats.weighted import covariance, mean, variance
from discreet.table.column import Column
from discreet.table.table import Table

Kind = Literal["independent", "correlated", "rescaled"]
NOTICEABLE = 1e-3  # of a standard deviation: less than this is not worth a note


@dataclass(frozen=True)
class Noise(Method):
    """Adds normal noise to numeric columns.

    Blurs every value; does **not** bound the risk of any record (an outlier stays an outlier), and whoever has the seed
    can take the noise away. Missing cells stay missing. Whole numbers are rounded, declared bounds clip; a note says
    where this moves means or variances that were to stay.

    Args:
        sd: standard deviation of the noise, in standard deviations of the column. The paper's c is sd squared.
        columns: numeric columns; None: those with the role quasi or confidential.
        kind: `independent`: every column its own noise, variances grow by 1 + sd^2, correlations shrink.
            `correlated`: noise with the covariance of the data, correlations stay, variances grow.
            `rescaled`: mean + (x - mean + e) / sqrt(1 + c), e ~ N(0, c S): means and covariances stay in expectation
            (equation (10) of Oganian and Domingo-Ferrer).
        exact: with `rescaled`, e is made uncorrelated with the data and its covariance exactly c S, so means and
            covariances are exact; claimed and checked. Released values keep all digits, and bounds are not clipped.

    Example:
        >>> import polars as pl
        >>> from discreet.table.schema import Schema, Variable
        >>> schema = Schema((Variable(name="pay", kind="numeric", role="confidential"),))
        >>> pay = pl.DataFrame({"pay": [10.0, 12.0, 9.0, 30.0, 22.0, 15.0]})
        >>> release = Noise(0.5, kind="rescaled", exact=True).protect(pay, schema, seed=1)
        >>> round(float(release.data["pay"].mean()), 9), round(float(pay["pay"].mean()), 9)
        (16.333333333, 16.333333333)
    """

    sd: float = 0.1
    columns: tuple[str, ...] | None = None
    kind: Kind = "independent"
    exact: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", name_list(self.columns))
        object.__setattr__(self, "exact", flag("exact", self.exact))
        object.__setattr__(self, "sd", number("sd", self.sd, least=0))
        if self.kind not in ("independent", "correlated", "rescaled"):
            raise ParameterError("`kind` must be independent, correlated or rescaled.")
        if self.exact and self.kind != "rescaled":
            raise ParameterError("`exact` needs kind='rescaled'; the other kinds change variances by design.")

    def fit(self, table: Table, streams: Streams) -> Fitted:
        columns = chosen(
            table, self.columns, kinds=("numeric",), roles=("quasi", "confidential"), what="Noise"
        )
        centre, scatter = _moments(columns, table.weights)
        if self.exact:
            _refuse_exact(columns, table)
        return FittedNoise(self, table, names_of(columns), centre, _root(scatter, self.kind))


@dataclass(frozen=True, eq=False)
class FittedNoise:
    """Means, and a root of the noise's covariance before scaling: noise = sd * normals @ root."""

    method: Noise
    table: Table
    names: tuple[str, ...]
    centre: Floats
    root: Floats

    def draw(self, streams: Streams) -> Draft:
        n = self.table.n_records
        normals = np.column_stack([streams.normals("noise", name, n=n) for name in self.names])
        columns = [self.table[name] for name in self.names]
        values = np.column_stack([column.numbers for column in columns])
        if self.method.exact:
            normals = orthogonal_noise(normals, values, self.table.weights)
        treated = self.apply(values, normals)
        changed = self._columns(columns, treated)
        return Draft(self.table.with_columns(*changed), self._claims(), notes=self._notes(changed, treated))

    def apply(self, values: Floats, normals: Floats) -> Floats:
        """Records with these standard normals turned into their noise: a map of single records."""
        noisy = values + self.method.sd * (normals @ self.root)
        if self.method.kind != "rescaled":
            return noisy
        shrunk: Floats = self.centre + (noisy - self.centre) / np.sqrt(1 + self.method.sd**2)
        return shrunk

    def _columns(self, columns: Sequence[Column], treated: Floats) -> list[Column]:
        if not self.method.exact:
            return [column.with_numbers(treated[:, j]) for j, column in enumerate(columns)]
        return [column.loosened().with_values(treated[:, j]) for j, column in enumerate(columns)]

    def _claims(self) -> tuple[Claim, ...]:
        if not self.method.exact:
            return ()
        tolerance = attainable(self.table[name].numbers for name in self.names)
        return (ExactMoments(self.names, tolerance=tolerance),)

    def _notes(self, changed: Sequence[Column], treated: Floats) -> tuple[str, ...]:
        """Where the declared support moves moments that `rescaled` keeps in expectation."""
        if self.method.kind != "rescaled" or self.method.exact:
            return ()
        shifts = {
            column.name: _moment_shift(treated[:, j], column, self.table.weights)
            for j, column in enumerate(changed)
        }
        moved = [name for name, shift in shifts.items() if shift > NOTICEABLE]
        if not moved:
            return ()
        return (
            f"Rounding to the declared decimals and clipping to the declared bounds moved means or standard "
            f"deviations by up to {max(shifts.values()):.1%} of a standard deviation: {', '.join(moved)}.",
        )


def orthogonal_noise(normals: Floats, values: Floats, weights: Floats | None) -> Floats:
    """Normals made centred, uncorrelated with the columns of `values`, and of covariance exactly the identity.

    Projected off (1, values) twice, since one projection leaves rounding of the size of the collinearity.
    """
    mass = np.sqrt(np.ones(len(values)) if weights is None else weights)
    spread = np.column_stack([np.ones(len(values)), (values - values.mean(axis=0)) / _scale(values)])
    left, singular, _ = np.linalg.svd(spread * mass[:, None], full_matrices=False)
    basis = left[:, singular > 1e-10 * singular[0]]
    held = normals * mass[:, None]
    for _ in range(2):
        held = held - basis @ (basis.T @ held)
    frame, triangle = np.linalg.qr(held)
    frame = frame * np.sign(np.diag(triangle))
    positive = mass > 0
    out = normals.copy()  # records without weight do not enter the moments, but are blurred like any other
    out[positive] = frame[positive] / mass[positive, None] * np.sqrt(np.sum(mass**2))
    return out


def _moment_shift(treated: Floats, settled: Column, weights: Floats | None) -> float:
    """How far rounding and clipping moved the mean or the standard deviation, in standard deviations."""
    shown = ~settled.missing
    mass = None if weights is None or not weights[shown].any() else weights[shown]
    before, after = treated[shown], settled.numbers[shown]
    deviation = float(np.sqrt(variance(before, mass)))
    if not shown.any() or not deviation > 0:
        return 0.0
    moved = abs(float(mean(after, mass) - mean(before, mass)))
    return max(moved, abs(float(np.sqrt(variance(after, mass))) - deviation)) / deviation


def _scale(values: Floats) -> Floats:
    deviation = values.std(axis=0)
    return np.where(deviation > 0, deviation, 1.0)


def _moments(columns: Sequence[Column], weights: Floats | None) -> tuple[Floats, Floats]:
    """Means over present cells, and a covariance: of complete records, rescaled to the variances of present cells."""
    values = np.column_stack([column.numbers for column in columns])
    present = np.column_stack([~column.missing for column in columns])
    if not present.any(axis=0).all():
        empty = [column.name for column in columns if column.missing.all()]
        raise UnsuitableError(f"Columns without any value: {', '.join(empty)}. Leave them out.")
    mass = np.ones(len(values)) if weights is None else weights
    own = [
        (mean(values[ok, j], mass[ok]), covariance(values[ok, j : j + 1], mass[ok]))
        for j, ok in enumerate(present.T)
    ]
    centre = np.array([float(m) for m, _ in own])
    deviation = np.sqrt(np.maximum([float(np.squeeze(c)) for _, c in own], 0.0))
    complete = present.all(axis=1)
    if complete.sum() < 2 or not mass[complete].any():
        return centre, np.diag(deviation**2)
    shared = covariance(values[complete], mass[complete])
    scale = np.sqrt(np.maximum(np.diag(shared), 0.0))
    ratio = np.divide(deviation, scale, out=np.zeros_like(scale), where=scale > 0)
    return centre, shared * np.outer(ratio, ratio)


def _root(scatter: Floats, kind: Kind) -> Floats:
    """A matrix whose square is the covariance of the noise per unit of sd^2; any rank."""
    if kind == "independent":
        deviations: Floats = np.diag(np.sqrt(np.diag(scatter)))
        return deviations
    scale = np.sqrt(np.maximum(np.diag(scatter), 0.0))
    safe = np.where(scale > 0, scale, 1.0)
    eigenvalues, vectors = np.linalg.eigh(scatter / np.outer(safe, safe))
    root: Floats = (vectors * np.sqrt(np.maximum(eigenvalues, 0.0))).T * safe * (scale > 0)
    return root


def _refuse_exact(columns: Sequence[Column], table: Table) -> None:
    if any(column.missing.any() for column in columns):
        raise UnsuitableError(
            "Noise with exact=True needs complete columns. Fill or leave out missing cells."
        )
    needed = 2 * len(columns) + 2
    counted = int(table.counted.sum())
    if counted < needed:
        which = "records" if table.weights is None else "records with a weight above 0"
        raise UnsuitableError(
            f"Noise with exact=True needs at least {needed} {which} for {len(columns)} columns. Got {counted}."
        )
