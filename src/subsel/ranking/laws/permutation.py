"""Permutation p-values of any score, and of the correlation for all permutations at once."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import rankdata

from subsel.data.statistics.blocks import column_blocks
from subsel.data.statistics.co_moments import numeric_target
from subsel.data.statistics.score_input import columns

__all__ = ["correlation_permutation_p_value", "permutation_p_value"]

Array = np.ndarray


def permutation_p_value(
    score: Callable[..., Array],
    X: Any,
    y: Any,
    *,
    n_permutations: int = 999,
    random_state: Any = None,
    **parameters: Any,
) -> Array:
    r"""Compute the p-value of any score: how often permuted labels score at least as high [1]_.

    .. math:: p_j = (1 + \#\{b : s_j^{(b)} \ge s_j\}) / (B + 1)

    All columns see the same permutations.

    Parameters
    ----------
    score : callable
        ``score(X, y, **parameters)`` gives one number per column; larger is more relevant.
    X, y : array-like
        The table and the target.
    n_permutations : int
        The number B of permutations.
    random_state : int, Generator or None
        The seed of the permutations.
    **parameters : object
        Parameters of the score.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       significance by permutation.

    Examples
    --------
    >>> from subsel.ranking.scores.moments.pearson import pearson
    >>> x = np.arange(8.0)[:, None]
    >>> permutation_p_value(pearson, x, np.arange(8.0), n_permutations=99, random_state=0)
    array([0.01])
    """
    rng, y = np.random.default_rng(random_state), np.asarray(y)
    observed = score(X, y, **parameters)
    # A permutation that leaves the score as it is may differ in its last bits, and must count.
    bar = np.where(
        np.isfinite(observed), observed - 1e-12 * np.abs(np.nan_to_num(observed)), observed
    )
    reached = np.zeros(len(observed))
    for _ in range(n_permutations):
        reached += score(X, rng.permutation(y), **parameters) >= bar
    return (1 + reached) / (1 + n_permutations)


def correlation_permutation_p_value(
    X: Any, y: Any, *, ranks: bool = False, n_permutations: int = 2000, random_state: Any = None
) -> Array:
    r"""Compute the two-sided permutation p-value of the correlation: twice the smaller tail [1]_.

    .. math:: p_j = \min(1, 2 \min(P[r^\pi_j \ge r_j], P[r^\pi_j \le r_j]))

    where one is added to the counts of both tails. For a binary column it estimates the exact
    `hypergeometric_p_value`.

    Parameters
    ----------
    X, y : array-like
        The table, and a numeric target or two classes.
    ranks : bool
        Replace each value by the number of values that are not larger; dense tables only.
    n_permutations : int
        The number of permutations, the same for all columns.
    random_state : int, Generator or None
        The seed of the permutations.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, permutation test of the correlation; section 10.2, permutation test of
       ranks.

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    >>> correlation_permutation_p_value(X, [0, 0, 1], random_state=0).round(1)
    array([0.7, 1. ])
    """
    # Means and spreads of column and target are the same in all permutations: correlations are
    # compared by the products x . y alone, which are one product of matrices per block of columns.
    rng = np.random.default_rng(random_state)
    X = columns(X, accept_sparse=not ranks)
    y = numeric_target(X, y)
    y = y - y.mean()
    orders = np.stack([rng.permutation(y) for _ in range(n_permutations)], axis=1)
    p = np.empty(X.shape[1])
    for block in column_blocks(X, depth=n_permutations):
        part = X[:, block]
        if ranks:
            part = rankdata(part, "max", axis=0)
        p[block] = _tails(part, y, orders)
    return p


def _tails(block: Any, y: Array, orders: Array) -> Array:
    """Give twice the smaller tail of each column's product with y among those with permuted y.

    Parameters
    ----------
    block : ndarray or sparse array of shape (n_rows, n_columns)
        Some columns.
    y : ndarray of shape (n_rows,)
        The centred target.
    orders : ndarray of shape (n_rows, n_permutations)
        Permutations of it.
    """
    observed, permuted = (block.T @ y)[:, None], block.T @ orders
    slack = 1e-9 * np.abs(permuted).max(axis=1, keepdims=True) + 1e-12
    above = (permuted >= observed - slack).sum(axis=1)
    below = (permuted <= observed + slack).sum(axis=1)
    return np.minimum(1.0, 2 * (1 + np.minimum(above, below)) / (1 + orders.shape[1]))
