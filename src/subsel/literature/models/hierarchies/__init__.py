"""Dirichlet diffusion trees."""

from subsel.literature.models.hierarchies.diffusion_classifier import DiffusionTreeClassifier
from subsel.literature.models.hierarchies.diffusion_tree import sample_diffusion_trees

__all__ = [
    "DiffusionTreeClassifier",
    "sample_diffusion_trees",
]
