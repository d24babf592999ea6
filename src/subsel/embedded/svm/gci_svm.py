"""GCI-SVM: a ranking by the weights of a support vector machine, less correlated columns."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.multiclass import check_classification_targets

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.relevance_selector import check_n_features
from subsel.ranking.cuts.cross_validation import validated_size

__all__ = ["GCISVM", "thin_out"]

BLOCK = 128  # features whose correlations are computed at once; bounds the memory


class GCISVM(ColumnSelector):
    r"""Rank features by the weights of one linear support vector machine, redundant ones last [1]_.

    The columns are standardised, the machine is trained once on all of them and the features are
    sorted by :math:`|w_j|` (for more than two classes by the norm of the weights of all pairs of
    classes). In this order, a feature passes if its absolute correlation with all features that
    passed before is below ``threshold``. The ranking has the features that passed first and then
    the others, both in the order of their weights; the first ``n_features`` are selected.

    Parameters
    ----------
    n_features : int or None
        Number of features to select; None chooses it by cross-validation with the rule of one
        standard error, where every training fold has its own ranking.
    threshold : float
        Absolute correlation from which on a feature is redundant. The paper leaves it open.
    compare : {"all", "last"}
        Whether a feature is compared with all features that passed, as in the paper's list of
        steps, or with the last one only, as in its text.
    C : float
        Price of a row inside the margin.
    cv : int, splitter or iterable
        Folds for ``n_features=None``.

    Attributes
    ----------
    weights_ : ndarray
        The absolute weight of each feature.
    ranking_ : ndarray
        All columns, best first.
    kept_ : ndarray of bool
        Mask of the columns that passed the correlation filter.
    n_features_ : int
        Number of selected columns.
    validation_ : subsel.ranking.cuts.cross_validation.ValidatedSize or None
        How the number was chosen.
    support_ : ndarray of bool
        Mask of the selected columns.

    Notes
    -----
    The p x p matrix of correlations is never formed: features that passed are correlated with the
    remaining ones, a block at a time. The method needs memory for a few standardised copies of the
    table.

    References
    ----------
    .. [1] Song and Rajasekaran, *A greedy correlation-incorporated SVM-based algorithm for gene
       selection*, AINA       Workshops 2007, as described in [2]_.
    .. [2] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*,
       International Journal of Foundations of Computer Science 26, 2015, section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> GCISVM(n_features=3, threshold=0.7).fit(X, y).get_feature_names_out().tolist()
    ['area error', 'worst texture', 'worst concavity']
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        threshold: float = 0.8,
        compare: Literal["all", "last"] = "all",
        C: float = 1.0,
        cv: Any = 5,
    ) -> None:
        self.n_features = n_features
        self.threshold = threshold
        self.compare = compare
        self.C = C
        self.cv = cv

    def fit(self, X: Any, y: Any) -> GCISVM:
        """Train once, rank the features and select the first."""
        if not 0 < self.threshold <= 1:
            raise ValueError(f"threshold must be a correlation in (0, 1], got {self.threshold!r}.")
        if self.compare not in ("all", "last"):
            raise ValueError(f"compare must be 'all' or 'last', got {self.compare!r}.")
        X, y = self._receive(X, y)
        check_classification_targets(y)
        task = Task.of(X, y, "classification")
        check_n_features(self.n_features, task.n_columns)
        self.weights_, self.ranking_, self.kept_ = self._rank(task.matrix, task.y)
        self.validation_, self.n_features_ = None, self.n_features
        if self.n_features is None:
            self.validation_ = validated_size(
                lambda X, y: self._rank(X, y)[1], _machine(self.C), task.matrix, task.y, self.cv
            )
            self.n_features_ = self.validation_.chosen
        self.support_ = np.isin(np.arange(task.n_columns), self.ranking_[: self.n_features_])
        return self

    def _rank(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Compute the weights, the ranking and the mask of the features that pass."""
        machine = _machine(self.C).fit(X, y)
        weights = np.linalg.norm(machine[-1].coef_, axis=0)
        order = np.argsort(-weights, kind="stable")
        passes = thin_out(machine[0].transform(X)[:, order], self.threshold, self.compare)
        kept = np.zeros(len(order), dtype=bool)
        kept[order[passes]] = True
        return weights, np.concatenate([order[passes], order[~passes]]), kept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def thin_out(X: np.ndarray, threshold: float, compare: str = "all") -> np.ndarray:
    """Keep each column whose absolute correlation with those kept before is below a threshold.

    A constant column correlates with nothing. The answer is a mask of the columns.

    >>> thin_out(np.array([[1.0, 1, 0], [2, 2, 1], [3, 3.1, 0]]), 0.9)
    array([ True, False,  True])
    """
    Z = np.ascontiguousarray((X - X.mean(axis=0)).T)
    norms = np.linalg.norm(Z, axis=1, keepdims=True)
    np.divide(Z, norms, out=Z, where=norms > 0)
    if compare == "all":
        return _far_from_all(Z, threshold)
    return _far_from_last(Z, threshold)


def _far_from_all(Z: np.ndarray, threshold: float) -> np.ndarray:
    """Compare with all columns kept before; rows of Z are centred columns of unit length.

    A block is decided by itself; then the remaining columns that it makes redundant are removed.
    """
    kept, left = np.zeros(len(Z), dtype=bool), np.arange(len(Z))
    while len(left):
        block, left = left[:BLOCK], left[BLOCK:]
        near = np.abs(Z[block] @ Z[block].T) >= threshold
        free = np.ones(len(block), dtype=bool)
        for i in range(len(block)):
            if free[i]:
                free[i + 1 :] &= ~near[i, i + 1 :]
        passes = block[free]
        kept[passes] = True
        left = left[(np.abs(Z[left] @ Z[passes].T) < threshold).all(axis=1)]
    return kept


def _far_from_last(Z: np.ndarray, threshold: float) -> np.ndarray:
    """Compare with the last column kept; rows of Z are centred columns of unit length."""
    kept, last = np.zeros(len(Z), dtype=bool), np.zeros(Z.shape[1])
    for j, z in enumerate(Z):
        if abs(z @ last) < threshold:
            kept[j], last = True, z
    return kept


def _machine(C: float) -> Pipeline:
    return make_pipeline(StandardScaler(), SVC(kernel="linear", C=C))
