"""Where to look next?"""

from typing import Any

from subsel._lazy import imported

_HOMES = {
    "SEARCHES": "registry",
    "AdaptiveFloatingBackward": "sequential.floating",
    "AdaptiveFloatingForward": "sequential.floating",
    "Annealing": "walks.annealing",
    "Beam": "tree_search.beam",
    "BestFirst": "tree_search.best_first",
    "BranchAndBound": "tree_search.branch_and_bound",
    "CompoundBackward": "sequential.compound",
    "Distribution": "populations.distribution",
    "Elimination": "elimination.rve",
    "Exhaustive": "tree_search.exhaustive",
    "ExhaustiveForward": "sequential.sequential",
    "FloatingBackward": "sequential.floating",
    "FloatingForward": "sequential.floating",
    "GFlip": "walks.gflip",
    "GeneralisedBackward": "sequential.sequential",
    "GeneralisedForward": "sequential.sequential",
    "Genetic": "populations.genetic",
    "HillClimbing": "walks.hill_climbing",
    "LasVegas": "walks.las_vegas",
    "Oscillating": "sequential.oscillating",
    "PlusTakeAway": "sequential.plus_take_away",
    "Pruning": "elimination.pruning",
    "RandomSampling": "walks.random_sampling",
    "RandomWalk": "walks.random_walk",
    "RecursiveElimination": "sequential.recursive_elimination",
    "Search": "registry",
    "SequentialBackward": "sequential.sequential",
    "SequentialForward": "sequential.sequential",
    "Splicing": "sequential.splicing",
    "find_search": "registry",
    "search": "registry",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    return imported(__name__, _HOMES, name)


def __dir__() -> list[str]:
    return __all__
