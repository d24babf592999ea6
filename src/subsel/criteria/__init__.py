"""Criteria, which evaluate subsets."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "CRITERIA": "registry",
    "Equivalent": "registry",
    "Choices": "choices",
    "CorrelationMerit": "model_free.merit",
    "Criterion": "base",
    "CrossValidated": "refits.cross_validated",
    "DiscreteNaiveBayes": "bayes.discrete_naive_bayes",
    "Discriminant": "linear.discriminant",
    "Evaluation": "base",
    "Evaluator": "base",
    "FitFailed": "refits.cross_validated",
    "Footprint": "evaluators.footprint",
    "FreshSplitScore": "refits.fresh_split_score",
    "IcompPerf": "refits.icomp",
    "IcompRegression": "refits.icomp_regression",
    "Inconsistency": "model_free.inconsistency",
    "IntervalNaiveBayes": "bayes.interval_naive_bayes",
    "KernelRidge": "kernels.kernel_ridge",
    "KernelRidgeClassification": "kernels.kernel_ridge_classification",
    "LeastSquares": "linear.least_squares",
    "Margin": "neighbours.margin",
    "NearestCentroid": "neighbours.nearest_centroid",
    "NearestNeighbours": "neighbours.nearest_neighbours",
    "NotExact": "scoring.scoring",
    "PrototypeAccuracy": "neighbours.prototype_accuracy",
    "RedundancyPenalised": "model_free.merit",
    "Scatter": "model_free.scatter",
    "Separability": "model_free.separability",
    "Shape": "evaluators.footprint",
    "TreeFitness": "refits.tree_fitness",
    "criterion": "registry",
    "find_criterion": "registry",
    "criterion_of": "exact",
    "on_device": "evaluators.acceleration",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
