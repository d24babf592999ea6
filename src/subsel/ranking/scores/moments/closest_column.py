"""The similarity of a column to the most similar other one.

Real bits and counts often resemble another column; independent probes do not.
"""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.score_input import as_stored, weights
from subsel.ranking.registry import score

__all__ = ["closest_column"]

SIMILARITIES = 20_000_000  # in memory at a time: 160 MB


@score("closest-column", multiclass=True, regression=True, sparse=True, weights=True)
def closest_column(
    X: Any,
    y: Any,  # noqa: ARG001
    sample_weight: Any = None,
    *,
    shrink: float = 3.0,
) -> np.ndarray:
    r"""Score features by Tanimoto's similarity [1]_ to the most similar other column.

    .. math::

        s_j = \max_{k \ne j}
        \frac{x_j \cdot x_k}{x_j \cdot x_j + x_k \cdot x_k - x_j \cdot x_k + c}

    The target is ignored. For bits this is the number of rows in which both are set over that in
    which at least one is. The constant c lowers the similarity of rare columns: among thousands of
    them some agree by chance. A column that resembles no other scores 0. The score is meant for
    bits and counts that are mostly zero; for other tables :func:`multiple_correlation` finds real
    columns. Tables of compressed rows are not copied, those of compressed columns are. Columns that
    share no row are never compared.

    Parameters
    ----------
    X : array-like or sparse
        The table.
    y : object
        Ignored.
    sample_weight : array-like, optional
        The weights of the rows.
    shrink : float
        The number c, which must not be negative.

    References
    ----------
    .. [1] D. J. Rogers and T. T. Tanimoto, "A Computer Program for Classifying Plants", *Science*
       132, 1960.

    Examples
    --------
    >>> X = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1]])
    >>> closest_column(X, y=None, shrink=0).round(3)
    array([0.667, 0.667, 0.   ])
    """
    if not shrink >= 0:
        raise ValueError(f"shrink must be 0 or more, got {shrink!r}.")
    X = as_stored(X)
    weight = weights(X, sample_weight)
    if not sparse.issparse(X):
        return _of_dense(X * np.sqrt(weight)[:, None], shrink)
    from subsel._loops.statistics.similar_columns import largest_similarities

    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return largest_similarities(X.indptr, X.indices, X.data, weight, X.shape[1], float(shrink))


def _of_dense(X: np.ndarray, shrink: float) -> np.ndarray:
    """Give the scores of a dense table, whose rows are weighted, by products of matrices."""
    squares = np.einsum("ij,ij->j", X, X) + shrink / 2  # c is divided between the two columns
    scores, step = np.zeros(len(squares)), max(1, SIMILARITIES // len(squares))
    for start in range(0, len(squares), step):
        block = slice(start, start + step)
        products = X[:, block].T @ X
        union = squares[block, None] + squares - products
        similarities = np.divide(products, union, out=np.zeros_like(products), where=products > 0)
        np.fill_diagonal(similarities[:, block], 0.0)
        scores[block] = similarities.max(axis=1)
    return scores
