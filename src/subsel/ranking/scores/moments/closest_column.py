"""How like a column is to the most similar other one: real bits and counts come in kinds, independent probes do not."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.statistics.score_input import as_stored, weights
from subsel.ranking.registry import score

__all__ = ["closest_column"]

# Similarities held at a time.
HELD = 20_000_000


@score("closest-column", multiclass=True, regression=True, sparse=True, weights=True)
def closest_column(
    X: Any,
    y: Any,  # noqa: ARG001
    sample_weight: Any = None,
    *,
    shrink: float = 3.0,
) -> np.ndarray:
    r"""Score features by Tanimoto's similarity [1]_ to the column most like them; the target is not looked at.

    .. math:: s_j = \max_{k \ne j} \frac{x_j \cdot x_k}{x_j \cdot x_j + x_k \cdot x_k - x_j \cdot x_k + c}

    For bits this is the number of rows in which both are set over that in which either is, where c
    rows more are counted against: among thousands of rare columns some agree by chance. A column
    that is like no other scores 0. Meant for bits and counts, mostly zero; of other tables
    :func:`multiple_correlation` tells real columns. Compressed rows are read as they are,
    compressed columns copied to rows; columns that share no row are never compared.

    Parameters
    ----------
    shrink : float
        The number c. Must not be negative.

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
    """The same by products of some columns with all."""
    squares = np.einsum("ij,ij->j", X, X) + shrink / 2
    scores, step = np.zeros(len(squares)), max(1, HELD // len(squares))
    for start in range(0, len(squares), step):
        some = slice(start, start + step)
        products = X[:, some].T @ X
        apart = squares[some, None] + squares - products
        like = np.divide(products, apart, out=np.zeros_like(products), where=products > 0)
        np.fill_diagonal(like[:, some], 0.0)
        scores[some] = like.max(axis=1)
    return scores
