"""Kernel ridge regression, scored without refitting: all folds from one factorisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from scipy import linalg
from scipy.linalg.lapack import dlange, dpocon, dposv, dpotrf, dpotrs

from subsel.criteria.base import Evaluation, Evaluator
from subsel.criteria.evaluators.acceleration import on_device
from subsel.criteria.evaluators.footprint import Footprint, Shape
from subsel.criteria.kernels.inverse_root import inverse_root
from subsel.criteria.kernels.kernel_matrices import KERNELS, KernelMatrices
from subsel.criteria.registry import Equivalent, criterion
from subsel.criteria.scoring.scaling import Scaling, scaler
from subsel.criteria.scoring.scoring import HeldOutFolds, Needs, NotExact, scoring_of
from subsel.criteria.traits import Traits
from subsel.data.folds import Folds, make_folds
from subsel.data.task import Kind, Task, of_rows
from subsel.registry.parameters import Parameters
from subsel.space.candidates import Candidates

__all__ = ["KernelRidge", "KernelRidgeEvaluator"]

_PANEL = 64  # rows whose squares are summed at a time
# least over largest eigenvalue below which rounding decides, so that subsets are refitted
CONDITION = 1e-10


def _kernel_ridge(model: Any) -> dict[str, Any] | None:
    """Return the parameters of the criterion for a ``KernelRidge``, None where not covered."""
    if (
        np.ndim(model.alpha)
        or callable(model.kernel)
        or model.kernel_params
        or model.kernel == "precomputed"
    ):
        return None
    names = ("alpha", "kernel", "gamma", "degree", "coef0")
    return {name: getattr(model, name) for name in names}


@criterion("kernel-ridge")
@dataclass(frozen=True)
class KernelRidge(Parameters):
    r"""The cross-validated score of kernel ridge regression, without refitting [1]_.

    Equal to ``cross_val_score`` with scikit-learn's ``KernelRidge``. With :math:`Q = (K + \alpha
    I)^{-1}` the residuals of a held-out fold F are :math:`Q_{FF}^{-1} (Q y)_F`, those of
    leave-one-out :math:`(Q y)_i / Q_{ii}` [2]_, so that all folds share one factorisation. There is
    no intercept.

    Parameters
    ----------
    alpha : float or sequence of float, default=1.0
        The penalty, or several: each subset is then scored with its best one, all of them from one
        eigendecomposition, and ``best_alpha(columns)`` of the evaluator returns it.
    kernel : str, default="linear"
        ``"linear"``, ``"rbf"``, ``"polynomial"`` (or ``"poly"``), ``"sigmoid"``, ``"laplacian"`` or
        ``"cosine"``, as in ``sklearn.kernel_ridge.KernelRidge``.
    gamma : float or None, default=None
        Of the kernel; None is one over the number of columns *of the subset*.
    degree : float, default=3
        Of a polynomial.
    coef0 : float, default=1
        Of a polynomial or sigmoid.
    sigma : float or None, default=None
        The width of a Gaussian written :math:`\exp(-\|a-b\|^2 / (2\sigma^2))`, instead of gamma.
    cv : int, splitter or list of pairs, default=5
        The folds, as in ``cross_val_score``.
    scoring : str, callable or None, default=None
        As in ``cross_val_score``; None is R2. A scoring that is not a function of held-out values
        raises NotExact.
    pooled : bool, default=False
        Score all held-out rows at once instead of taking the mean over folds.
    scaling : {"standard", "minmax"} or None, default=None
        Scale each column within each training fold, as a pipeline would; then each fold is
        factorised by itself, and leave-one-out raises NotExact.
    device : str or None, default=None
        ``"cpu"`` or ``"cuda"``: batches of subsets are evaluated there through PyTorch (the extra
        ``accelerator``). None uses LAPACK on the processor.

    Notes
    -----
    Where the matrix is not safely positive definite the subset is refitted, and counted. Memory: a
    few n x n arrays.

    References
    ----------
    .. [1] Saha, Rajasekaran and Ramprasad, *Novel randomized feature selection algorithms*,
       appendix A, where kernel ridge regression evaluates the subsets of randomised searches.
    .. [2] S. An, W. Liu and S. Venkatesh, "Fast cross-validation algorithms for least squares
       support vector machine and kernel ridge regression", *Pattern Recognition* 40, 2007.

    Examples
    --------
    >>> X = np.array([[0.0, 1], [1, 0], [2, 1], [3, 0]])
    >>> task = Task.of(X, [0.0, 1, 2, 3], "regression")
    >>> evaluator = KernelRidge(kernel="linear", cv=2, scoring="neg_mean_absolute_error").bind(task)
    >>> evaluator.explain(np.array([0])).predictions
    array([0.        , 0.92857143, 1.        , 1.5       ])
    """

    serves: ClassVar[tuple[Kind, ...]] = ("regression",)
    gives: ClassVar[tuple[Needs, ...]] = ("values",)
    answers: ClassVar[tuple[Equivalent, ...]] = (
        Equivalent("sklearn.kernel_ridge:KernelRidge", _kernel_ridge),
    )

    alpha: float | Sequence[float] = 1.0
    kernel: Literal["linear", "rbf", "polynomial", "poly", "sigmoid", "laplacian", "cosine"] = (
        "linear"
    )
    _: KW_ONLY
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1
    sigma: float | None = None
    cv: Any = 5
    scoring: str | Callable | None = None
    pooled: bool = False
    scaling: Scaling | None = None
    device: str | None = None

    @property
    def width(self) -> float | None:
        """The factor of squared distances in the radial kernel; None is one over the columns."""
        if self.sigma is None:
            return self.gamma
        return 1.0 / (2.0 * self.sigma**2)

    def footprint(self, shape: Shape) -> Footprint:
        """Return the bytes of a few kernel matrices."""
        return Footprint.fixed(4.5 * shape.squared + shape.table)

    def bind(
        self,
        task: Task,
        seed: int | np.random.SeedSequence | None = None,  # noqa: ARG002
    ) -> Evaluator:
        """Sort the rows by fold."""
        if task.kind != "regression":
            raise ValueError(
                "kernel ridge needs a quantity as target, got classes: "
                "use KernelRidgeClassification for two."
            )
        self._check()
        scoring = scoring_of(self, task)
        folds = make_folds(self.cv, task)
        if self.scaling is not None and folds.leave_one_out:
            raise NotExact(
                "leave-one-out with scaling inside the folds has no closed form for kernel ridge."
            )
        evaluator = KernelRidgeEvaluator(
            self, task, folds, HeldOutFolds.of(task, folds, scoring, self.pooled)
        )
        return on_device(evaluator, self.device, type(self).__name__)

    def _check(self) -> None:
        """Raise for parameters that are invalid, or have no closed form."""
        if self.kernel not in KERNELS:
            raise NotExact(f"kernel must be one of {', '.join(KERNELS)}, got {self.kernel!r}.")
        if self.gamma is not None and self.sigma is not None:
            raise ValueError(f"give gamma or sigma, not both: got {self.gamma} and {self.sigma}.")


class KernelRidgeEvaluator(Evaluator):
    """Held-out residuals of all folds from one factorisation of the kernel matrix.

    Parameters
    ----------
    criterion : KernelRidge
        The parameters.
    task : Task
        The regression.
    folds : Folds
        The folds.
    held_out : HeldOutFolds
        The rows held out, and how they are scored.
    """

    traits = Traits("exact kernel ridge", standard_error=True, heavy=True)

    def __init__(
        self, criterion: KernelRidge, task: Task, folds: Folds, held_out: HeldOutFolds
    ) -> None:
        self.criterion, self.task, self.folds, self.held_out = criterion, task, folds, held_out
        self.alphas = np.atleast_1d(np.asarray(criterion.alpha, dtype=float))
        self.X = _scaled(task.matrix, folds, criterion.scaling)
        self.root = np.sqrt(task.row_weights)
        self.kernel = KernelMatrices(
            criterion.kernel, criterion.width, criterion.degree, criterion.coef0
        )
        weighted = task.row_weights.all()
        self.together = bool(criterion.scaling is None and folds.complementary and weighted)
        self.order = np.arange(task.n_rows)
        self.parts: Sequence[Any] = folds.test
        if folds.partition:  # rows sorted by fold, so that a fold is a block
            self.order = held_out.rows
            self.parts = [slice(a, b) for a, b in pairwise(held_out.bounds)]

    def fork(self) -> Evaluator:
        """Share the data; there is no state."""
        return KernelRidgeEvaluator(self.criterion, self.task, self.folds, self.held_out)

    def evaluate(self, candidates: Candidates) -> np.ndarray:
        """Return one quality per candidate."""
        if not self.together:
            return np.array(
                [
                    self._quality(self._fold_by_fold(columns), columns)
                    for columns in candidates.columns()
                ]
            )
        changes, X = candidates.changes(), self.X[0][self.order]
        subsets = candidates.columns()
        if changes is None or changes.removed.shape[1] or changes.added.shape[1] != 1:
            kernels = (self.kernel.upper(X[:, columns]) for columns in subsets)
        else:
            base, size = self.kernel.sums(X[:, changes.base]), len(changes.base)
            kernels = (self.kernel.upper(X[:, added], base, size) for added in changes.added)
        return np.array(
            [self._quality(self._predict(K), columns) for K, columns in zip(kernels, subsets)]
        )

    def _quality(self, predictions: np.ndarray | None, columns: np.ndarray) -> float:
        """Return the quality of predictions (ridges, rows); refit where there are none."""
        try:
            if predictions is None:
                self.n_refits += 1
                predictions = self._refit(columns)
            return self._best(predictions)[0]
        except (np.linalg.LinAlgError, ValueError):  # the model itself cannot be fitted
            return -np.inf

    def explain(self, columns: np.ndarray) -> Evaluation:
        """Return the quality of one subset with its predictions, losses and fold scores."""
        predictions = self._all(columns)
        values = predictions[self._best(predictions)[1]]
        return self.held_out.explain(values[None], values)

    def best_alpha(self, columns: np.ndarray) -> float:
        """Return the ridge with which a subset is scored."""
        return float(self.alphas[self._best(self._all(columns))[1]])

    def _all(self, columns: np.ndarray) -> np.ndarray:
        """Return the held-out predictions (ridges, rows) of one subset, refitted if necessary."""
        predictions = self._closed_form(columns)
        if predictions is None:
            return self._refit(columns)
        return predictions

    def _closed_form(self, columns: np.ndarray) -> np.ndarray | None:
        """Return held-out predictions (ridges, rows), or None where unreliable."""
        if self.together:
            return self._predict(self.kernel.upper(self.X[0][np.ix_(self.order, columns)]))
        return self._fold_by_fold(columns)

    def _best(self, predictions: np.ndarray) -> tuple[float, int]:
        """Return the best quality over predictions (ridges, rows), and which ridge has it."""
        qualities = self.held_out.quality(predictions)
        best = int(qualities.argmax())
        return float(qualities[best]), best

    # All folds from one factorisation -------------------------------------------------------------

    def _predict(self, K: np.ndarray) -> np.ndarray | None:
        """Return held-out predictions (ridges, rows), or None where the closed form is unreliable.

        K (n, n) is the upper triangle of the kernel matrix, rows sorted by fold; overwritten.
        """
        # With root weights r on both sides of K and on y, the weighted problem is an unweighted
        # one, whose residuals are r times those of the rows.
        y = self.task.y[self.order]
        if self.task.weighted:
            root = self.root[self.order]
            K *= root[:, None]
            K *= root
            y = y * root
        if len(self.alphas) == 1:
            residuals = self._one(K, y)
        else:
            residuals = self._several(K, y)
        if residuals is None:
            return None
        rows = self.held_out.rows
        return self.task.y[rows] - residuals / self.root[rows]

    def _one(self, K: np.ndarray, y: np.ndarray) -> np.ndarray | None:
        """Return the residuals (1, n) for one ridge, or None; overwrites K."""
        # The inverse of a partitioned matrix gives the residuals of fold F as Q_FF^-1 (Q y)_F (S.
        # An, W. Liu and S. Venkatesh, "Fast cross-validation algorithms for least squares support
        # vector machine and kernel ridge regression", Pattern Recognition 40, 2007). With Q = R R'
        # and R upper triangular, Q_FF is that of the rows F of R, which are zero before the fold; Q
        # itself is never formed.
        K.flat[:: len(K) + 1] += self.alphas[0]
        if self.kernel.definite and self.alphas[0] > CONDITION * np.trace(K):
            R = inverse_root(K)
        else:
            K = np.triu(K)
            K += np.triu(K, 1).T
            factor = _factor(K, 0.0)
            if factor is None:
                return None
            R = inverse_root(factor.T, factored=True)
        if R is None:
            return None
        u = R @ (y @ R)
        if self.folds.leave_one_out:
            return (u / _squared_lengths(R))[None]
        residuals = []
        for rows in self.parts:
            first = rows.start if isinstance(rows, slice) else rows.min()
            part = R[rows, first:]
            residuals.append(_solve(part @ part.T, u[rows]))
        return np.concatenate(residuals)[None]

    def _several(self, K: np.ndarray, y: np.ndarray) -> np.ndarray | None:
        """Return the residuals (ridges, n) from one eigendecomposition, or None; overwrites K."""
        # With K = V diag(l) V', Q = V diag(1 / (l + alpha)) V' for every ridge; the residuals are
        # those of `_one`.
        if not np.isfinite(K).all():
            return None
        values, vectors = linalg.eigh(K.T, driver="evd", overwrite_a=True, check_finite=False)
        shifted = values[:, None] + self.alphas
        if not (shifted.min(axis=0) > CONDITION * shifted.max(axis=0)).all():
            return None
        U = vectors @ ((vectors.T @ y)[:, None] / shifted)
        if self.folds.leave_one_out:
            return (U / (vectors**2 @ (1.0 / shifted))).T
        residuals = np.empty((len(self.alphas), len(self.held_out.rows)))
        for a in range(len(self.alphas)):
            for rows, low, high in zip(self.parts, self.held_out.bounds, self.held_out.bounds[1:]):
                V = vectors[rows]
                block = (V / shifted[:, a]) @ V.T
                residuals[a, low:high] = _solve(block, U[rows, a])
        return residuals

    def _table(self, fold: int) -> np.ndarray:
        """Return the table (n, p) as scaled for a fold."""
        if len(self.X) == 1:
            return self.X[0]
        return self.X[fold]

    # Each fold by itself --------------------------------------------------------------------------

    def _fold_by_fold(self, columns: np.ndarray) -> np.ndarray | None:
        """Return held-out predictions (ridges, rows) from one system per fold.

        None where one of them is unreliable.
        """
        parts = []
        for f, (train, test) in enumerate(zip(self.folds.train, self.folds.test)):
            X = self._table(f)[:, columns]
            K = self.kernel.between(X[train], X[train])
            cross = self.kernel.between(X[test], X[train])
            root, y = self.root[train], self.task.y[train]
            duals = [_dual(K, y, alpha, root, self.kernel.definite) for alpha in self.alphas]
            if any(dual is None for dual in duals):
                return None
            parts.append(np.stack([cross @ dual for dual in duals]))
        return np.concatenate(parts, axis=1)

    def _refit(self, columns: np.ndarray) -> np.ndarray:
        """Return the held-out predictions (ridges, rows) of scikit-learn's model."""
        from sklearn.kernel_ridge import KernelRidge as Model

        c, task, y = self.criterion, self.task, self.task.y
        kernel = {"kernel": c.kernel, "gamma": c.width, "degree": c.degree, "coef0": c.coef0}
        parts = []
        for f, (train, test) in enumerate(zip(self.folds.train, self.folds.test)):
            X = self._table(f)[:, columns]
            models = (Model(alpha=float(alpha), **kernel) for alpha in self.alphas)
            weight = of_rows(task.sample_weight, train)
            fitted = (m.fit(X[train], y[train], weight) for m in models)
            parts.append(np.stack([m.predict(X[test]) for m in fitted]))
        return np.concatenate(parts, axis=1)


def _factor(K: np.ndarray, least: float) -> np.ndarray | None:
    """Return the Cholesky factor of a symmetric matrix, or None where it is nearly singular.

    K is overwritten, and `least` is a lower bound on the least eigenvalue. The largest one is at
    most the trace; where this does not prove the condition sufficient, the condition is estimated.
    """
    sound, norm = least > CONDITION * np.trace(K), 0.0
    if not sound:
        norm = dlange("1", K.T)
    factor, info = dpotrf(K.T, lower=1, overwrite_a=1)
    if info or not (sound or dpocon(factor, norm, uplo="L")[0] > CONDITION):
        return None
    return factor


def _squared_lengths(R: np.ndarray) -> np.ndarray:
    """Return the squared lengths (n,) of the rows of an upper triangle (n, n)."""
    panels = (R[low : low + _PANEL, low:] for low in range(0, len(R), _PANEL))
    return np.concatenate([np.einsum("ij,ij->i", panel, panel) for panel in panels])


def _solve(block: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Return the solution of a positive definite system, or NaN; overwrites `block`."""
    _, solution, info = dposv(block.T, u, lower=1, overwrite_a=1)
    if info:
        return np.full_like(u, np.nan)
    return solution


def _dual(
    K: np.ndarray, y: np.ndarray, alpha: float, root: np.ndarray, definite: bool
) -> np.ndarray | None:
    """Return the dual coefficients (n,), or None where the matrix is nearly singular.

    K (n, n) is the kernel matrix, y (n,) the target, and `root` (n,) the roots of the weights;
    `definite` says that K has no negative eigenvalue.
    """
    K = K * (root[:, None] * root)
    K.flat[:: len(K) + 1] += alpha
    least = alpha if definite else 0.0
    factor = _factor(K, least)
    if factor is None:
        return None
    return dpotrs(factor, y * root, lower=1)[0] * root


def _scaled(X: np.ndarray, folds: Folds, scaling: Scaling | None) -> list[np.ndarray]:
    """Return the table (n, p) once as it is, or once per fold, scaled by the training part."""
    if scaling is None:
        return [X]
    return [scaler(scaling)[0].fit(X[train]).transform(X) for train in folds.train]
