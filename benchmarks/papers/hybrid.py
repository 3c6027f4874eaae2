"""The tables of "Information loss in continuous hybrid microdata" and what the paper leaves open.

All of it by public methods and measures on EIA, 4,092 records and ten columns. Every function returns plain numbers;
`sheets` sets them beside the paper's and the reference's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl
from scipy.linalg import cholesky, solve_triangular

import discreet as dc
from benchmarks.papers import hybrid_values as published
from benchmarks.papers.sheet import Entry, Line, Paper, Sheet, reference_numbers
from benchmarks.restoration import best_of, tables
from discreet.arrays import Floats, Ints
from discreet.stats.restoration import restore
from discreet.stats.restoration_printed import restore_printed
from discreet.stats.streams import Streams
from discreet.stats.threads import one_blas_thread
from discreet.table.frames import encode
from discreet.table.table import Table

PAPER = Paper("hybrid", "Continuous hybrid microdata (Domingo-Ferrer, Mateo-Sanz, Sebe)", ("eia.csv",))

SECTORS = ("RES", "COM", "IND")
COLUMNS = tuple(f"{sector}{what}" for sector in SECTORS for what in ("REVENUE", "SALES")) + (
    "OTHREVENUE",
    "OTHRSALES",
    "TOTREVENUE",
    "TOTSALES",
)
CATEGORIES = ("UTILNAME", "STATE", "MONTH")
FIGURES = ("PIL(Q)", "PIL(m1)", "PIL(m2)", "PIL(m11)", "PIL(r)", "DLD", "RID", "SDID")
GOLDEN = ("Q_range", "m1", "m2", "m11", "r", "DLD", "RID", "SDID")
SEEDS_OF_WHOLE, SEEDS_OF_PARTS = 5, 3  # of the reference
RISK_OF_PART = ("PIL(Q)", "DLD", "RID", "SDID")

Kind: TypeAlias = Literal["masked", "printed", "triangular", "transport"]
Bottom: TypeAlias = Literal["parts", "union"]

MASKS: dict[str, dc.Method] = {
    "mic": dc.Microaggregation(3, columns=COLUMNS),
    "sw": dc.RankSwapping(7, columns=COLUMNS),
    "rn": dc.Noise(0.16, columns=COLUMNS),
}

MASK_READINGS = (
    "mic: MDAV over all ten columns at once, on z-scores, k = 3",
    "sw: ranks visited in random order, partner uniform among the free ranks within 7 % of the records",
    "rn: independent normal noise, standard deviation (not variance) 0.16 of the column's",
)
MEASURE_READINGS = (
    "PIL(Q): density at a quantile 1 / (max - min), the nearest to the paper; PIL(r): delta method, no normality",
    "DLD: the first 1 .. 10 columns in file order, distances in the original's standard deviations, original seeks hybrid",
    "RID: half-widths of 1 .. 10 % of the records, in ranks of the hybrid column; SDID: of 1 .. 10 % of a deviation",
)
PART_READING = (
    "subdomains: d equal parts after sorting by RESREVENUE (the paper does not say); file order inside"
)
CHANCE_READING = (
    "sw and rn: the range of three seeds, which says what is allowed, is itself random; about one figure in thirty lies "
    "outside by chance"
)


@dataclass(frozen=True)
class Eia:
    """The file as read, and its columns as a table."""

    frame: pl.DataFrame
    table: Table

    @classmethod
    def read(cls, data: Path, *more: pl.Series) -> Eia:
        """The ten columns as real numbers, three categories, and categories of one's own."""
        raw = pl.read_csv(data / "eia.csv", infer_schema_length=None)
        frame = raw.select(
            pl.col(COLUMNS).cast(pl.Float64), pl.col(CATEGORIES).cast(pl.String).str.strip_chars(), *more
        )
        return cls(frame, encode(frame, schema_of(frame))[0])

    def with_parts(self, labels: Ints) -> Eia:
        """The same with the column `part`."""
        frame = self.frame.with_columns(part=pl.Series(labels).cast(pl.String))
        return Eia(frame, encode(frame, schema_of(frame))[0])

    def values(self) -> Floats:
        """The ten columns side by side."""
        return np.column_stack([self.table[name].values for name in COLUMNS])


