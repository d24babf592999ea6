"""Dirichlet diffusion trees."""

from subsel.literature.models.hierarchies.diffusion_classifier import (
    DiffusionTreeClassifier,
    label_leaves,
)
from subsel.literature.models.hierarchies.diffusion_tree import sample_diffusion_trees

__all__ = [
    "DiffusionTreeClassifier",
    "label_leaves",
    "sample_diffusion_trees",
]
