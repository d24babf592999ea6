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
    """What each input is worth to a bound: the bound without it, or by how much it changes to first order.

    Parameters
    ----------
    kernel : ScaledKernel
        Of the rows.
    Z, sign : ndarray
        Inputs, and -1 or 1 for each row.
    ridge : float
        What is added to the diagonal of the kernel.
    bound, rule : str
        As in `BoundElimination`.

    Examples
    --------
    >>> Z, sign = np.array([[-2.0, 1], [-1, -1], [1, 1], [2, -1]]), np.array([-1.0, -1, 1, 1])
    >>> worth = bounds_without(ScaledKernel("linear"), Z, sign, 0.1, "variance", "retrained")
    >>> bool(worth[0] > worth[1])
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
    r"""Drop the input without which a bound of the leave-one-out error is lowest, train again, and so on.

    The inputs are standardised and not scaled. A bound that is high without an input says that the
    input matters.

    Parameters
    ----------
    n_features : int or None
        How many inputs to keep; None keeps as many as the bound was lowest with.
    bound : {"radius-margin", "variance", "span"}
        See :func:`~subsel.embedded.svm.bounds.radius_margin`,
        :func:`~subsel.embedded.svm.bounds.variance_margin` and
        :func:`~subsel.embedded.svm.bounds.span`.
    rule : {"retrained", "kept", "slope"}
        How the bound without an input is found: by a machine trained without it, at the price of
        one machine for each input and step; with the multipliers of the machine that has it; or
        not at all, and the input is dropped whose scale the bound depends on least, to first
        order.
    C : float
        Price of the squared slack.
    kernel : {"rbf", "linear", "poly"}
        Of the inputs; the polynomial has degree 2.
    gamma : float or None
        Of the kernel; None is one over the number of columns of the whole table.

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
        """Drop one input after the other, and train a machine on those that are left."""
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
        """1 for the inputs kept, 0 for the others."""
        n, ridge, kernel = Z.shape[1], 1.0 / self.C, self._kernel(Z.shape[1])
        left, dropped, bounds = np.arange(n), list[int](), list[float]()
        while True:
            part = Z[:, left]
            K = kernel(part, np.ones(len(left))) + ridge * np.eye(len(Z))
            bounds.append(BOUNDS[self.bound](K, target).value)
            if len(left) == (self.n_features or 1):
                break
            worth = bounds_without(kernel, part, target, ridge, self.bound, self.rule).round(12)
            dropped.append(int(left[np.argmin(worth)]))
            left = np.delete(left, np.argmin(worth))
        self.bounds_, self._dropped = np.array(bounds), np.array(dropped, dtype=int)
        n_dropped = len(dropped)
        if not self.n_features:
            n_dropped = len(bounds) - 1 - int(np.argmin(self.bounds_[::-1]))
        scales = np.ones(n)
        scales[self._dropped[:n_dropped]] = 0.0
        return scales
