"""Criteria made of pairwise associations: relevance to the target against redundancy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.evaluators.position import Position
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.intervals.codes import code_table
from subsel.data.task import Kind, Task
from subsel.ranking.orders.associations import associations
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["CorrelationMerit", "RedundancyPenalised"]


@criterion("correlation-merit")
@dataclass(frozen=True)
class CorrelationMerit(Parameters):
    r"""The merit of correlation-based feature selection (CFS) [1]_ [2]_.

    .. math:: \frac{\sum_{j \in S} r_{jy}}{\sqrt{|S| + 2 \sum_{j < k \in S} r_{jk}}}

    Parameters
    ----------
    association : {"uncertainty", "pearson"}, default="uncertainty"
        Symmetrical uncertainties of the discretised columns (classification), or absolute
        correlations (also regression).
    discretiser : transformer or None, default=None
        As in :class:`Inconsistency`.
    memory : float, default=2**30
        Bytes that stored rows of p associations may take, one row per column that was in a base.

    References
    ----------
    .. [1] Hall, *Correlation-based feature selection for machine learning*, PhD thesis, University
       of Waikato, 1999.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, chapter 3, equation 3.13, with the
       factor k that is missing there.

    Examples
    --------
    >>> a, b = np.array([1.0, -1, 1, -1]), np.array([1.0, 1, -1, -1])
    >>> evaluator = CorrelationMerit("pearson").bind(Task.of(np.column_stack([a, b]), a + b))
    >>> round(evaluator.quality(np.array([0])), 4), round(evaluator.quality(np.array([0, 1])), 4)
    (0.7071, 1.0)
    """

    association: Literal["uncertainty", "pearson"] = "uncertainty"
    discretiser: Any = None
    _: KW_ONLY
    memory: float = 2**30

    @property
    def serves(self) -> tuple[Kind, ...]:
        """The kinds of task: uncertainties are those of classes."""
        if self.association == "uncertainty":
            return ("classification",)
        return ("classification", "regression")

    def footprint(self, shape: Shape) -> Footprint:
        """Associations of columns."""
        return Footprint.associations(shape)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the association of every column with the target."""
        if task.kind == "regression" and self.association == "uncertainty":
            raise ValueError(
                "association='uncertainty' needs classes: use association='pearson' for a numeric "
                "target."
            )
        refuse_weights(task, "CorrelationMerit")
        with_target, with_column = associations(
            task.matrix, task.y, self.association, self.discretiser
        )
        own = np.zeros_like(with_target)
        return _Pairwise(
            with_target,
            with_column,
            own,
            formula=_merit,
            name="correlation merit",
            memory=self.memory,
        )


@criterion("redundancy-penalised")
@dataclass(frozen=True)
class RedundancyPenalised(Parameters):
    r"""Relevance minus redundancy of a whole subset, in nats of mutual information [1]_ [2]_.

    ``form="mrmr"`` takes means, ``form="mifs"`` sums with a weight:

    .. math:: \frac{1}{|S|}\sum_{j} I(X_j;Y) - \frac{1}{|S|^2}\sum_{j,k} I(X_j;X_k), \qquad
              \sum_{j} I(X_j;Y) - \beta \sum_{j<k} I(X_j;X_k)

    Adding greedily by the second is Battiti's MIFS. The self-information of a column counts in the
    first, as published.

    Parameters
    ----------
    form : {"mrmr", "mifs"}, default="mrmr"
        Means, or sums with a weight.
    beta : float, default=0.7
        The weight of redundancy in ``"mifs"``.
    discretiser : transformer or None, default=None
        As in :class:`Inconsistency`.
    memory : float, default=2**30
        Bytes that stored rows of p associations may take, one row per column that was in a base.

    References
    ----------
    .. [1] Battiti, *Using mutual information for selecting features in supervised neural net
       learning*, IEEE Transactions on Neural Networks 5, 1994; Guyon et al. (eds.), *Feature
       Extraction*, 2006, chapter 6, equation 6.18.
    .. [2] Peng, Long and Ding, *Feature selection based on mutual information: criteria of
       max-dependency, max-relevance, and min-redundancy*, IEEE Transactions on Pattern Analysis and
       Machine Intelligence 27, 2005.

    Examples
    --------
    >>> a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> task = Task.of(np.column_stack([a, a, b]), 2 * a + b, "classification")
    >>> evaluator = RedundancyPenalised("mifs").bind(task)
    >>> subsets = np.array([0]), np.array([0, 1]), np.array([0, 2])
    >>> [round(float(evaluator.quality(columns) / np.log(2)), 2) for columns in subsets]
    [1.0, 1.3, 2.0]
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    form: Literal["mrmr", "mifs"] = "mrmr"
    beta: float = 0.7
    _: KW_ONLY
    discretiser: Any = None
    memory: float = 2**30

    def footprint(self, shape: Shape) -> Footprint:
        """Associations of columns."""
        return Footprint.associations(shape)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the mutual information of every column with the target."""
        if task.kind != "classification":
            raise ValueError(
                "y must hold classes for mutual information: discretise the target first."
            )
        refuse_weights(task, "RedundancyPenalised")
        table = code_table(task.matrix, task.y, self.discretiser)
        if self.form == "mifs":
            formula: Callable = partial(_mifs, self.beta)
        elif self.form == "mrmr":
            formula = _mrmr
        else:
            raise ValueError(f"form must be 'mrmr' or 'mifs', got {self.form!r}.")
        return _Pairwise(
            table.with_class(),
            table.with_column,
            table.entropies(),
            formula=formula,
            name=self.form,
            memory=self.memory,
        )


