"""Nearest neighbours as a criterion of a subset: exact cross-validated votes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from subsel._loops.neighbours.arguments import Votes, Voting
from subsel.criteria.base import Evaluation, Evaluator, refuse_weights
from subsel.criteria.evaluators.acceleration import on_device
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.neighbours.distances import Block, Nearest
from subsel.criteria.neighbours.metric import Metric
from subsel.criteria.neighbours.queries import Queries
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scaling import Scaling, multipliers
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, NotExact, scoring_of
from subsel.criteria.traits import Traits
from subsel.data.folds import make_folds
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["NearestNeighbours"]

HITS = ("accuracy", "f1_micro")  # scores that depend on the counts of correct labels only


def _neighbours(model: Any) -> dict[str, Any] | None:
    metric = {
        "euclidean": "euclidean",
        "l2": "euclidean",
        "manhattan": "l1",
        "l1": "l1",
        "cityblock": "l1",
    }.get(model.metric)
    if model.metric == "minkowski":
        metric = {2: "euclidean", 1: "l1"}.get(model.p)
    if metric is None or model.metric_params or model.weights not in ("uniform", "distance"):
        return None
    return {"n_neighbors": model.n_neighbors, "weights": model.weights, "metric": metric}


@criterion("nearest-neighbours")
@dataclass(frozen=True)
class NearestNeighbours(Parameters):
    """The cross-validated score of k-nearest neighbours.

    It equals that of refitting scikit-learn's models at every subset.

    Parameters
    ----------
    n_neighbors : int, default=5
        As in ``KNeighborsClassifier`` and ``KNeighborsRegressor``.
    weights : {"uniform", "distance"}, default="uniform"
        As there.
    metric : {"euclidean", "l1"}, default="euclidean"
        Both are sums over columns (the former before its root is taken).
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``; None is accuracy or R2. One that is no function of held-out
        outputs raises NotExact.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    scaling : {"standard", "minmax"} or None, default=None
        Scale each column within each training fold, as a pipeline would.
    memory : float, default=2e9
        Bytes that distances may take (20 per pair of a held-out row and any row); where they need
        more, they are summed again for each subset.
    device : str or None, default=None
        ``"cpu"`` or ``"cuda"``: batches of subsets are evaluated there through PyTorch (the extra
        ``accelerator``). None uses the compiled loops of the processor.

    Notes
    -----
    Ties: distances that agree to 1e-12 are equal, and among rows tied for the last place the lowest
    row numbers are selected (scikit-learn's own algorithms disagree there). ``n_ties`` of the
    evaluator counts the held-out rows for which this happened. Ties of votes go to the smallest
    class label, as in scikit-learn.

    Cost: distances over a subset are summed once for all candidates that add a column to it or
    remove one. Only the few dozen rows that may become near for any of sixteen candidates are
    measured for each of them. For the first column, rows are sorted by its values. For single
    subsets of more than 24 columns, distances are stored and updated by the columns that differ.
    Near rows are listed in single precision, with a bound on its errors, and decided in double
    precision where these errors could matter.

    References
    ----------
    .. [1] T. M. Cover and P. E. Hart, Nearest neighbor pattern classification, IEEE Transactions on
       Information Theory 13, 1967.

    Examples
    --------
    >>> from subsel.space.space import Space
    >>> X = np.array([[0.0, 5], [0.1, 1], [0.2, 4], [1.0, 2], [1.1, 5], [1.2, 3]])
    >>> task = Task.of(X, [0, 0, 0, 1, 1, 1])
    >>> evaluator = NearestNeighbours(n_neighbors=1, cv=3).bind(task)
    >>> space = Space.of(2)
    >>> evaluator.evaluate(space.additions(space.empty()))
    array([1. , 0.33333333])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification", "regression")
    gives: ClassVar[tuple[Needs, ...]] = ("labels", "decision", "probability", "values")
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent("sklearn.neighbors:KNeighborsClassifier", _neighbours),
        Equivalent("sklearn.neighbors:KNeighborsRegressor", _neighbours),
    )

    n_neighbors: int = 5
    weights: Literal["uniform", "distance"] = "uniform"
    _: KW_ONLY
    metric: Literal["euclidean", "l1"] = "euclidean"
    cv: Any = 5
    scoring: str | Callable | None = None
    pooled: bool = False
    scaling: Scaling | None = None
    memory: float = 2e9
    device: str | None = None

    def footprint(self, shape: Shape) -> Footprint:
        """Distances between rows."""
        return Footprint.distances(shape, per_pair=20.0)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Make the folds and the queries of their held-out rows."""
        if self.weights not in ("uniform", "distance"):
            raise ValueError(f"weights must be 'uniform' or 'distance', got {self.weights!r}.")
        if self.metric not in ("euclidean", "l1"):
            raise ValueError(f"metric must be 'euclidean' or 'l1', got {self.metric!r}.")
        refuse_weights(task, "NearestNeighbours")
        scoring = scoring_of(self, task)
        folds = make_folds(self.cv, task)
        if not folds.drawn_once:
            raise NotExact("a training part holds a row twice, which then votes twice.")
        held_out = HeldOutFolds.of(task, folds, scoring, self.pooled)
        queries = Queries.of(folds, multipliers(task, folds, self.scaling))
        if not 1 <= self.n_neighbors <= queries.fewest:
            raise ValueError(
                f"n_neighbors must lie in [1, {queries.fewest}], the number of training rows, "
                f"got {self.n_neighbors}."
            )
        codes, values, n_channels = np.zeros(task.n_rows, dtype=np.int64), task.y, 1
        if task.kind == "classification":
            codes, values = task.codes.astype(np.int64), np.ones(task.n_rows)
            n_channels = len(task.classes)
        by_distance = 0
        if self.weights == "distance":
            by_distance = {"euclidean": 1, "l1": 2}[self.metric]
        fold = np.empty(0, dtype=np.int64)
        if held_out.scoring.name in HITS:
            fold = np.repeat(np.arange(len(held_out.fold_sizes)), held_out.fold_sizes)
        metric = Metric(task.matrix.T, queries, self.metric == "l1")
        voting = Voting(self.n_neighbors, codes, values, by_distance)
        nearest = Nearest(metric, voting, n_channels, self.memory, fold)
        return on_device(_Evaluator(nearest, held_out), self.device, type(self).__name__)


class _Evaluator(Evaluator):
    """Scores the votes of the nearest rows."""

    def __init__(self, nearest: Nearest, held_out: HeldOutFolds) -> None:
        self.nearest, self.held_out = nearest, held_out
        self.traits = Traits(f"exact {nearest.voting.k}-nearest neighbours", standard_error=True)

    @property
    def n_ties(self) -> int:
        """Number of held-out rows, over all scans, that had to choose among tied neighbours."""
        return self.nearest.n_ties

    def fork(self) -> Evaluator:
        """Return an evaluator that shares the data but not the distances."""
        return _Evaluator(self.nearest.fork(), self.held_out)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """One quality per candidate."""
        changes = candidates.changes()
        if changes is None or changes.added.shape[1] > 1 or changes.removed.shape[1] > 1:
            found = (self.nearest.subset(columns) for columns in candidates.columns())
            return np.concatenate([self._qualities(each, 1) for each in found])
        base, added, removed = changes.base, changes.added[:, :1], changes.removed[:, :1]
        if not removed.shape[1]:
            return self._blocks(self.nearest.additions(base, added[:, 0]), len(added))
        if not added.shape[1]:
            return self._blocks(self.nearest.removals(base, removed[:, 0]), len(removed))
        return self._swaps(base, added[:, 0], removed[:, 0])

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Evaluate one set of columns, score each fold and predict the held-out rows."""
        votes = self.nearest.subset(columns, votes=True).votes[:, :, :1]
        outputs = self._outputs(votes)
        if self.held_out.scoring.needs == "values":
            return self.held_out.explain(outputs, outputs[0])
        return self.held_out.explain(outputs, self._labels(votes)[0])

    def _blocks(self, blocks: Iterator[Block], n_candidates: int) -> np.ndarray:
        """Score blocks of candidates and put the qualities in the order of the candidates."""
        qualities = np.empty(n_candidates)
        for which, found in blocks:
            qualities[which] = self._qualities(found, len(which))
        return qualities

    def _qualities(self, found: Votes, n_candidates: int) -> np.ndarray:
        """Score the candidates of a block, by hits per fold or else by their votes."""
        if len(found.hits):
            return self.held_out.hit_quality(np.ascontiguousarray(found.hits[:, :n_candidates].T))
        return self.held_out.quality(self._outputs(found.votes[:, :, :n_candidates]))

    def _swaps(self, base: np.ndarray, added: np.ndarray, removed: np.ndarray) -> np.ndarray:
        """Evaluate swaps, those that remove the same column at once."""
        qualities = np.empty(len(added))
        for column in np.unique(removed):
            here = np.flatnonzero(removed == column)
            qualities[here] = self._blocks(self.nearest.swaps(base, column, added[here]), len(here))
        return qualities

    def _outputs(self, votes: np.ndarray) -> np.ndarray:
        """Turn votes (queries, channels + 1, candidates) into what the scoring needs.

        One row per candidate; the last channel holds the sum of weights.
        """
        needs = self.held_out.scoring.needs
        if needs == "labels":
            return self._labels(votes)
        if needs == "values":
            return np.ascontiguousarray((votes[:, 0] / votes[:, 1]).T)
        votes = votes[:, :-1]
        # Votes are divided by their own sum, not by the sum of weights, whose terms are added in
        # another order: a unanimous vote gives exactly 1.
        shares = np.moveaxis(votes / votes.sum(axis=1, keepdims=True), 2, 0)
        if needs == "decision":
            shares = shares[:, :, 1]
        return np.ascontiguousarray(shares)

    def _labels(self, votes: np.ndarray) -> np.ndarray:
        """Find the class with most votes, the first of several, of shape (candidates, queries)."""
        labels, most = np.zeros((len(votes), votes.shape[2]), dtype=np.int64), votes[:, 0]
        for c in range(1, votes.shape[1] - 1):
            labels[votes[:, c] > most] = c
            most = np.maximum(most, votes[:, c])
        return np.ascontiguousarray(labels.T)
