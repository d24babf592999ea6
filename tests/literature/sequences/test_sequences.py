"""Sequences: the trie against regular expressions, score tails against enumeration."""

import re
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.utils.estimator_checks import parametrize_with_checks

from subsel.literature.sequences import MotifCounts, PSSMScores, motif_kernel
from subsel.literature.sequences.motifs import parse_motif
from subsel.literature.sequences.pssm import score_tail

LETTERS = "acdk"
AB = np.array([[1.0, -1.0], [-1.0, 1.0]])


def random_motif(rng):
    parts = [*LETTERS, "[ac]", "[cdk]", "."]
    return "".join(rng.choice(parts) for _ in range(rng.integers(1, 5)))


@pytest.mark.parametrize("seed", range(5))
def test_trie_counts_what_regular_expressions_count(seed):
    """Counts are those of overlapping matches of the same regular expression, motif by motif."""
    rng = np.random.default_rng(seed)
    motifs = [random_motif(rng) for _ in range(40)]
    sequences = ["".join(rng.choice(list(LETTERS), size=n)) for n in (1, 5, 40, 120)]
    found = MotifCounts(motifs).fit_transform(sequences).toarray()
    expected = [
        [len(re.findall(f"(?=({motif}))", sequence)) for motif in motifs] for sequence in sequences
    ]
    assert_array_equal(found, expected)
    rows = MotifCounts(motifs, "l1").fit_transform(sequences).toarray()
    assert_allclose(rows.sum(axis=1), np.array(expected).any(axis=1))


def test_book_figure():
    """The book's sequence holds one motif of the four in its trie (figure 31.2)."""
    motifs = ["k.[as]v", "k[iilmv]v[kr]", "k[iilmv].h", "k[iilmv].r"]
    assert MotifCounts(motifs).fit_transform(["kiqh"]).toarray().tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize("motif", ["", "a[", "[]", "a]b", "[a.]"])
def test_broken_motifs_are_refused(motif):
    """What is not a motif is named."""
    with pytest.raises(ValueError, match="A motif is made of"):
        parse_motif(motif)


def test_score_tail_is_that_of_all_words():
    """The probability of a score or more is the sum over all words that reach it."""
    rng = np.random.default_rng(0)
    matrix, share = rng.integers(-5, 6, size=(4, 3)), np.array([0.5, 0.3, 0.2])
    lowest, tail = score_tail(matrix, share)
    words = list(product(range(3), repeat=4))
    scores = np.array([sum(matrix[i, letter] for i, letter in enumerate(word)) for word in words])
    chances = np.array([np.prod(share[list(word)]) for word in words])
    assert lowest == scores.min()
    for score in range(scores.min(), scores.max() + 1):
        assert_allclose(tail[score - lowest], chances[scores >= score].sum(), atol=1e-12)


def test_pssm_keeps_the_best_significant_match():
    """The feature is minus the log p-value at the best place, or 0 if not significant.

    It is also 0 if the matrix is longer than the sequence.
    """
    scores = PSSMScores([AB, np.vstack([AB, AB])], "ab", max_p=0.3).fit_transform(
        ["ab", "bbabab", "a", "ccc", "bb"]
    )
    expected = [[np.log(4), 0], [np.log(4), np.log(16)], [0, 0], [0, 0], [0, 0]]
    assert_allclose(scores.toarray(), expected)
    assert PSSMScores([AB], "ab", max_p=0.1).fit_transform(["ab"]).nnz == 0
    with pytest.raises(ValueError, match="2 columns"):
        PSSMScores([np.ones((3, 3))], "ab").fit(["ab"])


def test_kernel_is_the_product_of_compositions():
    """With unit rows the kernel is the cosine of the counts; others give a block of it."""
    motifs, sequences = ["a", "ac", "[cd]k", "."], ["acdk", "dkdka", "aaca", "k"]
    counts = MotifCounts(motifs).fit_transform(sequences)
    K = motif_kernel(sequences, motifs=motifs, norm="l2")
    assert_allclose(K, cosine_similarity(counts))
    assert_allclose(motif_kernel(sequences, sequences[:2], motifs=motifs, norm="l2"), K[:, :2])


@parametrize_with_checks([MotifCounts(["a"]), PSSMScores([AB], "ab")])
def test_transformers_keep_scikit_learns_rules(estimator, check):
    """Both pass scikit-learn's checks of estimators of texts."""
    check(estimator)


@pytest.mark.parametrize(
    "transformer", [MotifCounts(["a"]), PSSMScores([AB], "ab")], ids=["motifs", "pssm"]
)
def test_what_is_not_a_list_of_sequences_is_refused(transformer):
    """A single text, numbers or an empty list are refused by name."""
    for wrong in ("abc", [1, 2], []):
        with pytest.raises(ValueError, match="list of sequences"):
            clone(transformer).fit(wrong)
