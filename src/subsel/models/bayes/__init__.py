"""Learners whose parameters are averaged over, or set by, a posterior distribution."""

from subsel.models.bayes.ard_classifier import ARDKernelClassifier
from subsel.models.bayes.bayesian_network import BayesianNetworkClassifier
from subsel.models.bayes.interval_naive_bayes import IntervalNaiveBayes
from subsel.models.bayes.sparse_bayes import ARDClassifier

__all__ = [
    "ARDClassifier",
    "ARDKernelClassifier",
    "BayesianNetworkClassifier",
    "IntervalNaiveBayes",
]
