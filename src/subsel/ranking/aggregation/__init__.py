"""Several rankings combined into one."""

from subsel.ranking.aggregation.bagging import selection_frequency
from subsel.ranking.aggregation.committee import Committee, UnionOfTests
from subsel.ranking.aggregation.votes import votes

__all__ = [
    "Committee",
    "UnionOfTests",
    "selection_frequency",
    "votes",
]
