"""Bayesian learners and learners by induction."""

from subsel.literature.models.bayes.bayesian_logistic import BayesianLogisticRegression
from subsel.literature.models.bayes.class_mixture import ClassMixture
from subsel.literature.models.bayes.induction import BayesClassifier, chosen_hypothesis
from subsel.literature.models.bayes.relevance_vectors import RelevanceVectorClassifier
from subsel.literature.models.bayes.sleeping_naive_bayes import SleepingNaiveBayes
from subsel.literature.models.bayes.voting_gibbs import VotingGibbs

__all__ = [
    "BayesClassifier",
    "BayesianLogisticRegression",
    "ClassMixture",
    "RelevanceVectorClassifier",
    "SleepingNaiveBayes",
    "VotingGibbs",
    "chosen_hypothesis",
]
