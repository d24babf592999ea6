"""Scores that are functions of means, variances and covariances."""

from subsel.ranking.scores.moments.anova import anova_f, anova_f_p_value, correlation_ratio
from subsel.ranking.scores.moments.class_sums import lambda_ranking, unbalanced_score
from subsel.ranking.scores.moments.closest_column import closest_column
from subsel.ranking.scores.moments.column_average import column_average_correlation
from subsel.ranking.scores.moments.fisher import f_score, fisher
from subsel.ranking.scores.moments.multiple_correlation import multiple_correlation
from subsel.ranking.scores.moments.nested_f import nested_f_elimination, nested_f_test
from subsel.ranking.scores.moments.pearson import pearson, pearson_p_value
from subsel.ranking.scores.moments.signal_to_noise import signal_to_noise
from subsel.ranking.scores.moments.student_t import t_test, t_test_p_value, welch_t, welch_t_p_value

__all__ = [
    "anova_f",
    "anova_f_p_value",
    "closest_column",
    "column_average_correlation",
    "correlation_ratio",
    "f_score",
    "fisher",
    "lambda_ranking",
    "multiple_correlation",
    "nested_f_elimination",
    "nested_f_test",
    "pearson",
    "pearson_p_value",
    "signal_to_noise",
    "t_test",
    "t_test_p_value",
    "unbalanced_score",
    "welch_t",
    "welch_t_p_value",
]
