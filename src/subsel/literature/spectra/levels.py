"""Thresholds, levels and normalisation of the heights of spectra."""

from __future__ import annotations

import numpy as np

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least, check_share

__all__ = ["HeightNormalisation", "Quantisation", "SoftThreshold"]


class SoftThreshold(SpectrumTransformer):
    """Spectra less a threshold, with negative values set to zero [1]_.

    Parameters
    ----------
    share : float
        Share of the training values above the threshold.

    Attributes
    ----------
    threshold_ : float
        The threshold, a quantile of all training values.

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
    """Spectra rounded to equidistant levels, numbered from 0 [1]_.

    The first level is the least training value, the last the largest; values outside are clipped.

    Parameters
    ----------
    levels : int
        Number of levels.

    Attributes
    ----------
    low_, high_ : float
        The least and the largest training value.

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
    """Spectra divided by the median of their highest values [1]_.

    A spectrum for which that median is not positive is not changed.

    Parameters
    ----------
    share : float
        Share of the values of a spectrum that count as high.

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
