"""Hyperplanes by convex, piecewise linear programs."""

from subsel.embedded.planes.cpl import CPLSelector
from subsel.embedded.planes.fsv import FSV
from subsel.embedded.planes.perceptron_elimination import PerceptronElimination
from subsel.embedded.planes.perceptron_plane import perceptron_criterion
from subsel.embedded.planes.separable_subspaces import (
    descending_sequence,
    separable,
    subspace_of_size,
)

__all__ = [
    "FSV",
    "CPLSelector",
    "PerceptronElimination",
    "descending_sequence",
    "perceptron_criterion",
    "separable",
    "subspace_of_size",
]
