"""Features that carry as much information about the target as they can."""

from subsel.construct.information.bottleneck import InformationBottleneck
from subsel.construct.information.canonical import CanonicalProjection
from subsel.construct.information.learning_metric import LearningMetric, fisher_information
from subsel.construct.information.metric_paths import learning_distances, path_length
from subsel.construct.information.neighbours import neighbour_information
from subsel.construct.information.projection import InformationProjection
from subsel.construct.information.quadratic import quadratic_information

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