def schema_of(frame: pl.DataFrame) -> dc.Schema:
    """Numbers that an intruder knows, without declared bounds or decimals; everything else is a category."""
    return dc.Schema(
        tuple(
            dc.Variable(name=name, kind="numeric", role="quasi")
            if name in COLUMNS
            else dc.Variable(name=name, kind="nominal", role="other")
            for name in frame.columns
        )
    )


def seeds_of(mask: str, n_seeds: int) -> range:
    """Microaggregation draws nothing: one run says all."""
    return range(1 if mask == "mic" else n_seeds)


def equal_parts(values: Floats, n_parts: int) -> Ints:
    """Parts of equally many records, by rank; ties by the order of the file."""
    labels = np.empty(len(values), dtype=np.int64)
    for part, rows in enumerate(np.array_split(np.argsort(values, kind="stable"), n_parts)):
        labels[rows] = part
    return labels


def protect(eia: Eia, mask: str, kind: Kind, seed: int, by: tuple[str, ...] = ()) -> Table:
    """X'(mask) or X''(mask), as released."""
    method = MASKS[mask]
    if kind != "masked":
        method = dc.CholeskyHybrid(method, columns=COLUMNS, kind=kind, by=by, exact=True)
    return method.protect(eia.frame, schema_of(eia.frame), seed=seed).table


def measure(original: Table, released: Table) -> Floats:
    """The eight figures of the paper, in its order."""
    with one_blas_thread():
        losses = dc.ProbabilisticLoss(columns=COLUMNS)(original, released)
        risks = (
            dc.PrefixLinkage(known=COLUMNS),
            dc.RankInterval(columns=COLUMNS),
            dc.SdInterval(columns=COLUMNS),
        )
        found = [*losses, *(figure for risk in risks for figure in risk(original, released))]
    return np.array([figure.value for figure in found])


def measure_parts(original: Table, released: Table, labels: Ints) -> Floats:
    """Mean over the parts of what is measured inside each."""
    parts = [np.flatnonzero(labels == part) for part in np.unique(labels)]
    return np.mean([measure(original.take(rows), released.take(rows)) for rows in parts], axis=0)


# -- rows of the tables: one line of eight figures per seed ------------------------------------------------------


def overall(eia: Eia, mask: str, kind: Kind, n_seeds: int) -> Floats:
    """Table 1.2."""
    return np.array([measure(eia.table, protect(eia, mask, kind, seed)) for seed in seeds_of(mask, n_seeds)])


def top_down(eia: Eia, mask: str, kind: Kind, n_parts: int, n_seeds: int) -> Floats:
    """Table 1.3: treated as a whole, measured inside the parts."""
    labels = equal_parts(eia.table["RESREVENUE"].values, n_parts)
    runs = (protect(eia, mask, kind, seed) for seed in seeds_of(mask, n_seeds))
    return np.array([measure_parts(eia.table, released, labels) for released in runs])


def bottom_up(eia: Eia, mask: str, kind: Kind, n_parts: int, n_seeds: int) -> dict[Bottom, Floats]:
    """Table 1.4: treated inside the parts, measured inside them and over their union."""
    labels = equal_parts(eia.table["RESREVENUE"].values, n_parts)
    marked = eia.with_parts(labels)
    runs = [protect(marked, mask, kind, seed, ("part",)) for seed in seeds_of(mask, n_seeds)]
    return {
        "parts": np.array([measure_parts(marked.table, released, labels) for released in runs]),
        "union": np.array([measure(marked.table, released) for released in runs]),
    }


def seconds(n_records: int, n_columns: int) -> tuple[float, float]:
    """Table 1.1: processor seconds of the printed algorithm and of restoration, of treated normal records."""
    import time

    original, treated = tables(n_records, n_columns)
    repeats = 5 if n_records * n_columns <= 500_000 else 2
    with one_blas_thread():
        printed = best_of(lambda: restore_printed(original, treated), repeats, time.process_time)
        restored = best_of(lambda: restore(original, treated), repeats, time.process_time)
    return printed, restored


