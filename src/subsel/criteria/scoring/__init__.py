"""Scores of outputs on held-out rows."""

from subsel.criteria.scoring.scoring import NotExact

__all__ = [
    "NotExact",
]
