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
    from discreet.table.schema import Schema as Schema
    from discreet.table.schema import Variable as Variable
    from discreet.table.taxonomy import Taxonomy as Taxonomy
    from discreet.table.taxonomy_build import from_intervals as from_intervals
    from discreet.table.taxonomy_build import from_prefixes as from_prefixes
    from discreet.table.taxonomy_build import from_ranges as from_ranges
    from discreet.table.taxonomy_read import read_taxonomy as read_taxonomy
    from discreet.workflow.assess import assess as assess
    from discreet.workflow.evidence import Evidence as Evidence
    from discreet.workflow.evidence import compare as compare
    from discreet.workflow.pipeline import Pipeline as Pipeline
    from discreet.workflow.protect import infer as infer
    from discreet.workflow.protect import protect as protect
    from discreet.workflow.replay import replay as replay

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
    "discreet.table.schema": ["Schema", "Variable"],
    "discreet.table.taxonomy": ["Taxonomy"],
    "discreet.table.taxonomy_build": ["from_intervals", "from_prefixes", "from_ranges"],
    "discreet.table.taxonomy_read": ["read_taxonomy"],
    "discreet.workflow.assess": ["assess"],
    "discreet.workflow.evidence": ["Evidence", "compare"],
    "discreet.workflow.pipeline": ["Pipeline"],
    "discreet.workflow.protect": ["infer", "protect"],
    "discreet.workflow.replay": ["replay"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *sorted(_MODULE_OF)]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return __all__
