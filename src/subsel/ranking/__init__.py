"""Scores of single features from the data alone, orders that mind redundancy, and the cuts that turn a ranking into a choice."""

from subsel.ranking.anova import anova_f, anova_f_p_value, correlation_ratio
from subsel.ranking.bagging import bagged_scores, selection_frequency
from subsel.ranking.bayes_error import bayes_error_bounds
from subsel.ranking.binary import bi_normal_separation, exp_rate_difference
from subsel.ranking.class_divergence import class_divergence, weight_of_evidence
from subsel.ranking.class_sums import lambda_ranking, unbalanced_score
from subsel.ranking.closest_column import closest_column
from subsel.ranking.column_average import column_average_correlation
from subsel.ranking.committee import Committee, UnionOfTests, borda, mean_rank, voted_rank
from subsel.ranking.contingency import (
    chi_square,
    chi_square_p_value,
    g_statistic,
    g_statistic_p_value,
)
from subsel.ranking.cuts import by_evidence as _by_evidence  # noqa: F401  (fills the table of cuts)
from subsel.ranking.cuts.by_rank import gap_sizes, largest_gap
from subsel.ranking.cuts.multiple_testing import bonferroni, q_values, uniformity_p_value
from subsel.ranking.cuts.probe_p_values import probe_fdr, probe_fdr_estimate, probe_p_value
from subsel.ranking.cuts.probe_risk import n_within_risk, probe_risk, sampled_probe_risk
from subsel.ranking.cuts.probing import Probing, probe
from subsel.ranking.cuts.rules import CUTS, find_cut
from subsel.ranking.cuts.shuffled_labels import max_permutation_p_value, relabelled_bar
from subsel.ranking.cuts.validated import ValidatedSize, validated_size
from subsel.ranking.entropy_distance import (
    entropy_distance,
    mantaras_distance,
    symmetrical_uncertainty,
)
from subsel.ranking.fisher import f_score, fisher
from subsel.ranking.gaussian_information import gaussian_information
from subsel.ranking.gini import gini, goodman_kruskal, goodman_kruskal_p_value, value_difference
from subsel.ranking.hypergeometric import hypergeometric, hypergeometric_p_value
from subsel.ranking.hypothesis_margin import (
    margin_evaluation,
    margin_utility,
    margins,
    mean_distance,
)
from subsel.ranking.information import (
    gain_ratio,
    miller_madow_information,
    mutual_information,
    mutual_information_p_value,
)
from subsel.ranking.j_measure import j_measure_terms
from subsel.ranking.kolmogorov_dependence import kolmogorov_dependence
from subsel.ranking.kolmogorov_smirnov import (
    kolmogorov_smirnov,
    kolmogorov_smirnov_p_value,
    t_times_ks,
)
from subsel.ranking.laws.permutation import correlation_permutation_p_value, permutation_p_value
from subsel.ranking.local_score import local_score, within_range
from subsel.ranking.mann_whitney import auc, auc_p_value
from subsel.ranking.matusita import bhattacharyya, freeman_tukey_p_value, jeffreys_matusita
from subsel.ranking.mdl_index import mdl_index
from subsel.ranking.modl import modl
from subsel.ranking.multiple_correlation import multiple_correlation
from subsel.ranking.neighbour_information import (
    neighbour_information,
    neighbour_information_regression,
)
from subsel.ranking.nested_f import nested_f_elimination, nested_f_test
from subsel.ranking.odds_ratio import odds_ratio, odds_ratio_p_value
from subsel.ranking.one_feature_tree import one_feature_tree, one_feature_tree_regression
from subsel.ranking.one_vs_rest import one_vs_rest
from subsel.ranking.orders.associations import associations
from subsel.ranking.orders.cfs import cfs, cfs_pearson, merit
from subsel.ranking.orders.cmi_buckets import cmi_buckets, information_clusters, information_union
from subsel.ranking.orders.cmim import cmim
from subsel.ranking.orders.fcbf import fcbf
from subsel.ranking.orders.gram_schmidt import GramSchmidtPath, gram_schmidt
from subsel.ranking.orders.gram_schmidt_relief import gram_schmidt_relief
from subsel.ranking.orders.jmi import disr, jmi
from subsel.ranking.orders.markov_blanket import iamb, koller_sahami
from subsel.ranking.orders.mrmr import mrmr, mrmr_regression
from subsel.ranking.orders.redundancy import mifs, mifs_max, mrmr_difference, mrmr_quotient
from subsel.ranking.orders.sequential_filter import sequential_filter
from subsel.ranking.parzen_information import parzen_information, quadratic_information
from subsel.ranking.path import Path
from subsel.ranking.pearson import pearson, pearson_p_value
from subsel.ranking.presence import (
    frequency_difference,
    presence_count,
    presence_divergence,
    presence_predictive_value,
    presence_rates,
    presence_sensitivity,
)
from subsel.ranking.rank_correlation import kendall, kendall_p_value, spearman, spearman_p_value
from subsel.ranking.registry import (
    ORDERS,
    SCORES,
    Order,
    Score,
    find_order,
    find_score,
    order,
    score,
)
from subsel.ranking.reliability import SecondOpinion, second_opinion, value_bias
from subsel.ranking.relief import ratio_relief, relief, relief_threshold
from subsel.ranking.relieff import relieff
from subsel.ranking.reliefx import relief_x
from subsel.ranking.rrelieff import rrelieff
from subsel.ranking.rules import accuracy_minus_error, bayesian_accuracy, one_rule
from subsel.ranking.runs import runs, runs_p_value
from subsel.ranking.separation import signal_to_noise
from subsel.ranking.simba import simba
from subsel.ranking.single_variable_classifier import single_variable_classifier
from subsel.ranking.split_value import separability_split, separability_tree
from subsel.ranking.student_t import t_test, t_test_p_value, welch_t, welch_t_p_value
from subsel.ranking.surf import multisurf, multisurf_star, surf, surf_star
from subsel.ranking.threshold import (
    threshold_accuracy,
    threshold_balanced_accuracy,
    threshold_cost,
    threshold_f1,
)
from subsel.ranking.threshold_gain import (
    median_information,
    median_information_p_value,
    threshold_gain,
)
from subsel.ranking.tree_splits import (
    NodeSplit,
    cal5_intervals,
    cal5_quotient,
    cal5_split,
    fact_split,
    quest_split,
)
from subsel.ranking.value_difference_metric import feature_value_difference, value_difference_metric
from subsel.ranking.votes import intersection, union, votes
from subsel.tables.class_counts import PresenceCounts, presence_counts
from subsel.tables.class_moments import ClassMoments, class_moments
from subsel.tables.co_moments import CoMoments, co_moments
from subsel.tables.counts import joint_counts
from subsel.tables.entropy import entropy, renyi_entropy
from subsel.tables.joint_counts import JointCounts

