"""The preprocessing of mass spectra that produced the Arcene data."""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer

from subsel.literature.spectra.alignment import PeakAlignment
from subsel.literature.spectra.baseline import BaselineRemoval
from subsel.literature.spectra.levels import HeightNormalisation, Quantisation, SoftThreshold
from subsel.literature.spectra.smoothing import ExponentialSmoothing

__all__ = ["mass_spectra"]


def mass_spectra(
    window: int = 501, max_shift: int = 10, share: float = 0.5, levels: int = 1000
) -> Pipeline:
    """Return the steps that produced the Arcene data from mass spectra as one pipeline [1]_.

    The steps are removal of the baseline, smoothing over 9 bins, division by the median of the
    highest 5%, square root, alignment, soft threshold and rounding to levels. Restrict the range of
    m/z and average the replicates of a patient beforehand, since a pipeline cannot change rows. The
    source does not print the window of the baseline, the shifts and the threshold; choose them by a
    grid search. Each step learns from the training rows only, unlike in the source.

    Parameters
    ----------
    window : int
        Window of the baseline, in bins.
    max_shift : int
        Largest shift of the alignment, in bins; each spectrum has its own shift.
    share : float
        Share of the values above the threshold.
    levels : int
        Number of levels.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    >>> spectra = np.random.default_rng(0).gamma(2, size=(5, 200))
    >>> levels = mass_spectra(window=51).fit_transform(spectra)
    >>> levels.min(), levels.max(), round(float((levels > 0).mean()), 1)
    (np.float64(0.0), np.float64(999.0), 0.5)
    """
    return Pipeline(
        [
            ("baseline", BaselineRemoval(window)),
            ("smoothing", ExponentialSmoothing()),
            ("height", HeightNormalisation()),
            ("root", FunctionTransformer(positive_root, feature_names_out="one-to-one")),
            ("alignment", PeakAlignment(max_shift)),
            ("threshold", SoftThreshold(share)),
            ("levels", Quantisation(levels)),
        ]
    )


def positive_root(X: np.ndarray) -> np.ndarray:
    """Return the square root, 0 for negative values.

    >>> positive_root(np.array([-1.0, 4.0]))
    array([0., 2.])
    """
    return np.sqrt(np.maximum(X, 0.0))
