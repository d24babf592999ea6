"""How many columns: sizes compared on rows that took part in no search."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["HeldOutScores", "beats_no_columns", "per_group"]


class HeldOutScores(NamedTuple):
    """Scores of subsets of several sizes on the same held-out units, larger is better.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of columns, increasing; 0 is the model without columns.
    values : ndarray of shape (n_units, n_sizes)
        The score of each unit under the subset of each size, averaged over repeats. A unit is a
        row where the score is a mean over rows, a group of rows where rows come in groups, else a
        fold.
    weights : ndarray of shape (n_units,)
        How much each unit counts, for example its number of rows.

    Examples
    --------
    >>> values = np.array([[0.0, 1.0, 1.1], [0.2, 1.0, 0.8], [0.1, 1.3, 1.3], [0.1, 0.7, 0.8]])
    >>> scores = HeldOutScores(np.array([0, 1, 2]), values, np.ones(4))
    >>> scores.means()
    array([0.1, 1. , 1. ])
    >>> scores.best(), scores.smallest_near(1)
    (1, 1)
    """

    sizes: np.ndarray
    values: np.ndarray
    weights: np.ndarray

    def means(self) -> np.ndarray:
        """Mean score of each size, of shape (n_sizes,)."""
        return self.weights @ self.values / self.weights.sum()

    def differences(self, reference: int) -> tuple[np.ndarray, np.ndarray]:
        """Mean of each size's score less that of a reference, and its standard error.

        Parameters
        ----------
        reference : int
            Position of the reference among the sizes.

        Returns
        -------
        tuple of ndarray of shape (n_sizes,)
            Means and standard errors of the paired differences.
        """
        share = self.weights / self.weights.sum()
        paired = self.values - self.values[:, [reference]]
        means = share @ paired
        n = len(share)
        if n < 2:
            return means, np.full(len(means), np.inf)
        # the variance of a weighted mean of independent units, the sum of share^2 (d - mean)^2, with
        # the factor n / (n - 1) that makes it s^2 / n where all weigh the same (W. Cochran, Sampling
        # Techniques, 1977, section 6.3: the ratio estimator)
        variance = (share**2) @ (paired - means) ** 2 * n / (n - 1)
        return means, np.sqrt(variance)

    def best(self, first: int = 0) -> int:
        """Position of the best size at or after position ``first``; the smallest of equals."""
        return first + int(np.argmax(self.means()[first:]))

    def smallest_near(self, best: int, first: int = 0) -> int:
        """Position of the smallest size within one standard error of the best [1]_.

        References
        ----------
        .. [1] Breiman, Friedman, Olshen and Stone, *Classification and Regression Trees*, 1984,
           section
           3.4.3; with paired differences in place of the error of the best alone.
        """
        means, errors = self.differences(best)
        return first + int(np.argmax(means[first:] >= -errors[first:]))


def beats_no_columns(
    scores: HeldOutScores, chosen: int, *, proper: bool, level: float = 0.05, n_draws: int = 1999
) -> bool:
    """Whether a chosen size beats the model without columns, at position 0.

    Parameters
    ----------
    scores : HeldOutScores
        Scores by size, size 0 first.
    chosen : int
        Position of the size that would be selected.
    proper : bool
        Whether the score is a mean over units of a proper loss (squared error, log loss, Brier
        score). Then one paired standard error is asked for: on noise such a loss grows with each
        column, so that comparing many sizes does not help. Labels and ranks have no such
        property: there the best of all sizes must beat size 0 in a test at ``level`` that is
        corrected for all sizes tried, by the largest studentised paired difference and its
        bootstrap distribution over units [1]_ [2]_.
    level : float, default=0.05
        The chance of selecting something where nothing helps.
    n_draws : int, default=1999
        Draws of the bootstrap.

    References
    ----------
    .. [1] Romano and Wolf, *Stepwise multiple testing as formalized data snooping*, Econometrica
       73(4), 2005.
    .. [2] Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 16 (centred
       resampling).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(0.0, 1.0, (50, 1))
    >>> values = np.hstack([noise, noise + 0.5 + 0.1 * noise])
    >>> scores = HeldOutScores(np.array([0, 1]), values, np.ones(50))
    >>> beats_no_columns(scores, 1, proper=True), beats_no_columns(scores, 1, proper=False)
    (True, True)
    """
    means, errors = scores.differences(0)
    if proper:
        return bool(means[chosen] > errors[chosen])
    share = scores.weights / scores.weights.sum()
    paired = (scores.values - scores.values[:, [0]])[:, 1:]
    n, largest = len(share), _studentised(means[1:], errors[1:]).max()
    if n < 2 or not largest > 0:
        return False
    centred = paired - means[1:]
    counts = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=n_draws)
    drawn = counts * share
    total = drawn.sum(axis=1, keepdims=True)
    drawn_means = drawn @ centred / total
    squares = (counts * share**2) @ centred**2 / total**2
    variance = squares - 2 * drawn_means * ((counts * share**2) @ centred) / total**2
    variance += drawn_means**2 * (counts * share**2).sum(axis=1, keepdims=True) / total**2
    drawn_errors = np.sqrt(np.maximum(variance, 0) * n / (n - 1))
    exceed = (_studentised(drawn_means, drawn_errors).max(axis=1) >= largest).sum()
    return bool((exceed + 1) / (n_draws + 1) <= level)


def _studentised(means: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """Means over their errors; 0 where both are 0, as of a size that predicts what size 0 does."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((errors == 0) & (means == 0), 0.0, means / errors)


def per_group(
    values: np.ndarray, weights: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Average the scores of rows within each group, since rows of a group are not independent.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_sizes)
        Scores of rows.
    weights : ndarray of shape (n_rows,)
        Weights of rows.
    groups : ndarray of shape (n_rows,)
        The group of each row.

    Returns
    -------
    tuple of ndarray of shape (n_groups, n_sizes) and (n_groups,)
        Weighted means and weights of the groups.

    Examples
    --------
    >>> per_group(np.array([[1.0], [3.0], [5.0]]), np.ones(3), np.array(["a", "a", "b"]))
    (array([[2.],
           [5.]]), array([2., 1.]))
    """
    codes = np.unique(groups, return_inverse=True)[1].ravel()
    total = np.bincount(codes, weights)
    sums = np.zeros((len(total), values.shape[1]))
    np.add.at(sums, codes, values * weights[:, None])
    return sums / total[:, None], total
