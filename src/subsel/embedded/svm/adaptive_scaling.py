"""Adaptive scaling: scales of given size under which a support vector machine has the widest margin."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from subsel.data.task import Task
from subsel.embedded.svm.dual import hard_margin
from subsel.embedded.svm.scaled_kernels import KernelName
from subsel.embedded.svm.scaled_machine import ScaledClassifier

__all__ = ["AdaptiveScaling"]


class AdaptiveScaling(ScaledClassifier):
    r"""Learn scales :math:`\sigma` of a fixed p-norm for the inputs of a support vector machine, by its own objective.

    .. math:: \min_\sigma \max_\alpha \; \sum_k \alpha_k - \tfrac12 \sum_{kl} \alpha_k \alpha_l y_k y_l K_\sigma(x_k, x_l),
              \qquad \|\sigma\|_p = s_0, \; \sigma \ge 0

    Scales and machine are learnt together: as their norm is given, an input that does not widen
    the margin gives its share to those that do. The smaller p, the fewer are left, and the more
    local minima there are; with a linear kernel and p = 2 there is one, that of
    :func:`~subsel.embedded.convex_scaling`. Descent is by L-BFGS-B over scales made to have the
    norm. Columns are standardised.

    Parameters
    ----------
    n_features : int or None
        How many inputs to keep; None keeps those whose scale is not 0.
    norm : float
        p.
    size : float or None
        :math:`s_0`; None is that of scales that are all 1.
    C : float
        Price of the squared slack.
    kernel : {"rbf", "linear", "poly"}
        Of scaled inputs; the polynomial has degree 2.
    gamma : float or None
        Of the kernel; None is one over the number of columns.
    max_iter : int
        Steps of descent.

    Attributes
    ----------
    scales_ : ndarray
        The scale of each input.
    objective_ : float
        The value of the problem.
    ranking_, support_, n_iter_ : ndarray, ndarray, int
        All columns, the largest scale first; mask of those kept; steps made.

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
        found = minimize(
            self._objective, np.ones(n), (Z, target), options={"maxiter": self.max_iter}, **settings
        )
        self.objective_, self.n_iter_ = float(found.fun), max(1, int(found.nit))
        return np.sqrt(self._normed(found.x)[0])

    def _final_scales(self, Z: np.ndarray, target: np.ndarray) -> np.ndarray:  # noqa: ARG002
        return self.scales_[self.support_]

    def _normed(self, free: np.ndarray) -> tuple[np.ndarray, float]:
        """Squared scales of the given norm along free values, and what these were multiplied by."""
        half, free = self.norm / 2, _some(free)
        size = self.size
        if size is None:
            size = len(free) ** (1 / self.norm)
        factor = size**2 / float((free**half).sum() ** (1 / half))
        return factor * free, factor

    def _objective(
        self, free: np.ndarray, Z: np.ndarray, target: np.ndarray
    ) -> tuple[float, np.ndarray]:
        """The value of the machine's problem, and its derivative by the free values.

        At the best multipliers only the explicit dependence on the kernel counts; what a free
        value adds to the norm it takes from all.
        """
        half, free, kernel = self.norm / 2, _some(free), self._kernel(Z.shape[1])
        theta, factor = self._normed(free)
        K = kernel(Z, theta) + np.eye(len(Z)) / self.C
        coef = hard_margin(K, target).coef
        slopes = -0.5 * kernel.slopes(Z, theta, np.outer(coef, coef))
        shares = np.maximum(free, _TINY) ** (half - 1) / float((free**half).sum())
        value = float(np.abs(coef).sum() - 0.5 * coef @ K @ coef)
        return value, factor * (slopes - float(slopes @ free) * shares)


def _some(free: np.ndarray) -> np.ndarray:
    """All alike where a step has led to 0 in all, which is no direction."""
    return free if free.any() else np.ones_like(free)


_TINY = 1e-12  # under which a free value counts as this one in powers below 0
