"""What outputs on held-out rows are worth."""

from subsel.criteria.scoring.scoring import NotExact

__all__ = [
    "NotExact",
]
