"""Ridge regression, the ridge classifier and least squares, scored without refitting."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from subsel._loops.device import NotAccelerated
from subsel.criteria.base import Evaluator
from subsel.criteria.evaluators.acceleration import on_device
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.linear.blocks import Blocks, weighted_squares
from subsel.criteria.linear.incremental import check_classes
from subsel.criteria.linear.leave_one_out import LeaveOneOut
from subsel.criteria.linear.linear_evaluator import Linear
from subsel.criteria.linear.linear_weights import LinearWeights
from subsel.criteria.linear.penalised_fit import PENALTIES, PenalisedFit
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scaling import Scaling, fold_scales, scaler
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, NotExact, scoring_of
from subsel.data.folds import Folds, all_rows, make_folds
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters

__all__ = ["NOWHERE", "Layout", "LeastSquares", "PartSums", "lay_out", "train_weights"]

NOWHERE = np.zeros(2, dtype=np.int64)  # the bounds of one block without held-out rows
_TRUNCATION = 1e-6  # LinearRegression drops singular values below this share of the largest


def _linear_regression(model: Any) -> dict[str, Any] | None:
    # beyond this tolerance the solver cuts off singular values
    """Return the parameters of the criterion for a ``LinearRegression``, None where not covered."""
    if model.positive or getattr(model, "tol", 1e-6) != 1e-6:
        return None
    return {"alpha": 0.0, "fit_intercept": model.fit_intercept}


def _ridge(model: Any) -> dict[str, Any] | None:
    """Return the parameters of the criterion for a ridge estimator, None where not covered."""
    if np.ndim(model.alpha) or model.positive or getattr(model, "class_weight", None) is not None:
        return None
    if model.solver not in ("auto", "svd", "cholesky"):
        return None
    return {"alpha": model.alpha, "fit_intercept": model.fit_intercept, "solver": model.solver}


@criterion("least-squares")
@dataclass(frozen=True)
class LeastSquares(Parameters):
    """The held-out score of ridge regression or of the ridge classifier, without refitting.

    Equal to the mean of ``cross_val_score`` with ``Ridge(alpha)``, ``RidgeClassifier(alpha)`` or,
    for ``alpha=0``, ``LinearRegression()``, for any splitter; leave-one-out is the closed form
    (PRESS) [1]_. To add or remove a column costs one pass over the held-out rows. A subset is
    refitted, and counted, where a pivot vanishes, and for ``alpha=0`` where ``LinearRegression``
    might truncate the rank (minimum norm, as at n < p).

    Parameters
    ----------
    alpha : float, default=1.0
        The penalty on squared weights.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    solver : {"auto", "svd", "cholesky"} or None, default=None
        Of ``Ridge``, for subsets that are refitted; None is its default, and ``LinearRegression``
        for ``alpha=0``.
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``; None is accuracy or R2. A scoring that is not a function of
        held-out outputs raises NotExact.
    criterion : {"aic", "bic", "ebic", "gic", "cp", "adjusted-r2"} or None, default=None
        Score the least-squares fit to all rows by this criterion instead of held-out rows; for
        regression with ``alpha=0``.
    gamma : float, default=1.0
        Of EBIC: 0 is BIC. On noise of 200 rows and 500 columns GIC keeps a column on about half of
        all tables, EBIC with 0.5 on a third, with 1 on few.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    scaling : {"standard", "minmax"} or None, default=None
        Scale each column within each training fold, as a pipeline would; not exact with
        leave-one-out.
    memory : float, default=2**30
        Bytes that may be used besides a centred copy of the table. With B folds and N held-out rows
        (N = n for k-fold) the state of s columns takes 8 (B s p + N p) bytes; 8 B s p where that
        exceeds the limit, residuals then being computed block by block; and 8 B p^2 more for long
        searches and random subsets where that is within half of the limit.
    device : str or None, default=None
        ``"cpu"`` or ``"cuda"``: batches of subsets are evaluated there through PyTorch (the extra
        ``accelerator``). None uses compiled loops on the processor.

    References
    ----------
    .. [1] D. M. Allen, *The relationship between variable selection and data augmentation and a
       method for prediction*, Technometrics 16, 1974.

    Examples
    --------
    >>> from subsel.space.space import Space
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 4))
    >>> task = Task.of(X, X[:, 2] + 0.1 * rng.normal(size=60))
    >>> space = Space.of(4)
    >>> qualities = LeastSquares().bind(task).evaluate(space.additions(space.empty()))
    >>> int(qualities.argmax())
    2
    """

    gives: ClassVar[tuple[Needs, ...]] = ("labels", "decision", "codes", "values")
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent("sklearn.linear_model:LinearRegression", _linear_regression),
        Equivalent("sklearn.linear_model:Ridge", _ridge),
        Equivalent("sklearn.linear_model:RidgeClassifier", _ridge),
    )

    alpha: float = 1.0
    fit_intercept: bool = True
    _: KW_ONLY
    solver: Literal["auto", "svd", "cholesky"] | None = None
    cv: Any = 5
    scoring: Any = None
    criterion: str | None = None
    gamma: float = 1.0
    pooled: bool = False
    scaling: Scaling | None = None
    memory: float = 2**30
    device: str | None = None

    @property
    def serves(self) -> tuple[Kind, ...]:
        """The kinds of task; a penalised fit is for regression only."""
        if self.criterion is None:
            return ("classification", "regression")
        return ("regression",)

    def footprint(self, shape: Shape) -> Footprint:
        """Return the bytes of the moments of every fold, and of the state of a search."""
        return Footprint.sweep(shape)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the moments of each training part."""
        self._check(task)
        if self.criterion is not None:
            if self.device is not None:
                raise NotAccelerated(
                    f"criterion={self.criterion!r} has no accelerated evaluator: use device=None."
                )
            plain = replace(self, scaling=None)
            layout = lay_out(task, all_rows(task), centre=self.fit_intercept)
            blocks, _ = plain._all_rows(task, layout, plain._sums_of_all(task, layout))
            return PenalisedFit(
                blocks, task, self.criterion, self.fit_intercept, self.gamma, self._rank_rule()
            )
        scoring = scoring_of(self, task).with_ties()
        folds = make_folds(self.cv, task)
        if folds.leave_one_out and self.scaling is not None:
            raise NotExact("leave-one-out with scaling inside the folds has no closed form.")
        held_out = HeldOutFolds.of(task, folds, scoring, self.pooled)
        if task.kind == "classification":
            check_classes(held_out, folds)
        layout = lay_out(task, folds, centre=self.fit_intercept or self.scaling is not None)
        sums = self._sums(task, layout, folds, held_out.bounds)
        if folds.leave_one_out:
            evaluator: Linear = self._leave_one_out(task, held_out, folds, layout, sums)
        else:
            evaluator = self._by_fold(task, held_out, folds, layout, sums)
        name = "exact ridge" if self.alpha else "exact least squares"
        evaluator.traits = replace(evaluator.traits, name=name, relevance=True)
        evaluator.weights = LinearWeights(
            partial(self._all_rows, task, layout, sums), **self._rank_rule()
        )
        return on_device(evaluator, self.device, type(self).__name__)

    def _check(self, task: Task) -> None:
        """Raise ValueError for parameters that are invalid, or do not suit the task."""
        if self.alpha < 0:
            raise ValueError(f"alpha must not be negative, got {self.alpha}.")
        scaler(self.scaling)  # which refuses any other
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma must lie in [0, 1], got {self.gamma}.")
        if self.criterion is None:
            return
        if self.criterion not in PENALTIES:
            raise ValueError(
                f"criterion must be one of {', '.join(PENALTIES)}, got {self.criterion!r}."
            )
        if task.kind != "regression" or self.alpha or task.sample_weight is not None:
            needs = "regression, alpha=0 and no sample weights"
            raise ValueError(f"criterion={self.criterion!r} needs {needs}.")

    def _sums(self, task: Task, layout: Layout, folds: Folds, bounds: np.ndarray) -> PartSums:
        """Return the sums over each training part, and over all rows last.

        For leave-one-out, only those over all rows.
        """
        if folds.leave_one_out:
            return self._sums_of_all(task, layout)
        table, weights = layout.table, task.row_weights[layout.rows]
        targets = _targets(task)[:, layout.rows]
        if folds.partition:
            return PartSums.without_each(table, weights, targets, bounds, self.fit_intercept)
        every = np.column_stack([train_weights(task, folds)[layout.rows], weights])
        return PartSums.of(table, every, targets, self.fit_intercept)

    def _sums_of_all(self, task: Task, layout: Layout) -> PartSums:
        """Return the sums over all rows."""
        weights, targets = task.row_weights[layout.rows][:, None], _targets(task)[:, layout.rows]
        return PartSums.of(layout.table, weights, targets, self.fit_intercept)

    def _all_rows(self, task: Task, layout: Layout, sums: PartSums) -> tuple[Blocks, np.ndarray]:
        """Return the moments of all rows, one block, and the factors (p,) of weights: ones."""
        offset, scale = fold_scales(task, all_rows(task), self.scaling)
        weights = task.row_weights[layout.rows][:, None]
        blocks = self._blocks(
            layout.holding_none(), weights, sums.last(), offset - layout.shift, scale, NOWHERE
        )
        return blocks, np.ones(task.n_columns)

    def _by_fold(
        self, task: Task, held_out: HeldOutFolds, folds: Folds, layout: Layout, sums: PartSums
    ) -> Linear:
        """Return the evaluator of the folds."""
        offset, scale = fold_scales(task, folds, self.scaling)
        sums, extra = sums.all_but_last(), dict[str, Any]()
        if folds.partition:
            base = task.row_weights[layout.rows][:, None]
            extra = {"without": held_out.bounds, "base": base, "factor": np.ones(len(folds))}
            weights = base * np.repeat(1.0 - np.eye(len(folds)), held_out.fold_sizes, axis=0)
        else:
            weights = train_weights(task, folds)[layout.rows]
        blocks = self._blocks(
            layout, weights, sums, offset - layout.shift, scale, held_out.bounds, **extra
        )
        start = sums.centre.T[:, blocks.block_of]
        return Linear(blocks, held_out, folds, self._model(task), start, **self._rank_rule())

    def _leave_one_out(
        self, task: Task, held_out: HeldOutFolds, folds: Folds, layout: Layout, sums: PartSums
    ) -> LeaveOneOut:
        """Return the evaluator of leave-one-out."""
        row_weights, sums = task.row_weights[layout.rows], sums.last()
        zero, spans = np.zeros((1, task.n_columns)), np.array([0, task.n_rows])
        blocks = self._blocks(layout, row_weights[:, None], sums, zero, zero + 1, spans)
        start = np.repeat(sums.centre.T, task.n_rows, axis=1)
        leverage = 1.0 / row_weights.sum() if self.fit_intercept else 0.0
        extra: dict[str, Any] = {
            "values": _targets(task)[:, layout.rows],
            "row_weights": row_weights,
            "leverage": leverage,
        }
        return LeaveOneOut(
            blocks, held_out, folds, self._model(task), start, **extra, **self._rank_rule()
        )

    def _blocks(
        self,
        layout: Layout,
        weights: np.ndarray,
        sums: PartSums,
        offset: np.ndarray,
        scale: np.ndarray,
        spans: np.ndarray,
        **extra: Any,
    ) -> Blocks:
        """Return the moments about the weighted means, or about the offset of the scaler.

        Parameters
        ----------
        layout : Layout
            The table.
        weights : ndarray of shape (n, B)
            The weight of each row in each training part.
        sums : PartSums
            The sums over each training part.
        offset, scale : ndarray of shape (B, p)
            Of the scaler, relative to the shift of the table.
        spans : ndarray of shape (B + 1,)
            The bounds of the held-out rows.
        **extra : dict
            Further parameters of `Blocks`.
        """
        means = offset
        if self.fit_intercept:
            means = sums.columns / sums.weights[:, None]
        sides = sums.products - means[:, :, None] * sums.targets[:, None, :]
        group = np.zeros(len(weights), dtype=np.int64)
        return Blocks(
            layout.table, weights, group, means[:, None], scale, means, sides / scale[:, :, None],
            layout.positions, spans, penalty=float(self.alpha), memory=self.memory,
            known=(sums.weights, sums.columns, sums.squares), **extra,
        )  # fmt: skip

    def _rank_rule(self) -> dict[str, Any]:
        """Return the parameters of `Linear` that leave a doubtful rank to refitting."""
        # LinearRegression drops singular values s of the table below _TRUNCATION times the largest,
        # so that eigenvalues s^2 of the moments are compared with _TRUNCATION^2.
        if self.alpha:
            return {}
        return {"trace_limit": _TRUNCATION**-2, "relative": True}

    def _model(self, task: Task) -> Any:
        """Return the scikit-learn estimator whose scores are reproduced, for refits."""
        from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
        from sklearn.pipeline import make_pipeline

        options: dict[str, Any] = {"fit_intercept": self.fit_intercept}
        ridge = {"alpha": self.alpha, "solver": self.solver or "auto", **options}
        if task.kind == "classification":
            last: Any = RidgeClassifier(**ridge)
        elif self.alpha or self.solver:
            last = Ridge(**ridge)
        else:
            last = LinearRegression(**options)
        return make_pipeline(*scaler(self.scaling), last)


