"""Correlation-based feature selection: the merit of a group, and a best-first search for it."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.orders.associations import associations
from subsel.ranking.registry import order

__all__ = ["cfs", "cfs_pearson", "merit"]


def merit(with_class: float, among: float, size: int) -> float:
    r"""Give the merit of a group from its mean associations [1]_.

    .. math:: \frac{k\,\bar r_{cf}}{\sqrt{k + k(k-1)\,\bar r_{ff}}}

    With signed correlations this is the correlation of the sum of the standardised features with
    the target. The book prints :math:`(k-1)` for :math:`k(k-1)`.

    Parameters
    ----------
    with_class : float
        The mean association of the features with the class.
    among : float
        The mean association of the features with each other.
    size : int
        The number k of features.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation of groups of features.

    Examples
    --------
    >>> merit(0.5, 0.0, 4)
    1.0
    """
    return float(size * with_class / np.sqrt(size + size * (size - 1) * among))


@order("cfs", sparse=True, weights=True, missing=True)
def cfs(
    X: Any,
    y: Any,
    n_features: int | None = None,
    *,
    association: str = "uncertainty",
    patience: int = 5,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    """Find the group of largest merit by best-first search (CFS) [1]_ [2]_.

    The :func:`merit` of a group is large if its features are associated with the target and not
    with each other. The search expands the best group not yet expanded by every single feature, and
    ends after ``patience`` expansions in a row without improvement. The order holds the best group
    as it grew; the scores are the merits of its beginnings. Associations are computed only with
    features of expanded groups.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The largest size of a group; the number of columns by default.
    association : {"uncertainty", "relief-x", "mdl", "pearson"}
        Symmetrical uncertainty of categories and classes, symmetrised ReliefX or description length
        of the same (Hall's other two), or the absolute correlation of numbers, the target's too.
    patience : int
        The number of expansions in a row without improvement that ends the search.

    References
    ----------
    .. [1] M. A. Hall, "Correlation-based feature selection for discrete and numeric class machine
       learning", *ICML*, 2000.
    .. [2] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation of groups of features.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> cfs(X, [0, 1, 1, 1]).features
    array([0, 2])
    """
    with_target, with_column = associations(X, y, association, discretiser, sample_weight)
    return _best_first(
        with_target, with_column, path_length(n_features, len(with_target)), patience
    )


@order("cfs_pearson", multiclass=False, regression=True, sparse=True)
def cfs_pearson(X: Any, y: Any, n_features: int | None = None, patience: int = 5) -> FeatureOrder:
    """Find a group as :func:`cfs` does, by absolute correlations [1]_.

    It is for a numeric target or two classes.

    Parameters
    ----------
    X, y : array-like
        The table and the target.
    n_features, patience : int
        As in :func:`cfs`.

    References
    ----------
    .. [1] W. Duch, "Filter Methods", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3,
       correlation of groups of features.

    Examples
    --------
    >>> X = np.array([[0.0, 0, 0], [1, 1, 0], [2, 2, 3], [3, 3, 1]])
    >>> cfs_pearson(X, [0.0, 1.0, 2.0, 3.0]).features
    array([0])
    """
    return cfs(X, y, n_features, association="pearson", patience=patience)


class _Group:
    """A group of features, and once it is expanded, the merits of the groups one feature larger.

    Parameters
    ----------
    features : tuple of int
        The columns, in the order in which they were added.
    with_class : float
        The sum of their associations with the class.
    among : float
        The sum of the associations of all pairs of them.
    scores : ndarray
        The merit of each beginning of `features`.
    """

    def __init__(
        self, features: tuple[int, ...], with_class: float, among: float, scores: np.ndarray
    ) -> None:
        self.features = features
        self.with_class = with_class
        self.among = among
        self.scores = scores
        # Set by `expand`, of shape (n_columns,) but for the last:
        self.shared = np.empty(0)  # the sum of each column's associations with the features
        self.merits = np.empty(0)  # the merit with each further column
        self.ranked = np.empty(0, dtype=np.intp)  # the further columns, the best first

    def expand(self, with_class: np.ndarray, shared: np.ndarray) -> None:
        """Compute the merit of the group with each further feature; sets the last three fields.

        `with_class` and `shared`, of shape (n_columns,), are the associations of each column with
        the class, and the sums of those with the features of the group.
        """
        # The merit in sums: k r_cf is the sum over features, and k + k (k - 1) r_ff is k plus twice
        # the sum over pairs, so that one more feature adds one term to each (derived from the
        # formula of `merit`). Rounding to 12 decimals lets equal merits tie: the lower column wins.
        size = len(self.features) + 1
        self.shared = shared
        self.merits = (self.with_class + with_class) / np.sqrt(size + 2 * (self.among + shared))
        self.merits[list(self.features)] = -np.inf
        self.merits = np.round(self.merits, 12)
        self.ranked = np.argsort(-self.merits, kind="stable")[
            : len(with_class) - len(self.features)
        ]

    def child(self, rank: int, with_class: np.ndarray) -> _Group:
        """Give the group with its rank-th best further feature."""
        j = int(self.ranked[rank])
        return _Group(
            (*self.features, j),
            self.with_class + with_class[j],
            self.among + self.shared[j],
            np.append(self.scores, self.merits[j]),
        )


def _best_first(
    with_class: np.ndarray, row: Callable[[int], np.ndarray], n_features: int, patience: int
) -> FeatureOrder:
    """Find the best group by best-first search.

    Parameters
    ----------
    with_class : ndarray of shape (n_columns,)
        The associations with the class.
    row : callable
        ``row(j)`` gives the associations of all columns with column j.
    n_features : int
        The largest size of a group.
    patience : int
        The number of expansions in a row without improvement that ends the search.
    """
    rows: dict[int, np.ndarray] = {}
    best = _Group((), 0.0, 0.0, np.empty(0))
    group: _Group | None = best
    best_merit, stale = 0.0, 0
    seen: set[frozenset[int]] = set()
    # A heap of expanded groups, each with the negative merit of its best child not yet visited, a
    # number that breaks ties, and the rank of that child.
    waiting: list[tuple[float, int, int, _Group]] = []
    while group is not None and stale < patience:
        rows |= {j: row(j) for j in group.features if j not in rows}
        group.expand(with_class, sum((rows[j] for j in group.features), np.zeros(len(with_class))))
        top = float(group.merits[group.ranked[0]])
        if top > best_merit:
            best, best_merit, stale = group.child(0, with_class), top, 0
        else:
            stale += 1
        if len(group.features) + 1 < n_features:
            heapq.heappush(waiting, (-top, len(seen), 0, group))
        group = _next_group(waiting, seen, with_class)
    return FeatureOrder(np.array(best.features, dtype=np.intp), best.scores)


def _next_group(
    waiting: list[tuple[float, int, int, _Group]], seen: set[frozenset[int]], with_class: np.ndarray
) -> _Group | None:
    """Give the best group not in `seen`, or None; updates `waiting` and `seen` in place."""
    while waiting:
        _, number, rank, parent = heapq.heappop(waiting)
        if rank + 1 < len(parent.ranked):
            next_merit = parent.merits[parent.ranked[rank + 1]]
            heapq.heappush(waiting, (-next_merit, number, rank + 1, parent))
        group = parent.child(rank, with_class)
        key = frozenset(group.features)
        if key not in seen:
            seen.add(key)
            return group
    return None
