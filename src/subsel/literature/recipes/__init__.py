"""Complete systems of the literature: functions that return a configured selector, and whole studies."""

from subsel.literature.recipes.baseline_rankers import (
    baseline_curve,
    log_spaced_sizes,
    reference_curve,
    rfe_svm_order,
)
from subsel.literature.recipes.cvga import cvga, cvga_of
from subsel.literature.recipes.gene_selection import gsa, mo_gsa
from subsel.literature.recipes.kernel_ridge import dis_krr, mg_krr, mo_krr, ran_krr
from subsel.literature.recipes.latent_svm import latent_svm
from subsel.literature.recipes.prototypes import PrototypeSelector, mc1, rmhc_prototypes
from subsel.literature.recipes.reference_svm import (
    ReferenceCell,
    reference_cells,
    reference_errors,
    reference_study,
    share_above,
)
from subsel.literature.recipes.searches import (
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
from subsel.literature.recipes.selective_naive_bayes import selective_naive_bayes
from subsel.literature.recipes.set_gen import set_gen
from subsel.literature.recipes.spectra_studies import (
    SPECTRA_STUDIES,
    forest_ranked,
    genetic_map,
    pca_discriminant,
    roc_peaks,
    t_ranked,
)
from subsel.literature.recipes.training_guided import TrainingGuided, one_at_a_time

__all__ = [
    "SPECTRA_STUDIES",
    "PrototypeSelector",
    "ReferenceCell",
    "TrainingGuided",
    "baseline_curve",
    "cvga",
    "cvga_of",
    "dis_krr",
    "floating_search",
    "forest_ranked",
    "genetic_algorithm",
    "genetic_map",
    "gsa",
    "las_vegas_filter",
    "latent_svm",
    "log_spaced_sizes",
    "mc1",
    "mg_krr",
    "mo_gsa",
    "mo_krr",
    "one_at_a_time",
    "pca_discriminant",
    "ran_krr",
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
    "t_ranked",
]
