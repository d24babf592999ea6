"""Pure noise: columns and labels that have nothing to do with each other."""

from __future__ import annotations

import numpy as np

from subsel.literature.problems.problem import SyntheticProblem

__all__ = ["pure_noise", "stratified_halves"]


def pure_noise(
    n_samples: int = 200, n_features: int = 15, random_state: int | None = None
) -> SyntheticProblem:
    """Draw columns uniform on [0, 99] and labels by a fair coin [1]_.

    The data on which the random walks of the paper were shown (200 subjects; 15, 20, 25 and 30 features): no subset
    of the columns is better than guessing.

    References
    ----------
    .. [1] S. Saha, S. Rajasekaran and R. Ramprasad, "Novel randomized feature selection algorithms", *International
       Journal of Foundations of Computer Science* 26, 2015, section 6.

    Examples
    --------
    >>> problem = pure_noise(random_state=0)
    >>> problem.X.shape, len(problem.relevant), problem.bayes_error
    ((200, 15), 0, 0.5)
    """
    rng = np.random.default_rng(random_state)
    X = rng.uniform(0, 99, size=(n_samples, n_features))
    return SyntheticProblem(X, rng.integers(2, size=n_samples), np.array([], dtype=int), 0.5)


def stratified_halves(
    y: np.ndarray, random_state: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Deal the rows of each class to two halves at random: row numbers, increasing. Odd classes leave one more to the second.

    >>> stratified_halves(np.array([0, 0, 0, 0, 1, 1]), random_state=0)
    (array([0, 2, 5]), array([1, 3, 4]))
    """
    rng = np.random.default_rng(random_state)
    first = np.concatenate(
        [
            rng.permutation(rows)[: len(rows) // 2]
            for rows in (np.flatnonzero(y == label) for label in np.unique(y))
        ]
    )
    return np.sort(first), np.setdiff1d(np.arange(len(y)), first)
