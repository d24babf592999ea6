"""Checks that our own searches, criteria, scores and selectors pass, for those that others write."""

from subsel.testing.criterion import check_criterion
from subsel.testing.promise import BrokenPromise
from subsel.testing.score import check_score
from subsel.testing.search import check_search
from subsel.testing.selector import check_selector

__all__ = ["BrokenPromise", "check_criterion", "check_score", "check_search", "check_selector"]
