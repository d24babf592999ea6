"""Record linkage: persons with errors, near spellings, criteria and search."""

from subsel.literature.linkage.accuracy import LinkageAccuracy
from subsel.literature.linkage.graded import GradedLinkage
from subsel.literature.linkage.mo_di import mo_di
from subsel.literature.linkage.persons import (
    ATTRIBUTES,
    ERRORS,
    Persons,
    load_febrl,
    misspell,
    persons,
)

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
