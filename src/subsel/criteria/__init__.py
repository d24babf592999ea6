"""How good is a subset? One file per judge."""

from subsel.criteria.base import Criterion, Evaluation, Evaluator
from subsel.criteria.consistency import Inconsistency
from subsel.criteria.cross_validated import CrossValidated, FitFailed
from subsel.criteria.discrete_naive_bayes import DiscreteNaiveBayes
from subsel.criteria.exact import judge_of
from subsel.criteria.least_squares import LeastSquares
from subsel.criteria.merit import CorrelationMerit, RedundancyPenalised
from subsel.criteria.nearest_neighbours import NearestNeighbours
from subsel.criteria.scatter import Scatter
from subsel.criteria.scoring import NotExact

__all__ = [
    "CorrelationMerit",
    "Criterion",
    "CrossValidated",
    "DiscreteNaiveBayes",
    "Evaluation",
    "Evaluator",
    "FitFailed",
    "Inconsistency",
    "LeastSquares",
    "NearestNeighbours",
    "NotExact",
    "RedundancyPenalised",
    "Scatter",
    "judge_of",
]
