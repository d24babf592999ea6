"""Null distributions of scores, exact and by permutation."""

from subsel.ranking.laws.permutation import correlation_permutation_p_value, permutation_p_value

__all__ = [
    "correlation_permutation_p_value",
    "permutation_p_value",
]
