"""Probes: random columns that resemble the features and are independent of the target."""

from typing import Any

import numpy as np
from scipy import sparse

from subsel.data.storage import dense

__all__ = ["gaussian_probes", "permuted_probes", "replace_by_probes", "with_probes", "zipf_probes"]


def gaussian_probes(n_samples: int, n_probes: int, random_state: Any = None) -> np.ndarray:
    """Draw independent standard normal columns, as in Madelon [1]_.

    Parameters
    ----------
    n_samples, n_probes : int
        The shape of the result.
    random_state : int or Generator, optional
        The seed.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, probes.

    Examples
    --------
    >>> gaussian_probes(5, 2, random_state=0).shape
    (5, 2)
    """
    return np.random.default_rng(random_state).standard_normal((n_samples, n_probes))


def permuted_probes(X: Any, n_probes: int | None = None, random_state: Any = None) -> Any:
    """Copy columns and shuffle each independently, which keeps its values and no relation [1]_.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The table.
    n_probes : int, optional
        The number of copies, of columns that are drawn without replacement (again and again where
        there are more probes than columns); by default each column is copied once, in order.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    array or CSC array of shape (n_samples, n_probes)
        The probes; sparse if X is.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, probes.

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
    """Return a copy of X in which some columns are shuffled, each independently [1]_.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The table.
    columns : sequence of int
        The numbers of the columns to shuffle.
    random_state : int or Generator, optional
        The seed.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, probes.

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

    The k-th probe has an entry in a row with probability :math:`\min(1, c\,k^{-a})`, where c is
    such that the mean probability is ``density``. The entries are drawn from all non-zeros of X
    (the source does not state their distribution).

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The table.
    n_probes : int
        The number of probes.
    exponent : float
        The exponent a; Dexter's is 0.9.
    density : float, optional
        The expected share of non-zeros of the probes; by default that of X.
    random_state : int or Generator, optional
        The seed.

    References
    ----------
    .. [1] I. Guyon, "Feature Selection Challenge", in Guyon et al. (eds.), *Feature Extraction*,
       2006, appendix B, DEXTER; probes.

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
    """Append probes to X, and shuffle the columns of the result.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        The table.
    probes : array or sparse matrix of shape (n_samples, n_probes)
        The probes.
    random_state : int or Generator, optional
        The seed.

    Returns
    -------
    X : array or CSC array of shape (n_samples, n_features + n_probes)
        All columns, shuffled; sparse if X is.
    origin : ndarray of int of shape (n_features + n_probes,)
        For each column its number in X, or -1 for a probe.

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
    """Return the numbers of the columns to copy as probes, of shape (n_probes,).

    Each column occurs once, in order, if `n_probes` is None; otherwise columns are drawn so that
    the numbers of copies differ by at most one.
    """
    if n_probes is None:
        return np.arange(n_features)
    rounds = -(-n_probes // n_features)
    return np.concatenate([rng.permutation(n_features) for _ in range(rounds)])[:n_probes]


def _permuted_sparse(X: sparse.csc_array, rng: np.random.Generator) -> sparse.csc_array:
    """Return a copy of X whose entries are in random rows of their columns."""
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
    """Return ``min(1, c k^-a)`` for k = 1 to n, with c such that the mean is `mean`.

    The mean increases with c, so that bisection finds c; 100 halvings exhaust double precision.
    """
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
