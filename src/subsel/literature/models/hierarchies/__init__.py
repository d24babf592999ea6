"""Dirichlet diffusion trees."""

from subsel.literature.models.hierarchies.diffusion_classifier import DiffusionTreeClassifier
from subsel.literature.models.hierarchies.diffusion_sampler import sample_diffusion_trees
from subsel.literature.models.hierarchies.leaf_labels import label_leaves

__all__ = [
    "DiffusionTreeClassifier",
    "label_leaves",
    "sample_diffusion_trees",
]
