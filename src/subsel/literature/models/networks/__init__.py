"""Neural and fuzzy networks."""

from subsel.literature.models.networks.cascade_correlation import (
    CascadeCorrelationClassifier,
    CascadeCorrelationRegressor,
)
from subsel.literature.models.networks.fuzzy_neurons import (
    MEMBERSHIPS,
    NORMS,
    composition,
    fuzzy_and,
    fuzzy_neuron,
    fuzzy_not,
    fuzzy_or,
    hybrid_gradient,
    hybrid_output,
    indicator_network,
    membership,
)
from subsel.literature.models.networks.fuzzy_rules import FuzzyRules, rule_output
from subsel.literature.models.networks.least_error_entropy import (
    ErrorEntropyRegressor,
    error_entropy,
)
from subsel.literature.models.networks.penalised_mlp import PenalisedMLPClassifier
from subsel.literature.models.networks.rbf_network import RBFNetworkClassifier, RBFNetworkRegressor
from subsel.literature.models.networks.self_organising_map import SelfOrganisingMap
from subsel.literature.models.networks.stopped_network import StoppedNetwork

__all__ = [
    "MEMBERSHIPS",
    "NORMS",
    "CascadeCorrelationClassifier",
    "CascadeCorrelationRegressor",
    "ErrorEntropyRegressor",
    "FuzzyRules",
    "PenalisedMLPClassifier",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "SelfOrganisingMap",
    "StoppedNetwork",
    "composition",
    "error_entropy",
    "fuzzy_and",
    "fuzzy_neuron",
    "fuzzy_not",
    "fuzzy_or",
    "hybrid_gradient",
    "hybrid_output",
    "indicator_network",
    "membership",
    "rule_output",
]
