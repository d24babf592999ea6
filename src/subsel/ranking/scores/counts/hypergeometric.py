"""The exact test of a binary feature and two classes.

Each is a function of four counts and takes `PresenceCounts` in place of ``X`` (and then no ``y``).
A column is present (not zero) or absent; of two classes the second one is positive. To binarise at
another value, pass ``X > value``.
"""

from typing import Any

import numpy as np

from subsel.data.statistics.class_counts import PresenceCounts, over_presence
from subsel.ranking.laws.exact_tails import hypergeometric_log_tails
from subsel.ranking.registry import score

__all__ = ["hypergeometric", "hypergeometric_p_value"]

Array = np.ndarray


def hypergeometric_p_value(X: Any, y: Any = None) -> Array:
    """Compute the exact p-value of the number of positive rows in which a column is present [1]_.

    It is twice the smaller tail, at most 1. The two-sided test of Fisher is another one, which adds
    the probabilities of all less likely tables.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, exact test of binary features.

    Examples
    --------
    >>> hypergeometric_p_value([[0, 1], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4)
    array([0.3333, 1.    ])
    """
    return np.exp(-hypergeometric(X, y))


@score(
    "hypergeometric", "exact-binary", p_value=hypergeometric_p_value, univariate=True, sparse=True
)
def hypergeometric(X: Any, y: Any = None) -> Array:
    r"""Score features by minus the logarithm of the p-value of their overlap with a class [1]_.

    .. math:: s_j = -\ln \min(1, 2 \min(P[K \ge k_j], P[K \le k_j]))

    where :math:`k_j` is the number of positive rows in which the column is present, and K is
    hypergeometric. A constant column scores 0.

    References
    ----------
    .. [1] R. M. Neal and J. Zhang, "High Dimensional Classification with Bayesian Neural Networks
       and Dirichlet Diffusion Trees", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       10, section 10.2, exact test of binary features.

    Examples
    --------
    >>> hypergeometric([[0, 1], [0, 1], [1, 1], [1, 1]], [0, 0, 1, 1]).round(4) + 0.0
    array([1.0986, 0.    ])
    """
    return over_presence(_hypergeometric, X, y, None)


def _hypergeometric(counts: PresenceCounts) -> Array:
    present = np.rint(counts.present).astype(int)
    negative, positive = np.rint(counts.mass).astype(int)
    lower, upper = hypergeometric_log_tails(
        present.sum(axis=0), negative + positive, positive, present[1]
    )
    return np.maximum(-np.log(2) - np.minimum(lower, upper), 0.0)
