"""A metric that measures how class probabilities change: Fisher information of a model, at rows and on average."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["LearningMetric", "fisher_information"]


class LearningMetric(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Features whose distances measure the change of class probabilities, on average over rows [1]_.

    Near a row the metric is half of :math:`dx' J(x) dx`, the Kullback-Leibler divergence of the
    probabilities (see `fisher_information`). Here its mean over the training rows makes the
    features; for the metric at a row ask the function.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        The model of probabilities; logistic regression if not given.
    step : float
        Of the differences that give gradients, in standard deviations of the column.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    metric_ : array of shape (n_features, n_features)
        The mean of J.
    relevance_ : array
        Its diagonal times the variance of the columns: how much each one changes the probabilities.
    components_ : array of shape (n_components, n_features)
        As many as the metric has directions.

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
        """Fit the model and average its metric."""
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        if not self.step > 0:
            raise ValueError(f"step must be positive, got {self.step}.")
        model = self.estimator
        if model is None:
            model = LogisticRegression(max_iter=1000)
        self.estimator_ = clone(model).fit(X, y)
        spread = X.std(axis=0)
        steps = self.step * np.where(spread > 0, spread, 1.0)
        blocks = np.array_split(
            X, min(len(X), 1 + 2 * X.size * X.shape[1] // 10**6)
        )  # about 8 MB each
        self.metric_ = sum(
            fisher_information(self.estimator_, block, steps).sum(axis=0) for block in blocks
        ) / len(X)
        self.relevance_ = np.diag(self.metric_) * spread**2
        values, vectors = np.linalg.eigh(self.metric_)
        kept = values > 1e-6 * values.max(initial=0.0)
        kept[-1] = True
        self.components_ = (vectors[:, kept] * np.sqrt(np.maximum(values[kept], 0))).T[::-1]
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
    r"""Return :math:`J(x) = \sum_y p(y|x)\, g_y g_y'` with :math:`g_y = \nabla_x \ln p(y|x)` at each row [1]_.

    Gradients are central differences of ``predict_proba``; classes without probability do not
    count.

    Parameters
    ----------
    model : classifier
        Fitted, with ``predict_proba``.
    X : array
        Rows.
    steps : float or array
        Half the width of the differences, for each column.

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
    root = np.divide(slope, np.sqrt(p), out=np.zeros_like(slope), where=p > 0)
    return root @ root.transpose(0, 2, 1)
