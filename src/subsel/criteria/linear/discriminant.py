"""Linear and quadratic discriminants and Gaussian naive Bayes, scored without refitting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np

from subsel.criteria.base import Evaluator, refuse_weights
from subsel.criteria.evaluators.acceleration import on_device
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.linear.blocks import Blocks
from subsel.criteria.linear.gaussian_bayes import GaussianBayes, Moments
from subsel.criteria.linear.incremental import NotTrusted, check_classes
from subsel.criteria.linear.least_squares import NOWHERE, Layout, lay_out, train_weights
from subsel.criteria.linear.linear_evaluator import Linear
from subsel.criteria.linear.linear_weights import LinearWeights
from subsel.criteria.linear.quadratic import Quadratic
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scaling import Scaling, fold_scales, scaler
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, NotExact, scoring_of
from subsel.data.folds import Folds, all_rows, make_folds
from subsel.data.task import Kind, Task
from subsel.registry.parameters import Parameters

__all__ = ["Discriminant"]


def _gaussian_nb(model: Any) -> dict[str, Any] | None:
    """Return the parameters of the criterion for a ``GaussianNB``."""
    return {"kind": "gaussian-nb", "priors": model.priors, "var_smoothing": model.var_smoothing}


def _lda(model: Any) -> dict[str, Any] | None:
    """Return the parameters of the criterion for an LDA estimator, None where not covered."""
    if model.covariance_estimator is not None or model.tol != 1e-4:
        return None
    if model.solver == "svd" and model.shrinkage is None:
        return {"kind": "lda", "priors": model.priors}
    if model.solver == "lsqr" and isinstance(model.shrinkage, (int, float)):
        return {"kind": "lda", "priors": model.priors, "shrinkage": float(model.shrinkage)}
    return None


def _qda(model: Any) -> dict[str, Any] | None:
    """Return the parameters of the criterion for a QDA estimator, None where not covered."""
    shrinks = getattr(model, "shrinkage", None) is not None
    if shrinks or getattr(model, "solver", "svd") != "svd" or model.tol != 1e-4:
        return None
    return {"kind": "qda", "priors": model.priors, "reg_param": model.reg_param}


@criterion("discriminant")
@dataclass(frozen=True)
class Discriminant(Parameters):
    """The held-out score of a Gaussian classifier, without refitting.

    Equal to the mean of ``cross_val_score`` with ``LinearDiscriminantAnalysis()``, the same with
    ``solver="lsqr"`` and a shrinkage, ``QuadraticDiscriminantAnalysis()`` or ``GaussianNB()`` of
    scikit-learn 1.9: the within-class covariance is divided by n (LDA) or by the size of the class
    (QDA), the rank tolerances are theirs, and the variance floor of naive Bayes depends on the
    subset. Where LDA would lower the rank the subset is refitted, and counted; where QDA refuses
    the covariance the quality is minus infinity. LDA's second tolerance, on directions between
    three or more class means, is not followed.

    Parameters
    ----------
    kind : {"lda", "qda", "gaussian-nb"}, default="lda"
        Which classifier.
    shrinkage : float or None, default=None
        Share of the mean variance mixed into the covariance of LDA. The mean depends on the subset,
        so that each subset is factored by itself.
    priors : sequence of float or None, default=None
        One per class; None takes the shares of the classes in each training part.
    tol : float, default=1e-4
        Rank tolerance of LDA and QDA, as in scikit-learn.
    reg_param : float, default=0.0
        Of QDA, as in scikit-learn.
    var_smoothing : float, default=1e-9
        Of naive Bayes, as in scikit-learn.
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``; None is accuracy. A scoring that is not a function of held-out
        outputs raises NotExact.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    scaling : {"standard", "minmax"} or None, default=None
        Scale each column within each training fold, as a pipeline would.
    memory : float, default=2**30
        Bytes that may be used besides a centred copy of the table, as in :class:`LeastSquares`; QDA
        has one block per fold and class, naive Bayes two tables of p times the held-out rows.
    device : str or None, default=None
        ``"cpu"`` or ``"cuda"``: batches of subsets are evaluated there through PyTorch (the extra
        ``accelerator``). None uses compiled loops on the processor; QDA and shrinkage have no
        other.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning*, 2nd
       edition, Springer, 2009, section 4.3 (discriminant analysis) and section 6.6.3 (naive Bayes).

    Examples
    --------
    >>> from subsel.space.space import Space
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(60) % 2
    >>> task = Task.of(rng.normal(size=(60, 4)) + np.outer(y, [0, 0, 3, 0]), y)
    >>> space = Space.of(4)
    >>> for kind in ("lda", "qda"):
    ...     qualities = Discriminant(kind).bind(task).evaluate(space.additions(space.empty()))
    ...     print(kind, qualities.argmax())
    lda 2
    qda 2
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)
    gives: ClassVar[tuple[Needs, ...]] = ("labels", "decision", "probability")
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent("sklearn.naive_bayes:GaussianNB", _gaussian_nb),
        Equivalent("sklearn.discriminant_analysis:LinearDiscriminantAnalysis", _lda),
        Equivalent("sklearn.discriminant_analysis:QuadraticDiscriminantAnalysis", _qda),
    )

    kind: Literal["lda", "qda", "gaussian-nb"] = "lda"
    shrinkage: float | None = None
    _: KW_ONLY
    priors: Sequence[float] | None = None
    tol: float = 1e-4
    reg_param: float = 0.0
    var_smoothing: float = 1e-9
    cv: Any = 5
    scoring: Any = None
    pooled: bool = False
    scaling: Scaling | None = None
    memory: float = 2**30
    device: str | None = None

    def footprint(self, shape: Shape) -> Footprint:
        """Return the bytes of the moments of every fold, and of the state of a search."""
        return Footprint.sweep(shape)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Compute the moments of each class in each training part."""
        self._check(task)
        scoring = scoring_of(self, task)
        if self.kind != "gaussian-nb" or scoring.needs == "probability":
            scoring = scoring.with_ties()
        folds = make_folds(self.cv, task)
        held_out = HeldOutFolds.of(task, folds, scoring, self.pooled)
        check_classes(held_out, folds)
        build = {"lda": self._linear, "qda": self._quadratic, "gaussian-nb": self._bayes}[self.kind]
        evaluator = build(task, held_out, folds)
        evaluator.traits = replace(
            evaluator.traits, name=f"exact {self.kind}", relevance=self.kind == "lda"
        )
        return on_device(
            evaluator, self.device, f"{self.kind}{' with shrinkage' if self.shrinkage else ''}"
        )

    def _check(self, task: Task) -> None:
        """Raise for parameters that are invalid, or do not suit the task."""
        if self.kind not in ("lda", "qda", "gaussian-nb"):
            raise ValueError(f"kind must be 'lda', 'qda' or 'gaussian-nb', got {self.kind!r}.")
        if task.kind != "classification":
            raise ValueError("a discriminant needs classes as target, got a quantity.")
        if self.kind != "gaussian-nb":
            refuse_weights(task, self.kind)
        if isinstance(self.shrinkage, str):
            raise NotExact(f"shrinkage={self.shrinkage!r} has no closed form: give a number.")
        if self.priors is None:
            return
        if len(self.priors) != len(task.classes):
            raise ValueError(
                f"priors must hold one number per class ({len(task.classes)}), "
                f"got {len(self.priors)}."
            )
        if np.min(self.priors) < 0 or (
            self.kind == "gaussian-nb" and not np.isclose(np.sum(self.priors), 1.0)
        ):
            raise ValueError(
                f"priors must not be negative, and for naive Bayes add up to 1, got {self.priors}."
            )

    # Linear -------------------------------------------------------------------------------------

    def _linear(self, task: Task, held_out: HeldOutFolds, folds: Folds) -> Linear:
        """Return the evaluator of linear discriminants."""
        # Two classes are decided by one output, the difference of both; its origin is the middle
        # between the means, where the squared means cancel, so that `half` is 0.
        layout = lay_out(task, folds, centre=True)
        blocks, priors = self._linear_blocks(task, folds, held_out.bounds, layout)
        pair, log = priors.shape[1] == 2, np.log(priors)
        half = 0.5
        if pair:
            log, half = log[:, 1:] - log[:, :1], 0.0
        common = blocks, held_out, folds, self._model(), log.T[:, blocks.block_of]
        if self.shrinkage is not None:
            return _Shrunk(*common, half=half, share=self.shrinkage)
        evaluator = Linear(*common, half=half, trace_limit=self.tol**-2)
        evaluator.weights = LinearWeights(partial(self._all_rows, task, layout), self.tol**-2)
        evaluator.least_spread = self.tol**2
        return evaluator

    def _all_rows(self, task: Task, layout: Layout) -> tuple[Blocks, np.ndarray]:
        """Return the moments of all rows, one block, and factors (p,) of the weights."""
        rows = all_rows(task)
        blocks = self._linear_blocks(task, rows, NOWHERE, layout.holding_none())[0]
        return blocks, fold_scales(task, rows, self.scaling)[1][0] / blocks.scale[0]

    def _linear_blocks(
        self, task: Task, folds: Folds, bounds: np.ndarray, layout: Layout
    ) -> tuple[Blocks, np.ndarray]:
        """Return the moments within classes about their means, and the priors (B, K).

        `bounds` are those of the held-out rows.
        """
        table, _, rows, positions = layout
        codes, k = task.codes[rows], len(task.classes)
        member = np.eye(k)[codes]
        train = train_weights(task, folds)[rows]
        counts = train.T @ member  # (B, K)
        means = (
            np.stack([(table * member[:, c]) @ train for c in range(k)]).transpose(2, 0, 1)
            / counts[:, :, None]
        )
        priors = self._priors(counts)
        weights, extra = self._row_weights(train, member, counts, priors), {}
        if folds.partition and (self.shrinkage is None or self.priors is None):
            ones = np.ones((task.n_rows, 1))
            extra = {"without": bounds, "base": ones, "factor": 1 / train.sum(axis=0)}
        if k == 2:
            origin, targets = means.mean(axis=1), means[:, 1:] - means[:, :1]
        else:
            origin = np.einsum("bk,bkp->bp", priors, means)
            targets = means - origin[:, None]
        targets = targets.transpose(0, 2, 1)

        def scaled_by(scale: np.ndarray) -> Blocks:
            sides = targets / scale[:, :, None]
            where: dict[str, Any] = {"positions": positions, "spans": bounds, "memory": self.memory}
            return Blocks(table, weights, codes, means, scale, origin, sides, **where, **extra)

        if self.shrinkage is not None:
            return scaled_by(fold_scales(task, folds, self.scaling)[1]), priors
        blocks = scaled_by(np.ones_like(origin))
        varies = blocks.diagonal > 1e-13 * blocks.moment
        # within-class correlations: the scale on which the solver sees the rank
        blocks = scaled_by(np.where(varies, np.sqrt(blocks.diagonal), 1.0))
        return blocks, priors

    def _priors(self, counts: np.ndarray) -> np.ndarray:
        """Return the priors (B, K) from the class counts (B, K) of the training parts."""
        if self.priors is None:
            return counts / counts.sum(axis=1, keepdims=True)
        given = np.asarray(self.priors, dtype=float)
        if self.kind == "lda":
            given = given / given.sum()
        return np.broadcast_to(given, counts.shape)

    def _row_weights(
        self, train: np.ndarray, member: np.ndarray, counts: np.ndarray, priors: np.ndarray
    ) -> np.ndarray:
        """Return the weight of each row in each covariance: (n, B).

        It is one over n for the pooled covariance; with a shrinkage, class covariances are mixed by
        their priors.

        Parameters
        ----------
        train : ndarray of shape (n, B)
            The weight of each row in each training part.
        member : ndarray of shape (n, K)
            1 for the class of each row.
        counts, priors : ndarray of shape (B, K)
            The training rows and the prior of each class.
        """
        if self.shrinkage is None:
            return train / train.sum(axis=0)
        return train * (member @ (priors / counts).T)

    # Quadratic ----------------------------------------------------------------------------------

    def _quadratic(self, task: Task, held_out: HeldOutFolds, folds: Folds) -> Quadratic:
        """Return the evaluator of quadratic discriminants, with blocks by class, then by fold."""
        table, _, rows, positions = lay_out(task, folds, centre=True)
        codes, k, n_folds = task.codes[rows], len(task.classes), len(folds)
        member, train = np.eye(k)[codes], train_weights(task, folds)[rows]
        counts = (train.T @ member).T  # (K, F)
        if counts.min() < 2:
            raise NotExact(
                "the covariance of a class needs two training rows in every fold, got one."
            )
        weights = (member[:, :, None] * train[:, None, :]).reshape(
            task.n_rows, -1
        ) / counts.reshape(-1)
        means = (table @ weights).T
        share = 1.0 - self.reg_param
        scale = np.tile(fold_scales(task, folds, self.scaling)[1], (k, 1))
        spans = np.concatenate([held_out.bounds[:-1] + c * held_out.bounds[-1] for c in range(k)])
        spans = np.append(spans, k * held_out.bounds[-1])
        extra: dict[str, Any] = {}
        if folds.partition:
            extra = {
                "without": held_out.bounds,
                "base": member,
                "factor": share / counts.reshape(-1),
            }
        none = np.zeros((k * n_folds, task.n_columns, 0))
        group = np.zeros(task.n_rows, dtype=np.int64)

        def about_means() -> Blocks:
            where: dict[str, Any] = {"positions": positions, "spans": spans, "memory": self.memory}
            return Blocks(
                table, share * weights, group, means[:, None], scale, means, none,
                penalty=self.reg_param, **where, **extra,
            )  # fmt: skip

        blocks = about_means()
        constant = _constant(
            table, weights, blocks.diagonal - self.reg_param <= 1e-13 * blocks.moment
        )
        if constant.any():  # without rounding, which would make equal classes differ
            means[constant] = table.T[(weights > 0).argmax(axis=0)][constant]
            blocks = about_means()
            blocks.diagonal[constant] = self.reg_param
        priors = self._priors(counts.T).T
        here = means.reshape(k, n_folds, -1)
        alike = constant.reshape(here.shape).all(axis=0) & (here == here[0]).all(axis=0)
        known = {"priors": priors, "counts": counts, "tolerance": self.tol, "alike": alike}
        return Quadratic(blocks, held_out, folds, self._model(), **known)

    # Naive Bayes --------------------------------------------------------------------------------

    def _bayes(self, task: Task, held_out: HeldOutFolds, folds: Folds) -> GaussianBayes:
        """Return the evaluator of Gaussian naive Bayes."""
        scale = fold_scales(task, folds, self.scaling)[1]
        parts = [_class_moments(task, rows, len(task.classes)) for rows in folds.train]
        means, variances, spread, totals = (np.stack(part) for part in zip(*parts))
        table, shift, _, positions = lay_out(task, folds, centre=True)
        held = table
        if not np.array_equal(positions, np.arange(task.n_rows)):
            held = table[:, positions]
        means -= shift
        fold = np.repeat(np.arange(len(folds)), np.diff(held_out.bounds))
        if self.scaling is not None:  # to the units of the scaler
            held, means = held / scale.T[:, fold], means / scale[:, None]
            variances, spread = variances / scale[:, None] ** 2, spread / scale**2
        pair = len(task.classes) == 2 and held_out.scoring.needs == "labels"
        log_priors = np.log(self._priors(totals))
        moments = Moments(
            held, fold, means, variances, spread, log_priors, self.var_smoothing, pair
        )
        return GaussianBayes(moments, held_out, folds, self._model(), self.memory)

    def _model(self) -> Any:
        """Return the scikit-learn estimator whose scores are reproduced, for refits."""
        from sklearn.discriminant_analysis import (
            LinearDiscriminantAnalysis,
            QuadraticDiscriminantAnalysis,
        )
        from sklearn.naive_bayes import GaussianNB
        from sklearn.pipeline import make_pipeline

        if self.kind == "gaussian-nb":
            last: Any = GaussianNB(priors=self.priors, var_smoothing=self.var_smoothing)
        elif self.kind == "qda":
            last = QuadraticDiscriminantAnalysis(
                priors=self.priors, reg_param=self.reg_param, tol=self.tol
            )
        elif self.shrinkage is None:
            last = LinearDiscriminantAnalysis(priors=self.priors, tol=self.tol)
        else:
            last = LinearDiscriminantAnalysis(
                solver="lsqr", shrinkage=self.shrinkage, priors=self.priors
            )
        return make_pipeline(*scaler(self.scaling), last)


def _class_moments(
    task: Task, rows: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the weighted moments of the classes in these rows.

    Returns
    -------
    means, variances : ndarray of shape (K, p)
        Of the classes.
    spread : ndarray of shape (p,)
        The unweighted variance of each column.
    totals : ndarray of shape (K,)
        The weight of each class.
    """
    X, codes = task.matrix[rows], task.codes[rows]
    weight = task.row_weights[rows]
    totals = np.bincount(codes, weight, minlength=n_classes)
    if np.isclose(totals, 0.0).any():
        raise NotExact("a class has no weight in a training part.")
    means, variances = np.empty((n_classes, X.shape[1])), np.empty((n_classes, X.shape[1]))
    for k in range(n_classes):
        part, w = X[codes == k], weight[codes == k]
        means[k] = np.average(part, axis=0, weights=w)
        variances[k] = np.average((part - means[k]) ** 2, axis=0, weights=w)
    return means, variances, X.var(axis=0), totals


