"""Naive Bayes, whose log-likelihoods add up over columns."""

from subsel.criteria.bayes.discrete_naive_bayes import DiscreteNaiveBayes
from subsel.criteria.bayes.interval_naive_bayes import IntervalNaiveBayes

__all__ = [
    "DiscreteNaiveBayes",
    "IntervalNaiveBayes",
]
