"""Scores that compare each row with its nearest rows: Relief and margins."""

from subsel.ranking.scores.neighbours.hypothesis_margin import (
    margin_evaluation,
    margin_utility,
    margins,
    mean_distance,
)
from subsel.ranking.scores.neighbours.relief import ratio_relief, relief
from subsel.ranking.scores.neighbours.relief_x import relief_x
from subsel.ranking.scores.neighbours.relieff import relieff
from subsel.ranking.scores.neighbours.rrelieff import rrelieff
from subsel.ranking.scores.neighbours.simba import simba
from subsel.ranking.scores.neighbours.surf import multisurf, multisurf_star, surf, surf_star
from subsel.ranking.scores.neighbours.value_difference_metric import (
    feature_value_difference,
    value_difference_metric,
)

__all__ = [
    "feature_value_difference",
    "margin_evaluation",
    "margin_utility",
    "margins",
    "mean_distance",
    "multisurf",
    "multisurf_star",
    "ratio_relief",
    "relief",
    "relief_x",
    "relieff",
    "rrelieff",
    "simba",
    "surf",
    "surf_star",
    "value_difference_metric",
]
