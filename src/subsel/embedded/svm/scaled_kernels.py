"""Kernels of scaled inputs, and how they change with the scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from subsel.models.kernels import squared_distances

__all__ = ["KernelName", "ScaledKernel"]

KernelName = Literal["linear", "poly", "rbf"]
_MAX_EXPONENT = 20.0  # exp(20) = 5e8 leaves seven digits of a kernel value divided by exp(-20)


@dataclass(frozen=True)
class ScaledKernel:
    r"""A kernel of scaled inputs, as a function of the squared scales :math:`\theta_t`.

    The kernels are linear, :math:`\sum_t \theta_t x_t z_t`, polynomial,
    :math:`(\gamma \sum_t \theta_t x_t z_t + 1)^d`, and Gaussian,
    :math:`\exp(-\gamma \sum_t \theta_t (x_t - z_t)^2)`.

    Parameters
    ----------
    name : {"linear", "poly", "rbf"}
        The kind of kernel.
    gamma : float
        Its width; the linear kernel has none.
    degree : int
        Degree of the polynomial.

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
        """Compute the kernel of the rows of X with those of Z, or with each other if Z is None."""
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
        """Compute the kernel of the rows of X without input t, given the kernel K with it.

        Examples
        --------
        >>> X, theta, kernel = np.array([[0.0, 1.0], [2.0, 1.0]]), np.ones(2), ScaledKernel("rbf")
        >>> kernel.without(X, theta, kernel(X, theta), 0)
        array([[1., 1.],
               [1., 1.]])
        """
        # A linear kernel loses a term, a Gaussian one a factor. The polynomial, and a Gaussian with
        # a factor so small that dividing by it would lose digits, are computed again.
        column = X[:, t]
        if self.name == "linear":
            return K - theta[t] * np.outer(column, column)
        exponents = self.gamma * theta[t] * (column[:, None] - column) ** 2
        if self.name == "rbf" and exponents.max() < _MAX_EXPONENT:
            return K * np.exp(exponents)
        return self(np.delete(X, t, axis=1), np.delete(theta, t))

    def slopes(self, X: np.ndarray, theta: np.ndarray, weights: np.ndarray) -> np.ndarray:
        r"""Compute :math:`\sum_{kl} M_{kl}\, \partial K_{kl} / \partial \theta_t` for each input t.

        Parameters
        ----------
        X : ndarray of shape (rows, inputs)
            The inputs.
        theta : ndarray of shape (inputs,)
            The squared scales.
        weights : ndarray of shape (rows, rows)
            The symmetric matrix M.
        """
        # For the linear kernel the sum is x_t' M x_t, the diagonal of X' M X; for the polynomial
        # the same, with M weighted by the inner derivative. For the Gaussian,
        # sum_kl P_kl (x_kt - x_lt)^2 = 2 (sum_kl P_kl x_kt^2 - x_t' P x_t) with P = -gamma M * K.
        # One matrix product each.
        if self.name == "linear":
            return np.einsum("kt,kt->t", X, weights @ X)
        if self.name == "poly":
            inner = (self.gamma * ((X * theta) @ X.T) + 1.0) ** (self.degree - 1)
            return self.degree * self.gamma * np.einsum("kt,kt->t", X, (weights * inner) @ X)
        pairs = -self.gamma * weights * self(X, theta)
        return 2.0 * (pairs.sum(axis=1) @ X**2 - np.einsum("kt,kt->t", X, pairs @ X))
