"""Entries that average over a posterior."""

from subsel.literature.challenge.entries.bayes.bayesian_components import BayesianComponents
from subsel.literature.challenge.entries.bayes.bayesian_machine import BayesianMachine
from subsel.literature.challenge.entries.bayes.bayesian_network import BayesianNetwork
from subsel.literature.challenge.entries.bayes.diffusion_combo import DiffusionCombo
from subsel.literature.challenge.entries.bayes.new_bayes import NewBayesLarge, NewBayesSmall
from subsel.literature.challenge.entries.bayes.selective_bayes import (
    SelectiveBayes,
    SelectiveBayesNetwork,
)

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
