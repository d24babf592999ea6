"""Convex losses for boosting: squared, absolute, exponential and logistic."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.optimize import linprog

__all__ = ["LOSSES", "Absolute", "Exponential", "Logistic", "Loss", "Squared"]


class Loss(ABC):
    """A loss of targets y and values f, summed over rows with weights [1]_.

    All arrays have shape (rows,). A row of weight 2 counts as two rows.

    References
    ----------
    .. [1] Momma and Bennett, Constructing orthogonal latent features for arbitrary loss, in
       *Feature Extraction: Foundations and Applications*, 2006, section 28.6.
    """

    two_classes = False

    @abstractmethod
    def value(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> float:
        """Give the loss."""

    @abstractmethod
    def residual(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute minus the gradient by f."""

    def curvature(
        self,
        y: np.ndarray,  # noqa: ARG002
        f: np.ndarray,  # noqa: ARG002
        weight: np.ndarray,
    ) -> np.ndarray:
        """Compute the second derivative by f of each row."""
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
        r"""Improve the coefficients of f = A theta by damped Newton steps.

        The Hessian H is replaced by
        :math:`(1 - \lambda) H + \lambda \frac{\operatorname{tr} H}{k} I` ([1]_ of the class,
        equation 28.42). Steps are halved until the loss does not rise.

        Parameters
        ----------
        y, weight : ndarray of shape (rows,)
            The target and the weights of the rows.
        A : ndarray of shape (rows, k)
            The features.
        theta : ndarray of shape (k,)
            The coefficients to start from.
        damping : float
            The share :math:`\lambda` of the identity.
        n_steps : int
            Largest number of steps.

        Returns
        -------
        theta : ndarray of shape (k,)
            The coefficients.
        residual : ndarray of shape (rows,)
            Minus the gradient by f.
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
        """Find the largest of 1, 1/2, 1/4, ... for which the loss does not rise, or else 0."""
        now = self.value(y, f, weight)
        lengths = (0.5**k for k in range(40))
        return next((s for s in lengths if self.value(y, f + s * change, weight) <= now), 0.0)


class Squared(Loss):
    r"""Half the squared error, :math:`\frac12 \sum \gamma (y - f)^2`: partial least squares.

    >>> Squared().residual(np.array([3.0]), np.array([1.0]), np.array([2.0]))
    array([4.])
    """

    def value(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> float:
        """Give the loss."""
        return float(weight @ (y - f) ** 2) / 2

    def residual(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the weighted errors."""
        return weight * (y - f)

    def refit(
        self,
        y: np.ndarray,
        A: np.ndarray,
        theta: np.ndarray,
        weight: np.ndarray,
        damping: float,  # noqa: ARG002
        n_steps: int,  # noqa: ARG002
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve the normal equations: one full step."""
        return super().refit(y, A, theta, weight, 0.0, 1)


class Absolute(Loss):
    r"""Least absolute deviation, :math:`\sum \gamma |y - f|`.

    >>> y = np.array([1.0, 2.0, 9.0])
    >>> theta, u = Absolute().refit(y, np.ones((3, 1)), np.zeros(1), np.ones(3), 0.0, 1)
    >>> theta, abs(u.sum()) < 1e-12  # the median, and a subgradient orthogonal to the constant
    (array([2.]), np.True_)
    """

    def value(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> float:
        """Give the loss."""
        return float(weight @ np.abs(y - f))

    def residual(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the weighted signs of the errors, minus a subgradient."""
        return weight * np.sign(y - f)

    def refit(
        self,
        y: np.ndarray,
        A: np.ndarray,
        theta: np.ndarray,  # noqa: ARG002
        weight: np.ndarray,
        damping: float,  # noqa: ARG002
        n_steps: int,  # noqa: ARG002
    ) -> tuple[np.ndarray, np.ndarray]:
        """Solve the linear programme of least absolute deviations."""
        # minimise weight'(p + n) with A theta + p - n = y and p, n >= 0. Its dual variables are
        # minus a subgradient by f, within the weights, and orthogonal to the columns of A.
        m, k = A.shape
        cost = np.concatenate([np.zeros(k), weight, weight])
        errors = np.hstack([A, np.eye(m), -np.eye(m)])
        bounds = [(None, None)] * k + [(0, None)] * (2 * m)
        solution = linprog(cost, A_eq=errors, b_eq=y, bounds=bounds, method="highs")
        return solution.x[:k], solution.eqlin.marginals


class Exponential(Loss):
    r"""The loss of AdaBoost, :math:`\sum \gamma e^{-y f}` with y = -1 or 1.

    >>> Exponential().residual(np.array([1.0, -1.0]), np.zeros(2), np.ones(2))
    array([ 1., -1.])
    """

    two_classes = True

    def value(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> float:
        """Give the loss."""
        return float(weight @ np.exp(np.minimum(-y * f, 500)))

    def residual(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the targets times the weights of boosting."""
        return y * self.curvature(y, f, weight)

    def curvature(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the weights of boosting."""
        return weight * np.exp(np.minimum(-y * f, 500))


class Logistic(Loss):
    r"""Logistic loss, :math:`\sum \gamma \ln(1 + e^{-2 y f})` with y = -1 or 1.

    f is half the log odds.

    >>> Logistic().residual(np.array([1.0, -1.0]), np.zeros(2), np.ones(2))
    array([ 1., -1.])
    """

    two_classes = True

    def value(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> float:
        """Give the loss."""
        return float(weight @ np.logaddexp(0, -2 * y * f))

    def residual(self, y: np.ndarray, f: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Compute the weighted target minus its expectation."""
        return weight * (y - np.tanh(f))

    def curvature(
        self,
        y: np.ndarray,  # noqa: ARG002
        f: np.ndarray,
        weight: np.ndarray,
    ) -> np.ndarray:
        """Compute the weighted variance of the target."""
        return weight * (1 - np.tanh(f) ** 2)


LOSSES: dict[str, Loss] = {
    "squared": Squared(),
    "absolute": Absolute(),
    "exponential": Exponential(),
    "logistic": Logistic(),
}
"""The losses by name."""
