"""Fisher's test of a linear model against a smaller one, and elimination by it."""

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
    r"""Give Fisher's ratio and the p-value of the features that a smaller linear model lacks [1]_ [2]_.

    .. math:: F = \frac{m - Q - 1}{q} \cdot \frac{RSS_{Q-q} - RSS_Q}{RSS_Q} \sim F(q,\, m - Q - 1)

    Q features in the larger model, q of them dropped, both with intercept (without one the book's
    degrees of freedom would be m - Q).

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
    """Drop the feature with the largest p-value from a linear model while that exceeds alpha [1]_ [2]_.

    Gives the columns that stay. Needs more rows than columns plus one and independent columns (for
    wide tables take :func:`subsel.ranking.gram_schmidt.gram_schmidt` with a risk). One inverse,
    then a rank-one update per feature dropped.

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
    kept = np.arange(p)
    while len(kept):
        rises = weights**2 / np.diag(inverse)
        worst = int(np.argmin(rises))
        _, p_value = nested_f_test(rss + rises[worst], rss, 1, len(kept) - 1, n)
        if p_value <= alpha:
            break
        rss += float(rises[worst])
        share = inverse[:, worst] / inverse[worst, worst]
        weights = np.delete(weights - share * weights[worst], worst)
        inverse = np.delete(
            np.delete(inverse - np.outer(share, inverse[worst]), worst, 0), worst, 1
        )
        kept = np.delete(kept, worst)
    return kept
