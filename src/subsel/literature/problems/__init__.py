"""Synthetic problems with known answers."""

from subsel.literature.problems.chains import (
    XY2,
    Chains,
    bracelets,
    motif_attributes,
    necklaces,
    sample_chains,
    xy2_chains,
)
from subsel.literature.problems.ensemble_studies import correlated_block, graded_ten
from subsel.literature.problems.friedman import friedman1, friedman2, friedman3
from subsel.literature.problems.logic import corral, monks, parity
from subsel.literature.problems.madelon import Madelon, draw_madelon, madelon
from subsel.literature.problems.noise import pure_noise, stratified_halves
from subsel.literature.problems.problem import SyntheticProblem
from subsel.literature.problems.random_functions import graded_linear, random_function
from subsel.literature.problems.redundancy_toys import modes, redundancy, two_best
from subsel.literature.problems.toys import (
    TOYS,
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
    "TOYS",
    "XY2",
    "Chains",
    "Madelon",
    "SyntheticProblem",
    "anticorrelated_pair",
    "bracelets",
    "chessboard",
    "corral",
    "correlated_block",
    "draw_madelon",
    "forward_against_backward",
    "friedman1",
    "friedman2",
    "friedman3",
    "graded_linear",
    "graded_ten",
    "helper",
    "madelon",
    "modes",
    "monks",
    "motif_attributes",
    "necklaces",
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
    "two_best",
    "xy2_chains",
]
