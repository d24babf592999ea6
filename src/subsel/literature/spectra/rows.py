"""What transformers of spectra share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["SpectrumTransformer"]


class SpectrumTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Work on rows as spectra; a subclass says how in ``_changed`` and may learn in ``_learn``, which also checks."""

    def fit(self, X: Any, y: Any = None) -> SpectrumTransformer:  # noqa: ARG002
        """Check the parameters and learn what is learnt from all rows."""
        self._learn(validate_data(self, X, dtype=np.float64))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the changed spectra."""
        check_is_fitted(self)
        return self._changed(validate_data(self, X, dtype=np.float64, reset=False))

    def _learn(self, X: np.ndarray) -> None:
        """Learn nothing."""

    @abstractmethod
    def _changed(self, X: np.ndarray) -> np.ndarray:
        """Return the changed spectra."""


def check_at_least(name: str, value: float, least: float) -> None:
    """Refuse a parameter that is too small."""
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")


def check_share(name: str, value: float) -> None:
    """Refuse a share that is not in (0, 1]."""
    if not 0 < value <= 1:
        raise ValueError(f"{name} must lie in (0, 1], got {value}.")
