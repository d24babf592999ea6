"""The permutation test: the score of a complete procedure on shuffled labels."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

__all__ = ["Permutation", "permutation_p_value", "shuffled_labels"]


@dataclass(frozen=True, eq=False)
class Permutation:
    """The scores of one pass over the folds with true and with shuffled labels, and the p-value.

    Attributes
    ----------
    score : float
        The mean over the first repeat of the folds, with the true labels.
    scores : ndarray of shape (n_permutations,)
        The same for each shuffling.
    p_value : float
        ``(1 + number of shuffled scores at least as large) / (1 + number of shufflings)``.

    Examples
    --------
    >>> Permutation(0.9, np.array([0.5, 0.6]), 1 / 3).score
    0.9
    """

    score: float
    scores: np.ndarray = field(repr=False)
    p_value: float


def permutation_p_value(score: float, shuffled: np.ndarray) -> float:
    """Give the share of scores that reach the true one, which is itself counted [1]_.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, chapter 2.

    Examples
    --------
    >>> permutation_p_value(0.9, np.array([0.5, 0.4, 0.6]))
    0.25
    """
    return float((1 + np.sum(np.asarray(shuffled) >= score)) / (1 + len(shuffled)))


def shuffled_labels(
    y: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator
) -> np.ndarray:
    """Shuffle the target over rows, and within groups where there are any.

    If the target is constant in every group, it is shuffled over the groups.

    Rows of a group are not exchangeable with other rows, so their labels must not mix freely.
    """
    if groups is None:
        return rng.permutation(y)
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    if all((y[rows] == y[rows[0]]).all() for rows in members):
        labels = rng.permutation(np.array([y[rows[0]] for rows in members]))
        shuffled = np.empty_like(y)
        for rows, label in zip(members, labels):
            shuffled[rows] = label
        return shuffled
    shuffled = y.copy()
    for rows in members:
        shuffled[rows] = rng.permutation(y[rows])
    return shuffled
