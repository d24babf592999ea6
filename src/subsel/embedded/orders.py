"""The orders that models give, entered in the table of :mod:`subsel.ranking.registry` when this module is imported."""

from subsel.embedded.elimination_order import rfe
from subsel.embedded.graft import grafting
from subsel.embedded.l1_orders import (
    huber_lasso,
    l1_huberized_hinge,
    l1_logistic,
    l1_squared_hinge,
    lasso,
    one_norm_svm,
)
from subsel.embedded.pursuit import lars, omp

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
