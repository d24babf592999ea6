"""Linear models, evaluated from moments."""

from subsel.criteria.linear.discriminant import Discriminant
from subsel.criteria.linear.least_squares import LeastSquares

__all__ = [
    "Discriminant",
    "LeastSquares",
]
