"""Fisher's test of nested linear models, and backward elimination by it."""

from typing import Any

import numpy as np
from scipy.stats import f as fisher

from subsel.data.statistics.centred_table import CentredTable
from subsel.data.statistics.co_moments import numeric_target
from subsel.data.statistics.score_input import columns

__all__ = ["nested_f_elimination", "nested_f_test"]


def nested_f_test(
    rss_small: float, rss_large: float, n_dropped: int, n_kept: int, n_samples: int
) -> tuple[float, float]:
    r"""Give Fisher's ratio and p-value for features that a smaller linear model lacks [1]_ [2]_.

    .. math:: F = \frac{m - Q - 1}{q} \cdot \frac{RSS_{Q-q} - RSS_Q}{RSS_Q} \sim F(q,\, m - Q - 1)

    The larger model has Q features, the smaller one lacks q of them, and both have an intercept
    (the book's models have none, with m - Q degrees of freedom).

    Parameters
    ----------
    rss_small, rss_large : float
        The residual sums of squares of the smaller and of the larger model.
    n_dropped, n_kept : int
        The numbers of features that the smaller model lacks and has.
    n_samples : int
        The number of rows m.

    Returns
    -------
    ratio, p_value : float
        Fisher's ratio and its p-value.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, Fisher's test of nested linear models.
    .. [2] T. N. Lal, O. Chapelle, J. Weston and A. Elisseeff, "Embedded Methods", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 5, backward pruning.

    Examples
    --------
    >>> ratio, p_value = nested_f_test(3.0, 2.0, n_dropped=1, n_kept=2, n_samples=10)
    >>> ratio, round(p_value, 4)
    (3.0, 0.134)
    """
    freedom = n_samples - (n_dropped + n_kept) - 1
    if freedom < 1:
        raise ValueError(
            f"n_samples must exceed the number of features by at least 2, got {n_samples}."
        )
    ratio = np.inf
    if rss_large > 0:
        ratio = freedom / n_dropped * (rss_small - rss_large) / rss_large
    return ratio, float(fisher.sf(ratio, n_dropped, freedom))


def nested_f_elimination(X: Any, y: Any, alpha: float = 0.05) -> np.ndarray:
    """Remove the feature of largest p-value from a linear model while it exceeds alpha [1]_ [2]_.

    The table needs at least two rows more than columns, and linearly independent columns; for wide
    tables use :func:`subsel.ranking.gram_schmidt` with `max_risk`.

    Parameters
    ----------
    X, y : array-like
        The table, and numbers or two classes.
    alpha : float
        The level of the tests.

    Returns
    -------
    ndarray of int
        The columns that remain.

    References
    ----------
    .. [1] G. Dreyfus and I. Guyon, "Assessment Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 2, Fisher's test of nested linear models.
    .. [2] T. N. Lal, O. Chapelle, J. Weston and A. Elisseeff, "Embedded Methods", in Guyon et al.
       (eds.), *Feature Extraction*, 2006, chapter 5, backward pruning.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((50, 4))
    >>> nested_f_elimination(X, X[:, 1] - X[:, 2] + 0.1 * rng.standard_normal(50))
    array([1, 2])
    """
    X = columns(X)
    n, p = X.shape
    if n < p + 2:
        raise ValueError(f"X must have at least two rows more than columns, got shape {X.shape}.")
    table = CentredTable(X).columns(slice(None))
    response = numeric_target(X, y)
    response = response - response.mean()
    if np.linalg.matrix_rank(table) < p:
        raise ValueError(
            "the columns of X must be linearly independent of each other and of a constant."
        )
    inverse = np.linalg.inv(table.T @ table)
    weights = inverse @ (table.T @ response)
    rss = float(((response - table @ weights) ** 2).sum())
    remaining = np.arange(p)
    # Without column j the residual sum of squares rises by w_j^2 / (A^-1)_jj, with A the products
    # of the columns and w the weights; A^-1 becomes its Schur complement A^-1 - a a^T / a_j, a its
    # column j, and w becomes w - a w_j / a_j: a pivot of the sweep operator (Goodnight, "A tutorial
    # on the sweep operator", The American Statistician 33, 1979).
    while len(remaining):
        rises = weights**2 / np.diag(inverse)
        worst = int(np.argmin(rises))
        _, p_value = nested_f_test(rss + rises[worst], rss, 1, len(remaining) - 1, n)
        if p_value <= alpha:
            break
        rss += float(rises[worst])
        share = inverse[:, worst] / inverse[worst, worst]
        weights = np.delete(weights - share * weights[worst], worst)
        inverse = np.delete(
            np.delete(inverse - np.outer(share, inverse[worst]), worst, 0), worst, 1
        )
        remaining = np.delete(remaining, worst)
    return remaining
