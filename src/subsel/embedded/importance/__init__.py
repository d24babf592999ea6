"""Importances of columns for any trained model."""

from subsel.embedded.importance.importance import Importance
from subsel.embedded.importance.importance_elimination import ImportanceElimination
from subsel.embedded.importance.retraining import noised_out
from subsel.embedded.importance.sensitivity import (
    derivative_sensitivity,
    output_sensitivity,
    range_sensitivity,
    sampled_sensitivity,
)
from subsel.embedded.importance.sensitivity_pruning import SensitivityPruning
from subsel.embedded.importance.shap_values import shap_importance

__all__ = [
    "Importance",
    "ImportanceElimination",
    "SensitivityPruning",
    "derivative_sensitivity",
    "noised_out",
    "output_sensitivity",
    "range_sensitivity",
    "sampled_sensitivity",
    "shap_importance",
]
