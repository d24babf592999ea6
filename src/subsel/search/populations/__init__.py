"""Searches that keep many subsets and recombine or resample them."""

from subsel.search.populations.distribution import Distribution
from subsel.search.populations.genetic import Genetic

__all__ = [
    "Distribution",
    "Genetic",
]
