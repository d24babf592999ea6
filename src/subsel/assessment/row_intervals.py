"""Confidence intervals of scores over folds, from held-out rows where possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.stats import t

from subsel.assessment.folds.predictions import Predictions, disagreement
from subsel.assessment.folds.splits import Split, share_tested
from subsel.assessment.intervals import corrected_interval, corrected_t_test, score_limits
from subsel.data.task import Task

__all__ = ["MEASURES", "Influence", "Measure", "ScoredFolds", "inflation", "influence"]

UNIT = (  # measures between 0 and 1 whose interval is Wilson's
    "accuracy",
    "balanced_accuracy",
    "roc_auc",
    "roc_auc_ovr",
)
# factors a of `inflation` by measure, fitted to simulations (docs/calibration.md)
MOST = {
    "accuracy": 2.0,
    "balanced_accuracy": 2.4,
    "roc_auc": 2.8,
    "roc_auc_ovr": 2.8,
    "neg_log_loss": 1.5,
}
MOST_OF_VALUES = 3.0  # the same for R2 and errors of values
HALF_WAY = {
    "classification": 0.1,
    "regression": 0.04,
}  # the constants d_0 of `inflation`, fitted to simulations (docs/calibration.md)
UNKNOWN = 0.5  # the disagreement assumed where one pass over the folds does not show it


def inflation(scoring: str, kind: str, disagreement: float | None) -> float:
    r"""Give the variance of a cross-validated score, relative to its variance over rows.

    .. math:: 1 + a \, \frac{d^2}{d^2 + d_0^2} \, (1 - 0.4 d)

    for a disagreement d between models that were trained on other rows. Held-out rows do not show
    that the selections of all folds share their chance errors; the disagreement of models shows it,
    roughly. There is no unbiased estimate of this variance [1]_: the form and its constants are
    fitted to simulations (``docs/calibration.md``), not derived. Without a second pass over the
    folds d is unknown and is taken as 0.5.

    References
    ----------
    .. [1] Bengio and Grandvalet, *No unbiased estimator of the variance of K-fold
       cross-validation*, Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> inflation("accuracy", "classification", 0.0)
    1.0
    >>> round(inflation("accuracy", "classification", 0.5), 2)
    2.54
    """
    d = disagreement
    if d is None:
        d = UNKNOWN
    return float(
        1 + MOST.get(scoring, MOST_OF_VALUES) * d**2 / (d**2 + HALF_WAY[kind] ** 2) * (1 - 0.4 * d)
    )


@dataclass(frozen=True, eq=False)
class ScoredFolds:
    """The scores of one procedure over folds.

    Parameters
    ----------
    scoring : str
        The measure.
    scores : ndarray of shape (n_folds,)
        The score of each fold.
    splits : sequence of Split
        The folds, in the order of the scores.
    task : Task
        The rows.
    rows : Influence or None
        What each row contributes, where the measure is a sum over rows.
    factor : float
        The value of :func:`inflation`; NaN where ``rows`` is None.
    """

    scoring: str
    scores: np.ndarray
    splits: Sequence[Split]
    task: Task
    rows: Influence | None = None
    factor: float = np.nan

    @classmethod
    def of(
        cls,
        scoring: str,
        scores: np.ndarray,
        outputs: Sequence[Predictions | None],
        splits: Sequence[Split],
        task: Task,
    ) -> ScoredFolds:
        """Compute contributions of rows, and omit them where they do not add up to the scores."""
        known = [output for output in outputs if output is not None]
        rows = None
        if len(known) == len(splits):
            rows = _rows(scoring, scores, known, splits, task)
        if rows is None:
            return cls(scoring, scores, splits, task)
        factor = inflation(scoring, task.kind, disagreement(known, splits, task))
        return cls(scoring, scores, splits, task, rows, factor)

    @property
    def score(self) -> float:
        """The mean over folds; R2 is pooled over the held-out rows of a repeat."""
        if self.rows is None:
            return float(self.scores.mean())
        return self.rows.score

    def interval(self, confidence: float) -> tuple[float, float]:
        """Give the confidence interval of the score, within the range of the measure."""
        least, most = score_limits(self.scoring)
        if self.rows is None:
            low, high = corrected_interval(self.scores, share_tested(list(self.splits)), confidence)
            return float(np.maximum(low, least)), float(np.minimum(high, most))
        variance, n = _variance(self.rows.rows, self.splits, self.task)
        quantile = float(t.ppf((1 + confidence) / 2, max(1, n - 1)))
        if self.scoring in UNIT:
            return self._score_interval(self.factor * variance, quantile)
        reach = quantile * np.sqrt(max(self.factor * variance, self._floor(variance, n)))
        skew = 0.0
        if self.scoring == "neg_log_loss":
            skew = min(1.0, reach / max(-self.score, 1e-300)) / 4
        low, high = self.score - reach * (1 + skew), self.score + reach
        return float(np.maximum(low, least)), float(np.minimum(high, most))

    def _score_interval(self, variance: float, quantile: float) -> tuple[float, float]:
        """Give Wilson's interval for as many rows as would give a share this variance.

        Its width is never zero.
        """
        share, most = min(max(self.score, 0.0), 1.0), self._rows_by_class(whole_groups=False)
        # a share of n independent rows has the variance share (1 - share) / n, which is solved for
        # n, the effective number of rows
        spread = share * (1 - share)
        certain = spread < 1e-9 or variance < 1e-12
        if certain:
            n = self._rows_by_class(whole_groups=True)
        else:
            n = spread / variance
        if self.scoring in ("balanced_accuracy", "roc_auc"):  # rows of a rare class are few
            n = min(n, most)
        weight = quantile**2 / n
        centre = (share + weight / 2) / (1 + weight)
        reach = quantile / (1 + weight) * np.sqrt(spread / n + weight / (4 * n))
        low, high = float(centre - reach), float(centre + reach)
        if share < 1e-9:
            low = 0.0
        if share > 1 - 1e-9:
            high = 1.0
        return low, high

    def _rows_by_class(self, whole_groups: bool) -> float:
        """Count the rows, or groups of rows, that the measure rests on.

        For accuracy these are all tested rows. Measures by class have the number of classes squared
        over the sum of inverse class sizes, which is all rows for classes of equal size.
        """
        groups = tested = _tested(self.splits, self.task)
        if whole_groups and self.task.groups is not None:
            groups = self.task.groups[tested]
        if self.scoring == "accuracy":
            return float(len(np.unique(groups)))
        codes = self.task.codes[tested]
        counts = np.array([len(np.unique(groups[codes == k])) for k in np.unique(codes)])
        return float(len(counts) ** 2 / (1 / counts).sum())

    def _floor(self, variance: float, n: int) -> float:
        """Give a lower bound of the variance of n rows.

        For the log loss it is the squared effect of one more row predicted at one half, for a
        perfect R2 that of one more row predicted by the mean.
        """
        if self.scoring == "neg_log_loss":
            return (np.log(2) / n) ** 2
        if self.scoring == "r2" and variance < 1e-24:
            return 1 / n**2
        return 0.0

    def compared(
        self, other: ScoredFolds, confidence: float
    ) -> tuple[float, tuple[float, float], float]:
        """Compare with another procedure on the same folds: difference, interval and p-value.

        Interval and p-value come from the differences of the contributions of rows, with the mean
        inflation of the two procedures. Where the measure is not a sum over rows, they come from
        the corrected resampled t-test of fold scores.
        """
        if self.rows is None or other.rows is None or self.rows.rows.shape != other.rows.rows.shape:
            gaps, share = self.scores - other.scores, share_tested(list(self.splits))
            return (
                float(gaps.mean()),
                corrected_interval(gaps, share, confidence),
                corrected_t_test(gaps, share),
            )
        gap = self.score - other.score
        variance, n = _variance(self.rows.rows - other.rows.rows, self.splits, self.task)
        error = float(np.sqrt((self.factor + other.factor) / 2 * variance))
        if error < 1e-12:
            error = abs(gap) / np.sqrt(n)
        reach = float(t.ppf((1 + confidence) / 2, max(1, n - 1))) * error
        p_value = 1.0
        if error > 0:
            p_value = float(2 * t.sf(abs(gap) / error, max(1, n - 1)))
        return gap, (gap - reach, gap + reach), p_value


def _rows(
    scoring: str,
    scores: np.ndarray,
    outputs: list[Predictions],
    splits: Sequence[Split],
    task: Task,
) -> Influence | None:
    """Compute what each row contributes to the scores.

    None where the measure is not a sum over rows, or the contributions do not add up to the scores.
    """
    values = _outputs_for_measure(scoring, outputs, task)
    tests, y = [split.test for split in splits], task.target
    if values is None or (scoring.startswith("roc_auc") and not _all_classes(y, tests)):
        return None
    weight, repeats = task.row_weights, [split.repeat for split in splits]
    rows = influence(scoring, y, values, tests, repeats, weight)
    first = influence(scoring, y, values[:1], tests[:1], [0], weight).score
    same_mean = scoring == "r2" or np.isclose(rows.score, scores.mean(), atol=1e-9)
    if same_mean and np.isclose(first, scores[0], atol=1e-9) and np.isfinite(rows.rows).all():
        return rows
    return None


def _outputs_for_measure(
    scoring: str, outputs: list[Predictions], task: Task
) -> list[np.ndarray] | None:
    """Give the outputs of each fold in the form that the measure needs, or None without it."""
    if scoring != "r2" and scoring not in MEASURES:
        return None
    needs = "values" if scoring == "r2" else MEASURES[scoring].needs
    if (needs == "values") == (task.kind == "classification"):
        return None
    converted = [output.give(needs, task) for output in outputs]
    values = [part for part in converted if part is not None]
    if len(values) < len(outputs):
        return None
    return values


def _tested(splits: Sequence[Split], task: Task) -> np.ndarray:
    """Give the numbers of the rows of positive weight that any fold tested."""
    tested = np.unique(np.concatenate([split.test for split in splits]))
    return tested[task.row_weights[tested] > 0]


def _all_classes(y: np.ndarray, tests: list[np.ndarray]) -> bool:
    return all(len(np.unique(y[rows])) == y.max() + 1 for rows in tests)


def _variance(rows: np.ndarray, splits: Sequence[Split], task: Task) -> tuple[float, int]:
    """Give the variance of one pass over the rows, and the number of rows or groups.

    ``rows`` holds the contributions, shape (n_repeats, n_rows); those of a group are added up.

    Repeats test the same rows again and do not lower the variance. Where a repeat tests only some
    rows, its variance is scaled to a pass over all tested rows.
    """
    tested = _tested(splits, task)
    if task.groups is None:
        sums, n = rows[:, tested], len(tested)
    else:
        names, place = np.unique(task.groups[tested], return_inverse=True)
        sums = np.array([np.bincount(place, line[tested], minlength=len(names)) for line in rows])
        n = len(names)
    counted = [np.isin(split.test, tested).sum() for split in splits]
    sizes = np.bincount([split.repeat for split in splits], counted)
    each = (sums**2).sum(axis=1) * sizes / len(tested)
    return float(np.average(each, weights=sizes) * n / max(1, n - 1)), n


LEAST = np.finfo(float).eps  # lower bound of probabilities, as in scikit-learn's log loss


class Part(NamedTuple):
    """A part of the score of a fold that is a weighted sum over its rows.

    Attributes
    ----------
    value : ndarray of shape (n_test,)
        The values of the rows.
    weight : ndarray of shape (n_test,)
        Their weights, which sum to the share of the part in the score.
    """

    value: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class Measure:
    """A score that is a sum over rows.

    Parameters
    ----------
    needs : {"labels", "decision", "probability", "values"}
        The outputs of a model: class codes, the binary decision for class 1, class probabilities,
        or values.
    parts : callable
        ``parts(y, outputs, weight)`` of one fold gives the parts whose sum is the score of the
        fold.
    times : int
        How many times the parts contain the score: twice for an area, where each pair of rows is
        counted from both sides.
    """

    needs: Literal["labels", "decision", "probability", "values"]
    parts: Callable[[np.ndarray, np.ndarray, np.ndarray], Sequence[Part]]
    times: int = 1


@dataclass(frozen=True, eq=False)
class Influence:
    """A score over repeated folds, and what each row contributes to it in each repeat.

    Parameters
    ----------
    score : float
        The mean over folds; for R2 the mean over repeats of the pooled R2.
    rows : ndarray of shape (n_repeats, n_rows)
        The contributions, which sum to about zero in each repeat; zero for rows that were not
        tested.
    """

    score: float
    rows: np.ndarray


def influence(
    name: str,
    y: np.ndarray,
    outputs: Sequence[np.ndarray],
    tests: Sequence[np.ndarray],
    repeats: Sequence[int],
    weight: np.ndarray | None = None,
) -> Influence:
    """Decompose a score into the contributions of rows.

    Parameters
    ----------
    name : str
        One of ``MEASURES``, or ``"r2"``.
    y : ndarray of shape (n_rows,)
        Class codes or values of all rows.
    outputs, tests : sequence of ndarray
        The outputs of the model for the test rows of each fold, and the numbers of these rows.
    repeats : sequence of int
        The repeat that each fold belongs to.
    weight : ndarray of shape (n_rows,), optional
        The weights of all rows.

    Examples
    --------
    >>> y, tests = np.array([0, 1, 0, 1]), [np.array([0, 1]), np.array([2, 3])]
    >>> outputs = [np.array([0, 1]), np.array([0, 0])]
    >>> accuracy = influence("accuracy", y, outputs, tests, [0, 0])
    >>> accuracy.score, accuracy.rows.tolist()
    (0.75, [[0.0625, 0.0625, 0.0625, -0.1875]])
    """
    if weight is None:
        weight = np.ones(len(y))
    numbers = np.unique(repeats)
    decompose: Callable[..., tuple[float, np.ndarray]]
    if name == "r2":
        decompose, share = _pooled_r2, np.ones(len(numbers))
    else:  # unfinished repeats hold fewer folds
        decompose = partial(_mean_of_folds, MEASURES[name])
        share = np.array([sum(r == repeat for r in repeats) for repeat in numbers])
    parts = []
    for repeat in numbers:
        folds = [i for i, r in enumerate(repeats) if r == repeat]
        fold_outputs, fold_tests = [outputs[i] for i in folds], [tests[i] for i in folds]
        parts.append(decompose(y, fold_outputs, fold_tests, weight))
    scores, rows = (np.array([part[i] for part in parts]) for i in (0, 1))
    return Influence(float(np.average(scores, weights=share)), rows)


def _mean_of_folds(
    measure: Measure, y: Any, outputs: Any, tests: Any, weight: Any
) -> tuple[float, np.ndarray]:
    """Give the mean over folds and the contribution of each row.

    A row is compared with the mean of its part over all folds, so that differences between folds
    are included.
    """
    folds = [measure.parts(y[rows], out, weight[rows]) for rows, out in zip(tests, outputs)]
    n_folds, rows_of, score = len(folds), np.zeros(len(y)), 0.0
    for parts in zip(*folds):
        total = sum(part.weight.sum() for part in parts)
        mean = sum((part.weight * part.value).sum() for part in parts) / total
        score += mean * total / n_folds
        for rows, part in zip(tests, parts):
            rows_of[rows] += part.weight * (part.value - mean) / n_folds
    return score / measure.times, rows_of


def _pooled_r2(y: Any, outputs: Any, tests: Any, weight: Any) -> tuple[float, np.ndarray]:
    """Give R2 over all held-out rows of a repeat, and the contribution of each row.

    It is one minus the sum of squared errors divided by the sum of squares about the mean. A ratio
    a / b of sums changes with a row by (da - (a / b) db) / b, to first order.
    """
    rows = np.concatenate(tests)
    w = weight[rows] / weight[rows].sum()
    error = (y[rows] - np.concatenate(outputs)) ** 2
    spread = (y[rows] - (w * y[rows]).sum()) ** 2
    total, ratio = (w * spread).sum(), np.nan
    if total > 0:
        ratio = (w * error).sum() / total
    contributions = np.zeros(len(y))
    contributions[rows] = -w * (error - ratio * spread) / total
    return float(1 - ratio), contributions


def _hits(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    return [Part((outputs == y).astype(float), weight / weight.sum())]


def _hits_by_class(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    hit, present = (outputs == y).astype(float), np.unique(y)
    return [Part(hit, _share(weight * (y == k)) / len(present)) for k in range(int(y.max()) + 1)]


def _area(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    """Give the parts of the area under the ROC curve of a fold.

    The value of a row is the share of rows of the other class, in the same fold, that it is on the
    right side of (the structural components of DeLong, DeLong and Clarke-Pearson, "Comparing the
    areas under two or more correlated receiver operating characteristic curves", Biometrics 44,
    1988).
    """
    positive = y == 1
    above = _below(outputs, outputs[~positive], weight[~positive])
    under = 1 - _below(outputs, outputs[positive], weight[positive])
    return [Part(above, _share(weight * positive)), Part(under, _share(weight * ~positive))]


def _areas(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    """Give the parts of the areas of each class against the rest, averaged over classes."""
    n_classes = outputs.shape[1]
    parts = [
        part
        for k in range(n_classes)
        for part in _area((y == k).astype(int), outputs[:, k], weight)
    ]
    return [Part(part.value, part.weight / n_classes) for part in parts]


def _log_likelihood(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    probability = outputs[np.arange(len(y)), y] / outputs.sum(axis=1)
    return [Part(np.log(np.clip(probability, LEAST, 1 - LEAST)), weight / weight.sum())]


def _squared(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    return [Part(-((y - outputs) ** 2), weight / weight.sum())]


def _absolute(y: np.ndarray, outputs: np.ndarray, weight: np.ndarray) -> list[Part]:
    return [Part(-np.abs(y - outputs), weight / weight.sum())]


def _share(weight: np.ndarray) -> np.ndarray:
    total = weight.sum()
    return weight / total if total > 0 else weight


def _below(outputs: np.ndarray, others: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Give the share of the weight of others that lies below each output; ties count half."""
    order = np.argsort(others)
    cumulated = np.concatenate(([0.0], np.cumsum(weight[order])))
    if cumulated[-1] <= 0:
        return np.full(len(outputs), np.nan)
    left, right = (
        cumulated[np.searchsorted(others[order], outputs, side)] for side in ("left", "right")
    )
    return (left + right) / 2 / cumulated[-1]


MEASURES: dict[str, Measure] = {
    "accuracy": Measure("labels", _hits),
    "balanced_accuracy": Measure("labels", _hits_by_class),
    "roc_auc": Measure("decision", _area, times=2),
    "roc_auc_ovr": Measure("probability", _areas, times=2),
    "neg_log_loss": Measure("probability", _log_likelihood),
    "neg_mean_squared_error": Measure("values", _squared),
    "neg_mean_absolute_error": Measure("values", _absolute),
}
