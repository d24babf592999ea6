"""A made-up problem: the table, the target, and the truth a selector is asked to find."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["SyntheticProblem"]


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticProblem:
    """Data drawn from a known law.

    Attributes
    ----------
    X, y : ndarray
        The table and the target.
    relevant : ndarray of int
        The columns that carry information on the target, in increasing order.
    bayes_error : float or None
        The smallest error any rule can reach on all columns, where a closed form is known: the
        misclassification rate, or for a numeric target the mean squared error.
    subset_errors : mapping
        The same, for the subsets of columns whose error has a closed form.

    Examples
    --------
    >>> problem = SyntheticProblem(np.eye(2), np.array([0, 1]), relevant=np.array([0]))
    >>> problem.relevant, problem.bayes_error
    (array([0]), None)
    """

    X: Any
    y: np.ndarray
    relevant: np.ndarray
    bayes_error: float | None = None
    subset_errors: Mapping[tuple[int, ...], float] = field(default_factory=dict)
