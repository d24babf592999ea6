"""The kernels of the literature by name: one vocabulary for every kernel method.

References
----------
.. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic optimizer*, European
   Journal of Pure and Applied Mathematics 9, 2016, Table 1.
.. [2] Ralaivola, Swamidass, Saigo and Baldi, *Graph kernels for chemical informatics*, Neural Networks 18, 2005.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

__all__ = [
    "KERNELS",
    "Kernel",
    "cauchy",
    "cubic",
    "exponential",
    "find_kernel",
    "gaussian",
    "homogeneous",
    "inverse_multiquadric",
    "laplace",
    "linear",
    "quadratic",
    "squared_distances",
    "tanimoto",
]

Kernel = Callable[..., np.ndarray]
"""A kernel: ``kernel(X, Z=None, **parameters)``, one row per row of X, one column per row of Z (of X if None)."""


def linear(X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    """Inner products.

    >>> linear(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[ 5., 11.],
           [11., 25.]])
    """
    if Z is None:
        Z = X
    return X @ Z.T


def quadratic(X: np.ndarray, Z: np.ndarray | None = None, b: float = 1.0) -> np.ndarray:
    r""":math:`(\langle x, z \rangle + b)^2`.

    >>> quadratic(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """
    return (linear(X, Z) + b) ** 2


def cubic(X: np.ndarray, Z: np.ndarray | None = None, b: float = 1.0) -> np.ndarray:
    r""":math:`(\langle x, z \rangle + b)^3`.

    >>> cubic(np.array([[1.0], [2.0]]))
    array([[  8.,  27.],
           [ 27., 125.]])
    """
    return (linear(X, Z) + b) ** 3


def exponential(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r""":math:`\exp(-\|x - z\| / (2 a^2))`.

    >>> exponential(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    return np.exp(-np.sqrt(squared_distances(X, Z)) / (2 * a**2))


def gaussian(
    X: np.ndarray, Z: np.ndarray | None = None, a: float = 2.0, b: float = 1.0, c: float = 1.0
) -> np.ndarray:
    r""":math:`\exp(-(\|x - z\|^2 / a^b)^c)`.

    >>> gaussian(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """
    return np.exp(-((squared_distances(X, Z) / a**b) ** c))


def homogeneous(
    X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0, b: int = 2
) -> np.ndarray:
    r""":math:`(\langle x, z \rangle / a^2)^b`.

    >>> homogeneous(np.array([[1.0], [2.0]]))
    array([[ 1.,  4.],
           [ 4., 16.]])
    """
    return (linear(X, Z) / a**2) ** b


def laplace(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r""":math:`\exp(-\|x - z\| / a)`.

    >>> laplace(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """
    return np.exp(-np.sqrt(squared_distances(X, Z)) / a)


def cauchy(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r""":math:`1 / (1 + \|x - z\|^2 / a)`.

    >>> cauchy(np.array([[0.0], [2.0]]))
    array([[1. , 0.2],
           [0.2, 1. ]])
    """
    return 1 / (1 + squared_distances(X, Z) / a)


def inverse_multiquadric(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r""":math:`(\|x - z\|^2 + a^2)^{-1/2}`.

    >>> inverse_multiquadric(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.4472],
           [0.4472, 1.    ]])
    """
    return 1 / np.sqrt(squared_distances(X, Z) + a**2)


def tanimoto(X: Any, Z: Any = None) -> np.ndarray:
    r""":math:`\langle x, z \rangle / (\|x\|^2 + \|z\|^2 - \langle x, z \rangle)`, for bits and counts, dense or sparse [2]_.

    Of bits: how many are set in both over how many are set in either; rows without any have nothing in common.

    >>> tanimoto(np.array([[1, 1, 0], [0, 1, 1], [0, 0, 0]]))
    array([[1.        , 0.33333333, 0.        ],
           [0.33333333, 1.        , 0.        ],
           [0.        , 0.        , 0.        ]])
    """
    if Z is None:
        Z = X
    X, Z = (sparse.csr_array(A) if sparse.issparse(A) else np.asarray(A) for A in (X, Z))
    products = X @ Z.T
    if sparse.issparse(products):
        products = products.toarray()
    products = np.asarray(products, dtype=float)
    squares, others = (np.asarray((A * A).sum(axis=1), dtype=float) for A in (X, Z))
    apart = squares[:, None] + others - products
    return np.divide(products, apart, out=np.zeros_like(products), where=apart > 0)


KERNELS: dict[str, Kernel] = {
    "linear": linear,
    "quadratic": quadratic,
    "cubic": cubic,
    "exponential": exponential,
    "gaussian": gaussian,
    "homogeneous": homogeneous,
    "laplace": laplace,
    "cauchy": cauchy,
    "inverse-multiquadric": inverse_multiquadric,
}
"""The nine kernels, in the order of their published codes 1 to 9."""


def find_kernel(kernel: str | Kernel, **parameters: Any) -> Kernel:
    """Give a kernel by its name (or the function itself), with these parameters set.

    >>> find_kernel("cauchy", a=4.0)(np.array([[0.0], [2.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            raise ValueError(
                f"kernel must be one of {', '.join(KERNELS)} or a function, got {kernel!r}."
            )
        kernel = KERNELS[kernel]
    if parameters:
        return partial(kernel, **parameters)
    return kernel


def squared_distances(X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    """Squared Euclidean distances, exactly zero between a row and itself where Z is None.

    Rows are first moved by the mean of X, which changes no distance but keeps digits where the data lie far out.

    >>> squared_distances(np.array([[0.0], [3.0]]), np.array([[1.0]]))
    array([[1.],
           [4.]])
    """
    centre = X.mean(axis=0)
    X = X - centre
    squares = np.einsum("ij,ij->i", X, X)
    other, others = X, squares
    if Z is not None:
        other = Z - centre
        others = np.einsum("ij,ij->i", other, other)
    distances = np.maximum(squares[:, None] + others - 2 * (X @ other.T), 0.0)
    if Z is None:
        np.fill_diagonal(distances, 0.0)
    return distances
