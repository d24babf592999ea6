"""How the tables of the challenge were made."""

from subsel.literature.challenge.tables.files import write_challenge
from subsel.literature.challenge.tables.making import (
    make_arcene,
    make_dexter,
    make_dorothea,
    make_gisette,
)

__all__ = [
    "make_arcene",
    "make_dexter",
    "make_dorothea",
    "make_gisette",
    "write_challenge",
]
