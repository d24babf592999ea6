"""The mean correlation of a column with all others."""

from typing import Any

import numpy as np

from subsel.data.statistics.blocks import column_blocks
from subsel.data.statistics.co_moments import numeric_target
from subsel.data.statistics.score_input import columns
from subsel.ranking.registry import score

__all__ = ["column_average_correlation"]


@score("column-average-correlation", "column-average", regression=True)
def column_average_correlation(X: Any, y: Any, *, squared: bool = False) -> np.ndarray:
    r"""Score features by their mean absolute correlation with all columns and the target [1]_.

    .. math:: s_i = \frac{1}{p + 1} \sum_j |r_{ij}|

    where j runs over the p features, i included, and the target. Features that are correlated with
    each other score high whether or not they are with the target, which is one column of many. The
    score is meant for the cut at the largest gap. Constant columns score 0.

    Parameters
    ----------
    squared : bool
        Average the squares instead, which widens the gap.

    References
    ----------
    .. [1] D. Roobaert, G. Karakoulas and N. V. Chawla, "Information Gain, Correlation and Support
       Vector Machines", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 22, column
       averages of the correlation (the multiples of the mean printed there cannot be reached by
       correlations).

    Examples
    --------
    >>> X = np.array([[0.0, 0.0, 1.0], [1.0, 2.0, -1.0], [2.0, 4.0, -1.0], [3.0, 6.0, 1.0]])
    >>> column_average_correlation(X, [0.0, 1.0, 2.0, 3.0])
    array([0.75, 0.75, 0.25])
    """
    X = columns(X, accept_sparse=False)
    table = np.column_stack((X, numeric_target(X, y))).astype(np.float64)
    constant = (table == table[0]).all(axis=0)
    table -= table.mean(axis=0)
    norms = np.sqrt(np.einsum("ij,ij->j", table, table))
    table /= np.where(constant | (norms == 0), np.inf, norms)
    scores = np.empty(table.shape[1])
    for block in column_blocks(table, depth=table.shape[1], copies=0.1):
        r = table[:, block].T @ table
        if squared:
            r *= r
        else:
            np.abs(r, out=r)
        scores[block] = r.mean(axis=1)
    return scores[:-1]
