"""Support vector machines that scale or remove columns."""

from subsel.embedded.svm.adaptive_scaling import AdaptiveScaling
from subsel.embedded.svm.arom import AROMClassifier, AROMRegressor
from subsel.embedded.svm.bound_elimination import BoundElimination
from subsel.embedded.svm.bounds import radius_margin, span, span_leave_one_out, variance_margin
from subsel.embedded.svm.fewest_support_vectors import FewestSupportVectors
from subsel.embedded.svm.gci_svm import GCISVM
from subsel.embedded.svm.scaling_factors import ScalingFactors, validation_error
from subsel.embedded.svm.scaling_program import convex_scaling
from subsel.embedded.svm.transductive import TransductiveSelector

__all__ = [
    "GCISVM",
    "AROMClassifier",
    "AROMRegressor",
    "AdaptiveScaling",
    "BoundElimination",
    "FewestSupportVectors",
    "ScalingFactors",
    "TransductiveSelector",
    "convex_scaling",
    "radius_margin",
    "span",
    "span_leave_one_out",
    "validation_error",
    "variance_margin",
]
