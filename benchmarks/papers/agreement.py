"""Ours beside other software and beside the papers' worked examples, on the same files.

`docs/agreement.md` shows these tables as they are printed; a test prints them again and compares. Everything is made
by public methods and measures; random methods are run with the seeds 1 .. 20 on both sides and shown as means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import discreet as dc
from benchmarks.papers.sheet import Entry, Line, Paper, Sheet, reference_numbers
from discreet.base import Figure, Measure
from discreet.stats.keys import Key, count_frequencies
from discreet.table.frames import encode
from discreet.table.table import Table
from discreet.utility.columns import Numbers
from discreet.utility.moments import shifts

PAPER = Paper(
    "agreement",
    "Agreement with other software and with the papers' worked examples",
    (
        *("census.csv", "tarragona.csv", "eia.csv", "testdata.csv", "free1.csv", "francdat.csv", "pima.csv"),
        *("thyroid.csv", "neoplasm_nhds.csv", "icd9.csv"),
    ),
)
SEEDS = range(1, 21)
KS = (3, 5, 10)
EIA = (
    *("RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE"),
    *("INDSALES", "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES"),
)


def numeric_frame(data: Path, name: str) -> pl.DataFrame:
    """All columns of a file of numbers; the ten of EIA."""
    frame = pl.read_csv(data / f"{name}.csv", infer_schema_length=None)
    return frame.select(pl.col(EIA if name == "eia" else frame.columns).cast(pl.Float64))


def tables(*frames: pl.DataFrame, kind: str = "numeric", **roles: Sequence[str]) -> tuple[Table, ...]:
    """Frames as tables: every column of one kind and known to intruders, but for the columns given as roles."""
    role_of = {name: role for role, names in roles.items() for name in names}
    schema = dc.Schema(
        tuple(
            dc.Variable(
                name=name,
                kind="numeric" if role_of.get(name) == "weight" else kind,  # type: ignore[arg-type]
                role=role_of.get(name, "quasi"),  # type: ignore[arg-type]
            )
            for name in frames[0].columns
        )
    )
    return tuple(encode(frame, schema)[0] for frame in frames)


def on_domain(frames: Sequence[pl.DataFrame], sizes: Mapping[str, int]) -> tuple[Table, ...]:
    """Frames of categories "0", "1" and so on as tables whose schema declares how many there are."""
    schema = dc.Schema(
        tuple(
            dc.Variable(name=name, kind="nominal", role="quasi", levels=tuple(map(str, range(size))))
            for name, size in sizes.items()
        )
    )
    return tuple(encode(frame, schema)[0] for frame in frames)


def protected(method: dc.Method, frame: pl.DataFrame, seed: int) -> pl.DataFrame:
    """The release of a file of numbers."""
    schema = dc.Schema(tuple(dc.Variable(name=n, kind="numeric", role="quasi") for n in frame.columns))
    released: pl.DataFrame = method.protect(frame, schema, seed=seed).data
    return released


def figures(measure: Measure, original: Table, other: Table) -> dict[str, Figure]:
    """The figures of one measure by name."""
    return {figure.name: figure for figure in measure(original, other)}


def group_means(frame: pl.DataFrame, labels: Sequence[int]) -> pl.DataFrame:
    """Every record replaced by the mean of its group."""
    numbered = frame.with_columns(_group=pl.Series(labels))
    return numbered.select(pl.col(frame.columns).mean().over("_group"))


# -- methods ---------------------------------------------------------------------------------------------------


def losses(original: pl.DataFrame, masked: pl.DataFrame) -> tuple[float, float, float]:
    """Loss of variance in %, mean change of Pearson and of Spearman correlations."""
    pair = tables(original, masked)
    moved = shifts(*(Numbers.of(frame.to_numpy()) for frame in (original, masked)))
    return (
        figures(dc.CellLoss(), *pair)["cellwise.sse"].value,
        float(np.abs(moved.correlations).mean()),
        float(np.abs(moved.rank_correlations).mean()),
    )


def mean_losses(data: Path, name: str, method: dc.Method, seeds: Sequence[int]) -> tuple[float, ...]:
    """`losses` averaged over the seeds."""
    frame = numeric_frame(data, name)
    runs = [losses(frame, protected(method, frame, seed)) for seed in seeds]
    return tuple(np.mean(runs, axis=0).tolist())


def microaggregation(data: Path) -> Sheet:
    """Loss of variance of MDAV and of individual ranking."""
    known = reference_numbers(data, "mdav.json")["results"]
    entries = []
    for label, method, theirs in (
        ("MDAV", dc.Microaggregation, "mdav"),
        ("individual ranking", dc.UnivariateMicroaggregation, "mafast"),
    ):
        for name in ("census", "tarragona", "eia"):
            frame = numeric_frame(data, name)
            ours = [losses(frame, protected(method(k), frame, 1))[0] for k in KS]
            reference = [known[name][f"k{k}"][theirs]["IL_percent"] for k in KS]
            entries.append(_entry(f"{label}, {name}", "sdcMicro", reference, ours))
    return Sheet(
        "Microaggregation: loss of variance, %",
        tuple(f"k = {k}" for k in KS),
        tuple(entries),
        (
            "individual ranking: ours takes the groups of least loss (Hansen and Mukherjee), theirs k at a time",
        ),
        decimals=4,
    )


def rank_swapping(data: Path) -> Sheet:
    """Rank swapping with 5, 10 and 15 % of the ranks."""
    known = reference_numbers(data, "rankswap.json")["results"]
    entries = []
    for name in ("census", "tarragona", "eia"):
        for p in (5, 10, 15):
            theirs = known[name][f"P0.{p:02d}"]
            reference = [
                theirs[key]["mean"] for key in ("IL_percent", "pearson_dev_mean", "spearman_dev_mean")
            ]
            ours = mean_losses(data, name, dc.RankSwapping(p), SEEDS)
            entries.append(_entry(f"{name}, p = {p} %", "sdcMicro", reference, ours))
    return Sheet(
        "Rank swapping: means of 20 seeds",
        ("loss, %", "Pearson", "Spearman"),
        tuple(entries),
        (
            "their P is a fraction though documented as a percentage: P = 0.05 stands beside p = 5 %; with P = 5 each of "
            "their columns is an unrestricted random permutation",
            "partners: theirs serves ranks in order, ours in random order with a partner uniform among the free ranks",
        ),
        decimals=4,
    )


def noise(data: Path) -> Sheet:
    """Additive and correlated noise, and noise that keeps moments."""
    known = reference_numbers(data, "noise.json")["results"]
    keys = ("IL_percent", "pearson_dev_mean", "spearman_dev_mean")
    cases: list[tuple[str, str, dc.Method]] = [
        *((f"independent, sd {p} %", f"additive_{p}", dc.Noise(p / 100)) for p in (10, 50, 150)),
        *(
            (f"correlated, {p} %", f"correlated_{p}", dc.Noise((p / 100) ** 0.5, kind="correlated"))
            for p in (10, 50)
        ),
        ("rescaled, c = 1/3", "correlated2_d0.5", dc.Noise((1 / 3) ** 0.5, kind="rescaled", exact=True)),
    ]
    entries = []
    for label, key, method in cases:
        reference = [known["tarragona"][key][figure]["mean"] for figure in keys]
        ours = mean_losses(data, "tarragona", method, SEEDS)
        entries.append(_entry(label, "sdcMicro", reference, ours))
    return Sheet(
        "Noise on tarragona: means of 20 seeds",
        ("loss, %", "Pearson", "Spearman"),
        tuple(entries),
        (
            "their noise for correlated is a share of the covariance, ours of the standard deviation: sd = sqrt(share)",
            "rescaled: their correlated2 (delta = 0.5, the same signal and noise) draws each column alone, so correlations "
            "shrink; ours draws them together and gives back means and covariances exactly",
            "their method 'restr' adds no noise and shifts means down the rows: nothing of ours stands beside it",
        ),
        decimals=4,
    )


# -- categories ------------------------------------------------------------------------------------------------


def category_frame(data: Path, name: str, columns: Sequence[str]) -> pl.DataFrame:
    """Columns of a file as texts."""
    frame = pl.read_csv(data / f"{name}.csv", infer_schema_length=None)
    return frame.select(pl.col(columns).cast(pl.String).fill_null(""))


def categorical_risk(data: Path) -> Sheet:
    """Uniques and expected re-identifications under weights."""
    known = reference_numbers(data, "categorical.json")
    entries = []
    for case in ("testdata5_w", "testdata7_w", "free1_w"):
        name, weight = (
            case.split("_")[0].rstrip("57") if case != "free1_w" else "free1",
            known[case]["weight"],
        )
        frame = category_frame(data, name, known[case]["keys"]).with_columns(
            pl.read_csv(data / f"{name}.csv", infer_schema_length=None)[weight].cast(pl.Float64)
        )
        (table,) = tables(frame, kind="nominal", weight=[weight])
        keys = [Key.of(frame[column].to_numpy().astype(str)) for column in known[case]["keys"]]
        counted = count_frequencies(keys, len(frame), frame[weight].to_numpy())
        approximate, exact = (
            figures(dc.IndividualRisk(formula=formula), table, table)["individual.expected"].value
            for formula in ("approximate", "exact")
        )
        theirs = [
            known[case]["n_fk_1"],
            known[case]["n_fk_2"],
            known[case]["indivRisk_approx"]["sum"],
            _finite(known[case]["indivRisk_exact"]["sum"]),
        ]
        ours = [int((counted.sample == 1).sum()), int((counted.sample == 2).sum()), approximate, exact]
        entries.append(_entry(case, "sdcMicro", theirs, ours))
    return Sheet(
        "Categorical risk: uniques, pairs, expected re-identifications (approximate and exact formula)",
        ("f = 1", "f = 2", "approx.", "exact"),
        tuple(entries),
        (
            "their exact formula is not finite for large groups; ours takes the formula for large groups there",
            "missing keys: theirs are wildcards; ours are a category of their own unless missing='wildcard' is asked for",
        ),
        decimals=4,
    )


def special_uniques(data: Path) -> Sheet:
    """Sums of SUDA scores, in both scorings."""
    known = reference_numbers(data, "categorical.json")["suda2"]
    entries = []
    for case, name in (("testdata5", "testdata"), ("testdata7", "testdata"), ("free1", "free1")):
        theirs, ours = [], []
        for scoring, ihsn in (("original", "elliot"), ("ihsn", "ihsn")):
            run = known[case][f"f0.01_{scoring}"]
            frame = category_frame(data, name, run["keys"])
            (table,) = tables(frame, kind="nominal")
            records = figures(dc.SpecialUniqueness(scoring=ihsn), table, table)["suda.records"].records  # type: ignore[arg-type]
            theirs.append(run["score"]["sum"])
            ours.append(None if records is None else float(records.sum()))
        entries.append(_entry(case, "sdcMicro", theirs, ours))
    return Sheet("SUDA: sum of scores", ("Elliot", "IHSN"), tuple(entries), decimals=2)


def suppression(data: Path) -> Sheet:
    """Cells emptied until k-anonymity."""
    known = reference_numbers(data, "categorical.json")["localSuppression"]
    ks = ("k2", "k3", "k5")
    entries = []
    for case, runs in known.items():
        name = "testdata" if case.startswith("testdata") else case
        ours = [_emptied(data, name, runs[k]["keys"], int(k[1:])) if k in runs else None for k in ks]
        entries.append(_entry(case, "sdcMicro", [runs[k]["total"] if k in runs else None for k in ks], ours))
    return Sheet(
        "Local suppression: cells emptied, seed 1",
        ks,
        tuple(entries),
        ("both are heuristics: fewer is better; ours gives back cells that later ones made needless",),
        decimals=0,
    )


def _emptied(data: Path, name: str, keys: Sequence[str], k: int) -> int:
    frame = category_frame(data, name, keys)
    schema = dc.Schema(tuple(dc.Variable(name=n, kind="nominal", role="quasi") for n in keys))
    released = dc.LocalSuppression(k).protect(frame, schema, seed=1).data
    return int(released.null_count().sum_horizontal().item())


def pram(data: Path) -> Sheet:
    """What PRAM with a least diagonal entry of 0.8 does to `roof`."""
    run = reference_numbers(data, "categorical.json")["pram"]["roof"]["pd0.8_alpha0.5"]
    frame = category_frame(data, "testdata", ["roof"])
    schema = dc.Schema((dc.Variable(name="roof", kind="nominal", role="quasi"),))
    changed = [
        float((dc.PRAM(keep=0.8).protect(frame, schema, seed=seed).data["roof"] != frame["roof"]).mean())
        for seed in SEEDS
    ]
    theirs = [run["share_changed"]["mean"], run["min_diagonal"]["mean"]]
    return Sheet(
        "PRAM of testdata's roof, least diagonal entry 0.8: means of 20 seeds",
        ("changed", "diagonal"),
        (_entry("pd = keep = 0.8", "sdcMicro", theirs, [float(np.mean(changed)), 0.8]),),
        (
            "their pd is said to be the least diagonal entry, and the matrix applied goes below it; ours is at least `keep`",
        ),
        decimals=4,
    )


# -- measures --------------------------------------------------------------------------------------------------


def linkage(data: Path) -> Sheet:
    """Linkage of microaggregated files."""
    known, labels = (reference_numbers(data, name) for name in ("linkage.json", "mdav_labels.json"))
    entries = []
    for name in ("census", "tarragona"):
        frame = numeric_frame(data, name)
        for k in KS:
            run = known["results"][name][f"k{k}"]
            pair = tables(frame, group_means(frame, labels["labels"][name][f"k{k}"]))
            linked = figures(dc.DistanceLinkage(), *pair)["linkage.distance"].value
            inside = figures(dc.IntervalShare(k=0.1), *pair)["interval_share.inside"].value
            other = run["recordLinkage_euclidean"]
            permuted = other["correct_percent_masked_rows_shuffled"]["mean"]
            reference = [other["correct_percent"], permuted, 100 * run["dRisk_k0.1"]]
            entries.append(_entry(f"{name}, k = {k}", "sdcMicro", reference, [None, linked, inside]))
    return Sheet(
        "Linkage of MDAV files, %",
        ("in order", "any order", "dRisk 0.1"),
        tuple(entries),
        (
            "in file order theirs takes the first of equally near records, which is too often the right one; ours shares "
            "the credit among them, which no order changes",
        ),
        decimals=2,
    )


def cell_losses(data: Path) -> Sheet:
    """IL1s and the loss of eigenvalues on microaggregated files."""
    known, labels = (reference_numbers(data, name) for name in ("mdav.json", "mdav_labels.json"))
    entries = []
    for name in ("census", "tarragona", "eia"):
        frame = numeric_frame(data, name)
        run = known["results"][name]["k3"]["mdav"]
        pair = tables(frame, group_means(frame, labels["labels"][name]["k3"]))
        cells, eigen = figures(dc.CellLoss(), *pair), figures(dc.EigenvalueLoss(), *pair)
        ours = [
            cells["cellwise.il1s_sum"].value,
            cells["cellwise.il1s"].value,
            eigen["eigenvalues.sum"].value,
        ]
        entries.append(_entry(f"{name}, k = 3", "sdcMicro", [run["IL1s"], None, run.get("eigen")], ours))
    return Sheet(
        "Cellwise loss of MDAV files",
        ("IL1s sum", "IL1s", "eigen"),
        tuple(entries),
        (
            "their IL1s is a sum over cells and grows with the file; our `cellwise.il1s` is the mean over cells",
            "census has an eigenvalue of 1e-16, and relative changes of it are rounding",
        ),
        decimals=4,
    )


# -- the papers' worked examples -------------------------------------------------------------------------------


def local_synthesis(data: Path) -> Sheet:
    """Micro on thyroid with k = 20."""
    run = reference_numbers(data, "local_synthesis.json")["measures"]["thyroid"][0]
    frame = pl.read_csv(data / "thyroid.csv", infer_schema_length=None)
    frame = frame.drop_nulls(["age", "sex", "TSH", "T3", "TT4", "T4U", "FTI"])
    frame = frame.select(pl.col("age", "TSH", "T3", "T4U", "FTI").cast(pl.Float64))
    pair = tables(frame, protected(dc.Microaggregation(run["k"]), frame, 1))
    moments, models = figures(dc.MomentChange(), *pair), figures(dc.RegressionChange(), *pair)
    ours = (
        moments["moments.third_distinct_raw"].value,
        moments["moments.fourth_distinct_raw"].value,
        models["regression.coefficient"].value,
        models["regression.standard_error"].value,
        figures(dc.Propensity(reading="literal"), *pair)["propensity_literal.scaled"].value,
        figures(dc.Propensity(), *pair)["propensity.scaled"].value,
    )
    names = (
        *("distinct_raw_moments_3_pct", "distinct_raw_moments_4_pct", "coef_pct", "se_pct"),
        *("propensity_literal", "propensity_cubic"),
    )
    lines = (
        Line("paper", (1.39, 1.60, None, None, None, None)),
        Line("reference", tuple(run[name] for name in names)),
        Line("ours", ours),
    )
    return Sheet(
        "Local synthesis: microaggregated thyroid, k = 20; changes in %, 2 N U_p",
        ("moments 3", "moments 4", "coef.", "s.e.", "literal", "cubic"),
        (Entry("Micro", lines),),
        (
            "the paper does not name the terms of its propensity model, and its moments are those of distinct columns",
        ),
        decimals=2,
    )


def taxonomic(data: Path) -> Sheet:
    """Changes of statistics based on marginality, of the first 200 of 2,000 shifted records."""
    known = reference_numbers(data, "taxonomic.json")["measures"]
    source = {"AGE": "age", "SEX": "sex", "RACE": "race", "LOS": "care_days", "DIAG": "diag_1"}
    raw = pl.read_csv(data / "neoplasm_nhds.csv", schema_overrides={"diag_1": pl.String}).head(2000)
    frame = raw.select(**{new: pl.col(old) for new, old in source.items()})
    moved = frame.select(
        pl.Series(name, np.roll(frame[name].to_numpy(), rows))
        for name, rows in known["shift_down_rows"].items()
    )
    numbers = ("AGE", "LOS")
    schema = dc.Schema(
        tuple(
            dc.Variable(name=name, kind="taxonomic", role="quasi", taxonomy="icd9")
            if name == "DIAG"
            else dc.Variable(name=name, kind="numeric" if name in numbers else "nominal", role="quasi")
            for name in frame.columns
        ),
        {"icd9": dc.TaxonomySource(file=data / "icd9.csv")},
    )
    pair = tuple(encode(one.head(200), schema)[0] for one in (frame, moved))
    found = figures(dc.Variation(), *pair)
    ours = {
        (kind, frozenset(part.of)): part.value
        for kind in ("mean", "variance", "covariance")
        for part in found[f"marginality.{kind}"].parts
    }
    entries = []
    for key, expected in known["variation_first_200_rows"].items():
        kind, *columns = key.split("/")
        label = f"{kind} {'/'.join(columns)}"
        entries.append(_entry(label, "reference", [expected], [ours[kind, frozenset(columns)]]))
    return Sheet("Taxonomic microdata: change of statistics", ("Delta",), tuple(entries), decimals=6)


def hybrid(data: Path) -> Sheet:
    """The microaggregated file of Table 1.2."""
    known = reference_numbers(data, "hybrid.json")["eia"]["mic"]["masked"]
    frame = numeric_frame(data, "eia")
    pair = tables(frame, protected(dc.Microaggregation(3), frame, 1))
    loss = figures(dc.ProbabilisticLoss(), *pair)
    ours = [
        *(loss[f"pil.{name}"].value for name in ("q", "m1", "m2", "m11", "r")),
        figures(dc.PrefixLinkage(), *pair)["prefix_linkage.mean"].value,
        figures(dc.RankInterval(), *pair)["rank_interval.mean"].value,
        figures(dc.SdInterval(), *pair)["sd_interval.mean"].value,
    ]
    names = ("Q_range", "m1", "m2", "m11", "r", "DLD", "RID", "SDID")
    return Sheet(
        "Hybrid microdata: EIA microaggregated with k = 3, %",
        ("PIL(Q)", "PIL(m1)", "PIL(m2)", "PIL(m11)", "PIL(r)", "DLD", "RID", "SDID"),
        (_entry("X'(mic)", "reference", [known[name]["mean"] for name in names], ours),),
        ("the paper's row, and why it differs, stand on the page of the Cholesky hybrid",),
        decimals=2,
    )


def camp_crest(data: Path) -> Sheet:
    """Group means of Pima in the benchmark's partitions."""
    entries = []
    frame = pl.read_csv(data / "pima.csv", infer_schema_length=None).drop("diabetes").cast(pl.Float64)
    for case in reference_numbers(data, "camp_crest.json")["pima"]["benchmark"]:
        biases = figures(dc.AbsoluteBias(), *tables(frame, group_means(frame, case["labels"])))
        reference = [100 * case[name] for name in ("abisd", "abico", "abico_r_above_005")]
        ours = [biases[f"bias.{name}"].value for name in ("abisd", "abico", "abico_clear")]
        entries.append(_entry(f"m = {case['m']}, t = {case['t'] or '-'}", "reference", reference, ours))
    return Sheet(
        "CAMP-CREST: absolute biases of Pima's group means, %",
        ("ABISD", "ABICO", "|r| > .05"),
        tuple(entries),
        (
            "ABICO divides by correlations, and near zero it says nothing: hence the column over |r| of 0.05 and more",
        ),
        decimals=3,
    )


