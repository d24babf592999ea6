"""The registry of recipes: complete systems of the literature, imported when looked up."""

from __future__ import annotations

from typing import Any

from subsel.registry.table import Registry

__all__ = ["RECIPES"]

_NAMES = {  # by the module of `subsel.literature` that defines them
    "linkage.mo_di": ("mo_di",),
    "recipes.baseline_rankers": (
        "baseline_curve",
        "log_spaced_sizes",
        "reference_curve",
        "rfe_svm_order",
    ),
    "recipes.cvga": (
        "cvga",
        "cvga_of",
    ),
    "recipes.gene_selection": (
        "gsa",
        "mo_gsa",
    ),
    "recipes.kernel_ridge": (
        "dis_krr",
        "mg_krr",
        "mo_krr",
        "ran_krr",
    ),
    "recipes.prototypes": (
        "PrototypeSelector",
        "mc1",
        "rmhc_prototypes",
    ),
    "recipes.reference_svm": (
        "ReferenceCell",
        "reference_cells",
        "reference_errors",
        "reference_study",
        "share_above",
    ),
    "recipes.searches": (
        "floating_search",
        "genetic_algorithm",
        "las_vegas_filter",
        "rfs1",
        "rfs2",
        "rfs3",
        "rmhc",
        "rve",
        "rvers",
        "simulated_annealing",
    ),
    "recipes.selective_naive_bayes": ("selective_naive_bayes",),
    "recipes.set_gen": ("set_gen",),
    "recipes.spectra_studies": (
        "forest_ranked",
        "genetic_map",
        "pca_discriminant",
        "roc_peaks",
        "t_ranked",
    ),
    "recipes.training_guided": (
        "TrainingGuided",
        "one_at_a_time",
    ),
}

RECIPES: Registry[Any] = Registry("recipe")
for _module, _names in _NAMES.items():
    for _name in _names:
        RECIPES.declare(_name, f"subsel.literature.{_module}:{_name}")
