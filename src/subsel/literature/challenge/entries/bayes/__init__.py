"""Entries that average over a posterior."""

from subsel.literature.challenge.entries.bayes.bayesian_components import BayesianComponents
from subsel.literature.challenge.entries.bayes.bayesian_machine import BayesianMachine
from subsel.literature.challenge.entries.bayes.bayesian_network import BayesianNetwork
from subsel.literature.challenge.entries.bayes.diffusion_combo import DiffusionCombo
from subsel.literature.challenge.entries.bayes.new_bayes_large import NewBayesLarge
from subsel.literature.challenge.entries.bayes.new_bayes_small import NewBayesSmall
from subsel.literature.challenge.entries.bayes.selective_bayes import SelectiveBayes
from subsel.literature.challenge.entries.bayes.selective_bayes_network import SelectiveBayesNetwork

__all__ = [
    "BayesianComponents",
    "BayesianMachine",
    "BayesianNetwork",
    "DiffusionCombo",
    "NewBayesLarge",
    "NewBayesSmall",
    "SelectiveBayes",
    "SelectiveBayesNetwork",
]
