"""Principles of induction, such as shortest description, and the Bayes classifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = [
    "BayesClassifier",
    "averaged_prediction",
    "chosen_hypothesis",
    "description_lengths",
    "linear_hypothesis",
]


def chosen_hypothesis(
    log_likelihoods: Any, log_priors: Any = None, principle: Literal["ml", "map", "mdl"] = "map"
) -> int:
    r"""Return the index of the hypothesis that a principle of induction chooses [1]_.

    Maximum likelihood chooses :math:`\arg\max P(D|f)`, maximum a posteriori :math:`\arg\max P(D|f)
    P(f)`, minimum description length the shortest code of hypothesis and data. An optimal code has
    :math:`-\log_2 P` bits, so that the shortest description is the most probable hypothesis; with a
    flat prior both are the most likely one. The first of equal hypotheses is chosen.

    Parameters
    ----------
    log_likelihoods : array of shape (n_hypotheses,)
        The logarithm :math:`\ln P(D|f)` for each hypothesis f and the data D.
    log_priors : array of shape (n_hypotheses,), optional
        The logarithm :math:`\ln P(f)`, up to a constant; flat by default. Maximum likelihood
        ignores it.
    principle : {"ml", "map", "mdl"}
        Maximum likelihood, maximum a posteriori or minimum description length.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 2.

    Examples
    --------
    >>> likely, prior = np.log([0.2, 0.3]), np.log([0.9, 0.1])
    >>> [chosen_hypothesis(likely, prior, principle) for principle in ("ml", "map", "mdl")]
    [1, 0, 0]
    """
    if principle not in ("ml", "map", "mdl"):
        raise ValueError(f"principle must be 'ml', 'map' or 'mdl', got {principle!r}.")
    likely = np.asarray(log_likelihoods, dtype=np.float64)
    prior = np.zeros_like(likely)
    if log_priors is not None:
        prior = np.asarray(log_priors, dtype=np.float64)
    if likely.ndim != 1 or likely.shape != prior.shape or not len(likely):
        raise ValueError(
            "log_likelihoods and log_priors must be lists of the same length, "
            f"got the shapes {likely.shape} and {prior.shape}."
        )
    if principle == "mdl":
        return int(np.argmin(description_lengths(likely, prior).sum(axis=0)))
    if principle == "ml":
        return int(np.argmax(likely))
    return int(np.argmax(likely + prior))


def description_lengths(log_likelihoods: Any, log_priors: Any) -> np.ndarray:
    """Return the optimal code lengths of the data given each hypothesis, and of each hypothesis.

    Both are in bits; the result has shape (2, n_hypotheses).

    >>> description_lengths(np.log([1 / 8, 1 / 2]), np.log([1 / 2, 1 / 16]))
    array([[3., 1.],
           [1., 4.]])
    """
    return -np.array([log_likelihoods, log_priors], dtype=np.float64) / np.log(2)


def averaged_prediction(log_likelihoods: Any, log_priors: Any, predictions: Any) -> np.ndarray:
    """Return the mean of the predictions of hypotheses, weighted by their posterior probabilities.

    The first axis of ``predictions`` runs over the hypotheses.

    >>> averaged_prediction(np.log([0.2, 0.6]), np.log([0.5, 0.5]), [[1.0, 0.0], [0.0, 1.0]])
    array([0.25, 0.75])
    """
    weights = softmax(
        np.asarray(log_likelihoods, dtype=np.float64) + np.asarray(log_priors, dtype=np.float64)
    )
    return np.tensordot(weights, np.asarray(predictions, dtype=np.float64), axes=1)


def linear_hypothesis(X: Any, y: Any, noise: float = 1.0, prior: float | None = None) -> np.ndarray:
    r"""Return the weights of the most probable linear function under Gaussian noise [1]_.

    .. math:: \arg\min_w \frac{\|y - Xw\|^2}{2\sigma^2} + \frac{\|w\|^2}{2\tau^2}

    Without a prior it is the most likely function, that of least squares (the weights of least norm
    if there are several); with a Gaussian prior of variance ``prior`` it is ridge regression with
    the penalty ``noise / prior``. Both terms are description lengths, in nats and up to constants.

    Parameters
    ----------
    X : array of shape (n_rows, n_columns)
        The table; a column of ones supplies an intercept.
    y : array of shape (n_rows,)
        Targets.
    noise : float
        Variance :math:`\sigma^2` of the noise.
    prior : float, optional
        Prior variance :math:`\tau^2` of each weight; infinite by default.

    Returns
    -------
    ndarray of shape (n_columns,)
        The weights.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 2.

    Examples
    --------
    >>> X, y = [[1.0], [1.0]], [1.0, 3.0]
    >>> linear_hypothesis(X, y), linear_hypothesis(X, y, prior=0.5)
    (array([2.]), array([1.]))
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not noise > 0 or (prior is not None and not prior > 0):
        raise ValueError(f"noise and prior must be positive, got {noise} and {prior}.")
    if prior is None:
        return np.linalg.lstsq(X, y)[0]
    return np.linalg.solve(X.T @ X + noise / prior * np.eye(X.shape[1]), X.T @ y)


