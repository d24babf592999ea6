"""Trees and forests that differ from scikit-learn's."""

from subsel.literature.models.trees.dipolar_tree import DipolarTree
from subsel.literature.models.trees.mart import MARTClassifier, MARTRegressor
from subsel.literature.models.trees.surrogate_tree import (
    SurrogateTreeClassifier,
    SurrogateTreeRegressor,
)
from subsel.literature.models.trees.tree_similarity import forest_kernel
from subsel.literature.models.trees.weighted_forest import (
    WeightedForestClassifier,
    WeightedForestRegressor,
)

__all__ = [
    "DipolarTree",
    "MARTClassifier",
    "MARTRegressor",
    "SurrogateTreeClassifier",
    "SurrogateTreeRegressor",
    "WeightedForestClassifier",
    "WeightedForestRegressor",
    "forest_kernel",
]
