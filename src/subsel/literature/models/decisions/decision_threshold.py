"""A classifier whose threshold is moved to where the errors of both classes weigh what they should."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import cross_val_predict
from sklearn.utils import column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from subsel.literature.models.decisions.cut_points import CUT_RULES

__all__ = ["DecisionThreshold"]


def _of_second_class(outputs: np.ndarray) -> np.ndarray:
    if outputs.ndim == 2:
        return outputs[:, 1]
    return outputs


def _can(method: str) -> Any:
    return available_if(lambda model: hasattr(model.estimator, method))


class DecisionThreshold(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Any classifier of two classes, with its threshold chosen by a rule of the literature.

    Parameters
    ----------
    estimator : classifier
        One with ``decision_function`` or ``predict_proba``.
    rule : {"ber", "prior", "mcc", "class-share"}
        The threshold with the least balanced error rate; the share of the second class, for
        probabilities (:math:`P(+|x) > \pi_+`, which is least balanced error where they are right
        [1]_); the one of largest Matthews correlation, and with it chi-square [2]_; or the one
        above which as many rows lie as the second class has [3]_.
    cv : int, splitter or None
        The rule looks at held-out scores of these folds; None: at those of the training rows.

    Attributes
    ----------
    estimator_ : classifier
        Trained on all rows.
    threshold_ : float
        Rows that score more are of the second class.

    Notes
    -----
    scikit-learn's ``TunedThresholdClassifierCV`` tries a grid of thresholds for any scorer and
    takes the mean over folds; here every cut of the pooled held-out scores is tried.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 10.
    .. [2] Boulle, *An enhanced selective naive Bayes method with optimal discretization*, the same,
       chapter 25.
    .. [3] Guyon, Gunn, Ben-Hur and Dror, *Design and analysis of the NIPS 2003 challenge*, the
       same, chapter 9.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [0.4], [0.5], [1.0], [1.1]])
    >>> y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    >>> DecisionThreshold(GaussianNB(), "ber", cv=None).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        estimator: Any,
        rule: Literal["ber", "prior", "mcc", "class-share"] = "ber",
        *,
        cv: Any = 5,
    ) -> None:
        self.estimator = estimator
        self.rule = rule
        self.cv = cv

    def fit(self, X: Any, y: Any) -> DecisionThreshold:
        """Train the classifier and choose its threshold."""
        if self.rule not in (*CUT_RULES, "prior"):
            raise ValueError(
                f"rule must be 'ber', 'prior', 'mcc' or 'class-share', got {self.rule!r}."
            )
        y = column_or_1d(y, warn=True)
        kind = type_of_target(y, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}."
            )
        self.estimator_ = clone(self.estimator).fit(X, y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class only ({self.classes_[0]!r}): there is nothing to tell apart."
            )
        positive = y == self.classes_[1]
        if hasattr(self.estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.estimator_.feature_names_in_
        if hasattr(self.estimator_, "n_features_in_"):
            self.n_features_in_ = self.estimator_.n_features_in_
        if self.rule == "prior":
            self.threshold_ = positive.mean()
        else:
            self.threshold_ = self._cut(X, y, positive)
        return self

    def _cut(self, X: Any, y: Any, positive: np.ndarray) -> float:
        if self.cv is None:
            scores = self._scores(X)
        else:
            scores = _of_second_class(
                cross_val_predict(clone(self.estimator), X, y, cv=self.cv, method=self._method())
            )
        return CUT_RULES[self.rule](scores, positive)

    def _method(self) -> str:
        if self.rule == "prior" or not hasattr(self.estimator, "decision_function"):
            return "predict_proba"
        return "decision_function"

    def _scores(self, X: Any) -> np.ndarray:
        return _of_second_class(getattr(self.estimator_, self._method())(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the second class to rows that score more than the threshold."""
        check_is_fitted(self)
        positive = self._scores(X) - self.threshold_ > 0
        return self.classes_[positive.astype(int)]

    @_can("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the classifier's decision, its threshold taken off where it is one of decisions."""
        check_is_fitted(self)
        values = self.estimator_.decision_function(X)
        if self._method() == "decision_function":
            return values - self.threshold_
        return values

    @_can("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the classifier's own probabilities."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse, tags.input_tags.allow_nan = (
            inner.input_tags.sparse,
            inner.input_tags.allow_nan,
        )
        return tags
