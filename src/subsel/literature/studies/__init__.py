"""Studies of the literature: bounds, costs, reliability, splits."""

from subsel.literature.studies.amplification import amplification
from subsel.literature.studies.bayes_error import bayes_error_bounds
from subsel.literature.studies.bias_variance import bias_variance
from subsel.literature.studies.convergence import published_bound, safe_bound, steps_to_be_sure
from subsel.literature.studies.discrete_relevance import (
    discrete_relevance,
    information_lost,
    minimal_subsets,
)
from subsel.literature.studies.integrity import fresh_data_check
from subsel.literature.studies.local_score import local_score
from subsel.literature.studies.margin_bound import margin_bound
from subsel.literature.studies.metrics import (
    auc50,
    balanced_success,
    lift_area,
    q2,
    squared_correlation_loss,
)
from subsel.literature.studies.score_reliability import SecondOpinion, value_bias
from subsel.literature.studies.selector_costs import (
    SELECTOR_COSTS,
    growth_exponent,
    order_of_trial,
    selector_cost,
    study_cost,
)
from subsel.literature.studies.survey import SURVEY
from subsel.literature.studies.tree_splits import cal5_split, fact_split, quest_split

__all__ = [
    "SELECTOR_COSTS",
    "SURVEY",
    "SecondOpinion",
    "amplification",
    "auc50",
    "balanced_success",
    "bayes_error_bounds",
    "bias_variance",
    "cal5_split",
    "discrete_relevance",
    "fact_split",
    "fresh_data_check",
    "growth_exponent",
    "information_lost",
    "lift_area",
    "local_score",
    "margin_bound",
    "minimal_subsets",
    "order_of_trial",
    "published_bound",
    "q2",
    "quest_split",
    "safe_bound",
    "selector_cost",
    "squared_correlation_loss",
    "steps_to_be_sure",
    "study_cost",
    "value_bias",
]
