"""The posterior of logistic regression, as a target for Hamiltonian Monte Carlo."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from subsel.models.bayes.scale_priors import CommonScale, HeavyTailedScales, stretched

__all__ = ["LogisticTarget"]

BROAD = 10.0  # standard deviation of the intercept


class LogisticTarget:
    """Intercept and weights are the position, the widths of their priors the hyperparameters.

    >>> target = LogisticTarget(np.ones((2, 1)), np.array([0.0, 1.0]), np.ones(2), spherical=True, width=1.0)
    >>> gradient = np.empty(2)
    >>> round(target.density(np.zeros(2), gradient), 4), gradient
    (-1.3863, array([0., 0.]))
    """

    def __init__(
        self, X: np.ndarray, y: np.ndarray, weights: np.ndarray, spherical: bool, width: float
    ) -> None:
        n = X.shape[1]
        self.X, self.y, self.weights, self.size = np.ascontiguousarray(X), y, weights, n + 1
        self.prior: CommonScale | HeavyTailedScales
        if spherical:
            self.prior = CommonScale(width)
        else:
            self.prior = HeavyTailedScales(n, shape=1.0, width=width)
        # a bound on the curvature of the likelihood
        self._curvature = np.append(weights.sum(), weights @ self.X**2) / 4
        self._precision = np.append(BROAD**-2, np.full(n, width**-2))
        self._outside = 0.0

    def start(self, rng: np.random.Generator) -> np.ndarray:
        """Begin near zero."""
        return 0.1 * rng.standard_normal(self.size) / np.sqrt(self._precision + self._curvature)

    def refresh(self, position: np.ndarray, rng: np.random.Generator) -> None:
        """Draw the widths, and the weight of the distance from the training rows."""
        self.prior.refresh(position[1:, None], rng)
        f = self.X @ position[1:]
        stretched(
            self.prior, position[1:], lambda factor: self._likelihood(factor * f + position[0]), rng
        )
        if isinstance(self.prior, CommonScale):
            self._precision[1:] = self.prior.precision
            self._outside = rng.standard_normal() / np.sqrt(self.prior.precision)
        else:
            self._precision[1:] = self.prior.precisions

    def scales(self) -> np.ndarray:
        """Step by the smallest width that prior and likelihood allow."""
        return 1 / np.sqrt(self._precision + self._curvature)

    def density(self, position: np.ndarray, gradient: np.ndarray) -> float:
        """Give the log posterior, and its gradient."""
        f = self.X @ position[1:] + position[0]
        residual = self.weights * (self.y - expit(f))
        gradient[0] = residual.sum()
        gradient[1:] = residual @ self.X
        pull = self._precision * position
        gradient -= pull
        return self._likelihood(f) - 0.5 * float(pull @ position)

    def draw(self, position: np.ndarray) -> np.ndarray:
        """Keep position and scale, and for the spherical prior the weight of the further coordinate."""
        if isinstance(self.prior, CommonScale):
            return np.concatenate([position, [self.prior.precision**-0.5, self._outside]])
        return np.append(position, np.sqrt(self.prior.common))

    def _likelihood(self, f: np.ndarray) -> float:
        """Give the log likelihood from the log odds."""
        return float(self.weights @ (self.y * f - np.logaddexp(0, f)))
