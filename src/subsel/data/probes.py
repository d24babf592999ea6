"""Probes: columns made to look like the others and to know nothing of the target."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.storage import dense

__all__ = ["gaussian_probes", "permuted_probes", "replace_by_probes", "with_probes", "zipf_probes"]


def gaussian_probes(n_samples: int, n_probes: int, random_state: Any = None) -> np.ndarray:
    """Draw independent standard normal columns, as in Madelon [1]_.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       probes.

    Examples
    --------
    >>> gaussian_probes(5, 2, random_state=0).shape
    (5, 2)
    """
    return np.random.default_rng(random_state).standard_normal((n_samples, n_probes))


def permuted_probes(X: Any, n_probes: int | None = None, random_state: Any = None) -> Any:
    """Copy columns and shuffle each on its own: the values stay, every relation goes [1]_.

    Without ``n_probes`` every column is copied once, in order. Otherwise the columns are drawn, each as often
    as any other up to one. A sparse X gives sparse probes with as many entries per column as their originals.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       probes.

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> np.sort(permuted_probes(X, random_state=0), axis=0)
    array([[0., 1.], [2., 3.], [4., 5.]])
    """
    rng = np.random.default_rng(random_state)
    chosen = probe_origins(X.shape[1], n_probes, rng)
    if sparse.issparse(X):
        return _permuted_sparse(sparse.csc_array(X)[:, chosen], rng)
    return rng.permuted(np.asarray(X)[:, chosen], axis=0)


def replace_by_probes(X: Any, columns: Any, random_state: Any = None) -> Any:
    """Shuffle the given columns where they stand, each on its own, in a copy of X [1]_.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       probes.

    Examples
    --------
    >>> X = replace_by_probes(np.arange(6.0).reshape(3, 2), [1], random_state=0)
    >>> X[:, 0], np.sort(X[:, 1])
    (array([0., 2., 4.]), array([1., 3., 5.]))
    """
    columns = np.asarray(columns)
    if not sparse.issparse(X):
        X = np.array(X)
        X[:, columns] = np.random.default_rng(random_state).permuted(X[:, columns], axis=0)
        return X
    X = sparse.csc_array(X)
    shuffled = _permuted_sparse(X[:, columns], np.random.default_rng(random_state))
    place = np.arange(X.shape[1])
    place[columns] = X.shape[1] + np.arange(len(columns))
    return sparse.hstack((X, shuffled), format="csc")[:, place]


def zipf_probes(
    X: Any,
    n_probes: int,
    exponent: float = 0.9,
    density: float | None = None,
    random_state: Any = None,
) -> sparse.csc_array:
    r"""Draw sparse columns whose non-zero frequencies follow Zipf's law, as in Dexter [1]_.

    The k-th probe has an entry in a row with probability :math:`\min(1, c\,k^{-a})`, c such that the mean is
    ``density``: by default the share of non-zeros in X. Values come from the pooled non-zeros of X (the book
    does not print their law).

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*, 2006, appendix B,
       DEXTER; probes.

    Examples
    --------
    >>> probes = zipf_probes(np.ones((50, 2)), 4, density=0.2, random_state=0)
    >>> probes.shape, np.unique(probes.data)
    ((50, 4), array([1.]))
    """
    rng = np.random.default_rng(random_state)
    if sparse.issparse(X):
        values = X.data
    else:
        values = np.asarray(X)[np.nonzero(X)]
    values = values[values != 0]
    if density is None:
        density = len(values) / (X.shape[0] * X.shape[1])
    frequencies = _zipf(n_probes, exponent, density)
    rows = [np.flatnonzero(rng.random(X.shape[0]) < frequency) for frequency in frequencies]
    indptr = np.concatenate(([0], np.cumsum([len(r) for r in rows])))
    data = values[:0]
    if indptr[-1]:
        data = rng.choice(values, size=indptr[-1])
    return sparse.csc_array((data, np.concatenate(rows), indptr), shape=(X.shape[0], n_probes))


def with_probes(X: Any, probes: Any, random_state: Any = None) -> tuple[Any, np.ndarray]:
    """Put the probes beside X, shuffle the columns, and give for each its origin.

    The origin is the number of the column in X, or -1 for a probe. Sparse when X is.

    Examples
    --------
    >>> X, origin = with_probes(np.ones((2, 2)), np.zeros((2, 1)), random_state=0)
    >>> X[0].tolist(), origin.tolist()
    ([0.0, 1.0, 1.0], [-1, 0, 1])
    """
    origin = np.concatenate((np.arange(X.shape[1]), np.full(probes.shape[1], -1)))
    order = np.random.default_rng(random_state).permutation(len(origin))
    if sparse.issparse(X):
        both = sparse.hstack((X, sparse.csc_array(probes)), format="csc")
    else:
        both = np.hstack((X, dense(probes)))
    return both[:, order], origin[order]


def probe_origins(n_features: int, n_probes: int | None, rng: np.random.Generator) -> np.ndarray:
    """The columns that probes are copies of: each once, in order, or as many as asked for, drawn evenly."""
    if n_probes is None:
        return np.arange(n_features)
    rounds = -(-n_probes // n_features)
    return np.concatenate([rng.permutation(n_features) for _ in range(rounds)])[:n_probes]


def _permuted_sparse(X: sparse.csc_array, rng: np.random.Generator) -> sparse.csc_array:
    rows = [
        rng.choice(X.shape[0], size=size, replace=False, shuffle=True) for size in np.diff(X.indptr)
    ]
    indices = X.indices
    if rows:
        indices = np.concatenate(rows).astype(indices.dtype)
    shuffled = sparse.csc_array((X.data.copy(), indices, X.indptr.copy()), shape=X.shape)
    shuffled.sort_indices()
    return shuffled


def _zipf(n: int, exponent: float, mean: float) -> np.ndarray:
    """Frequencies ``min(1, c k^-a)`` with the wanted mean, c by bisection."""
    if not 0 < mean < 1:
        raise ValueError(f"density must lie strictly between 0 and 1, got {mean}.")
    law = np.arange(1, n + 1) ** -exponent
    low, high = 0.0, 1 / law[-1]
    for _ in range(100):
        middle = (low + high) / 2
        if np.minimum(1, middle * law).mean() < mean:
            low = middle
        else:
            high = middle
    return np.minimum(1, low * law)
