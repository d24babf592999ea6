"""Backward elimination driven by the sensitivity of the output, or one walk down its ranking."""

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
    """Drop what moves a model's output least, round after round; take the smallest set that is nearly as good as the best.

    The model is trained on a part of the rows with standardised columns and scored on the rest.
    Every round drops the least important columns and all whose importance is under ``threshold``.
    A model whose ``fit`` takes rows ``stopping``, such as
    :class:`subsel.literature.models.StoppedNetwork`, is stopped by the rows that score it, as in
    the chapter.

    Parameters
    ----------
    estimator : estimator, optional
        The model; None is a small network, as in the chapter.
    nested : bool, default=False
        Rank once with the model of all columns and try the nested sets of that ranking, instead of
        ranking anew.
    drop : int or float, default=1
        Columns dropped a round; a share of those left where under 1.
    share : float, default=0.95
        Of the best score that the smallest set must reach.
    threshold : float, default=1e-6
        Importance under which a column is dropped at once.
    n_values : int, optional
        Values that represent a column, as of :func:`subsel.embedded.output_sensitivity`.
    held_out : float, default=0.3
        Share of the rows that score.
    scoring : str, callable or None
        None is the model's own score.
    random_state : int, RandomState or None
        Of the split and of the model.

    Attributes
    ----------
    path_ : list of ndarray
        The columns of every round, all of them first.
    scores_ : list of float
        The score of every round on the rows held out.
    importances_ : list of ndarray
        Of the columns of every round.
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
        """Train, score, drop, and choose."""
        X, y = self._receive(X, y)
        model = self.estimator
        if model is None:
            model = _network(y)
        task = Task.of(X, y, kind_of(model))
        if not 0 < self.share <= 1:
            raise ValueError(f"share must be over 0 and at most 1, got {self.share!r}.")
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
        """All rounds, down to one column."""
        self.path_, self.scores_, self.importances_ = [], [], []
        left, score, values = np.arange(task.n_columns), check_scoring(model, self.scoring), None
        scaler, stopped = (
            StandardScaler().fit(task.matrix[train]),
            has_fit_parameter(model, "stopping"),
        )
        seen, held = scaler.transform(task.matrix[train]), scaler.transform(task.matrix[test])
        while len(left):
            X, other = seen[:, left], (held[:, left], task.y[test])
            options = {"stopping": other} if stopped else {}
            fitted = clone(model).fit(X, task.y[train], **options)
            if values is None or not self.nested:
                values = output_sensitivity(fitted, X, self.n_values)
            self.path_.append(left)
            self.importances_.append(values)
            self.scores_.append(float(score(fitted, *other)))
            stay = self._staying(values)
            left, values = left[stay], values[stay]

    def _staying(self, values: np.ndarray) -> np.ndarray:
        """The columns of the next round, in their order."""
        n = int(self.drop)
        if self.drop < 1:
            n = int(self.drop * len(values))
        order = np.argsort(values, kind="stable")
        stay = np.sort(order[max(1, n) :])
        return stay[values[stay] >= self.threshold]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def _network(y: Any) -> Any:
    """One hidden layer of tanh units, stopped early."""
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    from subsel.data.task import guess_kind

    settings = {"activation": "tanh", "solver": "lbfgs", "alpha": 0.1, "max_iter": 300}
    if guess_kind(np.asarray(y)) == "classification":
        return MLPClassifier(hidden_layer_sizes=10, **settings)
    return MLPRegressor(hidden_layer_sizes=10, **settings)


def _seeded(model: Any, seed: int) -> Any:
    if model.get_params().get("random_state", 0) is not None:
        return model
    return clone(model).set_params(random_state=seed)