def _constant(table: np.ndarray, weights: np.ndarray, perhaps: np.ndarray) -> np.ndarray:
    """Return which columns (B, p) have one value only in the rows of a block.

    Only those marked in `perhaps` (B, p) are examined. `table` is (p, n), and `weights` (n, B) are
    positive for the rows of a block.
    """
    constant = np.zeros_like(perhaps)
    for b in np.flatnonzero(perhaps.any(axis=1)):
        columns = np.flatnonzero(perhaps[b])
        constant[b, columns] = np.ptp(table[columns][:, weights[:, b] > 0], axis=1) == 0
    return constant


class _Shrunk(Linear):
    """Linear discriminants with a covariance shrunk towards its mean variance.

    The mean variance depends on the subset, so that there is no state: each subset is factored by
    itself.

    Parameters
    ----------
    *args : tuple
        As in :class:`~subsel.criteria.linear.linear_evaluator.Linear`.
    share : float
        The share of the mean variance.
    **options : dict
        As in :class:`~subsel.criteria.linear.linear_evaluator.Linear`.
    """

    def __init__(self, *args: Any, share: float, **options: Any) -> None:
        super().__init__(*args, **options)
        self.share = share

    def _move_to(self, base: frozenset[int], n_requests: int) -> bool:  # noqa: ARG002
        return False

    def _evaluate_many(self, subsets: list[np.ndarray]) -> np.ndarray:
        return np.array([self._alone(columns) for columns in subsets])

    def _solve(self, columns: np.ndarray) -> np.ndarray:
        gram, s = self.blocks.gram(columns), len(columns)
        mean = np.trace(gram, axis1=1, axis2=2)[:, None] / s
        shrunk = (1.0 - self.share) * gram
        shrunk[:, np.arange(s), np.arange(s)] += self.share * mean
        low = np.linalg.eigvalsh(shrunk)
        if np.any(low[:, 0] <= 1e-11 * low[:, -1]):
            raise NotTrusted
        return np.linalg.solve(shrunk, self.blocks.targets[:, columns])
