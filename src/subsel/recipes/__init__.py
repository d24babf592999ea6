"""Complete systems of the literature: functions that return a configured selector, and whole studies."""

from subsel.recipes.ace import ace
from subsel.recipes.baseline_rankers import (
    baseline_curve,
    log_spaced_sizes,
    reference_curve,
    rfe_svm_order,
)
from subsel.recipes.boruta import boruta
from subsel.recipes.cvga import cvga, cvga_of
from subsel.recipes.gene_selection import gsa, mo_gsa
from subsel.recipes.kernel_ridge import dis_krr, mg_krr, mo_krr, ran_krr
from subsel.recipes.knockoffs import fixed_x_knockoffs, knockoffs
from subsel.recipes.linkage import mo_di
from subsel.recipes.prototypes import PrototypeSelector, mc1, rmhc_prototypes
from subsel.recipes.reference_svm import (
    ReferenceCell,
    reference_cells,
    reference_errors,
    reference_study,
    share_above,
)
from subsel.recipes.searches import (
    RECIPES,
    floating_search,
    genetic_algorithm,
    las_vegas_filter,
    rfs1,
    rfs2,
    rfs3,
    rmhc,
    rve,
    rvers,
    simulated_annealing,
)
from subsel.recipes.selective_naive_bayes import selective_naive_bayes
from subsel.recipes.set_gen import set_gen
from subsel.recipes.spectra_studies import (
    SPECTRA_STUDIES,
    forest_ranked,
    genetic_map,
    pca_discriminant,
    roc_peaks,
    t_ranked,
)
from subsel.recipes.stability_selection import randomised_lasso, stability_selection
from subsel.recipes.training_guided import TrainingGuided, one_at_a_time

__all__ = [
    "RECIPES",
    "SPECTRA_STUDIES",
    "PrototypeSelector",
    "ReferenceCell",
    "TrainingGuided",
    "ace",
    "baseline_curve",
    "boruta",
    "cvga",
    "cvga_of",
    "dis_krr",
    "fixed_x_knockoffs",
    "floating_search",
    "forest_ranked",
    "genetic_algorithm",
    "genetic_map",
    "gsa",
    "knockoffs",
    "las_vegas_filter",
    "log_spaced_sizes",
    "mc1",
    "mg_krr",
    "mo_di",
    "mo_gsa",
    "mo_krr",
    "one_at_a_time",
    "pca_discriminant",
    "ran_krr",
    "randomised_lasso",
    "reference_cells",
    "reference_curve",
    "reference_errors",
    "reference_study",
    "rfe_svm_order",
    "rfs1",
    "rfs2",
    "rfs3",
    "rmhc",
    "rmhc_prototypes",
    "roc_peaks",
    "rve",
    "rvers",
    "selective_naive_bayes",
    "set_gen",
    "share_above",
    "simulated_annealing",
    "stability_selection",
    "t_ranked",
]
