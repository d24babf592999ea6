"""Drives searches against evaluators: budget, memory, records, interruption."""

from subsel.engine.budget import Budget
from subsel.engine.driver import FitStopped, StoppedEarly, run
from subsel.engine.progress import Progress

__all__ = ["Budget", "FitStopped", "Progress", "StoppedEarly", "run"]
