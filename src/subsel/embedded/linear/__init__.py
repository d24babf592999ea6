"""Linear models that add or remove columns as they are fitted."""

from subsel.embedded.linear.elimination_order import rfe
from subsel.embedded.linear.grafting import grafting
from subsel.embedded.linear.monomials import MonomialRegression
from subsel.embedded.linear.pursuit import lars, omp
from subsel.embedded.linear.rlsc import rlsc_error_bound, rlsc_leave_one_out
from subsel.embedded.linear.sparse_fisher import SparseFisher

__all__ = [
    "MonomialRegression",
    "SparseFisher",
    "grafting",
    "lars",
    "omp",
    "rfe",
    "rlsc_error_bound",
    "rlsc_leave_one_out",
]
