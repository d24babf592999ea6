"""The models of a cross-validation as a committee, and losses of rows that were held out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from subsel.runtime.interruption import keep_finished
from subsel.runtime.status_line import StatusLine

__all__ = ["FoldCommittee", "RowLosses", "best_less_spread", "out_of_bag_losses", "repeated_losses"]


class FoldCommittee(ClassifierMixin, BaseEstimator):
    """A majority vote of the models of a cross-validation, whose scores estimate its own [1]_.

    Parameters
    ----------
    estimator : estimator, optional
        The model; a decision tree by default. Every step that uses the target must be part of it.
    cv : int or splitter, default=5
        The folds. With two classes, an odd number of folds cannot tie; a tie is decided by the mean
        probability if the members have probabilities, else for the first class.
    scoring : str, callable or None
        Score of the members on their folds; by default the score of the model.
    random_state : int, RandomState or None
        Seed of the folds if ``cv`` is a number, and of the default model.
    competence : int, optional
        If given, the vote of a member is weighted by its share of correct predictions on so many
        nearest rows among those it was not trained on, with one correct and one wrong prediction
        added. By default all votes have the same weight.
    verbose : int
        If positive, progress is written to standard error.

    Attributes
    ----------
    members_ : list of estimator
        One model per fold. After Ctrl-C, those completed before.
    scores_ : ndarray of shape (n_members,)
        Scores of the members on the rows that they were not trained on.
    held_out_ : list
        For each member, if ``competence`` is given, a `NearestNeighbors` of the rows that it was
        not trained on, and whether it was right about each.
    classes_ : ndarray of shape (n_classes,)
        The class labels.

    References
    ----------
    .. [1] Grabczewski and Jankowski, *Mining for complex models comprising feature selection and
       classification*, in Guyon, Gunn, Nikravesh and Zadeh (eds.), *Feature Extraction*, 2006,
       chapter 23.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> committee = FoldCommittee(random_state=0).fit(X, y)
    >>> len(committee.members_), bool(committee.scores_.mean() > 0.9)
    (5, True)
    """

    def __init__(
        self,
        estimator: Any = None,
        cv: Any = 5,
        *,
        scoring: Any = None,
        random_state: Any = None,
        competence: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.competence = competence
        self.verbose = verbose

    def fit(self, X: Any, y: Any) -> FoldCommittee:
        """Train one member for each fold, on all other folds."""
        from sklearn.tree import DecisionTreeClassifier

        X, y = validate_data(self, X, y, accept_sparse="csr")
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({y[0]!r}): there is nothing to tell apart.")
        seed = int(check_random_state(self.random_state).randint(2**31))
        model, folds = self.estimator, self.cv
        if model is None:
            model = DecisionTreeClassifier(random_state=seed)
        if isinstance(folds, int):
            folds = StratifiedKFold(folds, shuffle=True, random_state=seed)
        if self.competence is not None and self.competence < 1:
            raise ValueError(f"competence must be at least 1, got {self.competence!r}.")
        splits, done = list(check_cv(folds, y, classifier=True).split(X, y)), list[Any]()

        def progress() -> str:
            return f"{len(done)} of {len(splits)} folds"

        with StatusLine(progress, shown=self.verbose > 0), keep_finished(done):
            for train, test in splits:
                done.append(self._member(model, X, y, train, test))
        self.members_, scores, self.held_out_ = map(list, zip(*done))
        self.scores_ = np.array(scores)
        return self

    def _member(
        self, model: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> tuple[Any, Any, Any]:
        """Return a member, its score on the fold held out and its entry of ``held_out_``."""
        member = clone(model).fit(X[train], y[train])
        score = check_scoring(member, self.scoring)(member, X[test], y[test])
        if self.competence is None:
            return member, score, None
        return member, score, (NearestNeighbors().fit(X[test]), member.predict(X[test]) == y[test])

    def predict(self, X: Any) -> np.ndarray:
        """Return the class with the largest (weighted) number of votes for each row."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        votes = np.stack([member.predict(X) for member in self.members_])
        agrees = votes[:, :, None] == self.classes_  # (members, rows, classes)
        if self.competence is not None:
            counts = (self._competences(X)[:, :, None] * agrees).sum(axis=0)
            return self.classes_[counts.argmax(axis=1)]
        counts = agrees.sum(axis=0).astype(float)
        if all(hasattr(member, "predict_proba") for member in self.members_):
            # less than one vote, so that probabilities decide ties only
            counts += 0.5 * np.mean(
                [_probabilities(member, X, self.classes_) for member in self.members_], axis=0
            )
        return self.classes_[counts.argmax(axis=1)]

    def _competences(self, X: Any) -> np.ndarray:
        """Return the weights of the members for each row, of shape (n_members, n_rows)."""
        # Laplace's rule of succession: (correct + 1) / (k + 2)
        shares = []
        for near, right in self.held_out_:
            k = min(self.competence or 1, len(right))
            shares.append(
                (right[near.kneighbors(X, k, return_distance=False)].sum(axis=1) + 1) / (k + 2)
            )
        return np.array(shares)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _probabilities(member: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Return the probabilities of all classes, 0 for those that the member does not know."""
    probabilities = np.zeros((X.shape[0], len(classes)))
    probabilities[:, np.searchsorted(classes, member.classes_)] = member.predict_proba(X)
    return probabilities


def best_less_spread(scores: Any, a: float = 1.0) -> int:
    """Return the index of the model of largest mean score less ``a`` standard deviations [1]_.

    Parameters
    ----------
    scores : array of shape (n_models, n_folds)
        Scores of each model on each fold.
    a : float
        Weight of the standard deviation; of similar means the more stable one is chosen.

    References
    ----------
    .. [1] Grabczewski and Jankowski, as in :class:`FoldCommittee`.

    Examples
    --------
    >>> best_less_spread([[0.9, 0.5, 0.9], [0.75, 0.76, 0.74]])
    1
    """
    scores = np.asarray(scores, dtype=float)
    return int(np.argmax(scores.mean(axis=1) - a * scores.std(axis=1, ddof=1)))


class RowLosses(NamedTuple):
    """The losses of rows under models that were not trained on them.

    A row of large loss may be mislabelled.

    Parameters
    ----------
    mean, spread : ndarray of shape (n_rows,)
        Mean and standard deviation over these models; NaN without a model, or with only one.
    n_models : ndarray of int of shape (n_rows,)
        The number of these models.
    """

    mean: np.ndarray
    spread: np.ndarray
    n_models: np.ndarray

    @property
    def error(self) -> float:
        """The mean loss over all rows that have one."""
        return float(np.nanmean(self.mean))


def out_of_bag_losses(bagging: BaggingClassifier, X: Any, y: Any) -> RowLosses:
    """Return the mean loss of each row over the bags that do not contain it [1]_.

    It is the mean loss of single models, not the loss of their vote: the 0/1 loss for classes, the
    squared error for numbers.

    Parameters
    ----------
    bagging : BaggingClassifier or BaggingRegressor
        A bagging fitted on these rows.
    X, y : array of shape (n_rows, n_features), (n_rows,)
        The rows and their targets.

    References
    ----------
    .. [1] Guyon and Elisseeff, *Assessment methods*, in Guyon, Gunn, Nikravesh and Zadeh (eds.),
       *Feature Extraction*, 2006, chapter 2, section 3.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bagging = BaggingClassifier(n_estimators=20, random_state=0).fit(X, y)
    >>> bool(0 < out_of_bag_losses(bagging, X, y).error < 0.15)
    True
    """
    X, y = np.asarray(X), np.asarray(y)
    table = np.full((len(bagging.estimators_), len(y)), np.nan)
    for losses, member, rows, columns in zip(
        table, bagging.estimators_, bagging.estimators_samples_, bagging.estimators_features_
    ):
        outside = np.setdiff1d(np.arange(len(y)), rows)
        if len(outside):
            losses[outside] = _losses(
                bagging, member.predict(X[np.ix_(outside, columns)]), y[outside]
            )
    return _over_models(table)


def _losses(bagging: Any, predicted: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the loss of each row; members of a classifier predict indices of its classes."""
    if not hasattr(bagging, "classes_"):
        return (predicted - y) ** 2
    return (bagging.classes_[predicted.astype(int)] != y).astype(float)


def repeated_losses(estimator: Any, X: Any, y: Any, cv: Any) -> RowLosses:
    """Return the mean loss of each row over the repeats of a cross-validation [1]_.

    It is the 0/1 loss for classes and the squared error for numbers.

    Parameters
    ----------
    estimator : estimator
        The model, which need not be fitted.
    X, y : array of shape (n_rows, n_features), (n_rows,)
        The rows and their targets.
    cv : splitter
        A splitter that holds out each row once in each repeat, such as ``RepeatedStratifiedKFold``.

    References
    ----------
    .. [1] Guyon and Elisseeff, as in :func:`out_of_bag_losses`.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> cv = RepeatedKFold(n_splits=3, n_repeats=4, random_state=0)
    >>> repeated_losses(KNeighborsClassifier(1), X, [0, 0, 1, 1, 1, 1], cv).mean[2]
    np.float64(1.0)
    """
    X, y = np.asarray(X), np.asarray(y)
    table = []
    for train, test in cv.split(X, y):
        model = clone(estimator).fit(X[train], y[train])
        losses = np.full(len(y), np.nan)
        predicted = model.predict(X[test])
        if hasattr(model, "classes_"):
            losses[test] = predicted != y[test]
        else:
            losses[test] = (predicted - y[test]) ** 2
        table.append(losses)
    return _over_models(np.array(table))


def _over_models(table: np.ndarray) -> RowLosses:
    """Summarise losses of shape (n_models, n_rows), NaN where a model was trained on the row."""
    known = np.isfinite(table)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, table, 0).sum(axis=0) / count
        squares = np.where(known, (table - mean) ** 2, 0).sum(axis=0)
        spread = np.sqrt(squares / (count - 1))
    return RowLosses(np.where(count > 0, mean, np.nan), np.where(count > 1, spread, np.nan), count)
