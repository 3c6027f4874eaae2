"""Which measures are taken: the standard ones in seconds, the full ones in minutes; each where it has something to say."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from discreet.base import Measure
from discreet.risk.attribute import AttributeDisclosure
from discreet.risk.attribution import CorrectAttribution
from discreet.risk.class_mix import ClassMix
from discreet.risk.closeness import Closeness
from discreet.risk.closest import ClosestRecord
from discreet.risk.copies import Copies
from discreet.risk.diversity import Diversity
from discreet.risk.fellegi_sunter import ProbabilisticLinkage
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.household import HouseholdRisk
from discreet.risk.individual import IndividualRisk
from discreet.risk.inference import Inference
from discreet.risk.interval_share import IntervalShare
from discreet.risk.linkability import Linkability
from discreet.risk.linkage import DistanceLinkage
from discreet.risk.membership import Membership
from discreet.risk.prefix_linkage import PrefixLinkage, SubsetLinkage
from discreet.risk.rank_interval import RankInterval
from discreet.risk.sd_interval import SdInterval
from discreet.risk.singling_out import SinglingOut
from discreet.risk.suda import SpecialUniqueness
from discreet.table.table import Table
from discreet.utility.bias import AbsoluteBias
from discreet.utility.cellwise import CellLoss
from discreet.utility.crosstables import ConditionalDistance, TableDistance
from discreet.utility.distributions import MarginalDistance
from discreet.utility.eigenvalues import EigenvalueLoss
from discreet.utility.learning import LearningLoss
from discreet.utility.marginality import SubsampleVariation, Variation
from discreet.utility.moments import MomentChange
from discreet.utility.pil import ProbabilisticLoss
from discreet.utility.propensity import Propensity
from discreet.utility.propensity_trees import TreePropensity
from discreet.utility.regression import RegressionChange
from discreet.workflow.in_parts import InParts

OF_GROUPS = (GroupSizes, IndividualRisk, HouseholdRisk, SpecialUniqueness, Diversity, Closeness, ClassMix)
# These find people by what is known of them: without a known column that the file still holds they say too little.
OF_LINKAGE = (
    DistanceLinkage,
    PrefixLinkage,
    SubsetLinkage,
    ProbabilisticLinkage,
    Inference,
    AttributeDisclosure,
    CorrectAttribution,
)
_MANY = 20_000  # records above which linkage is estimated from a sample of seekers
_SEEKERS = 2_000  # a rate is then known to 2.2 points or better


@dataclass(frozen=True, kw_only=True)
class Case:
    """What decides, beside the columns, which measures have something to say.

    Args:
        matched: records correspond.
        controlled: there are people of the same population whom the method never saw.
        households: a column says who belongs together.
        by: columns whose parts are measured too.
        formulas: regressions that users will run; empty: every number on the others.
    """

    matched: bool = True
    controlled: bool = False
    households: bool = False
    by: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()


def standard_measures(original: Table, case: Case) -> tuple[Measure, ...]:
    """Measures that take seconds, of the kinds of columns there are."""
    risk: list[Measure] = [GroupSizes(), DistanceLinkage(sample=_sample(original)), Copies()]
    if not case.matched:
        risk.append(ClosestRecord())
    risk += [Diversity(), AttributeDisclosure()]
    if original.weights is not None:
        risk.append(IndividualRisk())
    if case.households:
        risk.append(HouseholdRisk())
    utility: list[Measure] = [Propensity(order=1), MarginalDistance(), TableDistance(ways=2)]
    if _analysed_numbers(original):
        risk += [RankInterval(), SdInterval()]
        utility += [MomentChange(), AbsoluteBias(), CellLoss(), ProbabilisticLoss(density="kde")]
    if case.formulas or len(_analysed_numbers(original)) > 1:
        utility.append(RegressionChange(formulas=case.formulas))
    return (*risk, *utility, *_in_parts(original, case))


def full_measures(original: Table, case: Case) -> tuple[Measure, ...]:
    """The standard measures and those that fit models, repeat attacks or search subsets."""
    more: list[Measure] = [
        Closeness(),
        ClassMix(),
        SpecialUniqueness(),
        PrefixLinkage(sample=_sample(original)),
        SubsetLinkage(sample=_sample(original)),
        ProbabilisticLinkage(),
        CorrectAttribution(),
        Inference(),
        SinglingOut(),
        Linkability(),
        Propensity(),
        Variation(),
        SubsampleVariation(),
        ConditionalDistance(),
        TableDistance(ways=3),
        TreePropensity(),
        TreePropensity(learner="boosted"),
        LearningLoss(matched=case.matched),
    ]
    if case.matched:
        more.append(ClosestRecord())
    if case.controlled:
        more.append(Membership())
    if _analysed_numbers(original):
        more += [IntervalShare(), EigenvalueLoss()]
    standard = [
        m for m in standard_measures(original, case) if not isinstance(m, (TableDistance, Propensity))
    ]
    return (*standard, *more)


def _in_parts(original: Table, case: Case) -> tuple[Measure, ...]:
    """What an intruder or an analyst who knows the part meets."""
    if not case.by:
        return ()
    sample = _sample(original)
    inside: list[Measure] = [DistanceLinkage(sample=sample), PrefixLinkage(sample=sample)]
    if _analysed_numbers(original):
        inside += [RankInterval(), SdInterval(), ProbabilisticLoss(density="kde")]
    return tuple(InParts(measure, case.by, matched=case.matched) for measure in inside)


def filled(measure: Measure, **given: Any) -> Measure:
    """The measure with those of these fields that it has and left open (None).

    >>> filled(DistanceLinkage(), known=("age",), secret=("pay",)).known
    ('age',)
    """
    if isinstance(measure, InParts):
        return replace(measure, measure=filled(measure.measure, **given))
    if not is_dataclass(measure):
        return measure
    left_open = {f.name for f in fields(measure) if f.init and getattr(measure, f.name) is None}
    filled_in: Measure = replace(measure, **{k: v for k, v in given.items() if k in left_open})
    return filled_in


def name_of(measure: Measure) -> str:
    """What a measure is called where it could not be taken.

    >>> name_of(InParts(DistanceLinkage(), by=("region",)))
    'DistanceLinkage in parts'
    """
    if isinstance(measure, InParts):
        return f"{name_of(measure.measure)} in parts"
    return type(measure).__name__


def innermost(measure: Measure) -> Measure:
    """The measure itself, or the one that is taken inside the parts."""
    return innermost(measure.measure) if isinstance(measure, InParts) else measure


def _sample(original: Table) -> int | None:
    return _SEEKERS if original.n_records > _MANY else None


def _analysed_numbers(table: Table) -> tuple[str, ...]:
    return tuple(
        c.name for c in table.of_kind("numeric") if c.role not in ("weight", "cluster", "identifier")
    )
