"""Values cut off from below, and rounded to levels."""

from __future__ import annotations

import numpy as np

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least, check_share

__all__ = ["HeightNormalisation", "Quantisation", "SoftThreshold"]


class SoftThreshold(SpectrumTransformer):
    """Subtract a threshold and set what falls below to zero [1]_.

    Parameters
    ----------
    share : float
        Of the training values that stay above zero; the threshold follows from it.

    Attributes
    ----------
    threshold_ : float
        What is subtracted.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    >>> SoftThreshold(share=0.5).fit_transform([[1.0, 2.0, 3.0, 4.0]])
    array([[0. , 0. , 0.5, 1.5]])
    """

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def _learn(self, X: np.ndarray) -> None:
        check_share("share", self.share)
        self.threshold_ = float(np.quantile(X, 1 - self.share))

    def _changed(self, X: np.ndarray) -> np.ndarray:
        return np.maximum(X - self.threshold_, 0.0)


class Quantisation(SpectrumTransformer):
    """Round to whole levels from 0, the lowest training value, to the highest [1]_; other values are clipped.

    Parameters
    ----------
    levels : int
        How many.

    Attributes
    ----------
    low_, high_ : floats
        The training values of the first and last level.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    >>> Quantisation(levels=5).fit_transform([[0.0, 0.3, 1.0]])
    array([[0., 1., 4.]])
    """

    def __init__(self, levels: int = 1000) -> None:
        self.levels = levels

    def _learn(self, X: np.ndarray) -> None:
        check_at_least("levels", self.levels, 2)
        self.low_, self.high_ = float(X.min()), float(X.max())

    def _changed(self, X: np.ndarray) -> np.ndarray:
        span = self.high_ - self.low_ or 1.0
        return np.clip(np.rint((X - self.low_) / span * (self.levels - 1)), 0, self.levels - 1)


class HeightNormalisation(SpectrumTransformer):
    """Divide each spectrum by the median of its highest values [1]_; one without positive height stays as it is.

    Parameters
    ----------
    share : float
        Of the values that count as high.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix
       B, the making of the Arcene data.

    Examples
    --------
    >>> HeightNormalisation(share=0.25).fit_transform([[0.0, 1.0, 2.0, 4.0]])
    array([[0.  , 0.25, 0.5 , 1.  ]])
    """

    def __init__(self, share: float = 0.05) -> None:
        self.share = share

    def _learn(self, X: np.ndarray) -> None:  # noqa: ARG002
        check_share("share", self.share)

    def _changed(self, X: np.ndarray) -> np.ndarray:
        n_high = max(1, round(self.share * X.shape[1]))
        height = np.median(np.sort(X, axis=1)[:, -n_high:], axis=1)[:, None]
        return X / np.where(height > 0, height, 1.0)
