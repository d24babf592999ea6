"""Keep the slow part of a spectrum."""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, rfft

from subsel.literature.spectra.rows import SpectrumTransformer, check_share

__all__ = ["LowPass"]


class LowPass(SpectrumTransformer):
    """Set the Fourier coefficients of high frequencies to zero [1]_; the number of bins stays.

    Parameters
    ----------
    share : float
        Of the frequencies, from the lowest, that are kept; 1 keeps the spectrum as it is.

    References
    ----------
    .. [1] Levner, Bulitko and Lin, Feature extraction for classification of proteomic mass spectra, in *Feature
       Extraction: Foundations and Applications*, 2006, chapter 30.

    Examples
    --------
    >>> LowPass(share=0.3).fit_transform([[1.0, 3.0, 1.0, 3.0]])
    array([[2., 2., 2., 2.]])
    """

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def _learn(self, X: np.ndarray) -> None:  # noqa: ARG002
        check_share("share", self.share)

    def _changed(self, X: np.ndarray) -> np.ndarray:
        waves = rfft(X, axis=1)
        waves[:, max(1, round(self.share * waves.shape[1])) :] = 0
        return irfft(waves, n=X.shape[1], axis=1)
