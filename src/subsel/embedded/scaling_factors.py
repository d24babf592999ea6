"""Scaling factors: one scale per input of a support vector machine, by descent on a bound of its error."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.optimize import minimize

from subsel.embedded.scaled_kernels import KernelName
from subsel.embedded.scaled_machine import ScaledClassifier
from subsel.embedded.svm_bounds import BOUNDS
from subsel.task import Task

__all__ = ["ScalingFactors"]


class ScalingFactors(ScaledClassifier):
    r"""Learn a scale for each input of a support vector machine by descent on a bound of its leave-one-out error.

    The kernel is that of standardised inputs times their scales :math:`\sigma`. The logarithm of the bound, as a
    function of :math:`\sigma_t^2 \ge 0`, is minimised from all scales 1 (L-BFGS-B); inputs that only widen the data end
    at 0. The model is the machine at these scales; where a number is asked for, that many inputs of the largest scales
    are kept and the bound is minimised again over theirs.

    Parameters
    ----------
    n_features : int or None
        How many inputs to keep; None keeps those whose scale is not 0.
    bound : {"radius-margin", "variance", "span"}
        :func:`~subsel.embedded.svm_bounds.radius_margin` (known as R2W2),
        :func:`~subsel.embedded.svm_bounds.variance_margin`, or :func:`~subsel.embedded.svm_bounds.span`, which has many
        local minima.
    C : float
        Price of the squared slack.
    kernel : {"rbf", "linear", "poly"}
        Of scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Of the kernel; None is one over the number of columns.
    max_iter : int
        Steps of descent. With 0 all scales stay 1, and recursive elimination by ``feature_importances_`` is backward
        elimination on the bound, to first order.

    Attributes
    ----------
    scales_ : ndarray
        The scale of each input.
    bound_ : float
        The bound with all inputs at these scales.
    feature_importances_ : ndarray
        By which share the bound would change, to first order, if the input were taken away.
    ranking_, support_, n_iter_ : ndarray, ndarray, int
        All columns, the largest scale first; mask of those kept; steps made.

    References
    ----------
    .. [1] Weston, Mukherjee, Chapelle, Pontil, Poggio and Vapnik, *Feature selection for SVMs*, NIPS 2000.
    .. [2] Rakotomamonjy, *Variable selection using SVM-based criteria*, JMLR 3, 2003 (backward elimination).
    .. [3] Guyon et al. (eds.), *Feature Extraction*, 2006, sections 5.3.1 and 12.3.4.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 6))
    >>> ScalingFactors(2).fit(X, X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4).get_support(indices=True)
    array([1, 4])
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        bound: Literal["radius-margin", "variance", "span"] = "radius-margin",
        C: float = 10.0,
        kernel: KernelName = "rbf",
        gamma: float | None = None,
        max_iter: int = 100,
    ) -> None:
        self.n_features = n_features
        self.bound = bound
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.max_iter = max_iter

    def _check(self, task: Task) -> None:
        super()._check(task)
        if self.bound not in BOUNDS:
            raise ValueError(f"bound must be one of {', '.join(BOUNDS)}, got {self.bound!r}.")

    def _learn_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        theta, self.n_iter_ = self._descend(np.ones(Z.shape[1]), Z, target, Z.shape[1])
        value, slopes = self._log_bound(theta, Z, target, Z.shape[1])
        self.bound_, self.feature_importances_ = float(np.exp(value)), np.abs(theta * slopes)
        return np.sqrt(theta)

    def _final_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        theta = self.scales_[self.support_] ** 2
        if self.n_features is not None and len(theta) < len(self.support_):
            theta, _ = self._descend(theta, Z, target, len(self.support_))
        return np.sqrt(theta)

    def _descend(self, theta: np.ndarray, Z: np.ndarray, target: np.ndarray, n: int) -> tuple[np.ndarray, int]:
        if self.max_iter == 0:
            return theta, 0
        settings = {"jac": True, "method": "L-BFGS-B", "bounds": [(0.0, None)] * len(theta)}
        found = minimize(self._log_bound, theta, (Z, target, n), options={"maxiter": self.max_iter}, **settings)
        return found.x, max(1, found.nit)

    def _log_bound(self, theta: np.ndarray, Z: np.ndarray, target: np.ndarray, n: int) -> tuple[float, np.ndarray]:
        """The logarithm of the bound, and its derivative by the squared scales; n columns in all."""
        kernel = self._kernel(n)
        value, slope = BOUNDS[self.bound](kernel(Z, theta) + np.eye(len(Z)) / self.C, target)
        return float(np.log(value)), kernel.slopes(Z, theta, slope) / value
