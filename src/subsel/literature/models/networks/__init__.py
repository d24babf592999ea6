"""Neural and fuzzy networks."""

from subsel.literature.models.networks.cascade_correlation import (
    CascadeCorrelationClassifier,
    CascadeCorrelationRegressor,
)
from subsel.literature.models.networks.fuzzy_neurons import (
    composition,
    fuzzy_neuron,
    hybrid_gradient,
    indicator_network,
    membership,
)
from subsel.literature.models.networks.fuzzy_rules import FuzzyRules
from subsel.literature.models.networks.least_error_entropy import ErrorEntropyRegressor
from subsel.literature.models.networks.penalised_mlp import PenalisedMLPClassifier
from subsel.literature.models.networks.rbf_network import RBFNetworkClassifier, RBFNetworkRegressor
from subsel.literature.models.networks.self_organising_map import SelfOrganisingMap
from subsel.literature.models.networks.stopped_network import StoppedNetwork

__all__ = [
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
    "fuzzy_neuron",
    "hybrid_gradient",
    "indicator_network",
    "membership",
]
