"""How often each motif occurs in a sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from subsel.literature.sequences.trie import MotifTrie

__all__ = ["MotifCounts", "check_sequences"]


class MotifCounts(TransformerMixin, BaseEstimator):
    """The motif composition of sequences, a sparse table with a column per motif [1]_.

    Parameters
    ----------
    motifs : sequence of str
        Letters, groups of letters such as ``[ilmv]`` and dots for any letter.
    norm : {"l1", "l2"} or None
        Divide each row by its sum or length, as kernels on sequences of unequal length need.

    References
    ----------
    .. [1] Ben-Hur and Brutlag, Sequence motifs: highly predictive features of protein function, in *Feature
       Extraction: Foundations and Applications*, 2006, chapter 31.

    Examples
    --------
    >>> MotifCounts(["k.h", "[ab]b"]).fit_transform(["kahkbh", "abb"]).toarray()
    array([[2., 0.],
           [0., 2.]])
    """

    def __init__(self, motifs: Sequence[str], norm: Literal["l1", "l2"] | None = None) -> None:
        self.motifs = motifs
        self.norm = norm

    def fit(self, X: Iterable[str], y: Any = None) -> MotifCounts:  # noqa: ARG002
        """Build the trie."""
        check_sequences(X)
        if self.norm not in (None, "l1", "l2"):
            raise ValueError(f"norm must be 'l1', 'l2' or None, got {self.norm!r}.")
        self.trie_ = MotifTrie(self.motifs)
        return self

    def transform(self, X: Iterable[str]) -> csr_array:
        """Count the motifs."""
        check_is_fitted(self)
        counts = [self.trie_.counts(sequence) for sequence in check_sequences(X)]
        starts = np.cumsum([0, *map(len, counts)])
        columns = np.array([motif for found in counts for motif in sorted(found)], dtype=int)
        values = np.array(
            [found[motif] for found in counts for motif in sorted(found)], dtype=float
        )
        table = csr_array((values, columns, starts), shape=(len(counts), len(self.motifs)))
        if self.norm is None:
            return table
        return csr_array(normalize(table, self.norm))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002
        """Give the motifs."""
        return np.asarray(self.motifs, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def check_sequences(X: Iterable[str]) -> list[str]:
    """Refuse what is not a list of texts.

    >>> check_sequences(["ab", "c"])
    ['ab', 'c']
    """
    sequences = [] if isinstance(X, str) else list(X)
    if not sequences or not all(isinstance(sequence, str) for sequence in sequences):
        raise ValueError("X must be a list of sequences, each a text of letters.")
    return sequences
