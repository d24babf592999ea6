"""Select the inputs whose weights a sparse Bayesian model keeps."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import ARDRegression
from sklearn.preprocessing import StandardScaler

from subsel.data.task import Task
from subsel.embedded.relevance_selector import RelevanceSelector
from subsel.embedded.targets import positive_classes
from subsel.models.bayes.sparse_bayes import ARDClassifier

__all__ = ["SparseBayesianSelector"]


class SparseBayesianSelector(RelevanceSelector):
    """Keep the inputs that automatic relevance determination keeps [1]_.

    The columns are standardised. The model is scikit-learn's ``ARDRegression`` for a numeric
    target, :class:`subsel.models.ARDClassifier` for two classes, and one such classifier for each
    class against the rest for more.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to select, by the size of the weight; None keeps all whose weight is not
        zero, and at least the best one.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The largest absolute weight of each standardised input over the classes.
    ranking_ : ndarray of int
        All columns, best first.
    support_ : ndarray of bool
        Mask of the selected columns.

    References
    ----------
    .. [1] Lal, Chapelle, Weston and Elisseeff, *Embedded methods*, in Guyon, Gunn, Nikravesh and
       Zadeh (eds.), *Feature Extraction*, 2006, chapter 5, section 3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> SparseBayesianSelector(n_features=3).fit(X, y).get_feature_names_out().tolist()
    ['bmi', 'bp', 's5']
    """

    def __init__(self, n_features: int | None = None) -> None:
        self.n_features = n_features

    def _relevances(self, task: Task) -> np.ndarray:
        Z = StandardScaler().fit_transform(task.matrix)
        return np.abs(self._weights(Z, task)).max(axis=0)

    def _weights(self, Z: np.ndarray, task: Task) -> np.ndarray:
        """Compute the weights of shape (models, inputs)."""
        if task.kind == "regression":
            return ARDRegression().fit(Z, task.y).coef_[None]
        labels = positive_classes(task.classes)
        return np.vstack([ARDClassifier().fit(Z, task.y == k).coef_ for k in labels])
