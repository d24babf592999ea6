"""Kernels with one relevance per input, and the derivatives of a function of the kernel matrix by their parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["ARD_KERNELS", "GaussianARD", "LinearARD"]


class GaussianARD:
    r"""The kernel :math:`k_0 \exp(-\tfrac12 \sum_l a_l (x_l - x'_l)^2) + k_b`, its parameters as logarithms.

    ``theta`` holds :math:`\ln a_1, \dots, \ln a_n, \ln k_b, \ln k_0`.

    >>> GaussianARD.start(2)
    array([2.30258509, 0.        ])
    >>> theta = np.array([0.0, 0.0, np.log(10), 0.0])
    >>> GaussianARD.matrix(theta, np.zeros((1, 2)), np.ones((1, 2))).round(4)
    array([[10.3679]])
    """

    @staticmethod
    def start(n: int) -> np.ndarray:  # noqa: ARG004
        """Give the parameters besides the relevances to begin with: a broad offset, a unit signal."""
        return np.log([10.0, 1.0])

    @staticmethod
    def matrix(theta: np.ndarray, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Give the kernel between all rows of X and all rows of Z."""
        return _bell(theta, X, Z) + np.exp(theta[-2])

    @staticmethod
    def diagonal(theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Give the kernel of each row with itself."""
        return np.full(len(X), np.exp(theta[-1]) + np.exp(theta[-2]))

    @staticmethod
    def gradient(theta: np.ndarray, X: np.ndarray, slope: np.ndarray) -> np.ndarray:
        r"""Give :math:`\sum_{ij} Q_{ij} \, \partial K_{ij} / \partial \theta` for a symmetric Q, in one product."""
        M = slope * _bell(theta, X, X)
        squares = M.sum(axis=1) @ X**2 - np.einsum("ij,ij->j", X, M @ X)
        return np.concatenate(
            [-np.exp(theta[:-2]) * squares, [np.exp(theta[-2]) * slope.sum(), M.sum()]]
        )


class LinearARD:
    r"""The kernel :math:`\sum_l a_l x_l x'_l + k_b`, its parameters as logarithms.

    ``theta`` holds :math:`\ln a_1, \dots, \ln a_n, \ln k_b`.

    >>> LinearARD.matrix(np.zeros(3), np.ones((1, 2)), np.array([[1.0, 2.0]]))
    array([[4.]])
    """

    @staticmethod
    def start(n: int) -> np.ndarray:  # noqa: ARG004
        """Give the parameter besides the relevances to begin with: a broad offset."""
        return np.log([10.0])

    @staticmethod
    def matrix(theta: np.ndarray, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
        """Give the kernel between all rows of X and all rows of Z."""
        return (X * np.exp(theta[:-1])) @ Z.T + np.exp(theta[-1])

    @staticmethod
    def diagonal(theta: np.ndarray, X: np.ndarray) -> np.ndarray:
        """Give the kernel of each row with itself."""
        return X**2 @ np.exp(theta[:-1]) + np.exp(theta[-1])

    @staticmethod
    def gradient(theta: np.ndarray, X: np.ndarray, slope: np.ndarray) -> np.ndarray:
        r"""Give :math:`\sum_{ij} Q_{ij} \, \partial K_{ij} / \partial \theta` for a symmetric Q, in one product."""
        inputs = np.exp(theta[:-1]) * np.einsum("ij,ij->j", X, slope @ X)
        return np.append(inputs, np.exp(theta[-1]) * slope.sum())


def _bell(theta: np.ndarray, X: np.ndarray, Z: np.ndarray) -> np.ndarray:
    root = np.exp(0.5 * theta[:-2])
    A, B = X * root, Z * root
    distances = (A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2 * A @ B.T
    return np.exp(theta[-1] - 0.5 * np.maximum(distances, 0))


ARD_KERNELS: dict[str, Any] = {"gaussian": GaussianARD, "linear": LinearARD}
