"""The change of class odds by values: weight of evidence, divergence between classes.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

import numpy as np

from subsel.data.statistics.count_statistics import table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score

__all__ = ["class_divergence", "weight_of_evidence"]


@score("weight-of-evidence", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic()
def weight_of_evidence(
    tables: JointCounts, smoothing: float = 1.0, class_weighted: bool = True
) -> np.ndarray:
    r"""Score columns by the mean change of the log odds of a class by a value [1]_.

    .. math:: W = \sum_j P_{\cdot j} \sum_i P_{i\cdot}
              \left| \ln \frac{\mathrm{odds}\,P(j \mid i)}{\mathrm{odds}\,P_{\cdot j}} \right|

    The weight :math:`P_{\cdot j}` is Kononenko's; the source lacks it (``class_weighted=False``).

    Parameters
    ----------
    smoothing : float
        The number of rows with the class shares of all rows that is added to each value (the
        m-estimate): no odds are infinite, and a value without information changes none.
    class_weighted : bool
        Whether the classes are weighted by their shares.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the average weight of evidence.

    Examples
    --------
    >>> weight_of_evidence(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([1.6094, 0.    ])
    """
    if not smoothing > 0:
        raise ValueError(f"smoothing must be positive, got {smoothing}.")
    prior = tables.class_totals / tables.totals[:, None]
    spread_prior = tables.spread(prior)
    with np.errstate(divide="ignore", invalid="ignore"):
        total = tables.value_totals[:, None]
        posterior = (tables.counts + smoothing * spread_prior) / (total + smoothing)
        moved = np.abs(
            np.log(posterior / (1 - posterior)) - np.log(spread_prior / (1 - spread_prior))
        )
    moved = np.where(spread_prior > 0, moved, 0.0)
    per_class = tables.per_column(moved * total) / tables.totals[:, None]
    if class_weighted:
        per_class = per_class * prior
    return per_class.sum(axis=1)


@score(
    "class-divergence",
    "jeffreys-divergence",
    multiclass=True,
    univariate=True,
    sparse=True,
    weights=True,
)
@table_statistic()
def class_divergence(tables: JointCounts, smoothing: float = 0.5) -> np.ndarray:
    r"""Score columns by the divergence between classes, averaged over pairs of them [1]_.

    .. math:: \binom{K}{2}^{-1} \sum_{j < l} \sum_i
              (P(i \mid j) - P(i \mid l)) \ln \frac{P(i \mid j)}{P(i \mid l)}

    It is the Kullback-Leibler divergence in both directions (Jeffreys). ``smoothing`` is added to
    every count, because one empty cell would make the divergence infinite.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       Kullback-Leibler divergence and mutual information.

    Examples
    --------
    >>> class_divergence(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1]).round(4)
    array([2.1459, 0.    ])
    """
    if not smoothing > 0:
        raise ValueError(f"smoothing must be positive, got {smoothing}.")
    smoothed = tables.counts + smoothing
    law = smoothed / tables.spread(tables.per_column(smoothed))
    log_law = np.log(law)
    n_classes = law.shape[1]
    # The sum over all pairs of (p_j - p_l)(ln p_j - ln p_l) is K sum p ln p - sum p sum ln p over
    # the K classes: each p_j ln p_j appears K - 1 times, each p_j ln p_l with l != j once.
    pairs = n_classes * (law * log_law).sum(axis=1) - law.sum(axis=1) * log_law.sum(axis=1)
    return np.maximum(tables.per_column(pairs) / (n_classes * (n_classes - 1) / 2), 0.0)
