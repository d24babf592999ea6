"""Projections and metrics that keep information."""

from subsel.literature.information.bottleneck import InformationBottleneck
from subsel.literature.information.canonical import CanonicalProjection
from subsel.literature.information.learning_metric import LearningMetric, fisher_information
from subsel.literature.information.metric_paths import learning_distances, path_length
from subsel.literature.information.projection import (
    InformationProjection,
    neighbour_information,
    quadratic_information,
)

__all__ = [
    "CanonicalProjection",
    "InformationBottleneck",
    "InformationProjection",
    "LearningMetric",
    "fisher_information",
    "learning_distances",
    "neighbour_information",
    "path_length",
    "quadratic_information",
]
