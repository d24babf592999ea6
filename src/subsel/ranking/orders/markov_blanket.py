"""Markov blankets: the features that leave nothing for the others to tell of the class."""

from typing import Any

import numpy as np
from scipy.stats import chi2

from subsel.data.intervals.codes import InformationTable
from subsel.data.intervals.sparse_codes import coded_table
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.greedy import first_best
from subsel.ranking.registry import order

__all__ = ["iamb", "koller_sahami"]


@order("iamb", "markov-blanket", sparse=True, missing=True)
def iamb(
    X: Any, y: Any, n_features: int | None = None, alpha: float = 0.01, discretiser: Any = None
) -> FeatureOrder:
    r"""Grow a Markov blanket by conditional information, then drop what the rest of it makes needless [1]_.

    Grow: take the feature of largest :math:`I(X_k; Y \mid S)` while the G test of conditional
    independence rejects at alpha. Shrink: drop, the last taken first, any feature that is
    independent of Y given the others. The path holds what stays, in the order taken; the score is
    the conditional information when it was taken.

    The test counts degrees of freedom in the strata of S that occur, and supposes five rows a cell:
    where the strata are too thin for a feature, that feature is not taken.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        Grow to at most so many.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, section 6.4.7, Markov blankets (IAMB).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (500, 4))
    >>> X[:, 1] = X[:, 0] ^ (rng.random(500) < 0.1)  # tells of the class through the first only
    >>> iamb(X, X[:, 0] + X[:, 2]).features
    array([2, 0])
    """
    table = coded_table(X, y, discretiser)
    length = path_length(n_features, table.n_columns)
    n_values = np.array([len(np.unique(table.column(k))) for k in range(table.n_columns)])
    free, strata = (
        np.ones(table.n_columns, dtype=bool),
        np.zeros(len(table.classes), dtype=np.int64),
    )
    taken: list[int] = []
    scores: dict[int, float] = {}
    while len(taken) < length:
        information = _given(table, strata)
        testable = _testable(table, strata, n_values)
        if not (free & testable).any():
            break
        best = first_best(information, free & testable)
        if not _depends(table, information[best], strata, n_values[best], alpha):
            break
        taken.append(best)
        scores[best] = float(information[best])
        free[best] = False
        strata = _refined(strata, table.column(best))
    for k in taken[::-1]:
        strata = np.zeros(len(table.classes), dtype=np.int64)
        for other in taken:
            if other != k:
                strata = _refined(strata, table.column(other))
        if len(taken) > 1 and not _depends(
            table, _given(table, strata)[k], strata, n_values[k], alpha
        ):
            taken.remove(k)
    return FeatureOrder(np.array(taken, dtype=np.intp), np.array([scores[k] for k in taken]))


@order("koller-sahami", sparse=True, missing=True)
def koller_sahami(
    X: Any, y: Any, n_features: int | None = None, blanket_size: int = 2, discretiser: Any = None
) -> FeatureOrder:
    r"""Drop again and again the feature that others make most needless [1]_ [2]_.

    Of each feature the ``blanket_size`` others left that share most with it are taken for its
    blanket M, and the feature of smallest :math:`I(X_k; Y \mid M_k)` is dropped. The path is the
    reverse: what was dropped last comes first; the score is that information, for the feature left
    at the end its information on the class. All pairs are counted.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    blanket_size : int
        Tables grow as a power of it: 1 to 3.

    References
    ----------
    .. [1] D. Koller and M. Sahami, "Toward optimal feature selection", *ICML*, 1996.
    .. [2] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, section 6.4.7, Markov blankets.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> koller_sahami(X, [0, 1, 1, 1]).features  # the first two are copies
    array([2, 1, 0])
    """
    table = coded_table(X, y, discretiser)
    p = table.n_columns
    length = path_length(n_features, p)
    if not 1 <= blanket_size <= 5:
        raise ValueError(f"blanket_size must lie in [1, 5], got {blanket_size}.")
    shared = np.stack([table.with_column(j) for j in range(p)]).round(10)
    np.fill_diagonal(shared, -np.inf)
    left, dropped, values = np.ones(p, dtype=bool), np.empty(p, dtype=np.intp), np.empty(p)
    blankets: list[np.ndarray] = [np.empty(0, dtype=np.intp)] * p
    needs = np.full(p, np.inf)
    stale = np.arange(p)
    for step in range(p):
        for k in stale:
            blankets[k] = np.argsort(-np.where(left, shared[k], -np.inf), kind="stable")[
                : min(blanket_size, p - step - 1)
            ]
            strata = np.zeros(len(table.classes), dtype=np.int64)
            for j in blankets[k]:
                strata = _refined(strata, table.column(j))
            needs[k] = _given(table, strata, np.array([k]))[0]
        dropped[step] = gone = first_best(-needs, left)
        values[step] = needs[gone]
        left[gone] = False
        stale = np.array([k for k in np.flatnonzero(left) if gone in blankets[k]], dtype=np.intp)
    return FeatureOrder(dropped[::-1][:length], values[::-1][:length])


def _refined(strata: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Divide strata of rows, numbered from 0, by the values of a column."""
    return np.unique(strata * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]


def _given(table: InformationTable, strata: np.ndarray, which: Any = slice(None)) -> np.ndarray:
    """I(X_k; Y | strata) of the columns."""
    pairs = strata * table.n_classes + table.classes
    return np.maximum(table.with_codes(pairs, which) - table.with_codes(strata, which), 0.0)


def _depends(
    table: InformationTable, information: float, strata: np.ndarray, n_values: int, alpha: float
) -> bool:
    """Whether the G test rejects that a column and the class are independent given strata."""
    freedom = (n_values - 1) * (table.n_classes - 1) * (int(strata.max()) + 1)
    return freedom > 0 and bool(chi2.sf(2 * len(strata) * information, freedom) <= alpha)


def _testable(table: InformationTable, strata: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """Columns for whose cells there are five rows each on average."""
    return len(strata) >= 5 * n_values * table.n_classes * (int(strata.max()) + 1)