__all__ = [
    "CUTS",
    "ORDERS",
    "SCORES",
    "ClassMoments",
    "CoMoments",
    "Committee",
    "GramSchmidtPath",
    "JointCounts",
    "NodeSplit",
    "Order",
    "Path",
    "PresenceCounts",
    "Probing",
    "Score",
    "SecondOpinion",
    "UnionOfTests",
    "ValidatedSize",
    "accuracy_minus_error",
    "anova_f",
    "anova_f_p_value",
    "associations",
    "auc",
    "auc_p_value",
    "bagged_scores",
    "bayes_error_bounds",
    "bayesian_accuracy",
    "bhattacharyya",
    "bi_normal_separation",
    "bonferroni",
    "borda",
    "cal5_intervals",
    "cal5_quotient",
    "cal5_split",
    "cfs",
    "cfs_pearson",
    "chi_square",
    "chi_square_p_value",
    "class_divergence",
    "class_moments",
    "closest_column",
    "cmi_buckets",
    "cmim",
    "co_moments",
    "column_average_correlation",
    "correlation_permutation_p_value",
    "correlation_ratio",
    "disr",
    "entropy",
    "entropy_distance",
    "exp_rate_difference",
    "f_score",
    "fact_split",
    "fcbf",
    "feature_value_difference",
    "find_cut",
    "find_order",
    "find_score",
    "fisher",
    "freeman_tukey_p_value",
    "frequency_difference",
    "g_statistic",
    "g_statistic_p_value",
    "gain_ratio",
    "gap_sizes",
    "gaussian_information",
    "gini",
    "goodman_kruskal",
    "goodman_kruskal_p_value",
    "gram_schmidt",
    "gram_schmidt_relief",
    "hypergeometric",
    "hypergeometric_p_value",
    "iamb",
    "information_clusters",
    "information_union",
    "intersection",
    "j_measure_terms",
    "jeffreys_matusita",
    "jmi",
    "joint_counts",
    "kendall",
    "kendall_p_value",
    "koller_sahami",
    "kolmogorov_dependence",
    "kolmogorov_smirnov",
    "kolmogorov_smirnov_p_value",
    "lambda_ranking",
    "largest_gap",
    "local_score",
    "mantaras_distance",
    "margin_evaluation",
    "margin_utility",
    "margins",
    "max_permutation_p_value",
    "mdl_index",
    "mean_distance",
    "mean_rank",
    "median_information",
    "median_information_p_value",
    "merit",
    "mifs",
    "mifs_max",
    "miller_madow_information",
    "modl",
    "mrmr",
    "mrmr_difference",
    "mrmr_quotient",
    "mrmr_regression",
    "multiple_correlation",
    "multisurf",
    "multisurf_star",
    "mutual_information",
    "mutual_information_p_value",
    "n_within_risk",
    "neighbour_information",
    "neighbour_information_regression",
    "nested_f_elimination",
    "nested_f_test",
    "odds_ratio",
    "odds_ratio_p_value",
    "one_feature_tree",
    "one_feature_tree_regression",
    "one_rule",
    "one_vs_rest",
    "order",
    "parzen_information",
    "pearson",
    "pearson_p_value",
    "permutation_p_value",
    "presence_count",
    "presence_counts",
    "presence_divergence",
    "presence_predictive_value",
    "presence_rates",
    "presence_sensitivity",
    "probe",
    "probe_fdr",
    "probe_fdr_estimate",
    "probe_p_value",
    "probe_risk",
    "q_values",
    "quadratic_information",
    "quest_split",
    "ratio_relief",
    "relabelled_bar",
    "relief",
    "relief_threshold",
    "relief_x",
    "relieff",
    "renyi_entropy",
    "rrelieff",
    "runs",
    "runs_p_value",
    "sampled_probe_risk",
    "score",
    "second_opinion",
    "selection_frequency",
    "separability_split",
    "separability_tree",
    "sequential_filter",
    "signal_to_noise",
    "simba",
    "single_variable_classifier",
    "spearman",
    "spearman_p_value",
    "surf",
    "surf_star",
    "symmetrical_uncertainty",
    "t_test",
    "t_test_p_value",
    "t_times_ks",
    "threshold_accuracy",
    "threshold_balanced_accuracy",
    "threshold_cost",
    "threshold_f1",
    "threshold_gain",
    "unbalanced_score",
    "uniformity_p_value",
    "union",
    "validated_size",
    "value_bias",
    "value_difference",
    "value_difference_metric",
    "voted_rank",
    "votes",
    "weight_of_evidence",
    "welch_t",
    "welch_t_p_value",
    "within_range",
]
