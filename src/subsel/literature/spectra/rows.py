"""The base class of transformers of spectra, and checks of their parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

__all__ = ["SpectrumTransformer"]


class SpectrumTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """A transformer of tables whose rows are spectra.

    A subclass implements ``_changed``, and may implement ``_learn``, which checks its parameters
    and sets its learnt attributes.
    """

    def fit(self, X: Any, y: Any = None) -> SpectrumTransformer:  # noqa: ARG002
        """Check the parameters and learn from the spectra."""
        self._learn(validate_data(self, X, dtype=np.float64))
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the transformed spectra."""
        check_is_fitted(self)
        return self._changed(validate_data(self, X, dtype=np.float64, reset=False))

    def _learn(self, X: np.ndarray) -> None:
        """Check the parameters and learn from checked spectra; by default, do nothing."""

    @abstractmethod
    def _changed(self, X: np.ndarray) -> np.ndarray:
        """Return transformed copies of checked spectra, of shape (n_spectra, n_bins)."""


def check_at_least(name: str, value: float, least: float) -> None:
    """Raise an error if a parameter is smaller than ``least``."""
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}.")


def check_share(name: str, value: float) -> None:
    """Raise an error if a share is not in (0, 1]."""
    if not 0 < value <= 1:
        raise ValueError(f"{name} must lie in (0, 1], got {value}.")
