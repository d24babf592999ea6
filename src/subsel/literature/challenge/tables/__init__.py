"""How the tables of the challenge were made."""

from subsel.literature.challenge.tables.files import quantise, write_challenge, write_submission
from subsel.literature.challenge.tables.making import (
    MadeTable,
    SpectraSource,
    make_arcene,
    make_dexter,
    make_dorothea,
    make_gisette,
    merge_spectra,
    worst_region,
)

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
