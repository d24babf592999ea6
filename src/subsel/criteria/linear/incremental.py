"""How an evaluator with a state answers requests: flips from where it stands, else from scratch, else by refitting."""

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

REFRESH = 50  # moves after which a state is built anew
_OVERHEAD = 3e4  # what one call costs beside arithmetic, in floating-point operations


class Incremental(Position):
    """Evaluate flips of a base from a state at that base, and other subsets from scratch.

    A single request within one column or one swap of the state is answered from it; a state follows a walk
    where moving costs less than a few evaluations from scratch. A state is built anew every 50 moves,
    counted, so that drift is bounded and repeats. What the closed form cannot vouch for is refitted, and
    counted.
    """

    traits = Traits(standard_error=True)

    held_out: HeldOutFolds
    folds: Folds
    model: Any
    weights: LinearWeights | None = None

    def _stand(self, blocks: Blocks) -> None:
        self.blocks = blocks
        self._start()

    def _start(self) -> None:
        self.state: Sweep | None = None
        self.refused: frozenset[int] | None = None  # a base at which no state can be built
        self.last: frozenset[int] = frozenset()
        self.n_refits = 0
        if self.weights is not None:
            self.weights = self.weights.fork()

    # What an evaluator must say ---------------------------------------------------------------------------------------

    def _arrive(self) -> None:
        """Compute what depends on the state alone, after it was built; nothing does by default."""

    def _moved(self, flip: Flip) -> None:
        """Follow a flip of the state, where something is to follow."""

    @abstractmethod
    def _flips(
        self, added: np.ndarray | None, removed: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Give the qualities of flips from the state, and which of them can be trusted."""

    @abstractmethod
    def _outputs(self, columns: np.ndarray) -> np.ndarray:
        """Give the held-out outputs (T, N) of one subset from scratch, or raise NotTrusted."""

    @abstractmethod
    def _score(self, outputs: np.ndarray) -> np.ndarray:
        """Give the qualities of outputs (C, T, N)."""

    def _refit(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Give what the scoring needs (1, N, ...) and the predictions (N,) by fitting the model on each fold."""
        needs = self.held_out.scoring.needs
        parts = [
            _fit_fold(self.model, self.held_out, columns, *rows, needs)
            for rows in zip(self.folds.train, self.folds.test)
        ]
        outputs, predictions = (np.concatenate(part) for part in zip(*parts))
        return outputs[None], predictions

    # Requests ---------------------------------------------------------------------------------------------------------

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Give one quality per candidate."""
        changes = candidates.changes()
        if changes is not None:
            sides = [_only(side) for side in (changes.added, changes.removed)]
            single = max(changes.added.shape[1], changes.removed.shape[1]) == 1
            if single and self._go(frozenset(changes.base.tolist()), len(candidates)):
                return self._from_state(candidates.columns, *sides)
        columns = candidates.columns()
        if len(columns) == 1:
            return self._one(columns[0])
        return self._many(columns)

    def _one(self, columns: np.ndarray) -> np.ndarray:
        wanted = frozenset(columns.tolist())
        near = self._near(wanted)
        follows = self.state is not None and len(wanted ^ self.last) <= 2
        if near is None and follows and self._go(self.last, 1):
            near = self._near(wanted)
        self.last = wanted
        if near is None:
            return self._many([columns])
        return self._from_state(lambda: [columns], *near)

    def _near(self, wanted: frozenset[int]) -> tuple[np.ndarray | None, np.ndarray | None] | None:
        """What the request adds and removes, if it is one column or one swap away from the state."""
        if self.state is None or self.state.moves > REFRESH:
            return None
        here = frozenset(self.state.columns)
        added, removed = wanted - here, here - wanted
        if max(len(added), len(removed)) != 1:
            return None
        return _only(np.array([[*added]])), _only(np.array([[*removed]]))

    def _from_state(
        self, columns: Any, added: np.ndarray | None, removed: np.ndarray | None
    ) -> np.ndarray:
        qualities, trusted = self._flips(added, removed)
        trusted &= qualities == qualities
        if np.count_nonzero(trusted) < len(trusted):
            subsets = columns()
            for i in np.flatnonzero(~trusted):
                qualities[i] = self._alone(subsets[i])
        return qualities

    def _many(self, subsets: list[np.ndarray]) -> np.ndarray:
        return np.array([self._alone(columns) for columns in subsets])

    def _alone(self, columns: np.ndarray) -> float:
        try:
            return float(self._score(self._trusted_outputs(columns))[0])
        except NotTrusted:
            self.n_refits += 1
            try:
                return float(self.held_out.quality(self._refit(columns)[0])[0])
            except (
                np.linalg.LinAlgError,
                ValueError,
                IndexError,
            ):  # the model itself cannot be fitted
                return -np.inf

    def _trusted_outputs(self, columns: np.ndarray) -> np.ndarray:
        outputs = self._outputs(columns)
        if np.isnan(outputs).any():
            raise NotTrusted
        return outputs[None]

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Look closely at one set of columns."""
        columns = np.asarray(columns)
        try:
            outputs, predictions = self._shown(self._trusted_outputs(columns))
        except NotTrusted:
            outputs, predictions = self._refit(columns)
        return self.held_out.explain(outputs, predictions)

    @abstractmethod
    def _shown(self, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What the scoring needs, and the predictions, from outputs (1, T, N)."""

    def relevances(self, columns: np.ndarray, stream: tuple[int, int] = (0, 0)) -> np.ndarray:
        """The size of each weight of the model of all rows, from the held factor; refitted where that is not reliable."""
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

    # The state --------------------------------------------------------------------------------------------------------

    def _go(self, wanted: frozenset[int], n_requests: int) -> bool:
        """Bring the state to a base if that costs no more than a few answers from scratch."""
        if wanted == self.refused:
            return False
        here: frozenset[int] = frozenset()
        if self.state is not None:
            here = frozenset(self.state.columns)
            if here == wanted:
                return True
        path = sorted(here - wanted) + sorted(wanted - here)
        if not self._pays(1 + min(len(path), len(wanted) + 1), len(wanted), n_requests):
            return False
        try:
            if self.state is None or len(path) > 3 or not self._walk(self.state, path):
                self.state = Sweep(self.blocks, sorted(wanted))
                self._arrive()
        except NotTrusted:
            self.refused = wanted
            return False
        return True

    def _walk(self, state: Sweep, path: list[int]) -> bool:
        """Flip these columns; False where the state must be built anew, by now or so that it keeps its digits."""
        if state.moves + len(path) > REFRESH:
            return False
        for column in path:
            if not state.can_flip(column):
                return False
            self._moved(state.flip(column))
        return True

    def _pays(self, n_moves: int, size: int, n_requests: int) -> bool:
        """Whether moving to a base of this size fits, and costs no more than a few answers from scratch."""
        blocks, n = self.blocks, self.blocks.table.shape[1]
        if 8.0 * blocks.n_blocks * size * blocks.n_columns > blocks.memory:
            return False
        n_held = len(blocks.block_of)
        move = blocks.n_columns * (3.0 * n_held + blocks.n_blocks * n / 4) + _OVERHEAD
        gather = float(size * size)
        if blocks._whole is None:
            gather *= n / 4
        alone = blocks.n_blocks * (size**3 / 3 + gather) + n_held * size + _OVERHEAD
        return n_moves * move <= 8 * n_requests * alone


def _only(columns: np.ndarray) -> np.ndarray | None:
    """The only column of each candidate (C,) of (C, 1); None for (C, 0)."""
    return columns[:, 0] if columns.shape[1] else None


def _fit_fold(
    model: Any,
    held_out: HeldOutFolds,
    columns: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    needs: str,
) -> tuple[np.ndarray, np.ndarray]:
    """Fit a clone on one fold; give what the scoring needs and the predictions of its test rows."""
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
    """Fit a clone on these rows, with their weights."""
    weights = None
    if task.weighted:
        weights = task.row_weights[rows]
    arguments = weight_arguments(model, weights)
    with config_context(enable_metadata_routing=False):  # ours: weights are for the last step
        return clone(model).fit(task.matrix[:, columns][rows], task.y[rows], **arguments)


def check_classes(held_out: HeldOutFolds, folds: Folds) -> None:
    """Refuse folds whose training part lacks a class, which then has no model."""
    codes, n_classes = held_out.task.codes, len(held_out.task.classes)
    if folds.partition and np.bincount(codes).min() > held_out.fold_sizes.max():
        return  # no fold can hold a whole class out
    for number, train in enumerate(folds.train):
        if not np.bincount(codes[train], minlength=n_classes).all():
            raise NotExact(f"the training part of fold {number} lacks a class.")
