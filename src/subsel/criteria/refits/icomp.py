"""ICOMP-PERF: the misfit of a kernel discriminant plus the complexity of its covariance."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from subsel.criteria.refits.fresh_splits import FreshSplit
from subsel.criteria.refits.split_evaluator import SplitEvaluator
from subsel.criteria.registry import criterion
from subsel.criteria.traits import Traits
from subsel.data.task import Kind, Task
from subsel.models.covariance import convex_sum, stabilise
from subsel.models.kernels import Kernel, find_kernel
from subsel.models.planes.kernel_discriminant import (
    Form,
    Slack,
    discriminants,
    predicted_codes,
    within_covariance,
)
from subsel.registry.parameters import Parameters

__all__ = [
    "IcompPerf",
    "IcompTerms",
    "entropic_complexity",
    "frobenius_complexity",
    "icomp",
    "icomp_perf",
]


def frobenius_complexity(values: np.ndarray) -> float:
    r"""The complexity C1F of a covariance with these eigenvalues [1]_.

    .. math:: C_{1F} = \frac{1}{4 \bar l^2} \sum_i (l_i - \bar l)^2

    It is zero for a multiple of the identity and does not depend on the scale of the data. The
    paper prints :math:`\bar l` without the square, with which complexity would have the unit of the
    kernel.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, section 3.1.

    Examples
    --------
    >>> frobenius_complexity(np.array([3.0, 1.0]))
    0.125
    """
    mean = values.mean()
    if mean <= 0:
        return 0.0
    return float(((values - mean) ** 2).sum() / (4 * mean**2))


def entropic_complexity(values: np.ndarray) -> float:
    r"""The complexity C1 of a covariance with these eigenvalues, zeros left out [1]_.

    .. math:: C_1 = \frac{s}{2} \log \frac{\mathrm{tr} \Sigma}{s} - \frac12 \log \det \Sigma

    with s the rank: s/2 times the log of the arithmetic over the geometric mean of the eigenvalues.
    It is zero for a multiple of the identity and does not depend on the scale.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, section 3.1, equation 9.

    Examples
    --------
    >>> round(entropic_complexity(np.array([3.0, 1.0])), 6)
    0.143841
    >>> entropic_complexity(np.array([2.0, 2.0]))
    0.0
    """
    present = values[values > values.max(initial=0.0) * len(values) * np.finfo(float).eps]
    if not len(present):
        return 0.0
    return float(len(present) * np.log(present.mean()) - np.log(present).sum()) / 2


COMPLEXITIES = {"c1": entropic_complexity, "c1f": frobenius_complexity}


def icomp(
    log_likelihood: float, covariance: np.ndarray, complexity: Literal["c1", "c1f"] = "c1"
) -> float:
    r"""The information complexity of any model, smaller is better [1]_.

    It is :math:`-2 \log L + 2 C(F^{-1})`.

    ``covariance`` is that of the estimated parameters, the inverse of the Fisher information.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, section 3.1, equation 9.

    Examples
    --------
    >>> icomp(-10.0, np.eye(3)), round(icomp(-10.0, np.diag([3.0, 1.0]), "c1f"), 6)
    (20.0, 20.25)
    """
    if complexity not in COMPLEXITIES:
        raise ValueError(f"complexity must be 'c1' or 'c1f', got {complexity!r}.")
    values = np.maximum(np.linalg.eigvalsh(covariance), 0.0)
    return -2.0 * log_likelihood + 2.0 * COMPLEXITIES[complexity](values)


def icomp_perf(variance: float, n_rows: int, complexity: float) -> float:
    r"""The criterion itself, smaller is better [1]_.

    .. math:: n \log 2\pi + n \log \hat\sigma^2 + n + 2 C_{1F}

    A perfect fit has no variance and would score minus infinity whatever its complexity;
    :math:`\hat\sigma^2` is therefore at least 1/(2n), half of what one neighbouring mistake among n
    rows makes it.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, section 3.1, equations 10 and 11.

    Examples
    --------
    >>> round(icomp_perf(0.0, 100, 3.0) - icomp_perf(0.01, 100, 3.0), 4)  # 100 log(1/2)
    -69.3147
    """
    variance = max(variance, 1 / (2 * n_rows))
    return n_rows * float(np.log(2 * np.pi) + np.log(variance) + 1) + 2 * complexity


class IcompTerms(NamedTuple):
    """The evaluation of one subset on one split."""

    score: float  # the criterion, smaller is better
    complexity: float  # of the kernel covariance
    train_error: float  # share of training rows that are misclassified
    test_error: float  # the same of test rows
    n_support: float = np.nan  # training rows with a weight in the discriminant


@criterion("icomp-perf")
@dataclass(frozen=True)
class IcompPerf(Parameters):
    """Minus ICOMP-PERF of a kernel discriminant, trained on few rows and tested on the others [1]_.

    A `KernelDiscriminant` is trained on one part of a stratified split. Its complexity is that of
    the ``rank`` largest eigenvalues of the stabilised kernel covariance within classes; its
    variance is that of its errors on the other part. See `icomp_perf` for the criterion of both.

    Parameters
    ----------
    kernel : str or callable, default="gaussian"
        A name or a function, see `subsel.models.kernels`. Search it with the features by
        ``choices={"kernel": ...}``.
    form : str, default="fisher"
        Of the discriminant, see `subsel.models.KernelDiscriminant`.
    decomposition : {"one-against-all", "one-against-one"}, default="one-against-all"
        How more than two classes are separated.
    C : float, default=1.0
        Of the discriminant.
    train_share : float, default=0.2
        Share of the rows of each class to train on.
    splits : int or None, default=None
        None draws a fresh split for every evaluation, as published: the quality of a subset is
        random, and a search sees the luckiest of many draws. The finalists of a `SubsetSelector`
        are evaluated again on 25 splits drawn once. A number: so many splits are drawn once, and
        the quality is the median over them.
    variance : {"labels", "errors"}, default="labels"
        ``"labels"``, the mean squared difference of class numbers (1, 2, ... in sorted order), as
        published, which with more than two classes depends on their order; or ``"errors"``, the
        error rate, which does not and is the same for two classes.
    rank : int or None, default=25
        Eigenvalues that count for the complexity. None: all.
    scaling : {"minmax", "standard"} or None, default="minmax"
        To 0 and 1, or to mean 0 and variance 1, by the training rows. The paper does not say what
        it did; its scores of the Wine data imply complexities that only ``"minmax"`` gives, and
        without any scaling its kernels see the column of the largest unit only.
    keep : bool, default=False
        Keep every evaluation in ``evaluator.record``, as pairs of columns and `IcompTerms`.
    slack : {"linear", "squared", "class-share"}, default="linear"
        Of the support-vector form.

    Notes
    -----
    Memory: the data once, and a kernel matrix of training by test rows.

    References
    ----------
    .. [1] Howe and Bozdogan, *Regularized SVM classification with a new complexity-driven
       stochastic optimizer*, section 3.1, equations 10 and 11.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> task = Task.of(*load_iris(return_X_y=True))
    >>> evaluator = IcompPerf("gaussian", splits=5).bind(task, seed=0)
    >>> evaluator.explain([2, 3]).quality > evaluator.explain([0, 1]).quality
    True
    """

    serves: ClassVar[tuple[Kind, ...]] = ("classification",)

    kernel: str | Kernel = "gaussian"
    form: Form = "fisher"
    _: KW_ONLY
    decomposition: Literal["one-against-all", "one-against-one"] = "one-against-all"
    C: float = 1.0
    train_share: float = 0.2
    splits: int | None = None
    variance: Literal["labels", "errors"] = "labels"
    rank: int | None = 25
    scaling: Literal["minmax", "standard"] | None = "minmax"
    keep: bool = False
    slack: Slack = "linear"

    def choosing(self, kernel: str | Kernel) -> IcompPerf:
        """Return the criterion with this kernel."""
        return replace(self, kernel=kernel)

    def bind(self, task: Task, seed: int | np.random.SeedSequence | None = None) -> IcompEvaluator:
        """Count the classes and draw the fixed splits."""
        if task.kind != "classification":
            raise ValueError("y must hold classes for ICOMP-PERF, got a quantity.")
        if self.variance not in ("labels", "errors"):
            raise ValueError(f"variance must be 'labels' or 'errors', got {self.variance!r}.")
        if self.scaling not in ("minmax", "standard", None):
            raise ValueError(f"scaling must be 'minmax', 'standard' or None, got {self.scaling!r}.")
        return IcompEvaluator(self, task, seed)


class IcompEvaluator(SplitEvaluator):
    """Evaluates subsets by the complexity of a kernel discriminant on fresh or fixed splits."""

    def __init__(self, criterion: IcompPerf, task: Task, seed: Any) -> None:
        super().__init__(
            criterion,
            task,
            seed,
            Traits("information complexity", deterministic=criterion.splits is not None),
        )
        self.kernel = find_kernel(criterion.kernel)
        self.X, self.codes = np.ascontiguousarray(task.matrix), task.codes
        self.n_classes = len(task.classes)

    def terms(self, columns: np.ndarray, split: FreshSplit) -> IcompTerms:
        """Evaluate a subset on a split."""
        criterion, n_test = self.criterion, len(split.test)
        train, test = self._parts(columns, split)
        codes, held = self.codes[split.train], self.codes[split.test]
        K = self.kernel(train)
        options = {"C": criterion.C, "slack": criterion.slack}
        weights, intercepts = discriminants(
            K, codes, criterion.form, criterion.decomposition, **options
        )

        def predict(K: np.ndarray) -> np.ndarray:
            outputs = K @ weights + intercepts
            return predicted_codes(outputs, self.n_classes, criterion.decomposition)

        gaps = predict(self.kernel(test, train)) - held
        test_error = np.count_nonzero(gaps) / n_test
        variance = float(gaps @ gaps) / n_test
        if criterion.variance == "errors":
            variance = test_error
        values = np.maximum(np.linalg.eigvalsh(within_covariance(K, codes)), 0.0)
        complexity = frobenius_complexity(
            convex_sum(stabilise(values), len(K))[::-1][: criterion.rank]
        )
        train_error = float(np.mean(predict(K) != codes))
        n_support = float(np.count_nonzero(weights.any(axis=1)))
        return IcompTerms(
            icomp_perf(variance, n_test, complexity), complexity, train_error, test_error, n_support
        )

    def _parts(self, columns: np.ndarray, split: FreshSplit) -> tuple[np.ndarray, np.ndarray]:
        """Select columns of the training and test rows, scaled by the training rows."""
        X = self.X[:, columns]
        train, test = X[split.train], X[split.test]
        if self.criterion.scaling is None:
            return train, test
        standard = self.criterion.scaling == "standard"
        centre, spread = train.min(axis=0), np.ptp(train, axis=0)
        if standard:
            centre, spread = train.mean(axis=0), train.std(axis=0)
        spread[spread == 0] = 1.0
        return (train - centre) / spread, (test - centre) / spread
