"""Selection by the posterior relevances of Bayesian models."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from subsel.data.task import Task
from subsel.embedded.importance.importance import with_seed
from subsel.embedded.relevance_selector import RelevanceSelector
from subsel.models.bayes.bayesian_network import BayesianNetworkClassifier
from subsel.models.relevance import fitted, model_relevance

__all__ = ["PosteriorSelector"]


class PosteriorSelector(RelevanceSelector):
    """Keep the inputs that one or several fitted models find most relevant [1]_.

    The re-selection of [1]_ is a pipeline of this selector, with a Bayesian network as model, and
    a second network. With several models, an input is ranked by its best rank in any of them.

    Parameters
    ----------
    estimators : list of estimators or None
        Models with relevances (:func:`subsel.models.relevance.model_relevance`); None stands for
        one :class:`subsel.models.BayesianNetworkClassifier`.
    n_features : int or None
        Number of inputs to keep; None keeps all.
    random_state : int, RandomState or None
        Seed of the models that have no seed of their own.

    Attributes
    ----------
    feature_importances_ : ndarray of shape (n_features,)
        One over the best rank of each input.
    relevances_ : ndarray of shape (n_estimators, n_features)
        The relevances of each model.
    ranking_ : ndarray of int
        All columns, best first.
    support_ : ndarray of bool
        Mask of the selected columns.

    References
    ----------
    .. [1] Neal and Zhang, *High dimensional classification with Bayesian neural networks and
       Dirichlet diffusion trees*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature
       Extraction*, 2006, chapter 10, section 7.

    Examples
    --------
    >>> from subsel.literature.models import BayesianLogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((80, 5))
    >>> model = BayesianLogisticRegression(n_warmup=50, n_draws=50)
    >>> selector = PosteriorSelector([model], n_features=1, random_state=0)
    >>> selector.fit(X, X[:, 3] > 0).get_support(indices=True)
    array([3])
    """

    def __init__(
        self, estimators: Any = None, *, n_features: int | None = None, random_state: Any = None
    ) -> None:
        self.estimators = estimators
        self.n_features = n_features
        self.random_state = random_state

    _kind = "classification"

    def _relevances(self, task: Task) -> np.ndarray:
        Z, rng = StandardScaler().fit_transform(task.matrix), check_random_state(self.random_state)
        models = self.estimators
        if models is None:
            models = [BayesianNetworkClassifier()]
        seeds = rng.randint(2**31 - 1, size=len(models))
        trained = [
            fitted(with_seed(model, int(seed)), Z, task.y) for model, seed in zip(models, seeds)
        ]
        self.relevances_ = np.array([model_relevance(model) for model in trained])
        places = 1 + np.argsort(
            np.argsort(-self.relevances_, axis=1, kind="stable"), axis=1, kind="stable"
        )
        return 1 / places.min(axis=0)
