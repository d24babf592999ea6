"""Naive Bayes on categories: log-likelihoods add up over columns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.evaluators.footprint import CHUNK, Footprint, Shape
from subsel.criteria.evaluators.position import Position
from subsel.criteria.registry import criterion
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, scoring_of
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds, make_folds
from subsel.data.intervals.codes import CodeTable, code_table
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["DiscreteNaiveBayes", "LogLikelihoods"]

BLOCK = 1 << 22  # numbers in one block of candidates
TIE = 1e-9  # differences between log-likelihoods up to this are rounding


@criterion("discrete-naive-bayes")
@dataclass(frozen=True)
class DiscreteNaiveBayes(Parameters):
    r"""Cross-validated score of naive Bayes on discrete columns [1]_.

    .. math:: \arg\max_c \; \ln \pi_c + \sum_{j \in S} \ln \frac{n_{jvc} + \alpha}{n_c + \alpha V_j}

    Equal to scikit-learn's ``CategoricalNB`` refitted on the codes in every fold
    (``min_categories`` the number of values in the whole table), except for ties: among classes
    whose log-likelihoods differ by less than 1e-9 the first is predicted, where scikit-learn lets
    rounding decide. Row weights weight the counts. Numeric columns are discretised once, on all
    rows, without the classes.

    Parameters
    ----------
    alpha : float, default=1.0
        Smoothing: what is added to each count.
    discretiser : transformer or None, default=None
        As in :class:`Inconsistency`.
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``; None is accuracy. A scoring that is not a function of held-out
        outputs raises NotExact.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    memory : int, default=2**30
        Bytes that may be used: the p x n x classes log-likelihoods are stored if they fit, and
        otherwise looked up again for each candidate.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 1, section 1.3.1.

    Examples
    --------
    >>> y = np.arange(40) % 2
    >>> task = Task.of(np.column_stack([y, np.arange(40) // 20]), y)
    >>> evaluator = DiscreteNaiveBayes().bind(task)
    >>> evaluator.explain(np.array([0])).quality, evaluator.explain(np.array([1])).quality
    (1.0, 0.5)
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)
    gives: ClassVar[tuple[Needs, ...]] = ("labels", "decision", "probability")

    alpha: float = 1.0
    discretiser: Any = None
    _: KW_ONLY
    cv: Any = 5
    scoring: Any = None
    pooled: bool = False
    memory: int = 1 << 30

    def footprint(self, shape: Shape) -> Footprint:
        """Return the bytes of the codes, and of the log-likelihoods if they fit."""
        least = 1.5 * shape.table + min(CHUNK, 4 * shape.table)
        return Footprint(least, least + 2.0 * shape.table * shape.classes)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Count the values of each class in every training part."""
        if task.kind != "classification":
            raise ValueError("naive Bayes needs classes as target, got a quantity.")
        scoring = scoring_of(self, task)
        folds = make_folds(self.cv, task)
        table = code_table(task.matrix, task.y, self.discretiser)
        held = HeldOutFolds.of(task, folds, scoring, self.pooled)
        weights, prior = _train(table, folds, self.alpha, task.sample_weight)
        return LogLikelihoods(held, table.codes[held.rows], weights, prior, self.memory)


class LogLikelihoods(Position):
    """The log-likelihoods of the held-out rows under each class, at a base.

    Those of a subset are the prior plus a term per column, so that a column enters or leaves by one
    addition; N is the number of held-out rows.

    Parameters
    ----------
    held : HeldOutFolds
        The rows held out, and how they are scored.
    codes : ndarray of shape (N, columns)
        The category of each held-out row.
    weights : ndarray of shape (folds, columns, categories, classes)
        The log-likelihood of each category.
    prior : ndarray of shape (folds, classes)
        The log-probability of each class.
    memory : float
        Bytes that the stored terms may take.
    """

    traits = Traits("discrete naive Bayes", standard_error=True)

    def __init__(
        self,
        held: HeldOutFolds,
        codes: np.ndarray,
        weights: np.ndarray,
        prior: np.ndarray,
        memory: float,
    ) -> None:
        self.held, self.codes, self.weights, self.prior = held, codes, weights, prior
        self.fold_of = np.repeat(np.arange(len(prior)), np.diff(held.bounds))
        # an infinity that was added cannot be subtracted again
        self.finite = bool(np.isfinite(weights).all())
        n_columns, n_bytes = codes.shape[1], 8 * codes.size * weights.shape[3]
        self.kept = None
        if n_bytes <= memory:
            self.kept = self._look_up(np.arange(n_columns))
        self._start()

    def _start(self) -> None:
        """Return to the empty base."""
        self.base, self.sums = b"", self.prior[self.fold_of]

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate, a block of candidates at a time."""
        changes = candidates.changes()
        if changes is None or not (self.finite or changes.removed.shape[1] == 0):
            return np.concatenate(
                [self._scored(self._total(columns)[None]) for columns in candidates.columns()]
            )
        self._move(changes.base)
        step = max(1, BLOCK // self.sums.size)
        blocks = [slice(start, start + step) for start in range(0, len(candidates), step)]
        return np.concatenate([self._scored(self._flipped(changes, block)) for block in blocks])

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality of one subset with its held-out predictions."""
        total = self._total(columns)
        return self.held.explain(self._outputs(total[None]), _likeliest(total))

    def _move(self, columns: np.ndarray) -> None:
        """Move to the base of these columns."""
        if columns.tobytes() != self.base:
            self.base, self.sums = columns.tobytes(), self._total(columns)

    def _total(self, columns: np.ndarray) -> np.ndarray:
        """Return the log-likelihoods (N, classes) of one subset, added column by column."""
        total = self.prior[self.fold_of]
        for j in columns:
            total = total + self._terms(np.array([j]))[0]
        return total

    def _flipped(self, changes: Any, block: slice) -> np.ndarray:
        """Return the log-likelihoods (C, N, classes) of some candidates, as flips of the base."""
        total = np.repeat(self.sums[None], len(changes.added[block]), axis=0)
        for j in range(changes.added.shape[1]):
            total += self._terms(changes.added[block, j])
        for j in range(changes.removed.shape[1]):
            total -= self._terms(changes.removed[block, j])
        return total

    def _terms(self, columns: np.ndarray) -> np.ndarray:
        """Return the terms (C, N, classes) of columns (C,)."""
        if self.kept is None:
            return self._look_up(columns)
        return self.kept[columns]

    def _look_up(self, columns: np.ndarray) -> np.ndarray:
        """Return the terms (C, N, classes) of columns (C,) from the tables of categories."""
        values = self.codes[:, columns].T
        return self.weights[self.fold_of[None, :], columns[:, None], values]

    def _scored(self, totals: np.ndarray) -> np.ndarray:
        """Return the qualities (C,) of log-likelihoods (C, N, classes)."""
        return self.held.quality(self._outputs(totals))

    def _outputs(self, totals: np.ndarray) -> np.ndarray:
        """Return what the scoring needs of log-likelihoods (C, N, classes)."""
        needs = self.held.scoring.needs
        if needs == "labels":
            return _likeliest(totals)
        shifted = np.exp(totals - totals.max(axis=2, keepdims=True))
        probability = shifted / shifted.sum(axis=2, keepdims=True)
        if needs == "probability":
            return probability
        return probability[:, :, 1]


def _likeliest(totals: np.ndarray) -> np.ndarray:
    """Return the first class whose log-likelihood (..., classes) is the largest, to rounding."""
    return (totals >= totals.max(axis=-1, keepdims=True) - TIE).argmax(axis=-1)


def _train(
    table: CodeTable, folds: Folds, alpha: float, row_weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the log-likelihoods of categories and the log-probabilities of classes, fold by fold.

    Returns
    -------
    weights : ndarray of shape (folds, columns, values, classes)
        From smoothed counts.
    prior : ndarray of shape (folds, classes)
        From the shares of the classes.
    """
    n_values, n_classes = table.n_values, table.n_classes
    n_own_values = [len(np.unique(table.codes[:, j])) for j in range(table.n_columns)]
    weights = np.empty((len(folds), table.n_columns, n_values, n_classes))
    prior = np.empty((len(folds), n_classes))
    classes = table.classes.astype(np.int64)
    for f, train in enumerate(folds.train):
        each = None if row_weights is None else row_weights[train]
        sizes = np.bincount(classes[train], each, minlength=n_classes)
        with np.errstate(divide="ignore"):
            prior[f] = np.log(sizes / sizes.sum())
        for j in range(table.n_columns):
            cells = table.codes[train, j].astype(np.int64) * n_classes + classes[train]
            counts = np.bincount(cells, each, minlength=n_values * n_classes).reshape(
                n_values, n_classes
            )
            with np.errstate(divide="ignore", invalid="ignore"):
                weights[f, j] = np.log(counts + alpha) - np.log(sizes + alpha * n_own_values[j])
    return weights, prior
