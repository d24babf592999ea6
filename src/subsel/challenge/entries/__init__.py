"""The entries, one a file, each as its chapter has it."""

from subsel.challenge.entries.bayesian_machine import BayesianMachine
from subsel.challenge.entries.bayesian_network import BayesianNetwork
from subsel.challenge.entries.boosted_sampling import BoostedSampling
from subsel.challenge.entries.correlation_committee import CorrelationCommittee
from subsel.challenge.entries.f_score_svm import FScoreSVM
from subsel.challenge.entries.fisher_machine import FisherMachine
from subsel.challenge.entries.forest_rlsc import ForestRLSC
from subsel.challenge.entries.information_machine import InformationMachine
from subsel.challenge.entries.l1_paths import L1Paths
from subsel.challenge.entries.potential_machine import PotentialMachine
from subsel.challenge.entries.subsel_all import SubselAll
from subsel.challenge.entries.subsel_few import SubselFew
from subsel.challenge.entries.subsel_race import SubselRace

__all__ = [
    "BayesianMachine",
    "BayesianNetwork",
    "BoostedSampling",
    "CorrelationCommittee",
    "FScoreSVM",
    "FisherMachine",
    "ForestRLSC",
    "InformationMachine",
    "L1Paths",
    "PotentialMachine",
    "SubselAll",
    "SubselFew",
    "SubselRace",
]
