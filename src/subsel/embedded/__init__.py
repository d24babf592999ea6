"""Models that select while they learn, and selection with error control."""

from importlib import import_module
from typing import Any

_HOMES = {
    "ACE": "ace",
    "ARDElimination": "ard_elimination",
    "AROMClassifier": "arom",
    "AROMRegressor": "arom",
    "Boruta": "boruta",
    "CPLSelector": "cpl",
    "EmbeddedSelector": "selector",
    "FSV": "fsv",
    "FewestSupportVectors": "fewest_support_vectors",
    "ForestHalving": "forest_halving",
    "ForwardWalk": "forward_walk",
    "GCISVM": "gci_svm",
    "Importance": "importance",
    "ImportanceElimination": "importance_elimination",
    "InclusionSelector": "inclusion",
    "Knockoffs": "knockoffs",
    "L1Path": "almost_quadratic",
    "MonomialRegression": "monomials",
    "NoisedOut": "retraining",
    "NonlinearPSVM": "nonlinear_psvm",
    "OptimalBrainDamage": "brain_damage",
    "OutOfBagImportance": "out_of_bag",
    "PosteriorSelector": "posterior_selection",
    "PotentialSVM": "potential_svm",
    "ScalingFactors": "scaling_factors",
    "SensitivityPruning": "sensitivity_pruning",
    "SparseBayesianSelector": "sparse_bayes",
    "StabilitySelection": "stability",
    "Surrogates": "surrogates",
    "TransductiveSelector": "transductive",
    "class_importances": "impurity",
    "convex_scaling": "scaling_program",
    "derivative_sensitivity": "sensitivity",
    "descending_sequence": "subspaces",
    "expected_weights": "entropy_discrimination",
    "fixed_knockoffs": "knockoff_copies",
    "gaussian_knockoffs": "knockoff_copies",
    "grafting": "graft",
    "huber_lasso": "l1_orders",
    "impurity_importances": "impurity",
    "interaction_scores": "interactions",
    "l1_huberized_hinge": "l1_orders",
    "l1_logistic": "l1_orders",
    "l1_squared_hinge": "l1_orders",
    "lars": "pursuit",
    "lasso": "l1_orders",
    "masking": "surrogates",
    "noised_out": "retraining",
    "omp": "pursuit",
    "one_norm_svm": "l1_orders",
    "out_of_bag_importance": "out_of_bag",
    "output_sensitivity": "sensitivity",
    "perceptron_criterion": "perceptron_plane",
    "quadratic_path": "almost_quadratic",
    "radius_margin": "svm_bounds",
    "range_sensitivity": "sensitivity",
    "rlsc_error_bound": "rlsc",
    "rlsc_leave_one_out": "rlsc",
    "sampled_sensitivity": "sensitivity",
    "separable": "subspaces",
    "shap_importance": "shap_values",
    "span": "svm_bounds",
    "span_leave_one_out": "svm_bounds",
    "ssv_tree_ranks": "ssv_tree",
    "subspace_of_size": "sized_subspace",
    "surrogate_importances": "surrogates",
    "surrogate_splits": "surrogates",
    "variance_margin": "svm_bounds",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import on first use, so that importing one thing does not import all."""
    if name in _HOMES:
        return getattr(import_module(f"subsel.embedded.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'subsel.embedded' has no attribute {name!r}")
