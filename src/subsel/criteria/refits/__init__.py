"""Criteria that fit a model again for every subset."""

from subsel.criteria.refits.cross_validated import CrossValidated, FitFailed
from subsel.criteria.refits.fresh_split_score import FreshSplitScore
from subsel.criteria.refits.icomp import IcompPerf
from subsel.criteria.refits.icomp_regression import IcompRegression
from subsel.criteria.refits.tree_fitness import TreeFitness

__all__ = [
    "CrossValidated",
    "FitFailed",
    "FreshSplitScore",
    "IcompPerf",
    "IcompRegression",
    "TreeFitness",
]
