"""What boosting asks of a convex loss, and the Newton steps that smooth ones share."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

__all__ = ["Loss"]


class Loss(ABC):
    """A loss of targets y and values f, summed over rows with weights; a weight of 2 counts a row twice [1]_.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in *Feature Extraction:
       Foundations and Applications*, 2006, section 28.6.
    """

    two_classes = False

    @abstractmethod
    def value(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> float:
        """Give the loss."""

    @abstractmethod
    def residual(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Give minus the gradient with respect to f."""

    def curvature(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Give the second derivative by f of each row."""
        return weight

    def refit(
        self,
        y: np.ndarray,
        A: np.ndarray,
        theta: np.ndarray,
        weight: np.ndarray,
        damping: float,
        n_steps: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        r"""Give better coefficients of the columns of A, and minus the gradient there.

        Newton steps with :math:`(1 - \lambda) H + \lambda \frac{\operatorname{tr} H}{k} I` (equation 28.42), halved
        until the loss does not grow.
        """
        for _ in range(n_steps):
            f = A @ theta
            gradient = A.T @ self.residual(y, f, weight)
            H = A.T @ (self.curvature(y, f, weight)[:, None] * A)
            H = (1 - damping) * H + damping * np.trace(H) / len(H) * np.eye(len(H))
            step = np.linalg.lstsq(H, gradient)[0]
            if gradient @ step <= 1e-20 * max(1.0, self.value(y, f, weight)):
                break
            theta = theta + self._length(y, f, A @ step, weight) * step
        return theta, self.residual(y, A @ theta, weight)

    def _length(
        self, y: np.ndarray, f: np.ndarray, change: np.ndarray, weight: np.ndarray
    ) -> float:
        """Give the largest of 1, 1/2, 1/4, ... that does not raise the loss, 0 where none is found."""
        now = self.value(y, f, weight)
        lengths = (0.5**k for k in range(40))
        return next((s for s in lengths if self.value(y, f + s * change, weight) <= now), 0.0)
