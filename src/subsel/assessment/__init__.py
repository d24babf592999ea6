"""Honest numbers: selection inside every fold, stability, probes, comparison with error bars, and how much data they need."""

from subsel.assessment.amplification import Amplification, amplification
from subsel.assessment.bias_variance import BiasVariance, bias_variance
from subsel.assessment.challenge import (
    balanced_error,
    challenge_pairs,
    challenge_scores,
    compactness,
    probe_share,
    saliency,
)
from subsel.assessment.compare import Comparison, Difference, compare
from subsel.assessment.discrete_relevance import (
    DiscreteRelevance,
    discrete_relevance,
    information_lost,
    minimal_subsets,
)
from subsel.assessment.integrity import FreshData, Suspicion, fresh_data_check, reference_check
from subsel.assessment.intervals import (
    McNemar,
    clopper_pearson,
    corrected_interval,
    corrected_t_test,
    correlation_interval,
    holm,
    mcnemar,
    mcnemar_one_sided,
    mean_interval,
    variance_interval,
    wilson,
)
from subsel.assessment.margin_bound import margin_bound
from subsel.assessment.metrics import (
    auc50,
    balanced_success,
    lift_area,
    q2,
    squared_correlation_loss,
)
from subsel.assessment.nested import assess
from subsel.assessment.outcome import Assessment, Estimate
from subsel.assessment.permutation import Permutation
from subsel.assessment.probes import FalseSelections
from subsel.assessment.selector_costs import (
    SELECTOR_COSTS,
    SelectorCost,
    growth_exponent,
    order_of_trial,
    selector_cost,
    study_cost,
)
from subsel.assessment.sizing import (
    error_bar,
    examples_needed,
    hoeffding_margin,
    rows_for_mean,
    rows_for_test,
    rows_for_validation,
    search_margin,
)
from subsel.assessment.stability import (
    Stability,
    half_stability,
    jaccard,
    kuncheva,
    nogueira,
    stability,
    top_overlap,
)

__all__ = [
    "SELECTOR_COSTS",
    "Amplification",
    "Assessment",
    "BiasVariance",
    "Comparison",
    "Difference",
    "DiscreteRelevance",
    "Estimate",
    "FalseSelections",
    "FreshData",
    "McNemar",
    "Permutation",
    "SelectorCost",
    "Stability",
    "Suspicion",
    "amplification",
    "assess",
    "auc50",
    "balanced_error",
    "balanced_success",
    "bias_variance",
    "challenge_pairs",
    "challenge_scores",
    "clopper_pearson",
    "compactness",
    "compare",
    "corrected_interval",
    "corrected_t_test",
    "correlation_interval",
    "discrete_relevance",
    "error_bar",
    "examples_needed",
    "fresh_data_check",
    "growth_exponent",
    "half_stability",
    "hoeffding_margin",
    "holm",
    "information_lost",
    "jaccard",
    "kuncheva",
    "lift_area",
    "margin_bound",
    "mcnemar",
    "mcnemar_one_sided",
    "mean_interval",
    "minimal_subsets",
    "nogueira",
    "order_of_trial",
    "probe_share",
    "q2",
    "reference_check",
    "rows_for_mean",
    "rows_for_test",
    "rows_for_validation",
    "saliency",
    "search_margin",
    "selector_cost",
    "squared_correlation_loss",
    "stability",
    "study_cost",
    "top_overlap",
    "variance_interval",
    "wilson",
]
