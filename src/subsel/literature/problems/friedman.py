"""Friedman's three regression problems, with their relevant columns named."""

from typing import Any

import numpy as np
from sklearn import datasets

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["friedman1", "friedman2", "friedman3"]


def friedman1(
    n_samples: int = 100, n_features: int = 10, noise: float = 0.0, random_state: int | None = None
) -> SyntheticProblem:
    """Draw ``10 sin(pi x0 x1) + 20 (x2 - 1/2)^2 + 10 x3 + 5 x4`` plus noise among uniform columns.

    scikit-learn's ``make_friedman1``; the first five columns are relevant.

    Examples
    --------
    >>> friedman1(20, 8, random_state=0).relevant
    array([0, 1, 2, 3, 4])
    """
    X, y = datasets.make_friedman1(n_samples, n_features, noise=noise, random_state=random_state)
    return SyntheticProblem(X, y, np.arange(5), noise**2)


def friedman2(
    n_samples: int = 100, n_irrelevant: int = 0, noise: float = 0.0, random_state: int | None = None
) -> SyntheticProblem:
    """Draw a circuit's impedance, ``sqrt(x0^2 + (x1 x2 - 1/(x1 x3))^2)``, with uniform columns behind.

    Examples
    --------
    >>> friedman2(50, n_irrelevant=3, random_state=0).X.shape
    (50, 7)
    """
    return _circuit(datasets.make_friedman2, n_samples, n_irrelevant, noise, random_state)


def friedman3(
    n_samples: int = 100, n_irrelevant: int = 0, noise: float = 0.0, random_state: int | None = None
) -> SyntheticProblem:
    """Draw the phase of a circuit, ``arctan((x1 x2 - 1/(x1 x3)) / x0)``, with uniform columns behind.

    Examples
    --------
    >>> friedman3(50, random_state=0).relevant
    array([0, 1, 2, 3])
    """
    return _circuit(datasets.make_friedman3, n_samples, n_irrelevant, noise, random_state)


def _circuit(
    make: Any, n_samples: int, n_irrelevant: int, noise: float, random_state: int | None
) -> SyntheticProblem:
    X, y = make(n_samples, noise=noise, random_state=random_state)
    extra = np.random.default_rng(random_state).random((n_samples, n_irrelevant))
    return SyntheticProblem(np.hstack((X, extra)), y, np.arange(4), noise**2)
