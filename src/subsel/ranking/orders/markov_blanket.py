"""Markov blankets: features given which the others have no information on the class."""

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
    r"""Grow a Markov blanket by conditional information, then remove superfluous features [1]_.

    Growing selects the feature of largest :math:`I(X_k; Y \mid S)` while the G test of conditional
    independence rejects at level alpha. Shrinking removes, the last selected first, each feature
    that is independent of Y given the others. The order holds the features that remain as they were
    selected; their score is the conditional information at that moment.

    The degrees of freedom of the test are counted over the strata of S that occur. The test needs
    five rows per cell on average: a feature for which the strata have fewer is not selected.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The largest number of features while growing; all by default.
    alpha : float
        The level of the test.

    References
    ----------
    .. [1] K. Torkkola, "Information-Theoretic Methods", in Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, section 6.4.7, Markov blankets (IAMB).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (500, 4))
    >>> X[:, 1] = X[:, 0] ^ (rng.random(500) < 0.1)  # depends on the class through the first only
    >>> iamb(X, X[:, 0] + X[:, 2]).features
    array([2, 0])
    """
    table = coded_table(X, y, discretiser)
    length = path_length(n_features, table.n_columns)
    n_values = np.array([len(np.unique(table.column(k))) for k in range(table.n_columns)])
    free = np.ones(table.n_columns, dtype=bool)
    strata = np.zeros(len(table.classes), dtype=np.int64)
    selected: list[int] = []
    scores: dict[int, float] = {}
    while len(selected) < length:
        information = _conditional(table, strata)
        testable = _testable(table, strata, n_values)
        if not (free & testable).any():
            break
        best = first_best(information, free & testable)
        if not _depends(table, information[best], strata, n_values[best], alpha):
            break
        selected.append(best)
        scores[best] = float(information[best])
        free[best] = False
        strata = _refined(strata, table.column(best))
    for k in selected[::-1]:
        strata = np.zeros(len(table.classes), dtype=np.int64)
        for other in selected:
            if other != k:
                strata = _refined(strata, table.column(other))
        if len(selected) > 1 and not _depends(
            table, _conditional(table, strata)[k], strata, n_values[k], alpha
        ):
            selected.remove(k)
    return FeatureOrder(np.array(selected, dtype=np.intp), np.array([scores[k] for k in selected]))


@order("koller-sahami", sparse=True, missing=True)
def koller_sahami(
    X: Any, y: Any, n_features: int | None = None, blanket_size: int = 2, discretiser: Any = None
) -> FeatureOrder:
    r"""Remove, one after the other, the feature that others make most superfluous [1]_ [2]_.

    The blanket :math:`M_k` of a feature is approximated by the ``blanket_size`` remaining features
    that share most information with it, and the feature of smallest :math:`I(X_k; Y \mid M_k)` is
    removed. The order is reversed: the feature removed last comes first. The score is that
    information; for the last feature, which has no blanket, it is its information on the class. All
    pairs of features are counted.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The length of the order; all by default.
    blanket_size : int
        The number of features in a blanket, from 1 to 5. Contingency tables grow exponentially with
        it, so that 1 to 3 are usual.

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
    left, removed, values = np.ones(p, dtype=bool), np.empty(p, dtype=np.intp), np.empty(p)
    blankets: list[np.ndarray] = [np.empty(0, dtype=np.intp)] * p
    needs = np.full(p, np.inf)  # I(X_k; Y | M_k)
    stale = np.arange(p)  # features whose blanket lost a member: only their information changes
    for step in range(p):
        for k in stale:
            blankets[k] = np.argsort(-np.where(left, shared[k], -np.inf), kind="stable")[
                : min(blanket_size, p - step - 1)
            ]
            strata = np.zeros(len(table.classes), dtype=np.int64)
            for j in blankets[k]:
                strata = _refined(strata, table.column(j))
            needs[k] = _conditional(table, strata, np.array([k]))[0]
        removed[step] = j = first_best(-needs, left)
        values[step] = needs[j]
        left[j] = False
        stale = np.array([k for k in np.flatnonzero(left) if j in blankets[k]], dtype=np.intp)
    return FeatureOrder(removed[::-1][:length], values[::-1][:length])


def _refined(strata: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Divide strata by the values of a column.

    `strata` are the stratum of each row, numbered from 0, `column` the code of its value; so is the
    answer, with only the numbers that occur.
    """
    return np.unique(strata * (int(column.max(initial=0)) + 1) + column, return_inverse=True)[1]


def _conditional(
    table: InformationTable, strata: np.ndarray, which: Any = slice(None)
) -> np.ndarray:
    """Give I(X_k; Y | strata), in nats, of the columns `which`."""
    # The chain rule I(X; Y | S) = I(X; (Y, S)) - I(X; S) (Cover and Thomas, Elements of Information
    # Theory, 1991, section 2.5); the difference may be negative by rounding.
    pairs = strata * table.n_classes + table.classes
    return np.maximum(table.with_codes(pairs, which) - table.with_codes(strata, which), 0.0)


def _depends(
    table: InformationTable, information: float, strata: np.ndarray, n_values: int, alpha: float
) -> bool:
    """Whether the G test rejects that a column and the class are independent given strata.

    `information` is that of :func:`_conditional`, `n_values` the number of values of the column.
    """
    # G = 2 n I, I in nats, follows chi-square when cells are large, with (values - 1)(classes - 1)
    # degrees of freedom per stratum (Agresti, Categorical Data Analysis, 1990, chapter 3).
    freedom = (n_values - 1) * (table.n_classes - 1) * (int(strata.max()) + 1)
    return freedom > 0 and bool(chi2.sf(2 * len(strata) * information, freedom) <= alpha)


def _testable(table: InformationTable, strata: np.ndarray, n_values: np.ndarray) -> np.ndarray:
    """Give, for each column, whether its cells have five rows each on average."""
    return len(strata) >= 5 * n_values * table.n_classes * (int(strata.max()) + 1)
