"""Bring spectra to one height."""

from __future__ import annotations

import numpy as np

from subsel.literature.spectra.rows import SpectrumTransformer, check_share

__all__ = ["HeightNormalisation"]


class HeightNormalisation(SpectrumTransformer):
    """Divide each spectrum by the median of its highest values [1]_; one without positive height stays as it is.

    Parameters
    ----------
    share : float
        Of the values that count as high.

    References
    ----------
    .. [1] Guyon et al. (eds.), *Feature Extraction: Foundations and Applications*, 2006, appendix B, the making of the
       Arcene data.

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
