"""Projections and metrics that keep information."""

from subsel.literature.information.bottleneck import InformationBottleneck
from subsel.literature.information.canonical import CanonicalProjection
from subsel.literature.information.learning_metric import LearningMetric
from subsel.literature.information.metric_paths import learning_distances
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
    "learning_distances",
    "neighbour_information",
    "quadratic_information",
]
