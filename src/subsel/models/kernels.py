"""Kernel functions by name, for every kernel method of the library.

References
----------
.. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven stochastic
   optimizer*, European Journal of Pure and Applied Mathematics 9, 2016, Table 1.
.. [2] Ralaivola, Swamidass, Saigo and Baldi, *Graph kernels for chemical informatics*, Neural
   Networks 18, 2005.
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
"""A kernel, called as ``kernel(X, Z=None, **parameters)``.

It returns an array with one row per row of X and one column per row of Z, or of X where Z is None.
"""


def linear(X: np.ndarray, Z: np.ndarray | None = None) -> np.ndarray:
    r"""Compute the linear kernel :math:`\langle x, z \rangle`.

    >>> linear(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[ 5., 11.],
           [11., 25.]])
    """
    if Z is None:
        Z = X
    return X @ Z.T


def quadratic(X: np.ndarray, Z: np.ndarray | None = None, b: float = 1.0) -> np.ndarray:
    r"""Compute the quadratic kernel :math:`(\langle x, z \rangle + b)^2`.

    >>> quadratic(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """
    return (linear(X, Z) + b) ** 2


def cubic(X: np.ndarray, Z: np.ndarray | None = None, b: float = 1.0) -> np.ndarray:
    r"""Compute the cubic kernel :math:`(\langle x, z \rangle + b)^3`.

    >>> cubic(np.array([[1.0], [2.0]]))
    array([[  8.,  27.],
           [ 27., 125.]])
    """
    return (linear(X, Z) + b) ** 3


def exponential(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r"""Compute the exponential kernel :math:`\exp(-\|x - z\| / (2 a^2))`.

    >>> exponential(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    return np.exp(-np.sqrt(squared_distances(X, Z)) / (2 * a**2))


def gaussian(
    X: np.ndarray, Z: np.ndarray | None = None, a: float = 2.0, b: float = 1.0, c: float = 1.0
) -> np.ndarray:
    r"""Compute the Gaussian kernel :math:`\exp(-(\|x - z\|^2 / a^b)^c)`.

    >>> gaussian(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """
    return np.exp(-((squared_distances(X, Z) / a**b) ** c))


def homogeneous(
    X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0, b: int = 2
) -> np.ndarray:
    r"""Compute the homogeneous kernel :math:`(\langle x, z \rangle / a^2)^b`.

    >>> homogeneous(np.array([[1.0], [2.0]]))
    array([[ 1.,  4.],
           [ 4., 16.]])
    """
    return (linear(X, Z) / a**2) ** b


def laplace(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r"""Compute the Laplace kernel :math:`\exp(-\|x - z\| / a)`.

    >>> laplace(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """
    return np.exp(-np.sqrt(squared_distances(X, Z)) / a)


def cauchy(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r"""Compute the Cauchy kernel :math:`1 / (1 + \|x - z\|^2 / a)`.

    >>> cauchy(np.array([[0.0], [2.0]]))
    array([[1. , 0.2],
           [0.2, 1. ]])
    """
    return 1 / (1 + squared_distances(X, Z) / a)


def inverse_multiquadric(X: np.ndarray, Z: np.ndarray | None = None, a: float = 1.0) -> np.ndarray:
    r"""Compute the inverse multiquadric kernel :math:`(\|x - z\|^2 + a^2)^{-1/2}`.

    >>> inverse_multiquadric(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.4472],
           [0.4472, 1.    ]])
    """
    return 1 / np.sqrt(squared_distances(X, Z) + a**2)


def tanimoto(X: Any, Z: Any = None) -> np.ndarray:
    r"""Compute the Tanimoto similarity of bits or counts, dense or sparse [2]_.

    .. math:: \langle x, z \rangle / (\|x\|^2 + \|z\|^2 - \langle x, z \rangle)

    For bits it is the number set in both rows over the number set in either; where no bit is set in
    either, it is 0.

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
    union = squares[:, None] + others - products
    return np.divide(products, union, out=np.zeros_like(products), where=union > 0)


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
    """Find a kernel by its name, or take the function itself, and set its parameters.

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
    """Compute squared Euclidean distances, exactly zero between a row and itself where Z is None.

    The mean of X is first subtracted from all rows, which changes no distance but preserves digits
    where the data lie far from the origin.

    >>> squared_distances(np.array([[0.0], [3.0]]), np.array([[1.0]]))
    array([[1.],
           [4.]])
    """
    # |x - z|^2 = |x|^2 + |z|^2 - 2 <x, z>: one matrix product in place of all differences. The
    # terms cancel, with an error of the order of eps * |x|^2, which centring makes small; negative
    # rounding is cut off at zero
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
