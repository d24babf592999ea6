"""Models that select while they learn, and selection with error control."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "ACE": "contrasts.ace",
    "FSV": "planes.fsv",
    "GCISVM": "svm.gci_svm",
    "JCFO": "bayes.jcfo",
    "ARDElimination": "bayes.ard_elimination",
    "AROMClassifier": "svm.arom",
    "AROMRegressor": "svm.arom",
    "AdaptiveScaling": "svm.adaptive_scaling",
    "Boruta": "contrasts.boruta",
    "BoundElimination": "svm.bound_elimination",
    "CPLSelector": "planes.cpl",
    "EmbeddedSelector": "selector",
    "EntropyDiscrimination": "bayes.entropy_discrimination",
    "FewestSupportVectors": "svm.fewest_support_vectors",
    "ForestHalving": "trees.forest_halving",
    "ForwardWalk": "bayes.forward_walk",
    "Importance": "importance.importance",
    "ImportanceElimination": "importance.importance_elimination",
    "InclusionSelector": "bayes.inclusion",
    "Knockoffs": "contrasts.knockoffs",
    "L1Path": "l1.path",
    "MonomialRegression": "linear.monomials",
    "NonlinearPSVM": "networks.nonlinear_psvm",
    "OptimalBrainDamage": "networks.brain_damage",
    "OptimalBrainSurgeon": "networks.brain_damage",
    "OutOfBagImportance": "trees.out_of_bag",
    "PerceptronElimination": "planes.perceptron_elimination",
    "PosteriorSelector": "bayes.posterior_selection",
    "PotentialSVM": "l1.potential_svm",
    "ScalingFactors": "svm.scaling_factors",
    "SensitivityPruning": "importance.sensitivity_pruning",
    "SparseBayesianSelector": "bayes.sparse_bayes",
    "SparseFisher": "linear.sparse_fisher",
    "StabilitySelection": "contrasts.stability",
    "TransductiveSelector": "svm.transductive",
    "class_importances": "trees.impurity",
    "convex_scaling": "svm.scaling_program",
    "derivative_sensitivity": "importance.sensitivity",
    "descending_sequence": "planes.separable_subspaces",
    "expected_weights": "bayes.entropy_discrimination",
    "fixed_knockoffs": "contrasts.knockoff_copies",
    "gaussian_knockoffs": "contrasts.knockoff_copies",
    "grafting": "linear.grafting",
    "huber_lasso": "l1.orders",
    "impurity_importances": "trees.impurity",
    "interaction_scores": "trees.interactions",
    "l1_huberized_hinge": "l1.orders",
    "l1_logistic": "l1.orders",
    "l1_squared_hinge": "l1.orders",
    "lars": "linear.pursuit",
    "lasso": "l1.orders",
    "masking": "trees.surrogates",
    "noised_out": "importance.retraining",
    "omp": "linear.pursuit",
    "one_norm_svm": "l1.orders",
    "out_of_bag_importance": "trees.out_of_bag",
    "output_sensitivity": "importance.sensitivity",
    "perceptron_criterion": "planes.perceptron_plane",
    "quadratic_path": "l1.path",
    "radius_margin": "svm.bounds",
    "range_sensitivity": "importance.sensitivity",
    "rfe": "linear.elimination_order",
    "rlsc_error_bound": "linear.rlsc",
    "rlsc_leave_one_out": "linear.rlsc",
    "sampled_sensitivity": "importance.sensitivity",
    "separable": "planes.separable_subspaces",
    "shap_importance": "importance.shap_values",
    "span": "svm.bounds",
    "span_leave_one_out": "svm.bounds",
    "ssv_tree_ranks": "trees.ssv_tree",
    "subspace_of_size": "planes.separable_subspaces",
    "surrogate_importances": "trees.surrogates",
    "surrogate_splits": "trees.surrogates",
    "validation_error": "svm.scaling_factors",
    "variance_margin": "svm.bounds",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
