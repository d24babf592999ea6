"""Learners of the literature that no selection needs."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "LOSSES": "planes.losses",
    "AggressivePerceptron": "planes.aggressive_perceptron",
    "BayesClassifier": "bayes.induction",
    "BayesianLogisticRegression": "bayes.bayesian_logistic",
    "CascadeCorrelationClassifier": "networks.cascade_correlation",
    "CascadeCorrelationRegressor": "networks.cascade_correlation",
    "ClassMixture": "bayes.class_mixture",
    "DecisionThreshold": "decisions.decision_threshold",
    "DiffusionTreeClassifier": "hierarchies.diffusion_classifier",
    "DipolarTree": "trees.dipolar_tree",
    "ErrorEntropyRegressor": "networks.least_error_entropy",
    "FoldCommittee": "committees.fold_committee",
    "FuzzyRules": "networks.fuzzy_rules",
    "GolubVote": "prototypes.golub_vote",
    "KernelNeighbours": "prototypes.kernel_neighbours",
    "KernelPLSCommittee": "committees.kernel_pls_committee",
    "LabelPowerset": "decisions.label_powerset",
    "LinearMachine": "planes.linear_machine",
    "LocalCommittee": "committees.local_committee",
    "MARTClassifier": "trees.mart",
    "MARTRegressor": "trees.mart",
    "MLPCommittee": "committees.mlp_committee",
    "NormalisedRBF": "prototypes.normalised_rbf",
    "OutputCommittee": "committees.output_committee",
    "PatternTuned": "decisions.pattern_search",
    "PenalisedMLPClassifier": "networks.penalised_mlp",
    "RBFNetworkClassifier": "networks.rbf_network",
    "RBFNetworkRegressor": "networks.rbf_network",
    "RLSCCommittee": "committees.rlsc_committee",
    "RankedNetwork": "planes.ranked_network",
    "RelevanceVectorClassifier": "bayes.relevance_vectors",
    "SelfOrganisingMap": "networks.self_organising_map",
    "SelfTraining": "decisions.self_training",
    "ShortlistClassifier": "decisions.shortlist",
    "ShrunkenCentroids": "prototypes.shrunken_centroids",
    "SleepingNaiveBayes": "bayes.sleeping_naive_bayes",
    "StoppedNetwork": "networks.stopped_network",
    "SurrogateTreeClassifier": "trees.surrogate_tree",
    "SurrogateTreeRegressor": "trees.surrogate_tree",
    "VotingGibbs": "bayes.voting_gibbs",
    "WeightedForestClassifier": "trees.weighted_forest",
    "WeightedForestRegressor": "trees.weighted_forest",
    "chosen_hypothesis": "bayes.induction",
    "composition": "networks.fuzzy_neurons",
    "forest_kernel": "trees.tree_similarity",
    "fuzzy_neuron": "networks.fuzzy_neurons",
    "hybrid_gradient": "networks.fuzzy_neurons",
    "indicator_network": "networks.fuzzy_neurons",
    "largest_mcc_cut": "decisions.cut_points",
    "least_ber_cut": "decisions.cut_points",
    "membership": "networks.fuzzy_neurons",
    "opposite_class_width": "prototypes.normalised_rbf",
    "out_of_bag_losses": "committees.fold_committee",
    "pattern_search": "decisions.pattern_search",
    "regularised_risk": "planes.losses",
    "sample_diffusion_trees": "hierarchies.diffusion_tree",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
