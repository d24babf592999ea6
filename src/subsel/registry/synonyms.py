"""Names of methods in scikit-learn and elsewhere, and their keys in this library."""

from __future__ import annotations

from subsel.registry.table import canonical

__all__ = ["OTHER_NAMES", "our_name"]

OTHER_NAMES = {
    "1-nn hypothesis margin": "simba",
    "abess": "splicing",
    "backward": "sbs",
    "backward elimination": "sbs",
    "backward selection": "sbs",
    "best subset": "splicing",
    "best subset selection": "splicing",
    "boruta_py": "Boruta",
    "borutapy": "Boruta",
    "chi2": "chi-square",
    "chi-squared": "chi-square",
    "conditional mutual information": "cmim",
    "consistency": "inconsistency",
    "elastic net": "L1Path",
    "exhaustivefeatureselector": "exhaustive",
    "estimation of distribution": "umda",
    "f_classif": "anova-f",
    "f_oneway": "anova-f",
    "f_regression": "pearson",
    "fast_mrmr": "mrmr",
    "fisher_score": "fisher",
    "floating": "sffs",
    "forward": "sfs",
    "forward selection": "sfs",
    "ga": "genetic",
    "genericunivariateselect": "fdr",
    "genetic algorithm": "genetic",
    "gini_index": "gini",
    "greedy": "sfs",
    "hill climbing": "rmhc",
    "info_gain": "mutual-information",
    "knockoff filter": "Knockoffs",
    "l0": "splicing",
    "l1": "lasso",
    "lassocv": "lasso",
    "mifs-u": "mifs",
    "mrmr_classif": "mrmr",
    "mrmr_regression": "mrmr-regression",
    "mutual_info": "mutual-information",
    "mutual_info_classif": "neighbour-information",
    "mutual_info_regression": "neighbour-information-regression",
    "oob importance": "OutOfBagImportance",
    "orthogonal least squares": "gram-schmidt",
    "pearsonr": "pearson",
    "permutation_importance": "OutOfBagImportance",
    "point_biserial": "pearson",
    "r_regression": "pearson",
    "randomised lasso": "StabilitySelection",
    "rfecv": "rfe",
    "roc_auc": "auc",
    "sa": "annealing",
    "selectfdr": "fdr",
    "selectfpr": "p",
    "selectfrommodel": "EmbeddedSelector",
    "selectfwe": "bonferroni",
    "selectkbest": "k",
    "selectpercentile": "fraction",
    "sequentialfeatureselector": "sfs",
    "sfbs": "sbfs",
    "simulated annealing": "annealing",
    "spearmanr": "spearman",
    "stability selection": "StabilitySelection",
    "stepwise": "sffs",
    "svm-rfe": "rfe",
    "ttest_ind": "t-test",
    "wilcoxon": "auc",
}
"""For each name elsewhere, in lower case: the key of the same or the most similar method."""

_KNOWN = {canonical(name).replace(" ", "-"): key for name, key in OTHER_NAMES.items()}


def our_name(name: str) -> str | None:
    """Return the key of the method that has this name elsewhere; None if there is none.

    Examples
    --------
    >>> our_name("f_classif"), our_name("SequentialFeatureSelector"), our_name("sfs")
    ('anova-f', 'sfs', None)
    """
    return _KNOWN.get(canonical(name.strip().lower()).replace(" ", "-"))
