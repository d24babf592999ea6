"""How far a selection can be trusted: nested scores, intervals, stability, comparison."""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "Assessment": "estimates",
    "Comparison": "comparison",
    "Contender": "race.contender",
    "Estimate": "estimates",
    "FalseSelections": "false_selections",
    "Permutation": "permutation",
    "Race": "race.rounds",
    "Stability": "stability_indices",
    "assess": "nested",
    "balanced_error": "measures",
    "pairwise_wins": "measures",
    "pairwise_scores": "measures",
    "clopper_pearson": "intervals",
    "compactness": "measures",
    "compare": "comparison",
    "corrected_interval": "intervals",
    "corrected_t_test": "intervals",
    "correlation_interval": "intervals",
    "error_bar": "sizing",
    "examples_needed": "sizing",
    "half_stability": "stability_indices",
    "hoeffding_margin": "sizing",
    "holm": "intervals",
    "jaccard": "stability_indices",
    "mcnemar": "intervals",
    "mcnemar_one_sided": "intervals",
    "mean_interval": "intervals",
    "probe_share": "measures",
    "rows_for_mean": "sizing",
    "rows_for_test": "sizing",
    "saliency": "measures",
    "search_margin": "sizing",
    "stability": "stability_indices",
    "top_overlap": "stability_indices",
    "variance_interval": "intervals",
    "wilson": "intervals",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