def by_group_size(eia: Eia, k: int) -> Floats:
    """The figures of microaggregation with k, restored by `transport`."""
    mask = dc.Microaggregation(k, columns=COLUMNS)
    hybrid = dc.CholeskyHybrid(mask, columns=COLUMNS, exact=True)
    return measure(eia.table, hybrid.protect(eia.frame, schema_of(eia.frame), seed=0).table)


def in_months(eia: Eia) -> dict[str, float]:
    """DLD inside each month, meaned, of microaggregation over everything and inside months."""
    whole, months = dc.Whole(), dc.Cells(("MONTH",))
    mask = dc.Microaggregation(3, columns=COLUMNS)
    restoration = dc.MomentRestoration(columns=COLUMNS, exact=True)
    streams = Streams(0)
    groups = months.partition(eia.table, streams)
    draft = mask.fit(eia.table, streams).draw(streams)
    ways = {
        "masked over all, restored over all": restoration.restore(
            eia.table, draft, whole.partition(eia.table, streams), streams
        ),
        "masked over all, restored inside months": restoration.restore(eia.table, draft, groups, streams),
        "masked and restored inside months": dc.Composition(months, dc.Within(mask), restoration)
        .fit(eia.table, streams)
        .draw(streams),
    }
    return {name: _linkage_in(eia.table, done.table, groups.labels) for name, done in ways.items()}


def _linkage_in(original: Table, released: Table, labels: Ints) -> float:
    linkage = dc.PrefixLinkage(known=COLUMNS)
    parts = [np.flatnonzero(labels == part) for part in np.unique(labels)]
    found = [linkage(original.take(rows), released.take(rows))[0].value for rows in parts]
    return float(np.mean(found))


def carried_by_last(eia: Eia, mask: str) -> Floats:
    """Percent of the variance of columns 2 .. m of A that Algorithm 2's last v - 1 records carry."""
    original, hybrid = eia.values(), _columns_of(protect(eia, mask, "printed", 0))
    centred = original - original.mean(axis=0)
    upper = cholesky(centred.T @ centred / len(original))
    white = solve_triangular(upper, (hybrid - original.mean(axis=0)).T, trans="T").T
    return np.array(
        [100.0 * (white[-v:, v] ** 2).sum() / (white[:, v] ** 2).sum() for v in range(1, white.shape[1])]
    )


def over_orders(eia: Eia, mask: str, n_orders: int) -> Floats:
    """The figures of the printed algorithm after n random orders of the records of one masked file."""
    original, masked = eia.values(), _columns_of(protect(eia, mask, "masked", 0))
    found = []
    for seed in range(n_orders):
        order = np.random.default_rng(seed).permutation(len(original))
        values = np.empty_like(masked)
        values[order] = restore_printed(original[order], masked[order]).values
        columns = [eia.table[name].with_values(values[:, j]) for j, name in enumerate(COLUMNS)]
        found.append(measure(eia.table, eia.table.with_columns(*columns)))
    return np.array(found)


def _columns_of(table: Table) -> Floats:
    return np.column_stack([table[name].values for name in COLUMNS])


# -- sheets ------------------------------------------------------------------------------------------------------


def sheets(data: Path, quick: bool) -> Iterator[Sheet]:
    """All tables; `quick` takes one seed, two numbers of subdomains and the smaller sizes."""
    eia, reference = Eia.read(data), reference_numbers(data, "hybrid.json")
    divisions = (2, 5) if quick else (2, 3, 4, 5)
    yield times_sheet((1_000, 10_000) if quick else (1_000, 10_000, 100_000))
    yield overall_sheet(eia, reference, 1 if quick else 5)
    yield top_down_sheet(eia, reference, divisions, 1 if quick else 3)
    yield from bottom_up_sheets(eia, reference, divisions, 1 if quick else 3)
    yield group_size_sheet(eia, reference)
    yield months_sheet(eia)
    yield suggestions_sheet(data)
    yield blocks_sheet(data, ("rn",) if quick else ("rn", "sw"))
    yield last_records_sheet(eia)
    yield orders_sheet(eia, reference, 3 if quick else 20)


