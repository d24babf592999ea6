"""The models of a cross-validation as a committee, and bags whose rows outside say what they lose."""

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
    """Keep the models of a cross-validation and let them vote: its error comes for free.

    Parameters
    ----------
    estimator : estimator, optional
        The model; None is a decision tree. Whatever looks at the target must be part of it.
    cv : int or splitter, default=5
        An odd number of folds leaves no even votes between two classes; even votes go to the mean
        probability where there is one, else to the first class.
    scoring : str, callable or None
        Of the folds; None is the model's own score.
    random_state : int, RandomState or None
        Of the folds, where their number is given.
    competence : int, optional
        Weigh a member's vote by how it did near the row: on so many nearest of the rows that it was
        not trained on, the share it got right (with one right and one wrong answer added). None:
        every vote counts alike.
    verbose : int
        Where positive, a line on standard error says how far it is.

    Attributes
    ----------
    members_ : list of estimator
        One a fold. Ctrl-C keeps those trained so far.
    scores_ : ndarray
        Of the members on the rows that they were not trained on.
    classes_ : ndarray
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
        """Train one member without each fold."""
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
                done.append(self._without(model, X, y, train, test))
        self.members_, scores, self.held_out_ = map(list, zip(*done))
        self.scores_ = np.array(scores)
        return self

    def _without(
        self, model: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> tuple[Any, Any, Any]:
        """A member trained without a fold, its score there, and where it was right there, if that is asked for."""
        member = clone(model).fit(X[train], y[train])
        score = check_scoring(member, self.scoring)(member, X[test], y[test])
        if self.competence is None:
            return member, score, None
        return member, score, (NearestNeighbors().fit(X[test]), member.predict(X[test]) == y[test])

    def predict(self, X: Any) -> np.ndarray:
        """The class for which most members vote, each by its weight."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        votes = np.stack([member.predict(X) for member in self.members_])
        if self.competence is not None:
            counts = (self._competences(X)[:, :, None] * (votes[:, :, None] == self.classes_)).sum(
                axis=0
            )
            return self.classes_[counts.argmax(axis=1)]
        counts = (votes[:, :, None] == self.classes_).sum(axis=0).astype(float)
        if all(hasattr(member, "predict_proba") for member in self.members_):
            counts += 0.5 * np.mean(
                [_chances(member, X, self.classes_) for member in self.members_], axis=0
            )
        return self.classes_[counts.argmax(axis=1)]

    def _competences(self, X: Any) -> np.ndarray:
        """For every member and row, the share of right answers on held-out rows near it."""
        found = []
        for near, right in self.held_out_:
            k = min(self.competence or 1, len(right))
            found.append(
                (right[near.kneighbors(X, k, return_distance=False)].sum(axis=1) + 1) / (k + 2)
            )
        return np.array(found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _chances(member: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Probabilities of all classes, also of those that a member has not seen."""
    found = np.zeros((X.shape[0], len(classes)))
    found[:, np.searchsorted(classes, member.classes_)] = member.predict_proba(X)
    return found


def best_less_spread(scores: Any, a: float = 1.0) -> int:
    """The row of fold scores with the largest mean less ``a`` standard deviations: of similar means the steadier [1]_.

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
    """What each row loses under models that were not trained on it; a row of large loss may be mislabelled.

    Parameters
    ----------
    mean, spread : ndarray
        Over those models; NaN where there is none, or only one.
    n_models : ndarray of int
        How many they are.
    """

    mean: np.ndarray
    spread: np.ndarray
    n_models: np.ndarray

    @property
    def error(self) -> float:
        """The mean over rows."""
        return float(np.nanmean(self.mean))


def out_of_bag_losses(bagging: BaggingClassifier, X: Any, y: Any) -> RowLosses:
    """The mean 0/1 loss of each row over the bags that lack it: not the loss of their vote [1]_.

    Parameters
    ----------
    bagging : BaggingClassifier or BaggingRegressor
        Fitted on these rows; a regressor's losses are squared errors.
    X, y : array
        The rows that it was fitted on.

    References
    ----------
    .. [1] Guyon and Elisseeff, *Assessment methods*, in Guyon, Gunn, Nikravesh and Zadeh (eds.),
       *Feature Extraction*, 2006, chapter 2, section 3.4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> losses = out_of_bag_losses(BaggingClassifier(n_estimators=20, random_state=0).fit(X, y), X, y)
    >>> bool(0 < losses.error < 0.15)
    True
    """
    X, y = np.asarray(X), np.asarray(y)
    table = np.full((len(bagging.estimators_), len(y)), np.nan)
    for line, member, rows, columns in zip(
        table, bagging.estimators_, bagging.estimators_samples_, bagging.estimators_features_
    ):
        outside = np.setdiff1d(np.arange(len(y)), rows)
        if len(outside):
            line[outside] = _losses(
                bagging, member.predict(X[np.ix_(outside, columns)]), y[outside]
            )
    return _over_models(table)


def _losses(bagging: Any, predicted: np.ndarray, y: np.ndarray) -> np.ndarray:
    if not hasattr(bagging, "classes_"):
        return (predicted - y) ** 2
    return (bagging.classes_[predicted.astype(int)] != y).astype(float)


def repeated_losses(estimator: Any, X: Any, y: Any, cv: Any) -> RowLosses:
    """The mean 0/1 loss (classes) or squared error of each row over the repeats of a cross-validation [1]_.

    Parameters
    ----------
    estimator : estimator
        Not fitted.
    X, y : array
        The rows.
    cv : splitter
        Such as ``RepeatedStratifiedKFold``: every row is held out once a repeat.

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
    lines = []
    for train, test in cv.split(X, y):
        model = clone(estimator).fit(X[train], y[train])
        line = np.full(len(y), np.nan)
        predicted = model.predict(X[test])
        if hasattr(model, "classes_"):
            line[test] = predicted != y[test]
        else:
            line[test] = (predicted - y[test]) ** 2
        lines.append(line)
    return _over_models(np.array(lines))


def _over_models(table: np.ndarray) -> RowLosses:
    known = np.isfinite(table)
    count = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, table, 0).sum(axis=0) / count
        squares = np.where(known, (table - mean) ** 2, 0).sum(axis=0)
        spread = np.sqrt(squares / (count - 1))
    return RowLosses(np.where(count > 0, mean, np.nan), np.where(count > 1, spread, np.nan), count)
