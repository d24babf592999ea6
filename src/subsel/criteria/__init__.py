"""How good is a subset? One file per criterion."""

from subsel.criteria.base import Criterion, Evaluation, Evaluator
from subsel.criteria.choices import Choices
from subsel.criteria.consistency import Inconsistency
from subsel.criteria.cross_validated import CrossValidated, FitFailed
from subsel.criteria.discrete_naive_bayes import DiscreteNaiveBayes
from subsel.criteria.discriminant import Discriminant
from subsel.criteria.exact import criterion_of, judge_of
from subsel.criteria.footprint import Footprint, Shape
from subsel.criteria.fresh_split_score import FreshSplitScore
from subsel.criteria.graded_linkage import GradedLinkage
from subsel.criteria.icomp import IcompPerf
from subsel.criteria.icomp_regression import IcompRegression
from subsel.criteria.interval_naive_bayes import IntervalNaiveBayes
from subsel.criteria.kernel_ridge import KernelRidge
from subsel.criteria.kernel_ridge_classification import KernelRidgeClassification
from subsel.criteria.least_squares import LeastSquares
from subsel.criteria.linkage import LinkageAccuracy
from subsel.criteria.margin import Margin
from subsel.criteria.merit import CorrelationMerit, RedundancyPenalised
from subsel.criteria.nearest_centroid import NearestCentroid
from subsel.criteria.nearest_neighbours import NearestNeighbours
from subsel.criteria.prototype_accuracy import PrototypeAccuracy
from subsel.criteria.registry import CRITERIA, Answer, criterion, find_criterion
from subsel.criteria.scatter import Scatter
from subsel.criteria.scoring import NotExact
from subsel.criteria.separability import Separability
from subsel.criteria.tree_fitness import TreeFitness

__all__ = [
    "CRITERIA",
    "Answer",
    "Choices",
    "CorrelationMerit",
    "Criterion",
    "CrossValidated",
    "DiscreteNaiveBayes",
    "Discriminant",
    "Evaluation",
    "Evaluator",
    "FitFailed",
    "Footprint",
    "FreshSplitScore",
    "GradedLinkage",
    "IcompPerf",
    "IcompRegression",
    "Inconsistency",
    "IntervalNaiveBayes",
    "KernelRidge",
    "KernelRidgeClassification",
    "LeastSquares",
    "LinkageAccuracy",
    "Margin",
    "NearestCentroid",
    "NearestNeighbours",
    "NotExact",
    "PrototypeAccuracy",
    "RedundancyPenalised",
    "Scatter",
    "Separability",
    "Shape",
    "TreeFitness",
    "criterion",
    "criterion_of",
    "find_criterion",
    "judge_of",
]
