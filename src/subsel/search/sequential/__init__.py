"""Searches that add or remove columns step by step."""

from subsel.search.sequential.compound import CompoundBackward
from subsel.search.sequential.floating import (
    AdaptiveFloatingBackward,
    AdaptiveFloatingForward,
    FloatingBackward,
    FloatingForward,
)
from subsel.search.sequential.oscillating import Oscillating
from subsel.search.sequential.plus_take_away import PlusTakeAway
from subsel.search.sequential.recursive_elimination import RecursiveElimination
from subsel.search.sequential.sequential import (
    ExhaustiveForward,
    GeneralisedBackward,
    GeneralisedForward,
    SequentialBackward,
    SequentialForward,
)
from subsel.search.sequential.splicing import Splicing

__all__ = [
    "AdaptiveFloatingBackward",
    "AdaptiveFloatingForward",
    "CompoundBackward",
    "ExhaustiveForward",
    "FloatingBackward",
    "FloatingForward",
    "GeneralisedBackward",
    "GeneralisedForward",
    "Oscillating",
    "PlusTakeAway",
    "RecursiveElimination",
    "SequentialBackward",
    "SequentialForward",
    "Splicing",
]