def _targets(task: Task) -> np.ndarray:
    """Return targets (T, n): values, -1 and +1 for two classes, one against the rest for more."""
    if task.kind == "regression":
        return task.y[None].astype(float)
    each = np.array([np.where(task.codes == k, 1.0, -1.0) for k in range(len(task.classes))])
    return each[1:] if len(each) == 2 else each


class Layout(NamedTuple):
    """A table stored column by column."""

    table: np.ndarray  # (p, n) columns less their shift
    shift: np.ndarray  # (p,) what was subtracted from the columns
    rows: np.ndarray  # (n,) row of the task in each place
    positions: np.ndarray  # (N,) place in `rows` of each held-out position

    def holding_none(self) -> Layout:
        """Return the same table without held-out rows."""
        return self._replace(positions=NOWHERE[:0])


def lay_out(task: Task, folds: Folds, centre: bool) -> Layout:
    """Store the table column by column, centred if `centre`.

    Rows are in held-out order where each is held out once.
    """
    held = np.concatenate(folds.test)
    once = len(held) == task.n_rows and bool(np.bincount(held, minlength=task.n_rows).all())
    rows, positions = np.arange(task.n_rows), held
    if once:
        rows, positions = held, rows
    shift = _means(task) if centre else np.zeros(task.n_columns)
    return Layout(_columns_first(task, rows, shift), shift, rows, positions)


