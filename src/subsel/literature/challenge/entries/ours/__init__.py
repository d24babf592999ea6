"""Entries of our own, with the methods of this library."""

from subsel.literature.challenge.entries.ours.subsel_all import SubselAll
from subsel.literature.challenge.entries.ours.subsel_few import SubselFew
from subsel.literature.challenge.entries.ours.subsel_race import SubselRace

__all__ = [
    "SubselAll",
    "SubselFew",
    "SubselRace",
]
