"""Buckets of significant pairs, and clusters of features that tell of each other."""

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
    r"""Take features by conditional information, half of every bucket being put back [1]_.

    The significance of a pair is :math:`I(X_i; Y | X_j)`, the dependence of two features
    :math:`I(X_i; X_j | Y)`. Each round fills a bucket with the most significant pairs left, puts
    the half back whose features depend most on another in the bucket or taken, and gives out the
    rest. Different pairs give out the same feature, which counts once in the path but each time
    among the values. The score is the significance of the pair that brought the feature.

    The book does not define the dependence of one member: here the largest on any other feature.
    All pairs are counted: drop hopeless features first.

    Parameters
    ----------
    X, y : array-like
        For ``discretiser``, ``sample_weight`` and how values become categories see
        :func:`subsel.data.intervals.codes.code_table`.
    n_features : int, optional
        Stop after so many different features.
    n_values : int, optional
        Stop after so many values given out; half the number of columns by default.
    bucket_size : int
        At least 2; the book's entry used 4.

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
    for pair in islice(_given_out(firsts, dependence, bucket_size), n_values):
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
    """Cluster features by how much they tell of each other and take the most informative of each cluster [1]_.

    Average linkage on the distance :math:`1 / I(X_i; X_j)`, cut into ``n_features`` clusters (a
    tenth of the columns by default, as in the book's entry); pairs that share nothing stand twice
    as far apart as the furthest that do. The path is ordered by information on the class, its
    score. All pairs are counted.

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
    """Take the features of :func:`cmi_buckets` and those of :func:`information_clusters`, each once [1]_.

    Buckets lose features that depend on each other within the classes though hardly at all over
    them; clusters, which do not look at the class, bring such back. The path is ordered by
    information on the class, its score.

    Parameters
    ----------
    X, y, discretiser, sample_weight : array-like
        As in :func:`cmi_buckets`.
    n_features : int, optional
        Stop after so many features.
    n_values, bucket_size : int
        Of the buckets.
    n_clusters : int, optional
        Of the clusters; a tenth of the columns by default.

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
    if len(information) == 1:
        return np.ones(1, dtype=int)
    shared = squareform(information, checks=False)
    positive = shared > 1e-12
    distance = np.divide(1.0, shared, out=np.full_like(shared, np.nan), where=positive)
    distance[~positive] = 2 * np.max(distance, initial=1.0, where=positive)
    return fcluster(linkage(distance, method="average"), n_clusters, criterion="maxclust")


def _significance_and_dependence(table: CodeTable | SparseCoded) -> tuple[np.ndarray, np.ndarray]:
    """I(X_i; Y | X_j) and I(X_i; X_j | Y), rows i and columns j; a feature with itself has neither."""
    relevance = table.with_class()
    significance = np.stack([table.conditional(j) for j in range(table.n_columns)], axis=1)
    shared = np.stack([table.with_column(j) for j in range(table.n_columns)], axis=1)
    dependence = (
        significance - relevance[:, None] + shared
    )  # the identity I(i;y|j) - I(i;y) = I(i;j|y) - I(i;j)
    np.fill_diagonal(dependence, 0.0)
    return significance, dependence.round(10)


def _given_out(firsts: np.ndarray, dependence: np.ndarray, bucket_size: int) -> Iterator[int]:
    """Fill bucket after bucket with pairs, the most significant first, and give out the less dependent half of each."""
    taken: set[int] = set()
    bucket: list[int] = []
    position = 0
    while True:
        end = position + bucket_size - len(bucket)
        bucket += range(
            position, min(end, len(firsts))
        )  # those put back are still the most significant
        position = end
        if len(bucket) <= bucket_size // 2:
            return
        others = np.array(sorted(taken.union(firsts[bucket].tolist())))
        most = dependence[np.ix_(firsts[bucket], others)].max(axis=1)
        put_back = set(np.argsort(most, kind="stable")[len(bucket) - bucket_size // 2 :].tolist())
        for place, pair in enumerate(bucket):
            if place not in put_back:
                taken.add(int(firsts[pair]))
                yield pair
        bucket = [bucket[place] for place in sorted(put_back)]


def _pairs_by_significance(significance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    firsts, seconds = np.nonzero(~np.eye(len(significance), dtype=bool))
    ranked = np.argsort(-significance[firsts, seconds].round(10), kind="stable")
    return firsts[ranked], seconds[ranked]
