"""The margin of the nearest-neighbour rule as a criterion of a subset, maximised by G-flip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from subsel._loops.neighbours.arguments import Voting
from subsel.criteria.base import Evaluation, Evaluator, refuse_weights
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.neighbours.distances import Block, Nearest
from subsel.criteria.neighbours.metric import Metric
from subsel.criteria.neighbours.queries import Queries
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task
from subsel.ranking.scores.neighbours.hypothesis_margin import margin_utility, mean_distance
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["Margin"]


@criterion("margin")
@dataclass(frozen=True)
class Margin(Parameters):
    r"""The summed utility of the margins of all rows under the nearest-neighbour rule [1]_.

    .. math:: e(F) = \sum_x u(\theta_F(x)),\quad
              \theta_F(x) = \tfrac12
              \big( \|x - \mathrm{miss}(x)\|_F - \|x - \mathrm{hit}(x)\|_F \big)

    Hit and miss are the nearest other rows of the same class and of any other class. Squared
    distances are stored for one subset and updated column by column, two per pair of rows. The only
    row of a class has no hit and is left out.

    Parameters
    ----------
    utility : {"linear", "zero-one", "sigmoid"}, default="linear"
        ``"linear"`` sums the margins, ``"zero-one"`` counts the positive ones (the rows that
        leave-one-out 1-NN gets right), ``"sigmoid"`` sums 1 / (1 + exp(-beta theta)).
    beta : float or None, default=None
        Steepness of the sigmoid, by default one over the mean distance of two rows over all
        columns.
    memory : float, default=2e9
        Bytes that distances may take (40 per pair of rows); beyond, they are summed block by block.
    held_out : float or None, default=None
        Sum the margins of this share of the rows of each class only, drawn once per run, with
        neighbours among the other rows: the margin on a validation set [2]_.

    References
    ----------
    .. [1] Gilad-Bachrach, Navot and Tishby, in Guyon et al. (eds.), *Feature Extraction*, 2006,
       chapter 29, section 29.2.
    .. [2] Gilad-Bachrach and Navot, *Combining a filter method with SVMs*, ibid., chapter 17 (an
       early G-flip).

    Examples
    --------
    >>> task = Task.of(np.array([[0.0, 3], [1, 1], [5, 2], [7, 2]]), [0, 0, 1, 1])
    >>> Margin().bind(task).explain(np.array([0])).quality
    6.5
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    utility: Literal["linear", "zero-one", "sigmoid"] = "linear"
    beta: float | None = None
    _: KW_ONLY
    memory: float = 2e9
    held_out: float | None = None

    def footprint(self, shape: Shape) -> Footprint:
        """Distances between rows."""
        return Footprint.distances(shape, per_pair=40.0)

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> Evaluator:
        """Pair each row with the rows that may be its hit and its miss."""
        if self.utility not in ("linear", "zero-one", "sigmoid"):
            raise ValueError(
                f"utility must be 'linear', 'zero-one' or 'sigmoid', got {self.utility!r}."
            )
        if task.kind != "classification":
            raise ValueError("y must hold classes for the margin, got a quantity.")
        refuse_weights(task, "Margin")
        beta = self.beta
        if self.utility == "sigmoid" and beta is None:
            beta = 1.0 / mean_distance(task.matrix)
        queried = answering = np.ones(task.n_rows, dtype=bool)
        if self.held_out is not None:
            queried = self._held_out_rows(task, seed)
            answering = ~queried
        no_votes = np.zeros(task.n_rows)
        metric = Metric(task.matrix.T, _hits_and_misses(task, queried, answering), False)
        voting = Voting(1, no_votes.astype(np.int64), no_votes, 0)
        nearest = Nearest(metric, voting, 0, self.memory, np.empty(0, dtype=np.int64))
        return _Evaluator(nearest, self.utility, beta)

    def _held_out_rows(self, task: Task, seed: int | np.random.SeedSequence | None) -> np.ndarray:
        """Draw a mask of the rows held out, which leaves at least one row of each class."""
        assert self.held_out is not None
        if not 0 < self.held_out < 1:
            raise ValueError(f"held_out must lie between 0 and 1, got {self.held_out!r}.")
        if seed is None:
            seed = 0
        rng, held = np.random.default_rng(seed), np.zeros(task.n_rows, dtype=bool)
        for code in range(len(task.classes)):
            rows = rng.permutation(np.flatnonzero(task.codes == code))
            held[rows[: min(len(rows) - 1, max(1, round(self.held_out * len(rows))))]] = True
        if not held.any():
            raise ValueError("held_out needs a class of at least two rows, all classes have one.")
        return held


def _hits_and_misses(task: Task, queried: np.ndarray, answering: np.ndarray) -> Queries:
    """Make two queries of each row: one answered by its own class, one by all other classes.

    ``queried`` and ``answering`` are masks of shape (n,). All queries for hits come first.
    """
    codes, n_classes = task.codes, len(task.classes)
    has_hit = np.bincount(codes[answering], minlength=n_classes)[codes] > answering
    rows = np.flatnonzero(has_hit & queried)
    same = codes == np.arange(n_classes)[:, None]
    part = np.concatenate([codes[rows], n_classes + codes[rows]])
    scale = np.ones((1, task.n_columns))
    near = np.concatenate([same & answering, ~same & answering])
    return Queries(np.tile(rows, 2), part, near, True, scale, np.zeros_like(part))


class _Evaluator(Evaluator):
    """Evaluates the utility of margins from the distances to the nearest hit and miss."""

    traits = Traits("margin")

    def __init__(self, nearest: Nearest, utility: str, beta: float | None) -> None:
        self.nearest, self.utility, self.beta = nearest, utility, beta

    def fork(self) -> Evaluator:
        """Return an evaluator that shares the data but not the distances."""
        return _Evaluator(self.nearest.fork(), self.utility, self.beta)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """One quality per candidate."""
        near, changes = self.nearest, candidates.changes()
        if changes is None or changes.added.shape[1] > 1 or changes.removed.shape[1] > 1:
            return np.array([self._quality(near.subset(c).kth[:, 0]) for c in candidates.columns()])
        base, added, removed = (
            changes.base,
            changes.added[:, :1].ravel(),
            changes.removed[:, :1].ravel(),
        )
        if not len(removed):
            return self._blocks(near.additions(base, added), len(added))
        if not len(added):
            return self._blocks(near.removals(base, removed), len(removed))
        qualities = np.empty(len(added))
        for column in np.unique(removed):
            here = np.flatnonzero(removed == column)
            qualities[here] = self._blocks(near.swaps(base, column, added[here]), len(here))
        return qualities

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Evaluate one set of columns; there is nothing to add to its quality."""
        return Evaluation(self._quality(self.nearest.subset(columns).kth[:, 0]))

    def _blocks(self, blocks: Iterator[Block], n_candidates: int) -> np.ndarray:
        qualities = np.empty(n_candidates)
        for which, found in blocks:
            qualities[which] = [self._quality(kth) for kth in found.kth.T[: len(which)]]
        return qualities

    def _quality(self, squared: np.ndarray) -> float:
        """Utility of squared distances of shape (2 rows,), those to hits first."""
        hit, miss = np.sqrt(squared).reshape(2, -1)
        return margin_utility((miss - hit) / 2, self.utility, self.beta)
