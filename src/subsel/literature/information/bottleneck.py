"""The information bottleneck: columns put into soft clusters that say what the columns say about the classes."""

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
    r"""Sum columns of counts in clusters that keep what the columns say about the classes [1]_ [2]_.

    With words as columns and documents as rows it makes clusters of words. Minimises
    :math:`I(\text{column}; \text{cluster}) - \beta I(\text{cluster}; \text{class})`.

    Parameters
    ----------
    n_clusters : int
        How many, at most as many as there are columns.
    beta : float
        What a nat about the class is worth; hard clusters as it grows.
    n_betas : int
        The trade-off is approached in so many steps, each twice the one before.
    max_iter : int
        Most rounds for each step.
    random_state : int, RandomState or None
        Seed of the first assignment.

    Attributes
    ----------
    membership_ : array of shape (n_features, n_clusters)
        The share of each column in each cluster; rows sum to 1.
    objective_ : list of floats
        The objective of each round at the final trade-off; it never grows.
    n_iter_ : int
        Rounds at the final trade-off.

    References
    ----------
    .. [1] Tishby, Pereira and Bialek, The information bottleneck method, Allerton Conference, 1999.
    .. [2] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.7.

    Examples
    --------
    >>> counts = np.array([[4, 2, 0, 0], [2, 1, 0, 1], [0, 0, 3, 3]])
    >>> InformationBottleneck(2, random_state=0).fit(counts, ["a", "a", "b"]).membership_.round(1)[1:3]
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
            raise ValueError("X must hold at least one positive count.")
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
        """Sum the columns by their shares in the clusters."""
        check_is_fitted(self)
        return (
            validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
            @ self.membership_
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def bottleneck(
    joint: np.ndarray, q: np.ndarray, beta: float, max_iter: int
) -> tuple[np.ndarray, list[float]]:
    """Iterate the self-consistent equations from shares q; give the shares and the objective of every round.

    >>> joint = np.array([[0.5, 0.0], [0.0, 0.5]])
    >>> shares, values = bottleneck(joint, np.array([[0.6, 0.4], [0.4, 0.6]]), beta=20.0, max_iter=50)
    >>> shares.round(3).tolist(), values[-1] < values[0]
    ([[1.0, 0.0], [0.0, 1.0]], True)
    """
    p = joint.sum(axis=1)
    given = _conditional(joint, p, 1 / joint.shape[1])
    values = [objective(joint, q, beta)]
    for _ in range(max_iter):
        share = p @ q
        divergence = rel_entr(given[:, None], _conditional(q.T @ joint, share, 0.0)).sum(axis=2)
        with np.errstate(divide="ignore"):
            q = softmax(np.log(share) - beta * divergence, axis=1)
        values.append(objective(joint, q, beta))
        if values[-2] - values[-1] <= 1e-12 * abs(values[-1]):
            break
    return q, values


def _conditional(joint: np.ndarray, p: np.ndarray, otherwise: float) -> np.ndarray:
    """The law of the columns given each row, where that has a probability."""
    return np.divide(joint, p[:, None], out=np.full_like(joint, otherwise), where=p[:, None] > 0)


def objective(joint: np.ndarray, q: np.ndarray, beta: float) -> float:
    """Return the information about columns minus beta times that about classes."""
    return mutual_information(joint.sum(axis=1)[:, None] * q) - beta * mutual_information(
        q.T @ joint
    )


def mutual_information(joint: np.ndarray) -> float:
    """Return the mutual information of a table of probabilities, in nats.

    >>> round(mutual_information(np.eye(2) / 2), 4)
    0.6931
    """
    return float(
        xlogy(joint, joint).sum()
        - sum(xlogy(p, p).sum() for p in (joint.sum(axis=0), joint.sum(axis=1)))
    )