class _Sums(NamedTuple):
    """The sums from which the formulas are computed, one entry per candidate."""

    relevance: np.ndarray  # associations of the columns with the target
    pairs: np.ndarray  # associations of all pairs of columns
    own: np.ndarray  # associations of each column with itself
    size: Any  # the number of columns, one for all or (candidates,)


def _merit(sums: _Sums) -> np.ndarray:
    return sums.relevance / np.sqrt(sums.size + 2 * sums.pairs)


def _mrmr(sums: _Sums) -> np.ndarray:
    redundancy = 2 * sums.pairs + sums.own
    return sums.relevance / sums.size - redundancy / sums.size**2


def _mifs(beta: float, sums: _Sums) -> np.ndarray:
    return sums.relevance - beta * sums.pairs


class _Pairwise(Position):
    """Evaluates sums of associations, updated from a base.

    ``with_base`` of shape (p,) holds the sum of associations of every column with those of the
    base.
    """

    def __init__(
        self,
        with_target: np.ndarray,
        with_column: Callable[[int], np.ndarray],
        own: np.ndarray,
        *,
        formula: Callable[[_Sums], np.ndarray],
        name: str,
        memory: float,
    ) -> None:
        self.room = max(
            1, int(memory / (8 * len(with_target)))
        )  # number of rows that may be stored
        self.with_target, self.with_column, self.own = with_target, with_column, own
        self.formula, self.traits = formula, Traits(name)
        self.rows: dict[int, np.ndarray] = {}
        self._start()

    def _start(self) -> None:
        self.base: tuple[int, ...] = ()
        self.with_base = np.zeros_like(self.with_target)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Evaluate the formula at the sums of each candidate."""
        changes = candidates.changes()
        if changes is None:
            return np.array([self._from_scratch(columns) for columns in candidates.columns()])
        # A quadratic form in the indicator of the subset: flipping column j changes the sum over
        # pairs by its associations with the base; flips of the same candidate add their mutual
        # terms, with the product of their signs.
        self._move(changes.base)
        relevance = self.with_target[changes.base].sum()
        pairs = self.with_base[changes.base].sum() / 2
        own, size = self.own[changes.base].sum(), len(changes.base)
        for sign, flips in ((1, changes.added), (-1, changes.removed)):
            relevance = relevance + sign * self.with_target[flips].sum(axis=1)
            own = own + sign * self.own[flips].sum(axis=1)
            pairs = pairs + sign * self.with_base[flips].sum(axis=1)
            size = size + sign * flips.shape[1]
        signed = np.hstack([changes.added, -1 - changes.removed])
        return self.formula(_Sums(relevance, pairs + self._mutual_terms(signed), own, size))

    def quality(self, columns: np.ndarray) -> float:
        """Evaluate one subset from scratch."""
        return self._from_scratch(columns)

    def _from_scratch(self, columns: np.ndarray) -> float:
        pairs = sum(self._row(int(j))[columns[i + 1 :]].sum() for i, j in enumerate(columns))
        relevance, own = self.with_target[columns].sum(), self.own[columns].sum()
        return float(self.formula(_Sums(relevance, pairs, own, len(columns))))

    def _mutual_terms(self, signed: np.ndarray) -> np.ndarray:
        """Sum the associations among the flipped columns of each candidate, times their signs.

        ``signed`` of shape (candidates, flips) holds added columns j as j and removed ones as -1 -
        j.
        """
        total = np.zeros(len(signed))
        for a in range(signed.shape[1]):
            for b in range(a):
                first, second = signed[:, a], signed[:, b]
                j, k = (
                    np.where(first < 0, -1 - first, first),
                    np.where(second < 0, -1 - second, second),
                )
                sign = np.where(first < 0, -1, 1) * np.where(second < 0, -1, 1)
                total += sign * np.array([self._row(int(x))[y] for x, y in zip(j, k)])
        return total

    def _move(self, columns: np.ndarray) -> None:
        """Update the base and ``with_base``, in place, to these columns."""
        base = tuple(columns.tolist())
        if base != self.base:
            self.base = base
            self.with_base = np.zeros_like(self.with_target)
            if base:
                self.with_base = np.sum([self._row(j) for j in base], axis=0)

    def _row(self, j: int) -> np.ndarray:
        """Associations (p,) of one column with all columns, 0 with itself."""
        if j not in self.rows:
            if len(self.rows) >= self.room:
                self.rows.clear()
            row = np.array(self.with_column(j), dtype=float)
            row[j] = 0.0
            self.rows[j] = row
        return self.rows[j]
