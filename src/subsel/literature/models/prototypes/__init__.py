"""Learners by centroids, votes and near rows."""

from subsel.literature.models.prototypes.golub_vote import GolubVote
from subsel.literature.models.prototypes.kernel_neighbours import KernelNeighbours
from subsel.literature.models.prototypes.normalised_rbf import NormalisedRBF, opposite_class_width
from subsel.literature.models.prototypes.shrunken_centroids import ShrunkenCentroids

__all__ = [
    "GolubVote",
    "KernelNeighbours",
    "NormalisedRBF",
    "ShrunkenCentroids",
    "opposite_class_width",
]