def _means(task: Task) -> np.ndarray:
    """Return the means of the columns (p,), exact for constant columns and close for others.

    What is subtracted need be exact only where nothing but zeros should remain.
    """
    X = task.X if isinstance(task.X, np.ndarray) else task.matrix
    means = np.full(len(X), 1 / len(X)) @ X
    alike = np.flatnonzero((X[0] == X[-1]) & (X[0] == X[len(X) // 2]))
    if len(alike):
        alike = alike[(X[:, alike] == X[0, alike]).all(axis=0)]
        means[alike] = X[0, alike]
    return means


def _columns_first(task: Task, rows: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return these rows of the table less a shift (p,), transposed: (p, n).

    A C-ordered table is transposed in one pass, without a copy in between.
    """
    from subsel._loops.linear.fold_sums import transpose_rows

    X = task.X
    if not isinstance(X, np.ndarray) or not X.flags.c_contiguous or X.dtype != np.float64:
        table = np.take(task.matrix.T, rows, axis=1)
        table -= shift[:, None]
        return table
    table = np.empty((task.n_columns, len(rows)))
    transpose_rows(X, rows, shift, table)
    return table


def train_weights(task: Task, folds: Folds) -> np.ndarray:
    """Return the weights of rows in each training part (n, B); a row drawn twice counts twice."""
    counts = [np.bincount(train, minlength=task.n_rows) for train in folds.train]
    return np.stack(counts, axis=1) * task.row_weights[:, None]


class PartSums(NamedTuple):
    """Weighted sums over the rows of each of B parts."""

    weights: np.ndarray  # (B,) sums of weights
    centre: np.ndarray  # (B, T) mean targets, 0 without an intercept
    targets: np.ndarray  # (B, T) sums of targets less these means
    columns: np.ndarray  # (B, p) sums of columns
    squares: np.ndarray  # (B, p) sums of their squares
    products: np.ndarray  # (B, p, T) sums of their products with targets less the means

    @classmethod
    def of(
        cls, table: np.ndarray, weights: np.ndarray, targets: np.ndarray, centred: bool
    ) -> PartSums:
        """Return the sums for a table (p, n), weights (n, B) and targets (T, n).

        The means of the targets are 0 unless `centred`.
        """
        total, n_parts = weights.sum(axis=0), weights.shape[1]
        centre = np.zeros((n_parts, len(targets)))
        if centred:
            centre = (targets @ weights).T / total[:, None]
        weighted = weights[:, :, None] * (targets.T[:, None, :] - centre)
        both = table @ np.hstack([weights, weighted.reshape(len(weights), -1)])  # in one pass
        products = both[:, n_parts:].reshape(len(table), n_parts, -1).transpose(1, 0, 2)
        squares = weighted_squares(table, weights)
        return cls(total, centre, weighted.sum(axis=0), both[:, :n_parts].T, squares, products)

    @classmethod
    def without_each(
        cls,
        table: np.ndarray,
        weights: np.ndarray,
        targets: np.ndarray,
        bounds: np.ndarray,
        centred: bool,
    ) -> PartSums:
        """Return the sums over all rows but those of each fold, and over all rows last.

        The sums over the other folds are added up, and nothing is subtracted, so that a fold of
        large values costs the others no digits.

        Parameters
        ----------
        table : ndarray of shape (p, n)
            The columns, rows sorted by fold.
        weights : ndarray of shape (n,)
            The weights of rows.
        targets : ndarray of shape (T, n)
            The targets.
        bounds : ndarray of shape (folds + 1,)
            The first row of each fold, and the end.
        centred : bool
            Whether the means of the targets are subtracted.
        """
        # Targets are first centred about the mean of all rows, and then shifted to that of each
        # part: sum w x (y - m - d) = sum w x (y - m) - d sum w x.
        from subsel._loops.linear.fold_sums import fold_sums

        middle = np.zeros(len(targets))
        if centred:
            middle = targets @ weights / weights.sum()
        weighted = weights * (targets - middle[:, None])
        n_folds, starts = len(bounds) - 1, bounds[:-1]
        others = np.ones((n_folds + 1, n_folds))
        others.flat[:: n_folds + 1] = 0.0
        others[n_folds] = 1.0
        total = others @ np.add.reduceat(weights, starts)
        left = others @ np.add.reduceat(weighted, starts, axis=1).T
        parts = fold_sums(table, weights, weighted, bounds)
        both = (others @ parts.reshape(n_folds, -1)).reshape(n_folds + 1, *parts.shape[1:])
        columns, squares, products = both[:, 0], both[:, 1], both[:, 2:].transpose(0, 2, 1)
        shift = np.zeros_like(left)
        if centred:
            shift = left / total[:, None]
        products = products - shift[:, None, :] * columns[:, :, None]
        return cls(total, middle + shift, left - shift * total[:, None], columns, squares, products)

    def last(self) -> PartSums:
        """Return the sums over the last part."""
        return PartSums(*(values[-1:] for values in self))

    def all_but_last(self) -> PartSums:
        """Return the sums over all parts but the last."""
        return PartSums(*(values[:-1] for values in self))
