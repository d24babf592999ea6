"""Scores that measure the information of a column about the target."""

from subsel.ranking.scores.information.entropy_distance import (
    entropy_distance,
    mantaras_distance,
    symmetrical_uncertainty,
)
from subsel.ranking.scores.information.gaussian_information import gaussian_information
from subsel.ranking.scores.information.j_measure import j_measure_terms
from subsel.ranking.scores.information.mdl_index import mdl_index
from subsel.ranking.scores.information.modl import modl
from subsel.ranking.scores.information.mutual_information import (
    gain_ratio,
    miller_madow_information,
    mutual_information,
    mutual_information_p_value,
)
from subsel.ranking.scores.information.neighbour_information import (
    neighbour_information,
    neighbour_information_regression,
)
from subsel.ranking.scores.information.parzen_information import (
    parzen_information,
    quadratic_information,
)
from subsel.ranking.scores.information.threshold_gain import (
    median_information,
    median_information_p_value,
    threshold_gain,
)

__all__ = [
    "entropy_distance",
    "gain_ratio",
    "gaussian_information",
    "j_measure_terms",
    "mantaras_distance",
    "mdl_index",
    "median_information",
    "median_information_p_value",
    "miller_madow_information",
    "modl",
    "mutual_information",
    "mutual_information_p_value",
    "neighbour_information",
    "neighbour_information_regression",
    "parzen_information",
    "quadratic_information",
    "symmetrical_uncertainty",
    "threshold_gain",
]
