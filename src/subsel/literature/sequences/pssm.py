"""Matches of position-specific score matrices, as minus logarithms of p-values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from subsel.literature.sequences.motifs import check_sequences

__all__ = ["PSSMScores", "score_tail"]

STEP = 0.01  # scores are rounded to multiples of it, so that their distribution is a table


class PSSMScores(TransformerMixin, BaseEstimator):
    """The significance of the best match of each score matrix in each sequence [1]_.

    The feature is minus the natural logarithm of the p-value of the best match, or 0 if that is not
    significant. The score of a match is the sum of the scores of its letters at each position. Its
    p-value is the probability of such a sum, or a larger one, for letters drawn from the background
    at one place; it is exact for scores rounded to 0.01. Letters outside the alphabet match
    nothing.

    Parameters
    ----------
    matrices : sequence of ndarray of shape (length, n_letters)
        Scores of the letters at each position, usually log odds.
    alphabet : str
        The letters, in the order of the columns.
    background : sequence of float, optional
        Probabilities of the letters; equal by default.
    max_p : float
        The features of matches with a larger p-value are 0.

    Attributes
    ----------
    tails_ : list of tuple
        For each matrix, the least score in steps of 0.01, and an array of the probabilities of at
        least this score, at least the next one, and so on.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    A match of "ab" has the p-value 1/4:

    >>> ab = np.array([[1.0, -1.0], [-1.0, 1.0]])
    >>> PSSMScores([ab], "ab", max_p=0.5).fit_transform(["bab", "bbb"]).toarray().round(4)
    array([[1.3863],
           [0.    ]])
    """

    def __init__(
        self,
        matrices: Sequence[np.ndarray],
        alphabet: str = "acdefghiklmnpqrstvwy",
        *,
        background: Sequence[float] | None = None,
        max_p: float = 1e-6,
    ) -> None:
        self.matrices = matrices
        self.alphabet = alphabet
        self.background = background
        self.max_p = max_p

    def fit(self, X: Iterable[str], y: Any = None) -> PSSMScores:  # noqa: ARG002
        """Compute the distributions of the scores."""
        check_sequences(X)
        n = len(self.alphabet)
        share = np.full(n, 1 / n)
        if self.background is not None:
            share = np.asarray(self.background, dtype=float)
        if any(np.shape(matrix)[1:] != (n,) for matrix in self.matrices) or share.shape != (n,):
            raise ValueError(
                f"matrices and background must have {n} columns, one for each letter of the "
                f"alphabet, got {[np.shape(matrix)[1:] for matrix in self.matrices]} and "
                f"{share.shape}."
            )
        self.tails_ = [score_tail(steps(matrix), share / share.sum()) for matrix in self.matrices]
        return self

    def transform(self, X: Iterable[str]) -> csr_array:
        """Return the features, of shape (n_sequences, n_matrices)."""
        check_is_fitted(self)
        return csr_array(
            [
                [self._score(sequence, k) for k in range(len(self.matrices))]
                for sequence in check_sequences(X)
            ]
        )

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Return ``pssm0`` and so on."""
        return np.array([f"pssm{k}" for k in range(len(self.matrices))], dtype=object)

    def _score(self, sequence: str, k: int) -> float:
        """Return the feature of a sequence for the k-th matrix."""
        matrix, (lowest, tail) = steps(self.matrices[k]), self.tails_[k]
        codes = np.array([self.alphabet.find(letter) for letter in sequence], dtype=int)
        if len(codes) < len(matrix):
            return 0.0
        windows = np.lib.stride_tricks.sliding_window_view(codes, len(matrix))
        windows = windows[(windows >= 0).all(axis=1)]
        if not len(windows):
            return 0.0
        best = matrix[np.arange(len(matrix)), windows].sum(axis=1).max()
        p = tail[best - lowest]
        return float(-np.log(p)) if p < self.max_p else 0.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def steps(matrix: np.ndarray) -> np.ndarray:
    """Return scores as integer multiples of `STEP`."""
    return np.rint(np.asarray(matrix) / STEP).astype(int)


def score_tail(matrix: np.ndarray, background: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the least sum of integer scores, and the probability of each sum or a larger one.

    ``matrix`` has shape (length, n_letters), ``background`` shape (n_letters,). The second result
    runs over all integers from the least sum to the largest.

    >>> score_tail(np.array([[0, 1], [0, 2]]), np.array([0.5, 0.5]))
    (0, array([1.  , 0.75, 0.5 , 0.25]))
    """
    # the distribution of a sum of independent integers is the convolution of their distributions
    # (Staden, "Methods for calculating the probabilities of finding patterns in sequences",
    # Computer Applications in the Biosciences 5, 1989)
    distribution, lowest = np.ones(1), 0
    for row in matrix:
        position = np.bincount(row - row.min(), weights=background)
        distribution, lowest = np.convolve(distribution, position), lowest + int(row.min())
    return lowest, np.cumsum(distribution[::-1])[::-1]
