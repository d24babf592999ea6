"""The entries, one a file, each as its chapter has it."""

from subsel.literature.challenge.entries.bayes.bayesian_components import BayesianComponents
from subsel.literature.challenge.entries.bayes.bayesian_machine import BayesianMachine
from subsel.literature.challenge.entries.bayes.bayesian_network import BayesianNetwork
from subsel.literature.challenge.entries.bayes.diffusion_combo import DiffusionCombo
from subsel.literature.challenge.entries.bayes.new_bayes import NewBayesLarge, NewBayesSmall
from subsel.literature.challenge.entries.bayes.selective_bayes import (
    SelectiveBayes,
    SelectiveBayesNetwork,
)
from subsel.literature.challenge.entries.boosted_sampling import BoostedSampling
from subsel.literature.challenge.entries.committees.correlation_committee import (
    CorrelationCommittee,
)
from subsel.literature.challenge.entries.committees.selection_committee import SelectionCommittee
from subsel.literature.challenge.entries.forest_rlsc import ForestRLSC
from subsel.literature.challenge.entries.importance_network import ImportanceNetwork
from subsel.literature.challenge.entries.information_union import InformationUnion
from subsel.literature.challenge.entries.kernel_pls import SensitiveKernelPLS
from subsel.literature.challenge.entries.l1_paths import L1Paths
from subsel.literature.challenge.entries.machines.f_score_svm import FScoreSVM, ThresholdSearch
from subsel.literature.challenge.entries.machines.filter_machine import (
    FilterMachine,
    TransductiveMachine,
)
from subsel.literature.challenge.entries.machines.fisher_machine import FisherMachine
from subsel.literature.challenge.entries.machines.information_machine import InformationMachine
from subsel.literature.challenge.entries.machines.margin_machine import MarginMachine
from subsel.literature.challenge.entries.machines.potential_machine import PotentialMachine
from subsel.literature.challenge.entries.ours.subsel_all import SubselAll
from subsel.literature.challenge.entries.ours.subsel_few import SubselFew
from subsel.literature.challenge.entries.ours.subsel_race import SubselRace

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
