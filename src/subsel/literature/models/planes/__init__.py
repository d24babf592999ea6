"""Perceptrons, linear machines and networks of planes."""

from subsel.literature.models.planes.aggressive_perceptron import AggressivePerceptron
from subsel.literature.models.planes.linear_machine import LinearMachine
from subsel.literature.models.planes.losses import LOSSES, regularised_risk
from subsel.literature.models.planes.ranked_network import RankedNetwork

__all__ = [
    "LOSSES",
    "AggressivePerceptron",
    "LinearMachine",
    "RankedNetwork",
    "regularised_risk",
]
