"""Where to look next? One file per family of strategies."""

from subsel.search.annealing import Annealing
from subsel.search.beam import Beam
from subsel.search.best_first import BestFirst
from subsel.search.branch_and_bound import BranchAndBound
from subsel.search.compound import CompoundBackward
from subsel.search.convergence import published_bound, safe_bound, stationary_law, steps_to_be_sure
from subsel.search.distribution import Distribution
from subsel.search.elimination import Elimination
from subsel.search.exhaustive import Exhaustive
from subsel.search.floating import (
    AdaptiveFloatingBackward,
    AdaptiveFloatingForward,
    FloatingBackward,
    FloatingForward,
)
from subsel.search.genetic import Genetic
from subsel.search.gflip import GFlip
from subsel.search.hill_climbing import HillClimbing
from subsel.search.las_vegas import LasVegas
from subsel.search.oscillating import Oscillating
from subsel.search.plus_take_away import PlusTakeAway
from subsel.search.pruning import Pruning
from subsel.search.random_sampling import RandomSampling
from subsel.search.random_walk import RandomWalk
from subsel.search.recursive_elimination import RecursiveElimination
from subsel.search.registry import SEARCHES, Search, find_search, search
from subsel.search.sequential import (
    ExhaustiveForward,
    GeneralisedBackward,
    GeneralisedForward,
    SequentialBackward,
    SequentialForward,
)

__all__ = [
    "SEARCHES",
    "AdaptiveFloatingBackward",
    "AdaptiveFloatingForward",
    "Annealing",
    "Beam",
    "BestFirst",
    "BranchAndBound",
    "CompoundBackward",
    "Distribution",
    "Elimination",
    "Exhaustive",
    "ExhaustiveForward",
    "FloatingBackward",
    "FloatingForward",
    "GFlip",
    "GeneralisedBackward",
    "GeneralisedForward",
    "Genetic",
    "HillClimbing",
    "LasVegas",
    "Oscillating",
    "PlusTakeAway",
    "Pruning",
    "RandomSampling",
    "RandomWalk",
    "RecursiveElimination",
    "Search",
    "SequentialBackward",
    "SequentialForward",
    "find_search",
    "published_bound",
    "safe_bound",
    "search",
    "stationary_law",
    "steps_to_be_sure",
]
