"""Covariance matrices made invertible: stabilised eigenvalues, then a sum with the identity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = [
    "StabilisedCovariance",
    "admissible_limit",
    "convex_sum",
    "stabilise",
    "stabilised_covariance",
]


def stabilise(values: np.ndarray) -> np.ndarray:
    """Raise the eigenvalues below their mean to the mean: Thomaz's stabilisation.

    >>> stabilise(np.array([0.0, 1.0, 5.0]))
    array([2., 2., 5.])
    """
    return np.maximum(values, values.mean())


def admissible_limit(values: np.ndarray) -> float:
    r"""Give the weight of the identity below which the convex sum improves on the covariance.

    .. math:: 0 < m < \frac{2 [p (1 + \beta) - 2]}{p - \beta}, \qquad \beta = \frac{(\sum l)^2}{\sum
        l^2}

    for the eigenvalues l, an array of shape (p,). It is infinite where all eigenvalues are equal,
    because then the sum changes nothing.

    >>> round(admissible_limit(np.array([2.0, 2.0, 5.0])), 6)
    30.666667
    """
    p, squares = len(values), float(values @ values)
    if not squares > 0:
        return np.inf
    spread = p - float(values.sum()) ** 2 / squares
    if not spread > 1e-12 * p:  # all eigenvalues are equal up to rounding
        return np.inf
    return 2 * (p * (1 + p - spread) - 2) / spread


def convex_sum(values: np.ndarray, n_rows: int, m: float | None = None) -> np.ndarray:
    r"""Shrink the eigenvalues towards their mean: :math:`\frac{n}{n+m} l_i + \frac{m}{n+m} \bar l`.

    ``m``, in rows, must lie below `admissible_limit`; None takes half of that limit.

    >>> convex_sum(np.array([1.0, 3.0]), n_rows=10, m=10.0)
    array([1.5, 2.5])
    """
    limit = admissible_limit(values)
    if m is not None and not 0 < m < limit:
        raise ValueError(f"m must lie between 0 and {limit:g} for this covariance, got {m}.")
    if np.isinf(limit):
        return values.copy()
    if m is None:
        m = limit / 2
    return (n_rows * values + m * values.mean()) / (n_rows + m)


@dataclass(frozen=True, eq=False)
class StabilisedCovariance:
    """A covariance by its eigenvalues (descending) and eigenvectors (columns).

    Parameters
    ----------
    values : ndarray of shape (rank,)
        The eigenvalues, largest first.
    vectors : ndarray of shape (p, rank)
        The eigenvectors, one per column.

    Examples
    --------
    >>> StabilisedCovariance(np.array([4.0, 2.0]), np.eye(2)).solve(np.array([4.0, 4.0]))
    array([1., 2.])
    """

    values: np.ndarray
    vectors: np.ndarray

    def matrix(self) -> np.ndarray:
        """Give the covariance matrix, an array of shape (p, p)."""
        return (self.vectors * self.values) @ self.vectors.T

    def solve(self, b: np.ndarray) -> np.ndarray:
        """Apply the inverse to ``b``.

        The pseudo-inverse is used where the rank is reduced, the identity where all eigenvalues are
        zero.
        """
        if self.values[0] <= 0:
            return b
        scale = np.divide(
            1,
            self.values,
            out=np.zeros_like(self.values),
            where=self.values > 1e-12 * self.values[0],
        )
        return self.vectors @ (scale * (self.vectors.T @ b))


def stabilised_covariance(
    covariance: np.ndarray, n_rows: int, m: float | None = None, rank: int | None = None
) -> StabilisedCovariance:
    r"""Estimate a covariance by stabilisation, a convex sum and, optionally, a lower rank [1]_.

    Both steps change eigenvalues only. Stabilisation raises the trace unless all eigenvalues are
    equal; the convex sum keeps it.

    Parameters
    ----------
    covariance : ndarray of shape (p, p)
        A symmetric matrix, positive semi-definite up to rounding.
    n_rows : int
        The number of rows from which it was estimated.
    m : float or None
        The weight of the identity, in rows; see `convex_sum`.
    rank : int or None
        The number of largest eigenvalues to keep; None keeps all.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, European Journal of Pure and Applied Mathematics 9, 2016, section 2.5,
       and the works by Thomaz, Press and Chen cited there.

    Examples
    --------
    >>> stabilised_covariance(np.diag([0.0, 1.0, 5.0]), n_rows=14, m=7.0).values
    array([4.33333333, 2.33333333, 2.33333333])
    """
    values, vectors = np.linalg.eigh(covariance)
    values = convex_sum(stabilise(np.maximum(values, 0.0)), n_rows, m)
    return StabilisedCovariance(values[::-1][:rank], vectors[:, ::-1][:, :rank])
