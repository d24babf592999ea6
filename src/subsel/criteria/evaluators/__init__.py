"""What evaluators have in common: a footprint in memory, a position, a device."""

from subsel.criteria.evaluators.acceleration import on_device
from subsel.criteria.evaluators.footprint import Footprint, Shape

__all__ = [
    "Footprint",
    "Shape",
    "on_device",
]
