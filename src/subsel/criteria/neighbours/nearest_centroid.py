"""Nearest centroid as a criterion of a subset, from distances that are sums over columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from subsel.criteria.base import Evaluation, Evaluator, refuse_weights
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scaling import Scaling, multipliers
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, NotExact, scoring_of
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds, make_folds
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates, Changes

__all__ = ["NearestCentroid"]

BLOCK = 64  # columns whose terms are stored at a time, for the sake of memory


def _nearest_centroid(model: Any) -> dict[str, Any] | None:
    priors = getattr(model, "priors", "uniform")
    if model.shrink_threshold is not None or not isinstance(priors, str) or priors != "uniform":
        return None
    return {"metric": model.metric}


def _nearest_mean(model: Any) -> dict[str, Any] | None:
    return {"metric": "manhattan" if model.distance == "l1" else "euclidean", "centre": "mean"}


@criterion("nearest-centroid")
@dataclass(frozen=True)
class NearestCentroid(Parameters):
    """The cross-validated score of the nearest class centre.

    It equals that of refitting scikit-learn's ``NearestCentroid`` at every subset.

    Parameters
    ----------
    metric : {"euclidean", "manhattan"}, default="euclidean"
        The sum of squared, or of absolute, differences.
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``; None is accuracy or R2. One that is no function of held-out
        labels raises NotExact.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    scaling : {"standard", "minmax"} or None, default=None
        Scale each column within each training fold, as a pipeline would.
    centre : {"mean", "median"} or None, default=None
        Of a class; None, as in scikit-learn: means for squared, medians for absolute differences.
        Absolute differences to means [2]_ are those of :class:`subsel.models.NearestMean`.

    Notes
    -----
    Priors are uniform and nothing is shrunk, scikit-learn's defaults. Leave-one-out changes one
    centre only: a mean moves the difference by n_c / (n_c - 1), a median is a neighbour in the
    sorted class. A subset whose columns are all constant in some training part cannot be fitted in
    scikit-learn and counts as the worst possible. Memory: one centre per fold, class and column, or
    (leave-one-out) one per class; while evaluating, two numbers per class and held-out row for each
    of 64 columns.

    References
    ----------
    .. [1] R. Tibshirani, T. Hastie, B. Narasimhan and G. Chu, Diagnosis of multiple cancer types by
       shrunken centroids of gene expression, PNAS 99, 2002; here without shrinkage.
    .. [2] Levner, Bulitko and Lin, *Feature extraction for classification of proteomic mass
       spectra: a comparative study*, in Guyon et al. (eds.), *Feature Extraction*, 2006, chapter
       30.

    Examples
    --------
    >>> from subsel.space.space import Space
    >>> X = np.array([[0.0, 5], [0.1, 1], [0.2, 4], [1.0, 2], [1.1, 5], [1.2, 3]])
    >>> evaluator = NearestCentroid(cv=3).bind(Task.of(X, [0, 0, 0, 1, 1, 1]))
    >>> space = Space.of(2)
    >>> evaluator.evaluate(space.additions(space.empty()))
    array([1., 0.])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)
    gives: ClassVar[tuple[Needs, ...]] = ("labels",)
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent("sklearn.neighbors:NearestCentroid", _nearest_centroid),
        Equivalent("subsel.models.planes.nearest_mean:NearestMean", _nearest_mean),
    )

    metric: Literal["euclidean", "manhattan"] = "euclidean"
    cv: Any = 5
    _: KW_ONLY
    scoring: str | Callable | None = None
    pooled: bool = False
    scaling: Scaling | None = None
    centre: Literal["mean", "median"] | None = None

    def footprint(self, shape: Shape) -> Footprint:
        """Centres, and the distances of a block of columns."""
        return Footprint.fixed(3 * shape.table + 64 * 8.0 * shape.held_out * shape.classes * 4)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the centres of every training part."""
        if self.metric not in ("euclidean", "manhattan"):
            raise ValueError(f"metric must be 'euclidean' or 'manhattan', got {self.metric!r}.")
        if self.centre not in (None, "mean", "median"):
            raise ValueError(f"centre must be 'mean', 'median' or None, got {self.centre!r}.")
        if task.kind != "classification":
            raise ValueError("y must hold classes for the nearest centroid, got a quantity.")
        refuse_weights(task, "NearestCentroid")
        scoring = scoring_of(self, task)
        folds = make_folds(self.cv, task)
        held_out = HeldOutFolds.of(task, folds, scoring, self.pooled)
        return _Evaluator(task, folds, held_out, self)


class _Evaluator(Evaluator):
    """Evaluates subsets by sums of the terms of their columns.

    Terms are only added, never subtracted, so that rounding errors do not grow from subset to
    subset.
    """

    traits = Traits("exact nearest centroid", standard_error=True)

    def __init__(
        self, task: Task, folds: Folds, held_out: HeldOutFolds, criterion: NearestCentroid
    ) -> None:
        self.held_out, self.absolute = held_out, criterion.metric == "manhattan"
        self.medians = criterion.centre == "median"
        if criterion.centre is None:
            self.medians = self.absolute
        self.refuses_constants = criterion.centre is None  # scikit-learn's model does
        self.X, self.alone, self.n_classes = task.matrix, folds.leave_one_out, len(task.classes)
        bounds = held_out.bounds
        self.parts, trained = [slice(a, b) for a, b in pairwise(bounds)], list(folds.train)
        if self.alone:
            self.parts, trained = [slice(0, bounds[-1])], [np.arange(task.n_rows)]
        self.fold = np.repeat(np.arange(len(folds)), np.diff(bounds))
        self.scales: np.ndarray | None = None
        if criterion.scaling is not None:
            self.scales = multipliers(task, folds, criterion.scaling)
        self.members = [np.flatnonzero(task.codes == c) for c in range(self.n_classes)]
        if self.alone and min(map(len, self.members)) < 2:
            raise NotExact("a training part lacks a class.")
        self.centres = np.stack([self._centres(rows) for rows in trained], axis=1)
        if self.alone:
            self.varies = _varies_without(self.X)
        else:
            self.varies = np.stack([_varies(self.X[rows]) for rows in trained])

    def _centres(self, rows: np.ndarray) -> np.ndarray:
        """Compute the centre of each class over some rows, of shape (classes, columns)."""
        middle = np.median if self.medians else np.mean
        codes = self.held_out.task.codes[rows]
        if len(np.unique(codes)) < self.n_classes:
            raise NotExact("a training part lacks a class.")
        return np.stack([middle(self.X[rows[codes == c]], axis=0) for c in range(self.n_classes)])

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """One quality per candidate."""
        changes = candidates.changes()
        if changes is None or changes.added.shape[1] > 1 or changes.removed.shape[1] > 1:
            return np.concatenate([self._score(*self._total(c)) for c in candidates.columns()])
        if not changes.removed.shape[1]:
            return self._added(*self._total(changes.base), changes.added[:, 0])
        return self._without(changes)

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Evaluate one set of columns and score each fold."""
        labels = self._labels(self._total(columns)[0])
        return self.held_out.explain(labels, labels[0])

    def _without(self, changes: Changes) -> np.ndarray:
        """Evaluate candidates that remove one column from the base, and perhaps add one."""
        base, removed, qualities = (
            changes.base,
            changes.removed[:, 0],
            np.empty(len(changes.removed)),
        )
        varying = self.varies[:, base].sum(axis=1)
        for low, rests in self._rests(base):
            columns = base[low : low + rests.shape[1]]
            left = varying - self.varies[:, columns].T.astype(int)
            if not changes.added.shape[1]:
                found = self._score(rests, left)
                here = np.flatnonzero(np.isin(removed, columns))
                qualities[here] = found[np.searchsorted(columns, removed[here])]
                continue
            for j in np.flatnonzero(np.isin(columns, removed)):
                here = np.flatnonzero(removed == columns[j])
                qualities[here] = self._added(
                    rests[:, j : j + 1], left[j : j + 1], changes.added[here, 0]
                )
        return qualities

    def _rests(self, base: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Sum the terms of all columns of a base but one, for each column, block by block.

        Yields the position of the block's first column and sums of shape (classes, columns of the
        block, queries).
        """
        # Prefix and suffix sums: the sum without column j is that of the columns before it plus
        # that of the columns after it. Subtracting the term from the total instead would leave
        # nothing but rounding errors where column j dominates.
        blocks = [base[low : low + BLOCK] for low in range(0, len(base), BLOCK)]
        sums = []
        if len(blocks) > 1:
            sums = [self._total(block)[0] for block in blocks]
        for b, block in enumerate(blocks):
            terms = self._terms(block)
            rests, after = np.empty_like(terms), np.zeros_like(terms[:, 0])
            for other in sums[:b] + sums[b + 1 :]:
                after += other[:, 0]
            before = np.zeros_like(after)
            for j in range(len(block)):
                rests[:, j] = before
                before += terms[:, j]
            for j in reversed(range(len(block))):
                rests[:, j] += after
                after += terms[:, j]
            yield b * BLOCK, rests

    def _added(self, total: np.ndarray, varying: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """Evaluate each column added to distances that have been summed.

        ``total`` has shape (classes, 1, queries), ``varying`` the numbers of varying columns of
        shape (1, training parts).
        """
        qualities = np.empty(len(columns))
        for low in range(0, len(columns), BLOCK):
            chosen = columns[low : low + BLOCK]
            qualities[low : low + BLOCK] = self._score(
                total + self._terms(chosen), varying + self.varies[:, chosen].T
            )
        return qualities

    def _total(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sum the distances over a subset, and count its varying columns.

        The distances have shape (classes, 1, queries), the counts (1, training parts).
        """
        total = np.zeros((self.n_classes, 1, len(self.fold)))
        for low in range(0, len(columns), BLOCK):
            total += self._terms(columns[low : low + BLOCK]).sum(axis=1, keepdims=True)
        return total, self.varies[:, columns].sum(axis=1)[None]

    def _terms(self, columns: np.ndarray) -> np.ndarray:
        """Compute the terms of columns in all distances, of shape (classes, columns, queries)."""
        x, centres = self.X.T[columns][:, self.held_out.rows], self.centres[:, :, columns, None]
        gaps = np.empty((self.n_classes, *x.shape))
        for part, rows in enumerate(self.parts):
            np.subtract(x[:, rows], centres[:, part], out=gaps[:, :, rows])
        if self.alone:
            own = self.held_out.y
            places = np.arange(len(own))
            gaps[own, :, places] = self._own_gaps(columns, x).T
        if self.scales is not None:
            gaps *= self.scales[:, columns].T[:, self.fold]
        if self.absolute:
            return np.abs(gaps, out=gaps)
        return np.multiply(gaps, gaps, out=gaps)

    def _own_gaps(self, columns: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Subtract the centre of each row's class without that row, of shape (columns, queries)."""
        gaps = np.empty_like(x)
        place = np.empty(len(self.held_out.rows), dtype=np.int64)
        place[self.held_out.rows] = np.arange(len(place))
        for c, members in enumerate(self.members):
            values = self.X.T[columns][:, members]
            if self.medians:
                gaps[:, place[members]] = values - _medians_without(values)
            else:
                # the mean m of n values without x is (n m - x) / (n - 1), so that x less this mean
                # is (x - m) n / (n - 1)
                shift = len(members) / (len(members) - 1)
                gaps[:, place[members]] = (values - self.centres[c, 0, columns][:, None]) * shift
        return gaps

    def _score(self, total: np.ndarray, varying: np.ndarray) -> np.ndarray:
        """Score distances (classes, candidates, queries); -inf where scikit-learn cannot fit.

        ``varying`` of shape (candidates, training parts) counts the columns that vary there.
        """
        qualities = self.held_out.quality(self._labels(total))
        if not self.refuses_constants:
            return qualities
        return np.where((varying == 0).any(axis=1), -np.inf, qualities)

    def _labels(self, total: np.ndarray) -> np.ndarray:
        """Find the nearest centre of each query, the first of equally near ones.

        ``total`` has shape (classes, candidates, queries), the labels (candidates, queries).
        """
        labels, best = np.zeros(total.shape[1:], dtype=np.int64), total[0]
        for c in range(1, self.n_classes):
            labels[total[c] < best] = c
            best = np.minimum(best, total[c])
        return labels


def _varies(X: np.ndarray) -> np.ndarray:
    """Mark the columns that are not constant."""
    return np.ptp(X, axis=0) > 0


def _varies_without(X: np.ndarray) -> np.ndarray:
    """Mark the columns that vary in the training parts of leave-one-out, of shape (parts, p).

    Only two kinds of parts differ: all rows, and all rows but one that alone has a second value in
    some column, whose absence makes that column constant.
    """
    at_least, at_most = X.min(axis=0) == X, X.max(axis=0) == X
    two_values = (at_least | at_most).all(axis=0)
    alone = two_values & (
        (at_least & (at_least.sum(axis=0) == 1)) | (at_most & (at_most.sum(axis=0) == 1))
    )
    rows = np.flatnonzero(alone.any(axis=1))
    return np.concatenate([_varies(X)[None], _varies(X) & ~alone[rows]])


def _medians_without(values: np.ndarray) -> np.ndarray:
    """Compute the median of each line without each of its entries in turn.

    ``values`` has shape (columns, members), and so has the answer.
    """
    order = np.argsort(values, axis=1, kind="stable")
    ranks = np.argsort(order, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    m = values.shape[1] - 1

    def left_at(i: int) -> np.ndarray:
        # without the entry of rank r, place i of the sorted others holds ordered[i] if i < r and
        # ordered[i + 1] otherwise
        return np.take_along_axis(ordered, i + (ranks <= i), axis=1)

    if m % 2:
        return left_at(m // 2)
    return (left_at(m // 2 - 1) + left_at(m // 2)) / 2
