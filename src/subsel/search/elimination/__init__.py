"""Searches that remove the columns a trained model needs least, or random ones."""

from subsel.search.elimination.pruning import Pruning
from subsel.search.elimination.rve import Elimination

__all__ = [
    "Elimination",
    "Pruning",
]
