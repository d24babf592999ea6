"""Scores that are functions of ranks."""

from subsel.ranking.scores.ranks.kolmogorov_smirnov import (
    kolmogorov_smirnov,
    kolmogorov_smirnov_p_value,
    t_times_ks,
)
from subsel.ranking.scores.ranks.mann_whitney import auc, auc_p_value
from subsel.ranking.scores.ranks.rank_correlation import (
    kendall,
    kendall_p_value,
    spearman,
    spearman_p_value,
)
from subsel.ranking.scores.ranks.runs import runs, runs_p_value

__all__ = [
    "auc",
    "auc_p_value",
    "kendall",
    "kendall_p_value",
    "kolmogorov_smirnov",
    "kolmogorov_smirnov_p_value",
    "runs",
    "runs_p_value",
    "spearman",
    "spearman_p_value",
    "t_times_ks",
]
