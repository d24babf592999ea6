"""Scores of held-out outputs: scikit-learn's scorings for many candidates at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from subsel.criteria.base import Evaluation
from subsel.criteria.scoring.scorers import Needs, outputs_needed, scorer_function, scorer_of
from subsel.data.folds import Folds
from subsel.data.task import Task

__all__ = [
    "SCORINGS",
    "HeldOutFolds",
    "Needs",
    "NotExact",
    "Scoring",
    "find_scoring",
    "fold_quality",
    "representatives_of_ties",
    "scoring_of",
]

# Decisions that differ by at most this share of the largest are equal: updates of a state that
# moves from subset to subset change them by rounding, far less than this and far more than one
# unit.
TIE = 1e-10


class NotExact(ValueError):
    """Raised where model, folds and scoring have no exact criterion: the caller must refit."""


def _always(y: np.ndarray, n_classes: int) -> bool:  # noqa: ARG001
    return True


@dataclass(frozen=True)
class Scoring:
    """A score of held-out outputs, larger is better, named and signed as in scikit-learn.

    Parameters
    ----------
    name : str
        Its name.
    needs : {"labels", "decision", "probability", "codes", "values"}
        What the outputs are, one row per candidate: class codes (C, n), the decision for class 1 of
        two (C, n), probabilities of classes (C, n, K), the outputs of a least-squares classifier
        fitted to the codes -1 and 1 (C, n, K, or 1 for two classes), or predicted values (C, n).
    score : callable or None
        Function of true values (n,) and outputs that returns one score per candidate. For labels,
        where ``counted`` is true, it gets counts of hits instead of the outputs.
    by_row : callable or None, default=None
        Function that returns a score per candidate and held-out row (C, n), where the score is
        their mean.
    defined : callable, default=always
        Whether the score exists on rows with these true values, given the number of classes. Where
        it does not, it is NaN.
    n_classes : int, default=2
        Number of classes of the task.
    positive : int, default=1
        The class code that counts as positive.
    ties : bool, default=False
        Whether decisions that differ by rounding are equal, as they are in a model that is fitted
        to the subset: rows that agree in all columns must share their rank.
    counted : bool, default=True
        Whether ``score`` takes counts; false for scorers of scikit-learn.

    Notes
    -----
    Scores are never weighted by row, as in ``cross_val_score``.

    Examples
    --------
    >>> SCORINGS["roc_auc"](np.array([0, 1, 1]), np.array([[0.1, 0.1, 0.9], [3.0, 2.0, 1.0]]))
    array([0.75, 0.  ])
    """

    name: str
    needs: Needs
    score: Callable[[np.ndarray, Any], np.ndarray] | None
    by_row: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    defined: Callable[[np.ndarray, int], bool] = _always
    n_classes: int = 2
    positive: int = 1
    ties: bool = False
    counted: bool = True

    def with_ties(self) -> Scoring:
        """Return the scoring for outputs that carry the rounding errors of a moving state.

        Only a score that may depend on ranks differs.
        """
        ties = self.needs == "decision" or (self.needs == "probability" and not self.counted)
        if ties == self.ties:
            return self
        return replace(self, ties=ties)

    def __call__(self, y_true: np.ndarray, outputs: Any) -> np.ndarray:
        """Return one score per candidate; ``y_true`` holds class codes or values."""
        if not self.defined(y_true, self.n_classes):
            return np.full(len(outputs), np.nan)
        if self.ties:
            outputs = _without_rounding(outputs)
        if self.by_row is not None:
            return self.by_row(y_true, outputs).mean(axis=1)
        assert self.score is not None
        if self.needs == "labels" and self.counted:
            outputs = _Counts.of(y_true, outputs, self.n_classes, self.positive)
        return self.score(y_true, outputs)


def _without_rounding(outputs: np.ndarray) -> np.ndarray:
    """Make outputs equal that differ by rounding only.

    Decisions (C, n) are compared as they are, probabilities (C, n, K) by their log-odds.
    """
    if outputs.ndim == 2:
        return np.take_along_axis(outputs, representatives_of_ties(outputs), axis=1)
    # 750 exceeds the logarithm of any positive number of double precision, so that only the
    # infinite log-odds of 0 and 1 are clipped
    with np.errstate(divide="ignore"):
        odds = np.clip(np.log(outputs) - np.log1p(-outputs), -750, 750)
    classes = [
        np.take_along_axis(outputs[..., k], representatives_of_ties(odds[..., k]), axis=1)
        for k in range(outputs.shape[2])
    ]
    return np.stack(classes, axis=2)


def representatives_of_ties(decisions: np.ndarray) -> np.ndarray:
    """For each decision (C, n), find the position of the one it equals but for rounding.

    Decisions are sorted, and cut where neighbours differ by more than TIE of the largest; each
    piece is represented by its least decision.

    >>> representatives_of_ties(np.array([[2.0, 1.0, 2.0 + 1e-15, 3.0]]))
    array([[0, 1, 0, 3]])
    """
    order = np.argsort(decisions, axis=1, kind="stable")
    ordered = np.take_along_axis(decisions, order, axis=1)
    near = np.diff(ordered, axis=1) <= TIE * np.abs(ordered[:, [0, -1]]).max(axis=1, keepdims=True)
    # the start of each piece, by a running maximum over positions that are 0 within a piece
    place = np.broadcast_to(np.arange(decisions.shape[1]), decisions.shape).copy()
    place[:, 1:][near] = 0
    first = np.take_along_axis(order, np.maximum.accumulate(place, axis=1), axis=1)
    found = np.empty_like(order)
    np.put_along_axis(found, order, first, axis=1)
    return found


@dataclass(frozen=True)
class _Counts:
    """Numbers of rows of each class, from which scores of labels are computed."""

    hit: np.ndarray  # (C, K) rows of a class that are predicted to be of it
    predicted: np.ndarray  # (C, K) rows predicted to be of a class
    true: np.ndarray  # (K,) rows of a class
    positive: int  # the class code that counts as positive

    @classmethod
    def of(cls, y_true: np.ndarray, labels: np.ndarray, n_classes: int, positive: int) -> _Counts:
        """Count labels of shape (C, n)."""
        named = [labels == k for k in range(n_classes)]
        hit = np.stack([rows[:, y_true == k].sum(axis=1) for k, rows in enumerate(named)], axis=1)
        predicted = np.stack([rows.sum(axis=1) for rows in named], axis=1)
        return cls(hit, predicted, np.bincount(y_true, minlength=n_classes), positive)

    def f1(self) -> np.ndarray:
        """F1 of each class, 0 where a class is neither present nor predicted."""
        total = self.predicted + self.true
        return np.divide(2.0 * self.hit, total, out=np.zeros(total.shape), where=total > 0)


def _balanced_accuracy(y: np.ndarray, counts: _Counts) -> np.ndarray:  # noqa: ARG001
    here = counts.true > 0
    return (counts.hit[:, here] / counts.true[here]).mean(axis=1)


def _f1(y: np.ndarray, counts: _Counts) -> np.ndarray:  # noqa: ARG001
    return counts.f1()[:, counts.positive]


def _f1_macro(y: np.ndarray, counts: _Counts) -> np.ndarray:  # noqa: ARG001
    """The mean over classes that are present or predicted."""
    here = counts.predicted + counts.true > 0
    return (counts.f1() * here).sum(axis=1) / here.sum(axis=1)


def _f1_weighted(y: np.ndarray, counts: _Counts) -> np.ndarray:  # noqa: ARG001
    return counts.f1() @ counts.true / counts.true.sum()


def _roc_auc(y: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """Area under the ROC curve, where tied decisions count half."""
    # The Mann-Whitney statistic, from the sum of the mean ranks of the positive rows: Hanley and
    # McNeil, The meaning and use of the area under a receiver operating characteristic (ROC) curve,
    # Radiology 143, 1982.
    from scipy.stats import rankdata

    positive = y == 1
    n = int(positive.sum())
    ranks = rankdata(decision, axis=1)[:, positive].sum(axis=1)
    return (ranks - n * (n + 1) / 2) / (n * (len(y) - n))


def _lift_area(y: np.ndarray, decision: np.ndarray) -> np.ndarray:
    """Boulle's area under the share of positives found against the share of rows selected."""
    share = (y == 1).mean()
    return share / 2 + (1 - share) * _roc_auc(y, decision)