def times_sheet(sizes: Sequence[int]) -> Sheet:
    """Table 1.1."""
    widths = (5, 10, 25, 50)
    entries = []
    for n_records in sizes:
        ours = [seconds(n_records, n_columns) for n_columns in widths]
        lines = (
            Line("paper", published.SECONDS[n_records]),
            Line("printed", tuple(printed for printed, _ in ours)),
            Line("transport", tuple(restored for _, restored in ours)),
        )
        entries.append(Entry(f"{n_records:,}", lines))
    readings = (
        "random normal columns and noise; without the mask; one thread, processor time, best of 2 to 5",
    )
    return Sheet(
        "Table 1.1  Seconds by records and columns (the paper: a 1.7 GHz PC)",
        tuple(f"{n_columns} columns" for n_columns in widths),
        tuple(entries),
        readings,
        decimals=4,
    )


def overall_sheet(eia: Eia, reference: Any, n_seeds: int) -> Sheet:
    """Table 1.2, and the default restoration."""
    kinds: tuple[Kind, ...] = ("masked", "printed", "transport", "triangular")
    entries = [
        entry(
            f"X'({mask})" if kind == "masked" else f"X''({mask}) {kind}",
            published.OVERALL.get((mask, kind)),
            _at(reference, "eia", mask, kind),
            overall(eia, mask, kind, n_seeds),
            SEEDS_OF_WHOLE,
        )
        for kind in kinds
        for mask in MASKS
    ]
    return Sheet(
        f"Table 1.2  The whole file, % (sw and rn: mean of {n_seeds} seeds, range below)",
        FIGURES,
        tuple(entries),
        (*MASK_READINGS, *MEASURE_READINGS, "printed: the file's order of records; the paper does not say"),
    )


def top_down_sheet(eia: Eia, reference: Any, divisions: Iterable[int], n_seeds: int) -> Sheet:
    """Table 1.3, and the default restoration."""
    entries = [
        entry(
            f"X''({mask}) d={n_parts} {kind}",
            published.TOP_DOWN.get((mask, n_parts)) if kind == "printed" else None,
            _at(reference, "eia_subdomains", "top_down", kind, mask, str(n_parts)),
            top_down(eia, mask, kind, n_parts, n_seeds),
        )
        for kind in _compared()
        for mask in MASKS
        for n_parts in divisions
    ]
    title = f"Table 1.3  Top-down: restored as a whole, measured in d subdomains, % ({n_seeds} seeds)"
    return Sheet(title, FIGURES, tuple(entries), (PART_READING, CHANCE_READING))


def bottom_up_sheets(eia: Eia, reference: Any, divisions: Iterable[int], n_seeds: int) -> tuple[Sheet, Sheet]:
    """Table 1.4: subdomains, and their union."""
    of: dict[Bottom, list[Entry]] = {"parts": [], "union": []}
    printed: dict[Bottom, dict[tuple[str, int], published.Row]] = {
        "parts": published.PARTS,
        "union": published.UNION,
    }
    for kind in _compared():
        for mask in MASKS:
            for n_parts in divisions:
                for where, figures in bottom_up(eia, mask, kind, n_parts, n_seeds).items():
                    paper = printed[where].get((mask, n_parts)) if kind == "printed" else None
                    path = ("eia_subdomains", f"bottom_up_{where}", kind, mask, str(n_parts))
                    label = f"X''({mask}) d={n_parts} {kind}"
                    of[where].append(entry(label, paper, _at(reference, *path), figures))
    title = f"Table 1.4  Bottom-up: masked and restored inside d subdomains, % ({n_seeds} seeds)"
    return (
        Sheet(
            f"{title}: mean over the subdomains", FIGURES, tuple(of["parts"]), (PART_READING, CHANCE_READING)
        ),
        Sheet(f"{title}: their union", FIGURES, tuple(of["union"])),
    )


