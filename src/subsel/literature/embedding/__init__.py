"""Spectral embeddings of rows."""

from subsel.literature.embedding.affinity import LaplacianEigenmaps, NgJordanWeiss
from subsel.literature.embedding.centred_kernels import Distance, Similarity
from subsel.literature.embedding.geodesic import Geodesic
from subsel.literature.embedding.gram_pca import GramPCA
from subsel.literature.embedding.locally_linear import LocallyLinear
from subsel.literature.embedding.nystrom import NystromEmbedding
from subsel.literature.embedding.perturbation import induction_against_perturbation
from subsel.literature.embedding.reconstruction import reconstruction_loss

__all__ = [
    "Distance",
    "Geodesic",
    "GramPCA",
    "LaplacianEigenmaps",
    "LocallyLinear",
    "NgJordanWeiss",
    "NystromEmbedding",
    "Similarity",
    "induction_against_perturbation",
    "reconstruction_loss",
]
