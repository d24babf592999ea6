"""Knockoff copies: columns that correlate with each other as the features do."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh
from sklearn.covariance import LedoitWolf

__all__ = [
    "DISTANCES",
    "equicorrelated",
    "fixed_knockoffs",
    "gaussian_knockoffs",
    "minimum_variance",
]

MARGIN = 1e-6  # relative distance from the limit, where 2 Sigma - S would become singular
MAX_SWEEPS = 50  # of coordinate descent, which converges in far fewer


def equicorrelated(correlation: np.ndarray) -> np.ndarray:
    r"""Compute the largest distance common to all columns, :math:`\min(2 \lambda_{\min}, 1)`.

    :math:`\lambda_{\min}` is the least eigenvalue of the correlation matrix of shape (p, p); the
    distances are the diagonal of S, of shape (p,) [1]_.

    References
    ----------
    .. [1] Barber and Candès, *Controlling the false discovery rate via knockoffs*, Annals of
       Statistics 43, 2015, section 2.1.1.

    Examples
    --------
    >>> equicorrelated(np.array([[1.0, 0.8], [0.8, 1.0]])).round(3)
    array([0.4, 0.4])
    """
    least = float(eigh(correlation, eigvals_only=True, subset_by_index=[0, 0])[0])
    return np.full(len(correlation), max(min(2 * least * (1 - MARGIN), 1.0), 0.0))


def minimum_variance(correlation: np.ndarray, tolerance: float = 1e-6) -> np.ndarray:
    r"""Compute the distances that make columns and copies hardest to rebuild from each other.

    They minimise :math:`\mathrm{tr}(S^{-1}) + \mathrm{tr}((2\Sigma - S)^{-1})` over diagonal S,
    which is, up to a factor, the sum of the inverse conditional variances of all columns and
    copies given the others [1]_. The correlation matrix has shape (p, p), the answer (p,).

    References
    ----------
    .. [1] Spector and Janson, *Powerful knockoffs via minimizing reconstructability*, Annals of
       Statistics 50, 2022.

    Examples
    --------
    >>> minimum_variance(np.eye(2)).round(3)
    array([1., 1.])
    """
    S = equicorrelated(correlation)
    S = np.maximum(S / 2, 1e-8)
    M = np.linalg.inv(2 * correlation - np.diag(S))
    # Coordinate descent. With M = (2 Sigma - S)^-1, column m_j of M and c = |m_j|, adding d to s_j
    # changes M to M + d m_j m_j' / (1 - d M_jj) (Sherman-Morrison), hence the objective to
    # 1 / (s_j + d) + d c^2 / (1 - d M_jj) + constants. Its derivative is zero at
    # 1 - d M_jj = c (s_j + d), so d = (1 - c s_j) / (M_jj + c). There 1 - d M_jj =
    # c (s_j M_jj + 1) / (M_jj + c) > 0, so 2 Sigma - S stays positive definite.
    for _ in range(MAX_SWEEPS):
        before = S.copy()
        for j in range(len(S)):
            c = float(np.linalg.norm(M[j]))
            change = (1 - c * S[j]) / (M[j, j] + c)
            M += (change / (1 - change * M[j, j])) * np.outer(M[j], M[j])
            S[j] += change
        if np.abs(S - before).max() < tolerance:
            break
    return S


DISTANCES = {"equicorrelated": equicorrelated, "minimum-variance": minimum_variance}


def gaussian_knockoffs(
    X: np.ndarray, distances: str = "minimum-variance", random_state: Any = None
) -> np.ndarray:
    r"""Draw model-X knockoffs of second order, as if the rows were Gaussian.

    .. math:: \tilde X = X - (X - \mu) \Sigma^{-1} S + E, \qquad E \sim N(0,\; 2S - S \Sigma^{-1} S)

    The covariance is that of Ledoit and Wolf on standardised columns. A constant column is its own
    copy.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)
        Rows, treated as draws from one Gaussian distribution.
    distances : {"minimum-variance", "equicorrelated"}
        How the diagonal of S is chosen.
    random_state : int, Generator or None
        Seed of the noise E.

    References
    ----------
    .. [1] Candès, Fan, Janson and Lv, *Panning for gold: model-X knockoffs*, JRSS B 80, 2018,
       section 3.4.2.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((500, 2))
    >>> copies = gaussian_knockoffs(X, random_state=0)
    >>> bool(np.abs(np.corrcoef(np.hstack((X, copies)), rowvar=False) - np.eye(4)).max() < 0.15)
    True
    """
    # a spawned stream: X may have been drawn from the stream of the same seed
    rng = np.random.default_rng(random_state).spawn(1)[0]
    mean, spread = X.mean(axis=0), X.std(axis=0)
    varied = spread > 1e-12 * np.abs(mean)
    Z = (X[:, varied] - mean[varied]) / spread[varied]
    shift, root = conditional_law(LedoitWolf(assume_centered=True).fit(Z).covariance_, distances)
    copies = X.astype(float)
    copies[:, varied] = mean[varied] + spread[varied] * (
        Z @ shift + rng.standard_normal(Z.shape) @ root
    )
    return copies


def conditional_law(covariance: np.ndarray, distances: str) -> tuple[np.ndarray, np.ndarray]:
    """Compute the law of a row's copy given the row, for covariance Sigma of shape (p, p).

    Returns
    -------
    shift : ndarray of shape (p, p)
        I - Sigma^-1 S; a row times `shift` is the mean of its copy.
    root : ndarray of shape (p, p)
        root' root = 2 S - S Sigma^-1 S, the covariance of the copy around its mean.
    """
    # The pair (row, copy) has covariance [[Sigma, Sigma - S], [Sigma - S, Sigma]]. Conditioning on
    # the row gives the Schur complement Sigma - (Sigma - S) Sigma^-1 (Sigma - S)
    # = 2 S - S Sigma^-1 S (Candes, Fan, Janson and Lv 2018, section 3).
    scale = np.sqrt(np.diag(covariance))
    S = np.diag(DISTANCES[distances](covariance / np.outer(scale, scale)) * scale**2)
    along = np.linalg.solve(covariance, S)
    values, vectors = eigh(2 * S - S @ along)
    return np.eye(len(S)) - along, np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


def fixed_knockoffs(
    X: np.ndarray, distances: str = "minimum-variance", random_state: Any = None
) -> np.ndarray:
    r"""Make fixed-X knockoffs: copies with the same products as the columns [1]_.

    .. math:: \tilde X = X (I - \Sigma^{-1} S) + U C, \qquad C^T C = 2S - S \Sigma^{-1} S

    The columns of U are orthonormal, and orthogonal to X and to a constant column. Hence
    :math:`\tilde X^T \tilde X = \Sigma` and :math:`X^T \tilde X = \Sigma - S`.

    Parameters
    ----------
    X : ndarray of shape (rows, columns)
        Centred, linearly independent columns of unit length; more than twice as many rows as
        columns.
    distances : {"minimum-variance", "equicorrelated"}
        How the diagonal of S is chosen.
    random_state : int, Generator or None
        Seed of the directions U.

    Returns
    -------
    ndarray of shape (rows, columns)
        The copies, also centred and of unit length.

    References
    ----------
    .. [1] Barber and Candès, *Controlling the false discovery rate via knockoffs*, Annals of
       Statistics 43, 2015.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((20, 3))
    >>> X = (X - X.mean(axis=0)) / (X.std(axis=0) * np.sqrt(20))
    >>> copies = fixed_knockoffs(X, random_state=0)
    >>> bool(np.allclose(copies.T @ copies, X.T @ X))
    True
    """
    n, p = X.shape
    if n < 2 * p + 1:
        raise ValueError(
            f"fixed-X knockoffs need more than twice as many rows as columns, got {n} and {p}."
        )
    gram = X.T @ X
    if eigh(gram, eigvals_only=True, subset_by_index=[0, 0])[0] < 1e-10:
        raise ValueError("fixed-X knockoffs need linearly independent columns, got dependent ones.")
    shift, root = conditional_law(gram, distances)
    noise = np.random.default_rng(random_state).spawn(1)[0].standard_normal((n, p))
    basis, _ = np.linalg.qr(np.column_stack((np.ones(n), X, noise)))
    return X @ shift + basis[:, p + 1 :] @ root
