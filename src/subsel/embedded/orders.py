"""The orders of models; importing this module registers them in `subsel.ranking.registry`."""

from subsel.embedded.l1.orders import (
    huber_lasso,
    l1_huberized_hinge,
    l1_logistic,
    l1_squared_hinge,
    lasso,
    one_norm_svm,
)
from subsel.embedded.linear.elimination_order import rfe
from subsel.embedded.linear.grafting import grafting
from subsel.embedded.linear.pursuit import lars, omp

__all__ = [
    "grafting",
    "huber_lasso",
    "l1_huberized_hinge",
    "l1_logistic",
    "l1_squared_hinge",
    "lars",
    "lasso",
    "omp",
    "one_norm_svm",
    "rfe",
]
