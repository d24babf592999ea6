"""Information between numbers and a target without bins, by nearest neighbours."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import digamma
from sklearn.preprocessing import scale
from sklearn.utils import check_random_state

from subsel.data.statistics.score_input import classes_and_codes, columns, target
from subsel.ranking.registry import score

__all__ = ["neighbour_information", "neighbour_information_regression"]

BLOCK_ENTRIES = 1 << 18  # entries of X that are sorted at once: 2 MB


@score("neighbour-information", "ross", multiclass=True)
def neighbour_information(
    X: Any, y: Any, *, n_neighbors: int = 3, random_state: Any = 0
) -> np.ndarray:
    r"""Score numbers by information shared with the classes, by nearest neighbours [1]_.

    .. math:: I = \psi(n) + \langle \psi(k_i) - \psi(n_{y_i}) - \psi(m_i) \rangle

    in nats, with :math:`m_i` the points nearer to point i than its k-th neighbour of the same class
    (Ross 2014). Classes of a single row are left out; negative estimates become 0. The columns are
    scaled, and noise of relative size 1e-10 separates equal values, as in scikit-learn's
    ``mutual_info_classif``, which gives the same answer for the same seed (except where a class has
    at most 2k + 1 rows, whose distances it rounds).

    Parameters
    ----------
    X, y : array-like
        Numbers and classes.
    n_neighbors : int
        The number k.
    random_state : int, RandomState or None
        The seed of the noise.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, estimators of entropy.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [2.0, 5.0], [3.0, 2.0], [11.0, 6.0], [12.0, 3.0], [13.0, 4.0]])
    >>> neighbour_information(X, [0, 0, 0, 1, 1, 1], n_neighbors=1).round(4)
    array([0.7833, 0.1444])
    """
    from subsel._loops.statistics.neighbour_information import AHEAD, mean_log_of_points_within

    X = columns(X, accept_sparse=False)
    _, codes = classes_and_codes(X, y)
    _check_neighbours(n_neighbors, len(X))
    # In one dimension the nearest neighbours of a point are adjacent in sorted order: a sort and
    # one pass of pointers per column take the place of trees.
    blurred = _blurred(X, check_random_state(random_state))
    sizes = np.bincount(codes)
    rows = np.argsort(codes, kind="stable")
    rows = rows[sizes[codes[rows]] > 1]
    sizes = sizes[sizes > 1]
    if len(sizes) == 0:
        raise ValueError("y must hold a class of at least two rows, got classes of one row each.")
    n, ends = len(rows), np.cumsum(sizes)
    neighbours = np.minimum(n_neighbors, sizes - 1)
    psi = digamma(np.maximum(np.arange(n + 1), 1))
    means = np.empty(X.shape[1])
    for block in column_slices(X.shape):
        by_class = np.ascontiguousarray(blurred[rows, block].T)
        ordered = np.pad(by_class, ((0, 0), (0, AHEAD)), constant_values=np.inf)
        ordered[:, :n].sort(axis=1)
        for begin, end in zip(ends - sizes, ends):
            by_class[:, begin:end].sort(axis=1)
        mean_log_of_points_within(ordered, by_class, ends, neighbours, psi, means[block])
    constant = digamma(n) + np.average(digamma(neighbours) - digamma(sizes), weights=sizes)
    return np.maximum(constant - means, 0.0)


@score("neighbour-information-regression", "kraskov", classification=False, regression=True)
def neighbour_information_regression(
    X: Any, y: Any, *, n_neighbors: int = 3, random_state: Any = 0
) -> np.ndarray:
    r"""Score numbers by information shared with a numeric target, by nearest neighbours [1]_.

    .. math:: I = \psi(n) + \psi(k) - \langle \psi(n_x(i)) + \psi(n_y(i)) \rangle

    in nats, with :math:`n_x, n_y` the points, i included, that are nearer to point i in x, or in y,
    than its k-th neighbour in the larger of the two distances (Kraskov et al. 2004). Scaling, noise
    and answer are those of scikit-learn's ``mutual_info_regression``.

    Parameters
    ----------
    X, y : array-like
        Numbers, and a numeric target.
    n_neighbors : int
        The number k.
    random_state : int, RandomState or None
        The seed of the noise.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, estimators of entropy.

    Examples
    --------
    >>> x = np.linspace(0.0, 1.0, 50)
    >>> neighbour_information_regression(np.column_stack([x, np.tile([0.0, 1.0], 25)]), x).round(2)
    array([2.51, 0.  ])
    """
    from subsel._loops.statistics.neighbour_information import mean_log_of_points_within_both

    X = columns(X, accept_sparse=False)
    y = target(X, y)
    n = len(X)
    _check_neighbours(n_neighbors, n)
    rng = check_random_state(random_state)
    blurred = _blurred(X, rng)
    y = _blurred(y, rng)
    psi = digamma(np.maximum(np.arange(n + 1), 1))
    means, ordered_target = np.empty(X.shape[1]), np.sort(y)
    for block in column_slices(X.shape):
        by_column = np.ascontiguousarray(blurred[:, block].T)
        order = np.argsort(by_column, axis=1)
        ordered = np.take_along_axis(by_column, order, axis=1)
        mean_log_of_points_within_both(
            ordered, y[order], ordered_target, n_neighbors, psi, means[block]
        )
    return np.maximum(digamma(n) + digamma(n_neighbors) - means, 0.0)


def _blurred(values: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Scale to unit variance and separate equal values by tiny noise, as scikit-learn does."""
    values = scale(values.astype(np.float64), with_mean=False, copy=False)
    noise = rng.standard_normal(size=values.shape)
    noise *= 1e-10 * np.maximum(1, np.mean(np.abs(values), axis=0))
    noise += values
    return noise


def _check_neighbours(n_neighbors: int, n: int) -> None:
    """Raise an error unless n_neighbors lies between 1 and the other rows."""
    if not 1 <= n_neighbors < n:
        raise ValueError(f"n_neighbors must lie in [1, {n - 1}], got {n_neighbors}.")


def column_slices(shape: tuple[int, int]) -> Iterator[slice]:
    """Give slices of the columns of a table, each with a bounded number of entries."""
    width = max(1, BLOCK_ENTRIES // shape[0])
    return (slice(begin, min(begin + width, shape[1])) for begin in range(0, shape[1], width))
