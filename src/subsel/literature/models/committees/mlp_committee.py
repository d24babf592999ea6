"""A committee of multilayer perceptrons from different starts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.runtime.interruption import keep_finished
from subsel.runtime.status_line import StatusLine

__all__ = ["MLPCommittee"]


class MLPCommittee(ClassifierMixin, BaseEstimator):
    """A mean of the probabilities of networks from random starts, without those that failed [1]_.

    Parameters
    ----------
    n_members : int
        Number of networks trained.
    hidden : int
        Number of hidden units of each network, with tanh as activation.
    worst_error : float
        Networks with a larger training error are dropped; if all have, the best one is used.
    alpha : float
        Weight decay.
    max_iter : int
        Most steps of L-BFGS for each network.
    random_state : int, RandomState or None
        Seed of the starts.
    n_jobs : int or None
        Number of networks trained in parallel; the result does not depend on it.
    verbose : int
        If positive, progress is written to standard error.

    Attributes
    ----------
    members_ : list of MLPClassifier
        The networks used; after Ctrl-C, of those completed before.
    training_errors_ : ndarray of shape (n_members,)
        Training errors of all networks.
    feature_importances_ : ndarray of shape (n_features,)
        The norm of the weights of each input, averaged over the members.
    n_iter_ : int
        Largest number of steps of a network.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Saffari Azar Alamdari, *Variable selection using correlation and single variable
       classifier methods: applications*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 14, section 3: 25 networks, trained there by scaled conjugate
       gradients.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MLPCommittee(5, hidden=4, random_state=0).fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_members: int = 25,
        *,
        hidden: int = 5,
        worst_error: float = 0.4,
        alpha: float = 1e-3,
        max_iter: int = 200,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_members = n_members
        self.hidden = hidden
        self.worst_error = worst_error
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> MLPCommittee:
        """Train all networks and choose the members."""
        if self.n_members < 1:
            raise ValueError(f"n_members must be at least 1, got {self.n_members!r}.")
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}): there is nothing to tell apart.")
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_members)
        trained = self._train(X, y, seeds)
        self.training_errors_ = np.array([1 - network.score(X, y) for network in trained])
        limit = max(self.worst_error, self.training_errors_.min())
        self.members_ = [
            net for net, error in zip(trained, self.training_errors_) if error <= limit
        ]
        norms = [np.linalg.norm(net.coefs_[0], axis=1) for net in self.members_]
        self.feature_importances_ = np.mean(norms, axis=0)
        self.n_iter_ = max(1, max(net.n_iter_ for net in trained))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the mean probabilities of the members, of shape (n_rows, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return np.mean([member.predict_proba(X) for member in self.members_], axis=0)

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of largest mean probability for each row."""
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def _train(self, X: np.ndarray, y: np.ndarray, seeds: np.ndarray) -> list[MLPClassifier]:
        """Return all networks, or after Ctrl-C those completed before."""
        trained: list[MLPClassifier] = []
        work = Parallel(n_jobs=self.n_jobs, return_as="generator")

        def progress() -> str:
            return f"{len(trained)} of {self.n_members} networks"

        with StatusLine(progress, shown=self.verbose > 0), keep_finished(trained):
            for network in work(delayed(_fit)(self._network(seed), X, y) for seed in seeds):
                trained.append(network)
        return trained

    def _network(self, seed: int) -> MLPClassifier:
        """Return an unfitted network."""
        return MLPClassifier(
            self.hidden,
            activation="tanh",
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=self.max_iter,
            random_state=int(seed),
        )


def _fit(network: MLPClassifier, X: np.ndarray, y: np.ndarray) -> MLPClassifier:
    """Fit a network and return it; updates `network`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # members need not be at a minimum
        return network.fit(X, y)
