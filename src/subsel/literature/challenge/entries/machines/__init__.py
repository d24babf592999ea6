"""Entries with one support vector or kernel machine."""

from subsel.literature.challenge.entries.machines.f_score_svm import FScoreSVM, ThresholdSearch
from subsel.literature.challenge.entries.machines.filter_machine import (
    FilterMachine,
    TransductiveMachine,
)
from subsel.literature.challenge.entries.machines.fisher_machine import FisherMachine
from subsel.literature.challenge.entries.machines.information_machine import InformationMachine
from subsel.literature.challenge.entries.machines.margin_machine import MarginMachine
from subsel.literature.challenge.entries.machines.potential_machine import PotentialMachine

__all__ = [
    "FScoreSVM",
    "FilterMachine",
    "FisherMachine",
    "InformationMachine",
    "MarginMachine",
    "PotentialMachine",
    "ThresholdSearch",
    "TransductiveMachine",
]
