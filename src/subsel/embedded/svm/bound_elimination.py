"""Backward elimination on bounds of the error of a support vector machine."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from subsel.data.task import Task
from subsel.embedded.svm.bounds import BOUNDS, kept_multipliers
from subsel.embedded.svm.scaled_kernels import KernelName, ScaledKernel
from subsel.embedded.svm.scaled_machine import ScaledClassifier

__all__ = ["BoundElimination", "bounds_without"]

RULES = ("retrained", "kept", "slope")


def bounds_without(
    kernel: ScaledKernel, Z: np.ndarray, sign: np.ndarray, ridge: float, bound: str, rule: str
) -> np.ndarray:
    """Compute what each input contributes to a bound: the bound without it, or its derivative.

    Parameters
    ----------
    kernel : ScaledKernel
        Kernel of the inputs, at scales 1.
    Z : ndarray of shape (rows, inputs)
        The inputs.
    sign : ndarray of shape (rows,)
        -1 or 1, the class of each row.
    ridge : float
        Added to the diagonal of the kernel matrix.
    bound, rule : str
        As in `BoundElimination`.

    Returns
    -------
    ndarray of shape (inputs,)
        The bound without each input, or (rule "slope") the absolute derivative by its squared
        scale.

    Examples
    --------
    >>> Z, sign = np.array([[-2.0, 1], [-1, -1], [1, 1], [2, -1]]), np.array([-1.0, -1, 1, 1])
    >>> kernel = ScaledKernel("linear")
    >>> contributions = bounds_without(kernel, Z, sign, 0.1, "variance", "retrained")
    >>> bool(contributions[0] > contributions[1])
    True
    """
    ones, slack = np.ones(Z.shape[1]), ridge * np.eye(len(Z))
    K = kernel(Z, ones)
    if rule == "slope":
        return np.abs(kernel.slopes(Z, ones, BOUNDS[bound](K + slack, sign).slope))
    smaller = (kernel.without(Z, ones, K, t) + slack for t in range(Z.shape[1]))
    if rule == "retrained":
        return np.array([BOUNDS[bound](part, sign).value for part in smaller])
    value = kept_multipliers(K + slack, sign, bound)
    return np.array([value(part) for part in smaller])


class BoundElimination(ScaledClassifier):
    r"""Backward elimination by a bound of the leave-one-out error of a support vector machine [1]_.

    In each step the input is dropped without which the bound is lowest. The inputs are
    standardised.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to keep; None keeps the number for which the bound was lowest.
    bound : {"radius-margin", "variance", "span"}
        See :func:`~subsel.embedded.svm.bounds.radius_margin`,
        :func:`~subsel.embedded.svm.bounds.variance_margin` and
        :func:`~subsel.embedded.svm.bounds.span`.
    rule : {"retrained", "kept", "slope"}
        How the contribution of an input is computed. ``"retrained"``: by the bound of a machine
        trained without it, which takes one machine for each input and step. ``"kept"``: the same
        with the multipliers of the machine that has the input. ``"slope"``: by the derivative of
        the bound by the scale of the input.
    C : float
        Price of the squared slack.
    kernel : {"rbf", "linear", "poly"}
        Kernel of the inputs; the polynomial has degree 2.
    gamma : float or None
        Width of the kernel; None stands for one over the number of columns of the whole table.

    Attributes
    ----------
    ranking_ : ndarray of int
        All columns: those kept, then the dropped ones, the last dropped first.
    bounds_ : ndarray
        The bound with all columns, without the first dropped, and so on.
    support_ : ndarray of bool
        Mask of the columns kept.

    References
    ----------
    .. [1] Rakotomamonjy, *Variable selection using SVM-based criteria*, JMLR 3, 2003.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.2.3, equation 5.14.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> y = X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4
    >>> BoundElimination(2, bound="variance").fit(X, y).get_support(indices=True)
    array([1, 4])
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        bound: Literal["radius-margin", "variance", "span"] = "radius-margin",
        rule: Literal["retrained", "kept", "slope"] = "retrained",
        C: float = 10.0,
        kernel: KernelName = "rbf",
        gamma: float | None = None,
    ) -> None:
        self.n_features = n_features
        self.bound = bound
        self.rule = rule
        self.C = C
        self.kernel = kernel
        self.gamma = gamma

    def fit(self, X: Any, y: Any) -> BoundElimination:
        """Eliminate inputs one by one, and train a machine on those that are left."""
        super().fit(X, y)
        kept = np.flatnonzero(self.support_)
        self.ranking_ = np.concatenate(
            [kept, self._dropped[: len(self.support_) - len(kept)][::-1]]
        )
        del self.scales_, self._dropped
        return self

    def _check(self, task: Task) -> None:
        super()._check(task)
        if self.bound not in BOUNDS:
            raise ValueError(f"bound must be one of {', '.join(BOUNDS)}, got {self.bound!r}.")
        if self.rule not in RULES:
            raise ValueError(f"rule must be one of {', '.join(RULES)}, got {self.rule!r}.")

    def _learn_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Give scale 1 to the inputs kept and 0 to the others; sets `bounds_` and `_dropped`."""
        n, ridge, kernel = Z.shape[1], 1.0 / self.C, self._kernel(Z.shape[1])
        left, dropped, bounds = np.arange(n), list[int](), list[float]()
        while True:
            part = Z[:, left]
            K = kernel(part, np.ones(len(left))) + ridge * np.eye(len(Z))
            bounds.append(BOUNDS[self.bound](K, target).value)
            if len(left) == (self.n_features or 1):
                break
            contributions = bounds_without(
                kernel, part, target, ridge, self.bound, self.rule
            ).round(12)
            dropped.append(int(left[np.argmin(contributions)]))
            left = np.delete(left, np.argmin(contributions))
        self.bounds_, self._dropped = np.array(bounds), np.array(dropped, dtype=int)
        n_dropped = len(dropped)
        if not self.n_features:
            n_dropped = len(bounds) - 1 - int(np.argmin(self.bounds_[::-1]))
        scales = np.ones(n)
        scales[self._dropped[:n_dropped]] = 0.0
        return scales
