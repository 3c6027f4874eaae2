"""What the columns of a dataframe are, guessed: kind and role of every column, with the reason in words.

A guess is the answer of the first rule that has one; the rules stand in the order in which they are asked (`_RULES`):
what must not get out (direct identifiers, ids) before what is merely described. Where the rules disagree with the
person who knows the data, the person is right: a schema is made to be corrected. Where no rule is sure enough, the
role is `undecided`, and nothing is released before somebody decides.

Reasons are made of words alone: a schema may be published, so they hold no cell value and nothing counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from discreet.table import hints
from discreet.table import infer_identity as identity
from discreet.table import infer_kinds as kinds
from discreet.table.facts import Facts, read_facts
from discreet.table.infer_identity import FEW_STEPS, Guess
from discreet.table.native import Frame, TextOf, as_frame
from discreet.table.patterns import band_start, is_unknown_word
from discreet.table.variable import Kind, Level, Role, Variable

Rule: TypeAlias = Callable[[Facts], Guess | None]


def infer_variables(
    data: Frame, *, text_of: TextOf | None = None, labels: Mapping[str, Mapping[Any, str]] | None = None
) -> tuple[Variable, ...]:
    """Guess kind and role of every column and say why.

    Args:
        data: a pandas or polars dataframe or an Arrow table; it is not changed.
        text_of: a column as its file spells it, to see zeros in front of codes.
        labels: per column, the labels of its codes, as files of SPSS, Stata and SAS carry them.
    """
    frame = as_frame(data)
    all_facts = [read_facts(frame[name], text_of, (labels or {}).get(name)) for name in frame.columns]
    weights = identity.weights_among(all_facts)
    return tuple(_variable(facts, weights.get(facts.name)) for facts in all_facts)


def _variable(facts: Facts, weight: Guess | None) -> Variable:
    guess = (
        identity.direct_identifier(facts) or weight or next(filter(None, (rule(facts) for rule in _RULES)))
    )
    role, why = (guess.role, "") if guess.role else _role_by_name(facts.name, guess.kind)
    reason = "; ".join(filter(None, (guess.reason, why, _remarks(facts, guess))))
    return Variable(
        name=facts.name,
        kind=guess.kind,
        role=role,
        decimals=guess.decimals,
        levels=guess.levels,
        unknown=facts.unknown + _unknown_steps(facts, guess),
        not_applicable=facts.not_applicable,
        reason=reason,
    )


def _role_by_name(name: str, kind: Kind) -> tuple[Role, str]:
    if tendency := hints.tendency_of(name):
        role, idea = tendency
        knows = "outsiders may know it" if role == "quasi" else "outsiders must not learn it"
        return role, f"{idea}: {knows}"
    if kind == "numeric":
        return "confidential", "nothing in the name says that outsiders know it: taken as confidential"
    return "quasi", "nothing says that outsiders cannot know it"


# -- remarks: what a person should look at ----------------------------------------------------------------------------


def _remarks(facts: Facts, guess: Guess) -> str:
    if guess.role == "identifier":
        return ""
    remarks = [_about_missing(facts, guess)]
    if facts.form == "texts" and guess.kind == "nominal" and not facts.labels:
        remarks.append(_about_order(facts))
    return "; ".join(filter(None, remarks))


def _about_missing(facts: Facts, guess: Guess) -> str:
    if facts.unknown or facts.not_applicable:
        return "words and codes that mean missing, by convention or by what the file says of them, are declared as such"
    if facts.form == "texts" and any(map(is_unknown_word, facts.texts)) and guess.kind == "nominal":
        return "holds a conventional word for missing: declare it under unknown if it is one"
    if guess.kind == "numeric" and (codes := kinds.missing_codes_among(facts)):
        listed = ", ".join(map(str, codes))
        return f"holds a possible missing code ({listed}): declare it under unknown"
    return ""


def _about_order(facts: Facts) -> str:
    n_bands = sum(band_start(text) is not None for text in facts.texts[:200])
    if n_bands >= 2 and facts.n_distinct <= FEW_STEPS:
        return "some values read like bands: if it has an order, set kind = 'ordinal' and list the levels"
    return ""


def _unknown_steps(facts: Facts, guess: Guess) -> tuple[Level, ...]:
    """Words for missing among the texts of an ordered column: they have no place in its order."""
    if guess.kind != "ordinal" or facts.form != "texts":
        return ()
    return tuple(sorted(text for text in facts.texts if is_unknown_word(text)))


_RULES: tuple[Rule, ...] = (
    kinds.nothing,
    kinds.nested,
    kinds.infinite,
    identity.weights_of_nothing,
    identity.cluster,
    identity.stratum,
    kinds.single_valued,
    kinds.truth,
    kinds.dates,
    kinds.labelled,
    kinds.declared_order,
    identity.record_id,
    kinds.number_code,
    kinds.flag,
    kinds.step_or_category,
    kinds.code_list,
    kinds.numbers_all_different,
    kinds.number,
    kinds.ordered_text,
    kinds.coded_text,
    kinds.plain_text,
)
