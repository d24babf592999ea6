"""Voting Gibbs: a majority vote of classifiers drawn from a posterior."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from subsel.literature.models.bayes.bayesian_logistic import BayesianLogisticRegression
from subsel.models.two_classes import BinaryClassifier

__all__ = ["VotingGibbs"]


class VotingGibbs(BinaryClassifier):
    """A majority vote of classifiers drawn from the posterior of a Bayesian model [1]_.

    With one vote it is the Gibbs classifier. With m votes the excess of the error over that of the
    Bayes-optimal vote decreases as 1/m.

    Parameters
    ----------
    estimator : estimator or None
        A Bayesian model with ``sample_decisions(X)``; None is
        :class:`subsel.literature.models.BayesianLogisticRegression`, whose heavy-tailed prior
        resists irrelevant inputs.
    n_votes : int
        Number of draws that vote, chosen at random among the draws of the model. With an even
        number a tie is possible, which is decided for the first class.
    random_state : int, RandomState or None
        Seed of the choice of draws, and of the model if that has none.

    Attributes
    ----------
    estimator_ : estimator
        The fitted model.
    votes_ : ndarray of int
        Indices of the draws that vote.
    feature_importances_ : ndarray of shape (n_features,)
        The importances of the model.
    classes_ : ndarray of shape (2,)
        The class labels.

    Notes
    -----
    ``predict_proba`` gives the shares of votes.

    References
    ----------
    .. [1] Ng and Jordan, *Convergence rates of the voting Gibbs classifier, with application to
       Bayesian feature selection*, ICML 2001; Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh
       and Zadeh (eds.), *Feature Extraction*, 2006, chapter 7, section 4.

    Examples
    --------
    >>> X = np.random.default_rng(0).standard_normal((80, 3))
    >>> y = X[:, 1] > 0
    >>> model = BayesianLogisticRegression(n_warmup=50, n_draws=50)
    >>> VotingGibbs(model, n_votes=11, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    def __init__(
        self, estimator: Any = None, *, n_votes: int = 25, random_state: Any = None
    ) -> None:
        self.estimator = estimator
        self.n_votes = n_votes
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> VotingGibbs:
        """Sample the posterior and choose the draws that vote."""
        if self.n_votes < 1:
            raise ValueError(f"n_votes must be at least 1, got {self.n_votes!r}.")
        X, codes, weights = self._receive(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        model = BayesianLogisticRegression()
        if self.estimator is not None:
            model = clone(self.estimator)
        if model.random_state is None:
            model.set_params(random_state=rng.randint(2**31 - 1))
        self.estimator_ = model.fit(X, codes, weights)
        self.feature_importances_ = self.estimator_.feature_importances_
        n_draws = len(self.estimator_.posterior_.draws)
        self.votes_ = rng.choice(n_draws, size=min(self.n_votes, n_draws), replace=False)
        return self

    def _positive(self, X: np.ndarray) -> np.ndarray:
        """Return the share of votes for the second class."""
        return (self.estimator_.sample_decisions(X)[self.votes_] > 0).mean(axis=0)
