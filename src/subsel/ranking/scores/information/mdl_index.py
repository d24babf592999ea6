"""The MDL index: the share of the classes' description length that a column saves.

The parameters ``discretise`` and ``sample_weight``, and counting ahead, are those of
:mod:`subsel.ranking.scores.counts.contingency`.
"""

import numpy as np
from scipy.special import gammaln

from subsel.data.statistics.count_statistics import of_tables
from subsel.data.statistics.joint_counts import JointCounts
from subsel.ranking.registry import score
from subsel.ranking.scores.information.mutual_information import share_of

__all__ = ["mdl_index"]


@score("mdl-index", "mdl", multiclass=True, univariate=True, sparse=True, weights=True)
@of_tables()
def mdl_index(tables: JointCounts, symmetric: bool = False) -> np.ndarray:
    r"""Score columns by the share of the classes' description length that they save [1]_.

    .. math::
        \mathrm{prior} = \ln \frac{n!}{\prod_j n_{\cdot j}!} + \ln \binom{n+K-1}{K-1}, \quad
        \mathrm{post} = \sum_i \ln \frac{n_{i\cdot}!}{\prod_j n_{ij}!}
        + \ln \binom{n_{i\cdot}+K-1}{K-1}, \quad
        J = 1 - \mathrm{post} / \mathrm{prior}

    Zero for a constant column and below zero for one that costs more than it saves: a natural place
    to cut. ``symmetric`` averages it with that of the column given the classes (Hall).

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
    """Length of the labels of a set and of their counts, by rows of counts, in nats."""
    n = counts.sum(axis=-1)
    return gammaln(n + n_kinds) - gammaln(n_kinds) - gammaln(counts + 1.0).sum(axis=-1)


def _ragged_description(tables: JointCounts, counts: np.ndarray) -> np.ndarray:
    """The same for the values of each column, by columns of counts."""
    n, sizes = tables.per_column(counts), tables.sizes[:, None]
    return gammaln(n + sizes) - gammaln(sizes) - tables.per_column(gammaln(counts + 1.0))


def _saved(alone: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The share of a description that is saved; nothing where there was nothing to describe."""
    return share_of(alone - given, alone)
