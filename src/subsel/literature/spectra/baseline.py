"""Removal of the slowly varying baseline of spectra."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import percentile_filter

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least, check_share

__all__ = ["BaselineRemoval"]


class BaselineRemoval(SpectrumTransformer):
    """Spectra less the median of the lowest values in a window around each bin [1]_.

    The median of the lowest 20% is the 10% quantile, which is computed by a rank filter.

    Parameters
    ----------
    window : int
        Number of bins of the window, wider than a peak; the source does not print its value.
    share : float
        Share of the values in the window that count as low.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    >>> BaselineRemoval(window=3).fit_transform([[2.0, 2.0, 9.0, 2.0, 2.0]])
    array([[0., 0., 7., 0., 0.]])
    """

    def __init__(self, window: int = 501, share: float = 0.2) -> None:
        self.window = window
        self.share = share

    def _learn(self, X: np.ndarray) -> None:  # noqa: ARG002
        check_at_least("window", self.window, 1)
        check_share("share", self.share)

    def _changed(self, X: np.ndarray) -> np.ndarray:
        floor = [
            percentile_filter(row, 50 * self.share, size=self.window, mode="nearest") for row in X
        ]
        return X - np.array(floor)
