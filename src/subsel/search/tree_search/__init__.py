"""Searches that expand an ordered tree of subsets."""

from subsel.search.tree_search.beam import Beam
from subsel.search.tree_search.best_first import BestFirst
from subsel.search.tree_search.branch_and_bound import BranchAndBound
from subsel.search.tree_search.exhaustive import Exhaustive

__all__ = [
    "Beam",
    "BestFirst",
    "BranchAndBound",
    "Exhaustive",
]