def group_size_sheet(eia: Eia, reference: Any) -> Sheet:
    """Risk by the treatment's k."""
    found = _at(reference, "eia_mdav_k_transport", "by_k")
    entries = []
    for k in (3, 5, 10, 20, 50, 100):
        ours = by_group_size(eia, k)[[0, 5, 6, 7]]
        lines = [Line("ours", tuple(ours.tolist()))]
        if found:
            expected = [found[str(k)][name] for name in ("PILQ", "DLD", "RID", "SDID")]
            wrong = np.abs(ours - expected) > reference["eia_mdav_k_transport"]["tolerance"]
            lines = [
                Line("reference", tuple(expected)),
                Line("ours", tuple(ours.tolist()), tuple(wrong.tolist())),
            ]
        entries.append(Entry(f"k = {k}", tuple(lines)))
    paper = published.OVERALL["mic", "printed"]
    entries.append(Entry("X''(mic) k = 3", (Line("paper", (paper[0], *paper[5:])),)))
    return Sheet("Risk by the treatment's k: MDAV with k, then transport, %", RISK_OF_PART, tuple(entries))


def months_sheet(eia: Eia) -> Sheet:
    """Linkage inside months: a group of three may be one utility in three months."""
    expected = (75.6, 67.6, 14.3)
    entries = [
        Entry(
            name,
            (
                Line("reference", (wanted,)),
                Line("ours", (ours,), (abs(ours - wanted) > 0.1,)),
            ),
        )
        for (name, ours), wanted in zip(in_months(eia).items(), expected, strict=True)
    ]
    return Sheet(
        "Treat inside the parts an intruder knows: mic, transport, linkage inside the twelve months, %",
        ("DLD",),
        tuple(entries),
    )


