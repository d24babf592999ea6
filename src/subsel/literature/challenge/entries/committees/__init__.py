"""Entries that average many models."""

from subsel.literature.challenge.entries.committees.correlation_committee import (
    CorrelationCommittee,
)
from subsel.literature.challenge.entries.committees.selection_committee import SelectionCommittee

__all__ = [
    "CorrelationCommittee",
    "SelectionCommittee",
]
