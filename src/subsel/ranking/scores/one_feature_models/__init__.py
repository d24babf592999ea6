"""Scores that say how well a model on one column predicts."""

from subsel.ranking.scores.one_feature_models.one_feature_tree import (
    one_feature_tree,
    one_feature_tree_regression,
)
from subsel.ranking.scores.one_feature_models.one_rule import (
    accuracy_minus_error,
    bayesian_accuracy,
    one_rule,
)
from subsel.ranking.scores.one_feature_models.single_variable_classifier import (
    single_variable_classifier,
)
from subsel.ranking.scores.one_feature_models.split_value import (
    separability_split,
    separability_tree,
)
from subsel.ranking.scores.one_feature_models.threshold import (
    threshold_accuracy,
    threshold_balanced_accuracy,
    threshold_cost,
    threshold_f1,
)

__all__ = [
    "accuracy_minus_error",
    "bayesian_accuracy",
    "one_feature_tree",
    "one_feature_tree_regression",
    "one_rule",
    "separability_split",
    "separability_tree",
    "single_variable_classifier",
    "threshold_accuracy",
    "threshold_balanced_accuracy",
    "threshold_cost",
    "threshold_f1",
]
