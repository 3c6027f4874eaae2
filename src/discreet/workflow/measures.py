"""Which measures are taken: the standard ones in seconds, the full ones in minutes; each where it has something to say."""

from __future__ import annotations

from discreet.base import Measure
from discreet.risk.attribute import AttributeDisclosure
from discreet.risk.attribution import CorrectAttribution
from discreet.risk.class_mix import ClassMix
from discreet.risk.closeness import Closeness
from discreet.risk.copies import Copies
from discreet.risk.diversity import Diversity
from discreet.risk.fellegi_sunter import ProbabilisticLinkage
from discreet.risk.group_sizes import GroupSizes
from discreet.risk.individual import IndividualRisk
from discreet.risk.inference import Inference
from discreet.risk.interval_share import IntervalShare
from discreet.risk.linkability import Linkability
from discreet.risk.linkage import DistanceLinkage
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
from discreet.utility.marginality import Variation
from discreet.utility.moments import MomentChange
from discreet.utility.pil import ProbabilisticLoss
from discreet.utility.propensity import Propensity
from discreet.utility.propensity_trees import TreePropensity
from discreet.utility.regression import RegressionChange

OF_GROUPS = (GroupSizes, IndividualRisk, SpecialUniqueness, Diversity, Closeness, ClassMix)
_MANY = 20_000  # records above which linkage is estimated from a sample of seekers
_SEEKERS = 5_000


def standard_measures(original: Table, protected: Table) -> tuple[Measure, ...]:
    """Measures that take seconds, of the kinds of columns there are."""
    has_numbers = bool(_analysed_numbers(original))
    sample = _SEEKERS if original.n_records > _MANY else None
    risk: list[Measure] = [GroupSizes(), DistanceLinkage(sample=sample), Diversity(), AttributeDisclosure()]
    if original.weights is not None:
        risk.append(IndividualRisk())
    utility: list[Measure] = [Propensity(order=1), MarginalDistance(), TableDistance(ways=2)]
    if has_numbers:
        risk += [RankInterval(), SdInterval()]
        utility += [MomentChange(), AbsoluteBias(), CellLoss(), ProbabilisticLoss(density="kde")]
    if len(_analysed_numbers(original)) > 1:
        utility.append(RegressionChange())
    return (*risk, *utility)


def full_measures(original: Table, protected: Table) -> tuple[Measure, ...]:
    """The standard measures and those that fit models, repeat attacks or search subsets."""
    more: list[Measure] = [
        Closeness(),
        ClassMix(),
        SpecialUniqueness(),
        PrefixLinkage(),
        SubsetLinkage(),
        ProbabilisticLinkage(),
        CorrectAttribution(),
        Copies(),
        Inference(),
        SinglingOut(),
        Linkability(),
        Variation(),
        ConditionalDistance(),
        TableDistance(ways=3),
        TreePropensity(),
        LearningLoss(),
    ]
    if _analysed_numbers(original):
        more += [IntervalShare(), EigenvalueLoss(), Propensity()]
    standard = [
        m for m in standard_measures(original, protected) if not isinstance(m, (TableDistance, Propensity))
    ]
    return (*standard, *more)


def _analysed_numbers(table: Table) -> tuple[str, ...]:
    return tuple(
        c.name for c in table.of_kind("numeric") if c.role not in ("weight", "cluster", "identifier")
    )
