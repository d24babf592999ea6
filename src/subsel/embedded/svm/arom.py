"""l2-AROM: the zero norm approximated by multiplying each input by its weight, again and again."""

from __future__ import annotations

from typing import Literal

import numpy as np

from subsel.data.task import Task
from subsel.embedded.svm.scaled_kernels import KernelName
from subsel.embedded.svm.scaled_machine import (
    VANISHED,
    ScaledClassifier,
    ScaledMachine,
    ScaledRegressor,
)

__all__ = ["AROMClassifier", "AROMRegressor"]

_STABLE = 1e-6  # relative change of the scales at which they have settled


class _MultiplicativeUpdates(ScaledMachine):
    max_iter: int
    sizes: str

    def __init__(
        self,
        n_features: int | None = None,
        *,
        C: float = 10.0,
        kernel: KernelName = "linear",
        gamma: float | None = None,
        sizes: Literal["slope", "difference"] = "slope",
        max_iter: int = 100,
    ) -> None:
        self.n_features = n_features
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.sizes = sizes
        self.max_iter = max_iter

    def _check(self, task: Task) -> None:
        super()._check(task)
        if self.sizes not in ("slope", "difference"):
            raise ValueError(f"sizes must be 'slope' or 'difference', got {self.sizes!r}.")

    def _learn_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        """Train, multiply, drop what vanishes; until the scales settle, or no more inputs than wanted are left."""
        scales, self.n_iter_ = np.ones(Z.shape[1]), 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            active = np.flatnonzero(scales)
            before = scales[active]
            after = before * self._sizes(Z[:, active], before, target, Z.shape[1])
            if not after.any():
                break
            if self.kernel != "linear":  # for which alone the scales find their own size
                after /= after.max()
            gone = after <= VANISHED * after.max()
            if self.n_features is not None and np.count_nonzero(~gone) <= self.n_features:
                scales[active] = after
                break
            scales[active] = np.where(gone, 0.0, after)
            if np.abs(after - before).max() <= _STABLE * after.max():
                break
        return scales

    def _sizes(
        self, Z: np.ndarray, scales: np.ndarray, target: np.ndarray, n_columns: int
    ) -> np.ndarray:
        r"""The size of the weight of each scaled input.

        By slope :math:`s_t^2 = \theta_t \sum_{kl} c_k c_l \partial_t K_{kl}` if positive, by
        difference :math:`s_t^2 = |\sum_{kl} c_k c_l (K_{kl} - K_{kl}^{(-t)})|`.
        """
        kernel, theta = self._kernel(n_columns), scales**2
        coef = self._dual(kernel(Z, theta), target).coef
        used = np.flatnonzero(coef)
        rows, coef = Z[used], coef[used]
        if self.sizes == "slope":
            return np.sqrt(
                np.maximum(theta * kernel.slopes(rows, theta, np.outer(coef, coef)), 0.0)
            )
        K = kernel(rows, theta)
        without = [coef @ kernel.without(rows, theta, K, t) @ coef for t in range(len(theta))]
        return np.sqrt(np.abs(coef @ K @ coef - np.array(without)))


class AROMClassifier(ScaledClassifier, _MultiplicativeUpdates):
    r"""Keep few inputs of a support vector machine by multiplicative updates (l2-AROM) of their scales.

    The machine is trained on standardised inputs times their scales, at first 1; each scale is
    multiplied by the size of the weight of its input; and so on. For a linear kernel this lowers
    :math:`\sum_t \log |w_t|`, a stand-in for the number of inputs, and where it settles every
    input that is left has weight 1 or -1 in scaled units. For other kernels the squared size of a
    weight is by how much removing the input changes :math:`\|w\|^2` with the multipliers kept: to
    first order, 0 where it would not lower it, or as the difference; the largest scale is made 1
    after each update; and as the updates settle late if at all, ``n_features`` should be given.
    The model is trained again on the inputs that are left, unscaled.

    Parameters
    ----------
    n_features : int or None
        How many inputs to keep: the updates end as soon as no more are left. None: until the
        scales settle.
    C : float
        Price of the squared slack; large is a hard margin. The smaller, the fewer inputs.
    kernel : {"linear", "poly", "rbf"}
        Of scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Of the kernel; None is one over the number of columns.
    sizes : {"slope", "difference"}
        For kernels that are not linear: the change of :math:`\|w\|^2` to first order, or the
        difference of the book, whose sign is not looked at. For the linear kernel both are the
        weight.
    max_iter : int
        Updates at most.

    Attributes
    ----------
    scales_ : ndarray
        The scale of each input at the end, 0 for those that vanished.
    ranking_ : ndarray of int
        All columns, the largest scale first.
    support_ : ndarray of bool
        Mask of the columns kept.
    n_iter_ : int
        Updates made.

    References
    ----------
    .. [1] Weston, Elisseeff, Scholkopf and Tipping, *Use of the zero-norm with linear models and
       kernel methods*, JMLR 3, 2003.
    .. [2] Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.4.3 and algorithm 4; section
       13.3.3 for kernels.

    Examples
    --------
    >>> X = np.random.default_rng(3).normal(size=(60, 20))
    >>> X = X[np.abs(X[:, 0] - X[:, 1]) > 0.4]
    >>> AROMClassifier(C=1e4).fit(X, X[:, 0] > X[:, 1]).get_support(indices=True)
    array([0, 1])
    """


class AROMRegressor(ScaledRegressor, _MultiplicativeUpdates):
    r"""Keep few inputs of (kernel) ridge regression by multiplicative updates of their scales.

    As :class:`AROMClassifier` with squared loss. On orthogonal standardised columns of n rows,
    with :math:`c_t = x_t^T y / n`, a scale settles at :math:`(|c_t| + \sqrt{c_t^2 - 4/(nC)})/2` or
    vanishes where :math:`c_t^2 < 4/(nC)`.

    Parameters
    ----------
    n_features, kernel, gamma, sizes, max_iter : int or None, str, float or None, str, int
        As in :class:`AROMClassifier`.
    C : float
        One over the ridge.

    Attributes
    ----------
    scales_, ranking_, support_, n_iter_ : ndarray, ndarray, ndarray, int
        As in :class:`AROMClassifier`.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction*, 2006, section 5.4.3 and table 5.1.

    Examples
    --------
    >>> X = np.random.default_rng(3).normal(size=(60, 20))
    >>> AROMRegressor().fit(X, X[:, 4] - 2 * X[:, 7]).get_support(indices=True)
    array([4, 7])
    """
