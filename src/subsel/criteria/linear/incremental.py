"""Evaluators with a state: they answer from it, else from scratch, else by refitting."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone

from subsel.criteria.base import Evaluation
from subsel.criteria.evaluators.position import Position
from subsel.criteria.linear.blocks import Blocks
from subsel.criteria.linear.sweep import Flip, NotTrusted, Sweep
from subsel.criteria.scoring.scoring import HeldOutFolds, NotExact
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds
from subsel.data.routing import weight_arguments
from subsel.data.task import Task
from subsel.models.relevance import model_relevance, weight_norms
from subsel.space.candidates import Candidates

if TYPE_CHECKING:
    from subsel.criteria.linear.linear_weights import LinearWeights

__all__ = ["Incremental", "NotTrusted", "check_classes"]

REFRESH = 50  # moves after which a state is built again
_OVERHEAD = 3e4  # what one call costs besides arithmetic, in floating-point operations


class Incremental(Position):
    """An evaluator that answers flips of a base from a state at that base, and others from scratch.

    A single request within one column or one swap of the state is answered from it; the state
    follows a walk where moving it costs less than a few evaluations from scratch. It is built again
    every 50 moves, counted, so that rounding errors are bounded and results repeat. Subsets for
    which the closed form is unreliable are refitted, and counted.
    """

    traits = Traits(standard_error=True)

    held_out: HeldOutFolds
    folds: Folds
    model: Any
    weights: LinearWeights | None = None

    def _set_blocks(self, blocks: Blocks) -> None:
        """Take over the moments, without a state."""
        self.blocks = blocks
        self._start()

    def _start(self) -> None:
        self.state: Sweep | None = None
        self.refused: frozenset[int] | None = None  # a base at which no state can be built
        self.last: frozenset[int] = frozenset()
        self.n_refits = 0
        if self.weights is not None:
            self.weights = self.weights.fork()

    # What an evaluator defines --------------------------------------------------------------------

    def _after_build(self) -> None:
        """Compute what depends on the state alone, after it was built; by default nothing."""

    def _after_flip(self, flip: Flip) -> None:
        """Update what depends on the state alone, after a flip of it; by default nothing."""

    @abstractmethod
    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the qualities (C,) of flips from the state, and which of them can be trusted (C,).

        Parameters
        ----------
        added, removed : ndarray of shape (C,) or None
            The column that each candidate adds, and the one it removes; one of them is None unless
            candidates are swaps.
        """

    @abstractmethod
    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        """Return the held-out outputs (T, N) of one subset from scratch, or raise NotTrusted."""

    @abstractmethod
    def _score(self, outputs: np.ndarray) -> np.ndarray:
        """Return the qualities (C,) of outputs (C, T, N)."""

    def _refit(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Fit the model on each fold; return what the scoring needs (1, N, ...) and labels."""
        needs = self.held_out.scoring.needs
        parts = [
            _fit_fold(self.model, self.held_out, columns, *rows, needs)
            for rows in zip(self.folds.train, self.folds.test)
        ]
        outputs, predictions = (np.concatenate(part) for part in zip(*parts))
        return outputs[None], predictions

    # Requests -----------------------------------------------------------------------------------

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate, larger is better."""
        changes = candidates.changes()
        if changes is not None:
            sides = [_single_column(side) for side in (changes.added, changes.removed)]
            single = max(changes.added.shape[1], changes.removed.shape[1]) == 1
            if single and self._move_to(frozenset(changes.base.tolist()), len(candidates)):
                return self._from_state(candidates.columns, *sides)
        columns = candidates.columns()
        if len(columns) == 1:
            return self._evaluate_one(columns[0])
        return self._evaluate_many(columns)

    def _evaluate_one(self, columns: np.ndarray) -> np.ndarray:
        """Return the quality (1,) of one subset, as in a walk; from the state if it is near."""
        subset = frozenset(columns.tolist())
        near = self._difference(subset)
        follows = self.state is not None and len(subset ^ self.last) <= 2
        if near is None and follows and self._move_to(self.last, 1):
            near = self._difference(subset)
        self.last = subset
        if near is None:
            return self._evaluate_many([columns])
        return self._from_state(lambda: [columns], *near)

    def _difference(
        self, subset: frozenset[int]
    ) -> tuple[np.ndarray | None, np.ndarray | None] | None:
        """Return the column a request adds to the state and the one it removes, else None.

        None means that the request is more than one column or one swap away.
        """
        if self.state is None or self.state.moves > REFRESH:
            return None
        here = frozenset(self.state.columns)
        added, removed = subset - here, here - subset
        if max(len(added), len(removed)) != 1:
            return None
        return _single_column(np.array([[*added]])), _single_column(np.array([[*removed]]))

    def _from_state(
        self, columns: Any, added: np.ndarray | None, removed: np.ndarray | None
    ) -> np.ndarray:
        """Return the qualities of flips of the state; from scratch where not to be trusted.

        ``columns()`` gives the subsets of all candidates.
        """
        qualities, trusted = self._flips(added, removed)
        trusted &= qualities == qualities
        if np.count_nonzero(trusted) < len(trusted):
            subsets = columns()
            for i in np.flatnonzero(~trusted):
                qualities[i] = self._alone(subsets[i])
        return qualities

    def _evaluate_many(self, subsets: list[np.ndarray]) -> np.ndarray:
        """Return the qualities (C,) of subsets from scratch."""
        return np.array([self._alone(columns) for columns in subsets])

    def _alone(self, columns: np.ndarray) -> float:
        """Return the quality of one subset from scratch; by refitting where not to be trusted."""
        try:
            return float(self._score(self._trusted_outputs(columns))[0])
        except NotTrusted:
            self.n_refits += 1
            try:
                return float(self.held_out.quality(self._refit(columns)[0])[0])
            except (np.linalg.LinAlgError, ValueError, IndexError):
                return -np.inf  # the model itself cannot be fitted

    def _trusted_outputs(self, columns: np.ndarray) -> np.ndarray:
        """Return the outputs (1, T, N) of one subset, or raise NotTrusted."""
        outputs = self._outputs(columns)
        if np.isnan(outputs).any():
            raise NotTrusted
        return outputs[None]

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality of one subset with its predictions, losses and fold scores."""
        columns = np.asarray(columns)
        try:
            outputs, predictions = self._scored_and_labels(self._trusted_outputs(columns))
        except NotTrusted:
            outputs, predictions = self._refit(columns)
        return self.held_out.explain(outputs, predictions)

    @abstractmethod
    def _scored_and_labels(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return what the scoring needs, and the predictions (N,), from outputs (1, T, N)."""

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """Return the size of each weight of the model of all rows; refitted where unreliable.

        Parameters
        ----------
        columns : ndarray of int
            What to train on, in order.
        stream : tuple of int
            Not used: the model is not random.
        """
        if not self.traits.relevance:
            return super().relevances(columns, stream)
        try:
            if self.weights is None:
                raise NotTrusted
            weights = self.weights.of(columns)
            if len(weights) == 1:
                return np.abs(weights[0])
            return weight_norms(weights)
        except NotTrusted:
            self.n_refits += 1
            return model_relevance(_fitted(self.model, self.held_out.task, columns, slice(None)))

    # The state ----------------------------------------------------------------------------------

    def _move_to(self, base: frozenset[int], n_requests: int) -> bool:
        """Move the state to a base; return whether it is there.

        It is not where that costs more than a few answers from scratch, or where no state can be
        built.
        """
        if base == self.refused:
            return False
        here: frozenset[int] = frozenset()
        if self.state is not None:
            here = frozenset(self.state.columns)
            if here == base:
                return True
        path = sorted(here - base) + sorted(base - here)
        if not self._is_worth_moving(1 + min(len(path), len(base) + 1), len(base), n_requests):
            return False
        try:
            if self.state is None or len(path) > 3 or not self._flip_along(self.state, path):
                self.state = Sweep(self.blocks, sorted(base))
                self._after_build()
        except NotTrusted:
            self.refused = base
            return False
        return True

    def _flip_along(self, state: Sweep, path: list[int]) -> bool:
        """Flip these columns of the state; return False where it must be built again.

        That is after REFRESH moves, or where a flip would cost digits.
        """
        if state.moves + len(path) > REFRESH:
            return False
        for column in path:
            if not state.can_flip(column):
                return False
            self._after_flip(state.flip(column))
        return True

    def _is_worth_moving(self, n_moves: int, size: int, n_requests: int) -> bool:
        """Return whether moving to a base fits in memory and costs few answers from scratch."""
        # A move updates the coupling, p * s numbers per block, and M * p residuals, after a row of
        # products that costs n * p per block; from scratch a subset costs a Cholesky factor, s^3 /
        # 3, and the gathering of its moments.
        blocks, n = self.blocks, self.blocks.table.shape[1]
        if 8.0 * blocks.n_blocks * size * blocks.n_columns > blocks.memory:
            return False
        n_held = len(blocks.block_of)
        move = blocks.n_columns * (3.0 * n_held + blocks.n_blocks * n / 4) + _OVERHEAD
        gather = float(size * size)
        if blocks._whole is None:
            gather *= n / 4
        scratch = blocks.n_blocks * (size**3 / 3 + gather) + n_held * size + _OVERHEAD
        return n_moves * move <= 8 * n_requests * scratch


def _single_column(columns: np.ndarray) -> np.ndarray | None:
    """Return the only column of each candidate (C,), given (C, 1); None for (C, 0)."""
    return columns[:, 0] if columns.shape[1] else None


def _fit_fold(
    model: Any,
    held_out: HeldOutFolds,
    columns: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    needs: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a clone on one fold; return what the scoring needs and the predictions of its test rows.

    `columns` are those of the subset, `train` and `test` rows of the task, and `needs` is the
    scoring's.
    """
    task = held_out.task
    fitted, X = _fitted(model, task, columns, train), task.matrix[:, columns][test]
    if task.kind == "regression":
        values = fitted.predict(X)
        return values, values
    labels = np.searchsorted(task.classes, fitted.predict(X))
    if needs == "labels":
        return labels, labels
    if needs == "decision" and hasattr(fitted, "decision_function"):
        return fitted.decision_function(X), labels
    chances = fitted.predict_proba(X)
    if needs == "decision":
        return chances[:, 1], labels
    return chances, labels


def _fitted(model: Any, task: Task, columns: np.ndarray, rows: np.ndarray | slice) -> Any:
    """Return a clone of the model fitted on these columns and rows, with their weights."""
    weights = None
    if task.weighted:
        weights = task.row_weights[rows]
    arguments = weight_arguments(model, weights)
    with config_context(enable_metadata_routing=False):  # weights are for the last step
        return clone(model).fit(task.matrix[:, columns][rows], task.y[rows], **arguments)


def check_classes(held_out: HeldOutFolds, folds: Folds) -> None:
    """Raise NotExact for a training part that lacks a class, which then has no model."""
    codes, n_classes = held_out.task.codes, len(held_out.task.classes)
    if folds.partition and np.bincount(codes).min() > held_out.fold_sizes.max():
        return  # no fold can hold a whole class out
    for number, train in enumerate(folds.train):
        if not np.bincount(codes[train], minlength=n_classes).all():
            raise NotExact(f"the training part of fold {number} lacks a class.")
