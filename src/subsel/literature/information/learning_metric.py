"""The Fisher information of a classifier as a metric, at single rows and on average."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["LearningMetric", "fisher_information"]


class LearningMetric(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Features whose distances measure the change of class probabilities, averaged over rows [1]_.

    At a row x the metric is :math:`\frac12 dx' J(x) dx`, the Kullback-Leibler divergence of the
    probabilities from those at x + dx. The features here belong to the mean of J over the training
    rows; `fisher_information` returns J at single rows.

    Parameters
    ----------
    estimator : classifier, optional
        A classifier with ``predict_proba``; logistic regression by default.
    step : float
        Step of the finite differences for gradients, in standard deviations of the column.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    metric_ : ndarray of shape (n_features, n_features)
        The mean of J.
    relevance_ : ndarray of shape (n_features,)
        The diagonal of the metric times the variances of the columns, which measures how much each
        column changes the probabilities.
    components_ : ndarray of shape (n_components, n_features)
        The linear map to the features, with as many rows as the rank of the metric.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction: Foundations and
       Applications*, 2006, section 6.6.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> LearningMetric().fit(X, X[:, 1] > 0).relevance_.argmax()
    np.int64(1)
    """

    def __init__(self, estimator: Any = None, step: float = 1e-3) -> None:
        self.estimator = estimator
        self.step = step

    def fit(self, X: Any, y: Any) -> LearningMetric:
        """Fit the classifier and average its metric."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        if not self.step > 0:
            raise ValueError(f"step must be positive, got {self.step}.")
        model = self.estimator
        if model is None:
            model = LogisticRegression(max_iter=1000)
        self.estimator_ = clone(model).fit(X, y)
        spread = X.std(axis=0)
        steps = self.step * np.where(spread > 0, spread, 1.0)
        # a block of rows needs 2 n^2 numbers per row; blocks have about 10^6 numbers, 8 MB
        blocks = np.array_split(X, min(len(X), 1 + 2 * X.size * X.shape[1] // 10**6))
        self.metric_ = sum(
            fisher_information(self.estimator_, block, steps).sum(axis=0) for block in blocks
        ) / len(X)
        self.relevance_ = np.diag(self.metric_) * spread**2
        values, vectors = np.linalg.eigh(self.metric_)
        # with J = V diag(l) V', the squared distance dx' J dx is that of the features l^(1/2) V' x;
        # eigenvalues up to 1e-6 of the largest are errors of the finite differences
        large = values > 1e-6 * values.max(initial=0.0)
        large[-1] = True  # at least one feature
        self.components_ = (vectors[:, large] * np.sqrt(np.maximum(values[large], 0))).T[::-1]
        self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return features whose squared distances are those of the mean metric."""
        check_is_fitted(self)
        return validate_data(self, X, dtype=np.float64, reset=False) @ self.components_.T

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def fisher_information(model: Any, X: np.ndarray, steps: np.ndarray | float = 1e-4) -> np.ndarray:
    r"""Return the Fisher information of the class probabilities at each row [1]_.

    .. math:: J(x) = \sum_y p(y|x)\, g_y g_y', \qquad g_y = \nabla_x \ln p(y|x)

    Gradients are central differences of ``predict_proba``; classes of probability 0 are left out.

    Parameters
    ----------
    model : classifier
        A fitted classifier with ``predict_proba``.
    X : ndarray of shape (n_rows, n_features)
        The rows.
    steps : float or ndarray of shape (n_features,)
        Half the width of the differences, for each column.

    Returns
    -------
    ndarray of shape (n_rows, n_features, n_features)
        J at each row.

    References
    ----------
    .. [1] Torkkola, Information-theoretic methods, in *Feature Extraction*, 2006, section 6.6.

    Examples
    --------
    >>> model = LogisticRegression(C=1e-3).fit([[0.0], [1.0]], [0, 1])
    >>> p, w = model.predict_proba([[0.0]])[0, 1], model.coef_[0, 0]
    >>> bool(np.isclose(fisher_information(model, np.array([[0.0]])), p * (1 - p) * w**2).all())
    True
    """
    m, n = X.shape
    moves = np.eye(n) * steps
    around = np.concatenate([X[:, None] + moves, X[:, None] - moves], axis=1).reshape(-1, n)
    change = np.subtract(*np.split(model.predict_proba(around).reshape(m, 2 * n, -1), 2, axis=1))
    slope = change / (2 * np.broadcast_to(steps, (n,)))[:, None]
    p = model.predict_proba(X)[:, None]
    # p g g' = (grad p)(grad p)' / p, the product of grad p / sqrt(p) with itself
    root = np.divide(slope, np.sqrt(p), out=np.zeros_like(slope), where=p > 0)
    return root @ root.transpose(0, 2, 1)