def suggestions_sheet(data: Path) -> Sheet:
    """Subdomains worth restoring apart: what is lost inside them, and the risk of keeping it."""
    month = pl.col("MONTH")
    raw = pl.read_csv(data / "eia.csv", infer_schema_length=None)
    frame = raw.select(
        pl.col(COLUMNS).cast(pl.Float64),
        pl.col("STATE"),
        month.cast(pl.String),
        QUARTER=((month - 1) // 3).cast(pl.String),
        ADJUSTMENT=pl.col("UTILNAME").str.contains("State Level").cast(pl.String),
    )
    wanted = {"RESREVENUE": 20.2, "QUARTER": 10.9, "MONTH": 9.1, "STATE": 8.5, "ADJUSTMENT": 2.4}
    found = {one.by: one for one in dc.suggest_subdomains(frame, schema_of(frame), columns=COLUMNS, seed=1)}
    entries = []
    for name, loss in wanted.items():
        one = found[(name,)]
        ours = (one.loss, one.groups, one.linkage, one.linkage_apart, one.interval, one.interval_apart)
        entries.append(Entry(name, (Line("reference", (loss,)), Line("ours", ours))))
    return Sheet(
        "Suggested subdomains: mic, transport; loss = mean of PIL(m1, m2, m11) inside the cells, risk inside them, %",
        ("loss", "subdomains", "DLD whole", "DLD apart", "RID whole", "RID apart"),
        tuple(entries),
        ("RESREVENUE in fifths, equal values together (reference: ties by index)",),
    )


def blocks_sheet(data: Path, masks: Sequence[str]) -> Sheet:
    """Revenues restored as a block in each area, beside everything by area, and the whole alone."""
    eia = Eia.read(data)
    areas = dc.Subdomains(["STATE"], columns=COLUMNS, small="merge", alike=True)
    labels = areas.partition(eia.table, Streams(0)).labels
    eia = eia.with_parts(labels)
    revenues = tuple(name for name in COLUMNS if name.endswith("REVENUE") and not name.startswith("TOT"))
    ways: dict[str, dict[str, Any]] = {
        "as a whole": {},
        "all columns by area": {"by": ("part",)},
        "revenues by area": {"blocks": (dc.Block(("part",), revenues),)},
    }
    entries = []
    for mask in masks:
        for name, way in ways.items():
            hybrid = dc.CholeskyHybrid(MASKS[mask], columns=COLUMNS, exact=True, **way)
            done = hybrid.protect(eia.frame, schema_of(eia.frame), seed=1).table
            losses = _losses_in(eia.table, done, labels, revenues)
            inside, whole = measure_parts(eia.table, done, labels), measure(eia.table, done)
            entries.append(Entry(f"{mask}, {name}", (Line("ours", (*losses, inside[5], whole[0])),)))
    return Sheet(
        "Blocks of records and columns: four revenues in 15 areas (merged states), transport, %",
        ("PIL(m1)", "PIL(m2)", "PIL(m11)", "DLD", "PIL(Q)"),
        tuple(entries),
        (
            "PIL(m) of the revenues and DLD inside the areas; PIL(Q) of all columns in the whole file; one seed",
        ),
    )


def _losses_in(original: Table, released: Table, labels: Ints, names: tuple[str, ...]) -> Floats:
    loss = dc.ProbabilisticLoss(columns=names)
    parts = [np.flatnonzero(labels == part) for part in np.unique(labels)]
    found = [[f.value for f in loss(original.take(rows), released.take(rows))] for rows in parts]
    return np.mean(found, axis=0)[1:4]


def last_records_sheet(eia: Eia) -> Sheet:
    """Algorithm 2's outliers."""
    entries = [
        Entry(f"X''({mask}) printed", (Line("ours", tuple(carried_by_last(eia, mask).tolist())),))
        for mask in MASKS
    ]
    return Sheet(
        "Algorithm 2: share of the variance of column v of A in its last v - 1 of 4,092 records, %",
        tuple(f"v = {v}" for v in range(2, len(COLUMNS) + 1)),
        tuple(entries),
    )


def orders_sheet(eia: Eia, reference: Any, n_orders: int) -> Sheet:
    """The printed algorithm under other orders of the same records."""
    entries = []
    for mask in MASKS:
        found = over_orders(eia, mask, n_orders)[:, [0, 5, 6, 7]]
        known = _at(reference, "eia_printed_200_record_orders", mask)
        paper = published.OVERALL[mask, "printed"]
        lines = [Line("paper", (paper[0], *paper[5:]))]
        for place, name in ((0, "least"), (4, "most")):
            if known:
                values = tuple(known[figure][place] for figure in ("Q_range", "DLD", "RID", "SDID"))
                lines.append(Line(f"ref {name}", values))
            ours = found.min(axis=0) if name == "least" else found.max(axis=0)
            lines.append(Line(f"our {name}", tuple(ours.tolist())))
        entries.append(Entry(f"X''({mask}) printed", tuple(lines)))
    return Sheet(
        f"Algorithm 2 depends on the order of records: {n_orders} random orders (reference: 200) of one masked file, %",
        RISK_OF_PART,
        tuple(entries),
    )


def entry(
    label: str, paper: published.Row | None, known: Any, runs: Floats, n_reference: int = SEEDS_OF_PARTS
) -> Entry:
    """A row as the paper, the reference and we have it; our range over seeds, where there are several."""
    lines = [] if paper is None else [Line("paper", paper)]
    means = runs.mean(axis=0)
    wrong: tuple[bool, ...] = ()
    if known:
        expected = np.array([known[name]["mean"] for name in GOLDEN])
        wrong = tuple((np.abs(means - expected) > allowed(known, len(runs), n_reference)).tolist())
        lines.append(Line("reference", tuple(expected.tolist())))
    lines.append(Line("ours", tuple(means.tolist()), wrong))
    if len(runs) > 1:
        lines.append(Line("  range", tuple((runs.max(axis=0) - runs.min(axis=0)).tolist())))
    return Entry(label, tuple(lines))


def allowed(known: Any, n_runs: int, n_reference: int) -> Floats:
    """0.1, or 1.5 times the range of the reference's seeds; more where we took fewer seeds than it did.

    The specification means equally many on both sides; the difference of means of n and m runs has the variance
    1/n + 1/m.
    """
    spread = np.array([known[name]["max"] - known[name]["min"] for name in GOLDEN])
    fewer = np.sqrt((1 / n_runs + 1 / n_reference) / (2 / n_reference))
    return np.maximum(1.5 * spread * max(fewer, 1.0), 0.1)


def _compared() -> tuple[Kind, ...]:
    return ("printed", "transport")


def _at(numbers: Any, *path: str) -> Any:
    for key in path:
        numbers = numbers.get(key, {})
    return numbers
