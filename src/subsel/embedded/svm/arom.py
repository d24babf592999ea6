"""l2-AROM: the zero norm, approximated by multiplying inputs by their weights repeatedly."""

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

_TOLERANCE = 1e-6  # the updates end where no scale changes by more, relative to the largest


class _MultiplicativeUpdates(ScaledMachine):
    """The updates, for classification and regression."""

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
        """Update the scales until they converge, or at most `n_features` inputs have one."""
        scales, self.n_iter_ = np.ones(Z.shape[1]), 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            active = np.flatnonzero(scales)
            before = scales[active]
            after = before * self._sizes(Z[:, active], before, target, Z.shape[1])
            if not after.any():
                break
            if self.kernel != "linear":  # only for the linear kernel the scales converge in size
                after /= after.max()
            vanished = after <= VANISHED * after.max()
            if self.n_features is not None and np.count_nonzero(~vanished) <= self.n_features:
                scales[active] = after
                break
            scales[active] = np.where(vanished, 0.0, after)
            if np.abs(after - before).max() <= _TOLERANCE * after.max():
                break
        return scales

    def _sizes(
        self, Z: np.ndarray, scales: np.ndarray, target: np.ndarray, n_columns: int
    ) -> np.ndarray:
        r"""Train a machine on scaled inputs and compute the size of the weight of each input.

        By slope it is the root of :math:`\theta_t \sum_{kl} c_k c_l \partial_t K_{kl}`, or 0 where
        that is negative; by difference the root of
        :math:`|\sum_{kl} c_k c_l (K_{kl} - K_{kl}^{(-t)})|`.

        Parameters
        ----------
        Z : ndarray of shape (rows, inputs)
            The inputs with a scale, standardised but not scaled.
        scales : ndarray of shape (inputs,)
            Their scales, the roots of theta.
        target : ndarray of shape (rows,)
            Classes -1 and 1, or numbers.
        n_columns : int
            Columns of the whole table, for the width of the kernel.
        """
        # |w|^2 = sum_kl c_k c_l K_kl. The slope rule is theta_t times its derivative by theta_t for
        # fixed coefficients c: the change, to first order, when the input is removed.
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
    r"""Keep few inputs of a support vector machine, by multiplicative updates (l2-AROM) [1]_ [2]_.

    The machine is trained on standardised inputs times their scales, which are 1 at first. Then
    each scale is multiplied by the size of the weight of its input, and the machine is trained
    again. For a linear kernel this lowers :math:`\sum_t \log |w_t|`, an approximation of the number
    of inputs; at convergence every remaining input has weight 1 or -1 in scaled units.

    For other kernels the squared size of a weight is the change of :math:`\|w\|^2` when the input
    is removed and the multipliers stay the same (see `sizes`), and the scales are divided by the
    largest after each update. These updates converge slowly or not at all, so that `n_features`
    should be given. At the end the model is trained again on the remaining inputs, without scales.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to keep: the updates end when no more than this number is left. None
        stands for updates until the scales converge.
    C : float
        Price of the squared slack; a large one makes a hard margin, a small one selects fewer
        inputs.
    kernel : {"linear", "poly", "rbf"}
        Kernel of the scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Width of the kernel; None stands for one over the number of columns.
    sizes : {"slope", "difference"}
        The change of :math:`\|w\|^2`, for kernels that are not linear: to first order, or 0 where
        it would not fall; or the absolute value of the difference, as in [2]_. For the linear
        kernel both are the absolute weight.
    max_iter : int
        Largest number of updates.

    Attributes
    ----------
    scales_ : ndarray
        The final scale of each input, 0 for those that vanished.
    ranking_ : ndarray of int
        All columns, the largest scale first.
    support_ : ndarray of bool
        Mask of the columns kept.
    n_iter_ : int
        Number of updates made.

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

    It is :class:`AROMClassifier` with squared loss [1]_. On orthogonal standardised columns of n
    rows, with :math:`c_t = x_t^T y / n`, a scale converges to
    :math:`(|c_t| + \sqrt{c_t^2 - 4/(nC)})/2`, or vanishes where :math:`c_t^2 < 4/(nC)`.

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
