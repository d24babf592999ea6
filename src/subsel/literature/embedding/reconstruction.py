"""The error with which an embedding reconstructs its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from subsel.literature.embedding.nystrom import NystromEmbedding

__all__ = ["reconstruction_loss"]


def reconstruction_loss(embedding: NystromEmbedding, X: Any) -> float:
    r"""Return the mean squared error of the kernel reconstructed from the eigenfunctions [1]_.

    .. math:: R = \frac1{m^2} \sum_{ij}
       \Big( k(x_i, x_j) - \sum_r \ell_r\, v_r(x_i)\, v_r(x_j) \Big)^2

    with :math:`v_r(x)` the extension of the unit eigenvector to x. On the training rows the leading
    eigenfunctions minimise R, and :math:`m^2 R` is the sum of the squares of the other eigenvalues;
    on other rows R estimates how well the embedding generalises. It is not defined for locally
    linear embedding, which has no kernel between two new rows.

    Parameters
    ----------
    embedding : NystromEmbedding
        A fitted embedding.
    X : array of shape (m, n_features)
        Training rows, or other rows.

    References
    ----------
    .. [1] Bengio et al., Spectral Dimensionality Reduction, in *Feature Extraction*, 2006, section
       27.4.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]])
    >>> round(reconstruction_loss(NystromEmbedding("mds", n_components=1).fit(X), X), 12)
    0.0
    """
    rows = embedding.rows(X)
    functions = embedding.eigenfunctions(rows)
    kernel = embedding.kernel_(rows, rows)
    return float(np.mean((kernel - (functions * embedding.eigenvalues_) @ functions.T) ** 2))
