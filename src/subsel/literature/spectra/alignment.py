"""Alignment of spectra with a reference by shifts."""

from __future__ import annotations

import numpy as np
from scipy.signal import correlate

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least

__all__ = ["PeakAlignment", "best_shift", "shifted"]


class PeakAlignment(SpectrumTransformer):
    """Spectra shifted by whole bins to agree best with the mean of the training spectra [1]_.

    Agreement is the inner product of the centred spectra. Bins shifted in from outside have the
    value of the outermost bin. The source shifts a collection of spectra as one; for that, call
    `best_shift` with the mean spectrum of the collection.

    Parameters
    ----------
    max_shift : int
        Largest shift in bins, to either side.

    Attributes
    ----------
    reference_ : ndarray of shape (n_bins,)
        The mean of the training spectra.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    >>> aligned = PeakAlignment(2).fit([[0, 0, 0, 5, 0, 0]])
    >>> aligned.transform([[0, 0, 5, 0, 0, 0]])
    array([[0., 0., 0., 5., 0., 0.]])
    """

    def __init__(self, max_shift: int = 10) -> None:
        self.max_shift = max_shift

    def _learn(self, X: np.ndarray) -> None:
        check_at_least("max_shift", self.max_shift, 0)
        self.reference_ = X.mean(axis=0)

    def _changed(self, X: np.ndarray) -> np.ndarray:
        return np.stack(
            [shifted(row, best_shift(row, self.reference_, self.max_shift)) for row in X]
        )


def best_shift(spectrum: np.ndarray, reference: np.ndarray, max_shift: int) -> int:
    """Return the shift to the right by which a spectrum agrees best with a reference.

    ``spectrum`` and ``reference`` have shape (n_bins,). Of shifts that agree equally well, the
    smallest is returned.

    >>> best_shift(np.array([0, 5.0, 0, 0]), np.array([0, 0, 0, 5.0]), max_shift=3)
    2
    """
    agreement = correlate(reference - reference.mean(), spectrum - spectrum.mean())
    centre = len(spectrum) - 1
    shifts = np.arange(-min(max_shift, centre), min(max_shift, centre) + 1)
    shifts = shifts[np.argsort(np.abs(shifts), kind="stable")]
    agreement = agreement[centre + shifts]
    # correlate uses the FFT for long spectra, whose rounding errors must not decide between shifts
    close = agreement >= agreement.max() - 1e-10 * np.abs(agreement).max()
    return int(shifts[np.argmax(close)])


def shifted(spectrum: np.ndarray, shift: int) -> np.ndarray:
    """Return a spectrum shifted to the right, with its outermost bin repeated.

    >>> shifted(np.array([1, 2, 3]), 1)
    array([1, 1, 2])
    """
    return spectrum[np.clip(np.arange(len(spectrum)) - shift, 0, len(spectrum) - 1)]