class BayesClassifier(ClassifierMixin, BaseEstimator):
    r"""The classifier of least error, for known densities of the classes [1]_.

    It predicts the class of largest :math:`P(y) p(x|y)`. On artificial problems its error is the
    lower bound for all learners, and the difference from it is the excess risk of a learner.

    Parameters
    ----------
    densities : sequence of callable
        For each class, in sorted order, a function that returns :math:`\ln p(x|y)` for each row of
        a table.
    priors : sequence of float, optional
        The probabilities :math:`P(y)`, up to a factor; by default the shares of the training rows.

    Attributes
    ----------
    priors_ : ndarray of shape (n_classes,)
        The probabilities :math:`P(y)`.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Jankowski and Grabczewski, *Learning machines*, in Guyon, Gunn, Nikravesh and Zadeh
       (eds.), *Feature Extraction*, 2006, chapter 1, section 2.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> low, high = lambda X: norm(-1).logpdf(X[:, 0]), lambda X: norm(1).logpdf(X[:, 0])
    >>> floor = BayesClassifier([low, high]).fit([[0.0], [0.0]], [0, 1])
    >>> floor.predict([[-0.1], [0.1]]), floor.predict_proba([[0.0]])
    (array([0, 1]), array([[0.5, 0.5]]))
    """

    def __init__(
        self,
        densities: Sequence[Callable[[np.ndarray], np.ndarray]],
        priors: Sequence[float] | None = None,
    ) -> None:
        self.densities = densities
        self.priors = priors

    def fit(self, X: Any, y: Any) -> BayesClassifier:
        """Store the classes and their probabilities."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, counts = np.unique(y, return_counts=True)
        priors = np.asarray(counts, dtype=np.float64)
        if self.priors is not None:
            priors = np.asarray(self.priors, dtype=np.float64)
        if not len(self.densities) == len(priors) == len(self.classes_):
            raise ValueError(
                f"densities and priors must have one entry for each of the {len(counts)} classes, "
                f"got {len(self.densities)} and {len(priors)}."
            )
        self.priors_ = priors / priors.sum()
        return self

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return the log probabilities of the classes, of shape (n_rows, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        joint = np.column_stack([density(X) for density in self.densities]) + np.log(self.priors_)
        return joint - logsumexp(joint, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classes, of shape (n_rows, n_classes)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each row."""
        values = self.predict_log_proba(X)
        return self.classes_[values.argmax(axis=1)]

    def error(self, X: Any) -> float:
        """Return an estimate of the Bayes error from rows drawn from the distribution of the data.

        The mean probability of error given the row needs no labels, and has a smaller variance than
        the share of errors.
        """
        return float(np.mean(1 - self.predict_proba(X).max(axis=1)))
