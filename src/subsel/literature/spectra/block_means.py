"""Fewer bins: means of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least

__all__ = ["BlockMeans"]


class BlockMeans(SpectrumTransformer):
    """The mean of every so many neighbouring bins [1]_; a last block may be shorter.

    The chapter finds that accuracy falls with the width, and advises against averaging before selection.

    Parameters
    ----------
    width : int
        Bins in a block.

    References
    ----------
    .. [1] Levner, Bulitko and Lin, Feature extraction for classification of proteomic mass spectra, in *Feature
       Extraction: Foundations and Applications*, 2006, chapter 30.

    Examples
    --------
    >>> means = BlockMeans(2).fit([[1, 3, 5, 7, 9]])
    >>> means.transform([[1, 3, 5, 7, 9]]), means.get_feature_names_out().tolist()
    (array([[2., 6., 9.]]), ['x0..x1', 'x2..x3', 'x4'])
    """

    def __init__(self, width: int = 10) -> None:
        self.width = width

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Give the first and last name of each block."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        blocks = [names[start : start + self.width] for start in self.starts_]
        return np.array(list(map(_block_name, blocks)), dtype=object)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Give spectra that are constant in every block."""
        check_is_fitted(self)
        return np.repeat(check_array(X, dtype=np.float64), self.widths_, axis=1)

    def _learn(self, X: np.ndarray) -> None:
        check_at_least("width", self.width, 1)
        self.starts_ = np.arange(0, X.shape[1], self.width)
        self.widths_ = np.diff(self.starts_, append=X.shape[1])

    def _changed(self, X: np.ndarray) -> np.ndarray:
        return np.add.reduceat(X, self.starts_, axis=1) / self.widths_


def _block_name(names: np.ndarray) -> str:
    if len(names) == 1:
        return names[0]
    return f"{names[0]}..{names[-1]}"
