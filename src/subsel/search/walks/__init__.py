"""Searches that move from a subset to one near it, at random."""

from subsel.search.walks.annealing import Annealing
from subsel.search.walks.gflip import GFlip
from subsel.search.walks.hill_climbing import HillClimbing
from subsel.search.walks.las_vegas import LasVegas
from subsel.search.walks.random_sampling import RandomSampling
from subsel.search.walks.random_walk import RandomWalk

__all__ = [
    "Annealing",
    "GFlip",
    "HillClimbing",
    "LasVegas",
    "RandomSampling",
    "RandomWalk",
]
