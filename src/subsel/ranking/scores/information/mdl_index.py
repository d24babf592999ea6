"""The MDL index: the share of the classes' description length that a column saves.

The parameters ``discretise`` and ``sample_weight``, and tables counted beforehand, are as in
:mod:`subsel.ranking.scores.counts.contingency`.
"""

import numpy as np
from scipy.special import gammaln

from subsel.data.statistics.count_statistics import table_statistic
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score
from subsel.ranking.scores.information.mutual_information import share_of

__all__ = ["mdl_index"]


@score("mdl-index", "mdl", multiclass=True, univariate=True, sparse=True, weights=True)
@table_statistic()
def mdl_index(tables: JointCounts, symmetric: bool = False) -> np.ndarray:
    r"""Score columns by the share of the classes' description length that they save [1]_.

    .. math::
        \mathrm{prior} = \ln \frac{n!}{\prod_j n_{\cdot j}!} + \ln \binom{n+K-1}{K-1}, \quad
        \mathrm{post} = \sum_i \ln \frac{n_{i\cdot}!}{\prod_j n_{ij}!}
        + \ln \binom{n_{i\cdot}+K-1}{K-1}, \quad
        J = 1 - \mathrm{post} / \mathrm{prior}

    It is zero for a constant column, and negative for one that costs more than it saves, so that
    zero is a natural cut. ``symmetric`` averages it with that of the column given the classes
    (Hall).

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       the MDL index.

    Examples
    --------
    >>> X = np.repeat([[0, 0], [0, 1], [1, 0], [1, 1]], 25, axis=0)
    >>> mdl_index(X, np.repeat([0, 0, 1, 1], 25)).round(5)
    array([ 0.88986, -0.01969])
    """
    given_value = tables.per_column(_description(tables.counts, tables.counts.shape[1]))
    of_class = _saved(_description(tables.class_totals, tables.counts.shape[1]), given_value)
    if not symmetric:
        return of_class
    margin = tables.value_totals[:, None]
    alone = _ragged_description(tables, margin)[:, 0]
    given_class = _ragged_description(tables, tables.counts).sum(axis=1)
    return (of_class + _saved(alone, given_class)) / 2


def _description(counts: np.ndarray, n_kinds: int) -> np.ndarray:
    """Give the description length, in nats, of a set with each row of counts of labels."""
    # ln (n! / prod n_j!) + ln C(n + K - 1, K - 1) = ln (n + K - 1)! - ln (K - 1)! - sum ln n_j!
    n = counts.sum(axis=-1)
    return gammaln(n + n_kinds) - gammaln(n_kinds) - gammaln(counts + 1.0).sum(axis=-1)


def _ragged_description(tables: JointCounts, counts: np.ndarray) -> np.ndarray:
    """Give the description length of the values of each column, for each column of counts."""
    n, sizes = tables.per_column(counts), tables.sizes[:, None]
    return gammaln(n + sizes) - gammaln(sizes) - tables.per_column(gammaln(counts + 1.0))


def _saved(alone: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Give the share of a description length that is saved, 0 where there is none."""
    return share_of(alone - given, alone)
