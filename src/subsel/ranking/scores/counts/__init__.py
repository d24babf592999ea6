"""Scores that are functions of a table of counts."""

from subsel.ranking.scores.counts.binary import bi_normal_separation, exp_rate_difference
from subsel.ranking.scores.counts.class_divergence import class_divergence, weight_of_evidence
from subsel.ranking.scores.counts.contingency import (
    chi_square,
    chi_square_p_value,
    g_statistic,
    g_statistic_p_value,
)
from subsel.ranking.scores.counts.gini import (
    gini,
    goodman_kruskal,
    goodman_kruskal_p_value,
    value_difference,
)
from subsel.ranking.scores.counts.hypergeometric import hypergeometric, hypergeometric_p_value
from subsel.ranking.scores.counts.kolmogorov_dependence import kolmogorov_dependence
from subsel.ranking.scores.counts.matusita import (
    bhattacharyya,
    freeman_tukey_p_value,
    jeffreys_matusita,
)
from subsel.ranking.scores.counts.odds_ratio import odds_ratio, odds_ratio_p_value
from subsel.ranking.scores.counts.presence import (
    frequency_difference,
    presence_count,
    presence_divergence,
    presence_predictive_value,
    presence_sensitivity,
)

__all__ = [
    "bhattacharyya",
    "bi_normal_separation",
    "chi_square",
    "chi_square_p_value",
    "class_divergence",
    "exp_rate_difference",
    "freeman_tukey_p_value",
    "frequency_difference",
    "g_statistic",
    "g_statistic_p_value",
    "gini",
    "goodman_kruskal",
    "goodman_kruskal_p_value",
    "hypergeometric",
    "hypergeometric_p_value",
    "jeffreys_matusita",
    "kolmogorov_dependence",
    "odds_ratio",
    "odds_ratio_p_value",
    "presence_count",
    "presence_divergence",
    "presence_predictive_value",
    "presence_sensitivity",
    "value_difference",
    "weight_of_evidence",
]
