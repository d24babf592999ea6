"""Synthetic problems with known answers."""

from subsel.literature.problems.chains import sample_chains, xy2_chains
from subsel.literature.problems.ensemble_studies import correlated_block, graded_ten
from subsel.literature.problems.logic import corral, parity
from subsel.literature.problems.madelon import draw_madelon, madelon
from subsel.literature.problems.noise import pure_noise, stratified_halves
from subsel.literature.problems.problem import SyntheticProblem
from subsel.literature.problems.random_functions import random_function
from subsel.literature.problems.redundancy_toys import redundancy
from subsel.literature.problems.toys import (
    anticorrelated_pair,
    chessboard,
    forward_against_backward,
    helper,
    noise_reduction,
    one_useful,
    probability_only,
    redundant_pair,
)

__all__ = [
    "SyntheticProblem",
    "anticorrelated_pair",
    "chessboard",
    "corral",
    "correlated_block",
    "draw_madelon",
    "forward_against_backward",
    "graded_ten",
    "helper",
    "madelon",
    "noise_reduction",
    "one_useful",
    "parity",
    "probability_only",
    "pure_noise",
    "random_function",
    "redundancy",
    "redundant_pair",
    "sample_chains",
    "stratified_halves",
    "xy2_chains",
]
