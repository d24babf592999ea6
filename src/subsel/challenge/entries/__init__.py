"""The entries, one a file, each as its chapter has it."""

from subsel.challenge.entries.bayesian_components import BayesianComponents
from subsel.challenge.entries.bayesian_machine import BayesianMachine
from subsel.challenge.entries.bayesian_network import BayesianNetwork
from subsel.challenge.entries.boosted_sampling import BoostedSampling
from subsel.challenge.entries.correlation_committee import CorrelationCommittee
from subsel.challenge.entries.diffusion_combo import DiffusionCombo
from subsel.challenge.entries.f_score_svm import FScoreSVM
from subsel.challenge.entries.filter_machine import FilterMachine
from subsel.challenge.entries.fisher_machine import FisherMachine
from subsel.challenge.entries.forest_rlsc import ForestRLSC
from subsel.challenge.entries.importance_network import ImportanceNetwork
from subsel.challenge.entries.information_machine import InformationMachine
from subsel.challenge.entries.information_union import InformationUnion
from subsel.challenge.entries.kernel_pls import SensitiveKernelPLS
from subsel.challenge.entries.l1_paths import L1Paths
from subsel.challenge.entries.margin_machine import MarginMachine
from subsel.challenge.entries.new_bayes_large import NewBayesLarge
from subsel.challenge.entries.new_bayes_small import NewBayesSmall
from subsel.challenge.entries.potential_machine import PotentialMachine
from subsel.challenge.entries.selection_committee import SelectionCommittee
from subsel.challenge.entries.selective_bayes import SelectiveBayes
from subsel.challenge.entries.selective_bayes_network import SelectiveBayesNetwork
from subsel.challenge.entries.subsel_all import SubselAll
from subsel.challenge.entries.subsel_few import SubselFew
from subsel.challenge.entries.subsel_race import SubselRace
from subsel.challenge.entries.threshold_search import ThresholdSearch
from subsel.challenge.entries.transductive_machine import TransductiveMachine

__all__ = [
    "BayesianComponents",
    "BayesianMachine",
    "BayesianNetwork",
    "BoostedSampling",
    "CorrelationCommittee",
    "DiffusionCombo",
    "FScoreSVM",
    "FilterMachine",
    "FisherMachine",
    "ForestRLSC",
    "ImportanceNetwork",
    "InformationMachine",
    "InformationUnion",
    "L1Paths",
    "MarginMachine",
    "NewBayesLarge",
    "NewBayesSmall",
    "PotentialMachine",
    "SelectionCommittee",
    "SelectiveBayes",
    "SelectiveBayesNetwork",
    "SensitiveKernelPLS",
    "SubselAll",
    "SubselFew",
    "SubselRace",
    "ThresholdSearch",
    "TransductiveMachine",
]
