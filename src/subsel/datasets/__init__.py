"""Problems with known answers, real data, and their loaders."""

from subsel.data.probes import (
    gaussian_probes,
    permuted_probes,
    replace_by_probes,
    with_probes,
    zipf_probes,
)
from subsel.datasets.arcene_making import SpectraSource, make_arcene, merge_spectra, worst_region
from subsel.datasets.chains import (
    XY2,
    Chains,
    bracelets,
    motif_attributes,
    necklaces,
    sample_chains,
    xy2_chains,
)
from subsel.datasets.challenge import load_npz, read_challenge, read_param
from subsel.datasets.challenge_making import MadeTable, make_dexter, make_dorothea, make_gisette
from subsel.datasets.challenge_writing import quantise, write_challenge, write_submission
from subsel.datasets.ensemble_studies import correlated_block, graded_ten
from subsel.datasets.febrl import load_febrl
from subsel.datasets.files import read_table
from subsel.datasets.friedman import friedman1, friedman2, friedman3
from subsel.datasets.logic import corral, monks, parity
from subsel.datasets.madelon import Madelon, draw_madelon, madelon
from subsel.datasets.noise import pure_noise, stratified_halves
from subsel.datasets.persons import ATTRIBUTES, ERRORS, Persons, misspell, persons
from subsel.datasets.problem import Problem
from subsel.datasets.random_functions import graded_linear, random_function
from subsel.datasets.redundancy_toys import modes, redundancy, two_best
from subsel.datasets.table import Table
from subsel.datasets.toys import (
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
from subsel.stored.dialect import Dialect
from subsel.stored.problem import StoredProblem
from subsel.stored.row_samples import RowSample, sample_rows
from subsel.stored.table import StoredTable, open_table

__all__ = [
    "ATTRIBUTES",
    "ERRORS",
    "TOYS",
    "XY2",
    "Chains",
    "Dialect",
    "MadeTable",
    "Madelon",
    "Persons",
    "Problem",
    "RowSample",
    "SpectraSource",
    "StoredProblem",
    "StoredTable",
    "Table",
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
    "gaussian_probes",
    "graded_linear",
    "graded_ten",
    "helper",
    "load_febrl",
    "load_npz",
    "madelon",
    "make_arcene",
    "make_dexter",
    "make_dorothea",
    "make_gisette",
    "merge_spectra",
    "misspell",
    "modes",
    "monks",
    "motif_attributes",
    "necklaces",
    "noise_reduction",
    "one_useful",
    "open_table",
    "parity",
    "permuted_probes",
    "persons",
    "probability_only",
    "pure_noise",
    "quantise",
    "random_function",
    "read_challenge",
    "read_param",
    "read_table",
    "redundancy",
    "redundant_pair",
    "replace_by_probes",
    "sample_chains",
    "sample_rows",
    "stratified_halves",
    "two_best",
    "with_probes",
    "worst_region",
    "write_challenge",
    "write_submission",
    "xy2_chains",
    "zipf_probes",
]
