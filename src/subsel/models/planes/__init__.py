"""Classifiers that separate by a hyperplane, in the columns or in the space of a kernel."""

from subsel.models.planes.alma import ALMA
from subsel.models.planes.kernel_discriminant import KernelDiscriminant
from subsel.models.planes.least_squares_classifier import LeastSquaresClassifier
from subsel.models.planes.nearest_mean import NearestMean
from subsel.models.planes.transductive_svm import TransductiveSVM

__all__ = [
    "ALMA",
    "KernelDiscriminant",
    "LeastSquaresClassifier",
    "NearestMean",
    "TransductiveSVM",
]
