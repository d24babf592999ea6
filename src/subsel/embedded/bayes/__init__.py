"""Bayesian models that select columns by their posterior."""

from subsel.embedded.bayes.ard_elimination import ARDElimination
from subsel.embedded.bayes.entropy_discrimination import EntropyDiscrimination, expected_weights
from subsel.embedded.bayes.forward_walk import ForwardWalk
from subsel.embedded.bayes.inclusion import InclusionSelector
from subsel.embedded.bayes.jcfo import JCFO
from subsel.embedded.bayes.posterior_selection import PosteriorSelector
from subsel.embedded.bayes.sparse_bayes import SparseBayesianSelector

__all__ = [
    "JCFO",
    "ARDElimination",
    "EntropyDiscrimination",
    "ForwardWalk",
    "InclusionSelector",
    "PosteriorSelector",
    "SparseBayesianSelector",
    "expected_weights",
]
