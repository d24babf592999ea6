"""Reasons to doubt a selection."""

from subsel.report.cautions.caution import Caution
from subsel.report.cautions.cautions import find_cautions

__all__ = [
    "Caution",
    "find_cautions",
]
