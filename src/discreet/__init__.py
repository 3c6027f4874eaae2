"""discreet: turn confidential microdata into a file that can be published, and prove it.

    import discreet as dc

    release = dc.protect("patients.csv")
    release.data, release.claims, release.notes

Names are loaded when first used, so `import discreet` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discreet.version import VERSION as __version__

if TYPE_CHECKING:
    from discreet.base import Draft as Draft
    from discreet.base import Figure as Figure
    from discreet.base import Partition as Partition
    from discreet.claims.differential_privacy import DifferentialPrivacy as DifferentialPrivacy
    from discreet.claims.diversity import LDiversity as LDiversity
    from discreet.claims.diversity import TCloseness as TCloseness
    from discreet.claims.equal_margins import EqualMargins as EqualMargins
    from discreet.claims.exact_moments import ExactMoments as ExactMoments
    from discreet.claims.k_anonymity import KAnonymity as KAnonymity
    from discreet.claims.k_anonymity import ProbabilisticKAnonymity as ProbabilisticKAnonymity
    from discreet.composition import Cells as Cells
    from discreet.composition import Composition as Composition
    from discreet.composition import Whole as Whole
    from discreet.composition import Within as Within
    from discreet.datasets.patients import simulate_patients as simulate_patients
    from discreet.errors import ClaimError as ClaimError
    from discreet.errors import DiscreetError as DiscreetError
    from discreet.errors import InputError as InputError
    from discreet.masking.cholesky_hybrid import CholeskyHybrid as CholeskyHybrid
    from discreet.masking.group_centre import GroupCentre as GroupCentre
    from discreet.masking.local_suppression import LocalSuppression as LocalSuppression
    from discreet.masking.microaggregation import Microaggregation as Microaggregation
    from discreet.masking.moment_restoration import Block as Block
    from discreet.masking.moment_restoration import MomentRestoration as MomentRestoration
    from discreet.masking.noise import Noise as Noise
    from discreet.masking.pram import PRAM as PRAM
    from discreet.masking.rank_swapping import RankSwapping as RankSwapping
    from discreet.masking.recoding import GlobalRecoding as GlobalRecoding
    from discreet.masking.rounding import Rounding as Rounding
    from discreet.masking.top_bottom_coding import TopBottomCoding as TopBottomCoding
    from discreet.masking.univariate_microaggregation import (
        UnivariateMicroaggregation as UnivariateMicroaggregation,
    )
    from discreet.partition.mdav import MDAV as MDAV
    from discreet.partition.subdomains import Subdomains as Subdomains
    from discreet.recipe import PublicRecipe as PublicRecipe
    from discreet.recipe import Recipe as Recipe
    from discreet.release import Method as Method
    from discreet.release import Release as Release
    from discreet.risk.attribute import AttributeDisclosure as AttributeDisclosure
    from discreet.risk.attribution import CorrectAttribution as CorrectAttribution
    from discreet.risk.class_mix import ClassMix as ClassMix
    from discreet.risk.closeness import Closeness as Closeness
    from discreet.risk.closest import ClosestRecord as ClosestRecord
    from discreet.risk.copies import Copies as Copies
    from discreet.risk.diversity import Diversity as Diversity
    from discreet.risk.fellegi_sunter import ProbabilisticLinkage as ProbabilisticLinkage
    from discreet.risk.group_sizes import GroupSizes as GroupSizes
    from discreet.risk.household import HouseholdRisk as HouseholdRisk
    from discreet.risk.individual import IndividualRisk as IndividualRisk
    from discreet.risk.inference import Inference as Inference
    from discreet.risk.interval_share import IntervalShare as IntervalShare
    from discreet.risk.linkability import Linkability as Linkability
    from discreet.risk.linkage import DistanceLinkage as DistanceLinkage
    from discreet.risk.membership import Membership as Membership
    from discreet.risk.prefix_linkage import PrefixLinkage as PrefixLinkage
    from discreet.risk.prefix_linkage import SubsetLinkage as SubsetLinkage
    from discreet.risk.rank_interval import RankInterval as RankInterval
    from discreet.risk.sd_interval import SdInterval as SdInterval
    from discreet.risk.singling_out import SinglingOut as SinglingOut
    from discreet.risk.suda import SpecialUniqueness as SpecialUniqueness
    from discreet.table.schema import Schema as Schema
    from discreet.table.schema import Variable as Variable
    from discreet.table.taxonomy import Taxonomy as Taxonomy
    from discreet.table.taxonomy_build import from_intervals as from_intervals
    from discreet.table.taxonomy_build import from_prefixes as from_prefixes
    from discreet.table.taxonomy_build import from_ranges as from_ranges
    from discreet.table.taxonomy_read import read_taxonomies as read_taxonomies
    from discreet.table.taxonomy_read import read_taxonomy as read_taxonomy
    from discreet.table.taxonomy_source import TaxonomySource as TaxonomySource
    from discreet.utility.bias import AbsoluteBias as AbsoluteBias
    from discreet.utility.cellwise import CellLoss as CellLoss
    from discreet.utility.crosstables import ConditionalDistance as ConditionalDistance
    from discreet.utility.crosstables import TableDistance as TableDistance
    from discreet.utility.distributions import MarginalDistance as MarginalDistance
    from discreet.utility.eigenvalues import EigenvalueLoss as EigenvalueLoss
    from discreet.utility.learning import LearningLoss as LearningLoss
    from discreet.utility.marginality import SubsampleVariation as SubsampleVariation
    from discreet.utility.marginality import Variation as Variation
    from discreet.utility.moments import MomentChange as MomentChange
    from discreet.utility.pil import ProbabilisticLoss as ProbabilisticLoss
    from discreet.utility.propensity import Propensity as Propensity
    from discreet.utility.propensity_trees import TreePropensity as TreePropensity
    from discreet.utility.regression import RegressionChange as RegressionChange
    from discreet.workflow.assess import assess as assess
    from discreet.workflow.evidence import Evidence as Evidence
    from discreet.workflow.evidence import compare as compare
    from discreet.workflow.in_parts import InParts as InParts
    from discreet.workflow.inspect import inspect as inspect
    from discreet.workflow.pipeline import Pipeline as Pipeline
    from discreet.workflow.protect import infer as infer
    from discreet.workflow.protect import protect as protect
    from discreet.workflow.replay import replay as replay
    from discreet.workflow.suggest import suggest_subdomains as suggest_subdomains

_HOME = {
    "discreet.base": ["Draft", "Figure", "Partition"],
    "discreet.claims.differential_privacy": ["DifferentialPrivacy"],
    "discreet.claims.diversity": ["LDiversity", "TCloseness"],
    "discreet.claims.equal_margins": ["EqualMargins"],
    "discreet.claims.exact_moments": ["ExactMoments"],
    "discreet.claims.k_anonymity": ["KAnonymity", "ProbabilisticKAnonymity"],
    "discreet.composition": ["Cells", "Composition", "Whole", "Within"],
    "discreet.datasets.patients": ["simulate_patients"],
    "discreet.errors": ["ClaimError", "DiscreetError", "InputError"],
    "discreet.masking.cholesky_hybrid": ["CholeskyHybrid"],
    "discreet.masking.group_centre": ["GroupCentre"],
    "discreet.masking.local_suppression": ["LocalSuppression"],
    "discreet.masking.microaggregation": ["Microaggregation"],
    "discreet.masking.moment_restoration": ["Block", "MomentRestoration"],
    "discreet.masking.noise": ["Noise"],
    "discreet.masking.pram": ["PRAM"],
    "discreet.masking.rank_swapping": ["RankSwapping"],
    "discreet.masking.recoding": ["GlobalRecoding"],
    "discreet.masking.rounding": ["Rounding"],
    "discreet.masking.top_bottom_coding": ["TopBottomCoding"],
    "discreet.masking.univariate_microaggregation": ["UnivariateMicroaggregation"],
    "discreet.partition.mdav": ["MDAV"],
    "discreet.partition.subdomains": ["Subdomains"],
    "discreet.recipe": ["PublicRecipe", "Recipe"],
    "discreet.release": ["Method", "Release"],
    "discreet.risk.attribute": ["AttributeDisclosure"],
    "discreet.risk.attribution": ["CorrectAttribution"],
    "discreet.risk.class_mix": ["ClassMix"],
    "discreet.risk.closeness": ["Closeness"],
    "discreet.risk.closest": ["ClosestRecord"],
    "discreet.risk.copies": ["Copies"],
    "discreet.risk.diversity": ["Diversity"],
    "discreet.risk.fellegi_sunter": ["ProbabilisticLinkage"],
    "discreet.risk.group_sizes": ["GroupSizes"],
    "discreet.risk.household": ["HouseholdRisk"],
    "discreet.risk.individual": ["IndividualRisk"],
    "discreet.risk.inference": ["Inference"],
    "discreet.risk.interval_share": ["IntervalShare"],
    "discreet.risk.linkability": ["Linkability"],
    "discreet.risk.linkage": ["DistanceLinkage"],
    "discreet.risk.membership": ["Membership"],
    "discreet.risk.prefix_linkage": ["PrefixLinkage", "SubsetLinkage"],
    "discreet.risk.rank_interval": ["RankInterval"],
    "discreet.risk.sd_interval": ["SdInterval"],
    "discreet.risk.singling_out": ["SinglingOut"],
    "discreet.risk.suda": ["SpecialUniqueness"],
    "discreet.table.schema": ["Schema", "Variable"],
    "discreet.table.taxonomy": ["Taxonomy"],
    "discreet.table.taxonomy_build": ["from_intervals", "from_prefixes", "from_ranges"],
    "discreet.table.taxonomy_read": ["read_taxonomies", "read_taxonomy"],
    "discreet.table.taxonomy_source": ["TaxonomySource"],
    "discreet.utility.bias": ["AbsoluteBias"],
    "discreet.utility.cellwise": ["CellLoss"],
    "discreet.utility.crosstables": ["ConditionalDistance", "TableDistance"],
    "discreet.utility.distributions": ["MarginalDistance"],
    "discreet.utility.eigenvalues": ["EigenvalueLoss"],
    "discreet.utility.learning": ["LearningLoss"],
    "discreet.utility.marginality": ["SubsampleVariation", "Variation"],
    "discreet.utility.moments": ["MomentChange"],
    "discreet.utility.pil": ["ProbabilisticLoss"],
    "discreet.utility.propensity": ["Propensity"],
    "discreet.utility.propensity_trees": ["TreePropensity"],
    "discreet.utility.regression": ["RegressionChange"],
    "discreet.workflow.assess": ["assess"],
    "discreet.workflow.evidence": ["Evidence", "compare"],
    "discreet.workflow.in_parts": ["InParts"],
    "discreet.workflow.inspect": ["inspect"],
    "discreet.workflow.pipeline": ["Pipeline"],
    "discreet.workflow.protect": ["infer", "protect"],
    "discreet.workflow.replay": ["replay"],
    "discreet.workflow.suggest": ["suggest_subdomains"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
