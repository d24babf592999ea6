"""Several rankings combined into one."""

from subsel.ranking.aggregation.bagging import bagged_scores, selection_frequency
from subsel.ranking.aggregation.committee import (
    Committee,
    UnionOfTests,
    borda,
    mean_rank,
    voted_rank,
)
from subsel.ranking.aggregation.one_vs_rest import one_vs_rest
from subsel.ranking.aggregation.votes import intersection, union, votes

__all__ = [
    "Committee",
    "UnionOfTests",
    "bagged_scores",
    "borda",
    "intersection",
    "mean_rank",
    "one_vs_rest",
    "selection_frequency",
    "union",
    "voted_rank",
    "votes",
]
