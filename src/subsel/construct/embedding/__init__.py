"""Spectral embeddings as the eigenfunctions of a data-dependent kernel, with a map for new rows."""

from subsel.construct.embedding.affinity import LaplacianEigenmaps, NgJordanWeiss
from subsel.construct.embedding.centred import Distance, Similarity
from subsel.construct.embedding.geodesic import Geodesic
from subsel.construct.embedding.locally_linear import LocallyLinear
from subsel.construct.embedding.nystrom import NystromEmbedding
from subsel.construct.embedding.perturbation import induction_against_perturbation
from subsel.construct.embedding.reconstruction import reconstruction_loss

__all__ = [
    "Distance",
    "Geodesic",
    "LaplacianEigenmaps",
    "LocallyLinear",
    "NgJordanWeiss",
    "NystromEmbedding",
    "Similarity",
    "induction_against_perturbation",
    "reconstruction_loss",
]
