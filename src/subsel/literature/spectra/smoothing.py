"""Smoothing of spectra."""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, rfft
from scipy.ndimage import convolve1d

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least, check_share

__all__ = ["ExponentialSmoothing", "LowPass"]


class ExponentialSmoothing(SpectrumTransformer):
    r"""Averages of neighbouring bins with weights :math:`e^{-|k| / \tau}` [1]_.

    Parameters
    ----------
    window : int
        Number of bins averaged, which must be odd.
    decay : float
        The constant :math:`\tau` in bins, whose value the source does not print.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    The weights are 1/4, 1/2 and 1/4:

    >>> smoothing = ExponentialSmoothing(window=3, decay=1 / np.log(2))
    >>> smoothing.fit_transform([[0.0, 0.0, 4.0, 0.0, 0.0]])
    array([[0., 1., 2., 1., 0.]])
    """

    def __init__(self, window: int = 9, decay: float = 2.0) -> None:
        self.window = window
        self.decay = decay

    def _learn(self, X: np.ndarray) -> None:  # noqa: ARG002
        check_at_least("window", self.window, 1)
        if self.window % 2 == 0 or not self.decay > 0:
            raise ValueError(
                f"window must be odd and decay positive, got {self.window} and {self.decay}."
            )

    def _changed(self, X: np.ndarray) -> np.ndarray:
        weights = np.exp(-np.abs(np.arange(self.window) - self.window // 2) / self.decay)
        return convolve1d(X, weights / weights.sum(), axis=1, mode="nearest")


class LowPass(SpectrumTransformer):
    """Spectra without their high frequencies, whose Fourier coefficients are set to zero [1]_.

    Parameters
    ----------
    share : float
        Share of the frequencies, from the lowest, that are kept; 1 leaves spectra as they are.

    References
    ----------
    .. [1] Levner, Bulitko and Lin, Feature extraction for classification of proteomic mass spectra,
       in *Feature Extraction: Foundations and Applications*, 2006, chapter 30.

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
