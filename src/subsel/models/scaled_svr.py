"""Support vector regression whose penalty and tube do not depend on the unit of the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.svm import SVR

__all__ = ["ScaledSVR"]


class ScaledSVR(SVR):
    """Support vector regression of the standardised target.

    Predictions are in the target's own unit.

    Parameters and attributes are those of :class:`sklearn.svm.SVR`; ``C`` and ``epsilon`` are in
    units of the standard deviation of the target.

    Examples
    --------
    >>> X, y = np.linspace(-1, 1, 50)[:, None], 1e-6 * np.linspace(-1, 1, 50) ** 3
    >>> bool(SVR().fit(X, y).score(X, y) > 0.1), bool(ScaledSVR().fit(X, y).score(X, y) > 0.9)
    (False, True)
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ScaledSVR:
        """Standardise the target by its (weighted) mean and standard deviation, and fit it."""
        y = np.asarray(y, dtype=float)
        self.mean_ = float(np.average(y, weights=sample_weight))
        self.spread_ = (
            float(np.sqrt(np.average((y - self.mean_) ** 2, weights=sample_weight))) or 1.0
        )
        return super().fit(X, (y - self.mean_) / self.spread_, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target in its own unit."""
        return self.mean_ + self.spread_ * super().predict(X)
