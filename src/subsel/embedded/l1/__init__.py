"""Models with an L1 penalty, and their paths."""

from subsel.embedded.l1.orders import (
    huber_lasso,
    l1_huberized_hinge,
    l1_logistic,
    l1_squared_hinge,
    lasso,
    one_norm_svm,
)
from subsel.embedded.l1.path import L1Path, quadratic_path
from subsel.embedded.l1.potential_svm import PotentialSVM

__all__ = [
    "L1Path",
    "PotentialSVM",
    "huber_lasso",
    "l1_huberized_hinge",
    "l1_logistic",
    "l1_squared_hinge",
    "lasso",
    "one_norm_svm",
    "quadratic_path",
]
