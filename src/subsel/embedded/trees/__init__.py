"""Importances and selection of columns by trees and forests."""

from subsel.embedded.trees.forest_halving import ForestHalving
from subsel.embedded.trees.impurity import class_importances, impurity_importances
from subsel.embedded.trees.interactions import interaction_scores
from subsel.embedded.trees.out_of_bag import OutOfBagImportance, out_of_bag_importance
from subsel.embedded.trees.ssv_tree import ssv_tree_ranks
from subsel.embedded.trees.surrogates import (
    masking,
    surrogate_importances,
    surrogate_splits,
)

__all__ = [
    "ForestHalving",
    "OutOfBagImportance",
    "class_importances",
    "impurity_importances",
    "interaction_scores",
    "masking",
    "out_of_bag_importance",
    "ssv_tree_ranks",
    "surrogate_importances",
    "surrogate_splits",
]
