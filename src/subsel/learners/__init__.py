"""Models the literature needs and scikit-learn lacks."""

from importlib import import_module
from typing import Any

_HOMES = {
    "ARDClassifier": "sparse_bayes",
    "ARDKernelClassifier": "ard_classifier",
    "AggressivePerceptron": "aggressive_perceptron",
    "BayesClassifier": "induction",
    "BayesianLogisticRegression": "bayesian_logistic",
    "BayesianNetworkClassifier": "bayesian_network",
    "CascadeCorrelationClassifier": "cascade_correlation",
    "CascadeCorrelationRegressor": "cascade_correlation",
    "DecisionThreshold": "decision_threshold",
    "DipolarTree": "dipolar_tree",
    "ErrorEntropyRegressor": "least_error_entropy",
    "FoldCommittee": "fold_committee",
    "GolubVote": "golub_vote",
    "IntervalNaiveBayes": "interval_naive_bayes",
    "KERNELS": "kernels",
    "KernelDiscriminant": "kernel_discriminant",
    "KernelNeighbours": "kernel_neighbours",
    "LOSSES": "losses",
    "LabelPowerset": "label_powerset",
    "LeastSquaresClassifier": "least_squares_classifier",
    "LinearMachine": "linear_machine",
    "MARTClassifier": "mart",
    "MARTRegressor": "mart",
    "MLPCommittee": "mlp_committee",
    "NearestMean": "nearest_mean",
    "NormalisedRBF": "normalised_rbf",
    "PenalisedMLPClassifier": "penalised_mlp",
    "RBFNetworkClassifier": "rbf_network",
    "RBFNetworkRegressor": "rbf_network",
    "RLSCCommittee": "rlsc_committee",
    "RankedNetwork": "ranked_network",
    "RelevanceVectorClassifier": "relevance_vectors",
    "SelfOrganisingMap": "self_organising_map",
    "SelfTraining": "self_training",
    "ShortlistClassifier": "shortlist",
    "ShrunkenCentroids": "shrunken_centroids",
    "SleepingNaiveBayes": "sleeping_naive_bayes",
    "TransductiveSVM": "transductive_svm",
    "VotingGibbs": "voting_gibbs",
    "WeightedForestClassifier": "weighted_forest",
    "WeightedForestRegressor": "weighted_forest",
    "averaged_prediction": "induction",
    "best_less_spread": "fold_committee",
    "chosen_hypothesis": "induction",
    "class_share_cut": "cut_points",
    "description_lengths": "induction",
    "empirical_risk": "losses",
    "error_entropy": "least_error_entropy",
    "find_kernel": "kernels",
    "forest_kernel": "tree_similarity",
    "label_leaves": "leaf_labels",
    "largest_mcc_cut": "cut_points",
    "least_ber_cut": "cut_points",
    "linear_hypothesis": "induction",
    "opposite_class_width": "kernel_width",
    "out_of_bag_losses": "fold_committee",
    "regularised_risk": "losses",
    "repeated_losses": "fold_committee",
    "sample_diffusion_trees": "diffusion_sampler",
    "stabilised_covariance": "covariance",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import on first use: criteria read the kernels in this folder without its samplers."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.learners.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.learners' has no attribute {name!r}")
