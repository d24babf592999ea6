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

STEP = 0.01  # scores are rounded to it, so that their law is a table


class PSSMScores(TransformerMixin, BaseEstimator):
    """The best match of each score matrix in each sequence, kept only where it is significant [1]_.

    A match sums the scores of its letters, position by position. Its p-value is the probability of
    such a sum, or more, for letters drawn from the background at one place; it is exact for scores
    rounded to 0.01. Letters outside the alphabet match nothing.

    Parameters
    ----------
    matrices : sequence of arrays of shape (length, n_letters)
        Scores, log odds as a rule.
    alphabet : str
        The letters, in the order of the columns.
    background : sequence of floats
        Probabilities of the letters; equal if not given.
    max_p : float
        Matches of a larger p-value count 0.

    Attributes
    ----------
    tails_ : list of pairs
        The lowest score of each matrix, in steps, and the probabilities of it and every higher
        step.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in
       *Feature Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    >>> exact_ab = np.array([[1.0, -1.0], [-1.0, 1.0]])  # a, then b
    >>> PSSMScores([exact_ab], "ab", max_p=0.5).fit_transform(["bab", "bbb"]).toarray().round(4)  # -ln(1/4)
    array([[1.3863],
           [0.    ]])
    """

    def __init__(
        self,
        matrices: Sequence[np.ndarray],
        alphabet: str = "acdefghiklmnpqrstvwy",
        background: Sequence[float] | None = None,
        max_p: float = 1e-6,
    ) -> None:
        self.matrices = matrices
        self.alphabet = alphabet
        self.background = background
        self.max_p = max_p

    def fit(self, X: Iterable[str], y: Any = None) -> PSSMScores:  # noqa: ARG002
        """Work out the law of the scores."""
        check_sequences(X)
        n = len(self.alphabet)
        share = np.full(n, 1 / n)
        if self.background is not None:
            share = np.asarray(self.background, dtype=float)
        if any(np.shape(matrix)[1:] != (n,) for matrix in self.matrices) or share.shape != (n,):
            raise ValueError(
                f"matrices and background must have {n} columns, one for each letter of the alphabet."
            )
        self.tails_ = [score_tail(steps(matrix), share / share.sum()) for matrix in self.matrices]
        return self

    def transform(self, X: Iterable[str]) -> csr_array:
        """Return minus the natural logarithm of the p-value of the best match."""
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
    """Return scores as whole numbers of steps."""
    return np.rint(np.asarray(matrix) / STEP).astype(int)


def score_tail(matrix: np.ndarray, background: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the lowest sum of whole scores, and the probability of each sum from there on or a higher one.

    >>> score_tail(np.array([[0, 1], [0, 2]]), np.array([0.5, 0.5]))
    (0, array([1.  , 0.75, 0.5 , 0.25]))
    """
    law, lowest = np.ones(1), 0
    for row in matrix:
        one = np.bincount(row - row.min(), weights=background)
        law, lowest = np.convolve(law, one), lowest + int(row.min())
    return lowest, np.cumsum(law[::-1])[::-1]
