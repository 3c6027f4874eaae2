"""What files of statistics packages say that single values mean: labels, and which values are declared missing.

Both are told as labels: a value that the file declares missing is labelled as missing, whatever else it is called,
except that 'not applicable' stays what it is. Whoever guesses a schema makes missing codes of them.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from discreet.table.files.format import Annotation
from discreet.table.files.source import Source
from discreet.table.patterns import is_not_applicable_word

DECLARED_MISSING = "missing"  # a label that is known to speak of missing values


def labels_in(source: Source) -> dict[str, dict[Any, str]]:
    """The labels of values by column."""
    notes = source.format.annotations
    labels = {name: _labels_of(source.frame[name], note) for name, note in notes.items()}
    return {name: found for name, found in labels.items() if found}


def _labels_of(values: pl.Series, note: Annotation) -> dict[Any, str]:
    labels = {f".{key}" if key in note.letters else key: label for key, label in note.value_labels}
    missing = [*(f".{letter}" for letter in note.letters), *_declared_missing(values, note)]
    return labels | {code: _as_missing(labels.get(code, "")) for code in missing}


def _declared_missing(values: pl.Series, note: Annotation) -> list[Any]:
    """SPSS's user-missing values: those declared one by one, and all in a declared range that occur."""
    is_text = values.dtype == pl.String
    if not (is_text or values.dtype.is_numeric()):
        return []
    fitting = [(low, high) for low, high in note.missing if isinstance(low, str) == is_text]
    single = [low for low, high in fitting if low == high]
    wide = [values.filter(values.is_between(low, high)) for low, high in fitting if low != high]
    return [*single, *(code for found in wide for code in found.unique().sort().to_list())]


def _as_missing(label: str) -> str:
    return label if is_not_applicable_word(label) else DECLARED_MISSING
