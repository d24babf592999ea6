"""How the tables of the challenge were made."""

from subsel.literature.challenge.tables.arcene_making import (
    SpectraSource,
    make_arcene,
    merge_spectra,
    worst_region,
)
from subsel.literature.challenge.tables.challenge_making import (
    MadeTable,
    make_dexter,
    make_dorothea,
    make_gisette,
)
from subsel.literature.challenge.tables.files import quantise, write_challenge, write_submission

__all__ = [
    "MadeTable",
    "SpectraSource",
    "make_arcene",
    "make_dexter",
    "make_dorothea",
    "make_gisette",
    "merge_spectra",
    "quantise",
    "worst_region",
    "write_challenge",
    "write_submission",
]
