"""Heights of spectra at the peaks of the mean spectrum."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.ndimage import maximum_filter1d
from scipy.signal import find_peaks
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least

__all__ = ["PeakHeights"]


class PeakHeights(SpectrumTransformer):
    """The largest value of each spectrum near each peak of the mean training spectrum [1]_.

    Parameters
    ----------
    prominence : float
        Least prominence of a peak, as a share of the range of the mean spectrum; see
        ``scipy.signal.find_peaks``.
    reach : int
        Number of bins on either side of a peak among which the largest value is taken.

    Attributes
    ----------
    peaks_ : ndarray of shape (n_peaks,)
        Columns of the peaks; the column of the largest mean if there is no peak.

    References
    ----------
    .. [1] Levner, Bulitko and Lin, Feature extraction for classification of proteomic mass spectra,
       in *Feature Extraction: Foundations and Applications*, 2006, chapter 30, on the studies that
       selected peaks.

    Examples
    --------
    >>> heights = PeakHeights(reach=1).fit([[0, 9, 0, 0, 0, 4, 0], [0, 7, 0, 0, 0, 6, 0]])
    >>> heights.peaks_, heights.transform([[0, 1, 8, 0, 0, 5, 0]])
    (array([1, 5]), array([[8., 5.]]))
    """

    def __init__(self, prominence: float = 0.01, reach: int = 5) -> None:
        self.prominence = prominence
        self.reach = reach

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns of the peaks."""
        check_is_fitted(self)
        return _check_feature_names_in(self, input_features)[self.peaks_]

    def _learn(self, X: np.ndarray) -> None:
        check_at_least("reach", self.reach, 0)
        check_at_least("prominence", self.prominence, 0)
        mean = X.mean(axis=0)
        peaks = find_peaks(mean, prominence=self.prominence * np.ptp(mean))[0]
        if not len(peaks):
            peaks = np.array([int(mean.argmax())])
        self.peaks_ = peaks

    def _changed(self, X: np.ndarray) -> np.ndarray:
        return maximum_filter1d(X, 2 * self.reach + 1, axis=1, mode="nearest")[:, self.peaks_]
