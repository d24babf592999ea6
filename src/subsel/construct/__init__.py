"""New features from old: discretisers."""

from subsel.construct.discretise import MDL, MODL, Discretiser, EqualFrequency, EqualWidth, TreeCuts
from subsel.construct.embedding import NystromEmbedding
from subsel.construct.latent import (
    GramPCA,
    KernelLatentFeatures,
    KernelPLS,
    LatentFeatures,
    LatentFeaturesCV,
)
from subsel.construct.separability import SSV
from subsel.construct.two_gaussians import TwoGaussians

__all__ = [
    "MDL",
    "MODL",
    "SSV",
    "Discretiser",
    "EqualFrequency",
    "EqualWidth",
    "GramPCA",
    "KernelLatentFeatures",
    "KernelPLS",
    "LatentFeatures",
    "LatentFeaturesCV",
    "NystromEmbedding",
    "TreeCuts",
    "TwoGaussians",
]
