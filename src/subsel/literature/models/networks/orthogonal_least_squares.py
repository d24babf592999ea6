"""Choose columns one at a time by the squared error they leave."""

from __future__ import annotations

import numpy as np

__all__ = ["orthogonal_least_squares"]


def orthogonal_least_squares(P: np.ndarray, T: np.ndarray, n_columns: int) -> np.ndarray:
    """Choose columns of P one at a time, each the one that leaves the least squared error of T together with those before.

    Candidates are kept orthogonal to the chosen ones, so that a column's gain is one product. Columns that the chosen
    ones already span are passed over, so that fewer may come back.

    Parameters
    ----------
    P : ndarray of shape (m, n)
        Candidate columns.
    T : ndarray of shape (m, k)
        One or more targets.
    n_columns : int
        How many to choose at most.

    Returns
    -------
    ndarray of int
        The chosen columns, in order.

    References
    ----------
    .. [1] Chen, Billings and Luo, *Orthogonal least squares methods and their application to non-linear system
       identification*, International Journal of Control 50, 1989.

    Examples
    --------
    >>> orthogonal_least_squares(np.eye(3), np.array([[1.0], [5.0], [3.0]]), 2)
    array([1, 2])
    """
    P, chosen = P.astype(np.float64), list[int]()
    norms = np.einsum("ij,ij->j", P, P)
    smallest = 1e-10 * np.maximum(norms, np.finfo(float).tiny)
    while len(chosen) < n_columns:
        gains = np.divide(
            ((T.T @ P) ** 2).sum(axis=0),
            norms,
            out=np.full(len(norms), -1.0),
            where=norms > smallest,
        )
        best = int(np.argmax(gains))
        if gains[best] < 0:
            break
        chosen.append(best)
        q = P[:, best] / np.sqrt(norms[best])
        P -= np.outer(q, q @ P)
        norms = np.einsum("ij,ij->j", P, P)
        norms[best] = 0
    return np.array(chosen, dtype=int)
