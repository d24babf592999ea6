"""Criteria without a model: inconsistency, correlation merit, scatter, separability."""

from subsel.criteria.model_free.inconsistency import Inconsistency
from subsel.criteria.model_free.merit import CorrelationMerit, RedundancyPenalised
from subsel.criteria.model_free.scatter import Scatter
from subsel.criteria.model_free.separability import Separability

__all__ = [
    "CorrelationMerit",
    "Inconsistency",
    "RedundancyPenalised",
    "Scatter",
    "Separability",
]