def pegs(data: Path) -> Sheet:
    """The hand-made pair of tables of the perturbed Gibbs samplers."""
    case = reference_numbers(data, "pegs_exact.json")["measures"]
    frames = [
        pl.DataFrame(case[side], schema=["a", "b"], orient="row").cast(pl.String)
        for side in ("original", "synthetic")
    ]
    domain = dict(zip("ab", case["domain"], strict=True))
    marginal = figures(dc.MarginalDistance(), *on_domain(frames, domain))
    parts = {
        f"{name}/{p.of[0]}": p.value
        for name in ("mae", "mse")
        for p in marginal[f"distributions.{name}"].parts
    }
    reference = [*case["marginal_mae"], *case["marginal_mse"]]
    ours = [parts[key] for key in ("mae/a", "mae/b", "mse/a", "mse/b")]
    return Sheet(
        "PeGS: marginal errors of a hand-made pair of tables",
        ("MAE a", "MAE b", "MSE a", "MSE b"),
        (_entry("2 x 4 categories", "reference", reference, ours),),
        (
            "the domain is declared: b has a fourth category, which no record has, and which counts in its mean",
        ),
        decimals=6,
    )


# -- all of them -----------------------------------------------------------------------------------------------

DRAWN = (rank_swapping, noise, pram)  # twenty seeds each
EXACT = (
    microaggregation,
    categorical_risk,
    special_uniques,
    suppression,
    linkage,
    cell_losses,
    local_synthesis,
    taxonomic,
    hybrid,
    camp_crest,
    pegs,
)


def sheets(data: Path, quick: bool) -> Iterator[Sheet]:
    """All tables; without those of twenty seeds where it has to be quick."""
    for make in EXACT if quick else (*EXACT, *DRAWN):
        yield make(data)


def _entry(label: str, source: str, reference: Sequence[Any], ours: Sequence[Any]) -> Entry:
    return Entry(label, (Line(source, tuple(reference)), Line("ours", tuple(ours))))


def _finite(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and np.isfinite(value) else None
