"""Kernels of scaled inputs, and how they change with the scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from subsel.models.kernels import squared_distances

__all__ = ["KernelName", "ScaledKernel"]

KernelName = Literal["linear", "poly", "rbf"]
_FAR = 20.0  # an exponent that divided out would leave few digits


@dataclass(frozen=True)
class ScaledKernel:
    r"""A kernel of inputs each multiplied by a scale :math:`\sigma_t`, as a function of :math:`\theta_t = \sigma_t^2`.

    Linear :math:`\sum_t \theta_t x_t z_t`, polynomial
    :math:`(\gamma \sum_t \theta_t x_t z_t + 1)^d`, Gaussian
    :math:`\exp(-\gamma \sum_t \theta_t (x_t - z_t)^2)`.

    Parameters
    ----------
    name : {"linear", "poly", "rbf"}
        Which one.
    gamma : float
        Its width; the linear kernel has none.
    degree : int
        Of the polynomial.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [2.0, 1.0]])
    >>> ScaledKernel("linear")(X, np.array([0.5, 1.0]))
    array([[1., 1.],
           [1., 3.]])
    """

    name: KernelName = "linear"
    gamma: float = 1.0
    degree: int = 2

    def __post_init__(self) -> None:
        if self.name not in ("linear", "poly", "rbf"):
            raise ValueError(f"kernel must be 'linear', 'poly' or 'rbf', got {self.name!r}.")

    def __call__(self, X: np.ndarray, theta: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
        """The kernel of the rows of X with those of Z (of X if None)."""
        root = np.sqrt(theta)
        left, right = X * root, None
        if Z is not None:
            right = Z * root
        if self.name == "rbf":
            return np.exp(-self.gamma * squared_distances(left, right))
        if right is None:
            right = left
        products = left @ right.T
        if self.name == "linear":
            return products
        return (self.gamma * products + 1.0) ** self.degree

    def without(self, X: np.ndarray, theta: np.ndarray, K: np.ndarray, t: int) -> np.ndarray:
        """The kernel of the rows of X without input t, from the kernel K with it where that is cheaper.

        Examples
        --------
        >>> X, theta, kernel = np.array([[0.0, 1.0], [2.0, 1.0]]), np.ones(2), ScaledKernel("rbf")
        >>> kernel.without(X, theta, kernel(X, theta), 0)
        array([[1., 1.],
               [1., 1.]])
        """
        column = X[:, t]
        if self.name == "linear":
            return K - theta[t] * np.outer(column, column)
        apart = self.gamma * theta[t] * (column[:, None] - column) ** 2
        if self.name == "rbf" and apart.max() < _FAR:
            return K * np.exp(apart)
        return self(np.delete(X, t, axis=1), np.delete(theta, t))

    def slopes(self, X: np.ndarray, theta: np.ndarray, weights: np.ndarray) -> np.ndarray:
        r"""Sums :math:`\sum_{kl} M_{kl}\, \partial K_{kl} / \partial \theta_t` over pairs of rows, one for each input t.

        ``weights`` is the symmetric matrix M. One product of matrices serves all inputs.
        """
        if self.name == "linear":
            return np.einsum("kt,kt->t", X, weights @ X)
        if self.name == "poly":
            inner = (self.gamma * ((X * theta) @ X.T) + 1.0) ** (self.degree - 1)
            return self.degree * self.gamma * np.einsum("kt,kt->t", X, (weights * inner) @ X)
        pairs = -self.gamma * weights * self(X, theta)
        return 2.0 * (pairs.sum(axis=1) @ X**2 - np.einsum("kt,kt->t", X, pairs @ X))