def _log_likelihood(y: np.ndarray, probability: np.ndarray) -> np.ndarray:
    tiny = np.finfo(probability.dtype).eps
    return np.log(np.clip(probability[:, np.arange(len(y)), y], tiny, 1 - tiny))


def _neg_brier(y: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """Minus the squared distance to the true class; for two classes, that of one of them."""
    distance = _distance(probability, np.eye(probability.shape[2])[y])
    if probability.shape[2] == 2:
        return -distance / 2
    return -distance


def _neg_code_error(y: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    """Minus the mean squared distance to the codes -1 and 1."""
    k = outputs.shape[2]
    hits = np.eye(k)[y] if k > 1 else y[:, None]
    codes = 2.0 * hits - 1.0
    return -_distance(outputs, codes) / k


def _distance(outputs: np.ndarray, targets: np.ndarray) -> np.ndarray:
    return ((outputs - targets) ** 2).sum(axis=2)


def _by_class(
    by_row: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> Callable[[np.ndarray, Any], np.ndarray]:
    """Average a score by row over the rows of each class, then over classes."""

    def score(y: np.ndarray, outputs: Any) -> np.ndarray:
        rows = by_row(y, outputs)
        return np.mean([rows[:, y == k].mean(axis=1) for k in np.unique(y)], axis=0)

    return score


def _r2(y: np.ndarray, values: np.ndarray) -> np.ndarray:
    """R2; a constant target gives 1 where every row is predicted exactly, and 0 otherwise."""
    error = ((values - y) ** 2).sum(axis=1)
    total = ((y - y.mean()) ** 2).sum()
    if not total:
        return np.where(error == 0, 1.0, 0.0)
    return 1.0 - error / total


def _neg_squared(y: np.ndarray, values: np.ndarray) -> np.ndarray:
    return -((values - y) ** 2)


def _neg_rmse(y: np.ndarray, values: np.ndarray) -> np.ndarray:
    return -np.sqrt(((values - y) ** 2).mean(axis=1))


def _neg_absolute(y: np.ndarray, values: np.ndarray) -> np.ndarray:
    return -np.abs(values - y)


def _hits(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return (labels == y).astype(float)


def _all_classes(y: np.ndarray, n_classes: int) -> bool:
    return len(np.unique(y)) == n_classes


def _two_rows(y: np.ndarray, n_classes: int) -> bool:  # noqa: ARG001
    return len(y) > 1


SCORINGS: dict[str, Scoring] = {
    s.name: s
    for s in (
        Scoring("accuracy", "labels", None, _hits),
        Scoring("balanced_accuracy", "labels", _balanced_accuracy),
        Scoring("ber", "labels", lambda y, counts: _balanced_accuracy(y, counts) - 1.0),
        Scoring("f1", "labels", _f1),
        Scoring("f1_macro", "labels", _f1_macro),
        Scoring("f1_micro", "labels", None, _hits),
        Scoring("f1_weighted", "labels", _f1_weighted),
        Scoring("roc_auc", "decision", _roc_auc, defined=_all_classes),
        Scoring("lift_area", "decision", _lift_area, defined=_all_classes),
        Scoring("neg_log_loss", "probability", None, _log_likelihood, defined=_all_classes),
        Scoring("neg_brier_score", "probability", None, _neg_brier),
        Scoring("balanced_brier", "probability", _by_class(_neg_brier)),
        Scoring("code_error", "codes", None, _neg_code_error),
        Scoring("balanced_code_error", "codes", _by_class(_neg_code_error)),
        Scoring("r2", "values", _r2, defined=_two_rows),
        Scoring("neg_mean_squared_error", "values", None, _neg_squared),
        Scoring("neg_root_mean_squared_error", "values", _neg_rmse),
        Scoring("neg_mean_absolute_error", "values", None, _neg_absolute),
    )
}
"""Every scoring that is a function of held-out outputs.

Not in scikit-learn: ``"ber"`` is minus the balanced error rate, ``"code_error"`` minus the squared
error of the codes -1 and 1 that a ridge classifier fits, ``"balanced_..."`` gives all classes the
same weight, however many rows they have, and ``"lift_area"`` is the area under the lift curve: half
the share of positives plus the area under the ROC curve times the share of negatives.
"""
_OURS = ("ber", "balanced_brier", "code_error", "balanced_code_error", "lift_area")


def find_scoring(scoring: Any, task: Task) -> Scoring | None:
    """Find a scoring by name or scorer object; None where the caller must refit.

    ``scoring=None`` means accuracy or R2, as in ``estimator.score``. A scorer object of
    scikit-learn is recognised if it equals the one of its name. Other scorers of scikit-learn, by
    name or from ``make_scorer``, are called for one candidate and fold at a time. The answer is
    None for any other callable, an unknown name, a score that does not suit the kind of task, and a
    two-class score of more than two classes (scikit-learn then raises the error).
    """
    if scoring is None:
        scoring = "accuracy" if task.kind == "classification" else "r2"
    name = scoring
    if not isinstance(scoring, str):
        name = _scorer_name(scoring)
    found = SCORINGS.get(name)
    if found is None:
        return _wrapped_scorer(scoring, task)
    if (found.needs == "values") != (task.kind == "regression"):
        return None
    if found.needs == "values":
        return found
    n_classes = len(task.classes)
    if found.name in ("roc_auc", "lift_area", "f1") and n_classes != 2:
        return None
    ones = np.flatnonzero(task.classes == 1)  # scikit-learn's F1 is about the class labelled 1
    if found.name == "f1" and not len(ones):
        return None
    positive = int(ones[0]) if found.name == "f1" else 1
    if (n_classes, positive) == (found.n_classes, found.positive):
        return found
    return replace(found, n_classes=n_classes, positive=positive)


def scoring_of(criterion: Any, task: Task) -> Scoring:
    """Find the scoring of a criterion; raise NotExact where it needs other outputs."""
    found = find_scoring(criterion.scoring, task)
    if found is None or found.needs not in criterion.gives:
        name = type(criterion).__name__
        raise NotExact(f"{name} cannot compute scoring {criterion.scoring!r} without refitting.")
    return found


def _wrapped_scorer(scoring: Any, task: Task) -> Scoring | None:
    """Wrap any other scorer that is a function of held-out outputs.

    None for one that fails even for perfect outputs.
    """
    scorer, classes = scorer_of(scoring), np.empty(0)
    if task.kind == "classification":
        classes = task.classes
    if scorer is None:
        return None
    needs = outputs_needed(scorer, task.kind, len(classes))
    if needs is None:
        return None
    score, y = scorer_function(scorer, needs, classes), task.codes
    if needs == "values":
        y = task.y
    perfect = y
    if needs == "probability":
        perfect = np.eye(len(classes))[task.codes]
    if np.isnan(score(y, perfect[None])[0]):
        return None
    return Scoring(f"scikit-learn's {scoring}", needs, score, n_classes=len(classes), counted=False)


def _scorer_name(scorer: Any) -> str:
    from sklearn.metrics import get_scorer

    parts = ("_score_func", "_sign", "_kwargs", "_response_method")
    for name in SCORINGS:
        if name not in _OURS:
            theirs = get_scorer(name)
            if all(getattr(scorer, p, None) == getattr(theirs, p, 0) for p in parts):
                return name
    return ""


@dataclass(frozen=True, eq=False)
class HeldOutFolds:
    """The held-out rows of all folds one after another, and how their outputs are scored.

    Outputs have one row per candidate and one column per held-out row.
    """

    task: Task  # the table and its target
    scoring: Scoring  # the score of outputs
    rows: np.ndarray  # (N,) row numbers, fold by fold
    bounds: np.ndarray  # (folds + 1,) position of the first row of each fold, and N
    y: np.ndarray  # (N,) class codes or values of these rows
    pooled: bool = False  # all rows are scored at once instead of fold by fold

    @classmethod
    def of(cls, task: Task, folds: Folds, scoring: Scoring, pooled: bool = False) -> HeldOutFolds:
        """Lay the folds out; raise an error if the score is not defined on some fold."""
        rows = np.concatenate(folds.test)
        y = (task.codes if task.kind == "classification" else task.y)[rows]
        bounds = np.array([0, *accumulate(map(len, folds.test))])
        parts, remedy = [y], "use another scoring"
        if not pooled:
            parts = [y[a:b] for a, b in pairwise(bounds.tolist())]
            remedy = "pass pooled=True, fewer folds, or another scoring"
        for number, part in enumerate(parts):
            if not scoring.defined(part, scoring.n_classes):
                raise ValueError(
                    f"scoring {scoring.name!r} is not defined on the {len(part)} row(s) of fold "
                    f"{number}: {remedy}."
                )
        return cls(task, scoring, rows, bounds, y, pooled)

    def fold_scores(self, outputs: np.ndarray) -> np.ndarray:
        """Compute one score per candidate and fold, of shape (C, folds)."""
        starts, sizes = self.bounds[:-1], np.diff(self.bounds)
        if self.scoring.by_row is not None:
            return np.add.reduceat(self.scoring.by_row(self.y, outputs), starts, axis=1) / sizes
        spans = zip(starts, self.bounds[1:])
        return np.stack([self.scoring(self.y[a:b], outputs[:, a:b]) for a, b in spans], axis=1)

    def quality(self, outputs: np.ndarray) -> np.ndarray:
        """Compute the mean of the fold scores, or the score of all rows at once if pooled."""
        if self.pooled:
            return self.scoring(self.y, outputs)
        return self.fold_scores(outputs).mean(axis=1)

    def hit_quality(self, hits: np.ndarray) -> np.ndarray:
        """Compute the quality from numbers of hits per fold (C, folds), for accuracy."""
        if self.pooled:
            return np.add.reduce(hits, axis=1) / len(self.y)
        return np.add.reduce(hits / self.fold_sizes, axis=1) / len(self.fold_sizes)

    @cached_property
    def fold_sizes(self) -> np.ndarray:
        """Number of rows that each fold holds out."""
        return np.diff(self.bounds)

    def explain(self, outputs: np.ndarray, predictions: np.ndarray) -> Evaluation:
        """Evaluate one candidate and score each fold and row.

        ``outputs`` has shape (1, N, ...), ``predictions`` (N,) are class codes or values.

        The standard error is the sd of the fold scores over the root of their number, which under
        leave-one-out is the sd of the rows' losses over the root of the number of rows. A row held
        out several times is reported with its first prediction. Losses are 0/1 or absolute errors.
        """
        folds = self.fold_scores(outputs)[0]
        error = None
        if len(folds) > 1:
            error = float(folds.std(ddof=1) / np.sqrt(len(folds)))
        losses = self._per_row(self._losses(predictions))
        labels = predictions
        if self.task.kind == "classification":
            labels = self.task.classes[predictions]
        scores = None
        if self.scoring.by_row is not None:
            scores = self._per_row(self.scoring.by_row(self.y, outputs)[0])
        return Evaluation(
            float(self.quality(outputs)[0]), error, folds, self._per_row(labels), losses, scores
        )

    def _losses(self, predictions: np.ndarray) -> np.ndarray:
        if self.scoring.needs == "values":
            return np.abs(predictions - self.y)
        return (predictions != self.y).astype(float)

    def _per_row(self, values: np.ndarray) -> np.ndarray:
        """Put values (N,) of held-out rows in the order of the table, NaN for other rows."""
        rows, first = np.unique(self.rows, return_index=True)
        if len(rows) == self.task.n_rows:
            return values[first]
        kind = float if values.dtype.kind in "biuf" else object
        spread = np.full(self.task.n_rows, np.nan, dtype=kind)
        spread[rows] = values[first]
        return spread


def fold_quality(held_out: HeldOutFolds, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The quality of each candidate, and its standard error (NaN with one fold)."""
    scores = held_out.fold_scores(outputs)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.full(len(scores), np.nan)
        if scores.shape[1] > 1:
            error = scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    if held_out.pooled:
        return held_out.quality(outputs), error
    return scores.mean(axis=1), error
