"""The information bottleneck: soft clusters of columns that are informative about classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import rel_entr, softmax, xlogy
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

__all__ = ["InformationBottleneck", "bottleneck", "mutual_information"]


class InformationBottleneck(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Sums of columns of counts over clusters that are informative about classes [1]_ [2]_.

    The clusters minimise :math:`I(\text{column}; \text{cluster}) - \beta I(\text{cluster};
    \text{class})`. If columns are words and rows are documents, they are clusters of words.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of columns.
    beta : float
        The weight :math:`\beta` of the information about the class; clusters become hard as it
        grows.
    n_betas : int
        Number of weights, each twice the one before, through which ``beta`` is reached.
    max_iter : int
        Most rounds for each weight.
    random_state : int, RandomState or None
        Seed of the initial clusters.

    Attributes
    ----------
    membership_ : ndarray of shape (n_features, n_clusters)
        The share of each column in each cluster; rows sum to 1.
    objective_ : list of float
        The objective at the start and after each round for the final weight; it does not increase.
    n_iter_ : int
        Number of rounds for the final weight.

    References
    ----------
    .. [1] Tishby, Pereira and Bialek, The information bottleneck method, Allerton Conference, 1999.
    .. [2] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.7.

    Examples
    --------
    >>> counts = np.array([[4, 2, 0, 0], [2, 1, 0, 1], [0, 0, 3, 3]])
    >>> model = InformationBottleneck(2, random_state=0).fit(counts, ["a", "a", "b"])
    >>> model.membership_.round(1)[1:3]
    array([[1., 0.],
           [0., 1.]])
    """

    def __init__(
        self,
        n_clusters: int = 2,
        beta: float = 50.0,
        *,
        n_betas: int = 6,
        max_iter: int = 200,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.beta = beta
        self.n_betas = n_betas
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> InformationBottleneck:
        """Cluster the columns."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_non_negative(X, "InformationBottleneck")
        check_classification_targets(y)
        if self.n_clusters < 1 or not self.beta > 0:
            raise ValueError(
                f"n_clusters and beta must be positive, got {self.n_clusters} and {self.beta}."
            )
        member = np.equal.outer(y, np.unique(y)).astype(float)
        joint = X.T @ member
        if not joint.sum() > 0:
            raise ValueError("X must hold at least one positive count, got only zeros.")
        rng = check_random_state(self.random_state)
        q = rng.dirichlet(np.ones(min(self.n_clusters, len(joint))), size=len(joint))
        for step in range(self.n_betas - 1, -1, -1):
            q, self.objective_ = bottleneck(
                joint / joint.sum(), q, self.beta / 2**step, self.max_iter
            )
        self.membership_, self.n_iter_ = q, len(self.objective_) - 1
        self._n_features_out = q.shape[1]
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the sums of the columns over the clusters, weighted by their shares."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X @ self.membership_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def bottleneck(
    joint: np.ndarray, q: np.ndarray, beta: float, max_iter: int
) -> tuple[np.ndarray, list[float]]:
    """Iterate the self-consistent equations of the bottleneck.

    Parameters
    ----------
    joint : ndarray of shape (n_columns, n_classes)
        Joint probabilities of columns and classes.
    q : ndarray of shape (n_columns, n_clusters)
        Initial shares of the columns in the clusters.
    beta : float
        Weight of the information about the class.
    max_iter : int
        Most rounds.

    Returns
    -------
    tuple of ndarray of shape (n_columns, n_clusters) and list of float
        The final shares, and the objective at the start and after each round.

    Examples
    --------
    >>> joint, start = np.array([[0.5, 0.0], [0.0, 0.5]]), np.array([[0.6, 0.4], [0.4, 0.6]])
    >>> shares, values = bottleneck(joint, start, beta=20.0, max_iter=50)
    >>> shares.round(3).tolist(), values[-1] < values[0]
    ([[1.0, 0.0], [0.0, 1.0]], True)
    """
    # q(t|j) is proportional to q(t) exp(-beta KL(p(y|j) || q(y|t))), with q(t) and q(y|t) from the
    # shares before (Tishby, Pereira and Bialek 1999, theorem 4); no round increases the objective
    p = joint.sum(axis=1)
    class_given_column = _conditional(joint, p, 1 / joint.shape[1])
    values = [objective(joint, q, beta)]
    for _ in range(max_iter):
        share = p @ q
        class_given_cluster = _conditional(q.T @ joint, share, 0.0)
        divergence = rel_entr(class_given_column[:, None], class_given_cluster).sum(axis=2)
        with np.errstate(divide="ignore"):
            q = softmax(np.log(share) - beta * divergence, axis=1)
        values.append(objective(joint, q, beta))
        if values[-2] - values[-1] <= 1e-12 * abs(values[-1]):
            break
    return q, values


def _conditional(joint: np.ndarray, p: np.ndarray, otherwise: float) -> np.ndarray:
    """Return the conditional probabilities given each row; `otherwise` for rows without any.

    ``p`` holds the sums of the rows.
    """
    return np.divide(joint, p[:, None], out=np.full_like(joint, otherwise), where=p[:, None] > 0)


def objective(joint: np.ndarray, q: np.ndarray, beta: float) -> float:
    """Return the information about columns minus beta times that about classes."""
    about_columns = mutual_information(joint.sum(axis=1)[:, None] * q)
    return about_columns - beta * mutual_information(q.T @ joint)


def mutual_information(joint: np.ndarray) -> float:
    """Return the mutual information of a table of probabilities, in nats.

    >>> round(mutual_information(np.eye(2) / 2), 4)
    0.6931
    """
    return float(
        xlogy(joint, joint).sum()
        - sum(xlogy(p, p).sum() for p in (joint.sum(axis=0), joint.sum(axis=1)))
    )
