"""Buckets of significant pairs, and clusters of features that share information."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from subsel.data.intervals.codes import CodeTable
from subsel.data.intervals.sparse_codes import SparseCoded, coded_table
from subsel.ranking.feature_order import FeatureOrder, path_length
from subsel.ranking.registry import order

__all__ = ["cmi_buckets", "information_clusters", "information_union"]


@order("cmi_buckets", sparse=True, weights=True, missing=True)
def cmi_buckets(
    X: Any,
    y: Any,
    n_features: int | None = None,
    *,
    n_values: int | None = None,
    bucket_size: int = 4,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    r"""Select features by conditional information from buckets of significant pairs [1]_.

    The significance of a pair is :math:`I(X_i; Y | X_j)`, the dependence of two features
    :math:`I(X_i; X_j | Y)`. Each round fills a bucket with the most significant pairs left, returns
    the half of them whose features i depend most on a feature of the bucket or a selected one, and
    selects the features i of the other half. A feature that several pairs select counts once in the
    order but each time towards `n_values`. Its score is the significance of the first such pair.

    The book does not define the dependence of one member of a bucket; here it is the largest on any
    other feature. All pairs are counted: drop irrelevant features first.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        The largest number of different features; all by default.
    n_values : int, optional
        The number of selections, repetitions included, after which the order ends; half the number
        of columns by default.
    bucket_size : int
        The number of pairs in a bucket, at least 2; the book's entry used 4.

    References
    ----------
    .. [1] S.-K. Lee, S.-J. Yi and B.-T. Zhang, "Combining Information-Based Supervised and
       Unsupervised Feature Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       24, supervised selection; the permutation threshold.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> cmi_buckets(X, [0, 1, 1, 0], n_values=4).features  # exclusive or; the first two are copies
    array([0, 1, 2])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    p = table.n_columns
    length = path_length(n_features, p)
    if bucket_size < 2:
        raise ValueError(f"bucket_size must be at least 2, got {bucket_size}.")
    significance, dependence = _significance_and_dependence(table)
    firsts, seconds = _pairs_by_significance(significance)
    scores: dict[int, float] = {}
    if n_values is None:
        n_values = p // 2
    for pair in islice(_selected_pairs(firsts, dependence, bucket_size), n_values):
        scores.setdefault(int(firsts[pair]), float(significance[firsts[pair], seconds[pair]]))
        if len(scores) == length:
            break
    return FeatureOrder(
        np.fromiter(scores, dtype=np.intp), np.fromiter(scores.values(), dtype=float)
    )


