"""Claims in plain words: what each promises, and what it takes for granted.

A claim that is not known here speaks for itself: its own statement says what it holds and assumes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from discreet.base import Claim
from discreet.claims.differential_privacy import DifferentialPrivacy
from discreet.claims.diversity import LDiversity, TCloseness
from discreet.claims.equal_margins import EqualMargins
from discreet.claims.exact_moments import ExactMoments
from discreet.claims.k_anonymity import KAnonymity, ProbabilisticKAnonymity
from discreet.release import Proven
from discreet.report.wording import listed, sentence

Sort = Literal["protection", "accuracy", "stated"]


@dataclass(frozen=True)
class Promise:
    """A claim as a board reads it."""

    sort: Sort
    title: str
    meaning: str
    assumes: tuple[str, ...]


def promise_of(claim: Claim) -> Promise:
    """The claim in plain words.

    >>> promise_of(KAnonymity(5, ("age", "sex"))).title
    '5-anonymity'
    """
    write = _WRITERS.get(type(claim))
    if write is None:
        return Promise("stated", sentence(type(claim).__name__), "", ())
    return write(claim)


def covers(claim: Claim, known: Sequence[str]) -> bool:
    """Whether the claim speaks of all these columns at once; differential privacy speaks of the whole record.

    >>> covers(KAnonymity(5, ("age", "sex")), ("sex",)), covers(KAnonymity(5, ("age",)), ("age", "sex"))
    (True, False)
    """
    return isinstance(claim, DifferentialPrivacy) or set(known) <= set(getattr(claim, "columns", ()))


def headline(claims: Sequence[Proven], known: Sequence[str]) -> tuple[str, str]:
    """What is guaranteed, for the top of a page, and what is to be said of it.

    A guarantee of some of the columns that outsiders may know is not one of the file: each column alone may be safe
    where all together point at one person.
    """
    protecting = [(proven, promise_of(proven.claim)) for proven in claims]
    protecting = [(proven, promise) for proven, promise in protecting if promise.sort != "accuracy"]
    if not protecting:
        return "none", "the release rests on measured risk"
    for proven, promise in protecting:
        if covers(proven.claim, known):
            more = f"; {len(protecting) - 1} more below" if len(protecting) > 1 else ""
            return promise.title, ("checked, holds" if proven.verdict.holds else "does not hold") + more
    said = [
        f"{promise.title} of {listed(tuple(getattr(proven.claim, 'columns', ()))) or 'something else'} alone"
        for proven, promise in protecting
    ]
    shown = "; ".join(
        (*said[:_MOST_SAID], *([f"{len(said) - _MOST_SAID} more below"] if len(said) > _MOST_SAID else []))
    )
    return "partly", f"none covers {listed(tuple(known))} together: {shown}"


_MOST_SAID = 4


def _k_anonymity(claim: KAnonymity) -> Promise:
    gaps = (
        ("An emptied cell was taken to fit any value; a reader who takes it as a value sees smaller groups.",)
        if claim.missing == "wildcard"
        else ()
    )
    return Promise(
        "protection",
        f"{claim.k}-anonymity",
        f"Whoever looks for a person by {listed(claim.columns)} finds no record, or at least {claim.k} that look the "
        "same: nobody can be picked out by these columns.",
        (
            f"Outsiders know nothing of a person beyond {listed(claim.columns)}.",
            "Nothing is promised about the other columns, nor about a secret that all look-alikes share.",
            *gaps,
        ),
    )


def _probabilistic(claim: ProbabilisticKAnonymity) -> Promise:
    return Promise(
        "protection",
        f"Probabilistic {claim.k}-anonymity",
        f"Whoever links a person to a record of the file is right with a chance of at most 1 in {claim.k}.",
        (
            "The groups in which records were treated stay secret.",
            "Nothing is promised about what can be inferred without linking.",
        ),
    )


def _diversity(claim: LDiversity) -> Promise:
    how = {
        "distinct": f"at least {claim.l:g} different values",
        "entropy": f"values as mixed as {claim.l:g} equally frequent ones",
        "recursive": f"at least {claim.l:g} values, of which the most frequent does not prevail",
    }[claim.kind]
    return Promise(
        "protection",
        f"l-diversity of {claim.sensitive}, l = {claim.l:g}",
        f"Records that look the same in {listed(claim.columns)} have {how} of {claim.sensitive}: finding the group "
        "does not give the value away.",
        (f"Outsiders know nothing of the members of a group beyond {listed(claim.columns)}.",),
    )


def _closeness(claim: TCloseness) -> Promise:
    return Promise(
        "protection",
        f"t-closeness of {claim.sensitive}, t = {claim.t:g}",
        f"In records that look the same in {listed(claim.columns)}, {claim.sensitive} is distributed as in the whole "
        f"file, up to a distance of {claim.t:g} (0: the same, 1: as far as can be).",
        (f"The distribution of {claim.sensitive} in the whole file is not a secret.",),
    )


_PRIVACY_TERMS = {
    "domain_declared": "The possible values of every column were declared, not read from the data.",
    "parents_declared_or_noised": "The structure of the model was declared, or chosen under noise.",
    "seeds_public": "Public records that the method started from are public indeed.",
    "prior_declared": "Prior assumptions were declared, not read from the data.",
    "rows_count_not_private": "The number of records is not a secret.",
    "weights_bounded": "Weights are bounded.",
    "exact_draws": "Random draws follow their distributions exactly.",
    "secret_randomness": "The random numbers stay secret.",
}


def _differential_privacy(claim: DifferentialPrivacy) -> Promise:
    budget = f"epsilon = {claim.epsilon:g}" + (f", delta = {claim.delta:g}" if claim.delta else "")
    return Promise(
        "protection",
        f"Differential privacy, {budget}",
        f"Whether one {claim.unit} was in the original changes the chance of any release by a factor of at most "
        f"e to the power of epsilon, whatever outsiders know.",
        (
            "The promise is about the procedure; the file alone can neither prove nor refute it.",
            *(_PRIVACY_TERMS.get(flag, sentence(flag) + ".") for flag, holds in claim.flags.items() if holds),
        ),
    )


def _equal_margins(claim: EqualMargins) -> Promise:
    return Promise(
        "accuracy",
        "Equal margins",
        f"Every value of {listed(claim.columns)} occurs as often as before: all statistics of one column are exact.",
        ("This is a promise to analysts. It protects nobody: extreme and rare values stay visible.",),
    )


def _exact_moments(claim: ExactMoments) -> Promise:
    inside = f", also inside every group of equal {listed(claim.by)}" if claim.by else ""
    return Promise(
        "accuracy",
        "Exact means and covariances",
        f"Means, variances and correlations of {listed(claim.columns)} are those of the original{inside}.",
        (
            "This is a promise to analysts. It protects nobody: whoever knows all members of a small group but one can "
            "work out the last.",
        ),
    )


_WRITERS: dict[type, Callable[[Any], Promise]] = {
    KAnonymity: _k_anonymity,
    ProbabilisticKAnonymity: _probabilistic,
    LDiversity: _diversity,
    TCloseness: _closeness,
    DifferentialPrivacy: _differential_privacy,
    EqualMargins: _equal_margins,
    ExactMoments: _exact_moments,
}
