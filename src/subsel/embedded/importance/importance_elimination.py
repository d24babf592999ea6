"""Backward elimination by the sensitivity of a model's output."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from subsel.data.columns import ColumnSelector
from subsel.data.task import Task
from subsel.embedded.importance.sensitivity import output_sensitivity
from subsel.embedded.targets import kind_of, strata_of

__all__ = ["ImportanceElimination"]


class ImportanceElimination(ColumnSelector):
    """Backward elimination of the columns to which the output of a model is least sensitive [1]_.

    The model is trained on a part of the rows, with standardised columns, and scored on the others.
    Every round drops the least important columns, and all with an importance below ``threshold``.
    At the end, the smallest set is selected whose score is nearly the best. A model whose ``fit``
    has a parameter ``stopping``, such as :class:`subsel.literature.models.StoppedNetwork`, is
    stopped early by the same rows that score it, as in [1]_.

    Parameters
    ----------
    estimator : estimator, optional
        The model; None stands for a small network, as in [1]_.
    nested : bool, default=False
        Whether to rank the columns once, with the model of all columns, instead of in every round.
    drop : int or float, default=1
        Number of columns dropped in a round, or, below 1, their share of the remaining ones.
    share : float, default=0.95
        Share of the best score that the selected set must reach.
    threshold : float, default=1e-6
        Columns of smaller importance are dropped at once.
    n_values : int, optional
        Number of values that represent a column, see :func:`subsel.embedded.output_sensitivity`.
    held_out : float, default=0.3
        Share of the rows on which the model is scored.
    scoring : str, callable or None
        The score; None stands for that of the model.
    random_state : int, RandomState or None
        Seed of the split and of the model.

    Attributes
    ----------
    path_ : list of ndarray
        The columns of every round; the first has all of them.
    scores_ : list of float
        The score of every round on the held-out rows.
    importances_ : list of ndarray
        The importances of the columns of every round.
    support_ : ndarray of bool
        Mask of the selected columns.

    References
    ----------
    .. [1] Lemaire and Clerot, *An input variable importance definition based on empirical data
       probability distribution*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*,
       2006, chapter 26.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.random.default_rng(0).normal(size=(120, 6))
    >>> found = ImportanceElimination(LogisticRegression(), random_state=0).fit(X, X[:, 2] > 0)
    >>> found.get_support(indices=True)
    array([2])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        nested: bool = False,
        drop: float = 1,
        share: float = 0.95,
        threshold: float = 1e-6,
        n_values: int | None = 20,
        held_out: float = 0.3,
        scoring: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.nested = nested
        self.drop = drop
        self.share = share
        self.threshold = threshold
        self.n_values = n_values
        self.held_out = held_out
        self.scoring = scoring
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ImportanceElimination:
        """Eliminate columns round by round, and choose a set by its score."""
        X, y = self._receive(X, y)
        model = self.estimator
        if model is None:
            model = _network(y)
        task = Task.of(X, y, kind_of(model))
        if not 0 < self.share <= 1:
            raise ValueError(f"share must lie in (0, 1], got {self.share!r}.")
        seed = int(check_random_state(self.random_state).randint(2**31))
        train, test = train_test_split(
            np.arange(task.n_rows),
            test_size=self.held_out,
            random_state=seed,
            stratify=strata_of(task),
        )
        self._walk(_seeded(model, seed), task, train, test)
        best = max(self.scores_)
        enough = best - (1 - self.share) * abs(best)
        chosen = min((len(s), i) for i, s in enumerate(self.path_) if self.scores_[i] >= enough)[1]
        self.support_ = np.isin(np.arange(task.n_columns), self.path_[chosen])
        return self

    def _walk(self, model: Any, task: Task, train: np.ndarray, test: np.ndarray) -> None:
        """Make all rounds, down to one column; sets `path_`, `scores_` and `importances_`."""
        self.path_, self.scores_, self.importances_ = [], [], []
        left, score, values = np.arange(task.n_columns), check_scoring(model, self.scoring), None
        scaler, stops_early = (
            StandardScaler().fit(task.matrix[train]),
            has_fit_parameter(model, "stopping"),
        )
        X_train, X_test = scaler.transform(task.matrix[train]), scaler.transform(task.matrix[test])
        while len(left):
            X, test_rows = X_train[:, left], (X_test[:, left], task.y[test])
            options = {"stopping": test_rows} if stops_early else {}
            fitted = clone(model).fit(X, task.y[train], **options)
            if values is None or not self.nested:
                values = output_sensitivity(fitted, X, self.n_values)
            self.path_.append(left)
            self.importances_.append(values)
            self.scores_.append(float(score(fitted, *test_rows)))
            remaining = self._remaining(values)
            left, values = left[remaining], values[remaining]

    def _remaining(self, values: np.ndarray) -> np.ndarray:
        """Choose the places of the columns of the next round by their importances."""
        n = int(self.drop)
        if self.drop < 1:
            n = int(self.drop * len(values))
        order = np.argsort(values, kind="stable")
        remaining = np.sort(order[max(1, n) :])
        return remaining[values[remaining] >= self.threshold]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def _network(y: Any) -> Any:
    """Build a network of ten tanh units in one hidden layer, with weight decay."""
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    from subsel.data.task import guess_kind

    settings = {"activation": "tanh", "solver": "lbfgs", "alpha": 0.1, "max_iter": 300}
    if guess_kind(np.asarray(y)) == "classification":
        return MLPClassifier(hidden_layer_sizes=10, **settings)
    return MLPRegressor(hidden_layer_sizes=10, **settings)


def _seeded(model: Any, seed: int) -> Any:
    """Set the seed of a model that has none."""
    if model.get_params().get("random_state", 0) is not None:
        return model
    return clone(model).set_params(random_state=seed)
