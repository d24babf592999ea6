"""Selection by posterior inclusion probabilities of a linear model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from subsel.data.task import Task
from subsel.embedded.relevance_selector import RelevanceSelector
from subsel.embedded.targets import positive_classes
from subsel.models.bayes.subset_chain import Conjugate, visit_subsets

__all__ = ["InclusionSelector"]


class InclusionSelector(RelevanceSelector):
    """Rank the inputs by the posterior probability that a linear model includes them [1]_.

    A Markov chain visits subsets of inputs in proportion to their posterior probability. The model
    is linear regression for a numeric target, probit regression for two classes, and one against
    the rest for more. The share of the visited subsets that contain an input estimates its
    inclusion probability.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to select; None keeps those with a probability of at least one half, and
        at least the best one.
    inclusion : float or None
        Prior probability of each input; None stands for the smaller of one half and 5 over the
        number of inputs.
    n_warmup, n_draws : int
        Number of sweeps of the chain that are discarded, and of those that are used.
    random_state : int, RandomState or None
        Seed of the chain.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        The probability of each input; with several classes, the largest.
    visits_ : list of subsel.models.bayes.subset_chain.Visits
        The subsets visited, for each model.
    ranking_ : ndarray of int
        All columns, best first.
    support_ : ndarray of bool
        Mask of the selected columns.

    Notes
    -----
    With many correlated inputs the chain mixes slowly, and subsets with redundant inputs are
    visited often.

    References
    ----------
    .. [1] Tuv, *Ensemble learning*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 7, section 4; George and McCulloch, *Approaches for Bayesian
       variable selection*, Statistica Sinica 7, 1997.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 6))
    >>> y = X[:, 1] - X[:, 4] + rng.standard_normal(80)
    >>> InclusionSelector(n_draws=100, random_state=0).fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        inclusion: float | None = None,
        n_warmup: int = 100,
        n_draws: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.inclusion = inclusion
        self.n_warmup = n_warmup
        self.n_draws = n_draws
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> InclusionSelector:
        """Run the chains and count the visits."""
        super().fit(X, y)
        if self.n_features is None:
            likely = self.feature_importances_ >= 0.5
            likely[self.ranking_[0]] = True
            self.support_ = likely
        return self

    def _relevances(self, task: Task) -> np.ndarray:
        n, share = task.n_columns, self.inclusion
        if share is not None and not 0 < share < 1:
            raise ValueError(f"inclusion must lie between 0 and 1, got {share!r}.")
        if self.n_draws < 1:
            raise ValueError(f"n_draws must be at least 1, got {self.n_draws!r}.")
        classes = task.kind == "classification"
        Z = StandardScaler().fit_transform(task.matrix)
        if share is None:
            share = min(0.5, 5 / n)
        model = Conjugate(Z, max(len(Z), 2), share, known_noise=classes)
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        self.visits_ = [
            visit_subsets(model, y, self.n_warmup, self.n_draws, rng, classes)
            for y in _targets(task)
        ]
        return np.max([visits.subsets.mean(axis=0) for visits in self.visits_], axis=0)


def _targets(task: Task) -> list[np.ndarray]:
    """Give the target of each model: numbers, or 0 and 1 for each class to separate."""
    if task.kind == "regression":
        return [task.y.astype(np.float64)]
    return [(task.y == label).astype(np.float64) for label in positive_classes(task.classes)]
