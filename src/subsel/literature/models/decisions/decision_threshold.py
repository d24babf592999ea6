"""A classifier whose decision threshold is chosen by a rule, such as least balanced error."""

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


def _second_class_scores(outputs: np.ndarray) -> np.ndarray:
    """Return the scores of the second class from decisions or from both probabilities."""
    if outputs.ndim == 2:
        return outputs[:, 1]
    return outputs


def _if_estimator_has(method: str) -> Any:
    """Return a decorator for methods that exist if the wrapped classifier has them."""
    return available_if(lambda model: hasattr(model.estimator, method))


class DecisionThreshold(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""A classifier of two classes whose threshold is chosen by a rule of the literature.

    The rules are

    - ``"ber"``: the threshold of least balanced error rate;
    - ``"prior"``: for probabilities, the share of the second class. Predicting it where
      :math:`P(+|x) > \pi_+` has the least balanced error if the probabilities are true [1]_;
    - ``"mcc"``: the threshold of largest Matthews correlation, and thereby chi-square [2]_;
    - ``"class-share"``: the threshold above which there are as many scores as there are rows of the
      second class [3]_.

    Parameters
    ----------
    estimator : classifier
        A classifier with ``decision_function`` or ``predict_proba``.
    rule : {"ber", "prior", "mcc", "class-share"}
        The rule, one of those above.
    cv : int, splitter or None
        Folds whose held-out scores the rule uses; if None, it uses scores of the training rows.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted on all rows.
    threshold_ : float
        Rows with a larger score are of the second class.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    scikit-learn's ``TunedThresholdClassifierCV`` compares a grid of thresholds by any scorer,
    averaged over folds; here all thresholds between the pooled held-out scores are compared.

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
        """Fit the classifier and choose its threshold."""
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
        """Return the threshold by a rule of `CUT_RULES`; ``positive`` marks the second class."""
        if self.cv is None:
            scores = self._scores(X)
        else:
            scores = _second_class_scores(
                cross_val_predict(clone(self.estimator), X, y, cv=self.cv, method=self._method())
            )
        return CUT_RULES[self.rule](scores, positive)

    def _method(self) -> str:
        """Return the name of the method of the classifier whose output is compared."""
        if self.rule == "prior" or not hasattr(self.estimator, "decision_function"):
            return "predict_proba"
        return "decision_function"

    def _scores(self, X: Any) -> np.ndarray:
        """Return the score of each row, larger for the second class."""
        return _second_class_scores(getattr(self.estimator_, self._method())(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the second class for rows whose score exceeds the threshold, else the first."""
        check_is_fitted(self)
        positive = self._scores(X) - self.threshold_ > 0
        return self.classes_[positive.astype(int)]

    @_if_estimator_has("decision_function")
    def decision_function(self, X: Any) -> np.ndarray:
        """Return the decisions of the classifier, less the threshold if that is a decision."""
        check_is_fitted(self)
        values = self.estimator_.decision_function(X)
        if self._method() == "decision_function":
            return values - self.threshold_
        return values

    @_if_estimator_has("predict_proba")
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classifier, which do not depend on the threshold."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags
