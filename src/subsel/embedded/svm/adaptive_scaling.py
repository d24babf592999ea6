"""Adaptive scaling: scales of a given norm that widen the margin of a support vector machine."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from subsel.data.task import Task
from subsel.embedded.svm.dual import hard_margin
from subsel.embedded.svm.scaled_kernels import KernelName
from subsel.embedded.svm.scaled_machine import ScaledClassifier

__all__ = ["AdaptiveScaling"]


class AdaptiveScaling(ScaledClassifier):
    r"""Learn scales of the inputs of a support vector machine by the objective of the machine [1]_.

    .. math:: \min_\sigma \max_\alpha \; \sum_k \alpha_k
        - \tfrac12 \sum_{kl} \alpha_k \alpha_l y_k y_l K_\sigma(x_k, x_l),
        \qquad \|\sigma\|_p = s_0, \; \sigma \ge 0

    The p-norm of the scales is fixed, so that an input that does not widen the margin loses its
    share to those that do. The smaller p, the fewer inputs remain and the more local minima there
    are; with a linear kernel and p = 2 there is only one, that of
    :func:`~subsel.embedded.convex_scaling`. The minimiser is L-BFGS-B, over free values that are
    normalised to the given norm. Columns are standardised.

    Parameters
    ----------
    n_features : int or None
        Number of inputs to keep; None keeps those whose scale is not 0.
    norm : float
        The order p of the norm.
    size : float or None
        The norm :math:`s_0`; None stands for the norm of scales that are all 1.
    C : float
        Price of the squared slack.
    kernel : {"rbf", "linear", "poly"}
        Kernel of the scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Width of the kernel; None stands for one over the number of columns.
    max_iter : int
        Largest number of steps of the minimiser.

    Attributes
    ----------
    scales_ : ndarray
        The scale of each input.
    objective_ : float
        The minimum of the objective.
    ranking_, support_, n_iter_ : ndarray, ndarray, int
        All columns, the largest scale first; mask of those kept; number of steps made.

    References
    ----------
    .. [1] Grandvalet and Canu, *Adaptive scaling for feature selection in SVMs*, NIPS 2002; Guyon
       et al. (eds.), *Feature Extraction*, 2006, section 5.3.1, equation 5.18.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(80, 6))
    >>> AdaptiveScaling(2).fit(X, X[:, 1] ** 2 + X[:, 4] ** 2 > 1.4).get_support(indices=True)
    array([1, 4])
    """

    def __init__(
        self,
        n_features: int | None = None,
        *,
        norm: float = 2.0,
        size: float | None = None,
        C: float = 10.0,
        kernel: KernelName = "rbf",
        gamma: float | None = None,
        max_iter: int = 100,
    ) -> None:
        self.n_features = n_features
        self.norm = norm
        self.size = size
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.max_iter = max_iter

    def _check(self, task: Task) -> None:
        super()._check(task)
        if not self.norm > 0:
            raise ValueError(f"norm must be positive, got {self.norm!r}.")
        if self.size is not None and not self.size > 0:
            raise ValueError(f"size must be positive, got {self.size!r}.")

    def _learn_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:
        n = Z.shape[1]
        settings = {"jac": True, "method": "L-BFGS-B", "bounds": [(0.0, None)] * n}
        solution = minimize(
            self._objective, np.ones(n), (Z, target), options={"maxiter": self.max_iter}, **settings
        )
        self.objective_, self.n_iter_ = float(solution.fun), max(1, int(solution.nit))
        return np.sqrt(self._normed(solution.x)[0])

    def _final_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:  # noqa: ARG002
        return self.scales_[self.support_]

    def _normed(self, free: np.ndarray) -> tuple[np.ndarray, float]:
        """Normalise free values to squared scales of the given norm; also return the factor."""
        half, free = self.norm / 2, _nonzero(free)
        size = self.size
        if size is None:
            size = len(free) ** (1 / self.norm)
        factor = size**2 / float((free**half).sum() ** (1 / half))
        return factor * free, factor

    def _objective(
        self, free: np.ndarray, Z: np.ndarray, target: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """Compute the dual value of the machine and its derivative by the free values."""
        # Envelope theorem: at the optimal multipliers, only the explicit dependence on the kernel
        # counts. With h = p / 2, theta = f u for free values u and f = s0^2 / (sum u^h)^(1/h), so
        # that d theta_t / d u_s = f (delta_ts - u_t u_s^(h-1) / sum u^h).
        half, free, kernel = self.norm / 2, _nonzero(free), self._kernel(Z.shape[1])
        theta, factor = self._normed(free)
        K = kernel(Z, theta) + np.eye(len(Z)) / self.C
        coef = hard_margin(K, target).coef
        slopes = -0.5 * kernel.slopes(Z, theta, np.outer(coef, coef))
        shares = np.maximum(free, _TINY) ** (half - 1) / float((free**half).sum())
        value = float(np.abs(coef).sum() - 0.5 * coef @ K @ coef)
        return value, factor * (slopes - float(slopes @ free) * shares)


def _nonzero(free: np.ndarray) -> np.ndarray:
    """Replace free values that are all 0, which cannot be normalised, by ones."""
    return free if free.any() else np.ones_like(free)


_TINY = 1e-12  # lower bound of free values in powers with a negative exponent
