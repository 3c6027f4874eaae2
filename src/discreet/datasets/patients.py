"""A hospital discharge file, simulated: the table of the demo, the docs and the tests. No real person is in it.

Charges follow the length of stay, stays follow the diagnosis, diagnoses follow age and sex; names, ids and birth dates
are there to be dropped; some cells are missing; a weight says how many discharges a record stands for.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.table.polars_frame import new_frame
from discreet.table.taxonomy import Taxonomy

SOURCE = "simulated by discreet"
LICENCE = "CC0-1.0"

# chapter -> block -> category -> (codes, share, days of stay, age at which it is most frequent)
_TREE: dict[str, dict[str, list[tuple[str, str, float, float, float]]]] = {
    "C00-D48": {
        "C15-C26": [("C18.0", "Cancer of caecum", 2, 7, 68), ("C18.7", "Cancer of sigmoid colon", 3, 7, 68)],
        "C30-C39": [("C34.1", "Cancer of upper lobe of lung", 3, 8, 67)],
        "C50-C50": [("C50.4", "Cancer of breast, upper outer quadrant", 4, 3, 60)],
        "C60-C63": [("C61", "Cancer of prostate", 4, 3, 70)],
    },
    "I00-I99": {
        "I10-I15": [("I10", "High blood pressure", 8, 3, 62)],
        "I20-I25": [
            ("I21.0", "Heart attack, front wall", 7, 6, 66),
            ("I25.1", "Coronary disease", 10, 4, 67),
        ],
        "I60-I69": [("I63.3", "Stroke by clot", 6, 8, 73), ("I61.0", "Bleeding in the brain", 1, 11, 68)],
    },
    "J00-J99": {
        "J09-J18": [("J15.9", "Bacterial pneumonia", 9, 6, 66), ("J18.9", "Pneumonia", 8, 5, 60)],
        "J40-J47": [
            ("J44.1", "Chronic lung disease, worse", 9, 5, 70),
            ("J45.0", "Allergic asthma", 4, 3, 32),
        ],
    },
    "O00-O99": {"O80-O84": [("O80", "Birth", 12, 2, 29), ("O82", "Birth by section", 5, 4, 31)]},
    "S00-T98": {
        "S70-S79": [("S72.0", "Broken hip", 5, 8, 79)],
        "S80-S89": [("S82.6", "Broken ankle", 5, 4, 45)],
    },
}
_FIRST = ("Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hana", "Ida", "Jon", "Kim", "Lea", "Max", "Nia")
_LAST = ("Abel", "Brook", "Cole", "Dorn", "Ellis", "Frey", "Gray", "Hart", "Ives", "Jones", "Kerr", "Lund")
_RACES = ("white", "black", "asian", "native", "other")


def simulate_patients(n_records: int = 2_000, seed: int = 1) -> Any:
    """A simulated hospital discharge file as a polars dataframe.

    Example:
        >>> simulate_patients(3, seed=1).columns
        ['patient_id', 'name', 'birth_date', 'age', 'sex', 'race', 'zip', 'diagnosis', 'days', 'charge', 'weight']
    """
    if n_records < 1:
        raise ParameterError("`n_records` must be at least 1.")
    rng = np.random.default_rng(seed)
    diseases = [entry for blocks in _TREE.values() for entries in blocks.values() for entry in entries]
    share = np.array([entry[2] for entry in diseases])
    which = rng.choice(len(diseases), size=n_records, p=share / share.sum())
    peak = np.array([entry[4] for entry in diseases])[which]
    is_birth = np.array([entry[0].startswith("O") for entry in diseases])[which]
    age = np.clip(np.rint(peak + rng.normal(0, np.where(is_birth, 5, 14))), 0, 99).astype(int)
    age = np.where(is_birth, np.clip(age, 16, 48), age)
    codes = [diseases[i][0] for i in which]
    sex = _sexes(rng, codes)
    days = 1 + rng.poisson(rng.gamma(2.0, np.array([entry[3] for entry in diseases])[which] / 2.0))
    charge = np.rint(np.exp(rng.normal(7.6, 0.55, n_records) + 0.85 * np.log(days)))
    return new_frame(
        {
            "patient_id": _ids(rng, n_records),
            "name": _names(rng, n_records),
            "birth_date": _birth_dates(rng, age),
            "age": age.tolist(),
            "sex": sex,
            "race": _with_gaps(
                rng, rng.choice(_RACES, size=n_records, p=(0.62, 0.2, 0.08, 0.02, 0.08)), 0.03
            ),
            "zip": _zips(rng, n_records),
            "diagnosis": codes,
            "days": days.tolist(),
            "charge": _with_gaps(rng, charge.astype(int), 0.02),
            "weight": np.round(rng.gamma(4.0, 3.0, n_records) + 1, 2).tolist(),
        }
    )


def diagnosis_taxonomy() -> Taxonomy:
    """The tree of the simulated diagnoses: chapter, block, category, code.

    >>> tree = diagnosis_taxonomy()
    >>> [tree.codes[v] for v in tree.ancestors(tree.nodes_of(["I21.0"])[0])]
    ['I21', 'I20-I25', 'I00-I99', 'all']
    """
    edges: dict[str, tuple[str, str, str]] = {"all": ("all", "", "All diagnoses")}
    for chapter, blocks in _TREE.items():
        edges[chapter] = (chapter, "all", "")
        for block, entries in blocks.items():
            edges[block] = (block, chapter, "")
            for code, label, *_ in entries:
                category = code.split(".")[0]
                edges.setdefault(category, (category, block, "" if "." in code else label))
                if "." in code:
                    edges[code] = (code, category, label)
    return Taxonomy.from_edges(list(edges.values()), "diagnosis")


def _sexes(rng: np.random.Generator, codes: list[str]) -> list[str]:
    female = {"O80": 1.0, "O82": 1.0, "C50.4": 0.99, "C61": 0.0}
    chance = np.array([female.get(code, 0.5) for code in codes])
    return ["female" if draw else "male" for draw in rng.random(len(codes)) < chance]


def _ids(rng: np.random.Generator, n: int) -> list[str]:
    return [f"P{number:07d}" for number in rng.permutation(9_000_000)[:n] + 1_000_000]


def _names(rng: np.random.Generator, n: int) -> list[str]:
    return [
        f"{first} {last}" for first, last in zip(rng.choice(_FIRST, n), rng.choice(_LAST, n), strict=True)
    ]


def _birth_dates(rng: np.random.Generator, age: NDArray[Any]) -> list[date]:
    days = np.rint(age * 365.25).astype(int) + rng.integers(0, 365, len(age))
    return [date(2024, 12, 31) - timedelta(days=int(count)) for count in days]


def _zips(rng: np.random.Generator, n: int) -> list[str]:
    size = 1.0 / np.arange(1, 41)
    return [f"0{1000 + 37 * town}" for town in rng.choice(40, size=n, p=size / size.sum())]


def _with_gaps(rng: np.random.Generator, values: NDArray[Any], share: float) -> list[Any]:
    gaps = rng.random(len(values)) < share
    return [None if gap else value for gap, value in zip(gaps, values.tolist(), strict=True)]
