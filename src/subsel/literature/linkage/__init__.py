"""Record linkage: persons with errors, near spellings, criteria and search."""

from subsel.literature.linkage.accuracy import LinkageAccuracy
from subsel.literature.linkage.febrl import load_febrl
from subsel.literature.linkage.graded_linkage import GradedLinkage
from subsel.literature.linkage.mo_di import mo_di
from subsel.literature.linkage.persons import ATTRIBUTES, ERRORS, Persons, misspell, persons

__all__ = [
    "ATTRIBUTES",
    "ERRORS",
    "GradedLinkage",
    "LinkageAccuracy",
    "Persons",
    "load_febrl",
    "misspell",
    "mo_di",
    "persons",
]