@order("information_clusters", sparse=True, weights=True, missing=True)
def information_clusters(
    X: Any,
    y: Any,
    n_features: int | None = None,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    """Cluster features by shared information and select the most informative of each [1]_.

    The clusters are those of average linkage on the distance :math:`1 / I(X_i; X_j)`, cut into
    ``n_features`` clusters. The distance of pairs that share nothing is twice the largest of the
    others. Features are ordered by their information on the class, which is their score. All pairs
    are counted.

    Parameters
    ----------
    X, y, discretiser, sample_weight : array-like
        As in :func:`cmi_buckets`.
    n_features : int, optional
        The number of clusters; a tenth of the columns by default, as in the book's entry.

    References
    ----------
    .. [1] S.-K. Lee, S.-J. Yi and B.-T. Zhang, "Combining Information-Based Supervised and
       Unsupervised Feature Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       24, unsupervised selection.

    Examples
    --------
    >>> X = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    >>> information_clusters(X, [0, 1, 1, 1], n_features=2).features
    array([0, 2])
    """
    table = coded_table(X, y, discretiser, sample_weight)
    p = table.n_columns
    if n_features is None:
        n_features = max(1, p // 10)
    length = path_length(n_features, p)
    relevance = table.with_class()
    clusters = _clusters(np.stack([table.with_column(j) for j in range(p)]), length)
    ranked = np.lexsort((np.arange(p), -relevance.round(10)))
    _, first = np.unique(clusters[ranked], return_index=True)
    features = ranked[np.sort(first)]
    return FeatureOrder(features, relevance[features])


@order("information_union", sparse=True, weights=True, missing=True)
def information_union(
    X: Any,
    y: Any,
    n_features: int | None = None,
    *,
    n_values: int | None = None,
    n_clusters: int | None = None,
    bucket_size: int = 4,
    discretiser: Any = None,
    sample_weight: Any = None,
) -> FeatureOrder:
    """Select the union of :func:`cmi_buckets` and :func:`information_clusters` [1]_.

    Buckets lose features that depend on each other within the classes though hardly at all overall;
    clusters, which ignore the class, include them. Features are ordered by their information on the
    class, which is their score.

    Parameters
    ----------
    X, y, discretiser, sample_weight : array-like
        As in :func:`cmi_buckets`.
    n_features : int, optional
        The largest number of features; all by default.
    n_values, bucket_size : int
        As in :func:`cmi_buckets`.
    n_clusters : int, optional
        The number of clusters; a tenth of the columns by default.

    References
    ----------
    .. [1] S.-K. Lee, S.-J. Yi and B.-T. Zhang, "Combining Information-Based Supervised and
       Unsupervised Feature Selection", in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       24, the mixed method.

    Examples
    --------
    >>> X = np.array([[0, 0, 0, 1], [0, 0, 1, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    >>> information_union(X, [0, 1, 1, 0], n_values=2, n_clusters=2).features
    array([3, 0, 1])
    """
    options = {"discretiser": discretiser, "sample_weight": sample_weight}
    relevance = coded_table(X, y, **options).with_class()
    length = path_length(n_features, len(relevance))
    parts = (
        cmi_buckets(X, y, n_values=n_values, bucket_size=bucket_size, **options),
        information_clusters(X, y, n_clusters, **options),
    )
    features = np.unique(np.concatenate([part.features for part in parts]))
    features = features[np.lexsort((features, -relevance[features].round(10)))][:length]
    return FeatureOrder(features, relevance[features])


def _clusters(information: np.ndarray, n_clusters: int) -> np.ndarray:
    """Give the cluster of each feature from the information of all pairs, shape (p, p)."""
    if len(information) == 1:
        return np.ones(1, dtype=int)
    shared = squareform(information, checks=False)
    positive = shared > 1e-12
    distance = np.divide(1.0, shared, out=np.full_like(shared, np.nan), where=positive)
    distance[~positive] = 2 * np.max(distance, initial=1.0, where=positive)
    return fcluster(linkage(distance, method="average"), n_clusters, criterion="maxclust")


def _significance_and_dependence(table: CodeTable | SparseCoded) -> tuple[np.ndarray, np.ndarray]:
    """Give I(X_i; Y | X_j) and I(X_i; X_j | Y), both of shape (p, p), i in rows and j in columns.

    The diagonal of the second is zero.
    """
    relevance = table.with_class()
    significance = np.stack([table.conditional(j) for j in range(table.n_columns)], axis=1)
    shared = np.stack([table.with_column(j) for j in range(table.n_columns)], axis=1)
    # I(X_i; Y | X_j) - I(X_i; Y) = I(X_i; X_j | Y) - I(X_i; X_j): both are the chain rule for
    # I(X_i; (X_j, Y)) (Cover and Thomas, Elements of Information Theory, 1991, section 2.5).
    dependence = significance - relevance[:, None] + shared
    np.fill_diagonal(dependence, 0.0)
    return significance, dependence.round(10)


def _selected_pairs(firsts: np.ndarray, dependence: np.ndarray, bucket_size: int) -> Iterator[int]:
    """Yield the numbers of pairs from one bucket after the other, the less dependent half of each.

    Parameters
    ----------
    firsts : ndarray of int, shape (n_pairs,)
        The feature i of each pair, the most significant pair first.
    dependence : ndarray of shape (p, p)
        I(X_i; X_j | Y).
    bucket_size : int
        The number of pairs in a bucket.
    """
    selected: set[int] = set()
    bucket: list[int] = []
    position = 0
    while True:
        end = position + bucket_size - len(bucket)
        # The pairs returned to the bucket are more significant than all that follow.
        bucket += range(position, min(end, len(firsts)))
        position = end
        if len(bucket) <= bucket_size // 2:
            return
        others = np.array(sorted(selected.union(firsts[bucket].tolist())))
        largest = dependence[np.ix_(firsts[bucket], others)].max(axis=1)
        ranked = np.argsort(largest, kind="stable")
        returned = set(ranked[len(bucket) - bucket_size // 2 :].tolist())
        for place, pair in enumerate(bucket):
            if place not in returned:
                selected.add(int(firsts[pair]))
                yield pair
        bucket = [bucket[place] for place in sorted(returned)]


def _pairs_by_significance(significance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give the features i and j of all ordered pairs, the most significant pair first."""
    firsts, seconds = np.nonzero(~np.eye(len(significance), dtype=bool))
    ranked = np.argsort(-significance[firsts, seconds].round(10), kind="stable")
    return firsts[ranked], seconds[ranked]
