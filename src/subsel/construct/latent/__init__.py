"""Latent features: directions that explain the target, partial least squares."""

from subsel.construct.latent.anyboost import anyboost
from subsel.construct.latent.components import LatentFeaturesCV
from subsel.construct.latent.kernel import KernelLatentFeatures, KernelPLS
from subsel.construct.latent.linear import LatentFeatures

__all__ = [
    "KernelLatentFeatures",
    "KernelPLS",
    "LatentFeatures",
    "LatentFeaturesCV",
    "anyboost",
]
