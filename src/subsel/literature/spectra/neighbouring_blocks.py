"""Features of blocks of neighbouring bins: means and Haar wavelets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted

from subsel.literature.spectra.rows import SpectrumTransformer, check_at_least

__all__ = ["BlockMeans", "HaarWavelets"]


class BlockMeans(SpectrumTransformer):
    """Means of blocks of neighbouring bins [1]_.

    The last block may be shorter. The chapter finds that accuracy falls with the width, and advises
    against averaging before selection.

    Parameters
    ----------
    width : int
        Number of bins of a block.

    Attributes
    ----------
    starts_, widths_ : ndarray of shape (n_blocks,)
        First bin and number of bins of each block.

    References
    ----------
    .. [1] Levner, Bulitko and Lin, Feature extraction for classification of proteomic mass spectra,
       in *Feature Extraction: Foundations and Applications*, 2006, chapter 30.

    Examples
    --------
    >>> means = BlockMeans(2).fit([[1, 3, 5, 7, 9]])
    >>> means.transform([[1, 3, 5, 7, 9]]), means.get_feature_names_out().tolist()
    (array([[2., 6., 9.]]), ['x0..x1', 'x2..x3', 'x4'])
    """

    def __init__(self, width: int = 10) -> None:
        self.width = width

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the first and the last bin of each block."""
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        blocks = [names[start : start + self.width] for start in self.starts_]
        return np.array(list(map(_block_name, blocks)), dtype=object)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the spectra that have these means and are constant in every block."""
        check_is_fitted(self)
        return np.repeat(check_array(X, dtype=np.float64), self.widths_, axis=1)

    def _learn(self, X: np.ndarray) -> None:
        check_at_least("width", self.width, 1)
        self.starts_ = np.arange(0, X.shape[1], self.width)
        self.widths_ = np.diff(self.starts_, append=X.shape[1])

    def _changed(self, X: np.ndarray) -> np.ndarray:
        return np.add.reduceat(X, self.starts_, axis=1) / self.widths_


def _block_name(names: np.ndarray) -> str:
    """Return the name of a block from those of its bins."""
    if len(names) == 1:
        return names[0]
    return f"{names[0]}..{names[-1]}"


ROOT = np.sqrt(0.5)  # makes sums and differences of pairs orthonormal


class HaarWavelets(SpectrumTransformer):
    """Coefficients of spectra in the orthonormal basis of Haar wavelets [1]_.

    Spectra are padded with their last value to a multiple of the widest block.

    Parameters
    ----------
    levels : int
        Number of levels; their blocks are 2, 4, 8, ... bins wide.

    Attributes
    ----------
    n_padded_ : int
        Number of bins after padding, which is the number of features.

    References
    ----------
    .. [1] Guyon and Elisseeff, An introduction to feature extraction, in *Feature Extraction:
       Foundations and Applications*, 2006, section 1.2, which names wavelets among the operators.

    Examples
    --------
    >>> haar = HaarWavelets(2).fit([[1.0, 1.0, 5.0, 5.0]])
    >>> haar.transform([[1.0, 1.0, 5.0, 5.0]]), haar.get_feature_names_out().tolist()
    (array([[ 6., -4.,  0.,  0.]]), ['mean4_0', 'step4_0', 'step2_0', 'step2_1'])
    """

    def __init__(self, levels: int = 3) -> None:
        self.levels = levels

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the spectra that have these coefficients."""
        check_is_fitted(self)
        X = check_array(X, dtype=np.float64)
        width = self.n_padded_ >> self.levels
        means = X[:, :width]
        while width < self.n_padded_:
            steps = X[:, width : 2 * width]
            means = ROOT * np.stack([means + steps, means - steps], axis=2).reshape(
                len(X), 2 * width
            )
            width *= 2
        return means[:, : self.n_features_in_]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return names with the kind of coefficient, the width of the block and its index."""
        check_is_fitted(self)
        widths = [2**level for level in range(self.levels, 0, -1)]
        kinds = [("mean", widths[0]), *(("step", width) for width in widths)]
        return np.array(
            [f"{kind}{w}_{k}" for kind, w in kinds for k in range(self.n_padded_ // w)],
            dtype=object,
        )

    def _learn(self, X: np.ndarray) -> None:
        check_at_least("levels", self.levels, 1)
        self.n_padded_ = -(-X.shape[1] >> self.levels) << self.levels

    def _changed(self, X: np.ndarray) -> np.ndarray:
        means, parts = np.pad(X, ((0, 0), (0, self.n_padded_ - X.shape[1])), mode="edge"), []
        for _ in range(self.levels):
            first, second = means[:, ::2], means[:, 1::2]
            parts.append(ROOT * (first - second))
            means = ROOT * (first + second)
        return np.hstack([means, *reversed(parts)])
