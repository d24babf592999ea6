"""New features from old: embeddings, latent and informative features, spectra, constructed inputs, discretisers."""

from subsel.construct.embedding import NystromEmbedding
from subsel.construct.information import (
    CanonicalProjection,
    InformationBottleneck,
    InformationProjection,
    LearningMetric,
)
from subsel.construct.inputs import (
    HiddenUnits,
    MeanNormScaler,
    Monomials,
    PowerChoice,
    RareCounts,
    RowColumnScaling,
    SearchedMonomials,
    StabilisedScaler,
)
from subsel.construct.latent import (
    GramPCA,
    KernelLatentFeatures,
    KernelPLS,
    LatentFeatures,
    LatentFeaturesCV,
)
from subsel.construct.sequences import MotifCounts, PSSMScores
from subsel.construct.spectra import (
    BaselineRemoval,
    BlockMeans,
    ExponentialSmoothing,
    HaarWavelets,
    HeightNormalisation,
    LowPass,
    PeakAlignment,
    PeakHeights,
    Quantisation,
    SoftThreshold,
)
from subsel.discretise.base import Discretiser
from subsel.discretise.equal import EqualFrequency, EqualWidth
from subsel.discretise.mdl import MDL
from subsel.discretise.modl import MODL
from subsel.discretise.ssv import SSV
from subsel.discretise.tree_cuts import TreeCuts
from subsel.discretise.two_gaussians import TwoGaussians

__all__ = [
    "MDL",
    "MODL",
    "SSV",
    "BaselineRemoval",
    "BlockMeans",
    "CanonicalProjection",
    "Discretiser",
    "EqualFrequency",
    "EqualWidth",
    "ExponentialSmoothing",
    "GramPCA",
    "HaarWavelets",
    "HeightNormalisation",
    "HiddenUnits",
    "InformationBottleneck",
    "InformationProjection",
    "KernelLatentFeatures",
    "KernelPLS",
    "LatentFeatures",
    "LatentFeaturesCV",
    "LearningMetric",
    "LowPass",
    "MeanNormScaler",
    "Monomials",
    "MotifCounts",
    "NystromEmbedding",
    "PSSMScores",
    "PeakAlignment",
    "PeakHeights",
    "PowerChoice",
    "Quantisation",
    "RareCounts",
    "RowColumnScaling",
    "SearchedMonomials",
    "SoftThreshold",
    "StabilisedScaler",
    "TreeCuts",
    "TwoGaussians",
]
