"""Latent features: orthogonal directions found by boosting any convex loss, partial least squares, principal components."""

from subsel.construct.latent.anyboost import anyboost
from subsel.construct.latent.components import LatentFeaturesCV
from subsel.construct.latent.gram_pca import GramPCA
from subsel.construct.latent.kernel import KernelLatentFeatures
from subsel.construct.latent.linear import LatentFeatures
from subsel.construct.latent.pls import KernelPLS
from subsel.construct.latent.recipe import latent_svm

__all__ = [
    "GramPCA",
    "KernelLatentFeatures",
    "KernelPLS",
    "LatentFeatures",
    "LatentFeaturesCV",
    "anyboost",
    "latent_svm",
]
