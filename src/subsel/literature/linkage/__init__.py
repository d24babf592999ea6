"""Record linkage: persons with errors, near spellings, criteria and search."""

from subsel.literature.linkage.accuracy import LinkageAccuracy
from subsel.literature.linkage.graded import GradedLinkage
from subsel.literature.linkage.mo_di import mo_di
from subsel.literature.linkage.persons import Persons, load_febrl, persons

__all__ = [
    "GradedLinkage",
    "LinkageAccuracy",
    "Persons",
    "load_febrl",
    "mo_di",
    "persons",
]
